// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole steps give the same if they are sharded, partitioned and run on every
// device as if they run on one.
#include "planning/PlanValues.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/Distribute/Distribute.h"
#include "test/unit/distribute/Spmd.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

namespace {
class Steps : public ::testing::Test {
protected:
  Steps() {
    context.loadDialect<train::TrainDialect, DistDialect, func::FuncDialect>();
  }

  // Results of the step in `text` (whole values) of `inputs`, or of samples.
  std::vector<Tensor> run(const std::string &text,
                          const DistributeOptions &options,
                          const std::vector<Tensor> &inputs = {}) {
    std::vector<Tensor> whole;
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "does not parse";
      return whole;
    }
    PassManager pm(&context);
    buildDistributePipeline(pm, options);
    if (failed(pm.run(*module))) {
      ADD_FAILURE() << "does not compile for " << describe(options);
      return whole;
    }
    func::FuncOp step = getStep(*module);
    MeshAxes mesh(getMesh(*module));
    std::vector<Devices> arguments, results;
    for (unsigned i = 0; i < step.getNumArguments(); ++i) {
      auto global = cast<RankedTensorType>(
          step.getArgAttrOfType<TypeAttr>(i, globalAttrName).getValue());
      Placement placement = *mesh.fromAttr(
          step.getArgAttrOfType<ShardingAttr>(i, shardingAttrName),
          global.getShape());
      arguments.push_back(shard(inputs.empty() ? sample(global, i) : inputs[i],
                                placement, mesh));
    }
    std::string error;
    EXPECT_TRUE(evaluateOnMesh(step, mesh, arguments, results, error)) << error;
    for (const Devices &parts : results)
      whole.push_back(unshard(parts, parts[0].type,
                              Placement(parts[0].type.getShape()), mesh,
                              error));
    EXPECT_EQ(error, "");
    return whole;
  }

  static std::string describe(const DistributeOptions &options) {
    return planning::printMesh(options.plan.mesh) + ", " +
           std::to_string(options.plan.microbatches) + " microbatches";
  }

  // A step of inputs x, y (8 rows), labels, a seed and parameters w, table.
  // `perBatch`: nothing needs the whole batch at once.
  void check(const std::string &results, const std::string &body,
             bool perBatch = false) {
    std::string text = R"(
      func.func @step(
          %x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}, %y: tensor<8x6xf32> {zcc.kind = "input", zcc.input = "y"},
          %labels: tensor<8x3xi32> {zcc.kind = "input", zcc.input = "labels"}, %seed: tensor<2xi32> {zcc.kind = "input", zcc.input = "seed"},
          %w: tensor<4x6xf32> {zcc.kind = "parameter", zcc.parameter = "w"}, %table: tensor<3x4xf32> {zcc.kind = "parameter", zcc.parameter = "t"})
          -> ()" + results +
                       ") {" + body + "}";
    std::vector<Tensor> expected = run(text, DistributeOptions());
    ASSERT_FALSE(expected.empty());
    std::vector<DistributeOptions> all;
    for (const auto &mesh : std::vector<std::vector<planning::PlanAxis>>{
             {{"data", 2}},
             {{"data", 3}},
             {{"data", 8}},
             {{"tensor", 2}},
             {{"tensor", 3}},
             {{"context", 2}},
             {{"data", 2}, {"tensor", 2}},
             {{"expert", 2}, {"tensor", 5}}})
      for (int64_t microbatches : {1, 2, 3})
        if (perBatch || microbatches == 1) {
          all.emplace_back().plan.mesh = mesh;
          all.back().plan.microbatches = microbatches;
        }
    for (const DistributeOptions &options : all) {
      std::vector<Tensor> found = run(text, options);
      ASSERT_EQ(found.size(), expected.size()) << describe(options);
      for (size_t i = 0; i < found.size(); ++i)
        EXPECT_LT(difference(expected[i], found[i]), 1e-12)
            << "result " << i << " on " << describe(options);
    }
  }

  MLIRContext context;
};

// Two factors of the batch meet in a product.
constexpr const char *twoFactors = R"(
func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}, %y: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "y"}) -> (tensor<8x8xf32>, tensor<f32>) {
  %e = train.exponential %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = train.transpose %y {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %p = train.dot_general %e, %t {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %c = train.constant dense<1.0> : tensor<8x8xf32>
  %i = train.iota {dim = 0 : i64} : () -> tensor<8x8xf32>
  %q = train.add %i, %c : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = train.multiply %p, %q : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %st = train.transpose %s {permutation = array<i64: 1, 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %u = train.add %s, %st : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = train.reduce %y {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x4xf32>) -> tensor<f32>
  %n = train.negate %r : (tensor<f32>) -> tensor<f32>
  %a = train.add %n, %r : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %u, %a : tensor<8x8xf32>, tensor<f32>
})";

TEST_F(Steps, GradientsAndLoss) {
  check("tensor<4x6xf32>, tensor<f32>", R"(
    %0 = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %1 = train.subtract %0, %y : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %2 = train.multiply %1, %1 : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %3 = train.reduce %2 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x6xf32>) -> tensor<f32>
    %c = train.constant dense<48.0> : tensor<f32>
    %loss = train.divide %3, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %g = train.dot_general %x, %1 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %n = train.negate %g : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %h = train.add %g, %w : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %s = train.subtract %h, %n : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %s, %loss : tensor<4x6xf32>, tensor<f32>)",
        /*perBatch=*/true);
}

// Other reductions over the parts of a batch: by microbatch and by device.
TEST_F(Steps, ExtremesAndProducts) {
  check("tensor<f32>, tensor<6xf32>, tensor<f32>, tensor<i1>, tensor<i1>, "
        "tensor<3xi32>",
        R"(
    %0 = train.dot_general %x, %w {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %1 = train.subtract %0, %y : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %max = train.reduce %1 {dims = array<i64: 0, 1>, kind = #train<reduce_kind maximum>} : (tensor<8x6xf32>) -> tensor<f32>
    %min = train.reduce %1 {dims = array<i64: 0>, kind = #train<reduce_kind minimum>} : (tensor<8x6xf32>) -> tensor<6xf32>
    %product = train.reduce %0 {dims = array<i64: 0, 1>, kind = #train<reduce_kind multiply>} : (tensor<8x6xf32>) -> tensor<f32>
    %zero = train.constant dense<0.0> : tensor<8x6xf32>
    %less = train.compare %1, %zero {direction = #train<compare_direction LT>} : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xi1>
    %all = train.reduce %less {dims = array<i64: 0, 1>, kind = #train<reduce_kind logical_and>} : (tensor<8x6xi1>) -> tensor<i1>
    %any = train.reduce %less {dims = array<i64: 0, 1>, kind = #train<reduce_kind logical_or>} : (tensor<8x6xi1>) -> tensor<i1>
    %label = train.reduce %labels {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<8x3xi32>) -> tensor<3xi32>
    return %max, %min, %product, %all, %any, %label : tensor<f32>, tensor<6xf32>, tensor<f32>, tensor<i1>, tensor<i1>, tensor<3xi32>)",
        /*perBatch=*/true);
}

TEST_F(Steps, BatchStatistics) {
  check("tensor<8x4xf32>, tensor<4xf32>, tensor<f32>", R"(
    %sum = train.reduce %x {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8x4xf32>) -> tensor<4xf32>
    %c = train.constant dense<8.0> : tensor<4xf32>
    %mean = train.divide %sum, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %mb = train.broadcast_in_dim %mean {dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<8x4xf32>
    %centered = train.subtract %x, %mb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %sq = train.multiply %centered, %centered : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %var = train.reduce %sq {dims = array<i64: 0>, kind = #train<reduce_kind add>} : (tensor<8x4xf32>) -> tensor<4xf32>
    %r = train.rsqrt %var : (tensor<4xf32>) -> tensor<4xf32>
    %rb = train.broadcast_in_dim %r {dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<8x4xf32>
    %out = train.multiply %centered, %rb : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %max = train.reduce %out {dims = array<i64: 0, 1>, kind = #train<reduce_kind maximum>} : (tensor<8x4xf32>) -> tensor<f32>
    return %out, %mean, %max : tensor<8x4xf32>, tensor<4xf32>, tensor<f32>)");
}

// The mean over the labels that are not 0; rows of a table by label, and the
// table's gradient.
TEST_F(Steps, MaskedMeanAndTable) {
  check("tensor<f32>, tensor<3x4xf32>", R"(
    %zero = train.constant dense<0> : tensor<8x3xi32>
    %mask = train.compare %labels, %zero {direction = #train<compare_direction NE>} : (tensor<8x3xi32>, tensor<8x3xi32>) -> tensor<8x3xi1>
    %weight = train.convert %mask : (tensor<8x3xi1>) -> tensor<8x3xf32>
    %count = train.reduce %weight {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x3xf32>) -> tensor<f32>
    %index = train.reshape %labels : (tensor<8x3xi32>) -> tensor<8x3x1xi32>
    %rows = train.gather %table, %index {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 4>} : (tensor<3x4xf32>, tensor<8x3x1xi32>) -> tensor<8x3x4xf32>
    %wb = train.broadcast_in_dim %weight {dims = array<i64: 0, 1>} : (tensor<8x3xf32>) -> tensor<8x3x4xf32>
    %masked = train.multiply %rows, %wb : (tensor<8x3x4xf32>, tensor<8x3x4xf32>) -> tensor<8x3x4xf32>
    %sum = train.reduce %masked {dims = array<i64: 0, 1, 2>, kind = #train<reduce_kind add>} : (tensor<8x3x4xf32>) -> tensor<f32>
    %mean = train.divide %sum, %count : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %zeros = train.constant dense<0.0> : tensor<3x4xf32>
    %g = train.scatter %zeros, %index, %masked {update_window_dims = array<i64: 2>, inserted_window_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>, index_vector_dim = 2 : i64, kind = #train<reduce_kind add>, clamp_starts = true} : (tensor<3x4xf32>, tensor<8x3x1xi32>, tensor<8x3x4xf32>) -> tensor<3x4xf32>
    %tied = train.add %g, %table : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    return %mean, %tied : tensor<f32>, tensor<3x4xf32>)",
        /*perBatch=*/true);
}

// Indices are those of the whole batch.
TEST_F(Steps, GlobalIndices) {
  check("tensor<8x4xi32>, tensor<32xi32>, tensor<8x2xf32>", R"(
    %i = train.iota {dim = 0 : i64} : () -> tensor<8x4xi32>
    %j = train.iota {dim = 1 : i64} : () -> tensor<8x4xi32>
    %four = train.constant dense<4> : tensor<8x4xi32>
    %row = train.multiply %i, %four : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi32>
    %flat = train.add %row, %j : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi32>
    %xi = train.convert %x : (tensor<8x4xf32>) -> tensor<8x4xi32>
    %mixed = train.xor %flat, %xi : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi32>
    %n = train.iota {dim = 0 : i64} : () -> tensor<32xi32>
    %line = train.reshape %mixed : (tensor<8x4xi32>) -> tensor<32xi32>
    %line2 = train.add %line, %n : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
    %k = train.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 10.0], [11.0, 12.0], [13.0, 14.0], [15.0, 16.0]]> : tensor<8x2xf32>
    %half = train.slice %x {start = array<i64: 0, 1>, limit = array<i64: 8, 3>, stride = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<8x2xf32>
    %kx = train.multiply %k, %half : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
    return %mixed, %line2, %kx : tensor<8x4xi32>, tensor<32xi32>, tensor<8x2xf32>)");
}

// Ops that need the whole batch get it; two factors of the batch meet in one
// op.
TEST_F(Steps, WholeBatch) {
  check("tensor<8x4xf32>, tensor<8x8xf32>, tensor<4xf32>, tensor<8x4xf32>", R"(
    %c = train.cumulative %x {dim = 0 : i64, kind = #train<reduce_kind add>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %d = train.add %c, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %t = train.transpose %x {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %similar = train.dot_general %x, %t {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %st = train.transpose %similar {permutation = array<i64: 1, 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %both = train.add %similar, %st : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %first = train.slice %x {start = array<i64: 3, 0>, limit = array<i64: 4, 4>, stride = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<1x4xf32>
    %row = train.reshape %first : (tensor<1x4xf32>) -> tensor<4xf32>
    %sorted:2 = train.sort %x, %c {dim = 0 : i64} : (tensor<8x4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
    return %d, %both, %row, %sorted#1 : tensor<8x4xf32>, tensor<8x8xf32>, tensor<4xf32>, tensor<8x4xf32>)");
}

// Each microbatch has its own statistics, if the user accepts that: the step
// gives the mean of steps on the parts.
TEST_F(Steps, StatisticsPerMicrobatch) {
  auto text = [](int64_t rows) {
    std::string x = "tensor<" + std::to_string(rows) + "x4xf32>";
    std::string count = std::to_string(rows) + ".0";
    return "func.func @step(%x: " + x +
           " {zcc.kind = \"input\", zcc.input = \"x\"}, %w: tensor<4xf32> "
           "{zcc.kind = \"parameter\", zcc.parameter = \"w\"}) -> "
           "tensor<4xf32> {\n"
           "%wb = train.broadcast_in_dim %w {dims = array<i64: 1>} : "
           "(tensor<4xf32>) -> " +
           x +
           "\n"
           "%h = train.multiply %x, %wb : (" +
           x + ", " + x + ") -> " + x +
           "\n"
           "%s = train.reduce %h {dims = array<i64: 0>, kind = "
           "#train<reduce_kind add>} : (" +
           x +
           ") -> tensor<4xf32>\n"
           "%n = train.constant dense<" +
           count +
           "> : tensor<4xf32>\n"
           "%m = train.divide %s, %n : (tensor<4xf32>, tensor<4xf32>) -> "
           "tensor<4xf32>\n"
           "%mb = train.broadcast_in_dim %m {dims = array<i64: 1>} : "
           "(tensor<4xf32>) -> " +
           x +
           "\n"
           "%c = train.subtract %h, %mb : (" +
           x + ", " + x + ") -> " + x +
           "\n"
           "%q = train.multiply %c, %c : (" +
           x + ", " + x + ") -> " + x +
           "\n"
           "%r = train.reduce %q {dims = array<i64: 0>, kind = "
           "#train<reduce_kind add>} : (" +
           x +
           ") -> tensor<4xf32>\n"
           "return %r : tensor<4xf32>\n}";
  };
  auto typeOf = [&](int64_t rows) {
    return RankedTensorType::get({rows, 4}, Float32Type::get(&context));
  };
  Tensor x = sample(typeOf(8), 0),
         w = sample(RankedTensorType::get({4}, Float32Type::get(&context)), 1);
  std::vector<double> expected(4);
  for (int64_t half : {0, 1}) {
    Tensor part{
        typeOf(4),
        {x.values.begin() + half * 16, x.values.begin() + half * 16 + 16},
        {}};
    std::vector<Tensor> own = run(text(4), DistributeOptions(), {part, w});
    ASSERT_EQ(own.size(), 1u);
    for (int i = 0; i < 4; ++i)
      expected[i] += own[0].values[i];
  }
  for (int64_t devices : {1, 2}) {
    DistributeOptions options;
    options.plan.mesh = {{"data", devices}};
    options.plan.microbatches = 2;
    options.perMicrobatch = {"*"};
    std::vector<Tensor> found = run(text(8), options, {x, w});
    ASSERT_EQ(found.size(), 1u);
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(found[0].values[i], expected[i], 1e-12);
  }
}

// A table, and two parameters of the same extents that stand beside each other:
// equals by all but their names.
constexpr const char *twoTables = R"(
func.func @step(%a: tensor<6x8xf32> {zcc.kind = "parameter", zcc.parameter = "a"}, %b: tensor<8x6xf32> {zcc.kind = "parameter", zcc.parameter = "b"},
    %tokens: tensor<4x12xi32> {zcc.kind = "input", zcc.input = "tokens"}, %marks: tensor<4x3xi32> {zcc.kind = "input", zcc.input = "marks"},
    %table: tensor<10x6xf32> {zcc.kind = "parameter", zcc.parameter = "table"}) -> (tensor<4x12x6xf32>, tensor<4xf32>, tensor<6x8xf32>, tensor<8x6xf32>) {
  %index = train.reshape %tokens : (tensor<4x12xi32>) -> tensor<4x12x1xi32>
  %rows = train.gather %table, %index {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 6>} : (tensor<10x6xf32>, tensor<4x12x1xi32>) -> tensor<4x12x6xf32>
  %h = train.dot_general %rows, %a {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<4x12x6xf32>, tensor<6x8xf32>) -> tensor<4x12x8xf32>
  %t = train.tanh %h : (tensor<4x12x8xf32>) -> tensor<4x12x8xf32>
  %o = train.dot_general %t, %b {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 0>} : (tensor<4x12x8xf32>, tensor<8x6xf32>) -> tensor<4x12x6xf32>
  %r = train.add %o, %rows : (tensor<4x12x6xf32>, tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  %m = train.convert %marks : (tensor<4x3xi32>) -> tensor<4x3xf32>
  %s = train.reduce %m {dims = array<i64: 1>, kind = #train<reduce_kind add>} : (tensor<4x3xf32>) -> tensor<4xf32>
  %ga = train.dot_general %rows, %t {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0, 1>, rhs_contracting = array<i64: 0, 1>} : (tensor<4x12x6xf32>, tensor<4x12x8xf32>) -> tensor<6x8xf32>
  %gb = train.dot_general %t, %r {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 0, 1>, rhs_contracting = array<i64: 0, 1>} : (tensor<4x12x8xf32>, tensor<4x12x6xf32>) -> tensor<8x6xf32>
  return %r, %s, %ga, %gb : tensor<4x12x6xf32>, tensor<4xf32>, tensor<6x8xf32>, tensor<8x6xf32>
})";

// Every op as far to the front as its operands permit, the last one first:
// nearly the reverse.
void reverseOps(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    for (Operation *before = op->getPrevNode(); before;
         before = op->getPrevNode()) {
      if (llvm::is_contained(
              llvm::map_range(op->getOperands(),
                              [](Value v) { return v.getDefiningOp(); }),
              before))
        break;
      op->moveBefore(before);
    }
}

void reverseArguments(func::FuncOp func) {
  Block &block = func.getBody().front();
  unsigned count = func.getNumArguments();
  for (unsigned i = 0; i < count; ++i) {
    // The others stand before those that were moved.
    unsigned from = count - 1 - i;
    BlockArgument old = func.getArgument(from);
    Type type = old.getType();
    DictionaryAttr attributes = func.getArgAttrDict(from);
    ASSERT_TRUE(
        succeeded(func.insertArgument(count, type, attributes, old.getLoc())));
    old.replaceAllUsesWith(block.getArgument(count));
    ASSERT_TRUE(succeeded(func.eraseArgument(from)));
  }
}

// Shardings of arguments and results, by names.
std::map<std::string, std::string> shardingsOf(func::FuncOp func) {
  std::map<std::string, std::string> found;
  auto print = [&](const Twine &name, Attribute attribute) {
    llvm::raw_string_ostream os(found[name.str()]);
    os << attribute;
  };
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    for (const char *kind : {"zcc.input", "zcc.parameter"})
      if (auto name = func.getArgAttrOfType<StringAttr>(i, kind))
        print(name.getValue(), func.getArgAttr(i, shardingAttrName));
  for (Operation &op : func.getBody().front())
    if (auto name = op.getAttrOfType<StringAttr>("id"))
      print("#" + name.getValue(), op.getAttr(shardingsAttrName));
  return found;
}

// Neither the order of ops nor that of arguments matters: the same shardings,
// op by op and argument by argument.
TEST_F(Steps, OrderDoesNotMatter) {
  for (const char *text : {twoFactors, twoTables})
    for (const auto &mesh : std::vector<std::vector<planning::PlanAxis>>{
             {{"data", 2}},
             {{"tensor", 2}},
             {{"data", 2}, {"tensor", 2}},
             {{"context", 3}}}) {
      std::vector<std::map<std::string, std::string>> found;
      DistributeOptions options;
      options.plan.mesh = mesh;
      for (bool ops : {false, true})
        for (bool arguments : {false, true}) {
          OwningOpRef<ModuleOp> module =
              parseSourceString<ModuleOp>(text, &context);
          ASSERT_TRUE(module);
          func::FuncOp step = getStep(*module);
          Block &block = step.getBody().front();
          int id = 0;
          for (Operation &op : block.without_terminator())
            op.setAttr("id", StringAttr::get(&context, std::to_string(id++)));
          if (ops)
            reverseOps(block);
          if (arguments)
            reverseArguments(step);
          PassManager pm(&context);
          buildShardPipeline(pm, options);
          ASSERT_TRUE(succeeded(pm.run(*module)));
          found.push_back(shardingsOf(step));
          EXPECT_EQ(found.front(), found.back())
              << describe(options) << ", ops " << (ops ? "" : "not ")
              << "in another order, arguments " << (arguments ? "" : "not ");
        }
    }
}
} // namespace
