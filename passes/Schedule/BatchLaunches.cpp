// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that stand one after the other and touch nothing that another one
// writes become one step: the updates of all parameters, most of all. A device
// then starts one kernel for them, and a pool of threads meets once. Only what
// is computed element by element, and into memory that is there in any case:
// the peak stays. A launch that steps of other streams wait for, or that waits
// for more of them than those before it, stays where overlap has put it.
// (NVIDIA Apex's multi_tensor_apply does the same for optimizers.)
#include "dialects/Exec/Backend.h"
#include "dialects/Exec/Steps.h"
#include "passes/Schedule/Schedule.h"
#include <map>

namespace zcc {

#define GEN_PASS_DEF_BATCHLAUNCHES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

class TaskBatches {
public:
  TaskBatches(exec::TaskOp task, function_ref<bool(exec::LaunchOp)> mayJoin)
      : mayJoin(mayJoin) {
    for (Operation &op : task.getBody().front())
      if (!isa<exec::BufferOp>(op))
        steps.push_back(&op);
  }

  void run() {
    findOthers();
    for (auto [i, step] : llvm::enumerate(steps)) {
      auto launch = dyn_cast<exec::LaunchOp>(step);
      if (!launch || !mayJoin(launch)) {
        close();
        continue;
      }
      if (!members.empty() && !joins(launch, before[i]))
        close();
      if (members.empty()) {
        arrived = before[i];
        (void)unordered.add(launch);
      }
      members.push_back(launch);
      if (isAwaited[i])
        close();
    }
    close();
  }

private:
  using Arrived = std::map<int64_t, size_t>; // 1 + the last step, by stream
  using Key = std::pair<StringRef, StringRef>;

  static Key keyOf(Value buffer) {
    auto own = buffer.getDefiningOp<exec::BufferOp>();
    return {own.getSpace(), own.getName()};
  }

  /// Which steps of other streams come before each step by the memory that it
  /// names, and whether one comes after it.
  void findOthers() {
    before.resize(steps.size());
    isAwaited.resize(steps.size());
    struct Use {
      size_t step;
      int64_t stream;
      bool writes;
    };
    DenseMap<Key, SmallVector<Use, 2>> uses; // the last of each stream
    for (auto [i, step] : llvm::enumerate(steps)) {
      int64_t stream = exec::getStream(step);
      exec::forEachAccess(step, [&, i = i](Value buffer, bool writes) {
        SmallVector<Use, 2> &all = uses[keyOf(buffer)];
        for (const Use &use : all)
          if (use.stream != stream && (use.writes || writes)) {
            size_t &last = before[i][use.stream];
            last = std::max(last, use.step + 1);
            isAwaited[use.step] = true;
          }
        auto *own = llvm::find_if(
            all, [&](const Use &use) { return use.stream == stream; });
        if (own == all.end())
          all.push_back({i, stream, writes});
        else
          *own = {i, stream, (own->step == i && own->writes) || writes};
      });
    }
  }

  /// Whether the launch may be a member, and is taken in if so.
  bool joins(exec::LaunchOp launch, const Arrived &needed) {
    for (auto [stream, step] : needed) {
      auto at = arrived.find(stream);
      if (at == arrived.end() || at->second < step)
        return false;
    }
    exec::LaunchOp first = members.front();
    if (exec::isOnHost(first.getTargets().front()) !=
        exec::isOnHost(launch.getTargets().front()))
      return false;
    return !unordered.add(launch);
  }

  void close() {
    if (members.size() > 1) {
      OpBuilder builder(members.front());
      SmallVector<Location> places;
      for (exec::LaunchOp member : members)
        places.push_back(member.getLoc());
      auto batch = exec::BatchOp::create(builder, builder.getFusedLoc(places));
      Block &block = batch.getBody().emplaceBlock();
      for (exec::LaunchOp member : members)
        member->moveBefore(&block, block.end());
    }
    members.clear();
    unordered.clear();
  }

  function_ref<bool(exec::LaunchOp)> mayJoin;
  SmallVector<Operation *> steps;
  std::vector<Arrived> before;
  std::vector<bool> isAwaited;
  SmallVector<exec::LaunchOp> members;
  exec::UnorderedLaunches unordered; // the members
  Arrived arrived;                   // what the first member waits for
};

struct BatchLaunches : impl::BatchLaunchesBase<BatchLaunches> {
  explicit BatchLaunches(const exec::Backend &backend) : backend(backend) {}
  const exec::Backend &backend;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::DenseMap<StringRef, bool> pointwise; // by kernel
    auto isPointwise = [&](StringRef name) {
      auto [at, isNew] = pointwise.try_emplace(name, false);
      if (isNew)
        if (auto kernel = symbols.lookup<func::FuncOp>(name)) {
          std::optional<exec::KernelForm> form = backend.classify(kernel);
          at->second = form && form->pointwise;
        }
      return at->second;
    };
    auto mayJoin = [&](exec::LaunchOp launch) {
      return !launch.getTargets().empty() &&
             llvm::none_of(
                 launch.getTargets(),
                 [](Value target) {
                   return target.getDefiningOp<exec::BufferOp>().getSpace() ==
                          "temporary";
                 }) &&
             isPointwise(launch.getKernel());
    };
    for (auto task : getOperation().getOps<exec::TaskOp>())
      TaskBatches(task, mayJoin).run();
  }
};

} // namespace

std::unique_ptr<mlir::Pass> createBatchLaunches(const exec::Backend &backend) {
  return std::make_unique<BatchLaunches>(backend);
}

} // namespace zcc
