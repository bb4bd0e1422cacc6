// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/TaskGraph.h"

#include "dialects/Dist/Dist.h"
#include "dialects/TensorBytes.h"
#include "dialects/Train/Attention.h"
#include "dialects/Train/ElementIndex.h"
#include "dialects/Train/Train.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zcc {

// Larger constants that are not splats are computed once.
static constexpr int64_t inlineConstant = 256;

static int64_t elements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() : 0;
}

/// Returns true for a constant whose elements are all the same: a kernel has it
/// at hand, so that it need not read memory.
static bool isSplatConstant(Operation *op) {
  auto constant = dyn_cast<train::ConstantOp>(op);
  return constant && constant.getValue().isSplat();
}

/// Returns the dims whose extent is not 1, in order.
static SmallVector<int64_t> realDims(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> out;
  for (auto [i, extent] : llvm::enumerate(shape))
    if (extent != 1)
      out.push_back(i);
  return out;
}

bool isAlias(Operation *op) {
  if (isa<train::ReshapeOp>(op))
    return true;
  if (auto transpose = dyn_cast<train::TransposeOp>(op)) {
    ArrayRef<int64_t> shape = train::shapeOf(transpose.getOperand());
    SmallVector<int64_t> moved;
    for (int64_t dim : transpose.getPermutation())
      if (shape[dim] != 1)
        moved.push_back(dim);
    return llvm::is_sorted(moved);
  }
  if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
    if (elements(broadcast.getOperand()) != elements(broadcast.getResult()))
      return false;
    SmallVector<int64_t> moved;
    for (int64_t dim : realDims(train::shapeOf(broadcast.getOperand())))
      moved.push_back(broadcast.getDims()[dim]);
    return llvm::is_sorted(moved);
  }
  return false;
}

Value resolveAlias(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isAlias(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool isBarrier(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() ||
         isa<dist::DistDialect>(op->getDialect());
}

/// Returns the arithmetic an element: 1 for an op of one instruction, more than
/// the limit of shared values for an op that must not be computed twice.
unsigned TaskGraph::weight(Operation *op) const {
  return TypeSwitch<Operation *, unsigned>(op)
      .Case<train::AbsOp, train::NegOp, train::NotOp, train::IsFiniteOp,
            train::AddOp, train::SubOp, train::MulOp, train::MaxOp,
            train::MinOp, train::AndOp, train::OrOp, train::XorOp, train::ShlOp,
            train::ShrlOp, train::ShraOp, train::CompareOp, train::SelectOp,
            train::ConvertOp, train::BitcastOp, train::StopGradientOp,
            train::ShardingConstraintOp>([](auto) { return 1; })
      .Case<train::ClampOp, train::SignOp>([](auto) { return 2; })
      .Default([&](Operation *) { return limits.shared + 1; });
}

double TaskGraph::sizeOf(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !limits.countsBytes)
    return static_cast<double>(elements(value));
  return static_cast<double>(getTensorBytes(type));
}

double TaskGraph::Info::sizeRead() const {
  double sum = 0;
  for (const Load &load : loads)
    sum += load.size;
  return sum;
}

void TaskGraph::Info::add(const Info &operand) {
  cost += operand.cost;
  size += operand.size;
  for (const Load &read : operand.loads) {
    auto *known = llvm::find_if(
        loads, [&](const Load &load) { return load.value == read.value; });
    if (known == loads.end())
      loads.push_back(read);
    else
      known->size = std::max(known->size, read.size);
  }
}

TaskGraph::Info TaskGraph::valueInfo(Value value) const {
  Operation *op = value.getDefiningOp();
  Info stored;
  stored.loads.push_back({value, sizeOf(value)});
  if (!op)
    return stored;
  Info known = info.lookup(op);
  return known.root && !isSplatConstant(op) ? stored : known;
}

bool TaskGraph::shouldInline(Operation *op, Info &out) const {
  if (isAlias(op)) {
    out.add(valueInfo(op->getOperand(0)));
    out.size += 1;
    return true;
  }
  if (auto constant = dyn_cast<train::ConstantOp>(op)) {
    out.size = 1;
    return constant.getValue().isSplat() ||
           elements(constant.getResult()) <= inlineConstant;
  }
  auto sum = [&](ValueRange operands) {
    for (Value operand : operands)
      out.add(valueInfo(operand));
    out.size += 1;
  };
  if (isa<train::IotaOp>(op)) {
    sum(op->getOperands());
    return out.cost <= limits.shared;
  }
  if (!fuse || op->getNumResults() != 1 || op->getNumOperands() > 4)
    return false;
  double own = sizeOf(op->getResult(0));
  if (train::IndexContext::isMovement(op)) {
    sum(op->getOperands());
    if (!op->hasTrait<train::DataMovementOp>())
      out.cost += 1; // for conditions or clamps
    // The elements that it leaves out are not read.
    if (isa<train::SliceOp, train::DynamicSliceOp, train::GatherOp>(op))
      for (Load &load : out.loads)
        load.size = std::min(load.size, own);
  } else if (op->hasTrait<train::ElementwiseOp>()) {
    sum(op->getOperands());
    out.cost += weight(op);
    if (isLoneEpilogue(op))
      return false;
  } else {
    return false;
  }
  double read = out.sizeRead();
  bool once = op->getResult(0).hasOneUse() || read <= own / 16;
  exec::InlineLimits most = isOfProduct(op) ? exec::InlineLimits() : limits;
  return out.cost <= (once ? most.once : most.shared) && out.size <= most.ops &&
         read <= 1.25 * own;
}

/// Returns true if a product or an attention reads the op's result, or a view
/// of it.
bool TaskGraph::isOfProduct(Operation *op) const {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return isa<train::DotGeneralOp, train::ConvolutionOp>(user) ||
           train::Attention::isAttention(user) ||
           (isAlias(user) && isOfProduct(user));
  });
}

bool TaskGraph::storeNarrow(Operation *op, Info &out) {
  auto convert = dyn_cast<train::ConvertOp>(op);
  if (!limits.countsBytes || !convert ||
      sizeOf(convert.getOperand()) >= sizeOf(convert.getResult()))
    return false;
  Operation *source = convert.getOperand().getDefiningOp();
  if (!source || isBarrier(source) || isAlias(source) || isRoot(source))
    return false;
  info[source].root = true;
  out = Info();
  out.add(valueInfo(convert.getOperand()));
  out.cost = out.size = 1;
  return true;
}

/// Returns true if `op` is the only reader of a root's result and has its
/// shape. Then it is better computed where that value is made than where its
/// own result is read. Masks stay with the reader: a softmax that sees a mask
/// skips the hidden elements.
bool TaskGraph::isLoneEpilogue(Operation *op) const {
  if (isa<train::CompareOp, train::SelectOp>(op))
    return false;
  if (isa<train::ConvertOp>(op) &&
      train::tensorType(op->getResult(0)).getElementTypeBitWidth() >
          train::tensorType(op->getOperand(0)).getElementTypeBitWidth())
    return false;
  for (Value operand : op->getOperands()) {
    bool alone = true;
    Value base = operand;
    while (Operation *def = base.getDefiningOp()) {
      alone &= base.hasOneUse();
      if (!isAlias(def))
        break;
      base = def->getOperand(0);
    }
    Operation *def = base.getDefiningOp();
    if (alone && def && isRoot(def) && !isBarrier(def) &&
        elements(base) == elements(op->getResult(0)))
      return true;
  }
  return false;
}

/// Walks from the operands back to values that are small beside them.
void TaskGraph::findComputed(Block &body, const exec::Backend &backend) {
  DenseMap<Operation *, int64_t> sizes; // size of the operand that needs it
  auto ask = [&](Value v, int64_t size) {
    if (Operation *op = v.getDefiningOp(); op && elements(v) > size / 8)
      sizes[op] = std::max(sizes.lookup(op), size);
  };
  auto isComputed = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return computed.contains(user) ||
           (llvm::is_contained(backend.getComputedOperands(user), use.get()) &&
            llvm::count(user->getOperands(), use.get()) == 1);
  };
  for (Operation &op : llvm::reverse(body)) {
    for (Value v : backend.getComputedOperands(&op))
      ask(v, elements(v));
    auto size = sizes.find(&op);
    if (size == sizes.end() || op.getNumResults() != 1 ||
        !(op.hasTrait<train::ElementwiseOp>() || isa<train::IotaOp>(op) ||
          train::IndexContext::isMovement(&op)) ||
        !llvm::all_of(op.getResult(0).getUses(), isComputed))
      continue;
    computed.insert(&op);
    int64_t own = size->second; // a copy, because the map grows
    for (Value operand : op.getOperands())
      ask(operand, own);
  }
}

TaskGraph::TaskGraph(func::FuncOp task, const exec::Backend &backend, bool fuse)
    : fuse(fuse),
      limits(fuse ? backend.getInlineLimits() : exec::InlineLimits()) {
  Block &body = task.getBody().front();
  if (fuse)
    findComputed(body, backend);
  // Values that must be in memory are found first, because reading them costs
  // ops nothing.
  DenseSet<Operation *> stored;
  for (Operation &op : body) {
    SmallVector<Value> asked(op.getOperands());
    if (!isBarrier(&op))
      asked = backend.getStoredValues(&op);
    for (Value value : asked)
      if (Operation *def = resolveAlias(value).getDefiningOp();
          def && !isBarrier(def)) {
        stored.insert(def);
        storedFor[&op].push_back(def);
      }
  }
  unsigned index = 0;
  for (Operation &op : body) {
    Info own;
    own.root = isBarrier(&op) || stored.contains(&op) ||
               !(computed.contains(&op) || shouldInline(&op, own) ||
                 storeNarrow(&op, own));
    own.index = index++;
    info[&op] = own;
  }
  for (Operation &op : body)
    if (info[&op].root) {
      order.push_back(&op);
      collect(&op);
    }
}

bool TaskGraph::repeats(Operation *node, Operation *op) const {
  return isSplatConstant(op) && !llvm::is_contained(storedFor.lookup(node), op);
}

void TaskGraph::collect(Operation *node) {
  Needs &needs = needsOf[node];
  DenseSet<Operation *> inlined;
  DenseSet<Value> seen;
  SmallVector<Value> work(llvm::reverse(node->getOperands()));
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (isBarrier(node))
      value = resolveAlias(value);
    Operation *op = value.getDefiningOp();
    if (!op || (isRoot(op) && !repeats(node, op))) {
      if (seen.insert(value).second) {
        needs.inputs.push_back(value);
        usersOf[value].push_back(node);
      }
      continue;
    }
    if (!inlined.insert(op).second)
      continue;
    needs.inlined.push_back(op);
    llvm::append_range(work, llvm::reverse(op->getOperands()));
  }
}

ArrayRef<Operation *> TaskGraph::users(Value value) const {
  auto at = usersOf.find(value);
  return at == usersOf.end() ? ArrayRef<Operation *>() : at->second;
}

ArrayRef<Operation *> TaskGraph::laterUsers(Operation *root) const {
  auto at = laterUsersOf.find(root);
  return at == laterUsersOf.end() ? ArrayRef<Operation *>() : at->second;
}

SmallVector<Operation *> TaskGraph::storeOperands(Operation *node) {
  SmallVector<Operation *> out;
  for (Value operand : node->getOperands()) {
    Operation *op = resolveAlias(operand).getDefiningOp();
    if (!op)
      continue;
    storedFor[node].push_back(op);
    if (isRoot(op))
      continue;
    info[op].root = true;
    out.push_back(op);
  }
  llvm::sort(out, [&](Operation *a, Operation *b) {
    return position(a) < position(b);
  });
  for (Operation *op : out) {
    collect(op);
    for (Operation *other : order)
      if (position(other) > position(node) &&
          llvm::is_contained(needs(other).inlined, op))
        laterUsersOf[op].push_back(other);
  }
  for (Value input : needsOf[node].inputs)
    llvm::erase(usersOf[input], node);
  needsOf[node] = {};
  collect(node);
  return out;
}

} // namespace zcc
