// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves each value only once to each place. If one value has two equal reshards
// or collectives in one part of the step (tag, region), the first one serves
// the users of both. A value that comes back to where it was is replaced by the
// value itself. This is common subexpression elimination (Cocke, Global common
// subexpression elimination, 1970) that ignores the name and the reason of a
// collective. A parameter that is gathered again (its fate) stays apart from
// one that is not: each task that reads it gathers it anew.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Sharding/Placement.h"

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_MERGECOLLECTIVES
#include "passes/Distribute/Passes.h.inc"

namespace {
bool isCollective(Operation *op) {
  return isa<ReshardOp, CollectiveOpInterface>(op);
}

// Returns the attributes that decide what is computed, and in which part of the
// step.
DictionaryAttr meaningOf(Operation *op) {
  SmallVector<NamedAttribute> kept;
  for (NamedAttribute attribute : op->getAttrs())
    if (!llvm::is_contained({"what", "value", "why"},
                            attribute.getName().getValue()))
      kept.push_back(attribute);
  return DictionaryAttr::get(op->getContext(), kept);
}

struct MergeCollectives : impl::MergeCollectivesBase<MergeCollectives> {
  using MergeCollectivesBase::MergeCollectivesBase;

  void merge(Block &block) {
    using Key = std::tuple<OperationName, Value, Type, DictionaryAttr>;
    DenseMap<Key, Operation *> first;
    SmallVector<Operation *> left; // perhaps without users
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!isCollective(&op))
        continue;
      if (auto reshard = dyn_cast<ReshardOp>(op)) {
        // A value that goes there and back is not moved. Sums cannot be undone.
        auto there = reshard.getOperand().getDefiningOp<ReshardOp>();
        if (there && there.getFrom() == reshard.getTo() &&
            there.getTo() == reshard.getFrom() &&
            there.getFrom().getPartial().empty() &&
            there.getTo().getPartial().empty()) {
          reshard.replaceAllUsesWith(there.getOperand());
          reshard.erase();
          if (!llvm::is_contained(left, there))
            left.push_back(there);
          continue;
        }
      }
      Key key(op.getName(), op.getOperand(0), op.getResult(0).getType(),
              meaningOf(&op));
      auto [at, isNew] = first.try_emplace(key, &op);
      if (isNew)
        continue;
      op.replaceAllUsesWith(at->second);
      op.erase();
    }
    for (Operation *op : llvm::reverse(left))
      if (op->use_empty())
        op->erase();
  }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal())
        merge(func.getBody().front());
  }
};
} // namespace
} // namespace zcc
