// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a model is cut into the parts of a pipeline: a row of pieces that keep
// their order, and between any two of them what a cut there sends. A part is a
// chunk of a stage; the slowest one sets the pace of all (PipeDream, SOSP'19,
// section 3.1). Where memory is short a part computes again what it cannot keep
// for its backward pass, as much as its place in the schedule asks for (DAPPLE
// and Megatron hold more microbatches on earlier stages), and parts that cannot
// fit are no cut if there is another.

#ifndef ZCC_PLANNING_STAGECUT_H
#define ZCC_PLANNING_STAGECUT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace zcc::planning {

/// Of each part the index behind its last piece; ascending, the last is the
/// number of pieces.
using StageCut = std::vector<size_t>;

struct StageCutProblem {
  struct Piece {
    double seconds = 0;     // of a microbatch, forward and backward
    double sentBytes = 0;   // by a cut behind it
    double sentSeconds = 0; // of those, forward and back
    int64_t stage = -1;     // that it must be on; -1: any
    double againSeconds = 0;   // of its forward pass, once more
    double temporaryBytes = 0; // while it is computed
  };
  std::vector<Piece> pieces;
  /// The stage of each part, in the model's order.
  std::vector<int64_t> stages;

  /// What a part holds that has one of these pieces.
  struct Held {
    enum Time {
      Step,       // once
      Microbatch, // for each microbatch that the part has at a time
      Again,      // likewise, if it is not computed again
    };
    double bytes = 0;
    std::vector<size_t> pieces; // ascending
    Time time = Step;
  };
  std::vector<Held> held;
  /// What is computed again for a share of the bytes that this spares: a share
  /// of `againSeconds`. Both ascend; linear between points, from 0 at 0.
  struct AgainPoint {
    double bytes = 0, seconds = 0;
  };
  std::vector<AgainPoint> again = {{1, 1}};
  /// By part: microbatches that it has at a time.
  std::vector<double> microbatches;
  /// Bytes of a device, of which each part has an equal share; 0: no limit.
  double memory = 0;
};

/// What a part needs, in bytes of a device.
struct PartMemory {
  double least = 0; // if all is computed again that may be
  double again = 0; // what that saves
};
/// Whether every part fits that computes nothing again.
bool fitsAsItIs(const StageCutProblem &problem, const StageCut &cut);
PartMemory findMemory(const StageCutProblem &problem, const StageCut &cut,
                      size_t part);

/// The stages of the parts in the model's order: chunk 0 of all stages in turn,
/// then chunk 1, ...; `goesBack`: every second chunk from the last stage to the
/// first (see makeChain()).
std::vector<int64_t> listParts(int64_t stages, int64_t chunks, bool goesBack);

/// Seconds of the slowest part, with what it sends and gets, and what it has to
/// compute again if it can.
double slowestPart(const StageCutProblem &problem, const StageCut &cut);

/// Of the cuts whose parts fit, if all that may be is computed again, or if
/// there are none of those that exceed the memory by least, those whose slowest
/// part takes at most `slack` longer than that of the best; of these the one
/// that sends the fewest bytes; of equals the first, or where memory is short
/// the most even. Exact, but of more than 1024 places that is one of each 1024th
/// of the time, where least is sent. An error text, or empty.
[[nodiscard]] std::string cutStages(const StageCutProblem &problem,
                                    StageCut &cut, double slack = 0.02);

/// Empty if every part has a piece and every piece is on the stage that it must
/// be on; else what is wrong.
[[nodiscard]] std::string verifyStageCut(const StageCutProblem &problem,
                                         const StageCut &cut);

} // namespace zcc::planning

#endif // ZCC_PLANNING_STAGECUT_H
