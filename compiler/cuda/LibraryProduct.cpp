// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/LibraryProduct.h"
#include "compiler/backend/FormatType.h"
#include "dialects/Train/ElementIndex.h"
#include "runtime/format/executable.pb.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;

namespace zcc::cuda {
namespace {

Type elementOf(Value value) {
  return train::tensorType(value).getElementType();
}

bool isNarrow(Type type) { return type.isBF16() || type.isF16(); }

/// f32 of what has fewer bits, which changes nothing.
bool isWidening(Operation *op) {
  auto convert = dyn_cast<train::ConvertOp>(op);
  return convert && isNarrow(elementOf(convert.getOperand())) &&
         elementOf(convert.getResult()).isF32();
}

class Finder {
public:
  Finder(ArrayRef<Operation *> ops, ArrayRef<Value> outputs)
      : ops(ops.begin(), ops.end()), outputs(outputs), context(&this->ops) {}

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
    Side left(dot.getLhs(), dot.getLhsBatching(), dot.getLhsContracting()),
        right(dot.getRhs(), dot.getRhsBatching(), dot.getRhsContracting());
    product.batches = left.count(left.batching);
    product.rows = left.count(left.free);
    product.columns = right.count(right.free);
    product.steps = left.count(left.contracting);
    batch = context.loopVar(product.batches);
    step = context.loopVar(product.steps);
    if (product.batches * product.rows * product.columns * product.steps == 0 ||
        !readOperand(left, product.left) ||
        !readOperand(right, product.right) || !readResult())
      return std::nullopt;
    // What is the right operand's row is a step.
    std::swap(product.right.rowStride, product.right.columnStride);
    if (!hasTypes() || used.size() != ops.size() ||
        !isDense(product.left, product.rows, product.steps) ||
        !isDense(product.right, product.steps, product.columns))
      return std::nullopt;
    return product;
  }

private:
  struct Side {
    Value value;
    SmallVector<int64_t> batching, contracting, free;

    Side(Value value, ArrayRef<int64_t> batching, ArrayRef<int64_t> contracting)
        : value(value), batching(batching), contracting(contracting) {
      for (int64_t dim = 0; dim < train::tensorType(value).getRank(); ++dim)
        if (!llvm::is_contained(batching, dim) &&
            !llvm::is_contained(contracting, dim))
          free.push_back(dim);
    }
    SmallVector<int64_t> extents(ArrayRef<int64_t> dims) const {
      SmallVector<int64_t> out;
      for (int64_t dim : dims)
        out.push_back(train::shapeOf(value)[dim]);
      return out;
    }
    int64_t count(ArrayRef<int64_t> dims) const {
      int64_t count = 1;
      for (int64_t extent : extents(dims))
        count *= extent;
      return count;
    }
  };

  /// Follows the operand to memory. `rowStride` becomes that of the free dims.
  bool readOperand(const Side &side, LibraryMatrix &matrix) {
    const IndexVar *free = context.loopVar(side.count(side.free));
    ElementIndex at(train::shapeOf(side.value).size());
    auto place = [&](const IndexVar *var, ArrayRef<int64_t> dims) {
      ElementIndex parts =
          context.delinearize(IndexExpr(var), side.extents(dims));
      for (auto [dim, part] : llvm::zip_equal(dims, parts))
        at[dim] = part;
    };
    place(batch, side.batching);
    place(free, side.free);
    place(step, side.contracting);

    Value from = side.value;
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
    IndexExpr offset = context.linearize(at, train::shapeOf(from));
    matrix = {from, elementOf(from), offset.coefficientOf(batch),
              offset.coefficientOf(free), offset.coefficientOf(step)};
    return offset.constant == 0 &&
           llvm::all_of(offset.terms, [&](const auto &term) {
             return term.first == batch || term.first == free ||
                    term.first == step;
           });
  }

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
      } else if (!isa<train::ReshapeOp>(next)) {
        return false;
      }
      value = next->getResult(0);
    }
    product.result = {value, elementOf(value), product.rows * product.columns,
                      product.columns, 1};
    return true;
  }

  bool hasTypes() {
    Type from = product.left.elementType, to = product.result.elementType;
    if (product.right.elementType != from)
      return false;
    if (from.isF64() || from.isF32())
      return to == from && elementOf(dot.getResult()) == from;
    return isNarrow(from) && (to == from || to.isF32());
  }

  /// A matrix whose rows, or columns, lie one behind the other.
  static bool isDense(const LibraryMatrix &matrix, int64_t rows,
                      int64_t columns) {
    auto along = [](int64_t stride, int64_t extent, int64_t other,
                    int64_t otherExtent) {
      return (stride == 1 || extent == 1) &&
             (otherExtent == 1 || other >= extent);
    };
    return along(matrix.columnStride, columns, matrix.rowStride, rows) ||
           along(matrix.rowStride, rows, matrix.columnStride, columns);
  }

  llvm::SetVector<Operation *> ops;
  ArrayRef<Value> outputs;
  train::IndexContext context;
  llvm::SmallPtrSet<Operation *, 8> used;
  train::DotGeneralOp dot;
  const IndexVar *batch = nullptr, *step = nullptr;
  LibraryProduct product;
};

} // namespace

std::optional<LibraryProduct> findLibraryProduct(ArrayRef<Operation *> ops,
                                                 ArrayRef<Value> outputs) {
  return Finder(ops, outputs).run();
}

std::optional<std::string> buildProduct(func::FuncOp kernel) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  Operation *end = kernel.getBody().front().getTerminator();
  std::optional<LibraryProduct> found =
      findLibraryProduct(ops, SmallVector<Value>(end->getOperands()));
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
  return message.SerializeAsString();
}

} // namespace zcc::cuda
