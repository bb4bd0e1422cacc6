// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checkpoints of a run.

#include "runtime/train/Checkpoints.h"

#include "runtime/core/Error.h"
#include "runtime/format/StepExtent.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/Processes.h"
#include "runtime/train/Start.h"

#include <chrono>
#include <unistd.h>

namespace zcc::rt {

std::unique_ptr<FolderLock>
lockCheckpoints(const std::string &folder, const Readers &readers,
                const std::function<void()> &check) {
  std::unique_ptr<FolderLock> lock;
  std::string problem;
  if (readers.index == 0) {
    try {
      makeFolder(folder);
      lock = std::make_unique<FolderLock>(folder);
      removeUnfinished(folder);
      if (check)
        check();
    } catch (const Error &error) {
      problem = error.what();
    }
  }
  if (readers.gather) {
    problem = readers.gather(problem)[0];
    bool lacks = problem.empty() && !isFolder(folder);
    std::vector<std::string> all = readers.gather(lacks ? "lacks" : "");
    for (size_t i = 0; i < all.size() && problem.empty(); ++i)
      if (!all[i].empty())
        problem = text(folder, ": rank ", i,
                       " does not see the folder: all ranks must share it");
  }
  if (!problem.empty())
    badInput(problem);
  return lock;
}

std::string checkpointToken(const Readers &readers) {
  // The token of a run that was killed, some of whose processes may still run,
  // differs.
  auto now = std::chrono::system_clock::now().time_since_epoch().count();
  std::string token = text(getpid(), "-", now);
  return readers.gather ? readers.gather(token)[0] : token;
}

Checkpoints::Checkpoints(const format::Executable &executable,
                         const CheckpointSettings &settings,
                         std::optional<uint64_t> order, Processes *processes,
                         Say noteIt, Say warnIt)
    : executable(executable), given(settings), order(order),
      processes(processes), isFirst(!processes || processes->rank() == 0),
      note(std::move(noteIt)), warn(std::move(warnIt)) {
  const std::string &folder = given.checkpoint;
  if (folder.empty())
    return;
  if (!trains(executable))
    badInput("--checkpoint: the executable does not train (--optimizer ",
             executable.optimizer(), ")");
  Readers readers = readersOf(executable, processes);
  lock = lockCheckpoints(folder, readers, [&] {
    if (!given.resume && !listSteps(folder).empty())
      badInput(folder, ": holds checkpoints up to step ",
               listSteps(folder).back(),
               ": give --resume to go on from them, or another folder");
  });
  if (!given.resume)
    return;
  found = openNewest(folder, readers, warn, &present);
  if (!found)
    return;
  checkFits(executable, *found);
  start = found->index.standing;
  if (order && start.seed && *start.seed != *order)
    badInput(found->path, ": the run had --seed ", *start.seed,
             ", this one has ", *order,
             ": the windows would come in another order");
}

void Checkpoints::load(RankHost &ranks) {
  ranks.onAllRanks([&](int rank) {
    loadCheckpoint(executable, ranks.mesh(), rank, *found, ranks.device(rank));
  });
  note(text("resuming from ", found->path));
  if (std::string missing = missingAverages(executable, *found);
      !missing.empty())
    note(missing);
  found->tensors.clear();
}

void Checkpoints::prepare(RankHost &ranks,
                          std::function<void()> beforePublishing) {
  if (given.checkpoint.empty())
    return;
  CheckpointWriter::Settings settings;
  settings.folder = given.checkpoint;
  settings.keep = given.keep;
  settings.present = present;
  settings.publishes = isFirst;
  const Readers readers = readersOf(executable, processes);
  settings.gather = readers.gather;
  settings.token = checkpointToken(readers);
  settings.beforePublishing = std::move(beforePublishing);
  settings.start = [&ranks](const std::function<void()> &begin) {
    ranks.unbound(begin);
  };
  writer = std::make_unique<CheckpointWriter>(
      executable, ranks.mesh(), ranks.localRanks(), std::move(settings));
}

void Checkpoints::takeProblem() {
  lastProblem = writer->takeProblem();
  if (!lastProblem.empty())
    warn(text(lastProblem, "; the run goes on"));
}

void Checkpoints::save(RankHost &ranks, const Standing &standing) {
  if (!writer->wait() && !toldToWait) {
    toldToWait = true;
    note(text("step ", standing.step,
              " waited for the last checkpoint to be written"));
  }
  takeProblem();
  ranks.onAllRanks(
      [&](int rank) { writer->snapshot(rank, ranks.device(rank)); });
  writer->begin(standing);
}

void Checkpoints::afterStep(RankHost &ranks, Standing standing, int64_t steps,
                            bool stops) {
  const int64_t step = standing.step, every = given.checkpointEvery;
  if (!writer ||
      (!stops && (every == 0 || (step % every != 0 && step != steps))))
    return;
  standing.seed = order;
  save(ranks, standing);
  if (stops && step != steps)
    note(text("told to stop: step ", step, " of ", steps, " is the last"));
}

void Checkpoints::finish() {
  if (!writer)
    return;
  writer->wait();
  std::string problem = writer->takeProblem();
  if (!problem.empty())
    fail(problem);
}

} // namespace zcc::rt
