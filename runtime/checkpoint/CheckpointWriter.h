// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes checkpoints while the run goes on: the ranks copy their slices into
// memory of the writer, a thread writes them to a temporary folder, syncs it
// and gives it its name. Each process writes the files of its ranks; the first
// one publishes when all have told it, over the side channel, that theirs are
// on the disk.

#ifndef ZCC_RUNTIME_CHECKPOINT_CHECKPOINTWRITER_H
#define ZCC_RUNTIME_CHECKPOINT_CHECKPOINTWRITER_H

#include "runtime/checkpoint/SavePlan.h"
#include "runtime/core/Device.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace zcc::rt {

class CheckpointWriter {
public:
  struct Settings {
    std::string folder;
    int keep = 2; // newest ones; older are removed
    /// Whole checkpoints that were there before, ascending.
    std::vector<int64_t> present;
    bool publishes = true; // the process that writes the index
    std::string token;     // in temporary names; the same on all processes
    /// What every process gave, in order; null: there is one process.
    std::function<std::vector<std::string>(const std::string &)> gather;
    /// Called on the writer's thread before a checkpoint gets its name.
    std::function<void()> beforePublishing;
    /// Starts the thread; may free it of what binds the caller.
    std::function<void(const std::function<void()> &)> start;
  };

  CheckpointWriter(const format::Executable &executable, const Mesh &mesh,
                   const std::vector<int> &ranks, Settings settings);
  /// Waits for what was begun.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter &) = delete;

  /// Waits until nothing is being written; false if something was.
  bool wait();
  /// After wait(), by each rank's thread: copies its slices.
  void snapshot(int rank, Device &device);
  /// After all snapshots: begins to write.
  void begin(const Standing &standing);

  /// What went wrong since the last call; empty if nothing did.
  std::string takeProblem();
  /// The step of the newest checkpoint that was published; -1 before.
  int64_t published();

private:
  struct Image;
  void loop();
  void write(const Standing &standing);
  std::string writeImage(const std::string &folder, Image &image);
  std::string publish(const std::string &temporary, const Standing &standing,
                      const std::vector<std::string> &reports);
  void prune();

  Settings settings;
  SavePlan plan;
  std::vector<std::unique_ptr<Image>> images; // by rank; null elsewhere

  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Standing> pending;
  std::string problem;
  int64_t newest = -1;
  bool busy = false, stopping = false;
  std::thread thread;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CHECKPOINT_CHECKPOINTWRITER_H
