// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serializes functions of train ops as programs, which runtime/reference
// interprets. Each op has its name, its operands and its attributes; no op is
// treated specially.
#ifndef ZCC_COMPILER_REFERENCE_PROGRAM_H
#define ZCC_COMPILER_REFERENCE_PROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/format/executable.pb.h"

namespace zcc {

/// Builds the program of a function with one block. Errors are reported at ops
/// that are not of the dialect, or that have a type or an attribute that
/// programs cannot express.
mlir::FailureOr<rt::format::Program> buildProgram(mlir::func::FuncOp function);

/// Builds the program of one op. The arguments are its operands (one each, even
/// if two are the same value), the results its results.
mlir::FailureOr<rt::format::Program> buildProgram(mlir::Operation *op);

} // namespace zcc

#endif
