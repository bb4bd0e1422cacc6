// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of an executable from the first step to the last.

#include "tools/zrun/Session.h"

#include "runtime/core/Error.h"
#include "runtime/cpu/LocalRun.h"
#include "runtime/data/Inputs.h"
#include "runtime/data/Parameters.h"
#include "runtime/data/Prefetch.h"
#include "runtime/data/Tokens.h"
#include "runtime/format/executable.pb.h"
#include "tools/zrun/Checkpoints.h"
#include "tools/zrun/Evaluation.h"
#include "tools/zrun/EventFile.h"
#include "tools/zrun/Launch.h"
#include "tools/zrun/Log.h"
#include "tools/zrun/Progress.h"
#include "tools/zrun/Results.h"
#include "tools/zrun/Schedule.h"
#include "tools/zrun/Trace.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <unistd.h>

namespace zcc::rt {

namespace {

using Clock = std::chrono::steady_clock;

class Session {
public:
  Session(const format::Executable &executable, const Options &given,
          Processes *processes)
      : executable(executable), options(given), processes(processes),
        isFirst(!processes || processes->rank() == 0),
        isForward(executable.optimizer() == "forward"),
        specs(inputSpecs(executable)), lossScale(false, 1) {
    // One process speaks for all.
    if (!isFirst) {
      options.quiet = true;
      options.log.clear();
      options.tensorboard.clear();
    }
  }

  void run();

private:
  void say(const char *kind, const std::string &message) {
    if (!isFirst)
      return;
    if (progress)
      progress->clear();
    std::fprintf(stderr, "%s: %s\n", kind, message.c_str());
  }
  void note(const std::string &message) { say("note", message); }
  void warn(const std::string &message) { say("warning", message); }
  bool savesGradients() const { return !options.saveGrads.empty(); }

  void openData();
  void makeLossScale();
  void checkOutputs();
  void loadParametersOrInit(LocalRun &ranks);
  void step(LocalRun &ranks, int64_t number, const Batch &batch);
  void addSizes(JsonLine &line, const char *prefix, LocalRun &ranks);
  JsonLine report(int64_t number, const Results &results, double rate,
                  double scale, double seconds, double waited);
  void finishStep(int64_t number, const Results &results);
  [[noreturn]] void stopAt(int64_t number, const Results &results,
                           const std::string &what);
  void printMean();
  void saveTrace(LocalRun &ranks, const std::vector<std::vector<Span>> &spans);

  const format::Executable &executable;
  Options options;
  Processes *processes; // null: all ranks are here
  const bool isFirst;   // of the processes
  const bool isForward;
  std::vector<InputSpec> specs;
  LossScale lossScale;
  int64_t updates = 0, steps = 0;
  std::unique_ptr<WeightSet> params;
  std::unique_ptr<BatchSource> source;
  std::unique_ptr<GradientCollector> gradients;
  std::unique_ptr<LearningRate> learningRate;
  std::unique_ptr<Evaluation> evaluation;
  // Before the checkpoints, whose writer may still sync it when a run fails.
  std::unique_ptr<LogFile> log;
  std::unique_ptr<Checkpoints> checkpoints;
  std::unique_ptr<Progress> progress;
  DataWait dataWait;
  Means means;
};

/// A source for programs without inputs.
class NoInputs : public BatchSource {
public:
  Batch read(int64_t) override { return {}; }
};

void Session::openData() {
  auto noteIt = [this](const std::string &message) { note(message); };
  if (!options.tokens.empty())
    source = openTokens(options.tokens, options.tokenType, options.seed, specs);
  else if (options.batches == "-" && !isFirst)
    source = std::make_unique<NoInputs>(); // rank 0 has the standard input
  else if (options.batches == "-")
    source = openBatchStream(STDIN_FILENO, specs, noteIt);
  else if (!options.batches.empty())
    source = openBatchFiles(options.batches, specs, noteIt);
  else if (specs.empty())
    source = std::make_unique<NoInputs>();
  else {
    std::vector<std::string> names;
    for (const InputSpec &spec : specs)
      names.push_back(
          text(spec.name, " ", typeName(spec.type), " ", spec.shape));
    badInput("--batches or --tokens is needed: the executable reads ",
             listText(names));
  }
  if (options.steps)
    steps = *options.steps;
  else if (auto length = source->steps())
    steps = *length;
  else
    badInput("--steps is needed");
}

void Session::makeLossScale() {
  bool dynamic = options.dynamicScale.value_or(executable.precision() == "f16");
  if (isForward)
    dynamic = false;
  if (dynamic && !reportsOverflow(executable))
    badInput("--loss-scale dynamic: the executable does not report overflows");
  double start = options.lossScale;
  if (start == 0)
    start = dynamic ? 65536.0 : 1.0;
  lossScale = LossScale(dynamic, start);
}

/// What can go wrong at the end is found out at the start.
void Session::checkOutputs() {
  if (!isFirst)
    return;
  if (!options.saveParams.empty())
    checkWritable(options.saveParams);
  if (!options.saveGrads.empty())
    checkWritable(options.saveGrads);
  if (!options.trace.empty())
    checkWritable(options.trace, /*special=*/true);
}

void Session::loadParametersOrInit(LocalRun &ranks) {
  const Mesh &mesh = ranks.mesh();
  if (checkpoints->resumes())
    return checkpoints->load(ranks);
  if (params) {
    ranks.onAllRanks([&](int rank) {
      loadParameters(executable, mesh, rank, *params, ranks.arena(rank));
    });
    params.reset();
    return;
  }
  if (!options.initSeed)
    return;
  uint64_t seed = *options.initSeed;
  auto keyType = static_cast<ElementType>(executable.key_type());
  ranks.onAllRanks([&](int rank) {
    char *key = ranks.arena(rank).at(ranks.stage(rank).key_offset());
    if (keyType == ElementType::U32) {
      uint32_t halves[2] = {uint32_t(seed >> 32), uint32_t(seed)};
      std::memcpy(key, halves, sizeof(halves));
    } else {
      std::memcpy(key, &seed, byteSize(keyType));
    }
    ranks.runInit(rank);
    clearMoments(executable, mesh, rank, ranks.arena(rank));
  });
}

void Session::step(LocalRun &ranks, int64_t number, const Batch &batch) {
  std::vector<float> hyper = hyperparameters(options, learningRate->at(number),
                                             lossScale.value(), updates);
  ranks.onAllRanks([&](int rank) {
    Arena &arena = ranks.arena(rank);
    loadInputs(executable, ranks.mesh(), rank, specs, batch, arena);
    if (!isForward)
      std::memcpy(arena.at(ranks.stage(rank).hyper_offset()), hyper.data(),
                  hyper.size() * sizeof(float));
    ranks.runStep(rank, gradients != nullptr);
  });
  batch.release();
}

/// Of each rank's arena, planned and allocated.
void Session::addSizes(JsonLine &line, const char *prefix, LocalRun &ranks) {
  std::vector<int64_t> planned, allocated;
  for (int rank = 0; rank < ranks.ranks(); ++rank)
    planned.push_back(int64_t(ranks.stage(rank).device_bytes()));
  for (int rank : ranks.localRanks())
    allocated.push_back(int64_t(ranks.arena(rank).size()));
  if (processes) {
    std::vector<std::string> sizes =
        collect(ranks, std::to_string(allocated[0]));
    allocated.clear();
    for (const std::string &size : sizes)
      allocated.push_back(std::stoll(size));
  }
  line.integers(text(prefix, "planned_bytes"), planned)
      .integers(text(prefix, "allocated_bytes"), allocated);
}

JsonLine Session::report(int64_t number, const Results &results, double rate,
                         double scale, double seconds, double waited) {
  JsonLine line;
  line.integer("step", number);
  if (results.loss)
    line.raw("loss", results.loss->json);
  if (results.gradientNorm)
    line.number("grad_norm", *results.gradientNorm);
  if (!isForward)
    line.number("lr", rate);
  double tokens = double(tokensPerStep(specs));
  double peak = executable.peak_flops() * Mesh(executable).ranks();
  line.number("seconds", seconds);
  line.number("data_seconds", float(waited));
  // Measured values: the digits of a float are enough.
  line.number("tokens_per_second",
              seconds > 0 ? float(tokens / seconds) : 0.0f);
  line.number("utilization",
              seconds > 0 && peak > 0
                  ? float(executable.model_flops() / (seconds * peak))
                  : 0.0f);
  if (!isForward) {
    line.boolean("overflow", !results.finite);
    line.number("loss_scale", scale);
  }
  for (const Results::Metric &metric : results.metrics)
    line.raw(metric.name, metric.json);
  return line;
}

void Session::stopAt(int64_t number, const Results &results,
                     const std::string &what) {
  if (progress)
    progress->clear();
  std::string where =
      results.badGradient.empty()
          ? ""
          : text("; the gradient of ", jsonText(results.badGradient),
                 " is the first that is not finite");
  fail("step ", number, ": ", what, where);
}

/// Decides what the step's numbers mean for the next one.
void Session::finishStep(int64_t number, const Results &results) {
  bool overflow = !results.finite;
  if (overflow && lossScale.isDynamic()) {
    if (lossScale.isLowest())
      stopAt(number, results,
             text("the gradients overflow at the smallest loss scale, 1"));
    lossScale.update(true);
    return;
  }
  bool normIsBad =
      results.gradientNorm && !std::isfinite(*results.gradientNorm);
  if (options.stopOnNan && (overflow || normIsBad || !results.lossIsFinite()))
    stopAt(number, results,
           results.lossIsFinite()
               ? text("the gradients are not finite")
               : text("the loss is ", numberText(results.loss->value)));
  if (!overflow) {
    ++updates;
    lossScale.update(false);
  }
}

void Session::printMean() {
  JsonLine mean;
  for (const auto &[name, value] : means.values())
    mean.number(name, value);
  std::string line = JsonLine().raw("mean", mean.str()).str();
  log->line(line);
  if (!options.quiet)
    std::printf("%s\n", line.c_str());
}

void Session::run() {
  checkOutputs();
  makeLossScale();
  checkpoints = std::make_unique<Checkpoints>(
      executable, options, processes,
      [this](const std::string &message) { note(message); },
      [this](const std::string &message) { warn(message); });
  const Standing &start = checkpoints->standing();
  updates = start.updates;
  if (start.lossScale)
    lossScale.restore(*start.lossScale, start.goodSteps);
  if (checkpoints->resumes()) {
    // Over --params and --init-seed.
  } else if (!options.params.empty()) {
    params = std::make_unique<WeightSet>(
        openParameters(executable, options, processes,
                       [this](const std::string &message) { warn(message); }));
  } else if (options.initSeed) {
    if (!executable.stages(0).has_init())
      badInput("--init-seed: the executable has no initialization; compile it "
               "with --init");
  } else if (executable.parameters_size() != 0) {
    badInput("--params or --init-seed is needed: the executable has ",
             executable.parameters_size(), " parameters");
  }
  openData();
  evaluation =
      Evaluation::open(executable, options, steps,
                       [this](const std::string &message) { note(message); });
  learningRate = std::make_unique<LearningRate>(options, steps);
  std::unique_ptr<GradientFile> gradientFile;
  if (savesGradients() && isFirst)
    gradientFile = std::make_unique<GradientFile>(executable, Mesh(executable),
                                                  options.saveGrads);
  RunOptions runOptions;
  runOptions.threads = options.threads;
  runOptions.processes = processes;
  runOptions.watchdog = options.watchdog;
  runOptions.report = [](const std::string &message) {
    std::fprintf(stderr, "warning: %s\n", message.c_str());
  };
  LocalRun ranks(executable, runOptions);
  if (evaluation)
    evaluation->prepare(ranks, runOptions);
  log = std::make_unique<LogFile>(options.log, start.step);
  EventFile events(options.tensorboard, start.step + 1);
  JsonLine head;
  head.integer("ranks", ranks.ranks());
  addSizes(head, "", ranks);
  if (evaluation)
    addSizes(head, "eval_", evaluation->program());
  if (checkpoints->resumes())
    head.integer("resumed", start.step);
  log->line(head.str());
  loadParametersOrInit(ranks);
  checkpoints->prepare(ranks, *log);
  if (checkpoints->resumes() && start.step >= steps)
    note(text("nothing to do: ", start.step, " steps are done, --steps is ",
              steps));
  if (savesGradients()) {
    gradients = std::make_unique<GradientCollector>(executable, ranks,
                                                    std::move(gradientFile));
    ranks.setObserver([this](int rank, const format::State &place,
                             const void *data, bool scaled) {
      gradients->take(rank, place, data,
                      scaled ? float(lossScale.value()) : 1.0f);
    });
  }

  // Results on a terminal are progress enough.
  progress = std::make_unique<Progress>(
      !options.quiet && !(isForward && isatty(STDOUT_FILENO)), start.step,
      steps);
  std::vector<std::vector<Span>> spans;
  std::unique_ptr<Prefetch> prefetch;
  // A stream begins at its beginning.
  const bool streams = options.batches == "-";
  ranks.unbound([&] {
    prefetch =
        std::make_unique<Prefetch>(*source, streams ? 0 : start.step, steps);
  });
  for (int64_t i = 0; streams && i < std::min(start.step, steps); ++i)
    prefetch->next();
  auto last = Clock::now();
  for (int64_t number = start.step + 1; number <= steps; ++number) {
    double rate = learningRate->at(number), scale = lossScale.value();
    // The last step is the one that is warm.
    if (!options.trace.empty() && number == steps)
      ranks.record(spans);
    double waited;
    {
      auto start = Clock::now();
      Batch batch = prefetch->next();
      if (processes && options.batches == "-")
        batch = shareBatch(ranks, specs, std::move(batch));
      waited = std::chrono::duration<double>(Clock::now() - start).count();
      step(ranks, number, batch);
    }
    if (gradients) {
      gradients->commit(float(lossScale.value()));
      gradients.reset();
    }
    Results results = readResults(executable, ranks);
    auto now = Clock::now();
    double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    JsonLine report =
        this->report(number, results, rate, scale, seconds, waited);
    if (evaluation && evaluation->isDue(number)) {
      evaluation->run(report,
                      [&] { return checkpoints->isStopRequested(ranks); });
      progress->setEvaluationLoss(evaluation->loss());
      last = Clock::now();
    }
    std::string line = report.str();
    log->line(line);
    events.add(line);
    if (auto warning = dataWait.add(number, seconds, waited))
      warn(*warning);
    if (isForward) {
      means.add(results);
      if (!options.quiet)
        std::printf("%s\n", line.c_str());
    }
    finishStep(number, results);
    progress->show(number,
                   results.loss ? std::make_optional(results.loss->value)
                                : std::nullopt,
                   double(tokensPerStep(specs)) / seconds);
    if (checkpoints->afterStep(ranks, number, steps, updates, lossScale) &&
        number != steps) {
      checkpoints->finish();
      if (processes)
        processes->finish();
      return;
    }
  }
  progress->clear();
  if (isForward)
    printMean();
  if (!options.trace.empty())
    saveTrace(ranks, spans);
  if (!options.saveParams.empty())
    saveAllParameters(executable, ranks, options.saveParams);
  checkpoints->finish();
  if (!options.quiet && (std::fflush(stdout) != 0 || std::ferror(stdout)))
    fail("cannot write to standard output");
  if (processes)
    processes->finish();
}

void Session::saveTrace(LocalRun &ranks,
                        const std::vector<std::vector<Span>> &spans) {
  double ahead = processes ? processes->clockAhead() : 0;
  std::vector<std::string> events;
  for (int rank : ranks.localRanks())
    events.push_back(traceEvents(executable, rank, spans[rank], ahead));
  if (processes)
    events = collect(ranks, events[0]);
  if (isFirst)
    writeTrace(options.trace, events);
}

} // namespace

void runSession(const format::Executable &executable, const Options &options,
                Processes *processes) {
  Session(executable, options, processes).run();
}

} // namespace zcc::rt
