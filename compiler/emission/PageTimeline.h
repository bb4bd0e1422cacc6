// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The predicted timeline in a form that stays small: for each stream of a
// rank, spans as columns of integers.
#ifndef ZCC_COMPILER_EMISSION_PAGETIMELINE_H
#define ZCC_COMPILER_EMISSION_PAGETIMELINE_H

#include "compiler/simulator/Prediction.h"

namespace zcc {

/// One or several spans that follow each other on a stream.
struct LaneSpan {
  const PredictedSpan *longest = nullptr;
  double begin = 0, end = 0; // seconds
  double busy = 0;           // seconds
  int64_t count = 0;
};

struct Lane {
  int64_t rank = 0, stream = 0;
  std::vector<LaneSpan> spans; // ascending
};

struct Lanes {
  std::vector<Lane> lanes; // by rank and stream
  /// Spans below this length are joined with their neighbors; 0: none is.
  double shortest = 0;
};

/// Returns the spans by rank and stream. If there are more than `most`, short
/// ones that follow each other are joined until there are no more than that.
Lanes gatherLanes(llvm::ArrayRef<PredictedSpan> spans, size_t most);

/// Returns the lanes as JSON. Times are whole nanoseconds; a span's begin is
/// relative to the end of the one before.
std::string writeLanes(const Lanes &lanes);

} // namespace zcc

#endif
