// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exec dialect: buffers, launches, collectives, tasks. See ExecOps.td.
#ifndef ZCC_DIALECTS_EXEC_EXEC_H
#define ZCC_DIALECTS_EXEC_EXEC_H

#include "dialects/Dist/Dist.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Exec/ExecDialect.h.inc"
#include "dialects/Exec/ExecEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Exec/ExecTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Exec/ExecOps.h.inc"

namespace zcc::exec {
// On a func.func (unit): it is a kernel.
inline constexpr llvm::StringLiteral kernelAttrName = "exec.kernel";
// On a kernel (string): the name of the library function that computes it.
inline constexpr llvm::StringLiteral libraryAttrName = "exec.library";
} // namespace zcc::exec

#endif
