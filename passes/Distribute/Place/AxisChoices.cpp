// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/AxisChoices.h"
#include "passes/Distribute/Sharding/Window.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;

// Returns the factor on which `axis` falls in a tensor with this placement;
// nullopt if no factor may carry it. `order` gets the axes of that factor
// there.
std::optional<unsigned> AxisChoices::factorOf(const OpSharding &op,
                                              const FactorRule::Tensor &tensor,
                                              const Placement &placement,
                                              AxisList &order) const {
  // Most dims are one factor.
  int d = placement.whereIs(axis);
  if (d >= 0 && tensor[d].size() == 1) {
    order = placement.dims[d];
    unsigned factor = tensor[d].front();
    if (op.rule.factors[factor].kind == FactorRule::Kind::Replicate)
      return std::nullopt;
    return factor;
  }
  FactorPlacement factors = wholeFactors(op.rule);
  if (mesh.toFactors(op.rule, tensor, placement, factors)) {
    for (auto [factor, own] : llvm::enumerate(factors))
      if (llvm::is_contained(own.axes, axis) &&
          op.rule.factors[factor].kind != FactorRule::Kind::Replicate) {
        order = own.axes;
        return factor;
      }
    return std::nullopt;
  }
  // The placement does not fit the factors because of padding: the major factor
  // may still carry the axis.
  for (auto [dim, list] : llvm::zip_equal(tensor, placement.dims))
    if (llvm::is_contained(list, axis) && !dim.empty() &&
        op.rule.factors[dim.front()].kind != FactorRule::Kind::Replicate) {
      order = list;
      return dim.front();
    }
  return std::nullopt;
}

// Returns the factors on which an op can carry an axis that a neighbor has on
// `factor`. A dim that is read by windows is split with one of its leaders; or
// by itself, if each device needs only some of it.
static SmallVector<unsigned, 2> carriersOf(const FactorRule &rule,
                                           unsigned factor) {
  if (rule.factors[factor].kind != FactorRule::Kind::Window)
    return {factor};
  SmallVector<unsigned, 2> list;
  int64_t extent = rule.factors[factor].size, needed = extent;
  for (const FactorRule::Window &window : rule.windows) {
    if (window.factor != factor)
      continue;
    if (window.leader)
      list.push_back(*window.leader);
    int64_t positions = window.leader ? rule.factors[*window.leader].size : 1;
    needed =
        std::min(needed, planWindow(window, positions, 1, extent).box.size);
  }
  if (needed < extent)
    list.push_back(factor);
  return list;
}

// Returns true if lists of axes can express how the tensor's dims are sharded.
// They always can for dims of one factor; for others MeshAxes::toDims knows.
static bool isWritable(const MeshAxes &mesh, const FactorRule &rule,
                       const FactorRule::Tensor &tensor,
                       ArrayRef<FactorShards> factors) {
  return llvm::all_of(
             tensor,
             [](const FactorRule::Dim &dim) { return dim.size() < 2; }) ||
         mesh.toDims(rule, tensor, factors).has_value();
}

// Returns the op's factors with `axis` on `factor` too, and on the factors that
// move with it; nullopt if the sharding of one of its tensors cannot be written
// down.
std::optional<FactorPlacement>
AxisChoices::with(Operation *operation, const OpSharding &op, unsigned factor,
                  ArrayRef<unsigned> order) const {
  const FactorRule::Factor &f = op.rule.factors[factor];
  for (auto [other, own] : llvm::zip_equal(op.rule.factors, op.factors))
    if (f.kind == FactorRule::Kind::Reduce &&
        other.kind == FactorRule::Kind::Reduce && !own.axes.empty() &&
        other.reduction != f.reduction)
      return std::nullopt; // a value is partial under one reduction
  FactorPlacement factors = op.factors;
  bool sameRows = true;
  auto carry = [&](unsigned own) {
    AxisList &axes = factors[own].axes;
    bool inTime = llvm::any_of(
        axes, [&](unsigned other) { return mesh.isTemporal(other); });
    int64_t before = factors[own].padded;
    axes.push_back(axis);
    // Sort the axes in the order in which the neighbor has them.
    llvm::stable_sort(axes, [&](unsigned a, unsigned b) {
      return llvm::find(order, a) < llvm::find(order, b);
    });
    factors[own].padded = mesh.pad(op.rule.factors[own].size,
                                   units.of(operation, op.rule, own), axes);
    sameRows &= !inTime || factors[own].padded == before;
  };
  carry(factor);
  for (unsigned follower : followersOf(op.rule, factor))
    carry(follower);
  // A microbatch must have as many rows here as everywhere else.
  if (!sameRows)
    return std::nullopt;
  if (!windowsFit(mesh, op.rule, factors))
    return std::nullopt;
  auto writable = [&](const FactorRule::Tensor &tensor) {
    return isWritable(mesh, op.rule, tensor, factors);
  };
  if (!llvm::all_of(op.rule.operands, writable) ||
      !llvm::all_of(op.rule.results, writable))
    return std::nullopt;
  return factors;
}

// Returns true if a constraint lets the op carry an axis. It does not if the
// constraint itself puts the axis on a dim or keeps it off all dims. Otherwise
// its open dims may carry an axis of devices.
static bool mayCarry(train::ShardingConstraintOp op, const FactorRule &rule,
                     unsigned factor, const MeshAxes &mesh, unsigned axis) {
  bool open = mesh.isTemporal(axis);
  for (Attribute a : op.getReplicated()) {
    std::optional<AxisList> named =
        mesh.findAll(cast<StringAttr>(a).getValue());
    if (named && llvm::is_contained(*named, axis))
      return false;
  }
  for (auto [dim, entry] : llvm::zip_equal(rule.results[0], op.getSharding()))
    for (Attribute a : cast<ArrayAttr>(entry)) {
      StringRef name = cast<StringAttr>(a).getValue();
      if (name == "?") {
        open |= llvm::is_contained(dim, factor);
        continue;
      }
      std::optional<AxisList> named = mesh.findAll(name);
      if (named && llvm::is_contained(*named, axis))
        return false;
    }
  return open;
}

SmallVector<AxisChoices::Candidate>
AxisChoices::candidates(Operation *operation, const OpSharding &op,
                        function_ref<const Placement *(Value)> at) const {
  SmallVector<Candidate> list;
  auto constraint = dyn_cast<train::ShardingConstraintOp>(operation);
  auto look = [&](Value v, const FactorRule::Tensor &tensor) {
    const Placement *placement = at(v);
    if (!placement || !placement->uses(axis))
      return;
    AxisList order;
    std::optional<unsigned> factor = factorOf(op, tensor, *placement, order);
    if (!factor)
      return;
    for (unsigned carrier : carriersOf(op.rule, *factor)) {
      if (constraint && !mayCarry(constraint, op.rule, carrier, mesh, axis))
        continue;
      auto *it = llvm::find_if(
          list, [&](const Candidate &c) { return c.factor == carrier; });
      if (it == list.end()) {
        auto factors = with(operation, op, carrier, order);
        if (!factors)
          continue;
        list.push_back({carrier, *factors});
        it = &list.back();
      }
      it->bytes += bytesOf(v);
    }
  };
  for (auto [v, tensor] :
       llvm::zip_equal(operation->getOperands(), op.rule.operands))
    look(v, tensor);
  for (auto [v, tensor] :
       llvm::zip_equal(operation->getResults(), op.rule.results))
    look(v, tensor);
  return list;
}

std::optional<FactorPlacement>
AxisChoices::following(Operation *operation, const OpSharding &op, Value v,
                       const Placement &placement) const {
  OpSharding bare = without(operation, op);
  auto at = [&](Value other) -> const Placement * {
    return other == v ? &placement : nullptr;
  };
  SmallVector<Candidate> list = candidates(operation, bare, at);
  if (list.empty())
    return std::nullopt;
  return std::move(list.front().factors);
}

OpSharding AxisChoices::without(Operation *operation,
                                const OpSharding &op) const {
  OpSharding bare = op;
  for (auto [f, own] : llvm::enumerate(bare.factors)) {
    if (!llvm::is_contained(own.axes, axis))
      continue;
    llvm::erase(own.axes, axis);
    own.padded = mesh.pad(op.rule.factors[f].size,
                          units.of(operation, op.rule, f), own.axes);
  }
  return bare;
}
