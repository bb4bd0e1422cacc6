// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training step by step on memory of the caller: against a plain computation,
// what is refused, and what a failure leaves.

#include "Files.h"
#include "Toy.h"

#include "runtime/checkpoint/Folder.h"
#include "runtime/core/Error.h"
#include "runtime/data/MoveParameters.h"
#include "runtime/data/Parameters.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/Validate.h"
#include "runtime/train/Collect.h"
#include "runtime/train/Trainer.h"
#include "runtime/train/Values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

class TrainerTest : public ::testing::Test {
protected:
  void SetUp() override {
    for (int i = 0; i < 32; ++i) {
      x.push_back(float(i * 7 % 32) / 16 - 1);
      t.push_back(float(i * 5 % 32) / 16 - 1);
    }
    // The values of the parameter w1.
    for (int i = 0; i < 16; ++i)
      w.push_back(float(i * 3 % 16) / 16 - 0.5f);
  }

  static TensorView view(const std::vector<float> &values,
                         std::vector<int64_t> shape) {
    return {ElementType::F32, std::move(shape),
            reinterpret_cast<const char *>(values.data()), values.size() * 4};
  }
  TensorMap arrays() const {
    return {{"x", view(x, {8, 4})}, {"t", view(t, {8, 4})}};
  }
  WeightSet weights() const {
    WeightSet set;
    set.path = "memory";
    Piece piece{ElementType::F32,
                reinterpret_cast<const char *>(w.data()),
                {0, 0},
                {4, 4},
                {}};
    piece.mapped = false;
    set.tensors["w1"] = {ElementType::F32, {4, 4}, {piece}};
    return set;
  }

  std::vector<float> x, t, w;
};

template <typename Work>
void expectRefused(Work work, const std::string &message) {
  try {
    work();
    ADD_FAILURE() << "accepted, expected: " << message;
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::BadInput);
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos)
        << error.what();
  }
}

TEST_F(TrainerTest, TrainsOnMemoryOfTheCallerOnAnyMesh) {
  for (int data : {1, 2, 4})
    for (bool shard : {false, true}) {
      ToyOptions toy;
      toy.data = data;
      toy.shardWeights = shard;
      format::Executable executable = makeToy(toy);
      std::map<std::string, std::vector<float>> plain = {{"w1", w}};
      std::vector<double> losses = toyReference(toy, plain, x, t, 3, 0.5);
      Trainer trainer(executable, {});
      trainer.start();
      trainer.initializeSlots();
      trainer.writeParameters(weights());
      for (int step = 0; step < 3; ++step) {
        StepReport report = trainer.step(trainer.batchOf(arrays()), 0.5);
        EXPECT_EQ(report.number, step + 1);
        EXPECT_EQ(report.learningRate, 0.5);
        EXPECT_EQ(report.problem, "");
        EXPECT_NEAR(report.results.loss->value, losses[step], 1e-5);
      }
      EXPECT_EQ(trainer.done(), 3);
      std::vector<float> read(16);
      trainer.readParameters({{"w1", read.data()}});
      for (int i = 0; i < 16; ++i)
        EXPECT_NEAR(read[i], plain["w1"][i], 1e-5);
    }
}

TEST_F(TrainerTest, CheckpointsGoOnWhereTheyWereWritten) {
  TemporaryFolder folder;
  ToyOptions toy;
  toy.data = 2;
  toy.shardWeights = true;
  format::Executable executable = makeToy(toy);
  Trainer trainer(executable, {});
  trainer.start();
  trainer.load(weights());
  Batch batch = trainer.batchOf(arrays());
  trainer.step(batch, 0.5);
  trainer.save(folder / "checkpoints");
  trainer.save(folder / "checkpoints"); // in its place
  double next = trainer.step(batch, 0.5).results.loss->value;
  EXPECT_EQ(trainer.lastCheckpoint(), folder / "checkpoints/step-000000001");
  trainer.save(folder / "checkpoints");
  trainer.finishSave();
  EXPECT_EQ(trainer.lastCheckpoint(), folder / "checkpoints/step-000000002");
  trainer.finishSave(); // nothing is being written
  toy.data = 1;
  toy.shardWeights = false;
  format::Executable alone = makeToy(toy);
  Trainer other(alone, {});
  other.start();
  other.load(folder / "checkpoints/step-000000001");
  EXPECT_EQ(other.done(), 1);
  EXPECT_EQ(other.lastCheckpoint(), folder / "checkpoints/step-000000001");
  EXPECT_NEAR(other.step(other.batchOf(arrays()), 0.5).results.loss->value,
              next, 1e-5);
  other.load(folder / "checkpoints");
  EXPECT_EQ(other.done(), 2);
  // Parameters alone begin anew.
  other.saveParameters(folder / "w");
  other.load(folder / "w");
  EXPECT_EQ(other.done(), 0);
  expectRefused([&] { other.load(folder / "none"); }, "none");
  expectRefused([&] { other.save(folder / "w"); }, "w");
  EXPECT_EQ(other.failure(), "");
  toy.forward = true;
  format::Executable forward = makeToy(toy);
  Trainer evaluated(forward, {});
  evaluated.start();
  expectRefused([&] { evaluated.save(folder / "c"); }, "does not train");
  evaluated.load(folder / "checkpoints"); // its parameters
  EXPECT_EQ(evaluated.done(), 0);
}

TEST_F(TrainerTest, BatchesThatDoNotFitChangeNothing) {
  format::Executable executable = makeToy({});
  Trainer trainer(executable, {});
  trainer.start();
  trainer.load(weights());
  auto refuse = [&](TensorMap wrong, const std::string &message) {
    expectRefused([&] { trainer.batchOf(wrong); }, message);
  };
  TensorMap wrong = arrays();
  wrong.erase("t");
  refuse(wrong, "\"t\": expected f32 [8, 4], not found");
  wrong = arrays();
  wrong["x"].shape = {4, 8};
  refuse(wrong, "\"x\": expected f32 [8, 4], found f32 [4, 8]");
  wrong = arrays();
  wrong["x"].type = ElementType::I32;
  refuse(wrong, "\"x\": expected f32 [8, 4], found i32 [8, 4]");
  wrong["x"].type = ElementType::BF16;
  refuse(wrong, "\"x\": expected f32, found bf16");
  wrong = arrays();
  wrong["z"] = wrong["x"];
  refuse(wrong, "no input is called \"z\"");
  WeightSet unknown = weights();
  unknown.tensors["w9"] = unknown.tensors["w1"];
  expectRefused([&] { trainer.writeParameters(unknown); }, "surplus: w9");
  EXPECT_TRUE(trainer.step(trainer.batchOf(arrays()), 0.1).results.loss);
}

TEST_F(TrainerTest, IntegersBeyondTheirTableAreRefused) {
  format::Executable executable = makeToy({});
  format::Input *input = executable.mutable_stages(0)->mutable_inputs(0);
  input->mutable_tensor()->set_type(format::I32);
  input->set_limit(3);
  const std::string name = input->tensor().name();
  Trainer trainer(executable, {}); // not started
  std::vector<int32_t> values(32, 2);
  TensorMap given = arrays();
  given[name].type = ElementType::I32;
  given[name].data = reinterpret_cast<const char *>(values.data());
  EXPECT_EQ(trainer.batchOf(given).inputs.size(), 2u);
  values[5] = 3;
  expectRefused([&] { trainer.batchOf(given); }, "the batch");
}

TEST_F(TrainerTest, AFailureOfRanksIsRepeated) {
  ToyOptions toy;
  toy.data = 2;
  format::Executable executable = makeToy(toy);
  Trainer trainer(executable, {});
  EXPECT_THROW(trainer.initializeSlots(), Error) << "not started";
  trainer.start();
  trainer.load(weights());
  Batch batch = trainer.batchOf(arrays());
  trainer.step(batch, 0.5);
  EXPECT_EQ(trainer.failure(), "");
  // Checked by the ranks alone: a value that no input can hold.
  Batch wrong = batch;
  wrong.inputs[0].type = ElementType::I64;
  EXPECT_THROW(trainer.step(wrong, 0.5), Error);
  EXPECT_NE(trainer.failure(), "");
  for (int i = 0; i < 2; ++i)
    try {
      trainer.step(batch, 0.5);
      ADD_FAILURE() << "it went on";
    } catch (const Error &error) {
      EXPECT_EQ(error.what(), "the trainer cannot be used any more, it has "
                              "failed: " +
                                  trainer.failure());
    }
  EXPECT_EQ(trainer.done(), 1);
  // No other call goes on either, nor does a file appear.
  TemporaryFolder folder;
  float read[16];
  for (const std::function<void()> &call : std::vector<std::function<void()>>{
           [&] { trainer.saveParameters(folder / "w"); },
           [&] { trainer.save(folder / "checkpoints"); },
           [&] {
             trainer.readParameters({{"w1", read}});
           },
           [&] { trainer.readOutputs({}, /*everywhere=*/true); }})
    try {
      call();
      ADD_FAILURE() << "it went on";
    } catch (const Error &error) {
      EXPECT_EQ(error.what(), "the trainer cannot be used any more, it has "
                              "failed: " +
                                  trainer.failure());
    }
  EXPECT_FALSE(std::filesystem::exists(folder / "w"));
}

TEST_F(TrainerTest, AFileThatCannotBeWrittenIsNoFailureOfRanks) {
  TemporaryFolder folder;
  format::Executable executable = makeToy({});
  Trainer trainer(executable, {});
  EXPECT_THROW(trainer.saveParameters(folder / "w"), Error) << "not started";
  trainer.start();
  trainer.load(weights());
  EXPECT_THROW(trainer.saveParameters(folder / "none/w"), Error);
  EXPECT_EQ(trainer.failure(), "");
  trainer.saveParameters(folder / "w");
  trainer.load(folder / "w");
}

/// A checkpoint has the values at save(), however late a thread writes it.
TEST_F(TrainerTest, ACheckpointIsWrittenWhileStepsGoOn) {
  TemporaryFolder folder;
  format::Executable executable = makeToy({});
  Trainer trainer(executable, {});
  trainer.start();
  trainer.load(weights());
  Batch batch = trainer.batchOf(arrays());
  for (const char *name : {"a", "a", "b"}) {
    trainer.step(batch, 0.5);
    float saved[16], read[16];
    trainer.readParameters({{"w1", saved}});
    trainer.save(folder / name);
    trainer.step(batch, 0.5);
    trainer.finishSave();
    Trainer other(executable, {});
    other.start();
    other.load(trainer.lastCheckpoint());
    other.readParameters({{"w1", read}});
    EXPECT_EQ(std::memcmp(saved, read, sizeof(read)), 0);
  }
  // The folder is free again as soon as nothing is written there.
  FolderLock lock(folder / "b");
  try {
    trainer.save(folder / "b");
    ADD_FAILURE() << "two write to one folder";
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::BadInput);
  }
  EXPECT_EQ(trainer.failure(), "");
}

TEST_F(TrainerTest, AStepIsMeasuredWhereThatIsWanted) {
  ToyOptions toy;
  toy.data = 2;
  format::Executable executable = makeToy(toy);
  Trainer trainer(executable, {});
  trainer.start();
  trainer.load(weights());
  Batch batch = trainer.batchOf(arrays());
  trainer.step(batch, 0.5);
  EXPECT_FALSE(trainer.isMeasured());
  EXPECT_EQ(trainer.trace(), "");
  trainer.measure(true);
  trainer.step(batch, 0.5);
  trainer.measure(false);
  const std::string trace = trainer.trace();
  EXPECT_EQ(trace.rfind("{\"traceEvents\": [", 0), 0u);
  EXPECT_NE(trace.find("\"rank 1\""), std::string::npos);
  EXPECT_NE(trace.find("\"ph\": \"X\""), std::string::npos);
  trainer.step(batch, 0.5);
  EXPECT_EQ(trainer.trace(), trace);
}

TEST_F(TrainerTest, AViewIsTheParameterItself) {
  format::Executable executable = makeToy({});
  Trainer trainer(executable, {});
  trainer.start();
  trainer.load(weights());
  Trainer::View view = trainer.view("w1");
  EXPECT_EQ(view.type, ElementType::F32);
  EXPECT_EQ(view.shape, (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(std::memcmp(view.data, w.data(), 64), 0);
  trainer.step(trainer.batchOf(arrays()), 0.5);
  float read[16];
  trainer.readParameters({{"w1", read}});
  EXPECT_EQ(std::memcmp(view.data, read, sizeof(read)), 0);
  EXPECT_NE(std::memcmp(view.data, w.data(), 64), 0);
  expectRefused([&] { trainer.view("w"); }, "did you mean 'w1'?");
  ToyOptions toy;
  toy.data = 2;
  toy.shardWeights = true;
  format::Executable sharded = makeToy(toy);
  Trainer other(sharded, {});
  other.start();
  other.load(weights());
  expectRefused([&] { other.view("w1"); },
                "no view of \"w1\": rank 1 holds [2, 4] of [4, 4]");
  EXPECT_EQ(other.failure(), "");
}

TEST_F(TrainerTest, ArraysAreAssembledOfAllRanks) {
  // The weight, which is split over two ranks, as an array that is returned.
  for (bool shard : {false, true}) {
    ToyOptions toy;
    toy.data = 2;
    toy.forward = true;
    toy.shardWeights = shard;
    format::Executable executable = makeToy(toy);
    format::Stage *stage = executable.mutable_stages(0);
    const format::State &state = stage->states(0);
    format::Output *output = stage->add_outputs();
    output->set_kind(format::Output::ARRAY);
    output->set_name("weight");
    output->set_type(state.type());
    output->set_offset(state.offset());
    *output->mutable_shape() = state.extent();
    *output->mutable_sharding() = state.sharding();
    EXPECT_EQ(validate(executable), "");
    std::vector<std::string> names = resultNames(executable);
    EXPECT_EQ(std::count(names.begin(), names.end(), "weight"), 0);
    Trainer trainer(executable, {});
    trainer.start();
    trainer.load(weights());
    StepReport report = trainer.step(trainer.batchOf(arrays()), 0);
    EXPECT_TRUE(report.results.loss);
    ASSERT_EQ(trainer.outputs().size(), 1u);
    EXPECT_EQ(trainer.outputs()[0].name, "weight");
    EXPECT_EQ(trainer.outputs()[0].type, ElementType::F32);
    EXPECT_EQ(trainer.outputs()[0].shape, (std::vector<int64_t>{4, 4}));
    std::vector<float> read(17, -7);
    trainer.readOutputs({{"weight", read.data()}}, /*everywhere=*/true);
    EXPECT_EQ(std::vector<float>(read.begin(), read.end() - 1), w);
    EXPECT_EQ(read[16], -7);
    trainer.readOutputs({}, /*everywhere=*/true); // none is wanted
  }
}

TEST_F(TrainerTest, ParametersMoveBetweenTrainers) {
  ToyOptions toy, forward;
  toy.data = forward.data = 2;
  toy.shardWeights = true;
  forward.forward = true;
  format::Executable trained = makeToy(toy), evaluated = makeToy(forward);
  Trainer from(trained, {}), to(evaluated, {});
  from.start();
  to.start();
  from.load(weights());
  Batch batch = from.batchOf(arrays());
  from.step(batch, 0.5);
  to.takeParameters(from,
                    ParameterMove(trained, evaluated, to.ranks().localRanks()));
  EXPECT_TRUE(to.isForward());
  double seen = to.step(to.batchOf(arrays()), 0).results.loss->value;
  EXPECT_NEAR(seen, from.step(batch, 0.5).results.loss->value, 1e-6);
}

/// Adds an average to the toy's weight, in columns over data, which no step
/// changes.
void addAverage(format::Executable &executable, int data) {
  format::StateTensor *tensor = executable.add_states();
  *tensor = executable.states(0);
  tensor->set_kind(format::StateTensor::AVERAGE);
  tensor->clear_file();
  format::Stage &stage = *executable.mutable_stages(0);
  format::State *state = stage.add_states();
  *state = stage.states(0);
  state->set_tensor(1);
  state->set_offset(arenaBytes(stage));
  state->mutable_sharding(0)->Clear();
  if (data > 1) {
    state->mutable_sharding(1)->add_axes(2);
    state->mutable_sharding(1)->set_padded(uint64_t(data) * 3);
  }
  setArenaBytes(stage, arenaBytes(stage) + 4 * 4 * 4);
  EXPECT_EQ(validate(executable), "");
}

TEST_F(TrainerTest, AveragesBeginAsParametersAndStayThen) {
  TemporaryFolder folder;
  for (int data : {1, 2, 4}) { // of four, two have no column
    ToyOptions toy;
    toy.data = data;
    format::Executable executable = makeToy(toy), without = makeToy(toy);
    addAverage(executable, data);
    EXPECT_EQ(averagedParameters(executable), std::set<std::string>{"w1"});
    EXPECT_TRUE(averagedParameters(without).empty());
    std::vector<std::string> notes;
    TrainerSettings settings;
    settings.note = [&](const std::string &note) {
      if (note.find("ranks share") == std::string::npos) // on few cores
        notes.push_back(note);
    };
    Trainer trainer(executable, settings);
    trainer.start();
    std::vector<float> read(16);
    auto expectAverage = [&](const std::vector<float> &expected) {
      trainer.readParameters({{"w1", read.data()}}, ParameterValues::Averaged);
      EXPECT_EQ(read, expected) << "on " << data;
    };
    auto expectParameter = [&](const std::vector<float> &expected) {
      trainer.readParameters({{"w1", read.data()}});
      EXPECT_EQ(read, expected) << "on " << data;
    };
    const std::vector<float> first = w;
    auto change = [&] {
      for (float &value : w)
        value += 1;
      return weights();
    };
    trainer.load(weights());
    expectAverage(first);
    // Before the first step, what is set is where they begin.
    trainer.writeParameters(change());
    expectAverage(w);
    trainer.step(trainer.batchOf(arrays()), 0.5);
    expectAverage(w);
    const std::vector<float> begun = w;
    trainer.writeParameters(change());
    expectAverage(begun);
    const std::vector<float> trained = w;
    trainer.writeAverages(change());
    expectAverage(w);
    expectParameter(trained);
    const std::vector<float> assigned = w;
    // A file of averages is one of parameters.
    trainer.saveParameters(folder / "ema", ParameterValues::Averaged);
    trainer.save(folder / "checkpoints");
    trainer.finishSave();
    trainer.load(folder / "ema");
    expectParameter(assigned);
    trainer.load(folder / "checkpoints");
    expectParameter(trained);
    expectAverage(assigned);
    EXPECT_TRUE(notes.empty());

    Trainer other(without, {});
    other.start();
    other.load(folder / "checkpoints");
    expectRefused([&] { other.writeAverages(weights()); },
                  "these have no average: w1; compile the program with --ema");
    other.save(folder / "without");
    other.finishSave();
    trainer.load(folder / "without");
    expectParameter(trained);
    expectAverage(trained);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("has no averages of w1; they begin as"),
              std::string::npos)
        << notes[0];

    // They are evaluated by a program that has parameters alone.
    trainer.load(folder / "checkpoints");
    toy.forward = true;
    format::Executable forward = makeToy(toy);
    Trainer evaluated(forward, {});
    evaluated.start();
    evaluated.takeParameters(trainer,
                             ParameterMove(executable, forward,
                                           evaluated.ranks().localRanks(),
                                           ParameterValues::Averaged));
    evaluated.readParameters({{"w1", read.data()}});
    EXPECT_EQ(read, assigned);
  }
}

TEST_F(TrainerTest, ResultsAreOneList) {
  format::Executable executable = makeToy({});
  std::vector<std::string> names = resultNames(executable);
  EXPECT_EQ(names.front(), "loss");
  EXPECT_EQ(names.back(), "seconds");
  Trainer trainer(executable, {});
  trainer.start();
  trainer.load(weights());
  StepReport report = trainer.step(trainer.batchOf(arrays()), 0.25);
  std::vector<double> values(names.size() + 1, -7);
  writeResults(executable, report, 1.5, values.data());
  EXPECT_EQ(values[0], report.results.loss->value);
  EXPECT_EQ(values[names.size() - 1], 1.5);
  EXPECT_EQ(values[names.size()], -7);
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == "lr")
      EXPECT_EQ(values[i], 0.25);
}

// Pages of a mapped file are released after use; those of a caller are not.
TEST(WeightTest, MemoryOfACallerStays) {
  constexpr int64_t count = 1 << 20;
  std::vector<float> source(count, 3), target(count);
  Piece piece{ElementType::F32,
              reinterpret_cast<const char *>(source.data()),
              {0},
              {count},
              {}};
  piece.mapped = false;
  for (bool strided : {false, true}) {
    if (strided)
      piece.strides = {1};
    Weight weight{ElementType::F32, {count}, {piece}};
    std::vector<int64_t> shape = {count}, zero = {0};
    ASSERT_TRUE(copyWeight("here", weight, zero,
                           {target.data(), ElementType::F32, shape, zero},
                           shape));
    EXPECT_EQ(source[count / 2], 3);
    EXPECT_EQ(target[count / 2], 3);
  }
}

TEST(ValuesTest, WrongOnesAreNamed) {
  EXPECT_EQ(parseGpus("--gpus", "0,2"), (std::vector<int>{0, 2}));
  expectRefused([] { parseGpus("gpus", "1,1"); }, "gpus: GPU 1 twice");
  UpdateSettings settings;
  parseLossScale("--loss-scale", "dynamic:8", settings);
  EXPECT_TRUE(*settings.dynamicScale);
  EXPECT_EQ(settings.lossScale, 8);
  expectRefused([&] { parseLossScale("s", "dynamic:0.5", settings); },
                "s: a dynamic scale begins at 1 or more");
  expectRefused([] { parseInteger<int>("n", "1x", 0, 9); },
                "n: expected an integer from 0 to 9, found 1x");
  expectRefused(
      [] {
        checkNumber("n", 2, {0, 1});
      },
      "n: expected a number from 0.0 to 1.0");
}

} // namespace
