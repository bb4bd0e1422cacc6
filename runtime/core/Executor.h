// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one rank's program: the steps of the tasks that the stage's action table
// names, in its order, between sends and receives. It knows no operation.

#ifndef ZCC_RUNTIME_CORE_EXECUTOR_H
#define ZCC_RUNTIME_CORE_EXECUTOR_H

#include "runtime/core/Span.h"
#include "runtime/core/StageTransfers.h"
#include "runtime/core/Step.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace zcc::rt {

class Mesh;
class RandomDelays;

namespace format {
class Executable;
class Run;
class Stage;
class Step;
} // namespace format

class Executor : StepRunner {
public:
  /// All references outlive the executor. `between` may be null
  /// (StageTransfers.h).
  Executor(const format::Executable &executable, const Mesh &mesh, int rank,
           Device &device, Transfers &transfers,
           DeviceTransfers *between = nullptr);
  ~Executor();

  /// Makes the steps and goes through their first three stages. The arenas must
  /// hold zeros, and do so again afterwards. Called by all ranks, each on its
  /// own thread.
  void initialize(StepFactory &factory);

  /// Enqueues the making of initial weights, if the program has them. The
  /// random key must already be in its place.
  void runInit();
  /// Sets where the coming steps find the inputs that the caller has
  /// (Stage.caller_bytes): an address for each part, in the order of
  /// inputParts(). Parts in an arena need none. Call it while nothing runs.
  void bindInputs(const std::vector<Address> &parts);
  /// Enqueues one step of training: the action table.
  void runStep(bool observing);

  /// For tests: from now on steps begin late at random, on every stream.
  void delay(uint64_t seed);

  /// From now on, notes in `into` when each step ran and how long transfers
  /// took, and waits for work that was enqueued before, which may still run and
  /// would be noted, too. Null stops it: a noted step is over when it returns.
  void record(std::vector<Span> *into);

  /// For the watchdog, called by any thread: the step that runs now (null
  /// between steps), the step before it, and how many steps have begun. If
  /// several streams are busy, this is the last one of them, since others may
  /// wait for it.
  const std::string *position() const;
  const std::string *lastDone() const;
  uint64_t begun() const;

  /// Returns the position that the device itself reports. Nothing if it has
  /// done all that was enqueued, or if the host knows the position anyway. Any
  /// thread may call this.
  struct Standing {
    const std::string *done = nullptr, *pending = nullptr; // null: unknown
    std::vector<int> awaited; // ranks that the pending collective waits for
  };
  std::optional<Standing> standing() const;
  /// Returns a number that changes whenever the device reaches a place that it
  /// reports.
  uint64_t told() const;
  /// Returns the report of one stream; nothing if the device reports none.
  size_t streamCount() const { return streams.size(); }
  std::optional<Device::Told> told(size_t stream) const {
    return device.told(*streams[stream]);
  }
  /// Returns the steps around a place; nothing at the end of a step of
  /// training.
  Standing standingAt(uint32_t place) const {
    return place < places.size() ? places[place] : Standing();
  }

private:
  struct LoadedTask {
    std::vector<std::unique_ptr<Step>> steps;
    std::vector<Step *> all; // with those within repeats
    std::vector<Address> operands;
    // Operands whose address differs from run to run: it is `begin` bytes
    // behind the slot's.
    struct Bound {
      uint32_t operand, slot;
      MemorySpace space;
      uint64_t begin;
    };
    std::vector<Bound> slots;
    // Operands whose address differs from step to step: inputs that the caller
    // has, outside of slots.
    std::vector<std::pair<uint32_t, uint64_t>> inputs; // operand, offset
    /// Steps [begin, end): a single step, or several that a device may keep as
    /// one recording for each run of the task.
    struct Part {
      size_t begin, end;
      std::string name; // empty for a single step
      std::map<const format::Run *, std::unique_ptr<Recording>> recordings;
    };
    std::vector<Part> parts;
    std::vector<bool> tells; // by step: the main stream reports when it is done
    // Places on the main stream: within the first step, and after the last. 0:
    // there are none.
    uint32_t begin = 0, end = 0;
  };

  LoadedTask load(const format::Task &task, StepFactory &factory);
  std::unique_ptr<Step> loadStep(const format::Step &description,
                                 const format::Task &task, StepFactory &factory,
                                 std::vector<Step *> &all);
  /// Runs steps that load or allocate at their first run once, one after the
  /// other, and clears the memory that they wrote.
  void warmUp(LoadedTask &task, const format::Task &description);
  /// Returns where a task's bytes are; inputs that the caller has must be
  /// bound.
  Address addressOf(uint64_t offset, MemorySpace space) const;
  /// The steps that a stream has come to.
  struct Progress {
    std::atomic<const std::string *> current{nullptr}, previous{nullptr};
    std::atomic<uint64_t> count{0};
    // The time at which the last step was over, if spans are noted. Only the
    // thread that runs the stream's steps uses it.
    std::chrono::steady_clock::time_point until;

    void enter(const std::string *name);
  };

  void run(Step &step, const Frame &frame) override;
  void wait(const Step &step) override;
  /// Returns the time at which the data that the step brings has arrived, by
  /// the speed of the links.
  std::chrono::steady_clock::time_point runNow(Step &step, const Frame &frame);
  void runRepeat(Step &step, const Frame &frame);
  void note(const Span &span);
  /// Waits for steps that the device runs after they are enqueued, and notes
  /// when they ran.
  void noteLaterSpans();
  /// Lets all streams wait for the work so far on the main stream, such as the
  /// inputs that the host writes before a step.
  void forkStreams();
  void joinStreams();
  const Progress &lastBusy() const;
  /// `run` is null for the initialization.
  void runTask(LoadedTask &task, const format::Run *run, bool observing);
  static std::vector<LoadedTask::Part> cut(const LoadedTask &task);
  /// Numbers the places of the task's steps, `all` of them.
  void place(LoadedTask &task, const std::vector<Step *> &all,
             const std::string &before);
  void placeTransfers();
  void aroundTransfer(int action, Span::Kind kind, bool isOver);
  bool tells(const Step &step) const;

  const format::Executable &executable;
  const format::Stage &stage;
  const Mesh &mesh;
  const int rank;
  Device &device;
  Stream &stream;      // the main one
  const Address arena; // the device's
  Transfers &transfers;
  StageTransfers stageTransfers;
  // The coordinate that counts microbatches, if there is one.
  std::optional<Address> microbatch;
  std::vector<LoadedTask> tasks;
  LoadedTask init;
  std::map<uint64_t, Address> inputs; // that the caller has, by offset
  std::vector<Stream *> streams;                    // by number
  std::vector<std::unique_ptr<Event>> events, ends; // by event; by stream
  std::unique_ptr<Event> begin;                     // of a step
  std::vector<Progress> progress;                   // by stream
  // The positions that streams report. A step has two places: step.place lies
  // within it, the next one behind it. Only the last step of a stream has
  // nothing pending behind it.
  std::vector<Standing> places;
  std::map<int, uint32_t> transferPlaces; // by action
  std::deque<std::string> texts;          // of places
  std::unique_ptr<RandomDelays> delays;   // by stream; may be null
  std::mutex spanMutex;
  std::vector<Span> *spans = nullptr;
  struct LaterSpan {
    Span span;
    std::unique_ptr<Moment> begin, end;
  };
  std::unique_ptr<Moment> transferBegin; // of the transfer under way
  std::vector<LaterSpan> laterSpans;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_EXECUTOR_H
