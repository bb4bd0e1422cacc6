// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/ProductOperand.h"
#include "dialects/Train/ElementIndex.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;

namespace zcc::cuda {

Type elementOf(Value value) {
  return train::tensorType(value).getElementType();
}

bool isNarrow(Type type) { return type.isBF16() || type.isF16(); }

bool isWidening(Operation *op) {
  auto convert = dyn_cast<train::ConvertOp>(op);
  return convert && isNarrow(elementOf(convert.getOperand())) &&
         elementOf(convert.getResult()).isF32();
}

ProductSide::ProductSide(train::DotGeneralOp dot, unsigned index)
    : value(index == 0 ? dot.getLhs() : dot.getRhs()),
      batching(index == 0 ? dot.getLhsBatching() : dot.getRhsBatching()),
      contracting(index == 0 ? dot.getLhsContracting()
                             : dot.getRhsContracting()) {
  for (int64_t dim = 0; dim < train::tensorType(value).getRank(); ++dim)
    if (!llvm::is_contained(batching, dim) &&
        !llvm::is_contained(contracting, dim))
      free.push_back(dim);
}

SmallVector<int64_t> ProductSide::extents(ArrayRef<int64_t> dims) const {
  return llvm::map_to_vector(
      dims, [&](int64_t dim) { return train::shapeOf(value)[dim]; });
}

int64_t ProductSide::count(ArrayRef<int64_t> dims) const {
  int64_t count = 1;
  for (int64_t extent : extents(dims))
    count *= extent;
  return count;
}

/// Returns true if the rows, or columns, of a matrix are adjacent in memory.
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

std::optional<LibraryMatrix>
readOperand(const ProductSide &side, const OpSet &ops,
            llvm::SmallPtrSetImpl<Operation *> &used) {
  OpSet followed(ops);
  train::IndexContext context(&followed);
  const int64_t rows = side.count(side.free),
                steps = side.count(side.contracting);
  const IndexVar *batch = context.loopVar(side.count(side.batching)),
                 *free = context.loopVar(rows), *step = context.loopVar(steps);
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
      return std::nullopt;
    auto sources = context.sources(op, at);
    if (sources.size() != 1 || !sources[0].conditions.empty())
      return std::nullopt;
    from = sources[0].value;
    at = sources[0].index;
  }
  IndexExpr offset = context.linearize(at, train::shapeOf(from));
  LibraryMatrix matrix{from, elementOf(from), offset.coefficientOf(batch),
                       offset.coefficientOf(free), offset.coefficientOf(step)};
  auto isStride = [&](const auto &term) {
    return term.first == batch || term.first == free || term.first == step;
  };
  if (offset.constant != 0 || !llvm::all_of(offset.terms, isStride) ||
      !isDense(matrix, rows, steps))
    return std::nullopt;
  return matrix;
}

OpSet findMovement(const ProductSide &side) {
  OpSet out;
  for (Operation *op = side.value.getDefiningOp();
       op && op->getNumOperands() == 1 &&
       (isWidening(op) || train::IndexContext::isMovement(op));
       op = op->getOperand(0).getDefiningOp())
    out.insert(op);
  return out;
}

static bool lies(const ProductSide &side, const OpSet &ops) {
  llvm::SmallPtrSet<Operation *, 8> used;
  return readOperand(side, ops, used).has_value();
}

/// Returns a transpose of the value that is there already, moved to where the
/// value is made; null if there is none.
static Value findTranspose(Value value, ArrayRef<int64_t> order) {
  for (Operation *user : value.getUsers()) {
    auto transpose = dyn_cast<train::TransposeOp>(user);
    if (!transpose || transpose.getPermutation() != order)
      continue;
    if (Operation *source = value.getDefiningOp())
      transpose->moveAfter(source);
    else
      transpose->moveBefore(&value.getParentBlock()->front());
    return transpose.getResult();
  }
  return {};
}

void orderOperands(func::FuncOp task) {
  SmallVector<train::DotGeneralOp> dots;
  task.walk([&](train::DotGeneralOp dot) {
    Type type = elementOf(dot.getLhs());
    if (type == elementOf(dot.getRhs()) &&
        (isNarrow(type) || type.isF32() || type.isF64()) &&
        dot.getResult().getType().getNumElements() != 0)
      dots.push_back(dot);
  });
  llvm::MapVector<std::pair<Value, Attribute>, Value> made;
  OpBuilder builder(task);
  for (train::DotGeneralOp dot : dots)
    for (unsigned index : {0, 1}) {
      ProductSide side(dot, index);
      if (side.count(side.contracting) == 0 || lies(side, findMovement(side)))
        continue;
      // The last dim stays last: rows and columns may be in either order.
      int64_t last = train::tensorType(side.value).getRank() - 1;
      bool byRows = llvm::is_contained(side.contracting, last);
      SmallVector<int64_t> order(side.batching);
      llvm::append_range(order, byRows ? side.free : side.contracting);
      llvm::append_range(order, byRows ? side.contracting : side.free);
      Value &moved = made[{side.value, builder.getDenseI64ArrayAttr(order)}];
      if (!moved)
        moved = findTranspose(side.value, order);
      if (!moved) {
        builder.setInsertionPointAfterValue(side.value);
        moved = train::transpose(builder, dot.getLoc(), side.value, order);
      }
      SmallVector<int64_t> inverse(order.size());
      for (auto [to, from] : llvm::enumerate(order))
        inverse[from] = to;
      auto apply = [&](ArrayRef<int64_t> dims) {
        return llvm::map_to_vector(dims,
                                   [&](int64_t dim) { return inverse[dim]; });
      };
      dot->setOperand(index, moved);
      if (index == 0) {
        dot.setLhsBatching(apply(side.batching));
        dot.setLhsContracting(apply(side.contracting));
      } else {
        dot.setRhsBatching(apply(side.batching));
        dot.setRhsContracting(apply(side.contracting));
      }
    }
}

SmallVector<Value> getOrdered(train::DotGeneralOp dot) {
  SmallVector<Value> out;
  for (unsigned index : {0, 1}) {
    ProductSide side(dot, index);
    if (isa_and_nonnull<train::TransposeOp>(side.value.getDefiningOp()) &&
        !lies(side, findMovement(side)) && lies(side, {}))
      out.push_back(side.value);
  }
  return out;
}

} // namespace zcc::cuda
