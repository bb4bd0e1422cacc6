// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of an executable from the first step to the last: what it needs is
// opened (open), ranks are allocated and filled (begin), steps run one after
// the other (runSteps), and what is left is written (end).

#include "tools/zrun/Session.h"

#include "runtime/core/Error.h"
#include "runtime/data/InputFeed.h"
#include "runtime/data/Parameters.h"
#include "runtime/data/Prefetch.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/ProgressWatch.h"
#include "runtime/launch/RankHost.h"
#include "tools/zrun/Backends.h"
#include "tools/zrun/Checkpoints.h"
#include "tools/zrun/Evaluation.h"
#include "tools/zrun/EventFile.h"
#include "tools/zrun/Launch.h"
#include "tools/zrun/Progress.h"
#include "tools/zrun/Settings.h"
#include "tools/zrun/Setup.h"
#include "tools/zrun/StepLine.h"
#include "tools/zrun/Trace.h"

#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace zcc::rt {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Session {
public:
  Session(const format::Executable &executable, const Options &given,
          Processes *processes)
      : executable(executable), backend(backendOf(executable, given)),
        options(given), processes(processes),
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
  Say note() {
    return [this](const std::string &message) { say("note", message); };
  }
  Say warn() {
    return [this](const std::string &message) { say("warning", message); };
  }
  void say(const char *kind, const std::string &message);
  [[noreturn]] void stopAt(int64_t step, const Results &results,
                           const std::string &what);

  void open();
  RunOptions runOptions() const;
  void begin(RankHost &ranks);
  void writeHead(RankHost &ranks);
  void fillParameters(RankHost &ranks);
  void observeGradients(RankHost &ranks);
  bool runSteps(RankHost &ranks);
  /// Where batches are on their way.
  struct Feeding {
    std::unique_ptr<Prefetch> prefetch;
    std::vector<std::unique_ptr<InputFeed>> feeds; // by rank; null: elsewhere
    std::optional<Batch> ahead;                    // the next one, on devices
  };
  Feeding startFeeding(RankHost &ranks);
  double runStep(RankHost &ranks, int64_t step, Feeding &feeding);
  void bringAhead(RankHost &ranks, Feeding &feeding);
  void tell(const StepFacts &facts, const Results &results,
            const std::string &line);
  void drawConsequences(int64_t step, const Results &results);
  void end(RankHost &ranks);
  void saveTrace(RankHost &ranks);
  void checkFiles();

  const format::Executable &executable;
  const std::shared_ptr<const Backend> backend;
  Options options;
  Processes *processes; // null: all ranks are here
  const bool isFirst;   // of the processes
  const bool isForward;
  std::vector<InputSpec> specs;
  LossScale lossScale;
  int64_t done = 0;                  // steps of earlier runs
  int64_t steps = 0;                 // in all
  int64_t updates = 0;               // steps so far that changed parameters
  std::unique_ptr<WeightSet> params; // until they are loaded
  std::unique_ptr<BatchSource> source;
  std::unique_ptr<GradientFile> gradientFile;   // until the first step begins
  std::unique_ptr<GradientCollector> gradients; // during the first step
  std::unique_ptr<LearningRate> learningRate;
  std::unique_ptr<Evaluation> evaluation;
  // Before the checkpoints, whose writer may still sync it when a run fails.
  std::unique_ptr<LogFile> log;
  std::unique_ptr<EventFile> events;
  std::unique_ptr<Checkpoints> checkpoints;
  std::unique_ptr<Progress> progress;
  std::vector<std::vector<Span>> spans; // of --trace
  DataWait dataWait;
  Means means;
};

void Session::run() {
  open();
  RankHost ranks(executable, *backend, runOptions());
  begin(ranks);
  bool whole = runSteps(ranks);
  if (whole)
    end(ranks);
  else // told to stop: the last step is in a checkpoint
    checkpoints->finish();
  checkFiles();
  if (processes) {
    ranks.transport(ranks.localRanks().front()).settle();
    processes->finish();
  }
}

void Session::say(const char *kind, const std::string &message) {
  if (!isFirst)
    return;
  if (progress)
    progress->clear();
  std::fprintf(stderr, "%s: %s\n", kind, message.c_str());
}

void Session::stopAt(int64_t step, const Results &results,
                     const std::string &what) {
  if (progress)
    progress->clear();
  std::string where =
      results.badGradient.empty()
          ? ""
          : text("; the gradient of ", jsonText(results.badGradient),
                 " is the first that is not finite");
  fail("step ", step, ": ", what, where);
}

/// Files and numbers, before anything is allocated.
void Session::open() {
  if (isFirst)
    checkOutputs(options);
  for (const std::string &name : unreadSettings(executable, options))
    say("note", text(name, ": an executable of optimizer ",
                     executable.optimizer(), " does not read it"));
  lossScale = makeLossScale(executable, options);
  checkpoints = std::make_unique<Checkpoints>(executable, options, processes,
                                              note(), warn());
  const Standing &start = checkpoints->standing();
  done = start.step;
  updates = start.updates;
  if (start.lossScale)
    lossScale.restore(*start.lossScale, start.goodSteps);
  // A checkpoint goes over --params and --init-seed.
  if (!checkpoints->resumes()) {
    checkStart(executable, options);
    if (!options.params.empty())
      params = std::make_unique<WeightSet>(
          openParameters(executable, options, processes, warn()));
  }
  source = openSource(options, specs, isFirst, note());
  steps = countSteps(options, *source);
  evaluation = Evaluation::open(executable, options, steps, note());
  learningRate = std::make_unique<LearningRate>(options, steps);
  if (!options.saveGrads.empty() && isFirst)
    gradientFile = std::make_unique<GradientFile>(executable, Mesh(executable),
                                                  options.saveGrads);
}

RunOptions Session::runOptions() const {
  RunOptions given;
  given.threads = options.threads;
  given.processes = processes;
  given.watchdog = options.watchdog;
  given.linkDelay = options.linkDelay;
  given.delaySeed = options.delaySeed;
  given.report = [](const std::string &message) {
    std::fprintf(stderr, "warning: %s\n", message.c_str());
  };
  given.note = [](const std::string &message) {
    std::fprintf(stderr, "note: %s\n", message.c_str());
  };
  return given;
}

/// All that comes between the arenas and the first step.
void Session::begin(RankHost &ranks) {
  if (evaluation)
    evaluation->prepare(ranks, runOptions());
  log = std::make_unique<LogFile>(options.log, done);
  events = std::make_unique<EventFile>(options.tensorboard, done + 1);
  writeHead(ranks);
  checkFiles();
  fillParameters(ranks);
  checkpoints->prepare(ranks, *log);
  if (checkpoints->resumes() && done >= steps)
    say("note",
        text("nothing to do: ", done, " steps are done, --steps is ", steps));
  if (!options.saveGrads.empty())
    observeGradients(ranks);
  // Results on a terminal are progress enough.
  progress = std::make_unique<Progress>(
      !options.quiet && !(isForward && isatty(STDOUT_FILENO)), done, steps);
}

void Session::writeHead(RankHost &ranks) {
  JsonLine head;
  head.integer("ranks", ranks.ranks());
  addSizes(head, "", ranks);
  if (evaluation)
    addSizes(head, "eval_", evaluation->program());
  if (checkpoints->resumes())
    head.integer("resumed", done);
  log->line(head.str());
}

void Session::fillParameters(RankHost &ranks) {
  if (checkpoints->resumes())
    return checkpoints->load(ranks);
  if (params) {
    ranks.onAllRanks([&](int rank) {
      loadParameters(executable, ranks.mesh(), rank, *params,
                     ranks.device(rank));
    });
    params.reset();
  } else if (options.initSeed) {
    initialize(executable, ranks, *options.initSeed);
  }
}

void Session::observeGradients(RankHost &ranks) {
  gradients = std::make_unique<GradientCollector>(executable, ranks,
                                                  std::move(gradientFile));
  ranks.setObserver([this](int rank, const format::State &place,
                           const void *data, bool scaled) {
    gradients->take(rank, place, data,
                    scaled ? float(lossScale.value()) : 1.0f);
  });
}

/// Whether all were run; else the run was told to stop.
bool Session::runSteps(RankHost &ranks) {
  Feeding feeding = startFeeding(ranks);
  auto last = Clock::now();
  for (int64_t number = done + 1; number <= steps; ++number) {
    StepFacts facts;
    facts.number = number;
    facts.learningRate = learningRate->at(number);
    facts.lossScale = lossScale.value();
    // The last step is the one that is warm; the one before it shows how long a
    // device takes that nobody asks about each step.
    std::unique_ptr<ProgressWatch> watch;
    if (!options.trace.empty() && number == steps)
      ranks.record(spans);
    else if (!options.trace.empty() && number == steps - 1)
      watch = ranks.watchProgress(spans);
    facts.waited = runStep(ranks, number, feeding);
    Results results = readResults(executable, ranks);
    watch.reset();
    auto now = Clock::now();
    facts.seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    JsonLine line = stepLine(executable, specs, facts, results);
    if (evaluation && evaluation->isDue(number)) {
      evaluation->run(line,
                      [&] { return checkpoints->isStopRequested(ranks); });
      progress->setEvaluationLoss(evaluation->loss());
      last = Clock::now();
    }
    tell(facts, results, line.str());
    drawConsequences(number, results);
    progress->show(number,
                   results.loss ? std::make_optional(results.loss->value)
                                : std::nullopt,
                   double(tokensPerStep(specs)) / facts.seconds);
    if (checkpoints->afterStep(ranks, number, steps, updates, lossScale) &&
        number != steps)
      return false;
  }
  return true;
}

Session::Feeding Session::startFeeding(RankHost &ranks) {
  // A stream begins at its beginning.
  const bool streams = options.batches == "-";
  Feeding feeding;
  ranks.unbound([&] {
    feeding.prefetch =
        std::make_unique<Prefetch>(*source, streams ? 0 : done, steps);
  });
  for (int64_t i = 0; streams && i < std::min(done, steps); ++i)
    feeding.prefetch->next();
  feeding.feeds.resize(size_t(ranks.ranks()));
  ranks.onAllRanks([&](int rank) {
    feeding.feeds[rank] = std::make_unique<InputFeed>(
        ranks.stage(rank), ranks.mesh(), rank, specs, ranks.device(rank));
  });
  return feeding;
}

/// The seconds in which it waited for data.
double Session::runStep(RankHost &ranks, int64_t step, Feeding &feeding) {
  auto start = Clock::now();
  Batch batch = feeding.ahead
                    ? *std::exchange(feeding.ahead, std::nullopt)
                    : feeding.prefetch->next();
  if (processes && options.batches == "-")
    batch = shareBatch(ranks, specs, std::move(batch));
  double waited = secondsSince(start);
  std::vector<float> hyper = hyperparameters(
      executable, options, learningRate->at(step), lossScale.value(), updates);
  ranks.onAllRanks([&](int rank) {
    Device &device = ranks.device(rank);
    feeding.feeds[rank]->load(batch);
    if (!isForward)
      device.copyIn(device.mainStream(),
                    device.at(ranks.stage(rank).hyper_offset()), hyper.data(),
                    hyper.size() * sizeof(float));
    ranks.runStep(rank, gradients != nullptr);
  });
  batch.release();
  if (gradients) {
    gradients->commit(float(lossScale.value()));
    gradients.reset();
  }
  bringAhead(ranks, feeding);
  return waited;
}

/// The next batch, if it is there, while the step runs.
void Session::bringAhead(RankHost &ranks, Feeding &feeding) {
  // A batch that all processes share is not there before all ask for it.
  if ((processes && options.batches == "-") ||
      !feeding.feeds[ranks.localRanks().front()]->hasRoom())
    return;
  feeding.ahead = feeding.prefetch->poll();
  if (feeding.ahead)
    ranks.onAllRanks([&](int rank) {
      try {
        feeding.feeds[rank]->bringAhead(*feeding.ahead);
      } catch (const Error &) {
        // The step that wants the batch says what is wrong with it.
      }
    });
}

void Session::tell(const StepFacts &facts, const Results &results,
                   const std::string &line) {
  log->line(line);
  events->add(line);
  for (AppendFile *file : {&log->destination(), &events->destination()})
    if (std::string problem = file->takeProblem(); !problem.empty())
      say("warning", text(problem, "; the run goes on"));
  if (auto slow = dataWait.add(facts.number, facts.seconds, facts.waited))
    say("warning", *slow);
  if (!isForward)
    return;
  means.add(results);
  if (!options.quiet)
    std::printf("%s\n", line.c_str());
}

/// Decides what the step's numbers mean for the next one.
void Session::drawConsequences(int64_t step, const Results &results) {
  bool overflow = !results.finite;
  if (overflow && lossScale.isDynamic()) {
    if (lossScale.isLowest())
      stopAt(step, results,
             text("the gradients overflow at the smallest loss scale, 1"));
    lossScale.update(true);
    return;
  }
  bool normIsBad =
      results.gradientNorm && !std::isfinite(*results.gradientNorm);
  if (options.stopOnNan && (overflow || normIsBad || !results.lossIsFinite()))
    stopAt(step, results,
           results.lossIsFinite()
               ? text("the gradients are not finite")
               : text("the loss is ", numberText(results.loss->value)));
  if (!overflow) {
    ++updates;
    lossScale.update(false);
  }
}

/// What a run leaves behind, after its last step.
void Session::end(RankHost &ranks) {
  progress->clear();
  if (isForward) {
    std::string mean = meanLine(means);
    log->line(mean);
    if (!options.quiet)
      std::printf("%s\n", mean.c_str());
  }
  if (!options.trace.empty())
    saveTrace(ranks);
  if (!options.saveParams.empty())
    saveAllParameters(executable, ranks, options.saveParams);
  checkpoints->finish();
  if (!options.quiet && (std::fflush(stdout) != 0 || std::ferror(stdout)))
    fail("cannot write to standard output");
}

/// A run does not end for want of a line in its log before its own end.
void Session::checkFiles() {
  log->destination().check();
  events->destination().check();
}

void Session::saveTrace(RankHost &ranks) {
  double ahead = processes ? processes->clockAhead() : 0;
  std::vector<std::string> traced;
  for (int rank : ranks.localRanks())
    traced.push_back(traceEvents(executable, rank, spans[rank], ahead));
  if (processes)
    traced = collect(ranks, traced[0]);
  if (isFirst)
    writeTrace(options.trace, traced);
}

} // namespace

void runSession(const format::Executable &executable, const Options &options,
                Processes *processes) {
  Session(executable, options, processes).run();
}

} // namespace zcc::rt
