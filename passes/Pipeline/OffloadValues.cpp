// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the states and residuals that live in the host's memory: all of the
// kinds that are asked for, but values so small that they would only cost the
// latency of a copy. Under `auto` it moves as many bytes as it must, and first
// those that cost the fewest seconds a byte. Copies of residuals overlap
// computation if the machine's links work beside its devices. States of the
// update are copied to the device and back at the same time.
#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Distribute/Sharding/CollectiveAccount.h"
#include "passes/Pipeline/Decisions.h"
#include "passes/Pipeline/Pipeline.h"
#include "planning/CostModel.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <set>

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_OFFLOADVALUES
#include "passes/Pipeline/Passes.h.inc"

namespace {
/// A value that may be moved.
struct Candidate {
  int64_t bytes;
  int64_t stage;
  bool isResidual;
  std::function<void()> move;
};

class Offloader {
public:
  explicit Offloader(ModuleOp module) : module(module) {}

  LogicalResult run(planning::OffloadKind kind) {
    using Kind = planning::OffloadKind;
    std::vector<Candidate> all = kind == Kind::Activations
                                     ? findResiduals()
                                     : findStates(kind != Kind::Parameters);
    if (all.empty())
      return module.emitError("--offload=")
             << planning::printKind(kind)
             << ": the program has nothing of the kind";
    // The smallest values stay if their sum is less than this share of all
    // bytes.
    constexpr int64_t smallShare = 100;
    int64_t sum = 0, small = 0;
    for (const Candidate &one : all)
      sum += one.bytes;
    llvm::stable_sort(all, [](const Candidate &a, const Candidate &b) {
      return a.bytes < b.bytes;
    });
    for (const Candidate &one : all) {
      small += one.bytes;
      if (small * smallShare >= sum)
        one.move();
    }
    return success();
  }

  /// Moves the given bytes of each stage, the cheapest values first.
  LogicalResult runAuto(double asked, const planning::Machine &machine) {
    MeshOp mesh = getMesh(module);
    planning::CostModel model(machine, mesh ? mesh.getDevices() : 1);
    std::vector<Candidate> all = findStates(/*ofOptimizer=*/true);
    llvm::append_range(all, findResiduals());
    std::set<int64_t> stages;
    for (const Candidate &one : all)
      stages.insert(one.stage);
    int64_t bytes = 0, residuals = 0, states = 0;
    double most = 0, seconds = 0;
    OffloadDecision decided;
    for (int64_t stage : stages) {
      planning::OffloadProblem problem;
      double microbatches = countMicrobatches(stage), sum = 0;
      std::vector<Candidate> own;
      for (const Candidate &one : all)
        if (one.stage == stage) {
          double copy =
              model.transferSeconds(MemorySpace::Host, double(one.bytes));
          // A residual is copied there and back for each microbatch. States are
          // copied both ways at once in the update, if links work both ways.
          problem.values.push_back({double(one.bytes),
                                    one.isResidual
                                        ? 2 * microbatches * copy
                                        : (model.overlaps() ? 1 : 2) * copy,
                                    one.isResidual});
          own.push_back(one);
          sum += double(one.bytes);
        }
      // Share of the time that copies may overlap.
      constexpr double hiding = 0.9;
      if (model.overlaps() && mesh)
        problem.hiddenSeconds =
            hiding * 2 * microbatches * secondsBeside(stage, mesh, model);
      planning::OffloadChoice choice = planning::chooseOffload(problem, asked);
      if (std::string wrong = planning::verifyOffload(problem, asked, choice);
          !wrong.empty())
        return module.emitError("--offload=auto: the choice for stage ")
               << stage << " is wrong: " << wrong;
      for (auto [one, moves] : llvm::zip(own, choice.moved))
        if (moves) {
          one.move();
          bytes += one.bytes;
          ++(one.isResidual ? residuals : states);
        }
      seconds = std::max(seconds, choice.seconds);
      if (sum >= most) { // this stage has most to move so far
        most = sum;
        decided.problem = std::move(problem);
        decided.moved = choice.bytes;
      }
    }
    decided.asked = std::min(asked, most);
    FailureOr<MemoryDecisions> decisions = MemoryDecisions::read(module);
    if (failed(decisions))
      return failure();
    decisions->offload = std::move(decided);
    decisions->write(module);
    if (bytes == 0)
      return success();
    Builder b(module.getContext());
    auto entry = [&](StringRef name, int64_t count) {
      return b.getNamedAttr(name, b.getI64IntegerAttr(count));
    };
    module->setAttr(offloadedAttrName,
                    b.getDictionaryAttr(
                        {entry("bytes", bytes), entry("residuals", residuals),
                         b.getNamedAttr("seconds", b.getF64FloatAttr(seconds)),
                         entry("states", states)}));
    return success();
  }

private:
  double countMicrobatches(int64_t stage) {
    double count = 0;
    for (auto table : module.getOps<ScheduleOp>())
      if (static_cast<int64_t>(table.getStage()) == stage)
        for (auto run : table.getOps<RunOp>()) {
          auto task = module.lookupSymbol<func::FuncOp>(run.getTask());
          count += task && taskKindOf(task) == TaskKind::Forward;
        }
    return std::max(count, 1.0);
  }

  /// Returns the seconds that the shorter of the forward and the backward pass
  /// computes for a microbatch.
  double secondsBeside(int64_t stage, MeshOp mesh,
                       const planning::CostModel &model) {
    CollectiveAccounts accounts(mesh);
    double forward = 0, backward = 0;
    for (auto task : module.getOps<func::FuncOp>()) {
      if (!task->hasAttr(taskAttrName) || getStage(task) != stage)
        continue;
      double sum = 0;
      for (Operation &op : task.getBody().front().without_terminator())
        if (!isa<CollectiveOpInterface>(op))
          sum += accounts.secondsOf(&op, model);
      forward += taskKindOf(task) == TaskKind::Forward ? sum : 0;
      backward += taskKindOf(task) == TaskKind::Backward ? sum : 0;
    }
    return std::min(forward, backward);
  }

  std::vector<Candidate> findStates(bool ofOptimizer) {
    std::vector<Candidate> out;
    for (auto state : module.getOps<StateOp>())
      if (isOfOptimizer(state.getKind()) == ofOptimizer)
        out.push_back(
            {static_cast<int64_t>(bytesOfType(state.getType())),
             static_cast<int64_t>(state.getStage()), false, [state]() mutable {
               state->setAttr(memoryAttrName,
                              makeSpace(state.getContext(), MemorySpace::Host));
             }});
    return out;
  }

  /// Returns the values that a forward task keeps for a backward task of its
  /// stage. Values that are sent are left out: they cross from device to
  /// device.
  std::vector<Candidate> findResiduals() {
    using Key = std::pair<int64_t, StringRef>; // stage, name
    std::set<Key> read;
    llvm::StringSet<> sent;
    module.walk([&](SendOp send) { sent.insert(send.getValue()); });
    for (auto task : module.getOps<func::FuncOp>())
      if (std::optional<TaskKind> kind = taskKindOf(task);
          kind && isBackward(*kind))
        for (unsigned i = 0; i < task.getNumArguments(); ++i)
          if (auto name = task.getArgAttrOfType<StringAttr>(i, valueAttrName))
            read.insert({getStage(task), name.getValue()});
    std::vector<Candidate> out;
    for (auto task : module.getOps<func::FuncOp>()) {
      if (taskKindOf(task) != TaskKind::Forward)
        continue;
      for (unsigned i = 0; i < task.getNumResults(); ++i) {
        auto name = task.getResultAttrOfType<StringAttr>(i, valueAttrName);
        auto fate = task.getResultAttrOfType<FateAttr>(i, fateAttrName);
        if (!name || !fate || !isStored(fate.getValue()) ||
            task.getResultAttr(i, categoryAttrName) ||
            sent.contains(name.getValue()) ||
            !read.count({getStage(task), name.getValue()}))
          continue;
        out.push_back(
            {static_cast<int64_t>(bytesOfType(task.getResultTypes()[i])),
             getStage(task), true, [task, i, fate]() mutable {
               task.setResultAttr(
                   i, fateAttrName,
                   FateAttr::get(task.getContext(), planning::Fate::Moved,
                                 fate.getFormat(), MemorySpace::Host));
             }});
      }
    }
    return out;
  }

  ModuleOp module;
};

struct OffloadValues : impl::OffloadValuesBase<OffloadValues> {
  using Base::Base;
  OffloadValues(const OffloadValuesOptions &options,
                const planning::Machine &machine)
      : Base(options), machine(machine) {}
  planning::Machine machine;

  void runOnOperation() override {
    Offloader offloader(getOperation());
    if (kinds.isAuto) {
      if (failed(offloader.runAuto(bytes, machine)))
        signalPassFailure();
      return;
    }
    for (planning::OffloadKind kind : kinds.kinds)
      if (failed(offloader.run(kind)))
        return signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> createOffloadValues(const OffloadValuesOptions &options,
                                          const planning::Machine &machine) {
  return std::make_unique<OffloadValues>(options, machine);
}
} // namespace zcc
