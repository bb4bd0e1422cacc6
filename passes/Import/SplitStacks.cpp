// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scan over layers reads its stacked parameters one layer at a time. After
// unrolling each read is a slice, so the stack can become one argument for each
// layer. Later phases shard, place and gather these one by one.
#include "dialects/StableHLO/StableHLO.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"

using namespace mlir;

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

struct SplitStacks : impl::SplitStacksBase<SplitStacks> {
  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry)
      return;
    Block &block = entry.getBody().front();
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

  bool isSplit(func::FuncOp entry, unsigned i, BlockArgument stack) {
    auto type = cast<RankedTensorType>(stack.getType());
    if (!entry.getArgAttr(i, parameterAttrName) ||
        entry.getArgAttr(i, partAttrName) || type.getRank() == 0 ||
        type.getDimSize(0) < 2)
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
