// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step that is cut into tasks, with residuals kept and computed again, gives
// the same bits as the step as one function.
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Train/StateNames.h"
#include "test/unit/distribute/Spmd.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

namespace {
// Masks from iotas, a broadcast parameter, views, a chain of cheap arithmetic,
// a random-like constant.
constexpr const char *taskText = R"(
func.func @step(
    %w: tensor<4x6xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, %b: tensor<6xf32> {zcc.kind = "parameter", zcc.parameter = "b"},
    %m: tensor<4x6xf32> {zcc.kind = "slot", zcc.slot = "moment1", zcc.initial = 0.0 : f64, zcc.parameter = "w"},
    %x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}, %hyper: tensor<16xf32> {zcc.kind = "hyper"})
    -> (tensor<4x6xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, tensor<4x6xf32> {zcc.kind = "slot", zcc.slot = "moment1", zcc.initial = 0.0 : f64, zcc.parameter = "w"},
        tensor<f32> {zcc.kind = "output", zcc.output = "loss"}, tensor<f32> {zcc.kind = "output", zcc.output = "metric", zcc.result = "m"}) {
  %0 = train.dot_general %x, %w {train.tag = "forward", lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %bb = train.broadcast_in_dim %b {train.tag = "forward", dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<8x6xf32>
  %1 = train.add %0, %bb {train.tag = "forward"} : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %i = train.iota {train.tag = "forward", dim = 0 : i64} : () -> tensor<8x6xi32>
  %k = train.constant {train.tag = "forward"} dense<3> : tensor<8x6xi32>
  %mask = train.compare %i, %k {train.tag = "forward", direction = #train<compare_direction LT>} : (tensor<8x6xi32>, tensor<8x6xi32>) -> tensor<8x6xi1>
  %t = train.tanh %1 {train.tag = "forward"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %s = train.select %mask, %t, %1 {train.tag = "forward"} : (tensor<8x6xi1>, tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %s2 = train.multiply %s, %t {train.tag = "forward"} : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %flat = train.reshape %s2 {train.tag = "forward"} : (tensor<8x6xf32>) -> tensor<48xf32>
  %loss = train.reduce %flat {train.tag = "forward", dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<48xf32>) -> tensor<f32>
  %best = train.reduce %s {train.tag = "forward", dims = array<i64: 0, 1>, kind = #train<reduce_kind maximum>} : (tensor<8x6xf32>) -> tensor<f32>
  %d = train.reshape %flat {train.tag = "backward"} : (tensor<48xf32>) -> tensor<8x6xf32>
  %d1 = train.select %mask, %d, %bb {train.tag = "backward"} : (tensor<8x6xi1>, tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %d2 = train.multiply %d1, %s {train.tag = "backward"} : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %g = train.dot_general %x, %d2 {train.tag = "backward", lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  dist.observe %g {train.tag = "update", scaled = false, states = [@w]} : tensor<4x6xf32>
  %one = train.constant {train.tag = "update"} dense<1.0> : tensor<f32>
  %yes = train.constant {train.tag = "update"} dense<true> : tensor<i1>
  %n:2 = train.update %w, %m, %g, %hyper, %one, %yes {optimizer = "sgd", train.tag = "update", decay = true} : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  return %n#0, %n#1, %loss, %best : tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<f32>
})";

TEST(Tasks, GiveWhatTheStepGives) {
  for (int64_t devices : {1, 2, 3, 4}) {
    MLIRContext context;
    context.loadDialect<train::TrainDialect, DistDialect, func::FuncDialect>();
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(taskText, &context);
    ASSERT_TRUE(module);
    PassManager toPartitioned(&context), toTasks(&context);
    DistributeOptions options;
    options.plan.mesh = {{"data", devices}};
    buildDistributePipeline(toPartitioned, options);
    buildPipelinePipeline(toTasks);
    ASSERT_TRUE(succeeded(toPartitioned.run(*module)));
    OwningOpRef<ModuleOp> tasks = module->clone();
    ASSERT_TRUE(succeeded(toTasks.run(*tasks)));

    func::FuncOp step = getStep(*module);
    MeshAxes mesh(getMesh(*module));
    std::vector<Devices> arguments, results;
    std::map<std::string, Devices> named;
    for (unsigned i = 0; i < step.getNumArguments(); ++i) {
      DictionaryAttr attributes = step.getArgAttrDict(i);
      auto global = cast<RankedTensorType>(
          attributes.getAs<TypeAttr>("dist.global").getValue());
      Placement placement = *mesh.fromAttr(
          attributes.getAs<ShardingAttr>(shardingAttrName), global.getShape());
      arguments.push_back(shard(sample(global, i), placement, mesh));
      auto input = attributes.getAs<StringAttr>(zcc::inputAttrName);
      std::string symbol =
          input ? input.getValue().str() : stateSymbolOf(attributes);
      named[symbol.empty() ? "hyper" : symbol] = arguments.back();
    }
    std::string error;
    ASSERT_TRUE(evaluateOnMesh(step, mesh, arguments, results, error)) << error;
    ASSERT_TRUE(runTasks(*tasks, mesh, named, error)) << error;
    const char *names[] = {"w", "w:moment1", "loss", "m"};
    for (unsigned i = 0; i < 4; ++i) {
      ASSERT_EQ(named[names[i]].size(), results[i].size()) << names[i];
      for (int64_t device = 0; device < devices; ++device)
        EXPECT_EQ(named[names[i]][device].values, results[i][device].values)
            << names[i];
    }
  }
}
} // namespace
