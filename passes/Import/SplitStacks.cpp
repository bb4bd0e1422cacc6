// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scan over layers reads its stacked parameters one layer at a time. After
// unrolling each read is a slice, so the stack can become one argument for each
// layer. Later phases shard, place and gather these one by one. An op that
// computes something of a whole stack, layer by layer (a cast before the scan),
// is moved behind the slices first.
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/Train.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"

using namespace mlir;
using zcc::train::shapeOf;

namespace zcc {
#define GEN_PASS_DEF_SPLITSTACKS
#include "passes/Import/Passes.h.inc"

namespace {
/// Returns the index into the first dim if `op` takes one element of it and all
/// of the others.
std::optional<int64_t> getSlicedIndex(Operation *op, Value stack) {
  auto type = cast<RankedTensorType>(stack.getType());
  if (op->getNumOperands() == 0 || op->getOperand(0) != stack)
    return std::nullopt;
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op)) {
    ArrayRef<int64_t> start = slice.getStartIndices(),
                      limit = slice.getLimitIndices();
    for (int64_t i = 1; i < type.getRank(); ++i)
      if (start[i] != 0 || limit[i] != type.getDimSize(i) ||
          slice.getStrides()[i] != 1)
        return std::nullopt;
    return limit[0] == start[0] + 1 ? std::optional(start[0]) : std::nullopt;
  }
  auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op);
  if (!slice || slice.getSliceSizes()[0] != 1 ||
      slice.getSliceSizes().drop_front() != type.getShape().drop_front())
    return std::nullopt;
  DenseElementsAttr start = getConstant(slice.getStartIndices()[0]);
  if (!start)
    return std::nullopt;
  APInt at = start.getSplatValue<APInt>();
  int64_t index = start.getElementType().isUnsignedInteger()
                      ? static_cast<int64_t>(at.getLimitedValue(INT64_MAX))
                      : at.getSExtValue();
  return std::clamp<int64_t>(index, 0, type.getDimSize(0) - 1);
}

/// Returns true if element k of the first dim of the op's only result depends
/// on element k of the first dim of its operand `v`, and the op with a first
/// dim of 1 computes it.
bool worksByElement(Operation *op, Value v) {
  if (op->getNumResults() != 1)
    return false;
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  ArrayRef<int64_t> shape = shapeOf(v);
  if (!result || result.getRank() == 0 || shape.empty() ||
      result.getDimSize(0) != shape[0])
    return false;
  if (auto reverse = dyn_cast<stablehlo::ReverseOp>(op))
    return !llvm::is_contained(reverse.getDimensions(), 0);
  if (isa<stablehlo::CholeskyOp>(op))
    return shape.size() > 2;
  if (isa<stablehlo::SelectOp, stablehlo::ClampOp>(op))
    return true;
  if (op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
      op->hasTrait<OpTrait::SameOperandsAndResultType>())
    return isa<stablehlo::StableHLODialect, chlo::CHLODialect>(
        op->getDialect());
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    return call.getCallTargetName() == "zcc.stop_gradient";
  // The elements of a row-major reshape that keeps the first extent are its
  // parts.
  if (isa<stablehlo::ReshapeOp>(op))
    return true;
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op))
    return transpose.getPermutation()[0] == 0;
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op))
    return broadcast.getBroadcastDimensions()[0] == 0;
  if (auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(op))
    return concatenate.getDimension() != 0;
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op))
    return slice.getLimitIndices()[0] == shape[0] &&
           slice.getStartIndices()[0] == 0;
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    return reduce.getInputs()[0] == v &&
           !llvm::is_contained(reduce.getDimensions(), 0);
  return false;
}

/// Moves ops on stacks, which may also read other parameters, behind the slices
/// of their results. An op that depends on inputs, too, stays: a bias that is
/// added to three products in one tensor is no stack.
class Mover {
public:
  explicit Mover(func::FuncOp entry) {
    for (BlockArgument argument : entry.getArguments())
      if (!entry.getArgAttr(argument.getArgNumber(), parameterAttrName))
        ofInputs.insert(argument);
    for (Operation &op : entry.getBody().front())
      if (llvm::any_of(op.getOperands(),
                       [&](Value v) { return ofInputs.contains(v); }))
        ofInputs.insert(op.result_begin(), op.result_end());
  }

  /// Adds a stack. Nothing changes if it, or a value that is computed of it, is
  /// read other than one element at a time.
  void add(Value stack) {
    if (isSliced(stack))
      addUsers(stack);
  }

  /// Moves the ops of `block` that compute something of the stacks.
  void move(Block &block) {
    // The last op comes first, so that its operands are sliced when it is their
    // turn.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (moved.contains(&op))
        moveBehindSlices(&op);
  }

private:
  DenseSet<Value> ofInputs; // depend on them
  DenseMap<Value, bool> known;
  DenseSet<Operation *> moved;

  /// Returns true if slices of one element are all that reads `v` and what ops
  /// compute of it by element.
  bool isSliced(Value v) {
    if (auto before = known.find(v); before != known.end())
      return before->second;
    bool all = !v.use_empty() && llvm::all_of(v.getUsers(), [&](auto *user) {
      return getSlicedIndex(user, v) ||
             (worksByElement(user, v) &&
              !ofInputs.contains(user->getResult(0)) &&
              isSliced(user->getResult(0)));
    });
    return known[v] = all;
  }

  void addUsers(Value v) {
    for (Operation *user : v.getUsers())
      if (!getSlicedIndex(user, v) && moved.insert(user).second)
        addUsers(user->getResult(0));
  }

  void moveBehindSlices(Operation *op) {
    Value whole = op->getResult(0);
    auto type = cast<RankedTensorType>(whole.getType());
    SmallVector<Value> parts(type.getDimSize(0));
    for (Operation *user : llvm::make_early_inc_range(whole.getUsers())) {
      Value &part = parts[*getSlicedIndex(user, whole)];
      if (!part)
        part = computePart(op, *getSlicedIndex(user, whole));
      user->getResult(0).replaceAllUsesWith(part);
      user->erase();
    }
    op->erase();
  }

  /// Returns element `k` of the first dim of the op's result, with that dim.
  static Value computePart(Operation *op, int64_t k) {
    OpBuilder b(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<Value> operands;
    for (auto [i, v] : llvm::enumerate(op->getOperands()))
      operands.push_back(isSpread(op, i) ? v : slice(b, op->getLoc(), v, k));
    Operation *part = b.clone(*op);
    part->setOperands(operands);
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = 1;
    part->getResult(0).setType(type.clone(shape));
    if (auto whole = dyn_cast<stablehlo::SliceOp>(part)) {
      SmallVector<int64_t> limit(whole.getLimitIndices());
      limit[0] = 1;
      whole.setLimitIndices(limit);
    }
    return part->getResult(0);
  }

  /// Returns true if all elements of the op's first dim read the whole operand
  /// `i`: a predicate or limit that is a scalar, the start of a sum.
  static bool isSpread(Operation *op, unsigned i) {
    if (isa<stablehlo::ReduceOp>(op))
      return i > 0;
    return shapeOf(op->getOperand(i)).empty();
  }

  /// Returns element `k` of the first dim of `v`, with that dim.
  static Value slice(OpBuilder &b, Location loc, Value v, int64_t k) {
    auto type = cast<RankedTensorType>(v.getType());
    SmallVector<int64_t> start(type.getRank(), 0), limit(type.getShape()),
        stride(type.getRank(), 1), shape(type.getShape());
    shape[0] = 1;
    // A scalar that was broadcast is broadcast less far.
    if (auto broadcast = v.getDefiningOp<stablehlo::BroadcastInDimOp>();
        broadcast && !llvm::is_contained(broadcast.getBroadcastDimensions(), 0))
      return stablehlo::BroadcastInDimOp::create(
          b, loc, type.clone(shape), broadcast.getOperand(),
          broadcast.getBroadcastDimensions());
    if (DenseElementsAttr constant = getConstant(v);
        constant && constant.isSplat())
      return stablehlo::ConstantOp::create(
          b, loc, constant.resizeSplat(type.clone(shape)));
    start[0] = k;
    limit[0] = k + 1;
    return stablehlo::SliceOp::create(b, loc, type.clone(shape), v, start,
                                      limit, stride);
  }
};

struct SplitStacks : impl::SplitStacksBase<SplitStacks> {
  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry)
      return;
    Block &block = entry.getBody().front();
    Mover mover(entry);
    for (auto [i, argument] : llvm::enumerate(block.getArguments()))
      if (isStack(entry, i, argument))
        mover.add(argument);
    mover.move(block);
    SmallVector<DictionaryAttr> attributes;
    SmallVector<Type> types;
    unsigned at = 0; // the number of the block's next argument
    for (unsigned i = 0, n = entry.getNumArguments(); i < n; ++i) {
      DictionaryAttr attrs = entry.getArgAttrDict(i);
      if (!attrs)
        attrs = DictionaryAttr::get(&getContext());
      BlockArgument stack = block.getArgument(at);
      if (!isSplit(entry, i, stack)) {
        attributes.push_back(attrs);
        types.push_back(stack.getType());
        ++at;
        continue;
      }
      at = split(block, stack, attrs, attributes, types);
    }
    if (types.size() == entry.getNumArguments())
      return;
    entry.setFunctionType(
        FunctionType::get(&getContext(), types, entry.getResultTypes()));
    entry.setAllArgAttrs(attributes);
  }

  /// Returns true if `argument`, the function's argument `i`, may be a stack.
  bool isStack(func::FuncOp entry, unsigned i, BlockArgument argument) {
    auto type = cast<RankedTensorType>(argument.getType());
    return entry.getArgAttr(i, parameterAttrName) &&
           !entry.getArgAttr(i, partAttrName) && type.getRank() > 0 &&
           type.getDimSize(0) >= 2;
  }

  bool isSplit(func::FuncOp entry, unsigned i, BlockArgument stack) {
    auto type = cast<RankedTensorType>(stack.getType());
    if (!isStack(entry, i, stack))
      return false;
    DenseSet<int64_t> seen;
    for (Operation *user : stack.getUsers()) {
      std::optional<int64_t> index = getSlicedIndex(user, stack);
      if (!index)
        return false;
      seen.insert(*index);
    }
    // An element that is not read would have no place.
    return static_cast<int64_t>(seen.size()) == type.getDimSize(0);
  }

  /// Replaces `stack` by its elements. Returns the number of the argument after
  /// them.
  unsigned split(Block &block, BlockArgument stack, DictionaryAttr attrs,
                 SmallVectorImpl<DictionaryAttr> &attributes,
                 SmallVectorImpl<Type> &types) {
    auto type = cast<RankedTensorType>(stack.getType());
    auto element = RankedTensorType::get(type.getShape().drop_front(),
                                         type.getElementType());
    unsigned at = stack.getArgNumber();
    Builder b(&getContext());
    SmallVector<Value> parts;
    for (int64_t k = 0, n = type.getDimSize(0); k < n; ++k) {
      parts.push_back(
          block.insertArgument(at + 1 + k, element, stack.getLoc()));
      SmallVector<int64_t> start(type.getRank(), 0);
      start[0] = k;
      NamedAttrList list(attrs);
      list.set(partAttrName, b.getDenseI64ArrayAttr(start));
      list.set(fileShapeAttrName, b.getDenseI64ArrayAttr(type.getShape()));
      attributes.push_back(list.getDictionary(&getContext()));
      types.push_back(element);
    }
    for (Operation *user : llvm::make_early_inc_range(stack.getUsers())) {
      Value part = parts[*getSlicedIndex(user, stack)];
      Value sliced = user->getResult(0);
      OpBuilder at(user);
      for (Operation *next : llvm::make_early_inc_range(sliced.getUsers()))
        if (isa<stablehlo::ReshapeOp>(next) &&
            next->getResult(0).getType() == element) {
          next->getResult(0).replaceAllUsesWith(part);
          next->erase();
        }
      if (!sliced.use_empty())
        sliced.replaceAllUsesWith(stablehlo::ReshapeOp::create(
            at, user->getLoc(), sliced.getType(), part));
      user->erase();
    }
    block.eraseArgument(at);
    return at + type.getDimSize(0);
  }
};
} // namespace
} // namespace zcc
