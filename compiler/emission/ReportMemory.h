// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a planned stage, for the report.
#ifndef ZCC_COMPILER_EMISSION_REPORTMEMORY_H
#define ZCC_COMPILER_EMISSION_REPORTMEMORY_H

#include "compiler/emission/Report.h"
#include "dialects/Dist/Dist.h"
#include "passes/Memory/Timeline.h"

namespace zcc {

/// What is in use from a tick of the line of time on, until the next level's.
struct MemoryLevel {
  int64_t tick = 0;
  MemoryShares bytes;
};
/// One for each tick at which something begins or ends, ascending.
std::vector<MemoryLevel> readLevels(const StageTimeline &timeline,
                                    Memory memory = Memory::Device);

/// A buffer of a line of time, by its index there.
struct LargeBuffer {
  unsigned index = 0;
  LargeValue value;
};
/// At most `most` of those that are live at the tick, largest first.
std::vector<LargeBuffer> findLargest(const StageTimeline &timeline,
                                     int64_t tick, size_t most,
                                     Memory memory = Memory::Device);

/// By stage, by its line of time; empty if nothing is planned.
mlir::FailureOr<std::vector<MemoryReport>> readMemory(mlir::ModuleOp module);
/// The first of those with the largest peak; null if there is none.
const MemoryReport *findWorst(llvm::ArrayRef<MemoryReport> stages);

} // namespace zcc

#endif
