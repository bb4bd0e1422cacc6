// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/Grouping.h"
#include "dialects/TensorBytes.h"

#include "dialects/Train/Place.h"
#include "dialects/Train/Train.h"
#include "llvm/ADT/SetVector.h"
#include <queue>

using namespace mlir;

namespace zcc {

// Kernels stay small, because their compile time is more than linear in their
// size.
static constexpr size_t maxOps = 96, maxBuffers = 32;
// A kernel runs at the place of its last root. If that is far away, it keeps
// its inputs alive long.
static constexpr unsigned maxGroupDistance = 160;
static constexpr int64_t scalarElements = 16;

SmallVector<unsigned> Grouping::dependencies(Operation *node) const {
  llvm::SmallSetVector<unsigned, 8> out;
  for (Value input : graph.needs(node).inputs)
    if (Operation *op = input.getDefiningOp())
      out.insert(groupOf(op));
  return out.takeVector();
}

KernelBody Grouping::makeBody(ArrayRef<Operation *> roots) const {
  KernelBody out;
  llvm::SmallSetVector<Operation *, 16> members(roots.begin(), roots.end());
  llvm::SmallSetVector<Operation *, 32> ops(roots.begin(), roots.end());
  for (Operation *root : roots) {
    ArrayRef<Operation *> inlined = graph.needs(root).inlined;
    for (Operation *op : inlined) {
      // The alias of a stored value is that value's buffer under another type.
      if (isAlias(op)) {
        Operation *base = resolveAlias(op->getResult(0)).getDefiningOp();
        if (!base ||
            (!members.contains(base) && !llvm::is_contained(inlined, base)))
          continue;
      }
      ops.insert(op);
    }
  }
  out.ops = ops.takeVector();
  llvm::sort(out.ops, [&](Operation *a, Operation *b) {
    return graph.position(a) < graph.position(b);
  });
  SmallVector<Operation *> ordered(members.begin(), members.end());
  llvm::sort(ordered, [&](Operation *a, Operation *b) {
    return graph.position(a) < graph.position(b);
  });
  for (Operation *root : ordered) {
    bool any = false;
    for (Value result : root->getResults())
      any |= !graph.users(result).empty();
    // A user without a group may still ask for its operands to be stored.
    bool wanted = llvm::any_of(graph.laterUsers(root), [&](Operation *user) {
      return !members.contains(user) && !groupIndex.contains(user);
    });
    for (Value result : root->getResults()) {
      bool outside =
          wanted || llvm::any_of(graph.users(result), [&](Operation *user) {
            return !members.contains(user);
          });
      // Backends recognize a sort by all of its results.
      if (outside || (any && isa<train::SortOp>(root)))
        out.outputs.push_back(result);
    }
  }
  return out;
}

static size_t countBuffers(const KernelBody &body) {
  DenseSet<Operation *> inside(body.ops.begin(), body.ops.end());
  DenseSet<Value> inputs;
  for (Operation *op : body.ops)
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp();
          !def || !inside.contains(def))
        inputs.insert(operand);
  return inputs.size() + body.outputs.size();
}

bool Grouping::tryJoin(unsigned index, Operation *root, double ownWork) {
  Group &group = groups[index];
  // A tree of concatenations was split because one kernel cannot take all of
  // them.
  auto joins = [](Operation *op) { return isa<train::ConcatenateOp>(op); };
  if (joins(root) && llvm::any_of(group.roots, joins))
    return false;
  if (group.barrier ||
      graph.position(root) >
          graph.position(group.roots.back()) + maxGroupDistance)
    return false;
  SmallVector<unsigned> others = dependencies(root);
  llvm::erase(others, index);
  if (!edges.canPrecede(others, index))
    return false;
  SmallVector<Operation *> roots(group.roots);
  roots.push_back(root);
  KernelBody body = makeBody(roots);
  if (body.ops.size() > maxOps || body.outputs.empty() ||
      countBuffers(body) > maxBuffers)
    return false;
  std::optional<exec::KernelForm> form =
      backend.classify(body.ops, body.outputs);
  if (!form)
    return false;
  if (!form->absorbs && form->work > 1.05 * (group.form.work + ownWork) + 64)
    return false;
  group.roots = std::move(roots);
  group.form = *form;
  groupIndex[root] = index;
  for (unsigned other : others)
    edges.addEdge(other, index);
  return true;
}

unsigned Grouping::newGroup(Operation *node) {
  unsigned index = edges.addNode();
  groups.emplace_back();
  groups.back().roots.push_back(node);
  groups.back().barrier = isBarrier(node);
  for (unsigned other : dependencies(node))
    edges.addEdge(other, index);
  groupIndex[node] = index;
  return index;
}

LogicalResult Grouping::place(Operation *root) {
  if (llvm::all_of(root->getResults(),
                   [&](Value result) { return graph.users(result).empty(); })) {
    // Nobody reads it. It gets an empty group, so that every node has a group.
    groupIndex[root] = newGroup(root);
    groups.back().roots.clear();
    return success();
  }
  auto alone = [&](std::string *why) {
    KernelBody body = makeBody({root});
    return backend.classify(body.ops, body.outputs, why);
  };
  std::optional<exec::KernelForm> own = alone(nullptr);
  if (!own) {
    for (Operation *op : graph.storeOperands(root))
      if (failed(place(op)))
        return failure();
    std::string why;
    own = alone(&why);
    if (!own)
      return withHelp(root->emitError()
                          << "no kernel can be made of it: " << why,
                      "--target=reference takes every op; written with other "
                      "ops, it may become another kernel");
  }
  if (fuse) {
    SmallVector<unsigned> producers = dependencies(root);
    llvm::sort(producers, [&](unsigned a, unsigned b) {
      return graph.position(groups[a].roots.empty() ? root
                                                    : groups[a].roots.back()) >
             graph.position(groups[b].roots.empty() ? root
                                                    : groups[b].roots.back());
    });
    for (unsigned group : ArrayRef(producers).take_front(4))
      if (!groups[group].roots.empty() && tryJoin(group, root, own->work))
        return success();
    // Siblings then read a value once instead of twice.
    llvm::SmallSetVector<unsigned, 8> siblings;
    for (Value input : graph.needs(root).inputs)
      if (cast<RankedTensorType>(input.getType()).getNumElements() >
          scalarElements)
        for (Operation *user : llvm::reverse(graph.users(input)))
          if (auto at = groupIndex.find(user);
              at != groupIndex.end() && siblings.size() < 4)
            siblings.insert(at->second);
    if (!own->absorbs)
      for (unsigned group : siblings)
        if (!groups[group].roots.empty() && !groups[group].barrier &&
            backend.mayJoin(groups[group].form, *own) &&
            tryJoin(group, root, own->work))
          return success();
    bool scalar =
        cast<RankedTensorType>(root->getResult(0).getType()).getNumElements() <=
        scalarElements;
    if (scalar && own->pointwise) {
      if (scalarGroup >= 0 && tryJoin(scalarGroup, root, own->work))
        return success();
      scalarGroup = static_cast<int>(edges.size());
    }
  }
  newGroup(root);
  groups.back().form = *own;
  return success();
}

LogicalResult Grouping::run() {
  SmallVector<Operation *> nodes(graph.nodes());
  for (Operation *node : nodes) {
    if (isBarrier(node))
      newGroup(node);
    else if (failed(place(node)))
      return failure();
  }
  // A constant is not needed if its only reader now reads a value that is made
  // of it.
  for (Group &group : groups)
    if (!group.barrier && llvm::all_of(group.roots, [&](Operation *root) {
          return llvm::all_of(root->getResults(), [&](Value result) {
            return graph.users(result).empty();
          });
        }))
      group.roots.clear();
  return success();
}

SmallVector<unsigned>
Grouping::sortGroups(ArrayRef<std::pair<unsigned, unsigned>> keys) const {
  using Entry = std::pair<std::pair<unsigned, unsigned>, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  SmallVector<unsigned> waiting(groups.size());
  for (unsigned i = 0; i < groups.size(); ++i) {
    waiting[i] = edges.predecessors(i).size();
    if (waiting[i] == 0)
      ready.push({keys[i], i});
  }
  SmallVector<unsigned> out;
  while (!ready.empty()) {
    unsigned index = ready.top().second;
    ready.pop();
    out.push_back(index);
    for (unsigned next : edges.successors(index))
      if (--waiting[next] == 0)
        ready.push({keys[next], next});
  }
  return out;
}

static int64_t bytesOf(Value value) {
  return getTensorBytes(cast<RankedTensorType>(value.getType()));
}

SmallVector<unsigned> Grouping::launchOrder() const {
  SmallVector<std::pair<unsigned, unsigned>> keys(groups.size());
  for (unsigned i = 0; i < groups.size(); ++i) {
    for (Operation *root : groups[i].roots)
      keys[i].first = std::max(keys[i].first, graph.position(root));
    keys[i].second = i;
  }
  SmallVector<unsigned> order = sortGroups(keys);
  // If a kernel's results take more room than the inputs that it is the last to
  // read, it waits until another kernel needs them. Positions are those of the
  // order so far; a kernel that waits takes the position of its first reader.
  SmallVector<unsigned> position(groups.size());
  for (auto [i, index] : llvm::enumerate(order)) {
    position[index] = i;
    keys[index] = {static_cast<unsigned>(i), static_cast<unsigned>(i)};
  }
  for (unsigned index : llvm::reverse(order)) {
    const Group &group = groups[index];
    if (group.barrier || group.roots.empty() || edges.successors(index).empty())
      continue;
    unsigned first = UINT_MAX;
    for (unsigned next : edges.successors(index))
      first = std::min(first, position[next]);
    if (first <= position[index] + 1)
      continue;
    int64_t made = 0, held = 0;
    llvm::SmallSetVector<Value, 8> inputs;
    for (Operation *root : group.roots) {
      for (Value result : root->getResults())
        if (llvm::any_of(graph.users(result), [&](Operation *user) {
              return groupOf(user) != index;
            }))
          made += bytesOf(result);
      for (Value input : graph.needs(root).inputs)
        inputs.insert(input);
    }
    for (Value input : inputs)
      if (llvm::none_of(graph.users(input), [&](Operation *user) {
            return groupOf(user) != index && position[groupOf(user)] >= first;
          }))
        held += bytesOf(input);
    if (made <= held)
      continue;
    position[index] = first;
    keys[index].first = first;
  }
  SmallVector<unsigned> out = sortGroups(keys);
  llvm::erase_if(out, [&](unsigned i) { return groups[i].roots.empty(); });
  return out;
}

} // namespace zcc
