// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides where a model is cut into the parts of a pipeline. The model is a
// sequence of pieces; between any two of them there is a cost of sending data
// across a cut. A part is a chunk of a stage; the slowest one sets the pace of
// all (PipeDream, SOSP'19, section 3.1). If memory is short, a part recomputes
// residuals that it cannot keep, as many as its place in the schedule requires
// (as in DAPPLE and Megatron, earlier stages hold more microbatches). A cut
// with parts that cannot fit is used only if there is no other.

#ifndef ZCC_PLANNING_STAGECUT_H
#define ZCC_PLANNING_STAGECUT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace zcc::planning {

/// For each part the index behind its last piece. The indices ascend; the last
/// one is the number of pieces.
using StageCut = std::vector<size_t>;

struct StageCutProblem {
  struct Piece {
    double seconds = 0;        // per microbatch, forward and backward
    double sentBytes = 0;      // sent by a cut behind it
    double sentSeconds = 0;    // of sending these, forward and back
    int64_t stage = -1;        // the stage that it must be on; -1: any
    double againSeconds = 0;   // of repeating its forward pass
    double temporaryBytes = 0; // while it is computed
  };
  std::vector<Piece> pieces;
  /// The stage of each part, in the model's order.
  std::vector<int64_t> stages;

  /// Bytes that a part holds if it has at least one of these pieces.
  struct Held {
    enum Time {
      Step,       // once
      Microbatch, // for each microbatch in flight in the part
      Again,      // likewise, unless it is computed again
    };
    double bytes = 0;
    std::vector<size_t> pieces; // ascending
    Time time = Step;
  };
  std::vector<Held> held;
  /// The cost of recomputation: to save a share of the bytes held as Again
  /// costs a share of `againSeconds`. Both ascend; the curve is linear between
  /// points and begins at (0, 0).
  struct AgainPoint {
    double bytes = 0, seconds = 0;
  };
  std::vector<AgainPoint> again = {{1, 1}};
  /// By part: the number of microbatches in flight in it.
  std::vector<double> microbatches;
  /// The bytes of a device, which the parts of its stage share equally; 0: no
  /// limit.
  double memory = 0;
};

/// The memory that a part needs, in bytes of a device.
struct PartMemory {
  double least = 0; // if everything that may be is computed again
  double again = 0; // the bytes that this saves
};
/// Returns true if every part fits without recomputation.
bool fitsAsItIs(const StageCutProblem &problem, const StageCut &cut);
PartMemory findMemory(const StageCutProblem &problem, const StageCut &cut,
                      size_t part);

/// Returns the stages of the parts in the model's order: chunk 0 of all stages
/// in turn, then chunk 1, ... `goesBack`: every second chunk goes from the last
/// stage to the first (see makeChain()).
std::vector<int64_t> listParts(int64_t stages, int64_t chunks, bool goesBack);

/// Returns the seconds of the slowest part, with its transfers and with the
/// recomputation that its memory requires.
double slowestPart(const StageCutProblem &problem, const StageCut &cut);

/// Finds a cut. It considers the cuts whose parts fit with full recomputation,
/// or, if there are none, those that exceed the memory least. Among these it
/// takes the cuts whose slowest part takes at most `slack` (relative) longer
/// than that of the best one, and of these the one that sends the fewest bytes.
/// Ties go to the first cut, or, if memory is short, to the most even one. The
/// search is exact for up to 1024 places to cut; of more, it considers in each
/// 1024th of the time the place that sends least. Returns an error text, or "".
[[nodiscard]] std::string cutStages(const StageCutProblem &problem,
                                    StageCut &cut, double slack = 0.02);

/// Returns "" if every part has a piece and every piece is on the stage that it
/// must be on; else what is wrong.
[[nodiscard]] std::string verifyStageCut(const StageCutProblem &problem,
                                         const StageCut &cut);

} // namespace zcc::planning

#endif // ZCC_PLANNING_STAGECUT_H
