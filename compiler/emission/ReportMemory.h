// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a planned stage, for the report.
#ifndef ZCC_COMPILER_EMISSION_REPORTMEMORY_H
#define ZCC_COMPILER_EMISSION_REPORTMEMORY_H

#include "compiler/emission/Report.h"
#include "dialects/Dist/Dist.h"
#include "passes/Memory/Timeline.h"

namespace zcc {

/// The bytes in use from a tick of the timeline until that of the next level.
struct MemoryLevel {
  int64_t tick = 0;
  MemoryShares bytes;
};
/// Returns one level for each tick at which a live range begins or ends,
/// ascending.
std::vector<MemoryLevel> readLevels(const StageTimeline &timeline,
                                    MemorySpace memory = MemorySpace::Device);

/// A buffer of a timeline, and its index there.
struct LargeBuffer {
  unsigned index = 0;
  LargeValue value;
};
/// Returns at most `most` buffers that are live at the tick, largest first.
std::vector<LargeBuffer> findLargest(const StageTimeline &timeline,
                                     int64_t tick, size_t most,
                                     MemorySpace memory = MemorySpace::Device);

/// Values of one category and size whose names differ only in numbers, as one;
/// at most `most` such groups, those of most bytes first.
std::vector<LargeValues> groupLargest(llvm::ArrayRef<LargeValue> values,
                                      size_t most);

/// Says if a report lists the values that are live at the peak. A search that
/// only compares peaks does not read them.
enum class MemoryDetail { Totals, Largest };

/// By stage, by its line of time; empty if nothing is planned.
mlir::FailureOr<std::vector<MemoryReport>>
readMemory(mlir::ModuleOp module, MemoryDetail detail = MemoryDetail::Largest);
/// Returns the first stage with the largest peak; null if there are no stages.
const MemoryReport *findWorst(llvm::ArrayRef<MemoryReport> stages);

} // namespace zcc

#endif
