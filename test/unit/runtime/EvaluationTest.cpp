// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Held-out evaluation of toy programs. With one batch for training and
// evaluation, the loss on it after a step is that of the next step.

#include "Files.h"
#include "OpaqueDevice.h"
#include "Ranks.h"
#include "Toy.h"

#include "runtime/core/Error.h"
#include "runtime/cpu/CpuDevice.h"
#include "runtime/cpu/ObjectCode.h"
#include "runtime/data/MoveParameters.h"
#include "runtime/data/Parameters.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/Validate.h"
#include "tools/zrun/Session.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <deque>

using namespace zcc::rt;
using namespace zcc::rt::test;
using Json = nlohmann::json;

namespace {

class EvaluationTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::vector<float> x(32), t(32), w(16);
    for (int i = 0; i < 32; ++i) {
      x[i] = float(i * 7 % 32) / 16 - 1;
      t[i] = float(i * 5 % 32) / 16 - 1;
    }
    for (int i = 0; i < 16; ++i)
      w[i] = float(i * 3 % 16) / 16 - 0.5f;
    writeTensors(folder / "batch",
                 {tensor("x", ElementType::F32, {1, 8, 4}, x),
                  tensor("t", ElementType::F32, {1, 8, 4}, t)});
    for (int stages : {1, 2}) {
      std::vector<NamedTensor> tensors;
      for (int s = 1; s <= stages; ++s)
        tensors.push_back(
            tensor("w" + std::to_string(s), ElementType::F32, {4, 4}, w));
      writeTensors(folder / ("params" + std::to_string(stages)), tensors);
    }
  }

  void write(const format::Executable &executable) {
    std::string bytes;
    ASSERT_EQ(validate(executable), "");
    ASSERT_EQ(serializeExecutable(executable, bytes), "");
    writeFile(folder / "eval.zexe", bytes);
  }

  Options options(const ToyOptions &toy) {
    Options o;
    o.params = folder / ("params" + std::to_string(toy.stages));
    o.batches = o.evalBatches = folder / "batch";
    o.evalExecutable = folder / "eval.zexe";
    o.evalEvery = 2;
    o.steps = 6;
    o.lr = 0.5;
    o.log = folder / "log";
    o.quiet = true;
    return o;
  }

  std::vector<Json> log() {
    std::vector<Json> lines;
    std::istringstream text(readFile(folder / "log"));
    for (std::string line; std::getline(text, line);)
      lines.push_back(Json::parse(line));
    return lines;
  }

  void expectRefused(const ToyOptions &toy, const std::string &message) {
    try {
      runSession(makeToy(toy), options(toy));
      ADD_FAILURE() << "accepted, expected: " << message;
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::BadInput);
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos)
          << error.what();
    }
  }

  TemporaryFolder folder;
};

TEST_F(EvaluationTest, SeesTheParametersOfItsStepOnAnyTwoMeshes) {
  struct Shape {
    int data, stages, microbatches;
    bool shard;
  };
  // Equal numbers of ranks; the model has two layers or one.
  const std::vector<std::vector<Shape>> groups = {
      {{1, 1, 1, false}, {1, 1, 2, false}},
      {{4, 1, 1, false}, {4, 1, 1, true}, {4, 1, 2, true}},
      {{2, 2, 1, false}, {2, 2, 2, true}}};
  for (const auto &group : groups)
    for (const Shape &a : group)
      for (const Shape &b : group) {
        ToyOptions trained, evaluated;
        trained.data = a.data, evaluated.data = b.data;
        trained.stages = a.stages, evaluated.stages = b.stages;
        trained.microbatches = a.microbatches;
        evaluated.microbatches = b.microbatches;
        trained.shardWeights = a.shard, evaluated.shardWeights = b.shard;
        evaluated.forward = true;
        SCOPED_TRACE(::testing::Message()
                     << a.data << a.stages << a.shard << " " << b.shard);
        write(makeToy(evaluated));
        runSession(makeToy(trained), options(trained));
        std::vector<Json> lines = log();
        ASSERT_EQ(lines.size(), 7u);
        for (int step = 1; step < 6; ++step) {
          ASSERT_EQ(lines[step].contains("eval_loss"), step % 2 == 0);
          if (step % 2)
            continue;
          double loss = lines[step]["eval_loss"];
          double next = lines[step + 1]["loss"];
          EXPECT_NEAR(loss, next, 1e-5 * next);
          EXPECT_NE(loss, lines[step]["loss"].get<double>());
          if (a.microbatches == b.microbatches)
            EXPECT_EQ(float(loss), float(next));
          EXPECT_EQ(lines[step]["eval_twin"], lines[step]["eval_loss"]);
          EXPECT_GT(lines[step]["eval_seconds"], 0.0);
        }
        EXPECT_EQ(lines[0]["eval_planned_bytes"],
                  lines[0]["eval_allocated_bytes"]);
        EXPECT_EQ(lines[0]["planned_bytes"], lines[0]["allocated_bytes"]);
        EXPECT_EQ(int(lines[0]["eval_planned_bytes"].size()),
                  a.data * a.stages);
      }
}

// In messages of four bytes, sixteen bytes at a time; to and from devices whose
// memory the host cannot address, too.
TEST_F(EvaluationTest, MessagesCarryWhatCopiesDo) {
  for (bool sharded : {true, false}) {
    ToyOptions fromToy, toToy;
    fromToy.data = toToy.data = 4;
    fromToy.shardWeights = sharded;
    toToy.shardWeights = !sharded;
    toToy.forward = true;
    format::Executable from = makeToy(fromToy), to = makeToy(toToy);
    Mesh mesh(from);
    WeightSet weights = openWeights(folder / "params1");
    size_t bytes = arenaBytes(to.stages(0));
    ThreadPool pool(1, SpinPolicy{0});
    std::deque<CpuDevice> sources, copied, sent;
    std::deque<OpaqueDevice> opaqueSources, opaqueCopied, opaqueSent;
    for (int rank = 0; rank < 4; ++rank) {
      sources.emplace_back(arenaBytes(from.stages(0)), pool);
      opaqueSources.emplace_back(arenaBytes(from.stages(0)));
      loadParameters(from, mesh, rank, weights, sources.back());
      loadParameters(from, mesh, rank, weights, opaqueSources.back());
      copied.emplace_back(bytes, pool);
      sent.emplace_back(bytes, pool);
      opaqueCopied.emplace_back(bytes);
      opaqueSent.emplace_back(bytes);
    }
    ParameterMove move(from, to, {0, 1, 2, 3}, ParameterValues::Trained, 4, 16);
    for (int rank = 0; rank < 4; ++rank) {
      move.copyTo(
          rank, [&](int i) -> Device & { return sources[i]; }, copied[rank]);
      move.copyTo(
          rank, [&](int i) -> Device & { return opaqueSources[i]; },
          opaqueCopied[rank]);
    }
    Ranks ranks(4);
    ranks.run([&](int rank, Transport &transport) {
      auto barrier = [&] {
        int32_t nothing = 0;
        transport.open({0, 1, 2, 3})
            ->allReduce(ElementType::I32, Reduction::Max, &nothing, &nothing,
                        1);
      };
      // The same as a process of its own would do it.
      ParameterMove move(from, to, {rank}, ParameterValues::Trained, 4, 16);
      move.exchange(rank, transport, barrier, sources[rank], sent[rank]);
      move.exchange(rank, transport, barrier, opaqueSources[rank],
                    opaqueSent[rank]);
    });
    auto contents = [&](Device &device) {
      HostView view(device, device.at(0), bytes, Access::Read);
      return std::string(view.data(), bytes);
    };
    for (int rank = 0; rank < 4; ++rank) {
      std::string wanted = contents(copied[rank]);
      EXPECT_NE(wanted, std::string(bytes, '\0'));
      EXPECT_EQ(contents(sent[rank]), wanted);
      EXPECT_EQ(contents(opaqueCopied[rank]), wanted);
      EXPECT_EQ(contents(opaqueSent[rank]), wanted);
    }
  }
}

// dlopen gives what it has under a name, whatever the file holds now.
TEST(ObjectCodeTest, TwoExecutablesHaveKernelsOfTheirOwn) {
  format::Executable toy = makeToy({});
  const std::string &object = toy.codes(0).object();
  ObjectCode first(object), second(object);
  const std::string &symbol = toy.kernels(0).symbol();
  EXPECT_NE(first.find(symbol), second.find(symbol));
}

TEST_F(EvaluationTest, DoesNotChangeTheTraining) {
  ToyOptions toy;
  toy.data = 2;
  Options o = options(toy);
  o.evalExecutable.clear();
  runSession(makeToy(toy), o);
  std::vector<Json> plain = log();
  ToyOptions forward = toy;
  forward.forward = true;
  write(makeToy(forward));
  o = options(toy);
  o.evalEvery.reset(); // at the end
  o.evalSteps = 3;
  runSession(makeToy(toy), o);
  std::vector<Json> evaluated = log();
  ASSERT_EQ(plain.size(), evaluated.size());
  for (size_t i = 1; i < plain.size(); ++i) {
    EXPECT_EQ(plain[i]["loss"], evaluated[i]["loss"]);
    EXPECT_EQ(evaluated[i].contains("eval_loss"), i == 6);
  }
}

TEST_F(EvaluationTest, ProgramsThatDoNotFitAreNamed) {
  ToyOptions toy, other;
  toy.data = other.data = 2;
  write(makeToy(other));
  expectRefused(toy, "eval.zexe is compiled with --optimizer sgd, expected "
                     "--optimizer forward");
  other.forward = true;
  other.data = 4;
  write(makeToy(other));
  expectRefused(toy,
                "is for 4 ranks (pipe=1,data=4), the trained program has 2 "
                "(pipe=1,data=2)");
  other.data = 1;
  other.stages = 2;
  write(makeToy(other));
  expectRefused(toy, "not a program of the model that is trained: it has the "
                     "parameters w2, which are not trained");
  other.data = 2;
  other.stages = 1;
  write(makeToy(other));
  toy.forward = true;
  expectRefused(toy, "does not train");
  toy.forward = false;
  writeFile(folder / "eval.zexe", "text");
  expectRefused(toy, "eval.zexe: ");
  writeFile(folder / "tokens", std::string(1000, 'a'));
  write(makeToy(other));
  Options o = options(toy);
  o.evalBatches.clear();
  o.evalTokens = {folder / "tokens"};
  EXPECT_THROW(runSession(makeToy(toy), o), Error);
}

TEST_F(EvaluationTest, MisshapenParametersAreNamed) {
  ToyOptions toy, other;
  other.forward = true;
  format::Executable executable = makeToy(other);
  format::Executable trained = makeToy(toy);
  trained.mutable_parameters(0)->set_shape(0, 5);
  try {
    checkSameModel(trained, executable, "e");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(std::string(error.what()),
              "e: not a program of the model that is trained: misshapen: w1 "
              "([4, 4], trained is [5, 4])");
  }
}

} // namespace
