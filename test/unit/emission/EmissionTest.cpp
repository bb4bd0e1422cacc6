// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From tasks to the file: the planned program computes the same as the tasks,
// the executable is valid and the same every time, listing and report agree.
#include "compiler/emission/Emission.h"
#include "PlanPlayer.h"
#include "compiler/cpu/CpuTarget.h"
#include "compiler/emission/Report.h"
#include "compiler/emission/ReportMemory.h"
#include "compiler/emission/SizeWorkspaces.h"
#include "compiler/reference/ReferenceTarget.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Memory/Memory.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/Schedule.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/executable.pb.h"
#include "gtest/gtest.h"
#include <nlohmann/json.hpp>
#include <sstream>

using namespace mlir;

namespace zcc {
namespace {

// Two microbatches, an accumulated gradient, an all-reduce, SGD; `h` is kept
// for the backward task.
const char *const step = R"(
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"data" = DATA>]
dist.state @w : tensor<8x4xf32> {kind = "parameter", parameter = "w", file_type = tensor<8x4xf32>, start = array<i64: 0, 0>, extent = array<i64: 8, 4>, sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}
dist.state @m : tensor<8x4xf32> {kind = "slot", own_name = "moment1", initial = 0.0 : f64, parameter = "w", file_type = tensor<8x4xf32>, start = array<i64: 0, 0>, extent = array<i64: 8, 4>, sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}
dist.input @x : tensor<ROWSx8xf32> {input = "x", sharding = #dist.sharding<@mesh, [{"micro", "data"}, {}]>, stage = 0 : i64}
dist.output @loss : tensor<f32> {kind = "loss", output = "loss", stage = 0 : i64}
dist.output @finite : tensor<i1> {kind = "finite", output = "finite", stage = 0 : i64}
func.func @forward(%w: tensor<8x4xf32> {dist.state = @w}, %x: tensor<6x8xf32> {dist.input = @x})
    -> (tensor<6x4xf32> {dist.value = "h"}, tensor<f32> {dist.accumulate = "sum"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %1 = train.tanh %0 : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %2 = train.multiply %1, %1 : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %3 = train.reduce %2 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<6x4xf32>) -> tensor<f32>
  return %1, %3 : tensor<6x4xf32>, tensor<f32>
}
func.func @backward(%x: tensor<6x8xf32> {dist.input = @x}, %h: tensor<6x4xf32> {dist.value = "h"})
    -> (tensor<8x4xf32> {dist.accumulate = "g"}) attributes {dist.task = "backward", dist.stage = 0 : i64} {
  %one = train.constant dense<1.0> : tensor<6x4xf32>
  %0 = train.multiply %h, %h : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %1 = train.subtract %one, %0 : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %2 = train.multiply %1, %h : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %3 = train.dot_general %x, %2 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<6x8xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}
func.func @epilogue(%w: tensor<8x4xf32> {dist.state = @w}, %m: tensor<8x4xf32> {dist.state = @m}, %g: tensor<8x4xf32> {dist.value = "g"},
    %sum: tensor<f32> {dist.value = "sum"}, %hyper: tensor<16xf32> {dist.hyper})
    -> (tensor<8x4xf32> {dist.state = @w}, tensor<8x4xf32> {dist.state = @m}, tensor<f32> {dist.output = @loss}, tensor<i1> {dist.output = @finite})
    attributes {dist.task = "epilogue", dist.stage = 0 : i64} {
  %one = train.constant dense<1.0> : tensor<f32>
  %0 = dist.all_reduce %g {axes = ["data"], reduction = "add", what = "gradient", value = "w", why = "data parallel"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = dist.all_reduce %sum {axes = ["data"], reduction = "add", what = "scalar", value = "loss", why = "data parallel"} : (tensor<f32>) -> tensor<f32>
  dist.observe %0 {states = [@w], scaled = false} : tensor<8x4xf32>
  %2 = train.is_finite %0 : (tensor<8x4xf32>) -> tensor<8x4xi1>
  %3 = train.reduce %2 {dims = array<i64: 0, 1>, kind = #train<reduce_kind logical_and>} : (tensor<8x4xi1>) -> tensor<i1>
  %4:2 = train.update %w, %m, %0, %hyper, %one, %3 {optimizer = "sgd", decay = true} : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
  return %4#0, %4#1, %1, %3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<i1>
}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @forward {microbatch = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
  dist.run @backward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 1 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}
)";

class Emission : public ::testing::Test {
protected:
  Emission() {
    context.loadDialect<func::FuncDialect, train::TrainDialect,
                        dist::DistDialect, exec::ExecDialect>();
  }

  OwningOpRef<ModuleOp> parse(std::string text, int data = 1) {
    auto replace = [&](const std::string &word, const std::string &by) {
      for (size_t at; (at = text.find(word)) != std::string::npos;)
        text.replace(at, word.size(), by);
    };
    replace("DATA", std::to_string(data));
    replace("ROWS", std::to_string(12 * data));
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }

  void plan(ModuleOp module, bool fuse = true,
            const exec::Backend *grouping = nullptr,
            const WorkspaceTarget *workspaces = nullptr) {
    PassManager pm(&context);
    ScheduleOptions options;
    options.fuse = fuse;
    buildSchedulePipeline(pm, grouping ? *grouping : backend, options);
    if (workspaces)
      pm.addPass(createSizeWorkspaces(*workspaces));
    buildMemoryPipeline(pm);
    EXPECT_TRUE(succeeded(pm.run(module)));
  }

  /// Makes a compiled kernel for each kernel of the module.
  CompiledKernels fakeKernels(ModuleOp module) {
    CompiledKernels out;
    out.codes.push_back({"cpu", "x86-64-v3", {"avx2"}, "ELF"});
    for (func::FuncOp kernel : kernelsOf(module)) {
      KernelInfo info;
      info.symbol = "zcc_" + kernel.getSymName().str();
      info.items = 4;
      out.kernels.push_back(info);
    }
    return out;
  }

  MLIRContext context;
  CpuTarget backend;
};

// With kernels in the CPU's forms, and as large as the order allows.
TEST_F(Emission, planComputesWhatTheTasksSay) {
  ReferenceTarget reference;
  for (const exec::Backend *grouping :
       {static_cast<exec::Backend *>(&backend),
        static_cast<exec::Backend *>(&reference)})
    for (bool fuse : {true, false}) {
      OwningOpRef<ModuleOp> module = parse(step);
      Contents memory = makeMemory(*module, 1);
      std::string error;
      Contents expected = playTasks(*module, memory, error);
      ASSERT_EQ(error, "");
      EXPECT_NE(difference(memory, expected), "");
      plan(*module, fuse, grouping);
      FailureOr<CompiledKernels> kernels =
          reference.compile(kernelsOf(*module), 1);
      ASSERT_TRUE(succeeded(kernels));
      EmissionOptions options;
      options.optimizer = "sgd";
      FailureOr<std::string> bytes =
          buildExecutable(*module, *kernels, options);
      ASSERT_TRUE(succeeded(bytes));
      Contents found = runPlan(*module, *bytes, memory, error);
      ASSERT_EQ(error, "");
      EXPECT_EQ(difference(expected, found), "")
          << "fuse " << fuse << ", " << grouping->getName().str();
    }
}

TEST_F(Emission, executableIsValidAndDeterministic) {
  std::string bytes[2];
  for (std::string &out : bytes) {
    OwningOpRef<ModuleOp> module = parse(step, 2);
    plan(*module);
    EmissionOptions options;
    options.optimizer = "sgd";
    FailureOr<std::string> found =
        buildExecutable(*module, fakeKernels(*module), options);
    ASSERT_TRUE(succeeded(found));
    out = *found;
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  rt::format::Executable executable;
  ASSERT_EQ(rt::parseExecutable(bytes[0], executable), "");
  ASSERT_EQ(executable.stages_size(), 1);
  const rt::format::Stage &stage = executable.stages(0);
  EXPECT_EQ(executable.parameters_size(), 1);
  EXPECT_EQ(stage.states_size(), 2);
  ASSERT_EQ(executable.states_size(), 2);
  EXPECT_EQ(executable.states(0).kind(), rt::format::StateTensor::PARAMETER);
  EXPECT_EQ(executable.states(0).file(), 0u);
  EXPECT_EQ(executable.states(0).parameter(), 0u);
  EXPECT_EQ(executable.states(1).kind(), rt::format::StateTensor::SLOT);
  EXPECT_EQ(executable.states(1).name(), "moment1");
  EXPECT_FALSE(executable.states(1).has_file());
  EXPECT_EQ(executable.states(1).parameter(), 0u);
  EXPECT_EQ(executable.states(1).shape_size(), 2);
  EXPECT_EQ(stage.states(1).tensor(), 1u);
  ASSERT_EQ(executable.settings_size(), 2); // of SGD
  EXPECT_EQ(executable.settings(0).which(), rt::format::MOMENTUM);
  EXPECT_EQ(stage.inputs(0).offsets_size(), 2);
  EXPECT_EQ(stage.actions_size(), 6); // a prologue clears the accumulators
  EXPECT_EQ(stage.tasks_size(), 4);
  EXPECT_EQ(executable.mesh(1).size(), 2u);
  EXPECT_GT(executable.model_flops(), 0);
  ASSERT_EQ(executable.codes_size(), 1);
  const rt::format::Code &code = executable.codes(0);
  EXPECT_EQ(code.target(), executable.target());
  EXPECT_EQ(code.device(), "x86-64-v3");
  EXPECT_EQ(code.features(0), "avx2");
  EXPECT_EQ(code.object(), "ELF");
  for (const rt::format::Kernel &kernel : executable.kernels())
    EXPECT_EQ(kernel.code(), 0u);
}

// A target like a GPU: launches of blocks, and an image for each device.
struct Workspaces : WorkspaceTarget {
  uint64_t getWorkspaceBytes(func::FuncOp) const override { return 300; }
  uint64_t getSegmentBytes(ArrayRef<func::FuncOp>) const override { return 0; }
};

TEST_F(Emission, kernelsOfGpusAreLaunches) {
  OwningOpRef<ModuleOp> module = parse(step, 2);
  Workspaces workspaces;
  plan(*module, true, nullptr, &workspaces);
  CompiledKernels kernels = fakeKernels(*module);
  kernels.codes.front() = {};
  kernels.codes.front().target = "cuda";
  kernels.codes.front().images = {{"sm_80", "PTX"}, {"host", "\177ELF"}};
  for (KernelInfo &kernel : kernels.kernels) {
    kernel.threads = 128;
    kernel.shared = 512;
    kernel.uses = {{"sm_80", 40, 512, 0, 0.75}};
  }
  EmissionOptions options;
  options.optimizer = "sgd";
  FailureOr<std::string> bytes = buildExecutable(*module, kernels, options);
  ASSERT_TRUE(succeeded(bytes));
  rt::format::Executable executable;
  ASSERT_EQ(rt::parseExecutable(*bytes, executable), "");
  EXPECT_EQ(executable.target(), "cuda");
  const rt::format::Code &code = executable.codes(0);
  EXPECT_EQ(code.object(), "");
  ASSERT_EQ(code.images_size(), 2);
  EXPECT_EQ(code.images(0).device(), "sm_80");
  EXPECT_EQ(code.images(0).object(), "PTX");
  EXPECT_EQ(code.images(1).device(), "host");
  // Kernels' workspaces are at the begin of the arena, and in the report.
  const rt::format::Stage &stage = executable.stages(0);
  ASSERT_EQ(stage.workspaces_size(), 1);
  EXPECT_EQ(stage.workspaces(0).offset(), 0u);
  EXPECT_EQ(stage.workspaces(0).bytes(), 512u);
  EXPECT_EQ(stage.tables().offset(), 512u);
  FailureOr<std::vector<MemoryReport>> memory = readMemory(*module);
  ASSERT_TRUE(succeeded(memory));
  ASSERT_EQ(memory->size(), 1u);
  EXPECT_EQ(memory->front().atPeak.workspace,
            int64_t(512 + stage.tables().bytes()));
  EXPECT_EQ(memory->front().peak, int64_t(rt::arenaBytes(stage)));
  for (const rt::format::Kernel &kernel : executable.kernels()) {
    EXPECT_EQ(kernel.items(), 4u);
    EXPECT_EQ(kernel.threads(), 128u);
    EXPECT_EQ(kernel.shared(), 512u);
  }
  // Only the values at the peak are left out where they are not asked for.
  FailureOr<std::vector<MemoryReport>> totals =
      readMemory(*module, MemoryDetail::Totals);
  ASSERT_TRUE(succeeded(totals));
  ASSERT_EQ(totals->size(), memory->size());
  for (auto [total, whole] : llvm::zip(*totals, *memory)) {
    EXPECT_EQ(total.peak, whole.peak);
    EXPECT_EQ(total.lowerBound, whole.lowerBound);
    EXPECT_EQ(total.atPeak.parameters, whole.atPeak.parameters);
    EXPECT_FALSE(whole.largest.empty());
    EXPECT_TRUE(total.largest.empty());
    EXPECT_TRUE(total.alike.empty());
  }
}

// Five rows over two devices and a gradient that lives as two parts of another
// dim; an accumulator begins as the zero that changes no sum.
const char *const uneven = R"(
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"data" = 2>]
dist.state @w : tensor<3x4xf32> {kind = "parameter", parameter = "w", file_type = tensor<1x5x4xf32>, start = array<i64: 0, 0, 0>, extent = array<i64: 1, 5, 4>, sharding = #dist.sharding<@mesh, [{}, {"data"}, {}], padded = [1, 6, 4]>, stage = 0 : i64}
dist.input @x : tensor<7x4xf32> {input = "x", sharding = #dist.sharding<@mesh, [{"micro", "data"}, {}], padded = [12, 4]>, stage = 0 : i64}
func.func @backward(%x: tensor<3x4xf32> {dist.input = @x}) -> (tensor<3x4xf32> {dist.accumulate = "g", dist.what = "gradient"})
    attributes {dist.task = "backward", dist.stage = 0 : i64} {
  %0 = train.tanh %x : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
func.func @epilogue(%w: tensor<3x4xf32> {dist.state = @w}, %g: tensor<3x4xf32> {dist.value = "g"})
    -> (tensor<3x4xf32> {dist.state = @w}) attributes {dist.task = "epilogue", dist.stage = 0 : i64} {
  %1 = dist.all_to_all %g {axes = ["data"], split_dim = 1 : i64, concat_dim = 0 : i64, what = "gradient", value = "w", why = ""} : (tensor<3x4xf32>) -> tensor<6x2xf32>
  dist.observe %1 {states = [@w], scaled = false, dist.operand_shardings = [#dist.sharding<@mesh, [{}, {"data"}], padded = [6, 4]>]} : tensor<6x2xf32>
  %2 = train.subtract %w, %g : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @backward {microbatch = 0 : i64}
  dist.run @backward {microbatch = 1 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}
)";

TEST_F(Emission, paddedShardsAndGradientsThatLiveElsewhere) {
  OwningOpRef<ModuleOp> module = parse(uneven, 2);
  plan(*module);
  EmissionOptions options;
  options.optimizer = "none";
  FailureOr<std::string> bytes =
      buildExecutable(*module, fakeKernels(*module), options);
  ASSERT_TRUE(succeeded(bytes));
  rt::format::Executable executable;
  ASSERT_EQ(rt::parseExecutable(*bytes, executable), "");
  const rt::format::Stage &stage = executable.stages(0);
  EXPECT_EQ(stage.states(0).sharding(0).padded(), 0u);
  EXPECT_EQ(stage.states(0).sharding(1).padded(), 6u);
  EXPECT_EQ(stage.inputs(0).sharding(0).padded(), 12u);
  EXPECT_EQ(stage.inputs(0).offsets_size(), 2);
  const rt::format::FillStep &fill = stage.tasks(0).steps(0).fill();
  EXPECT_EQ(fill.width(), 4u);
  EXPECT_EQ(fill.value(), 0x80000000u);
  bool observes = false;
  for (const rt::format::Task &task : stage.tasks())
    for (const rt::format::Step &step : task.steps())
      if (step.has_observe()) {
        observes = true;
        const rt::format::State &place = step.observe().states(0);
        ASSERT_EQ(place.sharding_size(), 3);
        EXPECT_EQ(place.sharding(1).axes_size(), 0);
        EXPECT_EQ(place.sharding(1).padded(), 6u);
        ASSERT_EQ(place.sharding(2).axes_size(), 1);
        EXPECT_EQ(place.sharding(2).axes(0), 1u);
      }
  EXPECT_TRUE(observes);
}

TEST_F(Emission, bufferListingAddsUpToThePeak) {
  OwningOpRef<ModuleOp> module = parse(step);
  plan(*module);
  FailureOr<std::string> csv = writeBuffersCsv(*module);
  ASSERT_TRUE(succeeded(csv));
  planning::MemoryProblem problem;
  ASSERT_EQ(planning::parseMemoryProblem(*csv, problem), "");
  Report report;
  ASSERT_TRUE(succeeded(addFacts(*module, report)));
  EXPECT_EQ(planning::lowerBound(problem), report.worst()->lowerBound);
  int64_t top = 0;
  std::stringstream lines(*csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "id,lower,upper,size,offset,arena,category,name");
  while (std::getline(lines, line)) {
    long id, lower, upper, size, offset;
    ASSERT_EQ(sscanf(line.c_str(), "%ld,%ld,%ld,%ld,%ld,", &id, &lower, &upper,
                     &size, &offset),
              5);
    top = std::max<int64_t>(top, offset + size);
  }
  EXPECT_EQ(top, report.worst()->peak);
}

TEST_F(Emission, reportHasTheFieldsOfTheInterface) {
  OwningOpRef<ModuleOp> module = parse(step, 2);
  plan(*module);
  Report report;
  report.machine = "laptop";
  report.zero = 0;
  report.schedule = "gpipe";
  report.totalSeconds = 1;
  report.compileSeconds = {{"scheduled", .5}};
  ASSERT_TRUE(succeeded(addFacts(*module, report)));
  auto json = nlohmann::json::parse(writeReport(report));
  EXPECT_EQ(json["mesh"], nlohmann::json::parse(R"({"data": 2})"));
  EXPECT_EQ(json["devices"], 2);
  EXPECT_EQ(json["microbatches"], 2);
  EXPECT_EQ(json["memory"]["parameters"], 128);
  EXPECT_EQ(json["memory"]["optimizer"], 128);
  EXPECT_EQ(json["memory"]["gradients"], 128 + 64); // and the sum of the loss
  int64_t sum = 0;
  for (auto &[name, bytes] : json["memory"]["at_peak"].items())
    sum += bytes.get<int64_t>();
  EXPECT_EQ(sum, json["memory"]["peak"]);
  ASSERT_EQ(json["collectives"].size(), 2u);
  EXPECT_EQ(json["collectives"][0]["kind"], "all-reduce");
  EXPECT_EQ(json["collectives"][0]["bytes"], 128);
  EXPECT_EQ(json["collectives"][0]["times"], 1);
  EXPECT_EQ(json["collectives"][0]["tasks"], "update");
  EXPECT_EQ(json["compile_seconds"]["total"], 1);
  EXPECT_FALSE(json.contains("predicted"));
  EXPECT_NE(formatReport(report).find("all-reduce over data"),
            std::string::npos);
}

TEST_F(Emission, reportSaysWhatKernelsTakeOfDevices) {
  CompiledKernels kernels;
  for (unsigned registers : {40u, 64u}) {
    KernelInfo &kernel = kernels.kernels.emplace_back();
    kernel.symbol = "k" + std::to_string(registers);
    kernel.threads = 128;
    kernel.uses = {{"sm_80", registers, 512, registers - 40, 32.0 / registers},
                   {"sm_90", registers, 512, 0, 1}};
  }
  Report report;
  report.machine = "h100-dgx";
  report.machineByDefault = true;
  addKernels(kernels, report);
  auto json = nlohmann::json::parse(writeReport(report));
  EXPECT_EQ(json["machine_by_default"], true);
  ASSERT_EQ(json["kernels"]["sm_80"].size(), 2u);
  EXPECT_EQ(json["kernels"]["sm_90"][0],
            nlohmann::json::parse(
                R"({"name": "k40", "threads": 128, "registers": 40,
                    "shared": 512, "local": 0, "occupancy": 1.0})"));
  std::string text = formatReport(report);
  EXPECT_NE(text.find("sm_80: 2 kernels of 40 to 64 registers, occupancy 50 % "
                      "at least, 1 with local memory"),
            std::string::npos);
  EXPECT_NE(text.find("sm_90: 2 kernels of 40 to 64 registers, occupancy 100 % "
                      "at least\n"),
            std::string::npos);
}

// Two stages: the first makes `h`, the second reads it.
const char *const pipeline = R"(
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>, #dist.axis<"pipe" = 2>]
dist.input @x : tensor<12x8xf32> {input = "x", sharding = #dist.sharding<@mesh, [{"micro"}, {}]>, stage = 0 : i64}
dist.output @loss : tensor<f32> {kind = "loss", output = "loss", stage = 1 : i64}
func.func @forward0(%x: tensor<6x8xf32> {dist.input = @x}) -> (tensor<6x8xf32> {dist.value = "h"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.tanh %x : (tensor<6x8xf32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
func.func @forward1(%h: tensor<6x8xf32> {dist.value = "h"}) -> (tensor<f32> {dist.accumulate = "sum"}) attributes {dist.task = "forward", dist.stage = 1 : i64} {
  %0 = train.reduce %h {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<6x8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @epilogue(%sum: tensor<f32> {dist.value = "sum"}) -> (tensor<f32> {dist.output = @loss}) attributes {dist.task = "epilogue", dist.stage = 1 : i64} {
  return %sum : tensor<f32>
}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @forward0 {microbatch = 0 : i64}
  dist.send "h" {microbatch = 0 : i64, peer = 1 : i64}
  dist.run @forward0 {microbatch = 1 : i64}
  dist.send "h" {microbatch = 1 : i64, peer = 1 : i64}
}
dist.schedule attributes {stage = 1 : i64, microbatches = 2 : i64} {
  dist.receive "h" {microbatch = 0 : i64, peer = 0 : i64}
  dist.run @forward1 {microbatch = 0 : i64}
  dist.receive "h" {microbatch = 1 : i64, peer = 0 : i64}
  dist.run @forward1 {microbatch = 1 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}
)";

TEST_F(Emission, stagesSendToEachOther) {
  OwningOpRef<ModuleOp> module = parse(pipeline);
  plan(*module);
  EmissionOptions options;
  options.optimizer = "forward";
  FailureOr<std::string> bytes =
      buildExecutable(*module, fakeKernels(*module), options);
  ASSERT_TRUE(succeeded(bytes)); // validated: tags and sizes agree
  rt::format::Executable executable;
  ASSERT_EQ(rt::parseExecutable(*bytes, executable), "");
  EXPECT_EQ(executable.pipe_axis(), 1);
  ASSERT_EQ(executable.stages_size(), 2);
  EXPECT_EQ(executable.stages(0).actions(1).send().size(), 6u * 8 * 4);
  Report report;
  ASSERT_TRUE(succeeded(addFacts(*module, report)));
  EXPECT_EQ(report.stages.size(), 2u);
  ASSERT_EQ(report.collectives.size(), 2u);
  EXPECT_EQ(report.collectives[0].kind(), "send");
  EXPECT_EQ(report.collectives[0].times, 2);
  EXPECT_EQ(report.collectives[1].kind(), "recv");
}

TEST_F(Emission, wrongNumberOfKernelsIsAnError) {
  OwningOpRef<ModuleOp> module = parse(step);
  plan(*module);
  CompiledKernels kernels = fakeKernels(*module);
  kernels.kernels.pop_back();
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  EXPECT_TRUE(failed(buildExecutable(*module, kernels, {})));
}

} // namespace
} // namespace zcc
