// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fixes the shardings of the step's arguments (the batch over `data`, state
// whole), propagates them, decides where partial values are reduced, and writes
// it all into the IR: one sharding a value, one reshard a value and demand.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Propagation.h"
#include "passes/Distribute/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_SHARDSTEP
#include "passes/Distribute/Passes.h.inc"

namespace {
// Order of the parts of a step; what is not tagged ends it.
enum Part { Forward, Backward, Update };
constexpr StringLiteral partNames[] = {"forward", "backward", "update"};

Part partOf(Operation *op) {
  auto tag = op->getAttrOfType<StringAttr>(train::tagAttrName);
  for (Part part : {Forward, Backward})
    if (tag && tag.getValue() == partNames[part])
      return part;
  return Update;
}

struct ShardStep : impl::ShardStepBase<ShardStep> {
  using ShardStepBase::ShardStepBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp meshOp = getMesh(module);
    if (!meshOp) {
      module.emitError("the module has no dist.mesh");
      return signalPassFailure();
    }
    MeshAxes mesh(meshOp);
    for (func::FuncOp func : module.getOps<func::FuncOp>()) {
      if (func.isExternal() || !func.getBody().hasOneBlock()) {
        func.emitError("expected a function of one block, found ")
            << func.getBody().getBlocks().size();
        return signalPassFailure();
      }
      StepSharding step;
      for (BlockArgument argument : func.getArguments())
        step.fixed[argument] = DimAxes(rankOf(argument));
      if (func.getSymName() == "step" && failed(shardBatch(func, mesh, step)))
        return signalPassFailure();
      Block &block = func.getBody().front();
      propagate(block, mesh, step);
      write(func, mesh, step, placePartials(block, mesh, step));
    }
  }

  // ------------------------------------------------------------ the batch

  // The inputs whose first dim is the batch: the extent that most inputs have
  // in front, the larger of two as frequent.
  FailureOr<SmallVector<BlockArgument>> batchedInputs(func::FuncOp func) {
    llvm::StringSet<> names;
    SmallVector<BlockArgument> inputs;
    for (BlockArgument argument : func.getArguments()) {
      auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    zcc::inputAttrName);
      if (!name)
        continue;
      names.insert(name.getValue());
      if (rankOf(argument) > 0 &&
          !llvm::is_contained(notBatched, name.getValue()))
        inputs.push_back(argument);
    }
    for (const std::string &name : notBatched)
      if (!names.contains(name))
        return func.emitError("no input is named '")
               << name << "', which is said not to be batched";
    std::map<int64_t, int> count;
    for (BlockArgument input : inputs)
      ++count[train::shapeOf(input)[0]];
    int64_t batch = 0;
    for (auto [extent, times] : count) // ascending
      if (batch == 0 || times >= count[batch])
        batch = extent;
    llvm::erase_if(inputs, [&](BlockArgument input) {
      return train::shapeOf(input)[0] != batch;
    });
    return inputs;
  }

  LogicalResult shardBatch(func::FuncOp func, const MeshAxes &mesh,
                           StepSharding &step) {
    FailureOr<SmallVector<BlockArgument>> inputs = batchedInputs(func);
    if (failed(inputs))
      return failure();
    for (unsigned axis = 0; axis < mesh.size(); ++axis) {
      if (mesh.nameOf(axis) != "data")
        return func.emitError("not yet: mesh axis '")
               << mesh.nameOf(axis) << "'; only 'data' works";
      if (mesh.sizeOf(axis) == 1)
        continue;
      if (inputs->empty())
        func.emitWarning("no input has a batch: every device of axis '")
            << mesh.nameOf(axis) << "' does the same work";
      for (BlockArgument input : *inputs) {
        int64_t batch = train::shapeOf(input)[0];
        if (batch % mesh.sizeOf(axis) != 0)
          return emitError(input.getLoc(), "not yet: input '")
                 << argumentName(input) << "' has a batch of " << batch
                 << ", which " << mesh.sizeOf(axis) << " devices of axis '"
                 << mesh.nameOf(axis) << "' do not divide evenly";
        step.fixed[input][0].push_back(axis);
      }
    }
    return success();
  }

  // ------------------------------------------------------------ writing it
  // down

  struct Writer {
    const MeshAxes &mesh;
    const StepSharding &step;
    const Partials &partials;
    Part last; // the part that what is not tagged belongs to

    Placement computed(Value v) const {
      Placement placement;
      auto result = dyn_cast<OpResult>(v);
      auto it = result ? step.ops.find(result.getOwner()) : step.ops.end();
      if (!result)
        placement.dims = step.fixed.lookup(v);
      else if (it != step.ops.end())
        placement = it->second.result(mesh, result.getResultNumber());
      else
        placement.dims.resize(rankOf(v));
      auto partial = partials.values.find(v);
      if (partial != partials.values.end()) {
        placement.partial = partial->second.axes;
        placement.reduction = partial->second.kind;
      }
      return placement;
    }

    Placement demanded(OpOperand &use, const Placement &from) const {
      Placement placement;
      auto it = step.ops.find(use.getOwner());
      if (it != step.ops.end())
        placement = it->second.operand(mesh, use.getOperandNumber());
      else
        placement.dims.resize(from.dims.size());
      auto partial = partials.values.find(use.get());
      if (partial != partials.values.end()) {
        placement.partial = partial->second.kept;
        placement.reduction = partial->second.kind;
      }
      return placement;
    }

    std::string reason(Operation *user, const Placement &from,
                       const Placement &to) const {
      std::string text;
      llvm::raw_string_ostream os(text);
      auto axes = [&](ArrayRef<unsigned> list) {
        llvm::interleave(
            list, os, [&](unsigned axis) { os << mesh.nameOf(axis); }, ", ");
      };
      if (from.partial != to.partial) {
        AxisList reduced;
        llvm::copy_if(from.partial, std::back_inserter(reduced),
                      [&](unsigned axis) {
                        return !llvm::is_contained(to.partial, axis);
                      });
        os << "each device of ";
        axes(reduced);
        os << " has a part of the "
           << (from.reduction == train::ReduceKind::add ? "sum" : "reduction")
           << "; ";
      }
      os << user->getName() << " needs it ";
      bool any = false;
      for (auto [d, list] : llvm::enumerate(to.dims))
        if (!list.empty()) {
          os << (any ? ", " : "") << "split over ";
          axes(list);
          os << " in dim " << d;
          any = true;
        }
      if (!any)
        os << "whole";
      return text;
    }

    Value reshard(Value v, const Placement &from, const Placement &to,
                  ArrayRef<Operation *> users) const {
      OpBuilder b(v.getContext());
      b.setInsertionPointAfterValue(v);
      // With the first user, but not before the value: a reduced gradient
      // belongs to the update, so that it is done once.
      Part part = last;
      for (Operation *user : users)
        part = std::min(part, user->hasAttr(train::tagAttrName) ? partOf(user)
                                                                : last);
      if (Operation *op = v.getDefiningOp();
          op && op->hasAttr(train::tagAttrName))
        part = std::max(part, partOf(op));
      auto reshard = ReshardOp::create(
          b, v.getLoc(), v, mesh.toAttr(from), mesh.toAttr(to),
          b.getStringAttr(reason(users.front(), from, to)));
      reshard->setAttr(train::tagAttrName, b.getStringAttr(partNames[part]));
      reshard->setAttr(shardingsAttrName, b.getArrayAttr({mesh.toAttr(to)}));
      return reshard;
    }

    void handle(Value v) const {
      Placement from = computed(v);
      SmallVector<std::pair<Placement, SmallVector<OpOperand *>>> demands;
      for (OpOperand &use : v.getUses()) {
        Placement to = demanded(use, from);
        if (to == from)
          continue;
        auto *it =
            llvm::find_if(demands, [&](auto &d) { return d.first == to; });
        if (it == demands.end())
          it = &demands.emplace_back(to, SmallVector<OpOperand *>());
        it->second.push_back(&use);
      }
      if (demands.empty())
        return;
      auto usersOf = [](ArrayRef<OpOperand *> uses) {
        SmallVector<Operation *> users;
        for (OpOperand *use : uses)
          users.push_back(use->getOwner());
        llvm::sort(users, [](Operation *a, Operation *b) {
          return a->isBeforeInBlock(b);
        });
        return users;
      };
      // By first user, which the order of the use list is not.
      llvm::sort(demands, [&](auto &a, auto &b) {
        return usersOf(a.second).front()->isBeforeInBlock(
            usersOf(b.second).front());
      });
      Value source = v;
      if (demands.size() > 1 && demands.front().first.partial != from.partial) {
        // Reduced once, for all.
        Placement reduced = from;
        reduced.partial = demands.front().first.partial;
        SmallVector<OpOperand *> all;
        for (auto &[to, uses] : demands)
          all.append(uses);
        source = reshard(v, from, reduced, usersOf(all));
        from = reduced;
      }
      for (auto &[to, uses] : demands) {
        Value result =
            to == from ? source : reshard(source, from, to, usersOf(uses));
        for (OpOperand *use : uses)
          use->set(result);
      }
    }
  };

  void write(func::FuncOp func, const MeshAxes &mesh, const StepSharding &step,
             const Partials &partials) {
    Block &block = func.getBody().front();
    Part last = Forward;
    for (Operation &op : block)
      if (op.hasAttr(train::tagAttrName) || isa<ObserveOp>(op))
        last = std::max(last, partOf(&op));
    Writer writer{mesh, step, partials, last};
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    SmallVector<Attribute> argumentShardings;
    for (BlockArgument argument : func.getArguments()) {
      argumentShardings.push_back(mesh.toAttr(writer.computed(argument)));
      writer.handle(argument);
    }
    setArgumentAttributes(func, shardingAttrName, argumentShardings);
    for (Operation *op : ops) {
      if (op->getNumResults() == 0)
        continue;
      SmallVector<Attribute> shardings;
      for (Value result : op->getResults())
        shardings.push_back(mesh.toAttr(writer.computed(result)));
      op->setAttr(shardingsAttrName, ArrayAttr::get(&getContext(), shardings));
      for (Value result : op->getResults())
        writer.handle(result);
    }
  }
};
} // namespace
} // namespace zcc
