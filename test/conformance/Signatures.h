// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The features of a backend that a planned program needs, a line each: an op
// with its element types in a kernel of a form ("kernel dot: dot_general bf16
// bf16 -> f32"), or a step ("step all_reduce add f32").
#ifndef ZCC_TEST_CONFORMANCE_SIGNATURES_H
#define ZCC_TEST_CONFORMANCE_SIGNATURES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <set>
#include <string>

namespace zcc::conformance {

using Signatures = std::set<std::string>;

/// The signatures of a kernel, with the forms of the target `cpu`.
Signatures signaturesOf(mlir::func::FuncOp kernel);
/// The signatures of the steps of a module in phase `planned`.
Signatures stepSignaturesOf(mlir::ModuleOp module);

} // namespace zcc::conformance

#endif
