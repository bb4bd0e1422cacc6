// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies values that hold no data of their own along a dim (a constant, an
// index, a broadcast), so that they do not tie the dims of those that read
// them. Otherwise an axis would spread through a splat of zeros from the batch
// to any dim that has the same extent. Dims that other ops tie are of one
// class; each combination of classes that readers have reads its own copy. It
// goes from the last op to the first, so that the operands of a copy are copied
// as their readers are. Shardy splits constants by use; by class a deep model
// hardly grows.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Place/DimClasses.h"
#include <map>

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_SPLITCONSTANTS
#include "passes/Distribute/Passes.h.inc"

namespace {
using train::FactorRule;

class Splitter {
public:
  explicit Splitter(Block &block) : block(block) { collectRules(block, step); }

  void run() {
    for (Operation &op : block)
      if (const FactorRule *rule = ruleOf(&op))
        findFree(&op, *rule);
    if (free.empty())
      return;
    joinDims();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (free.contains(&op))
        split(&op);
  }

private:
  // An op that may be copied: the dims of its result that hold no data, and the
  // cost of a copy.
  struct Free {
    SmallVector<bool, 4> dims;
    unsigned ops = 1; // it, and the ops that are copied with it
    Operation *original = nullptr;
    SmallVector<unsigned> classes; // of its free dims, as its readers have them
  };
  using Classes = std::vector<unsigned>; // one a dim
  static constexpr unsigned none = 0, whole = 1, firstClass = 2;

  const FactorRule *ruleOf(Operation *op) const {
    auto it = step.ops.find(op);
    return it == step.ops.end() ? nullptr : &it->second.rule;
  }
  bool isFree(Value v, unsigned dim) const {
    auto it = free.find(v.getDefiningOp());
    return it != free.end() && it->second.dims[dim];
  }
  bool isAllFree(Value v) const {
    auto it = free.find(v.getDefiningOp());
    return it != free.end() && !llvm::is_contained(it->second.dims, false);
  }

  // Returns true if the op is cheap to do again, alone or together with its
  // operands.
  bool mayCopy(Operation *op) const {
    if (op->getNumResults() != 1 || isa<train::ShardingConstraintOp>(op))
      return false;
    if (isa<train::ConstantOp, train::BroadcastOp>(op))
      return true;
    if (isa<train::IotaOp>(op))
      return op->getNumOperands() == 0;
    if (isa<train::ConvertOp, train::ReshapeOp, train::TransposeOp>(op))
      return free.contains(op->getOperand(0).getDefiningOp());
    return (op->hasTrait<train::ElementwiseOp>() ||
            op->hasTrait<train::DataMovementOp>()) &&
           llvm::all_of(op->getOperands(), [&](Value v) {
             return rankOf(v) == 0 || isAllFree(v);
           });
  }

  void findFree(Operation *op, const FactorRule &rule) {
    constexpr unsigned mostOps = 64; // no more than a mask or a position takes
    if (!mayCopy(op))
      return;
    Free own;
    own.original = op;
    DenseSet<unsigned> data; // factors along which operands hold some
    for (auto [v, tensor] : llvm::zip_equal(op->getOperands(), rule.operands)) {
      if (auto it = free.find(v.getDefiningOp()); it != free.end())
        own.ops += it->second.ops;
      for (auto [d, dim] : llvm::enumerate(tensor))
        if (!isFree(v, d))
          data.insert_range(dim);
    }
    for (const FactorRule::Dim &dim : rule.results[0])
      own.dims.push_back(llvm::none_of(
          dim, [&](unsigned factor) { return data.contains(factor); }));
    if (own.ops <= mostOps && llvm::is_contained(own.dims, true))
      free[op] = std::move(own);
  }

  // Joins the dims that ops tie, except through free dims.
  void joinDims() {
    unsigned count = 0;
    auto add = [&](Value v) {
      firstDim[v] = count;
      count += rankOf(v);
    };
    for (Value argument : block.getArguments())
      add(argument);
    for (Operation &op : block) {
      for (Value result : op.getResults())
        add(result);
      if (const FactorRule *rule = ruleOf(&op)) {
        firstFactor[&op] = count;
        count += rule->factors.size();
      }
    }
    classes.grow(count);
    for (auto [op, first] : firstFactor) {
      const FactorRule &rule = *ruleOf(op);
      auto join = [&, first = first](Value v, const FactorRule::Tensor &tensor) {
        for (auto [d, dim] : llvm::enumerate(tensor)) {
          int factor = carrierOf(dim);
          if (factor >= 0 && !mustBeWhole(rule, factor) && !isFree(v, d))
            classes.join(firstDim.lookup(v) + d, first + factor);
        }
      };
      for (auto [v, tensor] : llvm::zip_equal(op->getOperands(), rule.operands))
        join(v, tensor);
      for (auto [v, tensor] : llvm::zip_equal(op->getResults(), rule.results))
        join(v, tensor);
    }
    classes.compress();
  }

  // Returns the class that a reader, or a copy of one, gives to one of its
  // factors.
  unsigned classOf(Operation *op, int factor) const {
    auto copy = free.find(op);
    Operation *original =
        copy == free.end() ? op : copy->second.original;
    if (copy != free.end())
      for (auto [d, dim] : llvm::enumerate(ruleOf(original)->results[0]))
        if (carrierOf(dim) == factor && copy->second.dims[d])
          return copy->second.classes[d];
    return firstClass + classes[firstFactor.lookup(original) + factor];
  }

  Classes readAs(OpOperand &use) const {
    Value v = use.get();
    Operation *op = use.getOwner();
    auto copy = free.find(op);
    const FactorRule *rule =
        ruleOf(copy == free.end() ? op : copy->second.original);
    Classes list(rankOf(v), none);
    for (auto [d, extent] : llvm::enumerate(train::shapeOf(v))) {
      if (extent == 1 || !isFree(v, d))
        continue;
      list[d] = whole;
      if (!rule)
        continue;
      int factor = carrierOf(rule->operands[use.getOperandNumber()][d]);
      if (factor >= 0 && !mustBeWhole(*rule, factor))
        list[d] = classOf(op, factor);
    }
    return list;
  }

  void split(Operation *op) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      uses.push_back(&use);
    llvm::sort(uses, [](OpOperand *a, OpOperand *b) {
      return a->getOwner() == b->getOwner()
                 ? a->getOperandNumber() < b->getOperandNumber()
                 : a->getOwner()->isBeforeInBlock(b->getOwner());
    });
    std::map<Classes, Operation *> copies;
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    for (OpOperand *use : uses) {
      Classes read = readAs(*use);
      auto [at, isNew] = copies.try_emplace(read, op);
      if (isNew) {
        if (copies.size() > 1) {
          at->second = b.clone(*op);
          Free own = free.find(op)->second;
          free[at->second] = std::move(own);
        }
        free[at->second].classes.assign(read.begin(), read.end());
      }
      use->set(at->second->getResult(0));
    }
  }

  Block &block;
  StepSharding step; // its rules
  DenseMap<Operation *, Free> free;
  DenseMap<Value, unsigned> firstDim; // ids in `classes`
  llvm::MapVector<Operation *, unsigned> firstFactor;
  llvm::IntEqClasses classes;
};

struct SplitConstants : impl::SplitConstantsBase<SplitConstants> {
  using SplitConstantsBase::SplitConstantsBase;

  void runOnOperation() override {
    func::FuncOp func = getStep(getOperation());
    if (func && !func.isExternal() && func.getBody().hasOneBlock())
      Splitter(func.getBody().front()).run();
  }
};
} // namespace
} // namespace zcc
