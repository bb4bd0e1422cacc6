// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the nodes of a task into kernels and puts them in order. The algorithm
// is greedy: it takes each root in program order. The root joins the kernel of
// one of its producers if the backend takes the result as a kernel (classify),
// if nothing is computed more often than before, and if no cycle of kernels
// arises. Else it joins the kernel of a sibling that reads the same value under
// the same conditions. Else it starts a kernel.
#ifndef ZCC_PASSES_SCHEDULE_GROUPING_H
#define ZCC_PASSES_SCHEDULE_GROUPING_H

#include "dialects/Exec/Backend.h"
#include "passes/Schedule/OrderedGraph.h"
#include "passes/Schedule/TaskGraph.h"

namespace zcc {

struct Group {
  llvm::SmallVector<mlir::Operation *> roots; // exactly one if it is a barrier
  bool barrier = false;
  exec::KernelForm form;
};

/// The ops and results of a kernel.
struct KernelBody {
  // Program order, inlined ops included.
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> outputs; // results that other kernels read
};

class Grouping {
public:
  Grouping(TaskGraph &graph, const exec::Backend &backend, bool fuse)
      : graph(graph), backend(backend), fuse(fuse) {}

  /// Fails if an op has no kernel form; the error is at the op.
  mlir::LogicalResult run();

  /// Adds the condition that `before` ends before `after` begins. Returns false
  /// and does nothing if that closes a cycle.
  bool addOrder(unsigned before, unsigned after) {
    return edges.canPrecede({before}, after) && edges.addEdge(before, after);
  }
  /// Returns the groups in the order of their launches. A kernel is launched at
  /// the place of its last root in the program, or later if that saves memory.
  llvm::SmallVector<unsigned> launchOrder() const;

  const Group &group(unsigned index) const { return groups[index]; }
  unsigned groupOf(mlir::Operation *node) const {
    return groupIndex.lookup(node);
  }
  KernelBody body(unsigned index) const {
    return makeBody(groups[index].roots);
  }

private:
  mlir::LogicalResult place(mlir::Operation *root);
  bool tryJoin(unsigned group, mlir::Operation *root, double ownWork);
  KernelBody makeBody(llvm::ArrayRef<mlir::Operation *> roots) const;
  llvm::SmallVector<unsigned> dependencies(mlir::Operation *node) const;
  unsigned newGroup(mlir::Operation *node);
  /// Returns a topological order, in which smaller keys come first.
  llvm::SmallVector<unsigned>
  sortGroups(llvm::ArrayRef<std::pair<unsigned, unsigned>> keys) const;

  TaskGraph &graph;
  const exec::Backend &backend;
  bool fuse;
  std::vector<Group> groups;
  OrderedGraph edges;
  llvm::DenseMap<mlir::Operation *, unsigned> groupIndex;
  int scalarGroup = -1; // the last group whose results are a few elements
};

} // namespace zcc

#endif
