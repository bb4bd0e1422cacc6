// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that the host decides for each step: learning rate, bias
// corrections, loss scale.

#ifndef ZCC_RUNTIME_TRAIN_SCHEDULE_H
#define ZCC_RUNTIME_TRAIN_SCHEDULE_H

#include "runtime/train/Settings.h"

#include <utility>

namespace zcc::rt {

namespace format {
class Executable;
} // namespace format

class LearningRate {
public:
  /// `steps` is the number of steps in all, at which a decay ends. Reads
  /// `lrFile`; throws bad input that says what is wrong with it.
  LearningRate(const UpdateSettings &settings, int64_t steps);
  /// The rate of a step, counted from 1.
  double at(int64_t step) const;

private:
  double peak, lowest;
  int64_t warmup, steps;
  Decay decay;
  std::vector<std::pair<double, double>> table; // (step, rate), ascending
};

/// The factor on the loss that keeps small gradients from vanishing in f16.
class LossScale {
public:
  LossScale(bool dynamic, double start) : dynamic(dynamic), scale(start) {}

  double value() const { return scale; }
  bool isDynamic() const { return dynamic; }
  /// Returns true if there is no smaller scale to try after an overflow.
  bool isLowest() const { return !dynamic || scale <= 1; }
  /// Takes the outcome of a step. To be called after each.
  void update(bool overflow);
  /// Goes on where another run was, if this one's is dynamic too.
  void restore(double value, int64_t good) {
    if (dynamic)
      scale = value, goodSteps = good;
  }
  /// Steps without overflow since the last change.
  int64_t good() const { return goodSteps; }

private:
  bool dynamic;
  double scale;
  int64_t goodSteps = 0;
};

/// The factor that a run of the executable begins with. Throws bad input if it
/// is to be dynamic and the executable does not report overflows.
LossScale makeLossScale(const format::Executable &executable,
                        const UpdateSettings &settings);

/// Hyper of executable.proto, as it goes into the arena. `updates` is the
/// number of updates made before this step.
std::vector<float> hyperparameters(const format::Executable &executable,
                                   const UpdateSettings &settings,
                                   double learningRate, double lossScale,
                                   int64_t updates);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_TRAIN_SCHEDULE_H
