// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/train/Trainer.h"

#include "runtime/checkpoint/CheckpointWriter.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/comm/Communicator.h"
#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
#include "runtime/core/NanOrigins.h"
#include "runtime/core/Spaces.h"
#include "runtime/data/Limits.h"
#include "runtime/data/MappedFile.h"
#include "runtime/data/MoveParameters.h"
#include "runtime/data/Parameters.h"
#include "runtime/format/States.h"
#include "runtime/format/StepExtent.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/Processes.h"
#include "runtime/train/Backends.h"
#include "runtime/train/Checkpoints.h"
#include "runtime/train/Collect.h"
#include "runtime/train/Start.h"
#include "runtime/train/Trace.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <numeric>

namespace zcc::rt {

void writeResults(const format::Executable &executable,
                  const StepReport &report, double seconds, double *to) {
  const Results &results = report.results;
  if (results.loss)
    *to++ = results.loss->value;
  for (const Results::Metric &metric : results.metrics)
    *to++ = metric.value;
  if (results.gradientNorm)
    *to++ = *results.gradientNorm;
  if (!isForward(executable)) {
    *to++ = report.learningRate;
    *to++ = report.lossScale;
    *to++ = !results.finite;
  }
  *to++ = seconds;
}

Trainer::Trainer(const format::Executable &executable,
                 const TrainerSettings &given)
    : theExecutable(executable), settings(given),
      theBackend(backendOf(executable, given.ranks)),
      forward(rt::isForward(executable)), specs(findSpecs()),
      scale(makeLossScale(executable, given.updates)) {
  if (given.updates.onNan != OnNan::Find)
    return;
  if (!theBackend->looksForNan())
    badInput("--on-nan find: expected an executable for the target \"cpu\", "
             "got one for ",
             jsonText(theBackend->name()),
             ", whose kernels cannot be looked at; compile the loss for the "
             "CPU, and load the last checkpoint");
  nanOrigins = std::make_unique<NanOrigins>();
}

std::vector<InputPart> Trainer::partsOf(int rank) const {
  Mesh mesh(theExecutable);
  std::vector<InputPart> parts =
      inputParts(theExecutable.stages(mesh.stageOf(rank)), mesh, rank);
  return takesSlices() ? partsOfLocalBatch(std::move(parts)) : parts;
}

std::vector<InputSpec> Trainer::findSpecs() const {
  std::vector<InputSpec> all = inputSpecs(theExecutable);
  const int ranks = Mesh(theExecutable).ranks();
  // Other numbers of processes are refused when ranks are started.
  if (!takesSlices() || settings.processes->rank() >= ranks)
    return all;
  std::vector<InputSpec> own;
  const std::vector<InputPart> parts = partsOf(settings.processes->rank());
  for (InputSpec &spec : all)
    for (const InputPart &part : parts)
      if (part.input->tensor().name() == spec.name) {
        spec.shape = localShape(parts, *part.input);
        own.push_back(std::move(spec));
        break;
      }
  return own;
}

// Feeds wait for copies under way on the devices.
Trainer::~Trainer() {
  saving.reset();
  feeds.clear();
  host.reset();
}

Standing Trainer::standing() const {
  Standing standing;
  standing.step = steps;
  standing.updates = updates;
  if (scale.isDynamic())
    standing.lossScale = scale.value();
  standing.goodSteps = scale.good();
  return standing;
}

void Trainer::restore(const Standing &standing) {
  steps = standing.step;
  updates = standing.updates;
  if (standing.lossScale)
    scale.restore(*standing.lossScale, standing.goodSteps);
}

RunOptions Trainer::runOptions() const {
  RunOptions options;
  options.threads = settings.ranks.threads;
  options.processes = settings.processes;
  options.watchdog = settings.ranks.watchdog;
  options.linkDelay = settings.ranks.linkDelay;
  options.delaySeed = settings.ranks.delaySeed;
  options.report = settings.warn;
  options.note = settings.note;
  options.nanOrigins = nanOrigins.get();
  return options;
}

/// Runs work that uses the ranks. Once such work has failed the ranks cannot go
/// on: some of them may not have come as far as others.
template <typename Work> auto Trainer::onRanks(Work work) {
  if (!host)
    fail("the trainer was not started");
  if (!theFailure.empty())
    fail("the trainer cannot be used any more, it has failed: ", theFailure);
  try {
    return work();
  } catch (const std::exception &error) {
    theFailure = error.what();
    throw;
  }
}

void Trainer::start() {
  host = std::make_unique<RankHost>(theExecutable, *theBackend, runOptions());
}

void Trainer::load(const WeightSet &weights) {
  onRanks([&] {
    host->onAllRanks([&](int rank) {
      loadParameters(theExecutable, host->mesh(), rank, weights,
                     host->device(rank));
    });
  });
}

void Trainer::load(const Checkpoint &checkpoint) {
  onRanks([&] {
    host->onAllRanks([&](int rank) {
      loadCheckpoint(theExecutable, host->mesh(), rank, checkpoint,
                     host->device(rank));
    });
  });
  if (std::string missing = missingAverages(theExecutable, checkpoint);
      !missing.empty() && settings.note)
    settings.note(missing);
  restore(checkpoint.index.standing);
}

Trainer::Start Trainer::open(const std::string &path) const {
  const Say warn = settings.warn ? settings.warn : [](const auto &) {};
  Start start;
  if (isFolder(weightsFile(path)) && trains(theExecutable)) {
    start.checkpoint = openForParameters(
        path, readersOf(theExecutable, settings.processes), warn);
    checkFits(theExecutable, *start.checkpoint);
  } else {
    start.parameters =
        openParameters(theExecutable, path, "", settings.processes, warn);
  }
  return start;
}

void Trainer::load(const Start &start) {
  newest = start.checkpoint ? start.checkpoint->path : "";
  if (start.checkpoint)
    return load(*start.checkpoint);
  load(start.parameters);
  restore(Standing());
}

struct Trainer::Saving {
  std::string folder;
  /// Held while the writer writes. It is guarded by the writer: this thread
  /// uses it only when nothing is being written.
  std::unique_ptr<FolderLock> lock;
  std::unique_ptr<CheckpointWriter> writer; // after the lock, which it releases
  std::string begun; // the folder of the checkpoint that is not waited for yet
};

void Trainer::save(const std::string &folder) {
  if (!trains(theExecutable))
    badInput("a checkpoint: the executable does not train (--optimizer ",
             theExecutable.optimizer(), ")");
  finishSave();
  const Readers readers = readersOf(theExecutable, settings.processes);
  std::unique_ptr<FolderLock> lock = lockCheckpoints(folder, readers);
  if (!saving || saving->folder != folder)
    saving = startSaving(folder, readers);
  saving->lock = std::move(lock);
  onRanks([&] {
    host->onAllRanks(
        [&](int rank) { saving->writer->snapshot(rank, host->device(rank)); });
  });
  saving->begun = stepFolder(folder, steps);
  saving->writer->begin(standing());
}

std::unique_ptr<Trainer::Saving> Trainer::startSaving(const std::string &folder,
                                                      const Readers &readers) {
  CheckpointWriter::Settings own;
  own.folder = folder;
  own.keep = INT_MAX;
  own.publishes = readers.index == 0;
  own.token = checkpointToken(readers);
  // This thread gathers for other reasons while checkpoints are written.
  if (settings.processes)
    own.gather = [&channel = settings.processes->channel(),
                  lane = settings.processes->channel().takeLane()](
                     const std::string &mine) {
      return channel.gather(mine, lane);
    };
  own.start = [this](const std::function<void()> &begin) {
    host->unbound(begin);
  };
  auto made = std::make_unique<Saving>();
  made->folder = folder;
  own.afterWriting = [self = made.get()] { self->lock.reset(); };
  onRanks([&] {
    made->writer = std::make_unique<CheckpointWriter>(
        theExecutable, host->mesh(), host->localRanks(), std::move(own));
  });
  return made;
}

void Trainer::finishSave() {
  if (!saving || saving->begun.empty())
    return;
  saving->writer->wait();
  const std::string begun = std::exchange(saving->begun, "");
  // A disk that is full is no failure of the ranks.
  const std::string problem = saving->writer->takeProblem();
  if (!problem.empty())
    fail(problem);
  if (stepFolder(saving->folder, saving->writer->published()) != begun)
    fail("no checkpoint ", begun, ": the run has failed");
  newest = begun;
}

Batch Trainer::batchOf(const TensorMap &arrays) const {
  const std::string where = "the batch";
  std::vector<std::string> surplus, problems;
  Batch batch;
  batch.inputs = matchInputs(where, arrays, specs, nullptr, surplus);
  std::vector<InputSpec> all = inputSpecs(theExecutable);
  for (const std::string &name : surplus) {
    const TensorView &array = arrays.at(name);
    // Callers do not see whether a program reads a key.
    const bool isKey = name == "key" && array.type == ElementType::U32 &&
                       array.shape == std::vector<int64_t>{2};
    if (!isKey &&
        std::none_of(all.begin(), all.end(), [&](const InputSpec &spec) {
          return spec.name == name; // other stages read it
        }))
      problems.push_back(text("no input is called ", jsonText(name)));
  }
  for (size_t i = 0; i < specs.size(); ++i)
    if (batch.inputs[i].type != specs[i].type)
      problems.push_back(text(jsonText(specs[i].name), ": expected ",
                              typeName(specs[i].type), ", found ",
                              typeName(batch.inputs[i].type)));
  if (!problems.empty())
    badInput(where, ": inputs do not fit: ", listText(problems));
  checkLimits(where, specs, batch);
  return batch;
}

void Trainer::initialize(uint64_t seed) {
  onRanks([&] { rt::initialize(theExecutable, *host, seed); });
}

void Trainer::initializeSlots() {
  onRanks([&] {
    host->onAllRanks([&](int rank) {
      rt::initializeSlots(theExecutable, host->mesh(), rank,
                          host->device(rank));
    });
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

void Trainer::takeParameters(Trainer &from, const ParameterMove &move) {
  onRanks([&] {
    host->onAllRanks([&](int rank) {
      if (from.ranks().isWhole())
        move.copyTo(
            rank, [&](int i) -> Device & { return from.ranks().device(i); },
            host->device(rank));
      else
        move.exchange(
            rank, host->transport(rank), [&] { allWait(*host, rank); },
            from.ranks().device(rank), host->device(rank));
      if (steps == 0)
        startAverages(theExecutable, host->mesh(), rank, host->device(rank));
    });
  });
}

void Trainer::checkWritable(const WeightSet &weights) const {
  std::string problems =
      parameterProblems(theExecutable, weights, /*all=*/false);
  if (!problems.empty())
    badInput(weights.path, ": parameters do not fit: ", problems);
}

void Trainer::writeParameters(const WeightSet &weights) {
  checkWritable(weights);
  // Averages begin as the parameters that are set before the first step.
  const bool begins = steps == 0;
  writeStates(weights, [&](StateKind kind) {
    return isInFiles(kind) || (begins && beginsAsParameter(kind));
  });
}

void Trainer::checkAveragesWritable(const WeightSet &weights) const {
  checkWritable(weights);
  const std::set<std::string> averaged = averagedParameters(theExecutable);
  std::vector<std::string> without;
  for (const auto &entry : weights.tensors)
    if (!averaged.count(entry.first))
      without.push_back(entry.first);
  if (!without.empty())
    badInput(weights.path, ": these have no average: ", listText(without),
             averaged.empty() ? "; compile the program with --ema"
                              : ", they are not trained");
}

void Trainer::writeAverages(const WeightSet &weights) {
  checkAveragesWritable(weights);
  writeStates(weights, beginsAsParameter);
}

void Trainer::writeStates(const WeightSet &weights,
                          const std::function<bool(StateKind)> &isWritten) {
  onRanks([&] {
    host->onAllRanks([&](int rank) {
      for (const format::State &state : host->stage(rank).states())
        if (isWritten(kindOf(theExecutable, state)) &&
            weights.tensors.count(fileNameOf(theExecutable, state)))
          loadState(theExecutable, host->mesh(), state, rank, weights,
                    host->device(rank));
    });
  });
}

void Trainer::readParameters(const std::map<std::string, void *> &targets,
                             ParameterValues values) {
  std::vector<char *> byParameter;
  for (const format::Tensor &tensor : theExecutable.parameters()) {
    auto target = targets.find(tensor.name());
    byParameter.push_back(target == targets.end()
                              ? nullptr
                              : static_cast<char *>(target->second));
  }
  onRanks([&] { shareParameters(theExecutable, *host, values, byParameter); });
}

void Trainer::saveParameters(const std::string &path, ParameterValues values) {
  std::unique_ptr<SafeTensorsWriter> file; // null unless rank 0 is here
  std::vector<char *> targets(theExecutable.parameters_size(), nullptr);
  if (host && host->localRanks().front() == 0) {
    file = makeParameterFile(theExecutable, path);
    for (size_t i = 0; i < targets.size(); ++i)
      targets[i] = file->data(i);
  }
  onRanks([&] {
    gatherAllParameters(theExecutable, *host, values, targets,
                        MappedFile::release);
  });
  if (file)
    file->commit();
}

void Trainer::readOutputs(const std::map<std::string, void *> &targets,
                          bool everywhere) {
  std::vector<char *> byOutput;
  for (const OutputSpec &output : outputs()) {
    auto target = targets.find(output.name);
    byOutput.push_back(target == targets.end()
                           ? nullptr
                           : static_cast<char *>(target->second));
  }
  onRanks([&] {
    if (everywhere)
      shareOutputs(theExecutable, *host, byOutput);
    else
      gatherAllOutputs(theExecutable, *host, byOutput);
  });
}

void Trainer::observe(GradientCollector *given) {
  collector = given;
  if (!given)
    return host->setObserver(nullptr);
  host->setObserver([this](int rank, const format::State &place,
                           const void *data, bool scaled) {
    collector->take(rank, place, data, scaled ? float(scale.value()) : 1.0f);
  });
}

void Trainer::measure(bool wanted) {
  measuring = wanted;
  if (!wanted && host)
    host->stopRecording();
}

std::string Trainer::trace() {
  if (!isMeasured())
    return "";
  return onRanks([&] {
    return share(*host,
                 traceOf(theExecutable, *host, settings.processes, spans));
  });
}

Trainer::View Trainer::view(const std::string &parameter) {
  const auto &all = theExecutable.parameters();
  auto wanted = std::find_if(all.begin(), all.end(), [&](const auto &tensor) {
    return tensor.name() == parameter;
  });
  if (wanted == all.end()) {
    std::vector<std::string> names;
    for (const format::Tensor &tensor : all)
      names.push_back(tensor.name());
    badInput("no parameter is called ", jsonText(parameter),
             didYouMean(similarName(parameter, names)));
  }
  const std::vector<int64_t> whole = shapeOf(wanted->shape());
  std::string where = "the ranks of this process do not hold it";
  std::optional<View> found;
  auto look = [&](int rank, const format::State &state) {
    Device &device = host->device(rank);
    const Address place = addressOf(device, state);
    const Shard shard = StateBox(host->mesh(), state, rank).shard;
    const auto type = static_cast<ElementType>(state.type());
    if (shard.shape != whole || shard.extent != whole)
      where = text("rank ", rank, " holds ", shapeText(shard.extent), " of ",
                   shapeText(whole));
    else if (!device.isHostMemory(place))
      where = text("it lies in the memory of the ",
                   nameOf(spaceOf(state.memory())));
    else
      found = View{
          HostView(device, place, volume(whole) * byteSize(type), Access::Read)
              .data(),
          type, whole};
  };
  onRanks([&] {
    for (bool master : {true, false})
      for (int rank : host->localRanks())
        for (const format::State &state : host->stage(rank).states())
          if (!found && isInFiles(theExecutable, state) &&
              (kindOf(theExecutable, state) == StateKind::Master) == master &&
              fileNameOf(theExecutable, state) == parameter)
            look(rank, state);
  });
  if (!found)
    badInput("no view of ", jsonText(parameter), ": ", where);
  return *found;
}

RandomKey Trainer::keyOfStep(int64_t step) const {
  return foldIn(keyOfSeed(settings.keySeed), forward ? 0 : uint32_t(step));
}

void Trainer::begin(const Batch &given, double learningRate) {
  key = keyOfStep(steps + 1);
  const Batch batch = withKey(specs, given, key);
  rate = learningRate;
  std::vector<float> hyper = hyperparameters(theExecutable, settings.updates,
                                             rate, scale.value(), updates);
  if (readsCallers())
    lent = batch;
  onRanks([&] {
    if (feeds.empty()) {
      feeds.resize(size_t(host->ranks()));
      host->onAllRanks([&](int rank) {
        feeds[rank] = std::make_unique<InputFeed>(
            host->stage(rank), partsOf(rank), specs, host->device(rank));
      });
    }
    if (measuring) {
      spans.clear();
      host->record(spans);
    }
    if (nanOrigins)
      nanOrigins->clear();
    host->onAllRanks([&](int rank) {
      Device &device = host->device(rank);
      feeds[rank]->load(batch);
      if (feeds[rank]->readsCallers())
        host->bindInputs(rank, feeds[rank]->places());
      if (!forward)
        device.copyIn(device.mainStream(),
                      device.at(host->stage(rank).hyper_offset()), hyper.data(),
                      hyper.size() * sizeof(float));
      host->runStep(rank, collector != nullptr);
    });
  });
}

bool Trainer::readsCallers() const {
  return std::any_of(
      theExecutable.stages().begin(), theExecutable.stages().end(),
      [](const format::Stage &stage) { return stage.caller_bytes() != 0; });
}

bool Trainer::takesAhead() const {
  return feeds[host->localRanks().front()]->hasRoom();
}

void Trainer::bringAhead(const Batch &given) {
  const RandomKey next = keyOfStep(steps + 2); // step `steps` + 1 runs
  const Batch batch = withKey(specs, given, next);
  onRanks([&] {
    host->onAllRanks([&](int rank) {
      try {
        feeds[rank]->bringAhead(batch);
      } catch (const Error &) {
        // The step that wants the batch says what is wrong with it.
      }
    });
  });
}

StepReport Trainer::finish() {
  StepReport report;
  report.learningRate = rate;
  report.lossScale = scale.value();
  onRanks([&] {
    if (collector)
      collector->commit(float(scale.value()));
    report.results = readResults(theExecutable, *host);
  });
  lent = Batch();
  report.number = ++steps;
  report.problem = drawConsequences(report.results);
  return report;
}

/// Decides what the step's numbers mean for the next one; returns the reason
/// why there should be none, or an empty text.
std::string Trainer::drawConsequences(const Results &results) {
  auto reason = [&](const std::string &what) {
    std::string words = text("step ", steps, ": ", what);
    if (!results.badGradient.empty())
      words += text("; the gradient of ", jsonText(results.badGradient),
                    " is the first that is not finite");
    if (std::string origins = nanOrigins ? nanOrigins->describe() : "";
        !origins.empty())
      words += "; " + origins;
    return words;
  };
  bool overflow = !results.finite;
  if (overflow && scale.isDynamic()) {
    if (scale.isLowest())
      return reason("the gradients overflow at the smallest loss scale, 1");
    scale.update(true);
    return "";
  }
  bool normIsBad =
      results.gradientNorm && !std::isfinite(*results.gradientNorm);
  std::string problem;
  if (settings.updates.onNan != OnNan::Continue &&
      (overflow || normIsBad || !results.lossIsFinite()))
    problem =
        reason(results.lossIsFinite()
                   ? "the gradients are not finite"
                   : text("the loss is ", numberText(results.loss->value)));
  if (!overflow) {
    ++updates;
    scale.update(false);
  }
  return problem;
}

} // namespace zcc::rt
