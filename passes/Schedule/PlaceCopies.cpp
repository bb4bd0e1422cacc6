// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lives in the host's memory comes to the device for a stay (Stays.h): a
// temporary there, a copy to it before the first step that reads it, and one
// back after the last that writes it. A step of the update that writes state of
// the host may run there instead: then what it needs of the device comes to the
// host in the same way.
//
// Without streams copies stand next to the steps. With them a copy in begins as
// late as it may if it shall arrive in time, one after the other on their
// stream (as late as possible, backwards from the last). A copy out leaves
// behind a temporary that is free when it is done: the main stream waits for it
// where that costs nothing by the estimate, and in any case before more is
// under way than the window. So what is held does not grow with the program.
#include "dialects/Exec/Steps.h"
#include "dialects/Train/Train.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Schedule/Stays.h"
#include "passes/Schedule/StepTimer.h"
#include "llvm/ADT/StringSet.h"
#include <numeric>

namespace zcc {

#define GEN_PASS_DEF_PLACECOPIES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

// What is no larger stays once it was fetched, and counts for nothing.
constexpr int64_t smallBytes = 64 << 10;
// A buffer is fetched again if between two uses so many times the time of its
// copy goes by.
constexpr double farTimes = 16;
// Of its own duration, by how much a copy is early.
constexpr double slack = 0.25;
// Of the largest copies, so many may be under way on a stream.
constexpr int64_t windowCopies = 2;

/// What chooses where steps run, and when.
struct CopyContext {
  StepTimer &timer;
  bool streams;    // copies have their own
  int64_t &events; // numbers that are taken
  const SymbolTable &symbols;

  double seconds(int64_t bytes) const {
    return timer.model().transferSeconds("host", static_cast<double>(bytes));
  }
  /// What goes on at once on streams, or one after the other.
  double together(std::initializer_list<double> parts) const {
    return streams ? std::max(parts)
                   : std::accumulate(parts.begin(), parts.end(), 0.0);
  }
};

/// Where the steps of a task compute.
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
  std::optional<Memory> choose(Operation *step) const {
    if (isa<exec::CopyOp, exec::FillOp>(step))
      return std::nullopt;
    auto launch = dyn_cast<exec::LaunchOp>(step);
    return launch && mayRunOnHost(launch) && isBetterOnHost(launch)
               ? Memory::Host
               : Memory::Device;
  }

  /// A step of the update, of few operations a byte, that writes what the host
  /// has.
  bool mayRunOnHost(exec::LaunchOp launch) const {
    exec::TaskOp op = task.op;
    if (op.getKind() != "epilogue" ||
        llvm::none_of(launch.getTargets(), exec::isOnHost))
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
    } ofHost, ofDevice; // what lives there
    auto add = [&](Value buffer, bool writes) {
      int64_t bytes = cast<exec::BufferType>(buffer.getType()).getBytes();
      Moved &own = exec::isOnHost(buffer) ? ofHost : ofDevice;
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
          context.together({context.seconds(moved.read),
                            context.seconds(moved.written), kernel}),
          moved.read + moved.written);
    };
    const planning::CostModel &model = context.timer.model();
    return cost(ofDevice, model.hostSeconds(all)) <
           cost(ofHost, model.kernelSeconds(work));
  }

  const TaskInfo &task;
  const CopyContext &context;
};

/// A copy and where it goes.
struct PlacedCopy {
  exec::CopyOp op;
  int64_t bytes = 0;
  double seconds = 0;
  unsigned first = 0, earliest = 0; // steps: who needs it, when it may begin
  unsigned at = 0;                  // the step before which it stands
  int64_t event = -1;
};

/// Puts the copies of a task where they belong.
class CopyPlacer {
public:
  CopyPlacer(const TaskInfo &task, const CopyContext &context)
      : task(task), context(context) {}

  /// For a stay: `place` is the temporary.
  void addFetch(const Stay &stay, Value home, Value place) {
    add(fetches, home, place, stay.first(), stay.earliest);
  }
  void addReturn(const Stay &stay, Value place, Value home) {
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
    // What leaves comes first: it may be fetched again.
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
    copy.seconds = context.seconds(copy.bytes);
    copy.first = copy.at = first;
    copy.earliest = earliest;
    list.push_back(copy);
  }

  static bool isLoad(const PlacedCopy &copy) {
    exec::CopyOp op = copy.op;
    return exec::isOnHost(op.getSource());
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

  /// When steps begin, if nothing waits.
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
    double next = std::numeric_limits<double>::infinity(); // begins
    for (PlacedCopy *copy : llvm::reverse(copies)) {
      next = std::min(begins[copy->first], next) - (1 + slack) * copy->seconds;
      // The last step that has begun by then.
      auto after = std::upper_bound(begins.begin(),
                                    begins.begin() + copy->first + 1, next);
      copy->at = std::max<unsigned>(
          copy->earliest,
          after == begins.begin() ? 0 : after - begins.begin() - 1);
    }
    // What is under way when a copy begins, and is not yet needed, and the copy
    // are no more than the window; they stay in order.
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

  /// The first step of the main stream from `at` on; none: past the last.
  unsigned findMain(unsigned at) const {
    while (at < task.steps.size() && exec::getStream(task.steps[at]) != 0)
      ++at;
    return at;
  }

  void join(PlacedCopy &copy, unsigned step) {
    if (step >= task.steps.size())
      return; // whoever waits next, in another task
    copy.event = context.events++;
    exec::setEvent(copy.op, copy.event);
    SmallVector<int64_t> waits(exec::getWaits(task.steps[step]));
    waits.push_back(copy.event);
    exec::setWaits(task.steps[step], waits);
  }

  void placeJoins(bool loads) {
    std::vector<PlacedCopy *> copies = select(returns, loads);
    int64_t window = windowOf(copies), ahead = 0;
    double free = 0; // the stream
    struct Running {
      PlacedCopy *copy;
      unsigned joined; // the step that waits for it
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
  std::vector<double> begins; // of steps; the last is the task's end
};

/// Gives a task its copies.
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
    auto isFar = [&](const TaskBuffer &buffer, unsigned last, unsigned next) {
      return buffer.size > smallBytes &&
             begins[next] - begins[last + 1] >
                 farTimes * context.seconds(buffer.size);
    };
    StepHomes homes = HomeChooser(task, context).run();
    CopyPlacer placer(task, context);
    for (const Stay &stay : findStays(task, homes, isFar)) {
      DenseMap<Value, Value> places = makePlaces(task.buffers[stay.buffer]);
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
  /// The temporary of a stay, for each of the buffer's types.
  DenseMap<Value, Value> makePlaces(const TaskBuffer &buffer) {
    exec::BufferOp first = buffer.ops.front();
    std::string base =
        first.getName().str() + (first.isOnHost() ? "@device" : "@host");
    std::string name = base;
    for (unsigned i = 2; !names.insert(name).second; ++i)
      name = base + "#" + std::to_string(i);
    DenseMap<Value, Value> out;
    for (exec::BufferOp op : buffer.ops) {
      OpBuilder b(op);
      b.setInsertionPointAfter(op);
      // State counts where it lives.
      StringRef category =
          op.getCategory() == "residuals" ? "residuals" : "temporary";
      out[op] = exec::BufferOp::create(
          b, op.getLoc(), op.getType(), "temporary", name, category,
          op.isOnHost() ? StringAttr() : b.getStringAttr(dist::hostMemory),
          IntegerAttr(), IntegerAttr(), op.getBeginAttr());
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
    bool hasHost = module
                       .walk([](exec::BufferOp buffer) {
                         return buffer.isOnHost() ? WalkResult::interrupt()
                                                  : WalkResult::advance();
                       })
                       .wasInterrupted();
    dist::MeshOp mesh = dist::getMesh(module);
    if (!hasHost || !mesh)
      return;
    SymbolTable symbols(module);
    StepTimer timer(module, mesh, options.machine, options.kernelCosts);
    int64_t events = 0; // more than there are
    module.walk([&](Operation *op) {
      events = std::max(events, exec::getEvent(op).value_or(-1) + 1);
    });
    bool streams =
        options.overlap && knowsLinks(options.machine) && mayOverlap(module);
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
