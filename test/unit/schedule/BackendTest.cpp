// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scheduling for targets other than the CPU: only the backend's rules for
// kernels decide which ops become one.
#include "compiler/backend/Target.h"
#include "compiler/cpu/CpuTarget.h"
#include "compiler/simulator/Prediction.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Schedule/Schedule.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace zcc {
namespace {

using Form = std::optional<exec::KernelForm>;
using Ops = ArrayRef<Operation *>;

/// A backend of one rule.
class Plain : public Target {
public:
  std::function<Form(Ops)> rule = [](Ops) { return exec::KernelForm("any"); };
  std::function<SmallVector<Value>(Operation *)> stored = [](Operation *) {
    return SmallVector<Value>();
  };
  std::string lacking; // name of an op
  double bytes = 0;    // that every kernel moves

  StringRef getName() const override { return "plain"; }
  SmallVector<Type> getElementTypes(MLIRContext *context) const override {
    return {Float32Type::get(context)};
  }
  std::string findLacking(Operation *op) const override {
    return op->getName().stripDialect() == lacking ? "such thing" : "";
  }
  Form classify(Ops ops, ArrayRef<Value> outputs,
                std::string *why) const override {
    Form form = rule(ops);
    if (!form && why)
      *why = "the rule says so";
    return form;
  }
  SmallVector<Value> getStoredValues(Operation *op) const override {
    return stored(op);
  }
  std::string nameKernel(Operation *main,
                         const exec::KernelForm &form) const override {
    return form.library.empty() ? Target::nameKernel(main, form)
                                : "call_" + form.library.str();
  }
  FailureOr<CompiledKernels> compile(ArrayRef<func::FuncOp>, unsigned,
                                     ArrayRef<LaunchBatch>) const override {
    return failure();
  }
  KernelCost getCost(func::FuncOp) const override {
    KernelCost cost;
    cost.work.bytes = bytes;
    return cost;
  }
};

// Two products with arithmetic after each.
const char *const task = R"(
dist.mesh @mesh [#dist.axis<"data" = 1>]
dist.input @x : tensor<8x8xf32> {input = "x", sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}
func.func @forward(%a: tensor<8x8xf32> {dist.input = @x}) -> (tensor<8x8xf32> {dist.value = "b"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.dot_general %a, %a {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = train.tanh %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = train.dot_general %1, %a {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = train.exponential %2 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
}
)";

class Backends : public ::testing::Test {
protected:
  Backends() {
    context.loadDialect<func::FuncDialect, train::TrainDialect,
                        dist::DistDialect, exec::ExecDialect>();
  }

  OwningOpRef<ModuleOp> parse(const char *text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }
  /// Null, with messages in `said`, if the text cannot be scheduled.
  OwningOpRef<ModuleOp> schedule(const char *text,
                                 const exec::Backend &backend) {
    OwningOpRef<ModuleOp> module = parse(text);
    said.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said.push_back(diagnostic.str());
      return success();
    });
    PassManager pm(&context);
    buildSchedulePipeline(pm, backend);
    if (failed(pm.run(*module)))
      return {};
    return module;
  }
  static std::vector<std::string> namesOf(ModuleOp module) {
    std::vector<std::string> names;
    for (auto kernel : module.getOps<func::FuncOp>())
      names.push_back(kernel.getSymName().str());
    return names;
  }
  std::vector<std::string> namesOf(const char *text,
                                   const exec::Backend &backend) {
    OwningOpRef<ModuleOp> module = schedule(text, backend);
    EXPECT_TRUE(module) << (said.empty() ? "" : said.front());
    return module ? namesOf(*module) : std::vector<std::string>();
  }

  MLIRContext context;
  std::vector<std::string> said;
};

using Names = std::vector<std::string>;

TEST_F(Backends, anyGraphMayBeAKernel) {
  EXPECT_EQ(namesOf(task, Plain()), Names({"k0_dot_general"}));
  // The CPU's has one product.
  EXPECT_EQ(namesOf(task, CpuTarget()),
            Names({"k0_dot_general", "k1_dot_general"}));
}

TEST_F(Backends, everyOpMayBeAKernel) {
  Plain backend;
  backend.rule = [](Ops ops) {
    return ops.size() == 1 ? Form(exec::KernelForm("single")) : std::nullopt;
  };
  EXPECT_EQ(
      namesOf(task, backend),
      Names({"k0_dot_general", "k1_tanh", "k2_dot_general", "k3_exponential"}));
}

TEST_F(Backends, workThatGrowsKeepsOpsApart) {
  for (bool absorbs : {false, true}) {
    Plain backend;
    backend.rule = [&](Ops ops) {
      exec::KernelForm form("any");
      form.work = 1000.0 * static_cast<double>(ops.size() * ops.size());
      form.absorbs = absorbs;
      return form;
    };
    EXPECT_EQ(namesOf(task, backend).size(), absorbs ? 1u : 4u);
  }
}

// Both read %a, and neither the other's result.
const char *const siblings = R"(
func.func @forward(%a: tensor<64xf32> {dist.value = "a"}) -> (tensor<64xf32> {dist.value = "b"}, tensor<64xf32> {dist.value = "c"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.tanh %a : (tensor<64xf32>) -> tensor<64xf32>
  %1 = train.exponential %a : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}
)";

TEST_F(Backends, siblingsOfOneFormJoin) {
  Plain backend;
  EXPECT_EQ(namesOf(siblings, backend).size(), 1u);
  backend.rule = [](Ops ops) {
    return exec::KernelForm(isa<train::TanhOp>(ops.front()) ? "one" : "other");
  };
  EXPECT_EQ(namesOf(siblings, backend).size(), 2u);
}

TEST_F(Backends, storedValuesAreMadeBefore) {
  const char *text = R"(
func.func @forward(%a: tensor<64xf32> {dist.value = "a"}) -> (tensor<64xf32> {dist.value = "b"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.add %a, %a : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %1 = train.tanh %0 : (tensor<64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
)";
  Plain backend;
  EXPECT_EQ(namesOf(text, backend), Names({"k0_tanh"}));
  // The operands must be stored, as for the CPU's sort. Nor may the two ops be
  // one kernel.
  backend.stored = [](Operation *op) {
    return isa<train::TanhOp>(op) ? SmallVector<Value>(op->getOperands())
                                  : SmallVector<Value>();
  };
  backend.rule = [](Ops ops) {
    return ops.size() == 1 ? Form(exec::KernelForm("single")) : std::nullopt;
  };
  EXPECT_EQ(namesOf(text, backend), Names({"k0_add", "k1_tanh"}));
}

TEST_F(Backends, librariesAreNamed) {
  Plain backend;
  backend.rule = [](Ops ops) -> Form {
    if (ops.size() > 1)
      return std::nullopt;
    exec::KernelForm form("single");
    if (isa<train::DotGeneralOp>(ops.front()))
      form.library = "gemm";
    return form;
  };
  OwningOpRef<ModuleOp> module = schedule(task, backend);
  ASSERT_TRUE(module);
  EXPECT_EQ(namesOf(*module), Names({"k0_call_gemm", "k1_tanh", "k2_call_gemm",
                                     "k3_exponential"}));
  auto call = module->lookupSymbol<func::FuncOp>("k0_call_gemm");
  EXPECT_EQ(call->getAttr(exec::libraryAttrName),
            StringAttr::get(&context, "gemm"));
  EXPECT_FALSE(module->lookupSymbol("k1_tanh")->hasAttr(exec::libraryAttrName));
  // A text that was scheduled for a target with that library cannot be compiled
  // for one without it.
  PassManager pm(&context);
  pm.addPass(createVerifySchedule(backend));
  EXPECT_TRUE(succeeded(pm.run(*module)));
  Plain without;
  ScopedDiagnosticHandler quiet(&context, [&](Diagnostic &diagnostic) {
    said.push_back(diagnostic.str());
    return success();
  });
  PassManager other(&context);
  other.addPass(createVerifySchedule(without));
  EXPECT_TRUE(failed(other.run(*module)));
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.front(),
            "expected exec.library '' for the target 'plain', found 'gemm'");
}

TEST_F(Backends, whatIsLackingIsSaid) {
  Plain backend;
  backend.lacking = "exponential";
  EXPECT_FALSE(schedule(task, backend));
  EXPECT_EQ(said, Names({"the target 'plain' has no such thing"}));
  EXPECT_FALSE(schedule(R"(
func.func @forward(%a: tensor<4xi32> {dist.value = "a"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.add %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}
)",
                        backend));
  EXPECT_EQ(said, Names({"the target 'plain' has no arithmetic in 'i32'; it "
                         "has 'f32'"}));
}

TEST_F(Backends, whatIsNoKernelIsSaid) {
  Plain backend;
  backend.rule = [](Ops ops) {
    return isa<train::TanhOp>(ops.front()) ? std::nullopt
                                           : Form(exec::KernelForm("any"));
  };
  EXPECT_FALSE(schedule(siblings, backend));
  EXPECT_EQ(said, Names({"no kernel can be made of it: the rule says so"}));
}

TEST_F(Backends, predictionsAskTheTarget) {
  Plain target;
  OwningOpRef<ModuleOp> module = schedule(task, target);
  ASSERT_TRUE(module);
  auto seconds = [&]() {
    auto out = predictStep(*module, target, planning::Machine(), "f32", 0);
    return out ? out->stepSeconds : 0;
  };
  target.bytes = 1e6;
  double small = seconds();
  target.bytes = 1e9;
  EXPECT_GT(small, 0);
  EXPECT_GT(seconds(), 100 * small);
}

// The second of two kernels reads what the first has just read and written, or
// what nothing has touched.
TEST_F(Backends, whatWasTouchedLongAgoTakesLonger) {
  planning::Machine machine;
  ASSERT_EQ(
      planning::parseMachine(
          R"(name: "cached" devices_per_node: 1 peaks { type: "f32" flops: 1e15 vector_flops: 1e15 }
                   memories { name: "device" bytes: 1e9 bandwidth: 1e9
                              samples { bytes: 1e5 rate: 1e10 }
                              samples { bytes: 1e6 rate: 1e9 } })",
          "cached", machine),
      "");
  Plain target;
  target.rule = [](Ops ops) {
    return ops.size() == 1 ? Form(exec::KernelForm("single")) : std::nullopt;
  };
  target.bytes = 1e5;
  auto seconds = [&](const char *second) {
    std::string text =
        R"(dist.mesh @mesh [#dist.axis<"data" = 1>]
dist.input @a : tensor<500x500xf32> {input = "a", sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}
dist.input @b : tensor<500x500xf32> {input = "b", sharding = #dist.sharding<@mesh, [{}, {}]>, stage = 0 : i64}
func.func @forward(%a: tensor<500x500xf32> {dist.input = @a}, %b: tensor<500x500xf32> {dist.input = @b}) -> (tensor<500x500xf32> {dist.value = "c"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.tanh %a : (tensor<500x500xf32>) -> tensor<500x500xf32>
  %1 = train.add %0, )" +
        std::string(second) +
        R"( : (tensor<500x500xf32>, tensor<500x500xf32>) -> tensor<500x500xf32>
  return %1 : tensor<500x500xf32>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @forward {microbatch = 0 : i64}
})";
    OwningOpRef<ModuleOp> module = schedule(text.c_str(), target);
    EXPECT_TRUE(module) << (said.empty() ? "" : said.front());
    if (!module)
      return 0.0;
    auto out = predictStep(*module, target, machine, "f32", 0);
    return out ? out->stepSeconds : 0;
  };
  double again = seconds("%a"), first = seconds("%b");
  EXPECT_GT(again, 0);
  EXPECT_GT(first, 1.2 * again);
}

} // namespace
} // namespace zcc
