// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of other shapes than the parameter's, from the list of optimizers to
// checkpoints: compiled in this process, run by zrun.
#include "test/unit/optimizer/Factored.h"
#include "compiler/phases/Machine.h"
#include "compiler/phases/Pipelines.h"
#include "compiler/phases/Targets.h"
#include "compiler/emission/Emission.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/Train/Train.h"
#include "runtime/data/SafeTensors.h"
#include "runtime/data/SafeTensorsWriter.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/States.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

using namespace mlir;

namespace zcc {
namespace {

constexpr int batchCount = 6;

class FactoredState : public ::testing::Test {
protected:
  FactoredState() {
    context.loadDialect<train::TrainDialect, dist::DistDialect,
                        exec::ExecDialect, func::FuncDialect>();
    context.getLoadedDialect<train::TrainDialect>()->addOptimizer(
        std::make_shared<Factored>());
    std::string pattern =
        (std::filesystem::temp_directory_path() / "factored-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    std::mt19937 random(7);
    auto fill = [&](size_t size) {
      std::vector<double> values(size);
      for (double &v : values)
        v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 1000;
      return values;
    };
    parameters = {{"b", fill(6)}, {"v", fill(18)}, {"w", fill(72)}};
    batches = {{"x", fill(batchCount * 48)}, {"y", fill(batchCount * 24)}};
    write("params", parameters, {{"b", {6}}, {"v", {6, 3}}, {"w", {2, 6, 6}}});
    write("batches", batches,
          {{"x", {batchCount, 8, 6}}, {"y", {batchCount, 8, 3}}});
  }
  ~FactoredState() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) const {
    return folder + "/" + name;
  }

  void write(const std::string &name, const Tensors &tensors,
             const std::map<std::string, std::vector<int64_t>> &shapes) {
    std::vector<rt::SafeTensorsWriter::Entry> entries;
    for (const auto &[tensor, shape] : shapes)
      entries.push_back({tensor, rt::ElementType::F32, shape});
    rt::SafeTensorsWriter writer(path(name), entries);
    for (size_t i = 0; i < entries.size(); ++i) {
      auto *to = reinterpret_cast<float *>(writer.data(i));
      for (double v : tensors.at(entries[i].name))
        *to++ = static_cast<float>(v);
    }
    writer.commit();
  }

  Tensors read(const std::string &name) {
    rt::SafeTensors file(path(name));
    Tensors out;
    for (const auto &[tensor, view] : file.tensors()) {
      auto *from = reinterpret_cast<const float *>(view.data);
      out[tensor].assign(from, from + view.bytes / 4);
      shapes[tensor] = view.shape;
    }
    return out;
  }

  // Compiles the model for a mesh into the file `name`.
  rt::format::Executable
  compile(const std::string &name,
          std::vector<std::pair<std::string, std::string>> given,
          const std::string &precision = "f32",
          std::optional<double> ema = {}) {
    rt::format::Executable executable;
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(model, &context);
    TrainOptions training;
    training.optimizer = "factored";
    training.precision = precision;
    training.ema = ema;
    Options options;
    for (auto &[option, value] : given)
      EXPECT_EQ(options.set(option, {value}), "");
    planning::Machine machine = getHostMachine();
    planning::MachineFacts facts = machine.getFacts(4);
    std::unique_ptr<Target> target = makeTarget(options);
    PassManager pm(&context);
    buildTrainPipeline(pm, training);
    for (Phase phase : {Phase::sharded, Phase::partitioned, Phase::tasks,
                        Phase::scheduled, Phase::planned})
      addPhasePasses(phase, pm, options, options.getPlan(), machine, facts,
                     *target);
    if (!module || failed(pm.run(*module))) {
      ADD_FAILURE() << "does not compile";
      return executable;
    }
    auto compiled = target->compile(kernelsOf(*module), 1);
    EmissionOptions emission;
    emission.optimizer = "factored";
    emission.precision = precision;
    emission.ema = ema;
    if (failed(compiled)) {
      ADD_FAILURE() << "no code";
      return executable;
    }
    auto bytes = buildExecutable(*module, *compiled, emission);
    if (failed(bytes)) {
      ADD_FAILURE() << "no executable";
      return executable;
    }
    std::ofstream(path(name), std::ios::binary) << *bytes;
    EXPECT_EQ(rt::parseExecutable(*bytes, executable), "");
    return executable;
  }

  void zrun(const std::string &arguments) {
    std::string command = "cd " + folder + " && " ZRUN " " + arguments +
                          " --threads 1 --quiet >out 2>&1";
    if (std::system(command.c_str()) != 0) {
      std::ifstream out(path("out"));
      ADD_FAILURE() << command << "\n"
                    << std::string(std::istreambuf_iterator<char>(out), {});
    }
  }
  void run(const std::string &name, int steps, const std::string &more) {
    zrun(name + " --params params --batches batches --lr 0.0625 --steps " +
         std::to_string(steps) + " " + more);
  }

  void expectNear(const Tensors &found, const Tensors &expected, double bound,
                  const std::string &what) {
    for (const auto &[name, values] : found) {
      ASSERT_EQ(values.size(), expected.at(name).size()) << name;
      for (size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(values[i], expected.at(name)[i], bound)
            << name << "[" << i << "] " << what;
    }
  }

  MLIRContext context;
  std::string folder;
  Tensors parameters, batches;
  std::map<std::string, std::vector<int64_t>> shapes; // of what was read
};

// The dims over which a slot of a parameter is split, as "1/0": by axes.
std::string splitOf(const rt::format::Executable &executable,
                    const std::string &slot, const std::string &parameter) {
  for (const rt::format::State &state : executable.stages(0).states()) {
    const rt::format::StateTensor &tensor = rt::tensorOf(executable, state);
    if (tensor.name() != slot ||
        executable.parameters(int(tensor.parameter())).name() != parameter)
      continue;
    std::string text;
    for (const rt::format::DimSharding &dim : state.sharding())
      text += (text.empty() ? "" : "/") + std::to_string(dim.axes_size());
    return text;
  }
  return "none";
}

TEST_F(FactoredState, IsSplitAsTheDimsThatItHas) {
  rt::format::Executable e = compile("e", {{"mesh", "data=2"}, {"zero", "1"}});
  // The stack's dim comes first. The rows of both parameters are split.
  EXPECT_EQ(splitOf(e, "moment1", "w"), "0/1/0");
  EXPECT_EQ(splitOf(e, "rows", "w"), "0/1");
  EXPECT_EQ(splitOf(e, "columns", "w"), "0/0");
  EXPECT_EQ(splitOf(e, "rows", "v"), "1");
  EXPECT_EQ(splitOf(e, "columns", "v"), "0");
  EXPECT_EQ(splitOf(e, "moment2", "b"), "1");
  e = compile(
      "e",
      {{"mesh", "data=2,tensor=2"}, {"zero", "3"}, {"shard", "v=-,tensor"}});
  EXPECT_EQ(splitOf(e, "moment1", "v"), "1/1");
  EXPECT_EQ(splitOf(e, "rows", "v"), "1");
  EXPECT_EQ(splitOf(e, "columns", "v"), "1");
  EXPECT_EQ(e.optimizer(), "factored");
  EXPECT_EQ(e.settings_size(), 3);
  for (const rt::format::StateTensor &tensor : e.states())
    if (tensor.name() == "columns")
      EXPECT_EQ(tensor.initial(), 0.5);
}

TEST_F(FactoredState, TrainsAlikeOnAnyMeshAndStage) {
  const int steps = 4;
  Tensors expected = trainPlainly(parameters, batches, steps);
  for (const char *mesh :
       {"data=1", "data=2", "data=4", "tensor=2", "data=2,tensor=2"}) {
    Tensors first;
    for (const char *zero : {"0", "1", "2", "3"}) {
      compile("e", {{"mesh", mesh}, {"zero", zero}});
      run("e", steps, "--save-params p");
      Tensors found = read("p");
      std::string what = std::string(mesh) + ", ZeRO " + zero;
      expectNear(found, expected, 2e-6, what);
      // The stages give the same bits.
      if (first.empty())
        first = found;
      EXPECT_EQ(found, first) << what;
      if (std::string(mesh) == "data=1")
        break;
    }
  }
  compile("e", {{"mesh", "data=2"}, {"zero", "3"}, {"microbatches", "2"}});
  run("e", steps, "--save-params p");
  expectNear(read("p"), expected, 2e-6, "in microbatches");
  compile("e", {{"mesh", "data=2"}, {"zero", "1"}}, "bf16");
  run("e", steps, "--save-params p");
  expectNear(read("p"), expected, 2e-2, "in bf16");
}

TEST_F(FactoredState, GoesOnFromCheckpointsOfOtherMeshes) {
  Tensors expected = trainPlainly(parameters, batches, 6);
  compile("four", {{"mesh", "data=2,tensor=2"}, {"zero", "3"}});
  compile("three", {{"mesh", "data=3"}, {"zero", "1"}});
  compile("one", {{"mesh", "data=1"}});
  const std::string kept = "--checkpoint ck --checkpoint-every 2 --resume";
  run("four", 2, kept);
  run("three", 4, kept);
  run("one", 6, kept + " --save-params p");
  expectNear(read("p"), expected, 3e-6, "after three meshes");
  zrun("--export ck --with-moments -o all");
  expectNear(read("all"), expected, 3e-6, "in the checkpoint");
  EXPECT_EQ(shapes.at("rows:w"), (std::vector<int64_t>{2, 6}));
  EXPECT_EQ(shapes.at("columns:v"), (std::vector<int64_t>{3}));
  EXPECT_EQ(shapes.at("moment1:w"), (std::vector<int64_t>{2, 6, 6}));
  // And from one that was exported and imported.
  zrun("--import all --checkpoint again");
  run("three", 6, "--checkpoint again --resume --save-params q");
  EXPECT_EQ(read("q"), read("p"));
}

// Averages are those of the parameters of each step, to the bit, where the
// update is several ops, too.
TEST_F(FactoredState, IsAveraged) {
  constexpr double decay = 0.75;
  Tensors first;
  for (const char *zero : {"0", "1", "2", "3"}) {
    compile("e", {{"mesh", "data=2"}, {"zero", zero}}, "f32", decay);
    Tensors average = parameters;
    for (int steps = 1; steps <= 3; ++steps) {
      run("e", steps, "--save-params p --save-ema a");
      for (auto &[name, values] : read("p"))
        for (size_t i = 0; i < values.size(); ++i)
          average[name][i] = float(float(decay * float(average[name][i])) +
                                   float((1 - decay) * values[i]));
    }
    EXPECT_EQ(read("a"), average) << "ZeRO " << zero;
  }
}

TEST_F(FactoredState, IsNoSingleOp) {
  std::string said;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { said = diagnostic.str(); });
  auto parse = [&](const std::string &optimizer) {
    return parseSourceString<ModuleOp>(
        R"(func.func @f(%p: tensor<2x3xf32>, %h: tensor<16xf32>, %s: tensor<f32>, %f: tensor<i1>) -> tensor<2x3xf32> {
          %0 = train.update %p, %p, %h, %s, %f {optimizer = ")" +
            optimizer +
            R"(", decay = true} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> tensor<2x3xf32>
          return %0 : tensor<2x3xf32>
        })",
        &context);
  };
  EXPECT_FALSE(parse("factored"));
  EXPECT_NE(said.find("optimizer 'factored' keeps slots of other shapes"),
            std::string::npos)
      << said;
  EXPECT_FALSE(parse("factores"));
  EXPECT_NE(said.find("unknown optimizer 'factores', expected adamw, factored"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find(": the nearest is factored"), std::string::npos) << said;
  EXPECT_FALSE(parse("sgd"));
  EXPECT_NE(said.find("expected 1 slots of sgd, found 0"), std::string::npos)
      << said;
}

} // namespace
} // namespace zcc
