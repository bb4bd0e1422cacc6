// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One account: for every kind of collective, the report, the simulator and the
// cost model agree on the bytes that a program sends.
#include "compiler/emission/Emission.h"
#include "compiler/emission/Report.h"
#include "compiler/reference/ReferenceTarget.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "mlir/Parser/Parser.h"
#include "planning/CostModel.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace zcc {
namespace {

const char *const program = R"(
dist.mesh @mesh [#dist.axis<"data" = 2>, #dist.axis<"tensor" = 2>]
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %s = exec.buffer "temporary" "s" {category = "temporary"} : <tensor<16xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<64xf32>>
  %u = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<64xf32>>
  %h = exec.buffer "temporary" "h" {category = "temporary"} : <tensor<8xbf16>>
  %m = exec.buffer "temporary" "m" {category = "temporary"} : <tensor<i32>>
  %a = exec.buffer "temporary" "a" {category = "temporary"} : <tensor<4x8xf32>>
  %b = exec.buffer "temporary" "b" {category = "temporary"} : <tensor<8x4xf32>>
  %i = exec.buffer "temporary" "i" {category = "temporary"} : <tensor<32xf32>>
  %o = exec.buffer "temporary" "o" {category = "temporary"} : <tensor<34xf32>>
  exec.collective all_reduce %t -> %t {axes = ["data", "tensor"], reduction = "add", what = "gradient", value = "t", why = ""} : <tensor<64xf32>> -> <tensor<64xf32>>
  exec.collective all_gather %s -> %t {axes = ["data", "tensor"], what = "parameter", value = "t", why = ""} : <tensor<16xf32>> -> <tensor<64xf32>>
  exec.collective reduce_scatter %t -> %s {axes = ["data", "tensor"], reduction = "add", what = "gradient", value = "t", why = ""} : <tensor<64xf32>> -> <tensor<16xf32>>
  exec.collective all_to_all %t -> %u {axes = ["tensor"], what = "activation", value = "t", why = ""} : <tensor<64xf32>> -> <tensor<64xf32>>
  exec.bucket {
    exec.collective all_reduce %h -> %h {axes = ["data"], reduction = "add", what = "gradient", value = "h", why = ""} : <tensor<8xbf16>> -> <tensor<8xbf16>>
    exec.collective all_reduce %h -> %h {axes = ["data"], reduction = "add", what = "gradient", value = "h", why = ""} : <tensor<8xbf16>> -> <tensor<8xbf16>>
  }
  exec.repeat over ["data", "tensor"] member %m : <tensor<i32>> held(%t : !exec.buffer<tensor<64xf32>>) next(%u : !exec.buffer<tensor<64xf32>>) spare(%t : !exec.buffer<tensor<64xf32>>) attributes {value = "t"} {
    exec.collective permute %s -> %s {axes = ["data", "tensor"], shift = 1 : i64, what = "activation", value = "s", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  } between {
    exec.collective permute %t -> %u {axes = ["data", "tensor"], shift = 1 : i64, what = "activation", value = "t", why = ""} : <tensor<64xf32>> -> <tensor<64xf32>>
  }
  exec.collective exchange_boxes %s -> %s {axes = ["data", "tensor"], shape = array<i64: 64>, from = #dist.sharding<@mesh, [{"data", "tensor"}]>, to = #dist.sharding<@mesh, [{"tensor", "data"}]>, what = "activation", value = "order", why = ""} : <tensor<16xf32>> -> <tensor<16xf32>>
  exec.collective exchange_boxes %a -> %b {axes = ["data"], shape = array<i64: 8, 8>, from = #dist.sharding<@mesh, [{"data"}, {}]>, to = #dist.sharding<@mesh, [{}, {"data"}]>, what = "activation", value = "boxes", why = ""} : <tensor<4x8xf32>> -> <tensor<8x4xf32>>
  exec.collective exchange_boxes %i -> %o {axes = ["data"], shape = array<i64: 64>, from = #dist.sharding<@mesh, [{"data"}]>, to = #dist.sharding<@mesh, [{"data"}]>, windows = array<i64: 1, 1, 32, -1, 34>, what = "activation", value = "edges", why = ""} : <tensor<32xf32>> -> <tensor<34xf32>>
}
dist.schedule attributes {stage = 0 : i64, microbatches = 3 : i64} {
  dist.run @forward {microbatch = 0 : i64}
  dist.run @forward {microbatch = 1 : i64}
  dist.run @forward {microbatch = 2 : i64}
}
)";

const char *const machineText = R"(name: "m" devices_per_node: 2
    peaks { type: "f32" flops: 1e12 vector_flops: 1e12 }
    memories { name: "device" bytes: 1e9 bandwidth: 1e11 }
    links { name: "inner" devices: 2 latency: 1e-6 bandwidth: 1e10 }
    links { name: "outer" latency: 1e-5 bandwidth: 1e9 })";

TEST(Account, ReportCostModelAndSimulatorAgree) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, dist::DistDialect, exec::ExecDialect,
                      train::TrainDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  ASSERT_TRUE(module);
  Report report;
  ASSERT_TRUE(succeeded(addFacts(*module, report)));
  planning::Machine machine;
  ASSERT_EQ(planning::parseMachine(machineText, "m", machine), "");
  std::optional<Prediction> predicted =
      predictStep(*module, ReferenceTarget(), machine, "f32", /*modelFlops=*/1);
  ASSERT_TRUE(predicted);

  struct Row {
    const char *kind, *value, *type;
    int64_t bytes, times;
    double sent;
  };
  // Three microbatches; four turns, of which three are between others.
  const Row rows[] = {
      {"all-reduce", "t", "f32", 256, 3, 384},
      {"all-gather", "t", "f32", 256, 3, 192},
      {"reduce-scatter", "t", "f32", 256, 3, 192},
      {"all-to-all", "t", "f32", 256, 3, 128},
      {"all-reduce", "h", "bf16", 16, 3, 16},
      {"all-reduce", "h", "bf16", 16, 3, 16},
      {"permute", "s", "f32", 64, 12, 64},
      {"permute", "t", "f32", 256, 9, 256},
      {"permute", "order", "f32", 64, 3, 64}, // the same boxes
      {"all-to-all", "boxes", "f32", 128, 3, 64},
      {"permute", "edges", "f32", 4, 3, 4}, // one of each neighbour's
  };
  ASSERT_EQ(report.collectives.size(), std::size(rows));
  planning::CostModel model(machine, 4);
  double sent = 0, seconds = 0;
  planning::Collective bucket;
  for (auto [found, row] : llvm::zip_equal(report.collectives, rows)) {
    EXPECT_EQ(found.kind(), row.kind) << row.value;
    EXPECT_EQ(found.value, row.value);
    EXPECT_EQ(found.account.type, row.type) << row.value;
    EXPECT_EQ(found.bytes(), row.bytes) << row.kind << " of " << row.value;
    EXPECT_EQ(found.times, row.times) << row.kind << " of " << row.value;
    EXPECT_DOUBLE_EQ(found.account.bytesSent(), row.sent)
        << row.kind << " of " << row.value;
    sent += static_cast<double>(row.times) * row.sent;
    if (found.bucket < 0) {
      seconds += static_cast<double>(row.times) *
                 model.collectiveSeconds(found.account);
      continue;
    }
    double before = bucket.bytes;
    bucket = found.account;
    bucket.bytes += before;
  }
  seconds += 3 * model.collectiveSeconds(bucket);
  ASSERT_EQ(predicted->stages.size(), 1u);
  EXPECT_DOUBLE_EQ(predicted->stages[0].sent, sent);
  EXPECT_NEAR(predicted->stages[0].communication, seconds, 1e-12);
}

} // namespace
} // namespace zcc
