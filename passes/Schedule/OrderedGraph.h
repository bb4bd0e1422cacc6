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
  /// A new node, last in the order.
  unsigned addNode();
  unsigned size() const { return static_cast<unsigned>(nodes.size()); }

  /// True if edges from all of `from` to `to` leave the graph without a cycle.
  /// May say no, wrongly, where the answer would cost too long a search.
  bool canPrecede(llvm::ArrayRef<unsigned> from, unsigned to) const;
  /// Adds an edge that canPrecede() allowed; false, and no edge, if it closes a
  /// cycle. Edges that are there already are ignored.
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
  /// Nodes reachable from `start` with an order of at most `last`; false if
  /// `target` is one, or if there are too many.
  bool forward(unsigned start, unsigned last, unsigned target,
               llvm::SmallVectorImpl<unsigned> &found) const;

  std::vector<Node> nodes;
  mutable std::vector<unsigned> visited; // by node: the search that saw it
  mutable unsigned search = 0;
};

} // namespace zcc

#endif
