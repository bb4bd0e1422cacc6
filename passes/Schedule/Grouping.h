// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the nodes of a task into kernels and puts them in order. Greedy: each
// root, in program order, joins the kernel of one of its producers if the
// backend takes the result as a kernel (classify), if nothing is computed
// more often than before, and if no cycle of kernels arises; else that of a
// sibling that reads the same value; else it starts a kernel.
#ifndef ZCC_PASSES_SCHEDULE_GROUPING_H
#define ZCC_PASSES_SCHEDULE_GROUPING_H

#include "dialects/Exec/Backend.h"
#include "passes/Schedule/OrderedGraph.h"
#include "passes/Schedule/TaskGraph.h"

namespace zcc {

struct Group {
  llvm::SmallVector<mlir::Operation *> roots; // one, for a barrier
  bool barrier = false;
  exec::KernelForm form;
};

/// The ops and results of a kernel.
struct KernelBody {
  llvm::SmallVector<mlir::Operation *> ops; // program order, inlined included
  llvm::SmallVector<mlir::Value> outputs;   // what others read
};

class Grouping {
public:
  Grouping(TaskGraph &graph, const exec::Backend &backend, bool fuse)
      : graph(graph), backend(backend), fuse(fuse) {}

  /// Fails where an op has no form; the error is at the op.
  mlir::LogicalResult run();

  /// Adds the condition that `before` ends before `after` begins; false, and
  /// nothing done, if that closes a cycle.
  bool addOrder(unsigned before, unsigned after) {
    return edges.canPrecede({before}, after) && edges.addEdge(before, after);
  }
  /// Groups in the order of their launches: as in the program, a kernel in the
  /// place of its last root, or later if that saves memory.
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
  /// A topological order, smaller keys first.
  llvm::SmallVector<unsigned>
  sortGroups(llvm::ArrayRef<std::pair<unsigned, unsigned>> keys) const;

  TaskGraph &graph;
  const exec::Backend &backend;
  bool fuse;
  std::vector<Group> groups;
  OrderedGraph edges;
  llvm::DenseMap<mlir::Operation *, unsigned> groupIndex;
  int scalarGroup = -1; // the last one whose results are a few elements
};

} // namespace zcc

#endif
