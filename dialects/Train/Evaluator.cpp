// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver of the reference evaluator: an op at a time, in the order of the
// block, each by the first part that knows it.

#include "dialects/Train/Evaluator.h"
#include "dialects/Train/Evaluate.h"
#include "dialects/Train/Optimizers/Optimizer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace zcc::train {
namespace {
using namespace evaluation;

bool fail(std::string &error, const Twine &message) {
  error = message.str();
  return false;
}

std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

bool isEvaluable(Type element) {
  return element.isF16() || element.isBF16() || element.isF32() ||
         element.isF64() ||
         (isa<IntegerType>(element) && element.getIntOrFloatBitWidth() <= 64);
}

bool import(const Tensor &tensor, Type expected, Array &array,
            std::string &error, bool asDouble) {
  if (!tensor.type || tensor.type != expected)
    return fail(error, "expected a tensor of type " + print(expected) +
                           ", got " +
                           (tensor.type ? print(tensor.type) : "none"));
  if (!isEvaluable(tensor.type.getElementType()))
    return fail(error, "cannot evaluate elements of type " +
                           print(tensor.type.getElementType()));
  array = Array(tensor.type);
  bool integers = !array.isFloat() && !tensor.integers.empty();
  size_t given = integers ? tensor.integers.size() : tensor.values.size();
  if (given != static_cast<size_t>(array.size()))
    return fail(error, "a tensor of type " + print(expected) + " has " +
                           Twine(given) + " values");
  for (size_t i = 0; i < given; ++i) {
    if (array.isFloat())
      array.floats[i] = finish(tensor.values[i], array.element(), asDouble);
    else if (integers)
      array.ints[i] = wrap(tensor.integers[i], array.element());
    else // above 2^63 only as unsigned
      array.ints[i] = wrap(
          tensor.values[i] >= 0x1p63
              ? static_cast<int64_t>(static_cast<uint64_t>(tensor.values[i]))
              : static_cast<int64_t>(tensor.values[i]),
          array.element());
  }
  return true;
}

Tensor toTensor(Array &&array) {
  Tensor tensor{array.type, std::move(array.floats), std::move(array.ints)};
  for (int64_t x : tensor.integers)
    tensor.values.push_back(isUnsigned(tensor.type.getElementType())
                                ? static_cast<double>(static_cast<uint64_t>(x))
                                : static_cast<double>(x));
  return tensor;
}

bool evaluateOp(Operation *op, ArrayRef<const Array *> operands,
                SmallVectorImpl<Array> &results, std::string &error,
                bool asDouble);

// By the ops that the optimizer's formula is made of.
bool evaluateUpdate(UpdateOp op, ArrayRef<const Array *> operands,
                    SmallVectorImpl<Array> &results, std::string &error,
                    bool asDouble) {
  Block block;
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  SmallVector<Value> expanded = expandUpdate(builder, op);
  llvm::DenseMap<Value, Array> values;
  for (auto [value, array] : llvm::zip_equal(op->getOperands(), operands))
    values[value] = *array;
  for (Operation &inner : block) {
    SmallVector<const Array *> read;
    for (Value value : inner.getOperands())
      read.push_back(&values.find(value)->second);
    SmallVector<Array> produced;
    if (!evaluateOp(&inner, read, produced, error, asDouble))
      return false;
    values[inner.getResult(0)] = std::move(produced.front());
  }
  for (Value value : expanded)
    results.push_back(values.lookup(value));
  return true;
}

bool evaluateOp(Operation *op, ArrayRef<const Array *> operands,
                SmallVectorImpl<Array> &results, std::string &error,
                bool asDouble) {
  if (auto update = dyn_cast<UpdateOp>(op))
    return evaluateUpdate(update, operands, results, error, asDouble);
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() ||
        !isEvaluable(tensor.getElementType()))
      return fail(error, "cannot evaluate a result of type " + print(type));
    results.emplace_back(tensor);
  }
  Context context{op, operands, results, asDouble};
  for (auto part : {evaluateElementwise, evaluateMovement, evaluateReduction,
                    evaluateProduct, evaluateIndexed, evaluateAttention})
    if (part(context))
      return true;
  return fail(error, "cannot evaluate '" + op->getName().getStringRef() + "'");
}

} // namespace

bool evaluate(func::FuncOp function, ArrayRef<Tensor> inputs,
              SmallVectorImpl<Tensor> &results, std::string &error,
              EvaluateOptions options) {
  results.clear();
  if (!llvm::hasSingleElement(function.getBody()))
    return fail(error, "expected a function of one block");
  Block &block = function.getBody().front();
  if (inputs.size() != block.getNumArguments())
    return fail(error, "expected " + Twine(block.getNumArguments()) +
                           " inputs, got " + Twine(inputs.size()));
  llvm::DenseMap<Value, Array> values;
  llvm::DenseMap<Value, unsigned> uses; // left
  auto define = [&](Value value, Array &&array) {
    uses[value] = std::distance(value.use_begin(), value.use_end());
    values[value] = std::move(array);
  };
  for (auto [argument, input] : llvm::zip(block.getArguments(), inputs)) {
    Array array;
    if (!import(input, argument.getType(), array, error, options.asDouble))
      return false;
    define(argument, std::move(array));
  }
  for (Operation &op : block) {
    if (isa<func::ReturnOp>(op)) {
      for (Value value : op.getOperands())
        results.push_back(toTensor(Array(values[value])));
      return true;
    }
    SmallVector<const Array *> operands;
    for (Value value : op.getOperands())
      operands.push_back(&values[value]);
    SmallVector<Array> produced;
    if (!evaluateOp(&op, operands, produced, error, options.asDouble))
      return false;
    for (Value value : op.getOperands())
      if (--uses[value] == 0)
        values.erase(value);
    for (auto [value, array] : llvm::zip(op.getResults(), produced))
      define(value, std::move(array));
  }
  return fail(error, "expected a func.return");
}

bool evaluate(Operation *op, ArrayRef<Tensor> operands,
              SmallVectorImpl<Tensor> &results, std::string &error,
              EvaluateOptions options) {
  results.clear();
  if (operands.size() != op->getNumOperands())
    return fail(error, "expected " + Twine(op->getNumOperands()) +
                           " operands, got " + Twine(operands.size()));
  std::vector<Array> arrays(operands.size());
  SmallVector<const Array *> pointers;
  for (auto [array, tensor, type] :
       llvm::zip(arrays, operands, op->getOperandTypes())) {
    if (!import(tensor, type, array, error, options.asDouble))
      return false;
    pointers.push_back(&array);
  }
  SmallVector<Array> produced;
  if (!evaluateOp(op, pointers, produced, error, options.asDouble))
    return false;
  for (Array &array : produced)
    results.push_back(toTensor(std::move(array)));
  return true;
}

} // namespace zcc::train
