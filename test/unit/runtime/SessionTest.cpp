// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole runs of toy programs: losses against a plain computation, on any mesh.

#include "Files.h"
#include "Toy.h"

#include "runtime/checkpoint/CheckpointReader.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/core/Error.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/Validate.h"
#include "tools/zrun/Session.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <random>

using namespace zcc::rt;
using namespace zcc::rt::test;
using Json = nlohmann::json;

namespace {

std::vector<float> randoms(int count, int seed) {
  std::mt19937 generator(seed);
  std::vector<float> out(count);
  for (float &v : out)
    v = float(generator() % 2000) / 1000 - 1;
  return out;
}

class SessionTest : public ::testing::Test {
protected:
  void SetUp() override {
    x = randoms(32, 1);
    t = randoms(32, 2);
    w = {{"w1", randoms(16, 3)}, {"w2", randoms(16, 4)}};
    writeTensors(
        folder / "batch.safetensors",
        {tensor("x", ElementType::F32, {1, 8, 4}, x),
         tensor("t", ElementType::F32, {1, 8, 4}, t),
         tensor("unused", ElementType::F32, {1}, std::vector<float>{0})});
  }

  Options options(const ToyOptions &toy, int steps) {
    std::vector<NamedTensor> tensors;
    for (int s = 1; s <= toy.stages; ++s) {
      std::string name = "w" + std::to_string(s);
      tensors.push_back(tensor(name, ElementType::F32, {4, 4}, w[name]));
    }
    writeTensors(folder / "params.safetensors", tensors);
    Options o;
    o.params = folder / "params.safetensors";
    o.batches = folder / "batch.safetensors";
    o.steps = steps;
    o.lr = 0.5;
    o.log = folder / "log.jsonl";
    o.saveParams = folder / "saved.safetensors";
    if (!toy.forward)
      o.saveGrads = folder / "grads.safetensors";
    o.quiet = true;
    return o;
  }

  std::vector<Json> log() {
    std::vector<Json> lines;
    std::istringstream text(readFile(folder / "log.jsonl"));
    for (std::string line; std::getline(text, line);)
      lines.push_back(Json::parse(line));
    return lines;
  }

  std::vector<float> run(const ToyOptions &toy, int steps, int threads = 0) {
    format::Executable executable = makeToy(toy);
    EXPECT_EQ(validate(executable), "");
    Options o = options(toy, steps);
    o.threads = threads;
    runSession(executable, o);
    std::vector<float> losses;
    std::vector<Json> lines = log();
    for (size_t i = 1; i < lines.size(); ++i)
      if (lines[i].contains("loss"))
        losses.push_back(lines[i]["loss"].get<float>());
    return losses;
  }

  TemporaryFolder folder;
  std::vector<float> x, t;
  std::map<std::string, std::vector<float>> w;
};

/// Runs a session that must fail, and returns its error.
Error failureOf(const format::Executable &executable, const Options &options) {
  try {
    runSession(executable, options);
  } catch (const Error &error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error(Status::Done, "");
}

TEST_F(SessionTest, MatchesTheReferenceOnEveryMesh) {
  for (int stages : {1, 2})
    for (int data : {1, 2, 4})
      for (int microbatches : {1, 2})
        for (bool shard : {false, true}) {
          ToyOptions toy;
          toy.stages = stages;
          toy.data = data;
          toy.microbatches = microbatches;
          toy.shardWeights = shard;
          SCOPED_TRACE(::testing::Message() << stages << " " << data << " "
                                            << microbatches << " " << shard);
          auto expectedWeights = w;
          std::vector<double> expected =
              toyReference(toy, expectedWeights, x, t, 20, 0.5);
          std::vector<float> losses = run(toy, 20);
          ASSERT_EQ(losses.size(), expected.size());
          for (size_t i = 0; i < losses.size(); ++i)
            EXPECT_NEAR(losses[i], expected[i], 1e-5 * expected[i]);
          SafeTensors saved(folder / "saved.safetensors");
          for (int s = 1; s <= stages; ++s) {
            std::string name = "w" + std::to_string(s);
            std::vector<float> got = values<float>(saved.tensors(), name);
            for (int i = 0; i < 16; ++i)
              EXPECT_NEAR(got[i], expectedWeights[name][i], 1e-5);
          }
        }
}

TEST_F(SessionTest, ALossOfF64KeepsItsDigits) {
  ToyOptions toy;
  toy.forward = true;
  format::Executable executable = makeToy(toy);
  // Eight bytes of which the kernel writes the lower four: a number that is
  // far below what f32 holds.
  executable.mutable_stages(0)->mutable_outputs(0)->set_type(format::F64);
  ASSERT_EQ(executable.stages(0).outputs(0).kind(), format::Output::LOSS);
  ASSERT_EQ(validate(executable), "");
  runSession(executable, options(toy, 1));
  Json line = log().at(1);
  float twin = line["twin"].get<float>();
  uint64_t bits = 0;
  std::memcpy(&bits, &twin, sizeof(twin));
  double expected;
  std::memcpy(&expected, &bits, sizeof(bits));
  EXPECT_GT(expected, 0.0);
  EXPECT_EQ(line["loss"].get<double>(), expected);
}

TEST_F(SessionTest, ThreadsDoNotChangeABit) {
  ToyOptions toy;
  toy.data = 2;
  std::vector<float> one = run(toy, 10, 1);
  EXPECT_EQ(one, run(toy, 10, 3));
}

TEST_F(SessionTest, SavedGradientsAreUnscaledAndWhole) {
  ToyOptions toy;
  toy.stages = 2;
  toy.data = 2;
  format::Executable executable = makeToy(toy);
  Options o = options(toy, 2);
  o.lossScale = 1024;
  o.dynamicScale = false;
  runSession(executable, o);
  auto next = w;
  toyReference(toy, next, x, t, 1, 1.0); // one step of rate 1 is the gradient
  SafeTensors grads(folder / "grads.safetensors");
  ASSERT_EQ(grads.tensors().size(), 2u);
  for (const char *name : {"w1", "w2"}) {
    std::vector<float> got = values<float>(grads.tensors(), name);
    for (int i = 0; i < 16; ++i)
      EXPECT_NEAR(got[i], w[name][i] - next[name][i], 1e-5);
  }
  EXPECT_EQ(log()[1]["loss_scale"], 1024.0);
}

TEST_F(SessionTest, LogHasTheKeysInOrder) {
  ToyOptions toy;
  toy.data = 2;
  run(toy, 1);
  std::istringstream text(readFile(folder / "log.jsonl"));
  std::string first, second;
  std::getline(text, first);
  std::getline(text, second);
  Json head = Json::parse(first);
  EXPECT_EQ(head["ranks"], 2);
  EXPECT_EQ(head["planned_bytes"], head["allocated_bytes"]);
  EXPECT_EQ(head["planned_bytes"].size(), 2u);
  size_t position = 0;
  for (const char *key :
       {"step", "loss", "grad_norm", "lr", "seconds", "data_seconds",
        "tokens_per_second", "utilization", "overflow", "loss_scale", "twin"}) {
    size_t at = second.find("\"" + std::string(key) + "\": ");
    ASSERT_NE(at, std::string::npos) << key;
    EXPECT_GE(at, position);
    position = at;
  }
  Json line = Json::parse(second);
  EXPECT_EQ(line["overflow"], false);
  EXPECT_EQ(line["loss"], line["twin"]);
  EXPECT_GT(line["utilization"].get<double>(), 0);
}

TEST_F(SessionTest, ForwardProgramsLogTheirMean) {
  ToyOptions toy;
  toy.forward = true;
  toy.data = 2;
  std::vector<float> losses = run(toy, 3);
  ASSERT_EQ(losses.size(), 3u);
  EXPECT_EQ(losses[0], losses[2]);
  Json mean = log().back();
  ASSERT_TRUE(mean.contains("mean"));
  EXPECT_NEAR(mean["mean"]["loss"].get<double>(), losses[0], 1e-6);
  EXPECT_TRUE(mean["mean"].contains("twin"));
}

TEST_F(SessionTest, InitSeedIsTheKey) {
  ToyOptions toy;
  toy.shardWeights = true;
  Options o = options(toy, 1);
  o.params.clear();
  o.initSeed = (uint64_t(1) << 32) + 5;
  o.lr = 0;
  runSession(makeToy(toy), o);
  SafeTensors saved(folder / "saved.safetensors");
  std::vector<float> got = values<float>(saved.tensors(), "w1");
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(got[i], float(5 + i) / 16 + 1);
}

TEST_F(SessionTest, NanStopsAndNamesTheGradient) {
  ToyOptions toy;
  toy.stages = 2;
  w["w1"][3] = NAN;
  Options o = options(toy, 3);
  Error error = failureOf(makeToy(toy), o);
  EXPECT_EQ(error.status, Status::Failed);
  std::string what = error.what();
  EXPECT_NE(what.find("step 1"), std::string::npos) << what;
  EXPECT_NE(what.find("\"w1\""), std::string::npos) << what;
  EXPECT_EQ(log()[1]["loss"], "NaN");
  EXPECT_FALSE(std::filesystem::exists(o.saveParams));
  o.onNan = OnNan::Continue;
  runSession(makeToy(toy), o);
  EXPECT_EQ(log().size(), 4u);
}

TEST_F(SessionTest, NanIsFoundWhereItWasRead) {
  ToyOptions toy;
  w["w1"][3] = NAN;
  Options o = options(toy, 3);
  o.onNan = OnNan::Find;
  Error error = failureOf(makeToy(toy), o);
  EXPECT_EQ(error.status, Status::Failed);
  std::string what = error.what();
  EXPECT_NE(what.find("has a NaN before any kernel of this process made one"),
            std::string::npos)
      << what;
}

TEST_F(SessionTest, ARunThatFailsFinishesTheCheckpointThatItBegan) {
  ToyOptions toy;
  toy.data = 2;
  Options o = options(toy, 9);
  o.lr = 1e30;
  o.checkpoint = folder / "checkpoints";
  o.checkpointEvery = 1;
  o.keep = 9;
  Error error = failureOf(makeToy(toy), o);
  EXPECT_EQ(error.status, Status::Failed);
  auto steps = int64_t(log().size()) - 1;
  ASSERT_GE(steps, 2);
  EXPECT_EQ(listSteps(o.checkpoint).back(), steps - 1);
  EXPECT_EQ(
      openCheckpoint(stepFolder(o.checkpoint, steps - 1)).index.standing.step,
      steps - 1);
}

TEST_F(SessionTest, DynamicScaleHalvesUntilItFits) {
  ToyOptions toy;
  toy.precision = "f16";
  w["w1"][0] = 1e30f; // squares of the scaled gradient leave f32
  Options o = options(toy, 5);
  o.onNan = OnNan::Continue;
  // At every scale the square of 1e30 overflows: 4 -> 2 -> 1 -> error.
  o.dynamicScale = true;
  o.lossScale = 4;
  Error error = failureOf(makeToy(toy), o);
  std::string what = error.what();
  EXPECT_NE(what.find("step 3"), std::string::npos) << what;
  EXPECT_NE(what.find("\"w1\""), std::string::npos) << what;
  std::vector<Json> lines = log();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1]["loss_scale"], 4.0);
  EXPECT_EQ(lines[1]["overflow"], true);
  EXPECT_EQ(lines[3]["loss_scale"], 1.0);
}

TEST_F(SessionTest, F16StartsAtTwoToTheSixteen) {
  ToyOptions toy;
  toy.precision = "f16";
  std::vector<float> scaled = run(toy, 3);
  EXPECT_EQ(log()[1]["loss_scale"], 65536.0);
  toy.precision = "f32";
  EXPECT_EQ(scaled, run(toy, 3)); // powers of two change nothing
}

TEST_F(SessionTest, ArenasLargerThanTheMachineAreRefused) {
  format::Executable executable = makeToy({});
  setArenaBytes(*executable.mutable_stages(0), uint64_t(1) << 47);
  Error error = failureOf(executable, options({}, 1));
  EXPECT_EQ(error.status, Status::Failed);
  EXPECT_NE(std::string(error.what()).find("this machine has"),
            std::string::npos);
}

TEST_F(SessionTest, FeaturesThatTheProcessorLacksAreNamed) {
  format::Executable executable = makeToy({});
  executable.mutable_codes(0)->add_features("avx4096");
  Error error = failureOf(executable, options({}, 1));
  EXPECT_EQ(error.status, Status::BadInput);
  EXPECT_NE(std::string(error.what()).find("lacks avx4096"), std::string::npos);
}

TEST_F(SessionTest, ATargetThatIsNotHereIsNamedWithThoseThatAre) {
  format::Executable executable = makeToy({});
  executable.set_target("cpu2");
  Error error = failureOf(executable, options({}, 1));
  EXPECT_EQ(error.status, Status::BadInput);
  std::string what = error.what();
  EXPECT_NE(what.find("is for target \"cpu2\""), std::string::npos) << what;
  EXPECT_NE(what.find("there is cpu"), std::string::npos) << what;
  EXPECT_NE(what.find("compile with --target cpu"), std::string::npos) << what;
}

TEST_F(SessionTest, WithoutStepsTheFilesAreReadOnce) {
  ToyOptions toy;
  std::filesystem::create_directory(folder / "data");
  for (const char *name : {"data/a.safetensors", "data/b.safetensors"})
    std::filesystem::copy(folder / "batch.safetensors", folder / name);
  Options o = options(toy, 5);
  o.batches = folder / "data";
  o.steps.reset(); // as many as there are
  runSession(makeToy(toy), o);
  EXPECT_EQ(log().size(), 3u);
  EXPECT_NE(log()[1]["loss"], log()[2]["loss"]);
}

TEST_F(SessionTest, ParametersOfAFolderOfHuggingFace) {
  for (bool forward : {false, true}) {
    ToyOptions toy;
    toy.forward = forward;
    Options o = options(toy, 1);
    runSession(makeToy(toy), o);
    Json expected = log()[1]["loss"];
    std::filesystem::rename(o.params, folder / "model.safetensors");
    o.params = folder.path();
    runSession(makeToy(toy), o);
    EXPECT_EQ(log()[1]["loss"], expected);
  }
}

TEST_F(SessionTest, WrongParametersAreListed) {
  ToyOptions toy;
  toy.stages = 2;
  Options o = options(toy, 1);
  writeTensors(o.params, {tensor("w1", ElementType::F32, {2, 8}, w["w1"]),
                          tensor("w3", ElementType::F32, {4, 4}, w["w1"])});
  Error error = failureOf(makeToy(toy), o);
  EXPECT_EQ(error.status, Status::BadInput);
  std::string what = error.what();
  EXPECT_NE(what.find("missing: w2"), std::string::npos) << what;
  EXPECT_NE(what.find("surplus: w3"), std::string::npos) << what;
  EXPECT_NE(what.find("expected f32 [4, 4], found f32 [2, 8]"),
            std::string::npos)
      << what;
}

} // namespace
