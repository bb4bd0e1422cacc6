// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilation from a text in memory to an executable in memory.
#include "compiler/driver/Driver.h"
#include "compiler/phases/Optimizations.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/Validate.h"
#include "runtime/format/executable.pb.h"
#include "gtest/gtest.h"

using namespace zcc;

namespace {

constexpr const char *loss = R"(module @jit_loss {
  func.func public @main(%w: tensor<4xf32> loc("params['w']"), %x: tensor<8x4xf32> loc("batch['x']")) -> (tensor<f32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<8xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
}
)";

TextRequest requestFor(const std::string &text) {
  TextRequest request;
  request.options.input = "loss.mlir";
  request.text = text;
  request.threads = 1;
  EXPECT_EQ(request.options.set("mesh", {"data=2"}), "");
  return request;
}

TEST(CompileTextTest, GivesExecutableAndReport) {
  TextRequest request = requestFor(loss);
  request.explain = {"w"};
  CompiledText result;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  bool done = compileText(request, result);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_TRUE(done) << result.messages;
  rt::format::Executable executable;
  ASSERT_EQ(rt::parseExecutable(result.executable, executable), "");
  EXPECT_EQ(rt::validate(executable), "");
  EXPECT_EQ(executable.parameters(0).name(), "w");
  EXPECT_NE(result.report.find("\"memory\""), std::string::npos);
  EXPECT_NE(result.table.find("data=2"), std::string::npos);
  EXPECT_NE(result.explanation.find("w"), std::string::npos);
  EXPECT_EQ(result.place, "");
}

TEST(CompileTextTest, OnlyPlans) {
  TextRequest request = requestFor(loss);
  request.plans = true;
  CompiledText result;
  ASSERT_TRUE(compileText(request, result)) << result.messages;
  EXPECT_EQ(result.executable, "");
  EXPECT_NE(result.report.find("\"memory\""), std::string::npos);
}

TEST(CompileTextTest, RefusalsAreTextsWithAPlace) {
  CompiledText result;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(compileText(requestFor("module {\n  none\n}\n"), result));
  EXPECT_EQ(result.messages.rfind("loss.mlir:2:3: error: ", 0), 0u)
      << result.messages;
  EXPECT_EQ(result.place, "loss.mlir:2");
  TextRequest small = requestFor(loss);
  EXPECT_EQ(small.options.set("memory", {"1B"}), "");
  EXPECT_FALSE(compileText(small, result));
  EXPECT_EQ(result.messages.rfind("error: memory: a device needs ", 0), 0u)
      << result.messages;
  EXPECT_EQ(result.executable, "");
  EXPECT_EQ(result.place, "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(CompileTextTest, NamesOfOptimizationsAreChecked) {
  Options options;
  EXPECT_EQ(options.set("disable", {"fuse"}), "");
  EXPECT_EQ(checkDisabled(options), "");
  EXPECT_EQ(options.set("disable", {"fusee"}), "");
  EXPECT_EQ(checkDisabled(options),
            "--disable: no optimization is called 'fusee'; "
            "--list-optimizations lists them; did you mean 'fuse'?");
}

} // namespace
