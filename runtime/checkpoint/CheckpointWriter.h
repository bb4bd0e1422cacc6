// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes checkpoints while the run goes on. The ranks copy their slices into
// memory of the writer; a thread writes them to a temporary folder, syncs it
// and gives it its name. Each process writes the files of its ranks. The first
// one publishes when all have reported, over the side channel, that their files
// are on the disk.

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
    /// Returns the strings that all processes gave, in order; null: there is
    /// one process. It is called on the writer's thread.
    std::function<std::vector<std::string>(const std::string &)> gather;
    /// Called on the writer's thread before a checkpoint gets its name.
    std::function<void()> beforePublishing;
    /// Called on the writer's thread when a checkpoint is written, or cannot
    /// be.
    std::function<void()> afterWriting;
    /// Starts the writer's thread, and may free it of the caller's core
    /// binding.
    std::function<void(const std::function<void()> &)> start;
  };

  CheckpointWriter(const format::Executable &executable, const Mesh &mesh,
                   const std::vector<int> &ranks, Settings settings);
  /// Waits until checkpoints that were begun are written.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter &) = delete;

  /// Waits until nothing is being written. Returns false if it had to wait.
  bool wait();
  /// Copies a rank's slices. Called after wait(), by each rank's thread.
  void snapshot(int rank, Device &device);
  /// Begins to write. Called after all snapshots.
  void begin(const Standing &standing);

  /// Returns the error since the last call, which is the same in all processes;
  /// empty if there was none.
  std::string takeProblem();
  /// The step of the newest checkpoint that was published; -1: none yet.
  int64_t published();

private:
  struct Image;
  void loop();
  void write(const Standing &standing);
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
