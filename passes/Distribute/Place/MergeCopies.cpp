// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges ops that compute the same in the same place: the first one serves the
// readers of all. These are copies that were made so that they could be placed
// apart, and were not. It is common subexpression elimination within a part of
// the step.
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "passes/Distribute/Distribute.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc {
using namespace mlir;
#define GEN_PASS_DEF_MERGECOPIES
#include "passes/Distribute/Passes.h.inc"

namespace {
// Ops are equal if they differ only in their locations.
struct SameOp : DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op),
        OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getTombstoneKey() || a == getEmptyKey() ||
        b == getTombstoneKey() || b == getEmptyKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(a), const_cast<Operation *>(b),
        OperationEquivalence::IgnoreLocations);
  }
};

struct MergeCopies : impl::MergeCopiesBase<MergeCopies> {
  using MergeCopiesBase::MergeCopiesBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      DenseSet<Operation *, SameOp> first;
      for (Operation &op :
           llvm::make_early_inc_range(func.getBody().front())) {
        // Reshards are merged by MergeCollectives.cpp.
        if (!isa<train::TrainDialect>(op.getDialect()) || !isPure(&op))
          continue;
        auto [same, isNew] = first.insert(&op);
        if (isNew)
          continue;
        op.replaceAllUsesWith(*same);
        op.erase();
      }
    }
  }
};
} // namespace
} // namespace zcc
