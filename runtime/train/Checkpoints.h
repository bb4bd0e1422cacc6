// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checkpoints of a run: where it resumes, and when it saves.

#ifndef ZCC_RUNTIME_TRAIN_CHECKPOINTS_H
#define ZCC_RUNTIME_TRAIN_CHECKPOINTS_H

#include "runtime/checkpoint/CheckpointReader.h"
#include "runtime/checkpoint/CheckpointWriter.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/launch/RankHost.h"
#include "runtime/train/Settings.h"

namespace zcc::rt {

class Processes;

/// Makes the folder of checkpoints, if need be, and locks it, in the first
/// process, whose lock this returns. `check`, if given, is called there then.
/// Bad input is that of all processes.
std::unique_ptr<FolderLock>
lockCheckpoints(const std::string &folder, const Readers &readers,
                const std::function<void()> &check = nullptr);

/// CheckpointWriter::Settings::token, for all processes.
std::string checkpointToken(const Readers &readers);

/// All processes make the same calls. Without --checkpoint none does anything.
class Checkpoints {
public:
  /// Takes the folder's lock and, with `resume`, opens the newest whole
  /// checkpoint. Throws bad input where the folder is in use, or the checkpoint
  /// does not fit the executable or the order of the data, which the seed
  /// `order` describes if it has one. `executable` outlives this.
  Checkpoints(const format::Executable &executable,
              const CheckpointSettings &settings, std::optional<uint64_t> order,
              Processes *processes, Say note, Say warn);

  bool resumes() const { return found.has_value(); }
  /// The progress of the run so far: zeros unless it resumes.
  const Standing &standing() const { return start; }

  /// Fills the arenas from the checkpoint that was found.
  void load(RankHost &ranks);
  /// To be called before the first step. `beforePublishing` is called on
  /// another thread before a checkpoint appears.
  void prepare(RankHost &ranks, std::function<void()> beforePublishing);
  /// True between prepare() and the end, if there is a folder.
  bool isWriting() const { return writer != nullptr; }
  /// To be called after each step: saves if it is time, or if the run `stops`
  /// here. `steps` is the number of steps in all.
  void afterStep(RankHost &ranks, Standing standing, int64_t steps, bool stops);
  /// To be called at the end: waits for the disk; throws a failure if the last
  /// checkpoint could not be written.
  void finish();

private:
  void save(RankHost &ranks, const Standing &standing);
  void takeProblem();

  const format::Executable &executable;
  const CheckpointSettings given;
  const std::optional<uint64_t> order;
  Processes *processes;
  const bool isFirst;
  Say note, warn;
  std::unique_ptr<FolderLock> lock;
  std::optional<Checkpoint> found;
  std::vector<int64_t> present; // whole ones up to the one found
  Standing start;
  std::unique_ptr<CheckpointWriter> writer;
  std::string lastProblem;
  bool toldToWait = false;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_TRAIN_CHECKPOINTS_H
