// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/LibraryProduct.h"
#include "compiler/backend/FormatType.h"
#include "compiler/codegen/KernelForm.h"
#include "dialects/Train/ElementIndex.h"
#include "runtime/format/executable.pb.h"

using namespace mlir;

namespace zcc::cuda {
namespace {

class Finder {
public:
  Finder(ArrayRef<Operation *> ops, ArrayRef<Value> outputs)
      : ops(ops.begin(), ops.end()), outputs(outputs) {}

  std::optional<LibraryProduct> run() {
    if (outputs.size() != 1)
      return std::nullopt;
    for (Operation *op : ops)
      if (auto own = dyn_cast<train::DotGeneralOp>(op)) {
        if (dot)
          return std::nullopt;
        dot = own;
      }
    if (!dot)
      return std::nullopt;
    used.insert(dot);
    ProductSide left(dot, 0), right(dot, 1);
    product.batches = left.count(left.batching);
    product.rows = left.count(left.free);
    product.columns = right.count(right.free);
    product.steps = left.count(left.contracting);
    if (product.batches * product.rows * product.columns * product.steps == 0)
      return std::nullopt;
    std::optional<LibraryMatrix> a = readOperand(left, ops, used),
                                 b = readOperand(right, ops, used);
    if (!a || !b || !readResult())
      return std::nullopt;
    product.left = *a;
    product.right = *b;
    // The rows of the right operand are the steps.
    std::swap(product.right.rowStride, product.right.columnStride);
    if (!hasTypes() || used.size() != ops.size())
      return std::nullopt;
    return product;
  }

private:
  /// Follows the product to the output.
  bool readResult() {
    Value value = dot.getResult();
    bool isRounded = false;
    while (value != outputs.front()) {
      Operation *next = nullptr;
      for (Operation *user : value.getUsers())
        if (ops.contains(user)) {
          if (next && next != user)
            return false;
          next = user;
        }
      if (!next)
        return false;
      used.insert(next);
      if (auto convert = dyn_cast<train::ConvertOp>(next)) {
        if (isRounded || !elementOf(value).isF32() ||
            !isNarrow(elementOf(convert.getResult())))
          return false;
        isRounded = true;
      } else if (auto add = dyn_cast<train::AddOp>(next)) {
        if (isRounded || !readBias(add, value))
          return false;
      } else if (!isa<train::ReshapeOp>(next)) {
        return false;
      }
      value = next->getResult(0);
    }
    // The library wants a bias in the result's type.
    if (product.bias && elementOf(product.bias) != elementOf(value))
      return false;
    product.result = {value, elementOf(value), product.rows * product.columns,
                      product.columns, 1};
    return true;
  }

  /// Reads a bias: the other operand must be a vector in memory with an element
  /// for each column, perhaps widened.
  bool readBias(train::AddOp add, Value value) {
    if (product.bias || !elementOf(value).isF32() || product.batches != 1 ||
        product.rows == 1 || product.columns == 1)
      return false;
    Value from = add->getOperand(add->getOperand(0) == value ? 1 : 0);
    train::IndexContext context(&ops);
    const train::IndexVar *row = context.loopVar(product.rows),
                          *column = context.loopVar(product.columns);
    train::ElementIndex at = context.delinearize(
        train::IndexExpr(row) * product.columns + train::IndexExpr(column),
        train::shapeOf(value));
    for (Operation *op; (op = from.getDefiningOp()) && ops.contains(op);) {
      used.insert(op);
      if (isWidening(op)) {
        from = op->getOperand(0);
        continue;
      }
      if (!train::IndexContext::isMovement(op))
        return false;
      auto sources = context.sources(op, at);
      if (sources.size() != 1 || !sources[0].conditions.empty())
        return false;
      from = sources[0].value;
      at = sources[0].index;
    }
    train::IndexExpr offset = context.linearize(at, train::shapeOf(from));
    product.bias = from;
    return offset.constant == 0 && offset.terms.size() == 1 &&
           offset.coefficientOf(column) == 1;
  }

  bool hasTypes() {
    Type from = product.left.elementType, to = product.result.elementType;
    if (product.right.elementType != from)
      return false;
    if (from.isF64() || from.isF32())
      return to == from && elementOf(dot.getResult()) == from;
    return isNarrow(from) && (to == from || to.isF32());
  }

  OpSet ops;
  ArrayRef<Value> outputs;
  llvm::SmallPtrSet<Operation *, 8> used;
  train::DotGeneralOp dot;
  LibraryProduct product;
};

} // namespace

std::optional<LibraryProduct> findLibraryProduct(ArrayRef<Operation *> ops,
                                                 ArrayRef<Value> outputs) {
  return Finder(ops, outputs).run();
}

std::optional<std::string> buildProduct(func::FuncOp kernel, bool asTf32) {
  std::optional<codegen::KernelBody> body = codegen::getKernelBody(kernel);
  std::optional<LibraryProduct> found =
      body ? findLibraryProduct(body->ops, body->outputs) : std::nullopt;
  if (!found)
    return std::nullopt;
  rt::format::Kernel message;
  rt::format::Product &out = *message.mutable_product();
  out.set_batches(found->batches);
  out.set_rows(found->rows);
  out.set_columns(found->columns);
  out.set_steps(found->steps);
  auto fill = [&](const LibraryMatrix &from, uint32_t buffer,
                  rt::format::Product::Matrix &to) {
    to.set_buffer(buffer);
    to.set_type(toFormatType(from.elementType));
    to.set_batch_stride(from.batchStride);
    to.set_row_stride(from.rowStride);
    to.set_column_stride(from.columnStride);
  };
  auto argument = [](const LibraryMatrix &matrix) {
    return cast<BlockArgument>(matrix.memory).getArgNumber();
  };
  fill(found->left, argument(found->left), *out.mutable_left());
  fill(found->right, argument(found->right), *out.mutable_right());
  fill(found->result, kernel.getNumArguments(), *out.mutable_result());
  if (found->bias)
    out.mutable_bias()->set_buffer(
        cast<BlockArgument>(found->bias).getArgNumber());
  out.set_tf32(asTf32 && found->left.elementType.isF32());
  return message.SerializeAsString();
}

} // namespace zcc::cuda
