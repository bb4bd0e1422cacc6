// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine's figures and its memory decide how many of a chunk's last
// reductions leave the update.
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Schedule/Schedule.h"
#include "planning/Machine.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace zcc {
namespace {

// The update reduces three gradients of 8 MiB, each of which a kernel makes
// from a value of the backward pass. Another run stands between the two.
constexpr const char *program = R"(
dist.mesh @mesh [#dist.axis<"pipe" = 2>, #dist.axis<"data" = 2>]
func.func private @negate(%a: tensor<2097152xf32>) -> tensor<2097152xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<2097152xf32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}
exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  %g = exec.buffer "value" "g" {category = "gradients"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  exec.fill %t {value = 0 : i64} : <tensor<2097152xf32>>
  exec.launch @negate(%t) -> (%g) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
}
exec.task @between attributes {kind = "backward", stage = 0 : i64} {
  %x = exec.buffer "value" "x" {category = "gradients"} : <tensor<4xf32>>
  exec.fill %x {value = 0 : i64} : <tensor<4xf32>>
}
exec.task @epilogue attributes {kind = "epilogue", stage = 0 : i64} {
  %g = exec.buffer "value" "g" {category = "gradients"} : <tensor<2097152xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<2097152xf32>>
  %u = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<2097152xf32>>
  %v = exec.buffer "temporary" "v" {category = "temporary"} : <tensor<2097152xf32>>
  %r = exec.buffer "temporary" "r" {category = "gradients"} : <tensor<1048576xf32>>
  %s = exec.buffer "temporary" "s" {category = "gradients"} : <tensor<1048576xf32>>
  %w = exec.buffer "temporary" "w" {category = "gradients"} : <tensor<1048576xf32>>
  exec.launch @negate(%g) -> (%t) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "reduce_scatter" %t -> %r {axes = ["data"], reduction = "add", split_dim = 0 : i64, what = "gradient", value = "a", why = ""} : <tensor<2097152xf32>> -> <tensor<1048576xf32>>
  exec.launch @negate(%g) -> (%u) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "reduce_scatter" %u -> %s {axes = ["data"], reduction = "add", split_dim = 0 : i64, what = "gradient", value = "b", why = ""} : <tensor<2097152xf32>> -> <tensor<1048576xf32>>
  exec.launch @negate(%g) -> (%v) : (!exec.buffer<tensor<2097152xf32>>) -> !exec.buffer<tensor<2097152xf32>>
  exec.collective "reduce_scatter" %v -> %w {axes = ["data"], reduction = "add", split_dim = 0 : i64, what = "gradient", value = "c", why = ""} : <tensor<2097152xf32>> -> <tensor<1048576xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @backward {microbatch = 0 : i64}
  dist.run @between {microbatch = 0 : i64}
  dist.send "x" {microbatch = 0 : i64, peer = 1 : i64}
  dist.run @epilogue {microbatch = 0 : i64}
}
exec.task @receives attributes {kind = "backward", stage = 1 : i64} {
  %x = exec.buffer "value" "x" {category = "gradients"} : <tensor<4xf32>>
  %t = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<4xf32>>
  exec.copy %x -> %t : <tensor<4xf32>> -> <tensor<4xf32>>
}
dist.schedule attributes {stage = 1 : i64} {
  dist.receive "x" {microbatch = 0 : i64, peer = 0 : i64}
  dist.run @receives {microbatch = 0 : i64}
}
)";

/// Returns how many reductions end the backward pass of a device with so many
/// bytes of memory. The kernels of the backward pass take about 25 ms, and each
/// reduction 21 ms.
int countHoisted(int64_t memory) {
  ScheduleOptions options;
  std::string error = planning::parseMachine(
      R"(name: "m" devices_per_node: 4 peaks { type: "f32" flops: 1e15 }
         memories { name: "device" bytes: 1e12 bandwidth: 1e9 }
         links { name: "l" latency: 0 bandwidth: 200e6 })",
      "m", options.machine);
  EXPECT_EQ(error, "");
  options.memory = memory;
  MLIRContext context;
  context.loadDialect<exec::ExecDialect, dist::DistDialect, train::TrainDialect,
                      func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  EXPECT_TRUE(module);
  PassManager pm(&context);
  pm.addPass(createHoistCollectives(options));
  EXPECT_TRUE(succeeded(pm.run(*module)));
  int count = 0;
  for (auto task : module->getOps<exec::TaskOp>())
    if (task.getSymName() == "backward")
      task.walk([&](exec::CollectiveOp) { ++count; });
  return count;
}

TEST(HoistCollectives, whatKernelsHideNeedsNoMemoryToWaitIn) {
  constexpr int64_t gradient = 8 << 20, share = 64;
  // One is hidden, whatever the memory.
  EXPECT_EQ(countHoisted(share), 1);
  EXPECT_EQ(countHoisted(share * (gradient - 1)), 1);
  // A share of the memory has room for each of the others.
  EXPECT_EQ(countHoisted(share * gradient), 2);
  EXPECT_EQ(countHoisted(share * 2 * gradient), 3);
}

} // namespace
} // namespace zcc
