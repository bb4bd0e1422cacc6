// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seconds and bytes of a sharding of the step on a machine, from the IR at
// global shapes: nothing is written. What compilation makes of it later
// (kernels, their order, the places of buffers) is estimated; the report's
// figures come from the program itself.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_STEPCOST_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_STEPCOST_H

#include "compiler/planning/CostModel.h"
#include "passes/Distribute/Place/OpWork.h"
#include "passes/Distribute/Place/PlacedStep.h"
#include <map>
#include <memory>
#include <optional>

namespace zcc::dist {

// What a device keeps less for the backward pass if it computes more again.
struct ResidualCurve {
  struct Point {
    double saved = 0;   // bytes, of a microbatch
    double kept = 0;    // of what could be computed again
    double seconds = 0; // of a step, more
  };
  std::vector<Point> points; // seconds ascending
};

class StepCost {
public:
  StepCost(mlir::Block &block, const MeshAxes &mesh,
           const planning::CostModel &model);

  // Of the arithmetic of an op, all microbatches.
  double seconds(mlir::Operation *op, const OpSharding &sharding) const;
  // Of what its devices exchange while it runs: halos, blocks of rings.
  // `visit`, if given, gets each and its seconds.
  double edgeSeconds(
      mlir::Operation *op, const OpSharding &sharding,
      llvm::function_ref<void(const planning::Collective &, double seconds)>
          visit = nullptr) const;
  // Of bringing a value from one placement to another, all microbatches;
  // infinity where that cannot be.
  double moveSeconds(mlir::Value v, const Placement &from,
                     const Placement &to) const {
    return timesOf(to) * moveOf(v, from, to).seconds;
  }
  // How often a step does what is placed so.
  double timesOf(const Placement &placement) const {
    return usesTime(placement) ? microbatches : 1;
  }
  double numMicrobatches() const { return microbatches; }
  // Whether links move bytes while devices compute.
  bool overlaps() const { return model.overlaps(); }
  // Bytes that a device holds.
  double localBytes(mlir::Value v, const Placement &placement) const;
  // Whether the backward pass reads `v`, a value of the forward pass.
  static bool isResidual(mlir::Value v);

  // Of an argument that uses want elsewhere than it is stored.
  struct Gathers {
    double first = 0, again = 0; // seconds: once, and by every other task
    double bytes = 0;            // of a device, of what is moved again
  };
  Gathers gathersOf(const PlacedStep &placed, mlir::Value argument) const;

  // What memory planning finds, over what is estimated.
  struct MemoryScale {
    double state = 1, gradients = 1, residuals = 1, largest = 1;
    // Of seconds of a step, where this share of its arithmetic is computed
    // again; less of it, less.
    double recomputing = 1, recomputed = 1;
  };
  struct Figures {
    double compute = 0, communication = 0; // seconds
    // Of communication: of parameters and gradients, that may run beside
    // computation.
    double loose = 0;
    // Of the rest of communication: on the links that this takes.
    double inWay = 0;
    // Bytes of a device.
    double state = 0, gradients = 0, residuals = 0, largest = 0;
    // What gathered parameters would take if all were kept, of which that is
    // not decided, and the seconds of gathering them again.
    double keptBytes = 0, keptSeconds = 0;
    // Of communication, about: for parameters whose rows are gathered.
    double tables = 0;
    // Operations: of the model, those that devices repeat, on padding.
    double model = 0, repeated = 0, padding = 0;

    double kept = 0; // of the residuals: of gathered parameters
    // Where not all residuals can be kept.
    std::shared_ptr<const ResidualCurve> curve;
    std::optional<ResidualCurve::Point> recomputed;
    // Of a stage of a pipeline, where the others are of one: microbatches of
    // the whole step that it holds residuals of, and seconds of a step for a
    // second of all that microbatches compute.
    struct Pipeline {
      double held = 1, slow = 1;
    } pipeline;
    MemoryScale scale;  // of the estimates of bytes
    double planned = 0; // what memory planning found instead; 0: not known
    double plannedSeconds = 0; // likewise of overlapped()
    Figures scaled(const MemoryScale &by) const {
      Figures figures = *this;
      figures.scale = by;
      return figures;
    }

    double seconds() const { return compute + communication; }
    // If what is loose runs beside as much of the rest as can be expected.
    double overlapped() const {
      if (plannedSeconds > 0)
        return plannedSeconds;
      constexpr double share = 0.9;
      double rest = seconds() - loose;
      return slowed(rest + std::max(loose - share * (rest - inWay), 0.0));
    }
    double slowed(double seconds) const {
      double share = std::min(recomputedShare() / scale.recomputed, 1.0);
      return (1 + (scale.recomputing - 1) * share) * seconds;
    }
    // Of what is computed, what is again.
    double recomputedShare() const {
      return recomputed ? recomputedSeconds() / compute : 0;
    }
    double recomputedSeconds() const {
      return recomputed ? pipeline.slow * recomputed->seconds : 0;
    }
    // How much of the model's work is done, what is repeated included.
    double repeats() const { return model > 0 ? 1 + repeated / model : 1; }
    // All that is done, likewise.
    double executed() const {
      return repeats() + (model > 0 ? padding / model : 0);
    }
    // What `seconds`, of a step that is like this, count where plans are
    // compared: what is repeated grows with the model, and what a division
    // costs a small one, latencies, does not.
    double charge(double seconds) const {
      return repeats() > 1 + mostRepeated ? repeats() * seconds : seconds;
    }
    double charged() const { return charge(overlapped()); }
    double bytes() const {
      if (planned > 0)
        return planned + scale.residuals * kept;
      return scale.state * state + scale.gradients * gradients +
             scale.residuals * (residuals - saved()) + scale.largest * largest;
    }
    // What may be kept of what could be computed again, of a microbatch;
    // negative: all.
    double residualBytes() const { return recomputed ? recomputed->kept : -1; }
    double saved() const { return recomputed ? savedAt(*recomputed) : 0; }
    double savedAt(const ResidualCurve::Point &point) const {
      return pipeline.held * point.saved;
    }
    // With as much computed again as must be for `memory` bytes, or saves most.
    Figures withRecomputed(double memory) const {
      Figures figures = *this;
      if (!curve || planned > 0)
        return figures;
      for (const ResidualCurve::Point &point : curve->points) {
        if (figures.bytes() <= memory)
          break;
        if (savedAt(point) > figures.saved() && savedAt(point) < residuals) {
          figures.recomputed = point;
          figures.compute = compute + pipeline.slow * point.seconds;
        }
      }
      return figures;
    }
    // With as much kept as `memory` bytes leave room for.
    Figures withKept(double memory) const {
      Figures figures = *this;
      double room = memory - bytes();
      if (room > 0 && keptBytes > 0) {
        double share = std::min(1.0, room / (scale.residuals * keptBytes));
        figures.kept = share * keptBytes;
        figures.residuals += figures.kept;
        figures.communication -= share * keptSeconds;
        figures.loose = std::max(0.0, loose - share * keptSeconds);
        figures.keptBytes = figures.keptSeconds = 0;
      }
      return figures;
    }
  };
  Figures measure(const PlacedStep &placed) const;

private:
  // What bringing a value somewhere is made of, once.
  struct Move {
    double seconds = 0;
    llvm::SmallVector<planning::Collective, 1> messages;
  };
  class Buckets;

  bool usesTime(const Placement &placement) const;
  const Move &moveOf(mlir::Value v, const Placement &from,
                     const Placement &to) const;
  double looseSeconds(mlir::Value v, const Placement &from,
                      const Placement &to) const;

  mlir::Block &block;
  const MeshAxes &mesh;
  const planning::CostModel &model;
  double microbatches = 1;
  llvm::DenseSet<mlir::Value> tables; // parameters whose rows are gathered
  // Of moves that were asked for before.
  mutable std::map<std::vector<int64_t>, Move> known;
};

} // namespace zcc::dist

#endif
