// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fixture with steps of one or two products on a simple machine, for tests of
// plans.
#ifndef ZCC_TEST_UNIT_PLANNER_PLANS_H
#define ZCC_TEST_UNIT_PLANNER_PLANS_H

#include "compiler/planner/search/PlanVariants.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/Distribute/Estimate/StepCost.h"
#include "passes/Distribute/Place/DecideSharding.h"
#include "gtest/gtest.h"

namespace zcc::planner {

inline constexpr const char *planMachineText = R"(name: "simple" devices_per_node: 8
    peaks { type: "f32" flops: 1e12 vector_flops: 1e12 transcendentals: 1e12 }
    memories { name: "device" bytes: 1e9 bandwidth: 1e11 }
    links { name: "inner" devices: 8 latency: 1e-6 bandwidth: 1e10 }
    links { name: "outer" latency: 1e-5 bandwidth: 1e9 }
    launch_seconds: 1e-6)";

class Plans : public ::testing::Test {
protected:
  Plans() {
    context.loadDialect<train::TrainDialect, dist::DistDialect,
                        mlir::func::FuncDialect>();
    EXPECT_EQ(planning::parseMachine(planMachineText, "machine", machine), "");
  }

  // A product of an input of `rows` and a parameter.
  void parse(int64_t rows, int64_t columns) {
    std::string x = "tensor<" + std::to_string(rows) + "x64xf32>",
                w = "tensor<64x" + std::to_string(columns) + "xf32>",
                y = "tensor<" + std::to_string(rows) + "x" +
                    std::to_string(columns) + "xf32>";
    std::string text =
        "func.func @step(%x: " + x +
        R"( {zcc.kind = "input", zcc.input = "x"}, %w: )" + w +
        R"( {zcc.kind = "parameter", zcc.parameter = "w"}) -> )" + y +
        " { %0 = train.dot_general %x, %w {lhs_batching = "
        "array<i64>, rhs_batching = array<i64>, "
        "lhs_contracting = array<i64: 1>, rhs_contracting = "
        "array<i64: 0>} : (" +
        x + ", " + w + ") -> " + y + " return %0 : " + y + " }";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
  }

  // Gradients of two parameters, sums over the rows of an input.
  void parseGradients(int64_t rows, int64_t columns) {
    auto type = [](int64_t a, int64_t b) {
      return "tensor<" + std::to_string(a) + "x" + std::to_string(b) + "xf32>";
    };
    std::string x = type(rows, 64), y = type(rows, columns),
                w = type(64, columns),
                text = "func.func @step(%x: " + x +
                       R"( {zcc.kind = "input", zcc.input = "x"}, %y: )" + y +
                       R"( {zcc.kind = "input", zcc.input = "y"})";
    for (std::string name : {"v", "w"})
      text += ", %" + name + ": " + w +
              R"( {zcc.kind = "parameter", zcc.parameter = ")" + name + "\"}";
    text += ") {";
    for (std::string name : {"v", "w"})
      text += " %" + name +
              "1 = train.dot_general %x, %y {lhs_batching = array<i64>, "
              "rhs_batching = array<i64>, lhs_contracting = array<i64: 0>, "
              "rhs_contracting = array<i64: 0>, train.tag = \"backward\"} : (" +
              x + ", " + y + ") -> " + w;
    text += " dist.observe %v1, %w1 {scaled = false, states = [@v, @w], "
            "train.tag = \"update\"} : " +
            w + ", " + w + " return }";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
  }

  distribute::StepCost::Figures
  measure(std::vector<std::pair<std::string, int64_t>> axes, int zero = 0,
          int64_t microbatches = 1, bool exact = false) {
    mlir::func::FuncOp step = distribute::getStep(*module);
    mlir::SmallVector<mlir::Attribute> list;
    if (microbatches > 1)
      list.push_back(
          dist::AxisAttr::get(&context, "micro", microbatches, true));
    for (const auto &[name, size] : axes)
      list.push_back(dist::AxisAttr::get(&context, name, size, false));
    mlir::OpBuilder b = mlir::OpBuilder::atBlockBegin(module->getBody());
    dist::MeshOp op = dist::MeshOp::create(b, module->getLoc(), dist::meshName,
                                           b.getArrayAttr(list));
    distribute::MeshAxes mesh(op);
    distribute::StepRules rules(step);
    planning::Plan plan;
    plan.zero = zero;
    mlir::FailureOr<distribute::DecidedSharding> decided =
        decideSharding(step, mesh, rules, {&plan, {}, {}, exact});
    EXPECT_TRUE(mlir::succeeded(decided));
    int64_t devices = 1;
    for (const auto &axis : axes)
      devices *= axis.second;
    planning::CostModel model(machine, devices);
    distribute::StepCost cost(step.getBody().front(), mesh, model);
    distribute::StepCost::Figures figures =
        cost.measure({mesh, decided->step, decided->partials});
    op.erase();
    return figures;
  }

  PlanFacts facts() { return PlanFacts(distribute::getStep(*module), {}); }

  // Variants when the user asks for nothing.
  static std::vector<Candidate> variants(const PlanFacts &facts,
                                         int64_t devices, int64_t tensor,
                                         bool withTables, bool toMix = false) {
    return makeVariants(facts, {}, devices, {1, tensor}, withTables, toMix);
  }

  static std::vector<std::string> textsOf(const std::vector<Candidate> &all) {
    std::vector<std::string> texts;
    for (const Candidate &variant : all)
      texts.push_back(variant.label());
    return texts;
  }

  mlir::MLIRContext context;
  planning::Machine machine;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace zcc::planner

#endif
