// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accumulators of one reduce or arg_reduce inside a kernel.
#ifndef ZCC_COMPILER_CODEGEN_REDUCTION_H
#define ZCC_COMPILER_CODEGEN_REDUCTION_H

#include "compiler/codegen/ElementEmitter.h"

namespace zcc {

// One vector of accumulators. Sums and products are combined in the order of
// the calls. Maxima and minima of floats keep NaN apart, so that the chain is
// one instruction; arg_reduce keeps the best value and its index.
class Accumulator {
public:
  Accumulator(KernelBuilder &kernel, mlir::Operation *reduction);

  // Resets the accumulator to the identity.
  void reset();
  // Adds `x`; lanes not in `mask` (may be null) are unchanged. `position` is
  // the index along the reduced dim, for arg_reduce only, in the vector index
  // type.
  void add(llvm::Value *x, llvm::Value *position, llvm::Value *mask);
  // Combines with another accumulator, whose elements come after these.
  void add(const Accumulator &other);
  // Returns the state: one or two values. Another accumulator of the same
  // reduction, in another thread, may take them by set(), or combine with them
  // by add() as those that come after.
  llvm::SmallVector<llvm::Value *, 2> values() const;
  void set(llvm::ArrayRef<llvm::Value *> values);
  void add(llvm::ArrayRef<llvm::Value *> values);
  // Returns the result of each lane, in register form of the result's type.
  llvm::Value *lanes();
  // Combines 16 lanes, those of this and (with vectors of 8) of `second`, by
  // the tree of train.reduce. Returns a scalar.
  llvm::Value *tree(Accumulator *second);

private:
  struct State {
    llvm::Value *value, *extra; // extra: NaN marks, or indices, or null
  };
  enum class Kind { Plain, Extreme, Arg };
  State load() const;
  void store(State s);
  State combine(State a, State b);
  State slice(State s, unsigned from, unsigned count);
  llvm::Value *finish(State s);
  llvm::Value *better(llvm::Value *a, llvm::Value *b);

  KernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  mlir::Operation *op;
  train::ReduceKind kind;
  mlir::Type element; // of the operand
  Kind form;
  bool isFloat;
  llvm::AllocaInst *value, *extra = nullptr;
};

} // namespace zcc

#endif
