// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executable's file form and its validator.

#include "Toy.h"

#include "runtime/format/Arenas.h"
#include "runtime/format/CollectiveText.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/StepExtent.h"
#include "runtime/format/Targets.h"
#include "runtime/format/Validate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

using namespace zcc;
using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

format::Executable small() {
  format::Executable e = makeToy({});
  e.mutable_codes(0)->set_object("not code, but nothing is loaded here");
  return e;
}

std::string bytesOf(const format::Executable &e) {
  std::string bytes;
  EXPECT_EQ(serializeExecutable(e, bytes), "");
  return bytes;
}

TEST(FormatTest, ComesBackAsItWas) {
  format::Executable e = small(), back;
  std::string bytes = bytesOf(e);
  EXPECT_EQ(parseExecutable(bytes, back), "");
  EXPECT_EQ(bytesOf(back), bytes);
}

TEST(FormatTest, EveryFlippedBitIsSeen) {
  std::string bytes = bytesOf(small());
  format::Executable e;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] ^= char(1 << (i % 8));
    EXPECT_NE(parseExecutable(damaged, e), "") << i;
  }
}

TEST(FormatTest, OtherVersionsSayWhoseTheyAre) {
  std::string bytes = bytesOf(small());
  format::Executable e;
  std::string expected =
      "expected " + std::to_string(executableVersion) + ": compiled by ";
  for (auto [version, whose] :
       {std::pair<char, const char *>{char(executableVersion - 1), "an older"},
        {char(executableVersion + 1), "a newer"}}) {
    bytes[8] = version;
    std::string error = parseExecutable(bytes, e);
    EXPECT_NE(error.find("version " + std::to_string(int(version))),
              std::string::npos)
        << error;
    EXPECT_NE(error.find(expected + whose + " zcc; compile the model again"),
              std::string::npos)
        << error;
  }
}

TEST(FormatTest, EveryTruncationIsSeen) {
  std::string bytes = bytesOf(small());
  format::Executable e;
  for (size_t i = 0; i < bytes.size(); ++i)
    EXPECT_NE(parseExecutable(std::string_view(bytes).substr(0, i), e), "");
  EXPECT_NE(parseExecutable(bytes + "x", e), "");
}

/// The all-to-all of a toy whose weights are shared out over two ranks, now
/// between parts: two rows of four elements each, in buffers of sixteen.
format::CollectiveStep *allToAllOf(format::Executable &e) {
  for (format::Task &task : *e.mutable_stages(0)->mutable_tasks())
    for (format::Step &step : *task.mutable_steps())
      if (step.collective().kind() == format::CollectiveStep::ALL_TO_ALL) {
        format::CollectiveStep *own = step.mutable_collective();
        own->set_n(8);
        own->mutable_source_rows()->set_begin(4);
        own->mutable_source_rows()->set_pitch(8);
        own->mutable_target_rows()->set_begin(1);
        own->mutable_target_rows()->set_pitch(5);
        return own;
      }
  ADD_FAILURE() << "no all-to-all";
  return nullptr;
}

TEST(ValidateTest, NoDamageCrashesTheValidator) {
  // Changes random bytes of the message, with a correct checksum.
  ToyOptions toy;
  toy.stages = toy.data = toy.microbatches = 2;
  toy.shardWeights = true;
  for (bool isCallers : {false, true}) {
    format::Executable e = makeToy(toy);
    if (isCallers)
      giveInputsToCaller(e);
    e.mutable_codes(0)->set_object("x");
    allToAllOf(e); // has optional fields, too
    ASSERT_EQ(validate(e), "");
    std::string bytes = e.SerializeAsString();
    google::protobuf::LogSilencer silence;
    std::mt19937 generator(1);
    int parsed = 0, refused = 0;
    for (int i = 0; i < 20000; ++i) {
      std::string damaged = bytes;
      for (int k = 0; k <= i % 3; ++k)
        damaged[generator() % damaged.size()] = char(generator());
      if (!e.ParseFromString(damaged))
        continue;
      ++parsed;
      refused += !validate(e).empty();
    }
    EXPECT_GT(parsed, 1000);
    EXPECT_GT(refused, 500);
  }
}

/// Changes a valid program and expects a message with this text in it.
void expectInvalid(const std::string &message,
                   const std::function<void(format::Executable &)> &change,
                   ToyOptions toy = {}) {
  format::Executable e = makeToy(toy);
  ASSERT_EQ(validate(e), "");
  change(e);
  std::string error = validate(e);
  EXPECT_NE(error.find(message), std::string::npos)
      << "expected: " << message << "\nfound: " << error;
}

TEST(ValidateTest, Program) {
  expectInvalid("no target", [](auto &e) { e.clear_target(); });
  expectInvalid("no optimizer is named", [](auto &e) { e.clear_optimizer(); });
  expectInvalid("has size 0", [](auto &e) { e.mutable_mesh(0)->set_size(0); });
  expectInvalid("more than", [](auto &e) {
    e.mutable_mesh(1)->set_size(1 << 20);
    e.mutable_mesh(2)->set_size(1 << 20);
  });
  expectInvalid("pipe axis", [](auto &e) { e.set_pipe_axis(3); });
  expectInvalid("temporal", [](auto &e) { e.set_pipe_axis(0); });
  expectInvalid("second temporal",
                [](auto &e) { e.mutable_mesh(2)->set_temporal(true); });
  expectInvalid("stages", [](auto &e) { e.add_stages(); });
  expectInvalid("two have this name",
                [](auto &e) { *e.add_parameters() = e.parameters(0); });
  expectInvalid("impossible shape", [](auto &e) {
    e.mutable_parameters(0)->set_shape(0, int64_t(1) << 62);
  });
  expectInvalid("impossible shape", [](auto &e) {
    e.mutable_parameters(0)->set_shape(0, 0);
    e.mutable_parameters(0)->set_shape(1, INT64_MAX);
  });
  expectInvalid("impossible shape",
                [](auto &e) { e.mutable_parameters(0)->set_shape(0, -1); });
  expectInvalid("kernel \"toy_matmul\" is of code 1 of 1",
                [](auto &e) { e.mutable_kernels(0)->set_code(1); });
  expectInvalid("code for no target",
                [](auto &e) { e.mutable_codes(0)->clear_target(); });
  expectInvalid("frozen", [](auto &e) { e.add_frozen("nothing"); });
}

TEST(ValidateTest, StatesInputsOutputs) {
  auto state = [](format::Executable &e) {
    return e.mutable_stages(0)->mutable_states(0);
  };
  auto input = [](format::Executable &e) {
    return e.mutable_stages(0)->mutable_inputs(0);
  };
  expectInvalid("outside of the arena",
                [&](auto &e) { state(e)->set_offset(uint64_t(1) << 60); });
  expectInvalid("not a multiple",
                [&](auto &e) { state(e)->set_offset(state(e)->offset() + 2); });
  expectInvalid("leave the shape", [&](auto &e) { state(e)->set_start(0, 1); });
  expectInvalid("live in no stage",
                [&](auto &e) { state(e)->set_extent(0, 3); });
  expectInvalid("is a part of tensor 7 of 1",
                [&](auto &e) { state(e)->set_tensor(7); });
  expectInvalid("belongs to parameter 7 of 1",
                [](auto &e) { e.mutable_states(0)->set_parameter(7); });
  expectInvalid("parameter of \"w1\": shape [5, 4], the tensor has [4, 4]",
                [](auto &e) { e.mutable_states(0)->set_shape(0, 5); });
  expectInvalid("parameter of \"w1\": two of them",
                [](auto &e) { *e.add_states() = e.states(0); });
  expectInvalid("state tensor 0: a parameter belongs to no parameter",
                [](auto &e) { e.mutable_states(0)->clear_parameter(); });
  expectInvalid("a parameter belongs to no tensor of files",
                [](auto &e) { e.mutable_states(0)->clear_file(); });
  expectInvalid("belongs to tensor of files 7 of 1",
                [](auto &e) { e.mutable_states(0)->set_file(7); });
  expectInvalid("a parameter of parameter 0 has the values of tensor 1",
                [](auto &e) {
                  *e.add_parameters() = e.parameters(0);
                  e.mutable_parameters(1)->set_name("other");
                  e.mutable_states(0)->set_file(1);
                });
  expectInvalid("a parameter called \"x\"",
                [](auto &e) { e.mutable_states(0)->set_name("x"); });
  expectInvalid("a parameter begins as 2",
                [](auto &e) { e.mutable_states(0)->set_initial(2); });
  expectInvalid("a parameter changes by rule 9, expected 0", [](auto &e) {
    e.mutable_states(0)->set_rule(format::StateTensor::Rule(9));
  });
  expectInvalid("unknown kind 9", [](auto &e) {
    e.mutable_states(0)->set_kind(format::StateTensor::Kind(9));
  });
  auto slot = [](format::Executable &e) {
    format::StateTensor *tensor = e.add_states();
    tensor->set_kind(format::StateTensor::SLOT);
    tensor->set_parameter(0);
    tensor->set_name("rows"); // of any shape
    tensor->add_shape(3);
    return tensor;
  };
  for (const char *name : {"", "a:b", "parameter"})
    expectInvalid("a slot called", [&](auto &e) { slot(e)->set_name(name); });
  expectInvalid("a slot belongs to tensor of files",
                [&](auto &e) { slot(e)->set_file(0); });
  expectInvalid("a slot begins as Infinity",
                [&](auto &e) { slot(e)->set_initial(HUGE_VAL); });
  expectInvalid("rows of \"w1\": impossible shape",
                [&](auto &e) { slot(e)->set_shape(0, -1); });
  for (const char *name : {"ema", "master"})
    expectInvalid("a slot called", [&](auto &e) { slot(e)->set_name(name); });
  auto average = [&](format::Executable &e) {
    format::StateTensor *tensor = e.add_states();
    *tensor = e.states(0);
    tensor->set_kind(format::StateTensor::AVERAGE);
    tensor->clear_file();
    format::State *own = e.mutable_stages(0)->add_states();
    *own = *state(e);
    own->set_tensor(1);
    own->set_offset(arenaBytes(e.stages(0)));
    setArenaBytes(*e.mutable_stages(0), arenaBytes(e.stages(0)) + 64);
    return tensor;
  };
  format::Executable averaged = makeToy({});
  average(averaged);
  EXPECT_EQ(validate(averaged), "");
  expectInvalid("an ema called \"x\"",
                [&](auto &e) { average(e)->set_name("x"); });
  expectInvalid("an ema begins as 2",
                [&](auto &e) { average(e)->set_initial(2); });
  expectInvalid("ema of \"w1\": shape [5, 4], the tensor has [4, 4]",
                [&](auto &e) { average(e)->set_shape(0, 5); });
  expectInvalid("the average of \"w1\" is there without the parameter",
                [&](auto &e) {
                  average(e);
                  e.mutable_stages(0)->mutable_states(1)->set_extent(0, 3);
                });
  // The toy's weight as a variable of the loss.
  auto variable = [&](format::Executable &e) {
    format::StateTensor *tensor = e.mutable_states(0);
    tensor->set_kind(format::StateTensor::VARIABLE);
    tensor->clear_parameter();
    tensor->set_rule(format::StateTensor::RETURNED);
    return tensor;
  };
  expectInvalid("a variable belongs to parameter",
                [&](auto &e) { variable(e)->set_parameter(0); });
  expectInvalid("a variable belongs to no tensor of files",
                [&](auto &e) { variable(e)->clear_file(); });
  expectInvalid("a variable changes by rule 0, expected 1", [&](auto &e) {
    variable(e)->set_rule(format::StateTensor::UPDATED);
  });
  expectInvalid("is observed, which is no parameter",
                [&](auto &e) { variable(e); });
  expectInvalid("is split, but each device needs all of it", [&](auto &e) {
    variable(e);
    state(e)->mutable_sharding(0)->add_axes(2);
  });
  expectInvalid("live in no stage", [&](auto &e) {
    slot(e);
    state(e)->set_tensor(1);
    state(e)->mutable_start()->RemoveLast();
    state(e)->mutable_extent()->RemoveLast();
    state(e)->set_extent(0, 3);
    state(e)->mutable_sharding()->RemoveLast();
  });
  expectInvalid("is observed, which is no parameter", [&](auto &e) {
    *slot(e)->mutable_shape() = e.states(0).shape();
    for (format::Task &task : *e.mutable_stages(0)->mutable_tasks())
      for (format::Step &step : *task.mutable_steps())
        if (step.has_observe())
          step.mutable_observe()->mutable_states(0)->set_tensor(1);
  });
  expectInvalid("setting 3 of the optimizer is Infinity", [](auto &e) {
    format::Setting *setting = e.add_settings();
    setting->set_which(format::EPSILON);
    setting->set_fallback(HUGE_VAL);
  });
  expectInvalid("one for each of", [&](auto &e) { state(e)->add_sharding(); });
  expectInvalid("temporal axis",
                [&](auto &e) { state(e)->mutable_sharding(0)->add_axes(0); });
  expectInvalid("the mesh has",
                [&](auto &e) { state(e)->mutable_sharding(0)->add_axes(9); });
  expectInvalid("splits two dims", [&](auto &e) {
    state(e)->mutable_sharding(0)->add_axes(2);
    state(e)->mutable_sharding(1)->add_axes(2);
  });
  // An extent of 4 over 2 shards.
  for (uint64_t padded : {uint64_t(3), uint64_t(5), uint64_t(1) << 60})
    expectInvalid("padded to", [&](auto &e) {
      state(e)->mutable_sharding(0)->add_axes(2);
      state(e)->mutable_sharding(0)->set_padded(padded);
      e.mutable_mesh(2)->set_size(2);
    });
  expectInvalid("overlaps", [&](auto &e) {
    state(e)->set_offset(e.stages(0).hyper_offset());
  });
  expectInvalid("offsets", [&](auto &e) { input(e)->add_offsets(0); });
  expectInvalid("is a key of type f32 [8, 4], expected u32 [2]",
                [&](auto &e) { input(e)->set_key(true); });
  expectInvalid("unknown element type",
                [&](auto &e) { input(e)->mutable_tensor()->clear_type(); });
  expectInvalid("outside of the arena", [](auto &e) {
    e.mutable_stages(0)->mutable_outputs(0)->set_offset(1 << 20);
  });
  expectInvalid("outside of the arena", [](auto &e) {
    e.mutable_stages(0)->set_hyper_offset(1 << 20);
  });
}

TEST(ValidateTest, Arrays) {
  auto array = [](format::Executable &e) {
    e.set_optimizer("forward");
    format::Stage *stage = e.mutable_stages(0);
    format::Output *output = stage->add_outputs();
    output->set_kind(format::Output::ARRAY);
    output->set_name("logits");
    output->set_type(format::BF16);
    output->set_offset(stage->states(0).offset());
    output->add_shape(3);
    output->add_shape(2);
    output->add_sharding();
    output->add_sharding();
    return output;
  };
  format::Executable valid = makeToy({});
  array(valid)->mutable_sharding(0)->add_axes(2);
  EXPECT_EQ(validate(valid), "");
  expectInvalid("output \"logits\": an array of a program that is not forward",
                [&](auto &e) {
                  array(e);
                  e.set_optimizer("sgd");
                });
  expectInvalid("an array without a name",
                [&](auto &e) { array(e)->clear_name(); });
  expectInvalid("two output arrays \"logits\"", [&](auto &e) {
    array(e);
    array(e);
  });
  expectInvalid("output \"logits\": unknown element type",
                [&](auto &e) { array(e)->clear_type(); });
  for (int64_t extent : {int64_t(-1), int64_t(1) << 60})
    expectInvalid("output \"logits\": impossible shape",
                  [&](auto &e) { array(e)->set_shape(0, extent); });
  expectInvalid("the sharding has 3 entries, expected one for each of 2 dims",
                [&](auto &e) { array(e)->add_sharding(); });
  expectInvalid("output \"logits\": split over the temporal axis",
                [&](auto &e) { array(e)->mutable_sharding(0)->add_axes(0); });
  expectInvalid("output \"logits\": axis 9 of the sharding",
                [&](auto &e) { array(e)->mutable_sharding(0)->add_axes(9); });
  expectInvalid("dim 0 of 3 elements is padded to 2",
                [&](auto &e) { array(e)->mutable_sharding(0)->set_padded(2); });
  expectInvalid("outside of the arena",
                [&](auto &e) { array(e)->set_offset(1 << 20); });
  expectInvalid("outside of the arena",
                [&](auto &e) { array(e)->set_shape(0, 1 << 20); });
  expectInvalid("a shape or sharding, but it is no array", [](auto &e) {
    e.mutable_stages(0)->mutable_outputs(0)->add_shape(2);
  });
  expectInvalid("a shape or sharding, but it is no array", [](auto &e) {
    e.mutable_stages(0)->mutable_outputs(0)->add_sharding();
  });
}

TEST(ValidateTest, Memories) {
  constexpr uint64_t arena = 1 << 20;
  auto stage = [&](format::Executable &e) {
    setArenaBytes(*e.mutable_stages(0), arena, MemorySpace::Host);
    return e.mutable_stages(0);
  };
  auto task = [&](format::Executable &e, int i) {
    return stage(e)->mutable_tasks(i);
  };
  expectInvalid("an arena of 1152921504606846976 bytes", [&](auto &e) {
    setArenaBytes(*stage(e), uint64_t(1) << 60, MemorySpace::Host);
  });
  expectInvalid("an arena of 0 bytes", [](auto &e) {
    e.mutable_stages(0)->add_arenas()->set_memory(format::HOST);
  });
  expectInvalid("an arena in the unknown memory 7", [&](auto &e) {
    stage(e)->mutable_arenas(1)->set_memory(format::Memory(7));
  });
  for (format::Memory memory : {format::DEVICE, format::HOST})
    expectInvalid("not in the order of their memories, one for each",
                  [&](auto &e) {
                    format::Stage *own = stage(e);
                    own->mutable_arenas(0)->set_memory(format::HOST);
                    own->mutable_arenas(1)->set_memory(memory);
                  });
  expectInvalid("parameter of \"w1\": unknown memory 7", [&](auto &e) {
    stage(e)->mutable_states(0)->set_memory(format::Memory(7));
  });
  expectInvalid("outside of the arena of 1048576 bytes", [&](auto &e) {
    stage(e)->mutable_states(0)->set_memory(format::HOST);
    stage(e)->mutable_states(0)->set_offset(arena);
  });
  expectInvalid("outside of the arena of 0 bytes", [&](auto &e) {
    e.mutable_stages(0)->mutable_states(0)->set_memory(format::HOST);
  });
  expectInvalid("unknown memory 7", [&](auto &e) {
    task(e, 1)->mutable_operands(0)->set_memory(format::Memory(7));
  });
  expectInvalid("outside of the arena of 0 bytes", [&](auto &e) {
    for (format::Operand &own :
         *e.mutable_stages(0)->mutable_tasks(1)->mutable_operands())
      own.set_memory(format::HOST);
  });
  expectInvalid("are in different memories", [&](auto &e) {
    format::Task *own = task(e, 1);
    auto kernel = own->steps(0).kernel();
    own->mutable_operands(int(kernel.operands(0)))->set_memory(format::HOST);
  });
  expectInvalid("is in the memory of the disk, which only copies use",
                [&](auto &e) {
                  setArenaBytes(*e.mutable_stages(0), arena, MemorySpace::Disk);
                  for (format::Operand &own : *task(e, 1)->mutable_operands())
                    own.set_memory(format::DISK);
                });
  expectInvalid("is not in the device's memory", [&](auto &e) {
    format::Task *own = task(e, 3);
    auto collective = own->steps(0).collective();
    own->mutable_operands(int(collective.source()))->set_memory(format::HOST);
  });
  expectInvalid("of slot 0 are in different memories", [&](auto &e) {
    format::Task *own = task(e, 1);
    for (auto memory : {format::DEVICE, format::HOST}) {
      format::Operand *operand = own->add_operands();
      operand->set_slot(true);
      operand->set_memory(memory);
    }
  });
}

TEST(ValidateTest, InputsOfTheCaller) {
  ToyOptions toy;
  toy.data = toy.microbatches = 2;
  auto damaged = [&](const std::string &message,
                     const std::function<void(format::Stage &)> &change) {
    expectInvalid(
        message,
        [&](format::Executable &e) {
          giveInputsToCaller(e);
          ASSERT_EQ(validate(e), "");
          change(*e.mutable_stages(0));
        },
        toy);
  };
  const uint64_t arena = arenaBytes(makeToy(toy).stages(0));
  auto firstRun = [](format::Stage &stage) {
    for (format::Action &action : *stage.mutable_actions())
      if (action.has_run() && action.run().slots_size() != 0)
        return action.mutable_run();
    ADD_FAILURE() << "no run has slots";
    return (format::Run *)nullptr;
  };
  damaged("lie outside of the 64 bytes of the caller behind the arena",
          [](auto &stage) { stage.set_caller_bytes(64); });
  damaged("1152921504606846976 bytes of the caller",
          [](auto &stage) { stage.set_caller_bytes(uint64_t(1) << 60); });
  damaged("lie outside of the arena",
          [](auto &stage) { stage.clear_caller_bytes(); });
  damaged("is not a multiple of 64", [&](auto &stage) {
    stage.mutable_inputs(0)->set_offsets(0, arena + 4);
  });
  damaged("another input is at", [&](auto &stage) {
    stage.mutable_inputs(0)->set_offsets(0,
                                         stage.mutable_inputs(1)->offsets(0));
  });
  // An operand of 48 bytes more than its part.
  damaged("lie outside of the input at", [&](auto &stage) {
    uint32_t task = firstRun(stage)->task();
    for (format::Operand &operand :
         *stage.mutable_tasks(task)->mutable_operands())
      if (operand.slot())
        operand.set_size(operand.size() + 48);
  });
  damaged("no input in the caller's memory is at",
          [&](auto &stage) { firstRun(stage)->set_slots(0, arena + 1); });
  damaged("writes an input in the caller's memory", [&](auto &stage) {
    uint32_t task = firstRun(stage)->task();
    for (format::Operand &operand :
         *stage.mutable_tasks(task)->mutable_operands())
      operand.set_written(true);
  });
  damaged("writes an input in the caller's memory", [&](auto &stage) {
    format::Operand &operand = *stage.mutable_tasks(0)->add_operands();
    operand.set_offset(stage.inputs(0).offsets(0));
    operand.set_size(16);
    operand.set_written(true);
  });
  damaged("is an input in the caller's memory, which only steps have",
          [&](auto &stage) {
            stage.mutable_init()->set_kind(format::Task::INIT);
            format::Operand &operand = *stage.mutable_init()->add_operands();
            operand.set_offset(stage.inputs(0).offsets(0));
            operand.set_size(16);
          });
}

TEST(ValidateTest, OnlyCopiesUseMemoryWithoutAddresses) {
  format::Executable executable = makeToy({});
  format::Stage &stage = *executable.mutable_stages(0);
  setArenaBytes(stage, 256, MemorySpace::Disk);
  EXPECT_EQ(arenaBytes(stage, MemorySpace::Disk), 256u);
  EXPECT_EQ(addressableBytes(stage), arenaBytes(stage));
  format::Task &task = *stage.mutable_tasks(1);
  format::Operand &away = *task.add_operands();
  away.set_memory(format::DISK);
  away.set_offset(64);
  away.set_size(task.operands(0).size());
  away.set_written(true);
  uint32_t target = uint32_t(task.operands_size()) - 1;
  format::Step &step = *task.add_steps();
  step.mutable_copy()->set_source(0);
  step.mutable_copy()->set_target(target);
  EXPECT_EQ(validate(executable), "");
  step.mutable_fill()->set_target(target);
  EXPECT_NE(validate(executable)
                .find("in the memory of the disk, which only "
                      "copies use"),
            std::string::npos)
      << validate(executable);
}

TEST(ValidateTest, OptimizersSayWhatStepsDo) {
  format::Executable executable;
  executable.set_optimizer("forward");
  EXPECT_TRUE(isForward(executable));
  EXPECT_FALSE(trains(executable));
  executable.set_optimizer("none");
  EXPECT_EQ(extentOf(executable), StepExtent::Gradients);
  EXPECT_FALSE(isForward(executable) || trains(executable));
  executable.set_optimizer("lion");
  EXPECT_TRUE(trains(executable));
}

TEST(ValidateTest, TargetsAreNamed) {
  format::Executable executable;
  executable.set_target("cpu");
  EXPECT_FALSE(isCuda(executable));
  format::Code code;
  code.set_target("cuda");
  EXPECT_TRUE(isCuda(code));
  format::Image image;
  image.set_device("sm_90");
  EXPECT_FALSE(isOfHost(image));
  image.set_device("host");
  EXPECT_TRUE(isOfHost(image));
}

TEST(ValidateTest, ArenasHaveAnOrder) {
  format::Stage stage;
  setArenaBytes(stage, 64, MemorySpace::Disk);
  setArenaBytes(stage, 128);
  setArenaBytes(stage, 192, MemorySpace::Host);
  ASSERT_EQ(stage.arenas_size(), 3);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(spaceOf(stage.arenas(i).memory()), memorySpaces[i].space);
  EXPECT_EQ(addressableBytes(stage), 128u + 192u);
  setArenaBytes(stage, 0, MemorySpace::Host);
  EXPECT_EQ(stage.arenas_size(), 2);
  EXPECT_EQ(arenaBytes(stage, MemorySpace::Host), 0u);
}

TEST(ValidateTest, Tasks) {
  auto task = [](format::Executable &e, int i) {
    return e.mutable_stages(0)->mutable_tasks(i);
  };
  expectInvalid("outside of the arena", [&](auto &e) {
    task(e, 0)->mutable_operands(0)->set_size(1 << 20);
  });
  expectInvalid("not a multiple", [&](auto &e) {
    task(e, 0)->mutable_operands(0)->set_offset(4);
  });
  expectInvalid("not marked as written", [&](auto &e) {
    task(e, 0)->mutable_operands(0)->set_written(false);
  });
  expectInvalid("buffers", [&](auto &e) {
    task(e, 1)->mutable_steps(0)->mutable_kernel()->add_operands(0);
  });
  expectInvalid("operand 99", [&](auto &e) {
    task(e, 1)->mutable_steps(0)->mutable_kernel()->set_operands(0, 99);
  });
  expectInvalid("kernel 99", [&](auto &e) {
    task(e, 1)->mutable_steps(0)->mutable_kernel()->set_kernel(99);
  });
  expectInvalid("does nothing", [&](auto &e) { task(e, 1)->add_steps(); });
  expectInvalid("of chunk 1, expected 0: it is of all chunks",
                [&](auto &e) { task(e, 0)->set_chunk(1); });
  expectInvalid("more than 1 byte", [&](auto &e) {
    task(e, 0)->mutable_steps(0)->mutable_fill()->set_value(256);
  });
  expectInvalid("elements of 3 bytes", [&](auto &e) {
    task(e, 0)->mutable_steps(0)->mutable_fill()->set_width(3);
  });
  expectInvalid("with elements of 8 bytes", [&](auto &e) {
    task(e, 0)->mutable_steps(0)->mutable_fill()->set_width(8);
  });
  expectInvalid("not an axis of ranks", [&](auto &e) {
    task(e, 3)->mutable_steps(0)->mutable_collective()->set_axes(0, 0);
  });
  expectInvalid("bytes, the operands have", [&](auto &e) {
    task(e, 3)->mutable_steps(0)->mutable_collective()->set_n(100);
  });
  expectInvalid("impossible", [&](auto &e) {
    task(e, 3)->mutable_steps(0)->mutable_collective()->set_n(UINT64_MAX);
  });
  expectInvalid("logical", [&](auto &e) {
    task(e, 3)->mutable_steps(0)->mutable_collective()->set_reduction(
        format::CollectiveStep::AND);
  });
  expectInvalid("text 9 of 5", [&](auto &e) {
    task(e, 3)->mutable_steps(0)->mutable_collective()->set_why(9);
  });
  expectInvalid("the first text is \"x\"",
                [&](auto &e) { e.set_texts(0, "x"); });
  // Two of the collective: the second beside the first.
  auto bucket = [&](format::Executable &e) {
    format::Step &step = *task(e, 3)->mutable_steps(0);
    format::CollectiveStep member = step.collective();
    *step.mutable_bucket()->add_members() = member;
    *step.mutable_bucket()->add_members() = member;
    return step.mutable_bucket();
  };
  expectInvalid("members 0 and 1 overlap", [&](auto &e) { bucket(e); });
  expectInvalid("a bucket of 1, expected at least 2",
                [&](auto &e) { bucket(e)->mutable_members()->RemoveLast(); });
  expectInvalid("member 1: of another kind, group, type or reduction",
                [&](auto &e) {
                  bucket(e)->mutable_members(1)->set_reduction(
                      format::CollectiveStep::MAX);
                });
  expectInvalid("member 1: of a kind that runs alone", [&](auto &e) {
    bucket(e)->mutable_members(1)->set_kind(format::CollectiveStep::PERMUTE);
  });
  expectInvalid("member 0: operand 99 or", [&](auto &e) {
    bucket(e)->mutable_members(0)->set_source(99);
  });
  // A kernel, and one that writes what it reads.
  auto batch = [&](format::Executable &e) {
    format::Step &step = *task(e, 1)->mutable_steps(0);
    format::KernelStep member = step.kernel();
    *step.mutable_batch()->add_members() = member;
    *step.mutable_batch()->add_members() = member;
    return step.mutable_batch();
  };
  expectInvalid("members 0 and 1 overlap", [&](auto &e) { batch(e); });
  expectInvalid("a batch of 1, expected at least 2",
                [&](auto &e) { batch(e)->mutable_members()->RemoveLast(); });
  expectInvalid("member 1: kernel 99 of",
                [&](auto &e) { batch(e)->mutable_members(1)->set_kernel(99); });
  expectInvalid("member 0: operand 99 of", [&](auto &e) {
    batch(e)->mutable_members(0)->set_operands(0, 99);
  });
  // The collective, once for each rank of its group.
  auto repeat = [&](format::Executable &e) {
    format::Step &step = *task(e, 3)->mutable_steps(0);
    format::CollectiveStep inner = step.collective();
    format::RepeatStep *own = step.mutable_repeat();
    own->add_axes(inner.axes(0));
    own->set_member(inner.target());
    *own->add_body()->mutable_collective() = inner;
    return own;
  };
  auto rotate = [&](format::Executable &e) {
    format::RepeatStep *own = repeat(e);
    for (int i = 0; i < 2; ++i) {
      format::RepeatStep::Rotation *rotation = own->add_rotations();
      rotation->set_held(own->member());
      rotation->set_next(own->member());
      rotation->set_spare(own->member());
    }
    return own;
  };
  expectInvalid("has no steps", [&](auto &e) { repeat(e)->clear_body(); });
  expectInvalid("axis 99 of", [&](auto &e) { repeat(e)->set_axes(0, 99); });
  expectInvalid("axis 0 is temporal",
                [&](auto &e) { repeat(e)->set_axes(0, 0); });
  expectInvalid("stands twice", [&](auto &e) {
    format::RepeatStep *own = repeat(e);
    own->add_axes(own->axes(0));
  });
  expectInvalid("operand 99 of", [&](auto &e) { repeat(e)->set_member(99); });
  expectInvalid("step 0 \"\": operand 99 or", [&](auto &e) {
    repeat(e)->mutable_body(0)->mutable_collective()->set_source(99);
  });
  expectInvalid("a repeat within a repeat", [&](auto &e) {
    format::RepeatStep *own = repeat(e);
    format::RepeatStep inner = *own;
    *own->mutable_body(0)->mutable_repeat() = inner;
  });
  expectInvalid("changes places twice", [&](auto &e) { rotate(e); });
  expectInvalid("operand 99 of", [&](auto &e) {
    rotate(e)->mutable_rotations(0)->set_spare(99);
  });
  auto boxes = [&](format::Executable &e) {
    auto *step = task(e, 3)->mutable_steps(0)->mutable_collective();
    step->set_kind(format::CollectiveStep::EXCHANGE_BOXES);
    step->set_outer(1);
    step->set_n(1);
    step->set_inner(1);
    step->add_shape(4);
    for (uint32_t axis : step->axes())
      step->add_from()->add_axes(axis);
    step->add_to();
    return step;
  };
  expectInvalid("not those of the first sharding", [&](auto &e) {
    auto *step = boxes(e);
    step->mutable_to()->Swap(step->mutable_from());
  });
  expectInvalid("entries, expected one for each of 2 dims",
                [&](auto &e) { boxes(e)->add_shape(3); });
  expectInvalid("is padded to 1",
                [&](auto &e) { boxes(e)->mutable_to(0)->set_padded(1); });
  expectInvalid("impossible extent -1",
                [&](auto &e) { boxes(e)->set_shape(0, -1); });
  expectInvalid("impossible extent 5",
                [&](auto &e) { boxes(e)->set_shape(0, (int64_t(1) << 49)); });
  expectInvalid("bytes, the operands have",
                [&](auto &e) { boxes(e)->set_shape(0, 1 << 20); });
  auto windows = [&](format::Executable &e, std::vector<int64_t> numbers) {
    auto *step = boxes(e);
    for (int64_t number : numbers)
      step->add_windows(number);
  };
  expectInvalid("4 numbers of windows for 1 dims, expected 5 each",
                [&](auto &e) {
                  windows(e, {2, 1, 1, 0});
                });
  expectInvalid("impossible window", [&](auto &e) {
    windows(e, {2, 0, 1, 0, 2});
  });
  expectInvalid("impossible window", [&](auto &e) {
    windows(e, {2, 1, 1, int64_t(1) << 50, 2});
  });
  expectInvalid("impossible window", [&](auto &e) {
    windows(e, {2, 1, 1, INT64_MIN, 2});
  });
  expectInvalid("bytes, the operands have", [&](auto &e) {
    windows(e, {2, 1, 1, 0, 1 << 20});
  });
}

TEST(ValidateTest, PartsOfBuffers) {
  ToyOptions toy;
  toy.data = 2;
  toy.shardWeights = true;
  format::Executable valid = makeToy(toy);
  format::CollectiveStep *part = allToAllOf(valid);
  EXPECT_EQ(validate(valid), "");
  // Two rows of four elements move, and the gaps are of the operands.
  Mesh mesh(valid);
  CollectiveSizes moved = sizesOf(*part, 2, mesh),
                  used = extentsOf(*part, 2, mesh);
  EXPECT_EQ(moved.source, 32u);
  EXPECT_EQ(moved.target, 32u);
  EXPECT_EQ(used.source, 4u * (4 + 8 + 4));
  EXPECT_EQ(used.target, 4u * (1 + 5 + 4));
  // A part of nothing needs nothing.
  format::CollectiveStep nothing = *part;
  nothing.set_n(0);
  EXPECT_EQ(extentsOf(nothing, 2, mesh).source, 0u);
  EXPECT_EQ(extentsOf(nothing, 2, mesh).target, 0u);

  using Change = std::function<void(format::CollectiveStep &)>;
  const std::pair<Change, const char *> cases[] = {
      {[](auto &own) { own.mutable_source_rows()->set_pitch(3); },
       "rows of the source are 3 elements apart, expected at least their "
       "length of 4"},
      {[](auto &own) { own.mutable_target_rows()->set_pitch(3); },
       "rows of the target are 3 elements apart, expected at least their "
       "length of 4"},
      // Each block in rows of two elements.
      {[](auto &own) {
         own.set_concat(2);
         own.mutable_target_rows()->set_pitch(1);
       },
       "rows of the target are 1 elements apart, expected at least their "
       "length of 2"},
      {[](auto &own) { own.mutable_source_rows()->set_begin(5); },
       "needs 68 and 40 bytes, the operands have 64 and 64"},
      {[](auto &own) { own.mutable_target_rows()->set_begin(8); },
       "needs 64 and 68 bytes, the operands have 64 and 64"},
      {[](auto &own) { own.set_kind(format::CollectiveStep::ALL_GATHER); },
       "rows of a part in a collective of kind all-gather, expected an "
       "all-to-all"},
      {[](auto &own) {
         own.set_kind(format::CollectiveStep::ALL_REDUCE);
         own.clear_target_rows();
       },
       "rows of a part in a collective of kind all-reduce, expected an "
       "all-to-all"},
      {[](auto &own) { own.mutable_source_rows()->set_begin(UINT64_MAX); },
       "impossible place of the source: 2 rows at 18446744073709551615 "
       "elements and each 8 after it"},
      {[](auto &own) { own.mutable_target_rows()->set_pitch(UINT64_MAX); },
       "impossible place of the target: 2 rows at 1 elements and each "
       "18446744073709551615 after it"},
      // In bytes it is too much, in elements not.
      {[](auto &own) {
         own.mutable_target_rows()->set_begin(uint64_t(1) << 47);
       },
       "impossible place of the target"},
      // The distances are impossible even where there are no elements.
      {[](auto &own) {
         own.set_n(0);
         own.mutable_source_rows()->set_begin(uint64_t(1) << 48);
       },
       "impossible place of the source"},
      {[](auto &own) {
         own.set_n(0);
         own.set_concat(UINT64_MAX);
       },
       "impossible extent 18446744073709551615"},
      // The target's rows lie in the gaps of the source, which count as its.
      {[](auto &own) {
         own.set_target(own.source());
         own.mutable_source_rows()->set_begin(0);
         *own.mutable_target_rows() = own.source_rows();
         own.mutable_target_rows()->set_begin(4);
       },
       "source and target overlap"},
  };
  for (const auto &[change, message] : cases)
    expectInvalid(
        message,
        [&change = change](format::Executable &e) {
          format::CollectiveStep *own = allToAllOf(e);
          // All operands are written, which is not the subject here.
          for (format::Task &task : *e.mutable_stages(0)->mutable_tasks())
            for (format::Operand &operand : *task.mutable_operands())
              operand.set_written(true);
          change(*own);
        },
        toy);

  // Two parts of one target in one bucket overlap, as the gaps count.
  expectInvalid(
      "members 0 and 1 overlap",
      [](format::Executable &e) {
        format::CollectiveStep *own = allToAllOf(e), other = *own;
        for (format::Task &task : *e.mutable_stages(0)->mutable_tasks())
          for (format::Step &step : *task.mutable_steps())
            if (step.has_collective() && &step.collective() == own) {
              own->mutable_target_rows()->set_pitch(8);
              other.mutable_target_rows()->set_begin(4);
              other.mutable_target_rows()->set_pitch(8);
              format::CollectiveStep first = *own;
              *step.mutable_bucket()->add_members() = first;
              *step.mutable_bucket()->add_members() = other;
              return;
            }
      },
      toy);
}

TEST(CollectiveTextTest, PartsAreCalledParts) {
  format::Executable e;
  for (const char *words : {"", "activation", "tokens"})
    e.add_texts(words);
  e.add_mesh()->set_name("expert");
  format::Step step;
  format::CollectiveStep *own = step.mutable_collective();
  own->set_kind(format::CollectiveStep::ALL_TO_ALL);
  own->add_axes(0);
  EXPECT_EQ(describeCollective(e, step), "all-to-all over expert");
  own->set_what(1);
  own->set_value(2);
  EXPECT_EQ(describeCollective(e, step),
            "all-to-all over expert of activation tokens");
  for (bool isTarget : {false, true}) {
    format::Step part = step;
    (isTarget ? part.mutable_collective()->mutable_target_rows()
              : part.mutable_collective()->mutable_source_rows())
        ->set_pitch(4);
    EXPECT_EQ(describeCollective(e, part),
              "all-to-all over expert of a part of activation tokens");
  }
}

TEST(ValidateTest, Actions) {
  auto action = [](format::Executable &e, int stage, int i) {
    return e.mutable_stages(stage)->mutable_actions(i);
  };
  expectInvalid(
      "slots", [&](auto &e) { action(e, 0, 1)->mutable_run()->clear_slots(); });
  expectInvalid("outside of the arena", [&](auto &e) {
    action(e, 0, 1)->mutable_run()->set_slots(0, 1 << 20);
  });
  // A part of a slot: `begin` bytes of it are before.
  auto part = [](format::Executable &e, uint64_t begin) {
    for (auto &operand :
         *e.mutable_stages(0)->mutable_tasks(1)->mutable_operands())
      if (operand.slot())
        operand.set_begin(begin);
  };
  expectInvalid("expected a multiple of 64, of a slot",
                [&](auto &e) { part(e, 4); });
  expectInvalid("outside of the arena", [&](auto &e) { part(e, 1 << 20); });
  expectInvalid("expected a multiple of 64, of a slot", [&](auto &e) {
    for (auto &operand :
         *e.mutable_stages(0)->mutable_tasks(1)->mutable_operands())
      if (!operand.slot())
        operand.set_begin(64);
  });
  expectInvalid("task 9",
                [&](auto &e) { action(e, 0, 0)->mutable_run()->set_task(9); });
  expectInvalid("microbatch 1 of 1", [&](auto &e) {
    action(e, 0, 1)->mutable_run()->set_microbatch(1);
  });
  ToyOptions two;
  two.stages = 2;
  // Stage 0: before, forward, send, receive, backward, after.
  expectInvalid(
      "never receives",
      [&](auto &e) { action(e, 0, 2)->mutable_send()->set_tag(77); }, two);
  expectInvalid(
      "expects", [&](auto &e) { action(e, 0, 2)->mutable_send()->set_size(4); },
      two);
  expectInvalid(
      "with stage 5",
      [&](auto &e) { action(e, 0, 2)->mutable_send()->set_peer(5); }, two);
  expectInvalid(
      "in a circle", [&](auto &e) { action(e, 0, 2)->Swap(action(e, 0, 3)); },
      two);
}

TEST(MeshTest, RanksAreRowMajorAndGroupsInAxisOrder) {
  Mesh mesh({{"micro", 4, true}, {"a", 2, false}, {"b", 3, false}}, -1);
  EXPECT_EQ(mesh.ranks(), 6);
  EXPECT_EQ(mesh.coordinates(4), (Coordinates{0, 1, 1}));
  EXPECT_EQ(mesh.rankAt({3, 1, 1}), 4);
  EXPECT_EQ(mesh.group(4, {2}), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(mesh.group(4, {1}), (std::vector<int>{1, 4}));
  EXPECT_EQ(mesh.group(0, {1, 2}), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(mesh.group(0, {2, 1}), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(mesh.group(5, {}), (std::vector<int>{5}));
}

TEST(MeshTest, LastShardsAreShortOrEmpty) {
  Mesh mesh({{"a", 4, false}}, -1);
  auto at = [&](int64_t n, int rank) {
    Shard s = shardAt(mesh, {{{0}, 0}}, {n}, mesh.coordinates(rank));
    return std::vector<int64_t>{s.start[0], s.extent[0], s.shape[0]};
  };
  EXPECT_EQ(at(10, 0), (std::vector<int64_t>{0, 3, 3}));
  EXPECT_EQ(at(10, 3), (std::vector<int64_t>{9, 1, 3}));
  EXPECT_EQ(at(5, 3), (std::vector<int64_t>{5, 0, 2}));
  EXPECT_EQ(at(0, 1), (std::vector<int64_t>{0, 0, 0}));
}

TEST(MeshTest, PaddedDimsAreCutByTheirPaddedExtent) {
  Mesh mesh({{"micro", 2, true}, {"data", 2, false}}, -1);
  auto at = [&](uint32_t microbatch, uint32_t rank) {
    Shard s = shardAt(mesh, {{{0, 1}, 12}}, {7}, {microbatch, rank});
    return std::vector<int64_t>{s.start[0], s.extent[0], s.shape[0]};
  };
  EXPECT_EQ(at(0, 1), (std::vector<int64_t>{3, 3, 3}));
  EXPECT_EQ(at(1, 0), (std::vector<int64_t>{6, 1, 3}));
  EXPECT_EQ(at(1, 1), (std::vector<int64_t>{7, 0, 3}));
  EXPECT_EQ(mesh.microbatches(), 2u);
  EXPECT_EQ(mesh.temporalAxis(), 0);
}

} // namespace
