// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives ops keys that follow from what they compute, not from where they stand:
// a choice between equals must not depend on the order of ops and arguments.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_OPKEYS_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_OPKEYS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace zcc::distribute {

class OpKeys {
public:
  // Takes time linear in the block and in the length of its attributes.
  explicit OpKeys(mlir::Block &block);

  // Returns a key of the op's name, attributes and types, and of all that it is
  // computed from, down to the names of arguments. Ops with equal keys compute
  // the same.
  uint64_t of(mlir::Operation *op) const { return keys.lookup(op); }
  // Orders two ops by their keys; by their places if they compute the same.
  bool less(mlir::Operation *a, mlir::Operation *b) const {
    uint64_t x = of(a), y = of(b);
    return x != y ? x < y : places.lookup(a) < places.lookup(b);
  }

private:
  llvm::DenseMap<mlir::Operation *, uint64_t> keys;
  llvm::DenseMap<mlir::Operation *, unsigned> places;
};

} // namespace zcc::distribute

#endif
