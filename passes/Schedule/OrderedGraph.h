// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A directed acyclic graph that keeps a topological order of its nodes while
// edges are added, so that most questions "would this close a cycle?" are
// answered by comparing two numbers. Pearce and Kelly, A Dynamic Topological
// Sort Algorithm for Directed Acyclic Graphs, JEA 11 (2007).
#ifndef ZCC_PASSES_SCHEDULE_ORDEREDGRAPH_H
#define ZCC_PASSES_SCHEDULE_ORDEREDGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace zcc {

class OrderedGraph {
public:
  /// Adds a node, which is last in the order, and returns its number.
  unsigned addNode();
  unsigned size() const { return static_cast<unsigned>(nodes.size()); }

  /// Returns true if edges from all of `from` to `to` close no cycle. May
  /// wrongly return false if the answer would cost too long a search.
  bool canPrecede(llvm::ArrayRef<unsigned> from, unsigned to) const;
  /// Adds an edge that canPrecede() allowed. Returns false, and adds nothing,
  /// if it closes a cycle. Ignores an edge that exists.
  bool addEdge(unsigned from, unsigned to);

  llvm::ArrayRef<unsigned> successors(unsigned node) const {
    return nodes[node].next;
  }
  llvm::ArrayRef<unsigned> predecessors(unsigned node) const {
    return nodes[node].previous;
  }

private:
  struct Node {
    llvm::SmallVector<unsigned, 4> next, previous;
    unsigned order = 0;
  };
  /// Finds the nodes that are reachable from `start` with an order of at most
  /// `last`. Returns false if `target` is one of them, or if there are too
  /// many.
  bool forward(unsigned start, unsigned last, unsigned target,
               llvm::SmallVectorImpl<unsigned> &found) const;

  std::vector<Node> nodes;
  mutable std::vector<unsigned> visited; // by node: the search that saw it
  mutable unsigned search = 0;
};

} // namespace zcc

#endif
