// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbouring launches of which none uses memory that another one writes
// become one step. Most of these are the updates of all parameters and the sums
// of squares of their gradients. A device then starts one kernel for them, and
// a pool of threads synchronizes once. Members must compute element by element
// into memory that is there in any case, or write little compared with what
// they read (the sums of blocks, the sum of these): so the peak of memory
// hardly grows. Among neighbours, launches that need none of the others come
// first, then those that need only these: so sums of blocks, each of which
// comes before its total, are batched. A launch stays where overlap has put it
// if steps of other streams wait for it, or if it waits for more of them than
// the launches before it. (NVIDIA Apex's multi_tensor_apply does the same for
// optimizers.)
#include "dialects/Exec/Backend.h"
#include "dialects/Exec/Steps.h"
#include "dialects/TensorBytes.h"
#include "passes/Schedule/Schedule.h"
#include <map>

namespace zcc {

#define GEN_PASS_DEF_BATCHLAUNCHES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

/// Returns true if the launch writes so little memory that its order does not
/// matter: 64 bytes, or a small part of what it reads.
bool makesLittle(exec::LaunchOp launch) {
  auto bytes = [](ValueRange buffers) {
    int64_t sum = 0;
    for (Value buffer : buffers)
      sum +=
          getTensorBytes(cast<exec::BufferType>(buffer.getType()).getTensor());
    return sum;
  };
  return bytes(launch.getTargets()) <=
         std::max<int64_t>(64, bytes(launch.getSources()) / 1024);
}

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
    arrange();
    findOthers();
    for (auto [i, step] : llvm::enumerate(steps)) {
      if (!isMember(step)) {
        close();
        continue;
      }
      auto launch = cast<exec::LaunchOp>(step);
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
  using Key = std::pair<exec::BufferSpace, StringRef>;

  static Key keyOf(Value buffer) {
    auto own = buffer.getDefiningOp<exec::BufferOp>();
    return {own.getSpace(), own.getName()};
  }

  /// Arranges runs of neighbours that may be members. No launch of a run waits
  /// for a step of another stream for which the first one does not wait, and a
  /// step of another stream that waits for the run waits for its last launch.
  void arrange() {
    for (size_t begin = 0, end; begin < steps.size(); begin = end) {
      end = begin + 1;
      if (!isMember(steps[begin]))
        continue;
      while (end < steps.size() && isMember(steps[end]) &&
             !isAwaited[end - 1] && hasArrived(before[end], before[begin]))
        ++end;
      arrange(MutableArrayRef(steps).slice(begin, end - begin));
    }
  }
  void arrange(MutableArrayRef<Operation *> neighbours) {
    struct Level {
      exec::UnorderedLaunches unordered;
      SmallVector<exec::LaunchOp> launches;
    };
    std::vector<Level> levels;
    for (Operation *step : neighbours) {
      auto launch = cast<exec::LaunchOp>(step);
      size_t at = levels.size();
      while (at > 0 && !levels[at - 1].unordered.find(launch))
        --at;
      if (at == levels.size())
        levels.emplace_back();
      (void)levels[at].unordered.add(launch);
      levels[at].launches.push_back(launch);
    }
    Operation *last = neighbours.back();
    auto place = neighbours.begin();
    for (Level &level : levels)
      for (exec::LaunchOp launch : level.launches) {
        if (launch != last)
          launch->moveBefore(last);
        *place++ = launch;
      }
    for (Operation *launch : llvm::reverse(neighbours)) {
      if (launch == last)
        break;
      launch->moveAfter(last);
    }
  }
  bool isMember(Operation *step) {
    auto launch = dyn_cast<exec::LaunchOp>(step);
    return launch && mayJoin(launch);
  }

  /// Finds for each step the steps of other streams that come before it, by the
  /// memory that it names, and whether such a step comes after it.
  void findOthers() {
    before.assign(steps.size(), {});
    isAwaited.assign(steps.size(), false);
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

  static bool hasArrived(const Arrived &needed, const Arrived &arrived) {
    return llvm::all_of(needed, [&](const auto &of) {
      auto at = arrived.find(of.first);
      return at != arrived.end() && at->second >= of.second;
    });
  }

  /// Takes the launch in as a member and returns true, if it may be one.
  bool joins(exec::LaunchOp launch, const Arrived &needed) {
    if (!hasArrived(needed, arrived))
      return false;
    exec::LaunchOp first = members.front();
    if (exec::getMemorySpace(first.getTargets().front()) !=
        exec::getMemorySpace(launch.getTargets().front()))
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
  Arrived arrived;                   // the waits of the first member
};

struct BatchLaunches : impl::BatchLaunchesBase<BatchLaunches> {
  explicit BatchLaunches(const exec::Backend &backend) : backend(backend) {}
  const exec::Backend &backend;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    enum class Form { None, Pointwise, Other };
    llvm::DenseMap<StringRef, Form> forms; // by kernel
    auto formOf = [&](StringRef name) {
      auto [at, isNew] = forms.try_emplace(name, Form::None);
      if (isNew)
        if (auto kernel = symbols.lookup<func::FuncOp>(name))
          if (std::optional<exec::KernelForm> form = backend.classify(kernel);
              form && form->library.empty())
            at->second = form->pointwise ? Form::Pointwise : Form::Other;
      return at->second;
    };
    auto mayJoin = [&](exec::LaunchOp launch) {
      if (launch.getTargets().empty())
        return false;
      Form form = formOf(launch.getKernel());
      return (form == Form::Pointwise &&
              llvm::none_of(
                  launch.getTargets(),
                  [](Value target) {
                    return target.getDefiningOp<exec::BufferOp>().getSpace() ==
                           exec::BufferSpace::Temporary;
                  })) ||
             (form == Form::Other && makesLittle(launch));
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
