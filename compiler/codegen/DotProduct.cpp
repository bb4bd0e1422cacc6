// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/DotProduct.h"
#include "compiler/codegen/DotMicroKernel.h"

using namespace llvm;

namespace zcc {
namespace {

int64_t roundUp(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

// One kernel's worth of names for the emission below.
class ProductEmitter {
public:
  ProductEmitter(KernelBuilder &kernel, ElementEmitter &emitter,
                 Product &product, ArrayRef<ProductOutput> outputs)
      : kernel(kernel), emitter(emitter), p(product), outputs(outputs),
        b(kernel.ir), lanes(kernel.lanes()),
        bytes(product.type->getScalarSizeInBits() / 8) {}

  void emit();

private:
  void plan();
  void emitItem(Value *item);
  void emitPackRight(Value *step0, Value *steps);
  void emitBlock(Value *step0, Value *steps);
  void emitRowBlock(Value *step0, Value *steps, Value *tile0, Value *tile1);
  void emitEpilogue(Value *row0, Value *row1);
  // body(tile, extent) for tiles [t0, t1) of `whole` ones and maybe a last of
  // `rest`.
  void forTiles(Value *t0, Value *t1, int64_t whole, int64_t tileExtent,
                int64_t rest, function_ref<void(Value *, int64_t)> body);
  Value *rightBlock(Value *step0);
  Function *microKernel(int64_t rows, int64_t columns);
  // Address of an in-place operand's or the direct result's element.
  Value *
  linearPlace(const TensorBuffer &buffer, const exec::IndexExpr &offset,
              ArrayRef<std::pair<const exec::IndexVar *, Value *>> values);
  Value *scaled(Value *v, int64_t factor) {
    return b.CreateMul(v, b.getInt64(factor));
  }
  Value *minimum(Value *x, Value *y) {
    return b.CreateSelect(b.CreateICmpSLT(x, y), x, y);
  }

  KernelBuilder &kernel;
  ElementEmitter &emitter;
  Product &p;
  ArrayRef<ProductOutput> outputs;
  IRBuilder<> &b;
  unsigned lanes, bytes;

  int64_t rows, columns, steps, blocks;
  ProductTiles tiles;
  int64_t panelSteps, leftWidth, rightWidth, sumStride, sumRows;
  bool direct; // sums are added up in the output itself
  std::map<std::pair<int64_t, int64_t>, Function *> microKernels;

  // Scratch.
  Value *leftPanels = nullptr, *rightPanels = nullptr, *sums = nullptr,
        *staging = nullptr;
  AllocaInst *packedColumns = nullptr;
  // The item.
  Value *batch = nullptr, *rowTile0, *rowTile1, *columnTile0, *columnTile1;
};

void ProductEmitter::plan() {
  rows = p.rows;
  columns = p.columns;
  steps = p.steps;
  blocks = (steps + blockSteps - 1) / blockSteps;

  ProductFacts facts;
  facts.batches = p.batches;
  facts.rows = rows;
  facts.columns = columns;
  facts.steps = steps;
  facts.lanes = lanes;
  // A vector of wide elements takes several registers.
  unsigned perVector = std::max(1u, lanes * bytes / kernel.target.vectorBytes);
  facts.registers = (kernel.target.vectorBytes == 64 ? 32 : 16) / perVector;
  facts.bytes = bytes;
  auto inPlace = [&](const ProductOperand &operand, bool right) {
    return operand.isLinear() &&
           kernel.registerType(operand.buffer->elementType) == p.type &&
           KernelBuilder::memoryBytes(operand.buffer->elementType) == bytes &&
           (!right || operand.offset.coefficientOf(operand.free) == 1);
  };
  facts.leftInPlace = inPlace(p.left, false);
  facts.leftByStep = p.left.contiguous == ProductOperand::Step;
  facts.rightInPlace = inPlace(p.right, true);
  auto packing = [](const ProductOperand &operand) {
    double cycles = operand.contiguous == ProductOperand::Free   ? 0.5
                    : operand.contiguous == ProductOperand::Step ? 0.5
                                                                 : 2;
    return cycles + operand.work / 16;
  };
  facts.leftPacking = packing(p.left);
  facts.rightPacking = packing(p.right);
  ProductTiles wanted;
  wanted.itemRows = wanted.itemColumns = kernel.options.tile;
  tiles = chooseTiles(facts, &wanted);

  panelSteps = roundUp(std::min(steps, blockSteps), lanes);
  // No store into a panel crosses a cache line.
  leftWidth = PowerOf2Ceil(tiles.rows);
  rightWidth = roundUp(tiles.columns, lanes);
  const ProductOutput &first = outputs.front();
  mlir::Type element =
      cast<mlir::RankedTensorType>(first.value.getType()).getElementType();
  direct = steps > 0 && outputs.size() == 1 && first.plain &&
           kernel.registerType(element) == p.type &&
           KernelBuilder::memoryBytes(element) == bytes &&
           first.offset.coefficientOf(p.column) == 1;
  for (auto [var, coefficient] : first.offset.terms)
    direct &= var == p.row || var == p.column ||
              !(dependsOn(var, p.row) || dependsOn(var, p.column));
  // Sums of one row block if they are final at once, else of the whole item.
  sumStride = roundUp(tiles.itemColumns, lanes);
  sumRows = blocks > 1 ? tiles.itemRows : tiles.packedRows;
}

Function *ProductEmitter::microKernel(int64_t tileRows, int64_t tileColumns) {
  Function *&f = microKernels[{tileRows, tileColumns}];
  if (f)
    return f;
  MicroKernel micro;
  micro.type = p.type;
  micro.rows = tileRows;
  micro.columns =
      direct || !tiles.packRight ? tileColumns : roundUp(tileColumns, lanes);
  micro.lanes = lanes;
  micro.aRow = tiles.packLeft ? 1 : p.left.offset.coefficientOf(p.row);
  micro.aStep =
      tiles.packLeft ? leftWidth : p.left.offset.coefficientOf(p.step);
  micro.bStep =
      tiles.packRight ? rightWidth : p.right.offset.coefficientOf(p.step);
  micro.cRow = direct ? outputs.front().offset.coefficientOf(p.row) : sumStride;
  micro.paddedB = tiles.packRight;
  micro.wholeUnroll = steps % micro.unroll == 0;
  f = emitMicroKernel(*kernel.function, micro,
                      kernel.function->getName() + ".tile" + Twine(tileRows) +
                          "x" + Twine(tileColumns));
  return f;
}

Value *ProductEmitter::linearPlace(
    const TensorBuffer &buffer, const exec::IndexExpr &offset,
    ArrayRef<std::pair<const exec::IndexVar *, Value *>> values) {
  ElementEmitter::Scope scope(emitter);
  for (auto [var, value] : values)
    emitter.bind(var, value);
  return elementPointer(b, kernel.memoryType(buffer.elementType),
                        buffer.pointer, emitter.scalarIndex(offset));
}

void ProductEmitter::forTiles(Value *t0, Value *t1, int64_t whole,
                              int64_t tileExtent, int64_t rest,
                              function_ref<void(Value *, int64_t)> body) {
  if (whole)
    kernel.loop(t0, rest ? minimum(t1, b.getInt64(whole)) : t1, 1,
                [&](Value *t) {
                  ElementEmitter::Scope scope(emitter);
                  body(t, tileExtent);
                });
  if (rest)
    kernel.ifThenElse(b.CreateICmpSGT(t1, b.getInt64(whole)), [&] {
      ElementEmitter::Scope scope(emitter);
      body(b.getInt64(whole), rest);
    });
}

void ProductEmitter::emitRowBlock(Value *step0, Value *count, Value *tile0,
                                  Value *tile1) {
  int64_t wholeRows = rows / tiles.rows, restRows = rows % tiles.rows;
  int64_t wholeColumns = columns / tiles.columns,
          restColumns = columns % tiles.columns;
  if (tiles.packLeft)
    forTiles(tile0, tile1, wholeRows, tiles.rows, restRows,
             [&](Value *t, int64_t extent) {
               Value *panel = elementPointer(
                   b, p.type, leftPanels,
                   scaled(b.CreateSub(t, tile0), panelSteps * leftWidth));
               PanelShape shape{unsigned(extent), unsigned(leftWidth), false,
                                tiles.rows % lanes == 0, steps % lanes != 0};
               emitPackPanel(emitter, p.left, p.type, shape,
                             scaled(t, tiles.rows), step0, count, panel,
                             staging);
             });
  Value *accumulate = blocks == 1 ? (Value *)b.getFalse()
                                  : b.CreateICmpSGT(step0, b.getInt64(0));
  forTiles(columnTile0, columnTile1, wholeColumns, tiles.columns, restColumns,
           [&](Value *ct, int64_t columnExtent) {
             Value *column0 = scaled(ct, tiles.columns);
             Value *right =
                 tiles.packRight
                     ? elementPointer(b, p.type, rightBlock(step0),
                                      scaled(b.CreateSub(ct, columnTile0),
                                             panelSteps * rightWidth))
                     : linearPlace(*p.right.buffer, p.right.offset,
                                   {{p.column, column0}, {p.step, step0}});
             forTiles(
                 tile0, tile1, wholeRows, tiles.rows, restRows,
                 [&](Value *rt, int64_t rowExtent) {
                   Value *row0 = scaled(rt, tiles.rows);
                   Value *left =
                       tiles.packLeft
                           ? elementPointer(b, p.type, leftPanels,
                                            scaled(b.CreateSub(rt, tile0),
                                                   panelSteps * leftWidth))
                           : linearPlace(*p.left.buffer, p.left.offset,
                                         {{p.row, row0}, {p.step, step0}});
                   Value *to;
                   if (direct) {
                     to = linearPlace(kernel.result(0), outputs.front().offset,
                                      {{p.row, row0}, {p.column, column0}});
                   } else {
                     Value *r =
                         scaled(b.CreateSub(rt, blocks > 1 ? rowTile0 : tile0),
                                tiles.rows * sumStride);
                     Value *c =
                         scaled(b.CreateSub(ct, columnTile0), tiles.columns);
                     to = elementPointer(b, p.type, sums, b.CreateAdd(r, c));
                   }
                   b.CreateCall(microKernel(rowExtent, columnExtent),
                                {left, right, to, count, accumulate});
                 });
           });
}

Value *ProductEmitter::rightBlock(Value *step0) {
  if (!tiles.shareRight || blocks == 1)
    return rightPanels;
  // blockSteps steps of all columns, whatever the last block holds.
  return elementPointer(
      b, p.type, rightPanels,
      scaled(step0, tiles.itemColumns / tiles.columns * rightWidth));
}

void ProductEmitter::emitPackRight(Value *step0, Value *count) {
  forTiles(columnTile0, columnTile1, columns / tiles.columns, tiles.columns,
           columns % tiles.columns, [&](Value *t, int64_t extent) {
             Value *panel = elementPointer(
                 b, p.type, rightBlock(step0),
                 scaled(b.CreateSub(t, columnTile0), panelSteps * rightWidth));
             PanelShape shape{unsigned(extent), unsigned(rightWidth), true,
                              tiles.columns % lanes == 0, steps % lanes != 0};
             emitPackPanel(emitter, p.right, p.type, shape,
                           scaled(t, tiles.columns), step0, count, panel,
                           staging);
           });
}

void ProductEmitter::emitBlock(Value *step0, Value *count) {
  if (tiles.packRight && !tiles.shareRight)
    emitPackRight(step0, count);
  int64_t perBlock = tiles.packedRows / tiles.rows;
  kernel.loop(rowTile0, rowTile1, perBlock, [&](Value *tile0) {
    ElementEmitter::Scope scope(emitter);
    Value *tile1 = minimum(b.CreateAdd(tile0, b.getInt64(perBlock)), rowTile1);
    emitRowBlock(step0, count, tile0, tile1);
    if (!direct && blocks == 1)
      emitEpilogue(tile0, tile1);
  });
}

void ProductEmitter::emitEpilogue(Value *tile0, Value *tile1) {
  Value *base = blocks > 1 ? rowTile0 : tile0;
  Value *row0 = scaled(tile0, tiles.rows);
  Value *row1 = minimum(scaled(tile1, tiles.rows), b.getInt64(rows));
  Value *column0 = scaled(columnTile0, tiles.columns);
  Value *column1 =
      minimum(scaled(columnTile1, tiles.columns), b.getInt64(columns));
  kernel.loop(row0, row1, 1, [&](Value *row) {
    ElementEmitter::Scope rowScope(emitter);
    emitter.bind(p.row, row);
    Value *line = elementPointer(
        b, p.type, sums,
        scaled(b.CreateSub(row, scaled(base, tiles.rows)), sumStride));
    auto columnsAt = [&](Value *column, Value *mask) {
      ElementEmitter::Scope scope(emitter);
      emitter.bindLanes(p.column, column);
      if (mask)
        emitter.setMask(mask);
      Value *sum;
      if (steps == 0)
        sum = Constant::getNullValue(kernel.vectorize(p.type, lanes));
      else
        sum = b.CreateAlignedLoad(
            kernel.vectorize(p.type, lanes),
            elementPointer(b, p.type, line, b.CreateSub(column, column0)),
            Align(bytes));
      mlir::Type element =
          cast<mlir::RankedTensorType>(p.root->getResult(0).getType())
              .getElementType();
      if (element.isInteger(1))
        sum = b.CreateICmpNE(sum, Constant::getNullValue(sum->getType()));
      else if (p.type->isFloatingPointTy())
        sum = kernel.roundTo(element, sum);
      emitter.provide(p.root->getResult(0),
                      [sum](const exec::Index &) { return sum; });
      for (auto [i, output] : enumerate(outputs)) {
        Value *element = emitter.emit(output.value, output.index);
        // A single column is no vector in memory.
        if (KernelBuilder::isVector(element) &&
            emitter.isUniform(output.offset))
          element = b.CreateExtractElement(element, uint64_t(0));
        emitter.store(element, kernel.result(i), output.offset);
      }
      emitter.withdraw(p.root->getResult(0));
    };
    Value *whole =
        columns % lanes == 0
            ? column1
            : b.CreateAdd(column0, b.CreateAnd(b.CreateSub(column1, column0),
                                               b.getInt64(-int64_t(lanes))));
    kernel.loop(column0, whole, lanes,
                [&](Value *column) { columnsAt(column, nullptr); });
    if (columns % lanes)
      kernel.ifThenElse(b.CreateICmpSLT(whole, column1), [&] {
        columnsAt(whole, kernel.tailMask(whole, b.getInt64(columns)));
      });
  });
}

void ProductEmitter::emitItem(Value *item) {
  ElementEmitter::Scope scope(emitter);
  int64_t rowItems = (rows + tiles.itemRows - 1) / tiles.itemRows;
  int64_t columnItems = (columns + tiles.itemColumns - 1) / tiles.itemColumns;
  int64_t rowTiles = (rows + tiles.rows - 1) / tiles.rows;
  int64_t columnTiles = (columns + tiles.columns - 1) / tiles.columns;
  batch = b.CreateUDiv(item, b.getInt64(rowItems * columnItems));
  Value *rest = b.CreateURem(item, b.getInt64(rowItems * columnItems));
  Value *rowItem = b.CreateURem(rest, b.getInt64(rowItems));
  Value *columnItem = b.CreateUDiv(rest, b.getInt64(rowItems));
  emitter.bind(p.batch, batch);
  int64_t tall = tiles.itemRows / tiles.rows,
          wide = tiles.itemColumns / tiles.columns;
  rowTile0 = scaled(rowItem, tall);
  rowTile1 =
      minimum(b.CreateAdd(rowTile0, b.getInt64(tall)), b.getInt64(rowTiles));
  columnTile0 = scaled(columnItem, wide);
  columnTile1 = minimum(b.CreateAdd(columnTile0, b.getInt64(wide)),
                        b.getInt64(columnTiles));
  auto forBlocks = [&](function_ref<void(Value *, Value *)> body) {
    if (blocks == 1)
      return body(b.getInt64(0), b.getInt64(steps));
    if (steps > 0)
      kernel.loop(b.getInt64(0), b.getInt64(steps), blockSteps,
                  [&](Value *step0) {
                    ElementEmitter::Scope blockScope(emitter);
                    body(step0, minimum(b.getInt64(blockSteps),
                                        b.CreateSub(b.getInt64(steps), step0)));
                  });
  };
  if (tiles.shareRight && steps > 0) {
    Value *wanted = b.CreateUDiv(item, b.getInt64(rowItems));
    kernel.ifThenElse(b.CreateICmpNE(kernel.get(packedColumns), wanted), [&] {
      ElementEmitter::Scope packScope(emitter);
      forBlocks(
          [&](Value *step0, Value *count) { emitPackRight(step0, count); });
      kernel.set(packedColumns, wanted);
    });
  }
  forBlocks([&](Value *step0, Value *count) { emitBlock(step0, count); });
  if (blocks == 1)
    return;
  if (!direct)
    emitEpilogue(rowTile0, rowTile1);
}

void ProductEmitter::emit() {
  kernel.info.items = 0;
  if (p.rows == 0 || p.columns == 0 || p.batches == 0)
    return;
  plan();
  int64_t rowItems = (rows + tiles.itemRows - 1) / tiles.itemRows;
  int64_t columnItems = (columns + tiles.itemColumns - 1) / tiles.itemColumns;
  kernel.info.items = p.batches * rowItems * columnItems;
  // At 32 flops a cycle and vector, three quarters of the peak.
  kernel.info.itemNanoseconds =
      1 + uint64_t(double(tiles.itemRows) * tiles.itemColumns * (steps + 8) /
                   lanes / 2 / 2.2);
  if (tiles.packLeft)
    leftPanels = kernel.scratch(tiles.packedRows / tiles.rows * leftWidth *
                                panelSteps * bytes);
  if (tiles.packRight)
    rightPanels = kernel.scratch(
        tiles.itemColumns / tiles.columns * rightWidth * panelSteps *
        (tiles.shareRight ? std::max<int64_t>(blocks, 1) : 1) * bytes);
  // (batch, column of items) whose columns are packed.
  if (tiles.shareRight)
    packedColumns = kernel.variable(b.getInt64Ty(), b.getInt64(-1));
  staging = kernel.scratch(lanes * lanes * bytes);
  if (!direct)
    sums = kernel.scratch((sumRows * sumStride + lanes) * bytes);
  kernel.loop(kernel.begin, kernel.end, 1,
              [&](Value *item) { emitItem(item); });
}

} // namespace

Type *accumulatorType(KernelBuilder &kernel, mlir::Type result, mlir::Type left,
                      mlir::Type right) {
  IRBuilder<> &b = kernel.ir;
  if (result.isF64() || left.isF64() || right.isF64())
    return b.getDoubleTy();
  if (isa<mlir::FloatType>(result))
    return b.getFloatTy();
  // Booleans are counted; the sum is then compared with 0.
  if (result.isInteger(1))
    return b.getInt32Ty();
  return kernel.registerType(result);
}

mlir::LogicalResult emitProduct(KernelBuilder &kernel, ElementEmitter &emitter,
                                Product &product) {
  auto outputs = productOutputs(kernel.func, emitter.context, product.root,
                                product.resultIndex);
  if (failed(outputs))
    return mlir::failure();
  ProductEmitter(kernel, emitter, product, *outputs).emit();
  return mlir::success();
}

} // namespace zcc
