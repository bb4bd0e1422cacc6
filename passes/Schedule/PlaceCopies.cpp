// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer of the host's memory comes to the device for a stay (Stays.h). It
// gets a temporary there, a copy to it before the first step that reads it, and
// a copy back after the last step that writes it. A step of the update that
// writes state of the host may run on the host instead. Then the device's
// buffers that it needs come to the host in the same way.
//
// Without streams, copies are next to the steps. With streams, a copy in begins
// as late as it may to arrive in time, one after the other on their stream,
// found backwards from the last one. A copy out frees its temporary when it is
// done. The main stream waits for it at a place where that costs nothing by the
// estimate, and in any case before the copies under way exceed a window. So the
// memory that copies hold does not grow with the program.
#include "dialects/Exec/Steps.h"
#include "dialects/Train/Train.h"
#include "passes/Schedule/RemoteUses.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Schedule/StepTimer.h"
#include "llvm/ADT/StringSet.h"
#include <numeric>

namespace zcc {

#define GEN_PASS_DEF_PLACECOPIES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

// Smaller buffers stay once they are fetched, and count for nothing.
constexpr int64_t smallBytes = 64 << 10;
// A buffer is fetched again if so many times the duration of its copy passes
// between two uses.
constexpr double farTimes = 16;
// A copy is early by this share of its duration.
constexpr double slack = 0.25;
// So many times the largest copy may be under way on a stream.
constexpr int64_t windowCopies = 2;

/// The data by which copies and the homes of steps are chosen.
struct CopyContext {
  StepTimer &timer;
  bool streams;    // copies have streams of their own
  int64_t &events; // the number of events so far
  const SymbolTable &symbols;

  /// Returns the seconds of a copy between the device and another space.
  double seconds(MemorySpace space, int64_t bytes) const {
    return timer.model().transferSeconds(space, static_cast<double>(bytes));
  }
  /// Returns the time of parts that run at once on streams, or one after the
  /// other.
  double together(std::initializer_list<double> parts) const {
    return streams ? std::max(parts)
                   : std::accumulate(parts.begin(), parts.end(), 0.0);
  }
};

/// Chooses the memory in which each step of a task computes.
class HomeChooser {
public:
  HomeChooser(const TaskInfo &task, const CopyContext &context)
      : task(task), context(context) {}

  StepHomes run() const {
    StepHomes out;
    for (Operation *step : task.steps)
      out.push_back(choose(step));
    return out;
  }

private:
  std::optional<MemorySpace> choose(Operation *step) const {
    if (isa<exec::CopyOp, exec::FillOp>(step))
      return std::nullopt;
    auto launch = dyn_cast<exec::LaunchOp>(step);
    return launch && mayRunOnHost(launch) && isBetterOnHost(launch)
               ? MemorySpace::Host
               : MemorySpace::Device;
  }

  static bool isOfHost(Value buffer) {
    return exec::getMemorySpace(buffer) == MemorySpace::Host;
  }

  /// Returns true for a step of the update that does few operations a byte and
  /// writes a buffer of the host.
  bool mayRunOnHost(exec::LaunchOp launch) const {
    exec::TaskOp op = task.op;
    if (op.getKind() != dist::TaskKind::Epilogue ||
        llvm::none_of(launch.getTargets(), isOfHost))
      return false;
    auto kernel = context.symbols.lookup<func::FuncOp>(launch.getKernel());
    return kernel && llvm::all_of(kernel.getOps(), [](Operation &op) {
             return op.hasTrait<train::ElementwiseOp>() ||
                    op.hasTrait<train::DataMovementOp>() ||
                    op.hasTrait<OpTrait::ConstantLike>() ||
                    op.hasTrait<OpTrait::IsTerminator>() ||
                    isa<train::UpdateOp>(op);
           });
  }

  bool isBetterOnHost(exec::LaunchOp launch) const {
    struct Moved {
      int64_t read = 0, written = 0;
    } ofHost, ofDevice; // bytes of buffers there
    auto add = [&](Value buffer, bool writes) {
      int64_t bytes = cast<exec::BufferType>(buffer.getType()).getBytes();
      Moved &own = isOfHost(buffer) ? ofHost : ofDevice;
      if (bytes > smallBytes)
        (writes ? own.written : own.read) += bytes;
    };
    exec::forEachAccess(launch, add);
    double all = static_cast<double>(ofHost.read + ofHost.written +
                                     ofDevice.read + ofDevice.written);
    planning::KernelWork work;
    work.bytes = all;
    auto cost = [&](const Moved &moved, double kernel) {
      return std::pair(
          context.together({context.seconds(MemorySpace::Host, moved.read),
                            context.seconds(MemorySpace::Host, moved.written),
                            kernel}),
          moved.read + moved.written);
    };
    const planning::CostModel &model = context.timer.model();
    return cost(ofDevice, model.hostSeconds(all)) <
           cost(ofHost, model.kernelSeconds(work));
  }

  const TaskInfo &task;
  const CopyContext &context;
};

/// A copy and its place.
struct PlacedCopy {
  exec::CopyOp op;
  int64_t bytes = 0;
  double seconds = 0;
  // The step that needs it; the first place for it.
  unsigned first = 0, earliest = 0;
  unsigned at = 0; // the step that it is before
  int64_t event = -1;
};

/// Puts the copies of a task in their places.
class CopyPlacer {
public:
  CopyPlacer(const TaskInfo &task, const CopyContext &context)
      : task(task), context(context) {}

  /// These copy to and from a stay's temporary `place`.
  void addFetch(const RemoteUse &stay, Value home, Value place) {
    add(fetches, home, place, stay.first(), stay.earliest);
  }
  void addReturn(const RemoteUse &stay, Value place, Value home) {
    unsigned after = stay.lastWrite + 1;
    add(returns, place, home, after, after);
  }

  void run() {
    if (context.streams) {
      readTimes();
      for (bool loads : {true, false}) {
        placeFetches(loads);
        placeJoins(loads);
      }
    }
    // Copies out come first, because the same buffer may be fetched again.
    std::vector<std::vector<exec::CopyOp>> before(task.steps.size() + 1);
    for (const std::vector<PlacedCopy> *list : {&returns, &fetches})
      for (const PlacedCopy &copy : *list)
        before[copy.at].push_back(copy.op);
    exec::TaskOp op = task.op;
    Block &body = op.getBody().front();
    for (auto [at, copies] : llvm::enumerate(before))
      for (exec::CopyOp copy : copies)
        if (at < task.steps.size())
          copy->moveBefore(task.steps[at]);
        else
          copy->moveBefore(&body, body.end());
  }

private:
  void add(std::vector<PlacedCopy> &list, Value source, Value target,
           unsigned first, unsigned earliest) {
    exec::TaskOp op = task.op;
    OpBuilder b = OpBuilder::atBlockEnd(&op.getBody().front());
    PlacedCopy copy;
    copy.op = exec::CopyOp::create(b, source.getLoc(), source, target,
                                   /*stream=*/0);
    copy.bytes = cast<exec::BufferType>(source.getType()).getBytes();
    copy.seconds = context.seconds(farther(source, target), copy.bytes);
    copy.first = copy.at = first;
    copy.earliest = earliest;
    list.push_back(copy);
  }

  /// Returns the space, of those of two buffers, that is farther from the
  /// device.
  static MemorySpace farther(Value a, Value b) {
    return std::max(exec::getMemorySpace(a), exec::getMemorySpace(b));
  }

  static bool isLoad(const PlacedCopy &copy) {
    exec::CopyOp op = copy.op;
    return exec::getMemorySpace(op.getSource()) >
           exec::getMemorySpace(op.getTarget());
  }

  std::vector<PlacedCopy *> select(std::vector<PlacedCopy> &from, bool loads) {
    std::vector<PlacedCopy *> out;
    for (PlacedCopy &copy : from)
      if (isLoad(copy) == loads)
        out.push_back(&copy);
    llvm::stable_sort(out, [](const PlacedCopy *a, const PlacedCopy *b) {
      return a->first < b->first;
    });
    return out;
  }

  /// Computes the times when steps begin, if nothing waits.
  void readTimes() {
    begins.assign(1, 0);
    for (Operation *step : task.steps) {
      double own =
          exec::getStream(step) == 0
              ? planning::StreamClock().play(context.timer.of(step)).end
              : 0;
      begins.push_back(begins.back() + own);
    }
  }

  void setStream(PlacedCopy &copy, bool loads) {
    exec::setStream(copy.op, loads ? context.timer.loadStream()
                                   : context.timer.storeStream());
  }

  static int64_t windowOf(ArrayRef<PlacedCopy *> copies) {
    int64_t largest = 0;
    for (const PlacedCopy *copy : copies)
      largest = std::max(largest, copy->bytes);
    return windowCopies * largest;
  }

  void placeFetches(bool loads) {
    std::vector<PlacedCopy *> copies = select(fetches, loads);
    int64_t window = windowOf(copies);
    // The time at which the copy after this one begins.
    double next = std::numeric_limits<double>::infinity();
    for (PlacedCopy *copy : llvm::reverse(copies)) {
      next = std::min(begins[copy->first], next) - (1 + slack) * copy->seconds;
      // This is the last step that has begun by then.
      auto after = std::upper_bound(begins.begin(),
                                    begins.begin() + copy->first + 1, next);
      copy->at = std::max<unsigned>(
          copy->earliest,
          after == begins.begin() ? 0 : after - begins.begin() - 1);
    }
    // A copy, with those under way that are not needed yet when it begins, must
    // not exceed the window. Copies stay in order.
    int64_t ahead = 0; // bytes
    size_t oldest = 0;
    for (size_t k = 0; k < copies.size(); ++k) {
      setStream(*copies[k], loads);
      ahead += copies[k]->bytes;
      for (; ahead > window; ++oldest) {
        copies[k]->at =
            std::max(copies[k]->at,
                     std::min(copies[oldest]->first + 1, copies[k]->first));
        ahead -= copies[oldest]->bytes;
      }
      if (k > 0)
        copies[k]->at = std::max(copies[k]->at, copies[k - 1]->at);
    }
  }

  /// Returns the first step of the main stream from `at` on; the number of
  /// steps if there is none.
  unsigned findMain(unsigned at) const {
    while (at < task.steps.size() && exec::getStream(task.steps[at]) != 0)
      ++at;
    return at;
  }

  void join(PlacedCopy &copy, unsigned step) {
    if (step >= task.steps.size())
      return; // the next task that waits for it joins it
    copy.event = context.events++;
    exec::setEvent(copy.op, copy.event);
    SmallVector<int64_t> waits(exec::getWaits(task.steps[step]));
    waits.push_back(copy.event);
    exec::setWaits(task.steps[step], waits);
  }

  void placeJoins(bool loads) {
    std::vector<PlacedCopy *> copies = select(returns, loads);
    int64_t window = windowOf(copies), ahead = 0;
    double free = 0; // when the stream is free
    struct Running {
      PlacedCopy *copy;
      unsigned joined; // the step that waits for the copy
    };
    std::vector<Running> running; // the oldest first
    for (PlacedCopy *copy : copies) {
      setStream(*copy, loads);
      ahead += copy->bytes;
      for (Running &own : running)
        if (own.copy && own.joined <= copy->at) {
          join(*own.copy, own.joined);
          ahead -= own.copy->bytes;
          own.copy = nullptr;
        }
      for (Running &own : running)
        if (own.copy && ahead > window) {
          join(*own.copy, findMain(copy->at));
          ahead -= own.copy->bytes;
          own.copy = nullptr;
        }
      llvm::erase_if(running, [](const Running &own) { return !own.copy; });
      free = std::max(free, begins[copy->at]) + (1 + slack) * copy->seconds;
      unsigned done =
          std::lower_bound(begins.begin(), begins.end(), free) - begins.begin();
      running.push_back({copy, findMain(std::max(done, copy->at))});
    }
    for (Running &own : running)
      join(*own.copy, own.joined);
  }

  const TaskInfo &task;
  const CopyContext &context;
  std::vector<PlacedCopy> fetches, returns;
  std::vector<double> begins; // by step; the last is the task's end
};

/// Adds the copies that a task needs.
class TaskCopies {
public:
  TaskCopies(const TaskInfo &task, const CopyContext &context)
      : task(task), context(context) {
    for (const TaskBuffer &buffer : task.buffers)
      for (exec::BufferOp op : buffer.ops)
        names.insert(op.getName());
  }

  void run() {
    std::vector<double> begins(1, 0);
    for (Operation *step : task.steps)
      begins.push_back(
          begins.back() +
          planning::StreamClock().play(context.timer.of(step)).end);
    StepHomes homes = HomeChooser(task, context).run();
    auto isFar = [&](const TaskBuffer &buffer, unsigned last, unsigned next) {
      MemorySpace space =
          std::max(buffer.memory, homes[next].value_or(buffer.memory));
      return buffer.size > smallBytes &&
             begins[next] - begins[last + 1] >
                 farTimes * context.seconds(space, buffer.size);
    };
    CopyPlacer placer(task, context);
    for (const RemoteUse &stay : findRemoteUses(task, homes, isFar)) {
      DenseMap<Value, Value> places =
          makePlaces(task.buffers[stay.buffer], stay.space);
      exec::BufferOp first = task.buffers[stay.buffer].ops.front();
      Value home = first, place = places.lookup(home);
      for (unsigned step : stay.steps)
        task.steps[step]->walk([&](Operation *op) {
          for (OpOperand &operand : op->getOpOperands())
            if (Value own = places.lookup(operand.get()))
              operand.set(own);
        });
      if (stay.isRead)
        placer.addFetch(stay, home, place);
      if (stay.lastWrite >= 0)
        placer.addReturn(stay, place, home);
    }
    placer.run();
    for (const TaskBuffer &buffer : task.buffers)
      for (exec::BufferOp op : buffer.ops)
        if (op.getResult().use_empty())
          op.erase();
  }

private:
  /// Makes the temporary of a stay in that space, for each of the buffer's
  /// types.
  DenseMap<Value, Value> makePlaces(const TaskBuffer &buffer,
                                    MemorySpace space) {
    exec::BufferOp first = buffer.ops.front();
    std::string base = (first.getName() + "@" + nameOf(space)).str();
    std::string name = base;
    for (unsigned i = 2; !names.insert(name).second; ++i)
      name = base + "#" + std::to_string(i);
    DenseMap<Value, Value> out;
    for (exec::BufferOp op : buffer.ops) {
      OpBuilder b(op);
      b.setInsertionPointAfter(op);
      // The bytes of state are counted in its own memory.
      dist::MemoryCategory category =
          op.getCategory() == dist::MemoryCategory::Residuals
              ? op.getCategory()
              : dist::MemoryCategory::Temporary;
      out[op] = exec::BufferOp::create(
          b, op.getLoc(), op.getType(), exec::BufferSpace::Temporary, name,
          category, dist::makeSpace(b.getContext(), space), IntegerAttr(),
          IntegerAttr(), op.getBeginAttr());
    }
    return out;
  }

  const TaskInfo &task;
  const CopyContext &context;
  llvm::StringSet<> names;
};

struct PlaceCopies : impl::PlaceCopiesBase<PlaceCopies> {
  explicit PlaceCopies(const ScheduleOptions &options) : options(options) {}
  ScheduleOptions options;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool movesAny = module
                        .walk([](exec::BufferOp buffer) {
                          return buffer.getMemorySpace() == MemorySpace::Device
                                     ? WalkResult::advance()
                                     : WalkResult::interrupt();
                        })
                        .wasInterrupted();
    dist::MeshOp mesh = dist::getMesh(module);
    if (!movesAny || !mesh)
      return;
    SymbolTable symbols(module);
    StepTimer timer(module, mesh, options.machine, options.kernelCosts);
    int64_t events = 0; // more than all numbers in use
    module.walk([&](Operation *op) {
      events = std::max(events, exec::getEvent(op).value_or(-1) + 1);
    });
    bool streams =
        options.overlap && knowsLinks(options.machine) && hasOneStage(module);
    CopyContext context{timer, streams, events, symbols};
    for (auto task : module.getOps<exec::TaskOp>()) {
      FailureOr<TaskInfo> info =
          readTask(task, [](exec::BufferOp) { return false; });
      if (failed(info))
        return signalPassFailure();
      TaskCopies(*info, context).run();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createPlaceCopies(const ScheduleOptions &options) {
  return std::make_unique<PlaceCopies>(options);
}

} // namespace zcc
