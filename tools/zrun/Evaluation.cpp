// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss on held-out data while a run trains.

#include "tools/zrun/Evaluation.h"

#include "runtime/core/Error.h"
#include "runtime/core/Spaces.h"
#include "runtime/data/Prefetch.h"
#include "runtime/data/Tokens.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/StepExtent.h"

#include <chrono>

namespace zcc::rt {

std::unique_ptr<Evaluation> Evaluation::open(const format::Executable &trained,
                                             const Options &options,
                                             const TrainerSettings &given,
                                             int64_t steps, const Say &note) {
  const std::string &path = options.evalExecutable;
  if (path.empty())
    return nullptr;
  if (isForward(trained))
    badInput("--eval-executable: ", options.executable,
             " does not train; it is a forward program itself");
  std::unique_ptr<Evaluation> evaluation(new Evaluation);
  format::Executable &executable = evaluation->executable;
  std::string error = readExecutable(path, executable);
  if (!error.empty())
    badInput(error);
  TrainerSettings settings = given;
  // With processes, only the training program's watchdog speaks.
  if (settings.processes)
    settings.warn = nullptr;
  evaluation->evaluated = std::make_unique<Trainer>(executable, settings);
  if (!isForward(executable))
    badInput("--eval-executable: ", path, " is compiled with --optimizer ",
             executable.optimizer(), ", expected --optimizer forward");
  checkSameModel(trained, executable, path);
  Mesh trainedMesh(trained), mesh(executable);
  if (mesh.ranks() != trainedMesh.ranks())
    badInput("--eval-executable: ", path, " is for ", mesh.ranks(), " ranks (",
             mesh.describe(), "), the trained program has ",
             trainedMesh.ranks(), " (", trainedMesh.describe(), ")");

  const std::vector<InputSpec> &specs = evaluation->evaluated->inputs();
  evaluation->source = options.evalTokens.empty()
                           ? openBatchFiles(options.evalBatches, specs, note)
                           : openTokens(options.evalTokens, options.tokenType,
                                        options.seed, specs);
  evaluation->every = options.evalEvery.value_or(steps);
  if (evaluation->every > steps)
    note(text("nothing will be evaluated: --eval-every is ", evaluation->every,
              ", --steps ", steps));
  evaluation->batches = options.evalSteps.value_or(
      evaluation->source->stepsInEpoch().value_or(1));
  evaluation->trainedExecutable = &trained;
  if (options.evalEma)
    evaluation->values = ParameterValues::Averaged;
  return evaluation;
}

/// The system gives memory only when it is touched, and the evaluation's is not
/// touched before the first evaluation. So too little memory is reported now.
static void checkMemory(RankHost &trained, const format::Executable &executable,
                        uint64_t present) {
  Mesh mesh(executable);
  uint64_t training = 0, evaluation = 0;
  for (int rank : trained.localRanks()) {
    training += addressableBytes(trained.stage(rank));
    evaluation += addressableBytes(executable.stages(mesh.stageOf(rank)));
  }
  if (present != 0 && training + evaluation > present)
    fail("the arenas of the evaluation take ", evaluation, " bytes beside the ",
         training, " of the training; this machine has ", present);
}

void Evaluation::prepare(Trainer &trainer) {
  trained = &trainer;
  checkMemory(trainer.ranks(), executable, evaluated->backend().memoryBytes());
  move = std::make_unique<ParameterMove>(*trainedExecutable, executable,
                                         trainer.ranks().localRanks(), values);
  trainer.ranks().unbound([&] { evaluated->start(); });
}

void Evaluation::run(JsonLine &line, const std::function<bool()> &stops) {
  auto start = std::chrono::steady_clock::now();
  evaluated->takeParameters(*trained, *move);
  // The same batches each time, so that the curve is that of the parameters.
  std::unique_ptr<Prefetch> prefetch;
  evaluated->ranks().unbound(
      [&] { prefetch = std::make_unique<Prefetch>(*source, 0, batches); });
  Means means;
  for (int64_t number = 0; number < batches; ++number) {
    if (stops())
      return;
    Batch batch = prefetch->next();
    evaluated->begin(batch, 0);
    batch.release();
    means.add(evaluated->finish().results);
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
