// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which sets of ops can form one kernel. A kernel is a DAG of pure
// train ops from inputs to outputs; the code generator supports these forms:
//
// Loop: every output has as many elements as every other; the ops are
//   elementwise, movement (IndexContext::isMovement), constant, iota, update.
// Row: one or more reduce / arg_reduce ops over the same trailing-dim-inclusive
//   dims of one iteration shape (the last dim is reduced), with Loop ops
//   before, between and after; an output has the elements of the iteration
//   shape or of the reduced shape. Values between reductions may depend on
//   earlier ones, read at the same place of the kept dims.
// Column: as Row, where the last dim is not reduced.
// Squares: one sum_of_squares, Loop ops before it; its result is the output.
// Dot, Convolution: exactly one dot_general (convolution). Its operands come
//   from Loop ops; its result goes, through elementwise ops and
//   index-preserving or permuting movement (reshape, transpose), to outputs of
//   as many elements as itself.
// Special: exactly one scatter, cumulative, sort, reduce_window or
//   select_and_scatter whose operands are inputs or splat constants; or one
//   attention or attention_gradient whose operands are inputs, read at strides
//   through reshapes, transposes, slices and broadcasts; `kept` may come from
//   Loop ops.
#ifndef ZCC_COMPILER_CODEGEN_KERNELFORM_H
#define ZCC_COMPILER_CODEGEN_KERNELFORM_H

#include "dialects/Train/Attention.h"
#include "dialects/Train/ElementIndex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc::codegen {

struct KernelForm {
  enum Kind { Loop, Row, Column, Squares, Dot, Convolution, Special };
  Kind kind = Loop;
  // The product, convolution or special op, or the first reduction; null for
  // other forms.
  mlir::Operation *root = nullptr;
  // The elementary operations of one execution, with transcendental functions
  // weighted. Values that are computed several times count as often: compare
  // the sum of the parts with the whole before fusing. Products are not
  // counted.
  double work = 0;
};

// The ops of a kernel function without its terminator, and the values that it
// returns.
struct KernelBody {
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> outputs;
};
// Returns nullopt if the function has no body or more than one block.
std::optional<KernelBody> getKernelBody(mlir::func::FuncOp kernel);

// Returns the form of the DAG `ops` with the results `outputs`; nullopt if it
// is not a legal kernel. The ops may be in any order; their operands are
// results of ops in the set, or inputs. `why`, if given, gets the reason in a
// few words.
std::optional<KernelForm> classifyKernel(llvm::ArrayRef<mlir::Operation *> ops,
                                         llvm::ArrayRef<mlir::Value> outputs,
                                         std::string *why = nullptr);
// Returns the form of a kernel function.
std::optional<KernelForm> classifyKernel(mlir::func::FuncOp kernel,
                                         std::string *why = nullptr);

// Returns in a few words the arithmetic of `op` that no kernel supports, or "".
std::string findLacking(mlir::Operation *op);

llvm::StringRef stringifyKernelForm(KernelForm::Kind kind);

// The iteration space of the reductions of a Row or Column kernel.
//
// Row: the kept dims are one variable `kept`. `last`, along which vectors run,
// is the reduced dims at the end of the shape. It is the last dim alone if that
// dim decides which lane of a sum adds an element. `outerReduced` is the other
// reduced dims. Column: the reduced dims are `outerReduced`. `last`, along
// which vectors run, is the kept dims at the end of the shape and `kept` the
// others; if `last` would be shorter than 8, it is all kept dims.
struct ReduceDomain {
  bool column = false;
  const train::IndexVar *kept = nullptr, *outerReduced = nullptr,
                        *last = nullptr;
  train::IndexExpr keptLinear; // position in the reduced shape
  train::IndexExpr fullLinear; // position in the operand's shape
  // Returns the index of the element of `reduction`'s operand for these
  // variables.
  train::ElementIndex operandIndex(train::IndexContext &context,
                                   mlir::Operation *reduction) const;
};
// Returns nullopt if the reductions do not share a domain.
std::optional<ReduceDomain>
getReduceDomain(train::IndexContext &context,
                llvm::ArrayRef<mlir::Operation *> reductions);

// Returns the index of the element of `v`, a mask or bias, that belongs to a
// score; `batch` is the linear number of the batch.
train::ElementIndex scoreIndex(train::IndexContext &context,
                               const train::Attention &attention, mlir::Value v,
                               const train::IndexVar *batch,
                               const train::IndexVar *head,
                               const train::IndexVar *query,
                               const train::IndexVar *key);

bool isReduction(mlir::Operation *op); // reduce or arg_reduce

// The reduced dims of a reduce or arg_reduce.
llvm::SmallVector<int64_t> reducedDims(mlir::Operation *reduction);

} // namespace zcc::codegen

#endif
