// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Defines zcc_trainer and the functions that begin with zcc_trainer_. A trainer
// of the runtime does the work, on a thread of its own (Worker.h).
#include "runtime/train/Trainer.h"

#include "capi/Error.h"
#include "capi/Program.h"
#include "capi/TrainerOptions.h"
#include "capi/Worker.h"
#include "runtime/data/MoveParameters.h"
#include "runtime/data/Parameters.h"
#include "runtime/format/StepExtent.h"
#include "runtime/train/Collect.h"
#include "runtime/train/Values.h"

#include <chrono>
#include <cmath>
#include <set>

using namespace zcc;
using namespace zcc::capi;
using rt::badInput;

struct zcc_trainer {
  std::mutex mutex; // held during a call
  std::shared_ptr<const rt::format::Executable> executable;
  Descriptions parameters;
  std::unique_ptr<rt::LearningRate> learningRate;
  std::set<std::string> unset; // parameters without values
  std::string told;            // the last result of zcc_trainer_messages()

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

zcc_status zcc_trainer_open(const zcc_program *program,
                            const char *const *options, size_t option_count,
                            zcc_trainer **trainer) {
  return guarded([&] {
    need(trainer, "trainer");
    *trainer = nullptr;
    need(program, "program");
    const rt::format::Executable &executable = program->needExecutable();
    TrainerOptions given =
        readTrainerOptions(executable, options, option_count);
    auto made = std::make_unique<zcc_trainer>();
    zcc_trainer *self = made.get();
    self->executable = program->executable;
    for (const rt::format::Tensor &tensor : executable.parameters()) {
      self->parameters.add(tensor.name(),
                           static_cast<rt::ElementType>(tensor.type()),
                           {tensor.shape().begin(), tensor.shape().end()});
      self->unset.insert(tensor.name());
    }
    self->learningRate =
        std::make_unique<rt::LearningRate>(given.settings.updates, given.steps);
    given.settings.warn = [self](const std::string &message) {
      self->say("warning", message);
    };
    given.settings.note = [self](const std::string &message) {
      self->say("note", message);
    };
    self->worker.run([&] {
      self->trainer =
          std::make_unique<rt::Trainer>(*self->executable, given.settings);
      self->trainer->start();
      self->trainer->initializeSlots();
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

zcc_status zcc_trainer_initialize(zcc_trainer *trainer, uint64_t seed) {
  return onTrainer(trainer, [&] {
    if (!trainer->executable->stages(0).has_init())
      badInput("the executable has no initialization; compile it with "
               "\"init=FILE\"");
    trainer->trainer->initialize(seed);
    trainer->trainer->restore(rt::Standing());
    trainer->unset.clear();
  });
}

zcc_status zcc_trainer_load(zcc_trainer *trainer, const char *path) {
  return onTrainer(trainer, [&] {
    need(path, "path");
    trainer->trainer->load(path);
    trainer->unset.clear();
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

zcc_status zcc_trainer_set_parameters(zcc_trainer *trainer,
                                      const zcc_array *arrays, size_t count) {
  return onTrainer(trainer, [&] {
    rt::TensorMap given = readArrays("arrays", arrays, count);
    trainer->trainer->writeParameters(weightsOf(given));
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

zcc_status zcc_trainer_get_parameters(zcc_trainer *trainer,
                                      const zcc_array *arrays, size_t count) {
  return onTrainer(trainer, [&] {
    rt::TensorMap wanted = readArrays("arrays", arrays, count);
    trainer->parameters.check("arrays", wanted);
    needValues(*trainer);
    std::map<std::string, void *> targets;
    for (const auto &[name, view] : wanted)
      targets[name] = const_cast<char *>(view.data);
    trainer->trainer->readParameters(targets);
  });
}

zcc_status zcc_trainer_copy_parameters(zcc_trainer *trainer,
                                       zcc_trainer *from) {
  return guarded([&] {
    need(trainer, "trainer");
    need(from, "from");
    if (trainer == from)
      return;
    std::scoped_lock lock(trainer->mutex, from->mutex);
    trainer->checkUsable();
    from->checkUsable();
    rt::Mesh own(*trainer->executable), other(*from->executable);
    if (own.ranks() != other.ranks())
      badInput("trainer: is for ", own.ranks(), " ranks (", own.describe(),
               "), from has ", other.ranks(), " (", other.describe(), ")");
    rt::checkSameModel(*from->executable, *trainer->executable, "trainer");
    needValues(*from);
    trainer->worker.run([&] {
      rt::ParameterMove move(*from->executable, *trainer->executable,
                             trainer->trainer->ranks().localRanks());
      trainer->trainer->takeParameters(*from->trainer, move);
    });
    trainer->unset.clear();
  });
}

/// Runs a step; `results` may be null.
static void runStep(zcc_trainer &handle, const zcc_array *inputs,
                    size_t input_count, const double *lr, double *results) {
  rt::Trainer &trainer = *handle.trainer;
  rt::TensorMap arrays = readArrays("inputs", inputs, input_count);
  rt::Batch batch = trainer.batchOf(arrays);
  needValues(handle);
  if (lr)
    rt::checkNumber("lr", *lr, {0, HUGE_VAL});
  auto start = std::chrono::steady_clock::now();
  rt::StepReport report = trainer.step(
      batch, lr ? *lr : handle.learningRate->at(trainer.done() + 1));
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (results)
    rt::writeResults(*handle.executable, report, seconds, results);
  if (!report.problem.empty())
    rt::fail(report.problem);
}

zcc_status zcc_trainer_step(zcc_trainer *trainer, const zcc_array *inputs,
                            size_t input_count, const double *lr,
                            double *results) {
  return onTrainer(
      trainer, [&] { runStep(*trainer, inputs, input_count, lr, results); });
}

zcc_status zcc_trainer_gradients(zcc_trainer *trainer, const zcc_array *inputs,
                                 size_t input_count, const zcc_array *gradients,
                                 size_t gradient_count, double *results) {
  return onTrainer(trainer, [&] {
    const rt::format::Executable &executable = *trainer->executable;
    if (rt::extentOf(executable) != StepExtent::Gradients)
      badInput("gradients: the program is compiled with optimizer=",
               executable.optimizer(), ", expected optimizer=none");
    rt::TensorMap wanted = readArrays("gradients", gradients, gradient_count);
    trainer->parameters.check("gradients", wanted, rt::ElementType::F32);
    std::map<std::string, float *> targets;
    for (const auto &[name, view] : wanted)
      targets[name] = reinterpret_cast<float *>(const_cast<char *>(view.data));
    rt::RankHost &ranks = trainer->trainer->ranks();
    rt::GradientCollector collector(
        executable, ranks,
        std::make_unique<rt::Gradients>(executable, ranks.mesh(), targets));
    struct Observing {
      rt::Trainer &trainer;
      Observing(rt::Trainer &trainer, rt::GradientCollector &collector)
          : trainer(trainer) {
        trainer.observe(&collector);
      }
      ~Observing() { trainer.observe(nullptr); }
    } observing(*trainer->trainer, collector);
    runStep(*trainer, inputs, input_count, nullptr, results);
  });
}

zcc_status zcc_trainer_steps(zcc_trainer *trainer, int64_t *steps) {
  return onTrainer(trainer, [&] {
    need(steps, "steps");
    *steps = trainer->trainer->done();
  });
}

zcc_status zcc_trainer_save(zcc_trainer *trainer, const char *path) {
  return onTrainer(trainer, [&] {
    need(path, "path");
    needValues(*trainer);
    trainer->trainer->save(path);
  });
}

zcc_status zcc_trainer_save_parameters(zcc_trainer *trainer, const char *path) {
  return onTrainer(trainer, [&] {
    need(path, "path");
    needValues(*trainer);
    rt::saveAllParameters(*trainer->executable, trainer->trainer->ranks(),
                          path);
  });
}

const char *zcc_trainer_messages(zcc_trainer *trainer) {
  zcc_status status = guarded([&] {
    need(trainer, "trainer");
    std::lock_guard<std::mutex> lock(trainer->messagesMutex);
    trainer->told = std::exchange(trainer->messages, "");
  });
  return status == ZCC_OK ? trainer->told.c_str() : nullptr;
}
