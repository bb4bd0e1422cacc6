// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Defines zcc_trainer and the functions that begin with zcc_trainer_. A trainer
// of the runtime does the work, on a thread of its own (Worker.h).
#include "runtime/train/Trainer.h"

#include "capi/Error.h"
#include "capi/ProcessGroup.h"
#include "capi/Program.h"
#include "capi/TrainerOptions.h"
#include "capi/Worker.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/data/MoveParameters.h"
#include "runtime/data/NewFile.h"
#include "runtime/data/Parameters.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/StepExtent.h"
#include "runtime/train/Collect.h"
#include "runtime/train/Values.h"

#include <chrono>
#include <cmath>
#include <set>

using namespace zcc;
using namespace zcc::capi;
using rt::badInput;
using rt::ParameterValues;

struct zcc_trainer {
  std::mutex mutex; // held during a call
  ProcessGroup *group = nullptr; // null: all ranks are of this process
  std::shared_ptr<const rt::format::Executable> executable;
  Descriptions inputs, parameters, outputs;
  std::unique_ptr<rt::LearningRate> learningRate;
  std::set<std::string> unset; // parameters without values
  std::string told;            // the last result of zcc_trainer_messages()
  std::string checkpoint, trace; // and of _last_checkpoint() and _trace()
  Descriptions viewed;           // and of _view()

  std::mutex messagesMutex;
  std::string messages;

  std::unique_ptr<rt::Trainer> trainer; // used and destroyed on the worker
  Worker worker;

  zcc_trainer() = default;
  ~zcc_trainer() {
    worker.run([&] { trainer.reset(); });
  }

  void say(const char *kind, const std::string &message) {
    std::lock_guard<std::mutex> lock(messagesMutex);
    messages += rt::text(kind, ": ", message, "\n");
  }
  void checkUsable() const {
    if (!trainer->failure().empty())
      rt::fail("the trainer cannot be used any more, it has failed: ",
               trainer->failure());
  }
};

/// Runs the body of a function with the trainer held, on its thread.
template <typename Body>
static zcc_status onTrainer(zcc_trainer *trainer, Body body) {
  return guarded([&] {
    need(trainer, "trainer");
    std::lock_guard<std::mutex> lock(trainer->mutex);
    trainer->checkUsable();
    trainer->worker.run(body);
  });
}

/// Sends that nobody waits for end before the process does anything else.
static void settle(zcc_trainer &trainer) {
  rt::RankHost &ranks = trainer.trainer->ranks();
  if (trainer.group)
    ranks.transport(ranks.localRanks().front()).settle();
}

/// The same, of a function that all processes call: `body` gets the Call, and
/// meets the others when it has checked what it was given.
template <typename Body>
static zcc_status together(zcc_trainer *trainer, const char *name, Body body) {
  return guarded([&] {
    need(trainer, "trainer");
    std::lock_guard<std::mutex> lock(trainer->mutex);
    Call call(trainer->group, name);
    call.run([&] {
      trainer->checkUsable();
      trainer->worker.run([&] {
        body(call);
        settle(*trainer);
      });
    });
  });
}

zcc_status zcc_trainer_open(const zcc_program *program,
                            const char *const *options, size_t option_count,
                            zcc_trainer **trainer) {
  return guarded([&] {
    need(trainer, "trainer");
    *trainer = nullptr;
    need(program, "program");
    const rt::format::Executable &executable = program->needExecutable();
    auto made = std::make_unique<zcc_trainer>();
    zcc_trainer *self = made.get();
    // Before options are refused, which the other processes are to hear.
    self->group = ProcessGroup::open(givenRanks(options, option_count));
    self->executable = program->executable;
    for (const rt::format::Tensor &tensor : executable.parameters()) {
      self->parameters.add(tensor.name(),
                           static_cast<rt::ElementType>(tensor.type()),
                           {tensor.shape().begin(), tensor.shape().end()});
      self->unset.insert(tensor.name());
    }
    for (const rt::OutputSpec &output : rt::outputSpecs(executable))
      self->outputs.add(output.name, output.type, output.shape);
    Call call(self->group, "zcc_trainer_open");
    call.run([&] {
      TrainerOptions given =
          readTrainerOptions(executable, options, option_count);
      self->learningRate = std::make_unique<rt::LearningRate>(
          given.settings.updates, given.steps);
      given.settings.warn = [self](const std::string &message) {
        self->say("warning", message);
      };
      given.settings.note = [self](const std::string &message) {
        self->say("note", message);
      };
      if (self->group) {
        rt::Processes &processes = self->group->processes();
        given.settings.processes = &processes;
        rt::Mesh mesh(executable);
        if (processes.size() != mesh.ranks())
          badInput("the program's mesh ", mesh.describe(), " has ",
                   mesh.ranks(), " ranks, started were ", processes.size(),
                   " processes");
      }
      self->worker.run([&] {
        self->trainer =
            std::make_unique<rt::Trainer>(*self->executable, given.settings);
        for (const rt::InputSpec &input : self->trainer->inputs())
          if (!input.isKey)
            self->inputs.add(input.name, input.type, input.shape);
        call.meet(rt::text("of the program ",
                           rt::headerChecksum(program->bytes), " with ",
                           describeSettings(given)));
        self->trainer->start();
        self->trainer->initializeSlots();
        settle(*self);
      });
    });
    *trainer = made.release();
  });
}

void zcc_trainer_close(zcc_trainer *trainer) {
  clearError();
  if (!trainer)
    return;
  { std::lock_guard<std::mutex> lock(trainer->mutex); }
  delete trainer;
}

zcc_status zcc_trainer_refuse(zcc_trainer *trainer, const char *reason) {
  return guarded([&] {
    need(trainer, "trainer");
    need(reason, "reason");
    std::lock_guard<std::mutex> lock(trainer->mutex);
    Call(trainer->group, "zcc_trainer_refuse").refuse(reason);
  });
}

zcc_status zcc_trainer_initialize(zcc_trainer *trainer, uint64_t seed) {
  return together(trainer, "zcc_trainer_initialize", [&](Call &call) {
    if (!trainer->executable->stages(0).has_init())
      badInput("the executable has no initialization; compile it with "
               "\"init=FILE\"");
    call.meet(rt::text("seed ", seed));
    trainer->trainer->initialize(seed);
    trainer->trainer->restore(rt::Standing());
    trainer->unset.clear();
  });
}

zcc_status zcc_trainer_load(zcc_trainer *trainer, const char *path) {
  return together(trainer, "zcc_trainer_load", [&](Call &call) {
    need(path, "path");
    trainer->trainer->finishSave();
    call.compare(rt::isFolder(path) ? "of a folder" : "of a file");
    rt::Trainer::Start start = trainer->trainer->open(path);
    call.meet();
    trainer->trainer->load(start);
    trainer->unset.clear();
  });
}

zcc_status zcc_trainer_load_tensors(zcc_trainer *trainer, const char *path,
                                    const char *const *parameters,
                                    const char *const *tensors, size_t count) {
  return together(trainer, "zcc_trainer_load_tensors", [&](Call &call) {
    need(path, "path");
    rt::WeightSet file = rt::openWeights(path), wanted;
    wanted.path = file.path;
    wanted.owner = file.owner;
    std::string names;
    for (size_t i = 0; i < count; ++i) {
      need(parameters, "parameters");
      need(tensors, "tensors");
      need(parameters[i], "parameters");
      need(tensors[i], "tensors");
      auto found = file.tensors.find(tensors[i]);
      if (found == file.tensors.end())
        badInput(file.path, ": has no tensor ", rt::jsonText(tensors[i]));
      if (!wanted.tensors.emplace(parameters[i], found->second).second)
        badInput("parameters: ", rt::jsonText(parameters[i]),
                 " is given twice");
      names += rt::text(" ", parameters[i], " as ", tensors[i]);
    }
    trainer->trainer->checkWritable(wanted);
    call.meet("of" + names);
    trainer->trainer->writeParameters(wanted);
    trainer->trainer->initializeSlots();
    trainer->trainer->restore(rt::Standing());
    for (const auto &entry : wanted.tensors)
      trainer->unset.erase(entry.first);
  });
}

/// The arrays of a caller, whose pages are not released after use.
static rt::WeightSet weightsOf(const rt::TensorMap &arrays) {
  rt::WeightSet set;
  set.path = "arrays";
  for (const auto &[name, view] : arrays) {
    rt::Piece piece{view.type,
                    view.data,
                    std::vector<int64_t>(view.shape.size(), 0),
                    view.shape,
                    {}};
    piece.mapped = false;
    set.tensors[name] = {view.type, view.shape, {piece}};
  }
  return set;
}

/// The names of arrays, for processes to compare.
template <typename Arrays> static std::string namesOf(const Arrays &arrays) {
  std::vector<std::string> names;
  for (const auto &entry : arrays)
    names.push_back(entry.first);
  return "of " + rt::listText(names, names.size());
}

zcc_status zcc_trainer_set_parameters(zcc_trainer *trainer,
                                      const zcc_array *arrays, size_t count) {
  return together(trainer, "zcc_trainer_set_parameters", [&](Call &call) {
    rt::TensorMap given = readArrays("arrays", arrays, count);
    const rt::WeightSet weights = weightsOf(given);
    trainer->trainer->checkWritable(weights);
    call.meet(namesOf(given));
    trainer->trainer->writeParameters(weights);
    for (const auto &entry : given)
      trainer->unset.erase(entry.first);
  });
}

static void needValues(const zcc_trainer &trainer) {
  if (!trainer.unset.empty())
    badInput("these parameters have no values yet: ",
             rt::listText({trainer.unset.begin(), trainer.unset.end()}),
             "; load, set or initialize them");
}

zcc_status zcc_trainer_set_averages(zcc_trainer *trainer,
                                    const zcc_array *arrays, size_t count) {
  return together(trainer, "zcc_trainer_set_averages", [&](Call &call) {
    rt::TensorMap given = readArrays("arrays", arrays, count);
    const rt::WeightSet weights = weightsOf(given);
    trainer->trainer->checkAveragesWritable(weights);
    call.meet(namesOf(given));
    trainer->trainer->writeAverages(weights);
  });
}

/// Checks that the values of the parameters that are asked for are there.
static void needValues(const zcc_trainer &trainer, ParameterValues values) {
  if (values == ParameterValues::Averaged &&
      rt::averagedParameters(*trainer.executable).empty())
    badInput("the program keeps no averages of its parameters; compile it with "
             "\"ema=DECAY\"");
  needValues(trainer);
}

static zcc_status readValues(zcc_trainer *trainer, const char *function,
                             const zcc_array *arrays, size_t count,
                             ParameterValues values) {
  return together(trainer, function, [&](Call &call) {
    rt::TensorMap wanted = readArrays("arrays", arrays, count);
    trainer->parameters.check("arrays", "parameter", wanted);
    needValues(*trainer, values);
    call.meet(namesOf(wanted));
    std::map<std::string, void *> targets;
    for (const auto &[name, view] : wanted)
      targets[name] = const_cast<char *>(view.data);
    trainer->trainer->readParameters(targets, values);
  });
}

zcc_status zcc_trainer_get_parameters(zcc_trainer *trainer,
                                      const zcc_array *arrays, size_t count) {
  return readValues(trainer, "zcc_trainer_get_parameters", arrays, count,
                    ParameterValues::Trained);
}

zcc_status zcc_trainer_get_averages(zcc_trainer *trainer,
                                    const zcc_array *arrays, size_t count) {
  return readValues(trainer, "zcc_trainer_get_averages", arrays, count,
                    ParameterValues::Averaged);
}

static void copyValues(zcc_trainer &trainer, zcc_trainer &from, Call &call,
                       ParameterValues values) {
  trainer.checkUsable();
  from.checkUsable();
  rt::Mesh own(*trainer.executable), other(*from.executable);
  if (own.ranks() != other.ranks())
    badInput("trainer: is for ", own.ranks(), " ranks (", own.describe(),
             "), from has ", other.ranks(), " (", other.describe(), ")");
  if (trainer.group != from.group)
    badInput("trainer: the ranks of one of the two are other processes, those "
             "of the other are threads; open both with the same \"ranks\"");
  rt::checkSameModel(*from.executable, *trainer.executable, "trainer");
  needValues(from, values);
  call.meet();
  trainer.worker.run([&] {
    rt::ParameterMove move(*from.executable, *trainer.executable,
                           trainer.trainer->ranks().localRanks(), values);
    trainer.trainer->takeParameters(*from.trainer, move);
    settle(trainer);
  });
  trainer.unset.clear();
}

static zcc_status copyFrom(zcc_trainer *trainer, zcc_trainer *from,
                           const char *function, ParameterValues values) {
  return guarded([&] {
    need(trainer, "trainer");
    need(from, "from");
    if (trainer == from) {
      if (values == ParameterValues::Averaged)
        badInput("trainer and from are the same");
      return;
    }
    std::scoped_lock lock(trainer->mutex, from->mutex);
    Call call(trainer->group, function);
    call.run([&] { copyValues(*trainer, *from, call, values); });
  });
}

zcc_status zcc_trainer_copy_parameters(zcc_trainer *trainer,
                                       zcc_trainer *from) {
  return copyFrom(trainer, from, "zcc_trainer_copy_parameters",
                  ParameterValues::Trained);
}

zcc_status zcc_trainer_copy_averages(zcc_trainer *trainer, zcc_trainer *from) {
  return copyFrom(trainer, from, "zcc_trainer_copy_averages",
                  ParameterValues::Averaged);
}

/// Runs a step; `results` may be null. `after` is called when it has run.
static void runStep(zcc_trainer &handle, Call &call, const zcc_array *inputs,
                    size_t input_count, const double *lr, double *results,
                    const std::function<void()> &after = nullptr) {
  rt::Trainer &trainer = *handle.trainer;
  rt::TensorMap arrays = readArrays("inputs", inputs, input_count);
  rt::Batch batch = trainer.batchOf(arrays);
  needValues(handle);
  if (lr)
    rt::checkNumber("lr", *lr, {0, HUGE_VAL});
  call.meet(lr ? rt::text("lr ", *lr) : "");
  auto start = std::chrono::steady_clock::now();
  rt::StepReport report = trainer.step(
      batch, lr ? *lr : handle.learningRate->at(trainer.done() + 1));
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (after)
    after();
  if (results)
    rt::writeResults(*handle.executable, report, seconds, results);
  if (!report.problem.empty()) {
    call.agree(); // all have the same results
    rt::fail(report.problem);
  }
}

zcc_status zcc_trainer_step(zcc_trainer *trainer, const zcc_array *inputs,
                            size_t input_count, const double *lr,
                            double *results) {
  return together(trainer, "zcc_trainer_step", [&](Call &call) {
    runStep(*trainer, call, inputs, input_count, lr, results);
  });
}

zcc_status zcc_trainer_gradients(zcc_trainer *trainer, const zcc_array *inputs,
                                 size_t input_count, const zcc_array *gradients,
                                 size_t gradient_count, double *results) {
  return together(trainer, "zcc_trainer_gradients", [&](Call &call) {
    const rt::format::Executable &executable = *trainer->executable;
    if (rt::extentOf(executable) != StepExtent::Gradients)
      badInput("gradients: the program is compiled with optimizer=",
               executable.optimizer(), ", expected optimizer=none");
    rt::TensorMap wanted = readArrays("gradients", gradients, gradient_count);
    trainer->parameters.check("gradients", "parameter", wanted,
                              rt::ElementType::F32);
    std::map<std::string, float *> targets;
    for (const auto &[name, view] : wanted)
      targets[name] = reinterpret_cast<float *>(const_cast<char *>(view.data));
    rt::RankHost &ranks = trainer->trainer->ranks();
    auto gradientsOfRanks =
        std::make_unique<rt::Gradients>(executable, ranks.mesh(), targets);
    call.compare(namesOf(targets));
    if (ranks.localRanks().front() != 0)
      gradientsOfRanks.reset(); // rank 0 collects them
    rt::GradientCollector collector(executable, ranks,
                                    std::move(gradientsOfRanks));
    struct Observing {
      rt::Trainer &trainer;
      Observing(rt::Trainer &trainer, rt::GradientCollector &collector)
          : trainer(trainer) {
        trainer.observe(&collector);
      }
      ~Observing() { trainer.observe(nullptr); }
    } observing(*trainer->trainer, collector);
    auto share = [&] { rt::shareGradients(executable, ranks, targets); };
    runStep(*trainer, call, inputs, input_count, nullptr, results, share);
  });
}

zcc_status zcc_trainer_evaluate(zcc_trainer *trainer, const zcc_array *inputs,
                                size_t input_count, const zcc_array *outputs,
                                size_t output_count, double *results) {
  return together(trainer, "zcc_trainer_evaluate", [&](Call &call) {
    const rt::format::Executable &executable = *trainer->executable;
    if (!rt::isForward(executable))
      badInput("evaluate: the program is compiled with optimizer=",
               executable.optimizer(), ", expected optimizer=forward");
    rt::TensorMap wanted = readArrays("outputs", outputs, output_count);
    trainer->outputs.check("outputs", "output", wanted);
    std::map<std::string, void *> targets;
    for (const auto &[name, view] : wanted)
      targets[name] = const_cast<char *>(view.data);
    call.compare(namesOf(wanted));
    auto share = [&] {
      if (!targets.empty())
        trainer->trainer->readOutputs(targets, /*everywhere=*/true);
    };
    runStep(*trainer, call, inputs, input_count, nullptr, results, share);
  });
}

zcc_status zcc_trainer_steps(zcc_trainer *trainer, int64_t *steps) {
  return onTrainer(trainer, [&] {
    need(steps, "steps");
    *steps = trainer->trainer->done();
  });
}

zcc_status zcc_trainer_inputs(zcc_trainer *trainer, const zcc_array **arrays,
                              size_t *count) {
  return guarded([&] {
    need(trainer, "trainer");
    need(arrays, "arrays");
    need(count, "count");
    *arrays = trainer->inputs.arrays().data();
    *count = trainer->inputs.arrays().size();
  });
}

zcc_status zcc_trainer_ranks(zcc_trainer *trainer, int *first_rank,
                             int *local_ranks, int *ranks) {
  return guarded([&] {
    need(trainer, "trainer");
    need(first_rank, "first_rank");
    need(local_ranks, "local_ranks");
    need(ranks, "ranks");
    *ranks = rt::Mesh(*trainer->executable).ranks();
    *first_rank = trainer->group ? trainer->group->processes().rank() : 0;
    *local_ranks = trainer->group ? 1 : *ranks;
  });
}

static void save(zcc_trainer &trainer, const char *path, Call &call) {
  need(path, "path");
  needValues(trainer);
  call.compare("");
  trainer.trainer->save(path);
}

zcc_status zcc_trainer_save(zcc_trainer *trainer, const char *path) {
  return together(trainer, "zcc_trainer_save", [&](Call &call) {
    save(*trainer, path, call);
    trainer->trainer->finishSave();
    call.meet();
  });
}

zcc_status zcc_trainer_begin_save(zcc_trainer *trainer, const char *path) {
  return together(trainer, "zcc_trainer_begin_save", [&](Call &call) {
    save(*trainer, path, call);
    call.meet();
  });
}

zcc_status zcc_trainer_finish_save(zcc_trainer *trainer) {
  return guarded([&] {
    need(trainer, "trainer");
    std::lock_guard<std::mutex> lock(trainer->mutex);
    trainer->worker.run([&] { trainer->trainer->finishSave(); });
  });
}

const char *zcc_trainer_last_checkpoint(zcc_trainer *trainer) {
  zcc_status status = guarded([&] {
    need(trainer, "trainer");
    std::lock_guard<std::mutex> lock(trainer->mutex);
    trainer->checkpoint = trainer->trainer->lastCheckpoint();
  });
  return status == ZCC_OK ? trainer->checkpoint.c_str() : nullptr;
}

zcc_status zcc_trainer_measure(zcc_trainer *trainer, int measured) {
  return onTrainer(trainer, [&] { trainer->trainer->measure(measured != 0); });
}

zcc_status zcc_trainer_trace(zcc_trainer *trainer, const char **trace) {
  return together(trainer, "zcc_trainer_trace", [&](Call &call) {
    need(trace, "trace");
    call.meet(trainer->trainer->isMeasured() ? "of a step" : "of none");
    trainer->trace = trainer->trainer->trace();
    *trace = trainer->trace.c_str();
  });
}

zcc_status zcc_trainer_view(zcc_trainer *trainer, const char *name,
                            const zcc_array **array) {
  return onTrainer(trainer, [&] {
    need(name, "name");
    need(array, "array");
    needValues(*trainer);
    rt::Trainer::View view = trainer->trainer->view(name);
    trainer->viewed = Descriptions();
    trainer->viewed.add(name, view.type, view.shape, view.data);
    *array = trainer->viewed.arrays().data();
  });
}

static zcc_status saveValues(zcc_trainer *trainer, const char *function,
                             const char *path, ParameterValues values) {
  return together(trainer, function, [&](Call &call) {
    need(path, "path");
    needValues(*trainer, values);
    if (!trainer->group || trainer->group->processes().rank() == 0)
      rt::checkWritable(path);
    call.meet();
    trainer->trainer->saveParameters(path, values);
    call.compare("written"); // all return when the file is there
  });
}

zcc_status zcc_trainer_save_parameters(zcc_trainer *trainer, const char *path) {
  return saveValues(trainer, "zcc_trainer_save_parameters", path,
                    ParameterValues::Trained);
}

zcc_status zcc_trainer_save_averages(zcc_trainer *trainer, const char *path) {
  return saveValues(trainer, "zcc_trainer_save_averages", path,
                    ParameterValues::Averaged);
}

const char *zcc_trainer_messages(zcc_trainer *trainer) {
  zcc_status status = guarded([&] {
    need(trainer, "trainer");
    std::lock_guard<std::mutex> lock(trainer->messagesMutex);
    trainer->told = std::exchange(trainer->messages, "");
  });
  return status == ZCC_OK ? trainer->told.c_str() : nullptr;
}
