// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels: compiled code equals the evaluator if every function is
// exact, and a fused kernel has the same bits as its ops one by one.

#include "compiler/codegen/KernelForm.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "test/unit/codegen/RandomKernel.h"
#include "test/unit/codegen/RunCompiled.h"
#include <cmath>

using namespace mlir;
using namespace zcc;
using namespace zcc::test;

namespace {

std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text;
}

// A function of one op of `kernel`.
func::FuncOp isolate(Operation *op, unsigned number, OpBuilder &b) {
  auto function = func::FuncOp::create(
      b, op->getLoc(), "op" + std::to_string(number),
      b.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  OpBuilder inner = OpBuilder::atBlockBegin(function.addEntryBlock());
  IRMapping mapping;
  Operation *copy = inner.clone(*op, mapping);
  copy->setOperands(function.getArguments());
  func::ReturnOp::create(inner, op->getLoc(), copy->getResults());
  return function;
}

// Bytes in which every NaN is the same: which one an operation gives depends on
// the order of its operands, which is the instruction selector's choice.
std::string withOneNaN(RankedTensorType type, const std::string &bytes) {
  if (!isa<FloatType>(type.getElementType()))
    return bytes;
  train::Tensor tensor = fromBytes(type, bytes);
  for (double &x : tensor.values)
    if (std::isnan(x))
      x = std::numeric_limits<double>::quiet_NaN();
  return toBytes(tensor);
}

class RandomKernels : public RunCompiled {
protected:
  // Tries a seed. Returns the form's name, or "" if it is no kernel.
  std::string tryOne(unsigned seed, RandomKernelOptions options) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    func::FuncOp kernel = RandomKernel(*module, seed, options).build();
    if (failed(verify(*module))) {
      ADD_FAILURE() << "not valid: " << print(kernel);
      return "";
    }
    std::optional<codegen::KernelForm> form = codegen::classifyKernel(kernel);
    if (!form)
      return "";
    std::mt19937 random(seed);
    std::vector<train::Tensor> inputs;
    for (Type type : kernel.getArgumentTypes())
      inputs.push_back(
          randomTensor(cast<RankedTensorType>(type), random, -9, 30));
    compare(kernel, inputs, *module, options.transcendental);
    if (!HasFailure())
      compareTargets(kernel, inputs, seed);
    return codegen::stringifyKernelForm(form->kind).str();
  }

  void compare(func::FuncOp kernel, ArrayRef<train::Tensor> inputs,
               ModuleOp module, bool transcendental) {
    SCOPED_TRACE(print(kernel));
    // The kernel and each of its ops.
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    std::vector<func::FuncOp> functions = {kernel};
    std::vector<Operation *> ops;
    for (Operation &op : kernel.getBody().front().without_terminator())
      ops.push_back(&op);
    for (Operation *op : ops)
      functions.push_back(isolate(op, functions.size(), b));
    auto loaded = LoadedKernels::compile(functions);
    ASSERT_TRUE(loaded);
    std::vector<std::string> fused = loaded->run(0, kernel, inputs);
    EXPECT_TRUE(fused == loaded->run(0, kernel, inputs, 3))
        << "items are not independent";

    llvm::DenseMap<Value, train::Tensor> values;
    for (auto [argument, input] : llvm::zip(kernel.getArguments(), inputs))
      values[argument] = input;
    llvm::DenseMap<Value, std::string> bytes;
    for (auto [i, op] : llvm::enumerate(ops)) {
      std::vector<train::Tensor> operands;
      for (Value v : op->getOperands())
        operands.push_back(values[v]);
      auto results = loaded->run(i + 1, functions[i + 1], operands);
      for (auto [v, result] : llvm::zip(op->getResults(), results)) {
        values[v] = fromBytes(train::tensorType(v), result);
        bytes[v] = result;
      }
    }
    SmallVector<train::Tensor> expected;
    std::string error;
    ASSERT_TRUE(train::evaluate(kernel, inputs, expected, error)) << error;
    Operation *terminator = kernel.getBody().front().getTerminator();
    for (auto [i, v] : llvm::enumerate(terminator->getOperands())) {
      RankedTensorType type = train::tensorType(v);
      train::Tensor actual = fromBytes(type, fused[i]);
      if (v.getDefiningOp())
        EXPECT_TRUE(withOneNaN(type, bytes[v]) == withOneNaN(type, fused[i]))
            << "fusion changed bits: " << difference(values[v], actual);
      if (!transcendental)
        EXPECT_EQ(difference(expected[i], actual), "");
    }
  }

  // The same bits from another CPU, other vectors, other items, and a GPU.
  void compareTargets(func::FuncOp kernel, ArrayRef<train::Tensor> inputs,
                      unsigned seed) {
    SCOPED_TRACE(print(kernel));
    CodegenOptions other;
    other.lanes = seed % 2 ? 8 : 16;
    other.chunk = seed % 3 ? 16 * (seed % 7) : 0;
    auto native = LoadedKernels::compile({kernel});
    auto narrow = LoadedKernels::compile({kernel}, other, "x86-64-v3");
    auto blocks = LoadedKernels::compileForBlocks({kernel});
    ASSERT_TRUE(native && narrow && blocks);
    std::vector<std::string> expected = native->run(0, kernel, inputs);
    auto compare = [&](const char *name,
                       const std::vector<std::string> &actual) {
      for (auto [i, type] : llvm::enumerate(kernel.getResultTypes())) {
        auto tensor = cast<RankedTensorType>(type);
        EXPECT_TRUE(withOneNaN(tensor, expected[i]) ==
                    withOneNaN(tensor, actual[i]))
            << name << " differs: "
            << difference(fromBytes(tensor, expected[i]),
                          fromBytes(tensor, actual[i]));
      }
    };
    compare("AVX2", narrow->run(0, kernel, inputs, 2));
    compare("a GPU", blocks->run(0, kernel, inputs));
  }

  void tryMany(unsigned first, unsigned count, RandomKernelOptions options,
               std::map<std::string, unsigned> &forms) {
    for (unsigned seed = first; seed < first + count; ++seed) {
      options.ops = 2 + seed % 9;
      ++forms[tryOne(seed, options)];
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
};

// Two that random kernels found.
TEST_F(RandomKernels, ReversedAcrossAReshape) {
  check(R"(func.func @k(%a: tensor<3x9x14xf32>) -> tensor<42x9xf32> {
    %0 = train.reshape %a : (tensor<3x9x14xf32>) -> tensor<42x9xf32>
    %1 = train.reverse %0 {dims = array<i64: 0>} : (tensor<42x9xf32>) -> tensor<42x9xf32>
    return %1 : tensor<42x9xf32>
  })");
}

TEST_F(RandomKernels, OneNarrowElementAfterAVector) {
  check(
      R"(func.func @k(%a: tensor<17xbf16>) -> (tensor<bf16>, tensor<17xbf16>) {
    %0 = train.multiply %a, %a : (tensor<17xbf16>, tensor<17xbf16>) -> tensor<17xbf16>
    %1 = train.reduce %0 {dims = array<i64: 0>, kind = #train<reduce_kind maximum>} : (tensor<17xbf16>) -> tensor<bf16>
    return %1, %0 : tensor<bf16>, tensor<17xbf16>
  })");
}

// One lane of the second register of a vector of 16.
TEST_F(RandomKernels, OneNarrowElementAfterHalfAVector) {
  check(
      R"(func.func @k(%a: tensor<9xi64>, %b: tensor<9xf64>) -> (tensor<9xi8>, tensor<9xbf16>) {
    %0 = train.convert %a : (tensor<9xi64>) -> tensor<9xi8>
    %1 = train.convert %b : (tensor<9xf64>) -> tensor<9xbf16>
    return %0, %1 : tensor<9xi8>, tensor<9xbf16>
  })");
}

TEST_F(RandomKernels, ExactLoops) {
  std::map<std::string, unsigned> forms;
  tryMany(1000, 40, {}, forms);
  EXPECT_GT(forms["loop"], 20u);
}

TEST_F(RandomKernels, ExactReductions) {
  std::map<std::string, unsigned> forms;
  RandomKernelOptions options;
  options.reductions = true;
  tryMany(2000, 80, options, forms);
  EXPECT_GT(forms["row"], 6u);
  EXPECT_GT(forms["column"], 3u);
}

TEST_F(RandomKernels, TranscendentalFunctions) {
  std::map<std::string, unsigned> forms;
  RandomKernelOptions options;
  options.transcendental = true;
  options.reductions = true;
  tryMany(3000, 40, options, forms);
}

} // namespace
