// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which states and which of the values that the backward pass reads live in the
// host's memory: all of the kinds that are asked for, but what is so small that
// it would only cost the latency of a copy.
#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pipeline/Pipeline.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <set>

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_OFFLOADVALUES
#include "passes/Pipeline/Passes.h.inc"

namespace {
/// What may be moved, by how much it takes.
struct Candidate {
  int64_t bytes;
  std::function<void()> move;
};

class Offloader {
public:
  explicit Offloader(ModuleOp module) : module(module) {}

  LogicalResult run(StringRef kind) {
    std::vector<Candidate> all = kind == "activations"
                                     ? findResiduals()
                                     : findStates(kind == "parameters");
    if (all.empty())
      return module.emitError("--offload=")
             << kind << ": the program has nothing of the kind";
    // Of the small ones, as many as are less than this share of all stay.
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

private:
  std::vector<Candidate> findStates(bool parameters) {
    std::vector<Candidate> out;
    for (auto state : module.getOps<StateOp>())
      if ((state.getKind() == "parameter") == parameters)
        out.push_back({bytesOf(state.getType()), [state]() mutable {
                         state->setAttr(
                             memoryAttrName,
                             StringAttr::get(state.getContext(), hostMemory));
                       }});
    return out;
  }

  /// What a forward task keeps for a backward task of its stage. What is sent
  /// crosses from device to device.
  std::vector<Candidate> findResiduals() {
    using Key = std::pair<int64_t, StringRef>; // stage, name
    std::set<Key> read;
    llvm::StringSet<> sent;
    module.walk([&](SendOp send) { sent.insert(send.getValue()); });
    auto isOfKind = [](func::FuncOp task, StringRef kind) {
      auto own = task->getAttrOfType<StringAttr>(taskAttrName);
      return own && own.getValue() == kind;
    };
    for (auto task : module.getOps<func::FuncOp>())
      if (isOfKind(task, "backward") || isOfKind(task, "weight_backward"))
        for (unsigned i = 0; i < task.getNumArguments(); ++i)
          if (auto name = task.getArgAttrOfType<StringAttr>(i, valueAttrName))
            read.insert({getStage(task), name.getValue()});
    std::vector<Candidate> out;
    for (auto task : module.getOps<func::FuncOp>()) {
      if (!isOfKind(task, "forward"))
        continue;
      for (unsigned i = 0; i < task.getNumResults(); ++i) {
        auto name = task.getResultAttrOfType<StringAttr>(i, valueAttrName);
        if (!name || !task.getResultAttr(i, residualAttrName) ||
            task.getResultAttr(i, categoryAttrName) ||
            sent.contains(name.getValue()) ||
            !read.count({getStage(task), name.getValue()}))
          continue;
        out.push_back({bytesOf(task.getResultTypes()[i]), [task, i]() mutable {
                         task.setResultAttr(
                             i, residualAttrName,
                             StringAttr::get(task.getContext(), offloadFate));
                       }});
      }
    }
    return out;
  }

  static int64_t bytesOf(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getNumElements() *
           ((tensor.getElementTypeBitWidth() + 7) / 8);
  }

  ModuleOp module;
};

struct OffloadValues : impl::OffloadValuesBase<OffloadValues> {
  using Base::Base;

  void runOnOperation() override {
    Offloader offloader(getOperation());
    for (const std::string &kind : kinds)
      if (failed(offloader.run(kind)))
        return signalPassFailure();
  }
};
} // namespace
} // namespace zcc
