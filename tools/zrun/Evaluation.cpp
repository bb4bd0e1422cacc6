// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss on held-out data while a run trains.

#include "tools/zrun/Evaluation.h"

#include "runtime/comm/Communicator.h"
#include "runtime/core/Error.h"
#include "runtime/core/Spaces.h"
#include "runtime/data/Inputs.h"
#include "runtime/data/Prefetch.h"
#include "runtime/data/Tokens.h"
#include "runtime/format/ExecutableFile.h"
#include "tools/zrun/Backends.h"
#include "tools/zrun/Results.h"

#include <chrono>
#include <numeric>

namespace zcc::rt {

std::unique_ptr<Evaluation> Evaluation::open(const format::Executable &trained,
                                             const Options &options,
                                             int64_t steps, const Say &note) {
  const std::string &path = options.evalExecutable;
  if (path.empty())
    return nullptr;
  if (trained.optimizer() == "forward")
    badInput("--eval-executable: ", options.executable,
             " does not train; it is a forward program itself");
  std::unique_ptr<Evaluation> evaluation(new Evaluation);
  format::Executable &executable = evaluation->executable;
  std::string error = readExecutable(path, executable);
  if (!error.empty())
    badInput(error);
  evaluation->backend = backendOf(executable, options);
  if (executable.optimizer() != "forward")
    badInput("--eval-executable: ", path, " is compiled with --optimizer ",
             executable.optimizer(), ", expected --optimizer forward");
  checkSameModel(trained, executable, path);
  Mesh trainedMesh(trained), mesh(executable);
  if (mesh.ranks() != trainedMesh.ranks())
    badInput("--eval-executable: ", path, " is for ", mesh.ranks(), " ranks (",
             mesh.describe(), "), the trained program has ",
             trainedMesh.ranks(), " (", trainedMesh.describe(), ")");

  evaluation->specs = inputSpecs(executable);
  evaluation->source =
      options.evalTokens.empty()
          ? openBatchFiles(options.evalBatches, evaluation->specs, note)
          : openTokens(options.evalTokens, options.tokenType, options.seed,
                       evaluation->specs);
  evaluation->every = options.evalEvery.value_or(steps);
  if (evaluation->every > steps)
    note(text("nothing will be evaluated: --eval-every is ", evaluation->every,
              ", --steps ", steps));
  evaluation->batches = options.evalSteps.value_or(
      evaluation->source->stepsInEpoch().value_or(1));
  evaluation->trainedExecutable = &trained;
  return evaluation;
}

/// Pages are taken as they are touched, the evaluation's not before the first
/// one: what does not fit is said at the start.
static void checkMemory(RankHost &trained, const format::Executable &executable,
                        uint64_t present) {
  Mesh mesh(executable);
  uint64_t training = 0, evaluation = 0;
  for (int rank : trained.localRanks()) {
    training += bytesOfArenas(trained.stage(rank));
    evaluation += bytesOfArenas(executable.stages(mesh.stageOf(rank)));
  }
  if (present != 0 && training + evaluation > present)
    fail("the arenas of the evaluation take ", evaluation, " bytes beside the ",
         training, " of the training; this machine has ", present);
}

void Evaluation::prepare(RankHost &ranks, const RunOptions &given) {
  trained = &ranks;
  checkMemory(ranks, executable, backend->memoryBytes());
  move = std::make_unique<ParameterMove>(*trainedExecutable, executable,
                                         ranks.localRanks());
  RunOptions options = given;
  // Of processes the training program's watchdog speaks.
  if (options.processes)
    options.report = nullptr;
  ranks.unbound([&] {
    evaluated = std::make_unique<RankHost>(executable, *backend, options);
  });
}

/// Returns when all ranks have called it.
static void allWait(RankHost &ranks, int rank) {
  std::vector<int> all(ranks.ranks());
  std::iota(all.begin(), all.end(), 0);
  int32_t nothing = 0;
  ranks.transport(rank).open(all)->allReduce(ElementType::I32, Reduction::Max,
                                             &nothing, &nothing, 1);
}

void Evaluation::run(JsonLine &line, const std::function<bool()> &stops) {
  auto start = std::chrono::steady_clock::now();
  evaluated->onAllRanks([&](int rank) {
    if (trained->isWhole())
      move->copyTo(
          rank, [&](int from) -> Device & { return trained->device(from); },
          evaluated->device(rank));
    else
      move->exchange(
          rank, evaluated->transport(rank), [&] { allWait(*evaluated, rank); },
          trained->device(rank), evaluated->device(rank));
  });
  // The same batches each time, so that the curve is that of the parameters.
  std::unique_ptr<Prefetch> prefetch;
  evaluated->unbound(
      [&] { prefetch = std::make_unique<Prefetch>(*source, 0, batches); });
  Means means;
  for (int64_t number = 0; number < batches; ++number) {
    if (stops())
      return;
    Batch batch = prefetch->next();
    evaluated->onAllRanks([&](int rank) {
      loadInputs(executable, evaluated->mesh(), rank, specs, batch,
                 evaluated->device(rank));
      evaluated->runStep(rank, false);
    });
    batch.release();
    means.add(readResults(executable, *evaluated));
  }
  lastLoss.reset();
  for (const auto &[name, mean] : means.values()) {
    if (means.isWide())
      line.number("eval_" + name, mean);
    else
      line.number("eval_" + name, float(mean));
    if (name == "loss")
      lastLoss = mean;
  }
  line.number("eval_seconds",
              float(std::chrono::duration<double>(
                        std::chrono::steady_clock::now() - start)
                        .count()));
}

} // namespace zcc::rt
