// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checkpoints of a run. Ranks that are processes agree after every step
// whether one of them was told to stop, so that all save the same step.

#include "tools/zrun/Checkpoints.h"

#include "runtime/checkpoint/Transfer.h"
#include "runtime/comm/Communicator.h"
#include "runtime/core/Error.h"
#include "runtime/data/Parameters.h"
#include "runtime/data/Rename.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/Processes.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace zcc::rt {

static volatile std::sig_atomic_t terminationSeen = 0;
static void onTermination(int) { terminationSeen = 1; }

Readers readersOf(const format::Executable &executable, Processes *processes) {
  Readers readers;
  if (!processes)
    return readers;
  readers.index = processes->rank();
  readers.count = processes->size();
  readers.gather = [processes](const std::string &mine) {
    return processes->channel().gather(mine);
  };
  Mesh mesh(executable);
  if (processes->size() == mesh.ranks())
    readers.needs = slicesOfRank(executable, mesh, processes->rank());
  return readers;
}

WeightSet openParameters(const format::Executable &executable,
                         const Options &options, Processes *processes,
                         const Say &warn) {
  Readers readers = readersOf(executable, processes);
  if (!options.rename.empty())
    readers.needs = nullptr; // it is known under other names
  WeightSet weights =
      isFolder(options.params)
          ? openForParameters(options.params, readers, warn).parameters()
          : openWeights(options.params);
  if (!options.rename.empty()) {
    std::vector<std::string> names;
    for (const format::Tensor &tensor : executable.parameters())
      names.push_back(tensor.name());
    weights = renameWeights(options.rename, weights, names);
  }
  checkParameters(executable, weights);
  return weights;
}

void transferCheckpoint(const Options &options) {
  auto warn = [](const std::string &message) {
    std::fprintf(stderr, "warning: %s\n", message.c_str());
  };
  if (!options.exportFrom.empty()) {
    checkWritable(options.output);
    Checkpoint checkpoint =
        openForParameters(options.exportFrom, Readers(), warn);
    exportCheckpoint(checkpoint, options.withMoments, options.output);
    std::printf("%s: step %lld of %s\n", options.output.c_str(),
                (long long)checkpoint.index.standing.step,
                checkpoint.path.c_str());
    return;
  }
  std::string made = importCheckpoint(options.importFrom, options.checkpoint);
  std::printf("%s: from %s\n", made.c_str(), options.importFrom.c_str());
}

Checkpoints::Checkpoints(const format::Executable &executable,
                         const Options &options, Processes *processes,
                         Say noteIt, Say warnIt)
    : executable(executable), options(options), processes(processes),
      isFirst(!processes || processes->rank() == 0), note(std::move(noteIt)),
      warn(std::move(warnIt)) {
  const std::string &folder = options.checkpoint;
  if (folder.empty())
    return;
  if (executable.optimizer() == "forward" || executable.optimizer() == "none")
    badInput("--checkpoint: the executable does not train (--optimizer ",
             executable.optimizer(), ")");
  Readers readers = readersOf(executable, processes);
  std::string problem;
  if (isFirst) {
    try {
      makeFolder(folder);
      lock = std::make_unique<FolderLock>(folder);
      removeUnfinished(folder);
      if (!options.resume && !listSteps(folder).empty())
        badInput(folder, ": holds checkpoints up to step ",
                 listSteps(folder).back(),
                 ": give --resume to go on from them, or another folder");
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
  if (!options.resume)
    return;
  found = openNewest(folder, readers, warn, &present);
  if (!found)
    return;
  checkFits(executable, *found);
  start = found->index.standing;
  if (!options.tokens.empty() && start.seed && *start.seed != options.seed)
    badInput(found->path, ": the run had --seed ", *start.seed,
             ", this one has ", options.seed,
             ": the windows would come in another order");
}

Checkpoints::~Checkpoints() {
  if (terminable && !processes)
    std::signal(SIGTERM, SIG_DFL);
}

void Checkpoints::load(RankHost &ranks) {
  ranks.onAllRanks([&](int rank) {
    loadCheckpoint(executable, ranks.mesh(), rank, *found, ranks.device(rank));
  });
  note(text("resuming from ", found->path));
  found->tensors.clear();
}

void Checkpoints::prepare(RankHost &ranks, LogFile &log) {
  if (options.checkpoint.empty())
    return;
  CheckpointWriter::Settings settings;
  settings.folder = options.checkpoint;
  settings.keep = options.keep;
  settings.present = present;
  settings.publishes = isFirst;
  // Nobody who was killed and has not noticed has the same.
  auto now = std::chrono::system_clock::now().time_since_epoch().count();
  settings.token = text(getpid(), "-", now);
  if (processes) {
    settings.gather = readersOf(executable, processes).gather;
    settings.token = settings.gather(settings.token)[0];
    processes->channel().deferTermination();
  } else {
    struct sigaction action {};
    action.sa_handler = onTermination;
    action.sa_flags = SA_RESTART | SA_RESETHAND;
    sigaction(SIGTERM, &action, nullptr);
  }
  terminable = true;
  settings.beforePublishing = [&log] { log.sync(); };
  settings.start = [&ranks](const std::function<void()> &begin) {
    ranks.unbound(begin);
  };
  writer = std::make_unique<CheckpointWriter>(
      executable, ranks.mesh(), ranks.localRanks(), std::move(settings));
}

bool Checkpoints::isStopRequested(RankHost &ranks) {
  if (!processes)
    return terminationSeen;
  uint8_t stop = processes->channel().isTerminationSeen();
  if (ranks.ranks() == 1)
    return stop;
  std::vector<int> all;
  for (int i = 0; i < ranks.ranks(); ++i)
    all.push_back(i);
  ranks.transport(ranks.localRanks().front())
      .open(all)
      ->allReduce(ElementType::U8, Reduction::Max, &stop, &stop, 1);
  return stop;
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

bool Checkpoints::afterStep(RankHost &ranks, int64_t step, int64_t steps,
                            int64_t updates, const LossScale &lossScale) {
  if (!writer)
    return false;
  bool stops = isStopRequested(ranks);
  int64_t every = options.checkpointEvery;
  if (!stops && (every == 0 || (step % every != 0 && step != steps)))
    return false;
  Standing standing;
  standing.step = step;
  standing.updates = updates;
  if (lossScale.isDynamic())
    standing.lossScale = lossScale.value();
  standing.goodSteps = lossScale.good();
  if (!options.tokens.empty())
    standing.seed = options.seed;
  save(ranks, standing);
  if (stops && step != steps)
    note(text("told to stop: step ", step, " of ", steps, " is the last"));
  return stops;
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
