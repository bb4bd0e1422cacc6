// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates seconds and bytes of a sharded step on a machine, from the IR at
// global shapes. It writes nothing. Later compilation (kernels, their order,
// the places of buffers) is only estimated; the figures of the report come from
// the program itself.
#ifndef ZCC_PASSES_DISTRIBUTE_ESTIMATE_STEPCOST_H
#define ZCC_PASSES_DISTRIBUTE_ESTIMATE_STEPCOST_H

#include "passes/Distribute/Sharding/OpWork.h"
#include "passes/Distribute/Sharding/PlacedStep.h"
#include "planning/CostModel.h"
#include <map>
#include <memory>
#include <optional>

namespace zcc::distribute {

// The memory that a device saves if it computes more of the forward pass again
// for the backward pass.
struct ResidualCurve {
  struct Point {
    double saved = 0;   // bytes of a microbatch
    double kept = 0;    // bytes that are kept of what could be computed again
    double seconds = 0; // more seconds of a step
  };
  std::vector<Point> points; // seconds ascending
};

class StepCost {
public:
  StepCost(mlir::Block &block, const MeshAxes &mesh,
           const planning::CostModel &model);

  // Returns the seconds of an op's arithmetic, over all microbatches.
  double seconds(mlir::Operation *op, const OpSharding &sharding) const;
  // Returns the seconds of the messages that an op's devices exchange while it
  // runs: halos, and blocks of rings. `visit`, if given, is called for each
  // message with its seconds.
  double edgeSeconds(
      mlir::Operation *op, const OpSharding &sharding,
      llvm::function_ref<void(const planning::Collective &, double seconds)>
          visit = nullptr) const;
  // Returns the seconds of moving a value from one placement to another, over
  // all microbatches; infinity if that is impossible.
  double moveSeconds(mlir::Value v, const Placement &from,
                     const Placement &to) const {
    return timesOf(to) * moveOf(v, from, to).seconds;
  }
  // Returns how often a step runs an op with this placement.
  double timesOf(const Placement &placement) const {
    return usesTime(placement) ? microbatches : 1;
  }
  double numMicrobatches() const { return microbatches; }
  // Returns true if links move bytes while devices compute.
  bool overlaps() const { return model.overlaps(); }
  // Returns the bytes of the value that a device holds.
  double localBytes(mlir::Value v, const Placement &placement) const;
  // Returns true if `v` is a value of the forward pass that the backward pass
  // reads.
  static bool isResidual(mlir::Value v);

  // The gathers of an argument that is used in another placement than it is
  // stored in.
  struct Gathers {
    // seconds: of the first, of those by all other tasks
    double first = 0, again = 0;
    // of a device, of what is gathered more than once
    double bytes = 0;
  };
  Gathers gathersOf(const PlacedStep &placed, mlir::Value argument) const;

  // The ratios of what memory planning finds to the estimates.
  struct MemoryScale {
    double state = 1, gradients = 1, residuals = 1, largest = 1;
    // The ratio of the seconds of a step in which this share of the arithmetic
    // is computed again. If a smaller share is, the seconds grow less.
    double recomputing = 1, recomputed = 1;
  };
  struct Figures {
    double compute = 0, communication = 0; // seconds
    // Seconds of the communication of parameters and gradients, which may run
    // beside computation.
    double loose = 0;
    // Seconds of the other communication that uses the links of `loose`.
    double inWay = 0;
    // Bytes of a device.
    double state = 0, gradients = 0, residuals = 0, largest = 0;
    // For parameters for which it is open whether they are kept once gathered:
    // the bytes of keeping all, and the seconds of gathering them again.
    double keptBytes = 0, keptSeconds = 0;
    // Seconds of communication, about, for parameters whose rows are gathered.
    double tables = 0;
    // Numbers of operations: those of the model, those that devices repeat, and
    // those on padding.
    double model = 0, repeated = 0, padding = 0;

    double kept = 0; // bytes of the residuals that are gathered parameters
    // The choices to compute residuals again, and the point that was taken.
    // Null and empty if all residuals can be kept.
    std::shared_ptr<const ResidualCurve> curve;
    std::optional<ResidualCurve::Point> recomputed;
    // For a stage of a pipeline, where the other figures are of one device: for
    // how many microbatches it holds residuals (relative to those of the whole
    // step), and how many seconds a step takes for each second of computation
    // of all microbatches.
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
    // Returns the seconds of a step if as much of `loose` as can be expected
    // runs beside the rest.
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
    // Returns the share of all computation that is done again.
    double recomputedShare() const {
      return recomputed ? recomputedSeconds() / compute : 0;
    }
    double recomputedSeconds() const {
      return recomputed ? pipeline.slow * recomputed->seconds : 0;
    }
    // Returns how often the model's work is done, with that which is repeated.
    double repeats() const { return model > 0 ? 1 + repeated / model : 1; }
    // Returns how often the model's work is done, with all that is repeated or
    // padded.
    double executed() const {
      return repeats() + (model > 0 ? padding / model : 0);
    }
    // Returns what `seconds` of such a step count when plans are compared.
    // Repeated work counts extra: it grows with the model, while the latencies
    // that a division costs a small model do not.
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
    // Returns the bytes of a microbatch that may be kept of what could be
    // computed again; negative: all.
    double residualBytes() const { return recomputed ? recomputed->kept : -1; }
    double saved() const { return recomputed ? savedAt(*recomputed) : 0; }
    double savedAt(const ResidualCurve::Point &point) const {
      return pipeline.held * point.saved;
    }
    // Returns the figures with as much computed again as is needed to fit into
    // `memory` bytes, or as saves the most.
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
    // Returns the figures with as many gathered parameters kept as `memory`
    // bytes leave room for.
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
  // The messages of moving a value once, and their seconds.
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
  // Moves that were asked for before.
  mutable std::map<std::vector<int64_t>, Move> known;
};

} // namespace zcc::distribute

#endif
