// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which ops of a task are computed once and may be stored (roots), and
// which are computed again by each reader (inlined). An op is inlined if
// computing it again costs next to nothing beyond reading its own inputs.
// Barriers (collectives, observations, the return) read memory.
#ifndef ZCC_PASSES_SCHEDULE_TASKGRAPH_H
#define ZCC_PASSES_SCHEDULE_TASKGRAPH_H

#include "dialects/Exec/Backend.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc {

/// Returns true if the result is the operand's memory under another shape.
bool isAlias(mlir::Operation *op);
/// Returns the value of which `value` is an alias, looking through all aliases.
mlir::Value resolveAlias(mlir::Value value);
/// Returns true for collectives, observations and the return.
bool isBarrier(mlir::Operation *op);

class TaskGraph {
public:
  TaskGraph(mlir::func::FuncOp task, const exec::Backend &backend, bool fuse);

  bool isRoot(mlir::Operation *op) const {
    auto at = info.find(op);
    return at != info.end() && at->second.root;
  }
  /// Returns roots and barriers in program order.
  llvm::ArrayRef<mlir::Operation *> nodes() const { return order; }
  unsigned position(mlir::Operation *op) const {
    auto at = info.find(op);
    return at == info.end() ? 0 : at->second.index;
  }

  /// The inlined ops that a node needs, and the stored values (arguments,
  /// results of roots) that it and they read.
  struct Needs {
    llvm::SmallVector<mlir::Operation *> inlined;
    llvm::SmallVector<mlir::Value> inputs;
  };
  const Needs &needs(mlir::Operation *node) const {
    return needsOf.find(node)->second;
  }
  /// Returns the nodes that need a stored value.
  llvm::ArrayRef<mlir::Operation *> users(mlir::Value value) const;

  /// Makes the inlined ops that `node` reads directly roots. Returns the new
  /// roots in program order; nodes() is not extended.
  llvm::SmallVector<mlir::Operation *> storeOperands(mlir::Operation *node);
  /// For a root that storeOperands() made: returns the later nodes that had
  /// inlined it until then. Any of them may come to read it.
  llvm::ArrayRef<mlir::Operation *> laterUsers(mlir::Operation *root) const;

private:
  /// A stored value, and how many of its elements (or bytes,
  /// InlineLimits::countsBytes) are read.
  struct Load {
    mlir::Value value;
    double size = 0;
  };
  struct Info {
    bool root = false;
    unsigned index = 0;
    // These describe an inlined op.
    unsigned cost = 0; // arithmetic an element
    unsigned size = 0; // ops
    llvm::SmallVector<Load, 2> loads;
    double sizeRead() const;
    void add(const Info &operand);
  };
  void findComputed(mlir::Block &body, const exec::Backend &backend);
  bool shouldInline(mlir::Operation *op, Info &out) const;
  unsigned weight(mlir::Operation *op) const;
  double sizeOf(mlir::Value value) const;
  bool isOfProduct(mlir::Operation *op) const;
  /// If the op is a conversion to a wider type that would be stored, stores its
  /// operand in its place. Returns false if there is nothing to be stored.
  bool storeNarrow(mlir::Operation *op, Info &out);
  bool isLoneEpilogue(mlir::Operation *op) const;
  Info valueInfo(mlir::Value value) const;
  /// Returns true if `node` computes an op that is a root itself: a constant of
  /// one value, unless it asks for the constant in memory.
  bool repeats(mlir::Operation *node, mlir::Operation *op) const;
  void collect(mlir::Operation *node);

  bool fuse;
  exec::InlineLimits limits;
  // Ops that kernels compute themselves (Backend::getComputedOperands) and
  // nobody else reads.
  llvm::DenseSet<mlir::Operation *> computed;
  llvm::DenseMap<mlir::Operation *, Info> info;
  // By node, the ops whose results it asks for in memory.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 2>>
      storedFor;
  llvm::SmallVector<mlir::Operation *> order;
  llvm::DenseMap<mlir::Operation *, Needs> needsOf;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Operation *, 2>> usersOf;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 2>>
      laterUsersOf;
};

} // namespace zcc

#endif
