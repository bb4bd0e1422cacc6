// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a planned stage, for the report.
#ifndef ZCC_COMPILER_EMISSION_REPORTMEMORY_H
#define ZCC_COMPILER_EMISSION_REPORTMEMORY_H

#include "compiler/emission/Report.h"
#include "dialects/Dist/Dist.h"

namespace zcc {

/// Reads the stage's line of time.
mlir::FailureOr<MemoryReport> readMemory(mlir::ModuleOp module,
                                         dist::ScheduleOp table);

} // namespace zcc

#endif
