// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of an executable from the first step to the last: its files are opened
// (open), ranks are allocated and filled (begin), steps run one after the other
// (runSteps), and the files of its end are written (end).

#include "tools/zrun/Session.h"

#include "runtime/core/Error.h"
#include "runtime/data/NewFile.h"
#include "runtime/data/Parameters.h"
#include "runtime/data/Prefetch.h"
#include "runtime/data/SafeTensorsWriter.h"
#include "runtime/format/States.h"
#include "runtime/format/StepExtent.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/Processes.h"
#include "runtime/launch/ProgressWatch.h"
#include "runtime/train/Checkpoints.h"
#include "runtime/train/Collect.h"
#include "runtime/train/Start.h"
#include "runtime/train/Trace.h"
#include "runtime/train/Trainer.h"
#include "tools/zrun/Evaluation.h"
#include "tools/zrun/EventFile.h"
#include "tools/zrun/Progress.h"
#include "tools/zrun/Setup.h"
#include "tools/zrun/StepLine.h"
#include "tools/zrun/Termination.h"

#include <algorithm>
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
      : executable(executable), options(given), processes(processes),
        isFirst(!processes || processes->rank() == 0),
        isForward(rt::isForward(executable)),
        trainer(executable, trainerSettings()), termination(processes) {
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
  TrainerSettings trainerSettings() const;

  void open();
  void begin(RankHost &ranks);
  void writeHead(RankHost &ranks);
  void fillParameters(RankHost &ranks);
  bool runSteps(RankHost &ranks);
  /// The batches that are on their way.
  struct Feeding {
    std::unique_ptr<Prefetch> prefetch;
    std::optional<Batch> ahead; // the next one, on devices
  };
  Feeding startFeeding(RankHost &ranks);
  double runStep(RankHost &ranks, int64_t step, Feeding &feeding);
  void bringAhead(Feeding &feeding);
  void tell(int64_t number, const StepFacts &facts, const Results &results,
            const std::string &line);
  void openOutputs();
  void saveOutputs(int64_t step);
  void end(RankHost &ranks);
  void saveTrace(RankHost &ranks);
  void checkFiles();

  const format::Executable &executable;
  Options options;
  Processes *processes; // null: all ranks are here
  const bool isFirst;   // true for rank 0, which writes
  const bool isForward;
  int64_t done = 0;                  // steps of earlier runs
  int64_t steps = 0;                 // in all
  std::unique_ptr<WeightSet> params; // until they are loaded
  std::unique_ptr<BatchSource> source;
  std::unique_ptr<Gradients> gradientFile;      // until the first step begins
  std::unique_ptr<GradientCollector> gradients; // during the first step
  std::unique_ptr<SafeTensorsWriter> outputFile; // null: not wanted, not here
  std::unique_ptr<LearningRate> learningRate;
  std::unique_ptr<Evaluation> evaluation;
  Trainer trainer;
  Termination termination;
  // Before the checkpoints, whose writer may still sync it when a run fails.
  std::unique_ptr<LogFile> log;
  std::unique_ptr<EventFile> events;
  std::unique_ptr<Checkpoints> checkpoints;
  std::unique_ptr<Progress> progress;
  std::vector<std::vector<Span>> spans; // by rank, for --trace
  DataWait dataWait;
  Means means;
};

void Session::run() {
  open();
  trainer.start();
  RankHost &ranks = trainer.ranks();
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

/// Opens files and checks numbers, before anything is allocated.
void Session::open() {
  if (isFirst)
    checkOutputs(options);
  if (averagedParameters(executable).empty())
    for (auto [name, isGiven] :
         {std::pair("--save-ema", !options.saveEma.empty()),
          std::pair("--eval-ema", options.evalEma)})
      if (isGiven)
        badInput(name, ": the executable keeps no averages of its parameters; "
                       "compile it with --ema DECAY");
  for (const std::string &name : unreadSettings(executable, options))
    say("note", text("--", name, ": an executable of optimizer ",
                     executable.optimizer(), " does not read it"));
  checkKeySeed(trainer.inputs(), options.keySeed);
  std::optional<uint64_t> order;
  if (!options.tokens.empty())
    order = options.seed;
  checkpoints = std::make_unique<Checkpoints>(executable, options, order,
                                              processes, note(), warn());
  trainer.restore(checkpoints->standing());
  done = trainer.done();
  // A checkpoint goes over --params and --init-seed.
  if (!checkpoints->resumes()) {
    checkStart(executable, options);
    if (!options.params.empty())
      params = std::make_unique<WeightSet>(openParameters(
          executable, options.params, options.rename, processes, warn()));
  }
  source = openSource(options, trainer.inputs(), isFirst, note());
  steps = countSteps(options, *source);
  if (std::optional<int64_t> given = source->steps();
      given && *given < steps && options.tokens.empty())
    say("note", text(options.batches, ": has ", *given, " of the ", steps,
                     " steps, and begins again after each ", *given));
  evaluation =
      Evaluation::open(executable, options, trainerSettings(), steps, note());
  learningRate = std::make_unique<LearningRate>(options, steps);
  if (!options.saveGrads.empty() && isFirst)
    gradientFile = std::make_unique<Gradients>(executable, Mesh(executable),
                                               options.saveGrads);
  if (!options.saveOutputs.empty())
    openOutputs();
}

/// Makes the file of the arrays of all steps.
void Session::openOutputs() {
  std::vector<SafeTensorsWriter::Entry> entries;
  for (OutputSpec &output : trainer.outputs()) {
    output.shape.insert(output.shape.begin(), steps);
    entries.push_back({output.name, output.type, output.shape});
  }
  if (entries.empty())
    badInput("--save-outputs: the executable returns no arrays",
             isForward ? ""
                       : "; compile a function that does with --optimizer "
                         "forward");
  if (isFirst)
    outputFile =
        std::make_unique<SafeTensorsWriter>(options.saveOutputs, entries);
}

/// To be called by all processes, after the step.
void Session::saveOutputs(int64_t step) {
  std::map<std::string, void *> targets;
  std::vector<OutputSpec> outputs = trainer.outputs();
  for (size_t i = 0; outputFile && i < outputs.size(); ++i)
    targets[outputs[i].name] =
        outputFile->data(i) + size_t(step - 1) *
                                  size_t(volume(outputs[i].shape)) *
                                  byteSize(outputs[i].type);
  trainer.readOutputs(targets, /*everywhere=*/false);
}

TrainerSettings Session::trainerSettings() const {
  TrainerSettings settings;
  settings.updates = options;
  settings.ranks = options;
  settings.processes = processes;
  settings.keySeed = options.keySeed.value_or(0);
  settings.warn = [](const std::string &message) {
    std::fprintf(stderr, "warning: %s\n", message.c_str());
  };
  settings.note = [](const std::string &message) {
    std::fprintf(stderr, "note: %s\n", message.c_str());
  };
  return settings;
}

/// Fills the arenas and opens files, before the first step.
void Session::begin(RankHost &ranks) {
  if (evaluation)
    evaluation->prepare(trainer);
  log = std::make_unique<LogFile>(options.log, done);
  events = std::make_unique<EventFile>(options.tensorboard, done + 1);
  writeHead(ranks);
  checkFiles();
  fillParameters(ranks);
  checkpoints->prepare(ranks, [this] { log->sync(); });
  if (checkpoints->isWriting())
    termination.defer();
  if (checkpoints->resumes() && done >= steps)
    say("note",
        text("nothing to do: ", done, " steps are done, --steps is ", steps));
  if (!options.saveGrads.empty()) {
    gradients = std::make_unique<GradientCollector>(executable, ranks,
                                                    std::move(gradientFile));
    trainer.observe(gradients.get());
  }
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
    trainer.load(*params);
    params.reset();
  } else if (options.initSeed) {
    trainer.initialize(*options.initSeed);
  }
}

/// Returns true if all were run; else the run was told to stop.
bool Session::runSteps(RankHost &ranks) {
  Feeding feeding = startFeeding(ranks);
  auto last = Clock::now();
  for (int64_t number = done + 1; number <= steps; ++number) {
    StepFacts facts;
    // The last step is the one that is warm; the one before it shows how long a
    // device takes that nobody asks about each step.
    std::unique_ptr<ProgressWatch> watch;
    if (!options.trace.empty() && number == steps)
      ranks.record(spans);
    else if (!options.trace.empty() && number == steps - 1)
      watch = ranks.watchProgress(spans);
    facts.waited = runStep(ranks, number, feeding);
    StepReport report = trainer.finish();
    watch.reset();
    if (gradients)
      trainer.observe(nullptr);
    gradients.reset();
    if (!options.saveOutputs.empty())
      saveOutputs(number);
    const Results &results = report.results;
    auto now = Clock::now();
    facts.seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    JsonLine line = stepLine(executable, trainer.inputs(), report, facts);
    if (evaluation && evaluation->isDue(number)) {
      evaluation->run(line, [&] { return termination.isRequested(ranks); });
      progress->setEvaluationLoss(evaluation->loss());
      last = Clock::now();
    }
    tell(number, facts, results, line.str());
    if (!report.problem.empty()) {
      progress->clear();
      fail(report.problem);
    }
    progress->show(number,
                   results.loss ? std::make_optional(results.loss->value)
                                : std::nullopt,
                   double(tokensPerStep(trainer.inputs())) / facts.seconds);
    bool stops = checkpoints->isWriting() && termination.isRequested(ranks);
    checkpoints->afterStep(ranks, trainer.standing(), steps, stops);
    if (stops && number != steps)
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
  return feeding;
}

/// Begins a step; returns the seconds in which it waited for data.
double Session::runStep(RankHost &ranks, int64_t step, Feeding &feeding) {
  auto start = Clock::now();
  Batch batch = feeding.ahead
                    ? *std::exchange(feeding.ahead, std::nullopt)
                    : feeding.prefetch->next();
  if (processes && options.batches == "-")
    batch = shareBatch(ranks, trainer.inputs(), std::move(batch));
  double waited = secondsSince(start);
  trainer.begin(batch, learningRate->at(step));
  batch.release();
  bringAhead(feeding);
  return waited;
}

/// Brings the next batch to the devices, if it is there, while the step runs.
void Session::bringAhead(Feeding &feeding) {
  // A batch that all processes share is not there before all ask for it.
  if ((processes && options.batches == "-") || !trainer.takesAhead())
    return;
  feeding.ahead = feeding.prefetch->poll();
  if (feeding.ahead)
    trainer.bringAhead(*feeding.ahead);
}

void Session::tell(int64_t number, const StepFacts &facts,
                   const Results &results, const std::string &line) {
  log->line(line);
  events->add(line);
  for (AppendFile *file : {&log->destination(), &events->destination()})
    if (std::string problem = file->takeProblem(); !problem.empty())
      say("warning", text(problem, "; the run goes on"));
  if (auto slow = dataWait.add(number, facts.seconds, facts.waited))
    say("warning", *slow);
  if (!isForward)
    return;
  means.add(results);
  if (!options.quiet)
    std::printf("%s\n", line.c_str());
}

/// Writes the results of the run, after its last step.
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
    trainer.saveParameters(options.saveParams);
  if (!options.saveEma.empty())
    trainer.saveParameters(options.saveEma, ParameterValues::Averaged);
  if (outputFile)
    outputFile->commit();
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
  std::string trace = traceOf(executable, ranks, processes, spans);
  if (isFirst)
    writeNewFile(options.trace, trace);
}

} // namespace

void runSession(const format::Executable &executable, const Options &options,
                Processes *processes) {
  Session(executable, options, processes).run();
}

} // namespace zcc::rt
