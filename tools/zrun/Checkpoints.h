// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checkpoints of a run: where it resumes, when it saves, how it stops at
// SIGTERM.

#ifndef ZCC_TOOLS_ZRUN_CHECKPOINTS_H
#define ZCC_TOOLS_ZRUN_CHECKPOINTS_H

#include "runtime/checkpoint/CheckpointReader.h"
#include "runtime/checkpoint/CheckpointWriter.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/launch/RankHost.h"
#include "tools/zrun/Log.h"
#include "tools/zrun/Options.h"
#include "tools/zrun/Schedule.h"

namespace zcc::rt {

class Processes;

/// The processes of a run as readers of checkpoints.
Readers readersOf(const format::Executable &executable, Processes *processes);

/// Opens and checks --params: a file, a set of files or a checkpoint.
WeightSet openParameters(const format::Executable &executable,
                         const Options &options, Processes *processes,
                         const Say &warn);

/// --export and --import.
void transferCheckpoint(const Options &options);

/// All processes make the same calls. Without --checkpoint none does anything.
class Checkpoints {
public:
  /// Takes the folder's lock and, with --resume, opens the newest whole
  /// checkpoint. Throws bad input where the folder is in use, or the checkpoint
  /// does not fit the executable or the order of the data.
  Checkpoints(const format::Executable &executable, const Options &options,
              Processes *processes, Say note, Say warn);
  ~Checkpoints();

  bool resumes() const { return found.has_value(); }
  /// Of the run so far: zeros unless it resumes.
  const Standing &standing() const { return start; }

  /// Fills the arenas from the checkpoint that was found.
  void load(RankHost &ranks);
  /// Before the first step. `log` is made last before a checkpoint appears.
  void prepare(RankHost &ranks, LogFile &log);
  /// After a step and its line in the log: saves if it is time. Whether the run
  /// is to end here.
  bool afterStep(RankHost &ranks, int64_t step, int64_t steps, int64_t updates,
                 const LossScale &lossScale);
  /// At the end: waits for the disk; a failure if the last checkpoint could not
  /// be written.
  void finish();

  /// Whether the run is to end after this step. To be asked by all processes,
  /// between steps.
  bool isStopRequested(RankHost &ranks);

private:
  void save(RankHost &ranks, const Standing &standing);
  void takeProblem();

  const format::Executable &executable;
  const Options &options;
  Processes *processes;
  const bool isFirst;
  Say note, warn;
  std::unique_ptr<FolderLock> lock;
  std::optional<Checkpoint> found;
  std::vector<int64_t> present; // whole ones up to the one found
  Standing start;
  std::unique_ptr<CheckpointWriter> writer;
  std::string lastProblem;
  bool toldToWait = false, terminable = false;
};

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_CHECKPOINTS_H
