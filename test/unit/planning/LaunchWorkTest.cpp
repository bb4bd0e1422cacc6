// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of launches, compared with figures computed by hand: each term of
// it is the longest in a test of its own.
#include "planning/LaunchWork.h"
#include "planning/CostModel.h"
#include <gtest/gtest.h>

using namespace zcc::planning;

/// Round figures: a cycle is a nanosecond.
static Multiprocessor roundUnit() {
  Multiprocessor out;
  out.clock = 1e9;
  out.issue = 4;
  out.threads = 2048;
  out.blocks = 32;
  out.registers = 65536;
  out.sharedBytes = 200 << 10;
  out.memoryLatency = 1e-6;
  out.cacheLatency = 1e-7;
  return out;
}

constexpr int64_t roundUnits = 100;
constexpr double roundBandwidth = 1e12;

static LaunchTime timeOf(const LaunchWork &work) {
  return timeLaunch(work, roundUnit(), roundUnits, roundBandwidth);
}

/// As many blocks of 256 threads as are resident together, 8 on each
/// multiprocessor.
static LaunchWork oneWave() {
  LaunchWork work;
  work.blocks = 8 * roundUnits;
  work.threads = 256;
  work.registers = 32;
  return work;
}

TEST(LaunchWork, BlocksAreResidentUpToEachLimit) {
  Multiprocessor own = roundUnit();
  EXPECT_EQ(residentBlocks(own, 256, 32, 0), 8);        // threads
  EXPECT_EQ(residentBlocks(own, 32, 32, 0), 32);        // blocks
  EXPECT_EQ(residentBlocks(own, 256, 64, 0), 4);        // registers
  EXPECT_EQ(residentBlocks(own, 256, 33, 0), 6);        // 40 of each thread
  EXPECT_EQ(residentBlocks(own, 256, 32, 49 << 10), 4); // shared memory
  EXPECT_EQ(residentBlocks(own, 256, 32, 1 << 20), 0);
  EXPECT_EQ(residentBlocks(own, 33, 32, 0), 32); // two warps
}

TEST(LaunchWork, BytesTakeTheMemorysTime) {
  LaunchWork work = oneWave();
  work.bytesRead = 6e6;
  work.bytesWritten = 4e6;
  EXPECT_DOUBLE_EQ(timeOf(work).total, 1e-5);
  EXPECT_DOUBLE_EQ(timeOf(work).memory, 1e-5);
}

// Loads that wait for each other: the bytes in flight bound the bandwidth.
TEST(LaunchWork, RoundsOfLoadsTakeTheirLatency) {
  LaunchWork work = oneWave();
  work.bytesRead = 8e6;
  work.memoryRounds = 20;
  EXPECT_DOUBLE_EQ(timeOf(work).total, 20e-6);
  EXPECT_DOUBLE_EQ(timeOf(work).path, 20e-6);
  EXPECT_DOUBLE_EQ(work.bytesInFlight(), 8e6 / (800 * 256 * 20));
  // Twice the bytes in flight, half of the rounds.
  work.memoryRounds = 10;
  EXPECT_DOUBLE_EQ(timeOf(work).total, 10e-6);
  work.cacheRounds = 50;
  EXPECT_DOUBLE_EQ(timeOf(work).total, 15e-6);
  work.cycles = 5000;
  EXPECT_DOUBLE_EQ(timeOf(work).total, 20e-6);
}

// 8 blocks of 8 warps: 64 warps on each multiprocessor.
TEST(LaunchWork, TheBusiestUnitBoundsInstructions) {
  LaunchWork work = oneWave();
  auto secondsOf = [&](double LaunchInstructions::*kind) {
    work.instructions = {};
    work.instructions.*kind = 100;
    return timeOf(work).issue;
  };
  EXPECT_DOUBLE_EQ(secondsOf(&LaunchInstructions::floats), 64 * 25e-9);
  EXPECT_DOUBLE_EQ(secondsOf(&LaunchInstructions::integers), 64 * 50e-9);
  EXPECT_DOUBLE_EQ(secondsOf(&LaunchInstructions::doubles), 64 * 50e-9);
  EXPECT_DOUBLE_EQ(secondsOf(&LaunchInstructions::transfers), 64 * 100e-9);
  EXPECT_DOUBLE_EQ(secondsOf(&LaunchInstructions::functions), 64 * 200e-9);
  // All of them are started by the same schedulers.
  work.instructions = {};
  work.instructions.floats = 100;
  work.instructions.integers = 60;
  EXPECT_DOUBLE_EQ(timeOf(work).total, 64 * 40e-9);
}

// A multiprocessor with two blocks takes twice as long as one with one.
TEST(LaunchWork, TheFullestMultiprocessorBoundsAWave) {
  LaunchWork work = oneWave();
  work.instructions.floats = 1000;
  work.blocks = roundUnits;
  EXPECT_DOUBLE_EQ(timeOf(work).total, 8 * 250e-9);
  work.blocks = roundUnits + 1;
  EXPECT_DOUBLE_EQ(timeOf(work).total, 2 * 8 * 250e-9);
}

TEST(LaunchWork, BlocksRunInWaves) {
  LaunchWork work = oneWave();
  work.memoryRounds = 3;
  EXPECT_DOUBLE_EQ(timeOf(work).total, 3e-6);
  work.blocks += 1;
  EXPECT_DOUBLE_EQ(timeOf(work).total, 6e-6);
  // With half of the occupancy there are twice as many waves.
  work = oneWave();
  work.memoryRounds = 3;
  work.registers = 64;
  EXPECT_DOUBLE_EQ(timeOf(work).total, 6e-6);
}

// Each wave takes its own longest time: here bytes in the whole ones, and the
// path in the last one, which is one block.
TEST(LaunchWork, WavesAreBoundByDifferentThings) {
  LaunchWork work = oneWave();
  work.blocks = 801;
  work.bytesRead = 801e4; // 10 us a wave
  work.memoryRounds = 2;
  EXPECT_DOUBLE_EQ(timeOf(work).total, 8e-6 + 2e-6);
}

TEST(LaunchWork, NoBlocksTakeNoTime) {
  LaunchWork work = oneWave();
  work.blocks = 0;
  work.memoryRounds = 3;
  EXPECT_EQ(timeOf(work).total, 0);
}

static Machine machineWith(const std::string &multiprocessor) {
  Machine machine;
  EXPECT_EQ(parseMachine(R"(name: "m" devices_per_node: 1 units: 100
      peaks { type: "f32" flops: 1e13 }
      memories { name: "device" bytes: 1e9 bandwidth: 2e12 efficiency: 0.5 }
      launch_seconds: 1e-6 )" +
                             multiprocessor,
                         "m", machine),
            "");
  return machine;
}

static const char *const unitFigures = R"(multiprocessor { clock: 1e9 issue: 4
    threads: 2048 blocks: 32 registers: 65536 shared_bytes: 204800
    memory_latency: 1e-6 cache_latency: 1e-7 })";

static KernelCost costOf(std::vector<LaunchWork> launches) {
  KernelCost cost;
  cost.work.bytes = 1e6; // 1 us
  cost.launches =
      std::make_shared<const std::vector<LaunchWork>>(std::move(launches));
  return cost;
}

static double secondsOf(const CostModel &model, const KernelCost &cost) {
  KernelTime time = model.kernelTime(cost);
  return model.togetherSeconds(&time, 1);
}

// Each launch has to be started.
TEST(LaunchWork, KernelsTakeTheTimeOfTheirLaunches) {
  LaunchWork work = oneWave();
  work.memoryRounds = 7;
  CostModel model(machineWith(unitFigures), 1);
  EXPECT_DOUBLE_EQ(secondsOf(model, costOf({work})), 8e-6);
  EXPECT_DOUBLE_EQ(secondsOf(model, costOf({work, work})), 16e-6);
  work.blocks = 1;
  EXPECT_NEAR(secondsOf(model, costOf({work})), 8e-6, 1e-12);
}

// Kernels that leave most of the device idle run side by side.
TEST(LaunchWork, SmallKernelsRunTogether) {
  LaunchWork work = oneWave();
  work.memoryRounds = 7;
  work.blocks = 200; // a quarter of the room
  CostModel model(machineWith(unitFigures), 1);
  KernelTime time = model.kernelTime(costOf({work}));
  EXPECT_DOUBLE_EQ(time.fill, 0.25);
  KernelTime four[] = {time, time, time, time};
  EXPECT_DOUBLE_EQ(model.togetherSeconds(four, 4), 8e-6);
}

// Without the multiprocessor's figures, or without launches, bytes count.
TEST(LaunchWork, BytesCountWhereTheCodeIsNotKnown) {
  LaunchWork work = oneWave();
  work.memoryRounds = 7;
  CostModel without(machineWith(""), 1), with(machineWith(unitFigures), 1);
  EXPECT_DOUBLE_EQ(secondsOf(without, costOf({work})), 2e-6);
  KernelCost unknown = costOf({});
  unknown.launches = nullptr;
  EXPECT_DOUBLE_EQ(secondsOf(with, unknown), 2e-6);
}

// A person read the machine code of these kernels, which are no more, and
// estimated their times on an H100 (benchmarks/gpu/layer_estimates.csv).
TEST(LaunchWork, AgreesWithEstimatesFromMachineCode) {
  Machine machine;
  ASSERT_EQ(parseMachine(getMachineText("h100-dgx"), "h100", machine), "");
  CostModel model(machine, 1);
  auto microseconds = [&](const LaunchWork &work) {
    return secondsOf(model, costOf({work})) * 1e6;
  };
  // Sums of 2048 columns of bf16 over 8192 rows: 16 warps add up 512 rows each
  // of 32 columns, of which four are loaded together.
  LaunchWork columns;
  columns.blocks = 64;
  columns.threads = 512;
  columns.bytesRead = 8192. * 2048 * 2;
  columns.memoryRounds = 512 / 4;
  EXPECT_NEAR(4 * microseconds(columns), 340, 0.25 * 340);
  // The gradient of GELU with such a sum, of 8192 columns: a store after each
  // row keeps the next row's loads from being started.
  LaunchWork gelu;
  gelu.blocks = 256;
  gelu.threads = 512;
  gelu.registers = 64;
  gelu.bytesRead = 403e6;
  gelu.bytesWritten = 134e6;
  gelu.memoryRounds = 512;
  EXPECT_NEAR(microseconds(gelu), 340, 0.25 * 340);
  // GELU: 84 instructions for each of 8192 x 8192 elements, 8 a thread.
  LaunchWork forward;
  forward.blocks = 8192. * 8192 / 8 / 128;
  forward.threads = 128;
  forward.registers = 64;
  forward.bytesRead = 134e6;
  forward.bytesWritten = 403e6;
  forward.memoryRounds = 1;
  forward.instructions.floats = 8 * 44;
  forward.instructions.integers = 8 * 40;
  EXPECT_NEAR(microseconds(forward), 290, 0.25 * 290);
  // Two norms of rows of 2048 by half a warp each: 128 steps whose loads wait
  // for stores, and two more passes, four steps at a time, from a cache.
  LaunchWork norm;
  norm.blocks = 8192 / 8;
  norm.threads = 128;
  norm.bytesRead = norm.bytesWritten = 75e6;
  norm.memoryRounds = 128;
  norm.cacheRounds = 2 * 128 / 4;
  EXPECT_NEAR(2 * microseconds(norm), 200, 0.25 * 200);
}
