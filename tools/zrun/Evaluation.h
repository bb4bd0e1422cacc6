// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss on held-out data while a run trains: a forward program of the same
// model, with arenas of its own, gets the current parameters every few steps.

#ifndef ZCC_TOOLS_ZRUN_EVALUATION_H
#define ZCC_TOOLS_ZRUN_EVALUATION_H

#include "runtime/data/BatchSource.h"
#include "runtime/data/MoveParameters.h"
#include "runtime/format/executable.pb.h"
#include "runtime/train/Trainer.h"
#include "tools/zrun/Log.h"
#include "tools/zrun/Options.h"

namespace zcc::rt {

class Evaluation {
public:
  /// Reads the program and opens its data; throws bad input where they do not
  /// fit what is trained. Null without --eval-executable. `executable` outlives
  /// it. `steps` is the number of training steps in all.
  static std::unique_ptr<Evaluation> open(const format::Executable &executable,
                                          const Options &options,
                                          const TrainerSettings &settings,
                                          int64_t steps, const Say &note);

  /// Allocates. `trainer` runs the trained program, and outlives it.
  void prepare(Trainer &trainer);

  bool isDue(int64_t step) const { return step % every == 0; }
  /// Runs all batches and adds the means of loss and metrics, as "eval_loss"
  /// and so on, to a line of the log. To be called by all processes. Ends
  /// early, with nothing to say, if `stops` says so between two batches.
  void run(JsonLine &line, const std::function<bool()> &stops);

  RankHost &program() { return evaluated->ranks(); }
  /// The loss of the last run().
  std::optional<double> loss() const { return lastLoss; }

private:
  Evaluation() = default;

  const format::Executable *trainedExecutable = nullptr;
  format::Executable executable;
  ParameterValues values = ParameterValues::Trained; // that are evaluated
  std::unique_ptr<ParameterMove> move;
  std::unique_ptr<BatchSource> source;
  int64_t every = 0, batches = 0;
  Trainer *trained = nullptr;
  std::unique_ptr<Trainer> evaluated;
  std::optional<double> lastLoss;
};

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_EVALUATION_H
