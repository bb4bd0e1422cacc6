// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/OrderedGraph.h"

#include "llvm/ADT/STLExtras.h"

namespace zcc {

// Searches are local. A longer search means that two far ends of a task would
// be fused, which is not worth the time.
static constexpr size_t searchLimit = 4000;

unsigned OrderedGraph::addNode() {
  nodes.emplace_back();
  nodes.back().order = size() - 1;
  visited.push_back(0);
  return size() - 1;
}

bool OrderedGraph::forward(unsigned start, unsigned last, unsigned target,
                           llvm::SmallVectorImpl<unsigned> &found) const {
  ++search;
  found.push_back(start);
  visited[start] = search;
  for (size_t i = 0; i < found.size(); ++i)
    for (unsigned next : nodes[found[i]].next) {
      if (next == target)
        return false;
      if (visited[next] == search || nodes[next].order > last)
        continue;
      if (found.size() > searchLimit)
        return false;
      visited[next] = search;
      found.push_back(next);
    }
  return true;
}

bool OrderedGraph::canPrecede(llvm::ArrayRef<unsigned> from,
                              unsigned to) const {
  for (unsigned node : from) {
    if (node == to)
      return false;
    if (nodes[node].order < nodes[to].order)
      continue;
    llvm::SmallVector<unsigned> found;
    if (!forward(to, nodes[node].order, node, found))
      return false;
  }
  return true;
}

bool OrderedGraph::addEdge(unsigned from, unsigned to) {
  if (from == to)
    return false;
  if (llvm::is_contained(nodes[from].next, to))
    return true;
  unsigned lower = nodes[to].order, upper = nodes[from].order;
  if (upper > lower) {
    // In the window, `to` and its successors must move behind `from` and its
    // predecessors. Both sets share the places that they have.
    llvm::SmallVector<unsigned> after, before;
    if (!forward(to, upper, from, after))
      return false;
    ++search;
    before.push_back(from);
    visited[from] = search;
    for (size_t i = 0; i < before.size(); ++i)
      for (unsigned previous : nodes[before[i]].previous)
        if (visited[previous] != search && nodes[previous].order > lower) {
          visited[previous] = search;
          before.push_back(previous);
        }
    auto byOrder = [&](unsigned a, unsigned b) {
      return nodes[a].order < nodes[b].order;
    };
    llvm::sort(before, byOrder);
    llvm::sort(after, byOrder);
    llvm::SmallVector<unsigned> places;
    for (unsigned node : before)
      places.push_back(nodes[node].order);
    for (unsigned node : after)
      places.push_back(nodes[node].order);
    llvm::sort(places);
    size_t place = 0;
    for (unsigned node : before)
      nodes[node].order = places[place++];
    for (unsigned node : after)
      nodes[node].order = places[place++];
  }
  nodes[from].next.push_back(to);
  nodes[to].previous.push_back(from);
  return true;
}

} // namespace zcc
