// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of train ops as programs, which runtime/reference interprets: each
// op with its name, its operands and its attributes, whatever op it is.
#ifndef ZCC_COMPILER_REFERENCE_PROGRAM_H
#define ZCC_COMPILER_REFERENCE_PROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/format/executable.pb.h"

namespace zcc {

/// Of a function of one block. Errors are reported at ops: one that is not of
/// the dialect, or has a type or an attribute that programs have no form for.
mlir::FailureOr<rt::format::Program> buildProgram(mlir::func::FuncOp function);

/// Of one op: its operands are the arguments (one each, also where two are the
/// same value), its results the results.
mlir::FailureOr<rt::format::Program> buildProgram(mlir::Operation *op);

} // namespace zcc

#endif
