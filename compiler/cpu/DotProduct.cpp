// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cpu/DotProduct.h"
#include "compiler/codegen/DotMicroKernel.h"

namespace zcc {
namespace {

int64_t roundUp(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

// The state of the emission of one kernel.
class ProductKernel {
public:
  ProductKernel(CpuKernelBuilder &kernel, ElementEmitter &emitter,
                Product &product, llvm::ArrayRef<ProductOutput> outputs)
      : kernel(kernel), emitter(emitter), p(product), outputs(outputs),
        b(kernel.ir), lanes(kernel.lanes()),
        bytes(product.type->getScalarSizeInBits() / 8) {}

  void emit();

private:
  void plan();
  void emitItem(llvm::Value *item);
  void emitPackRight();
  void emitPackLeft(llvm::Value *tile0, llvm::Value *tile1);
  void emitPack(const ProductOperand &operand, llvm::Value *tile0,
                llvm::Value *tile1, int64_t extent, int64_t tile,
                llvm::Value *panels, int64_t width, bool zeroFill);
  void emitPanels(llvm::Value *tile0, llvm::Value *tile1);
  void emitTile(llvm::Value *rowTile, int64_t tileRows, llvm::Value *columnTile,
                int64_t tileColumns, llvm::Value *tile0);
  void emitTileEpilogue(const MicroKernel &micro,
                        llvm::ArrayRef<llvm::Value *> tileSums,
                        llvm::Value *row0, llvm::Value *column0);
  void emitEpilogue(llvm::Value *row0, llvm::Value *row1);
  void emitOutputs(llvm::Value *sum) {
    zcc::emitOutputs(emitter, p, outputs, sum);
  }
  void emitRepair(llvm::Value *row0, llvm::Value *row1, llvm::Value *base);
  // Emits body(tile, extent) for tiles [t0, t1); there are `whole` ones of
  // extent `tileExtent`, and maybe a last one of extent `rest`.
  void forTiles(llvm::Value *t0, llvm::Value *t1, int64_t whole,
                int64_t tileExtent, int64_t rest,
                llvm::function_ref<void(llvm::Value *, int64_t)> body);
  MicroKernel microKernel(int64_t rows, int64_t columns) const;
  bool rowsApart(const train::IndexExpr &offset) const;
  // Returns the address of an element of an in-place operand or of the direct
  // result.
  llvm::Value *linearPlace(
      const TensorBuffer &buffer, const train::IndexExpr &offset,
      llvm::ArrayRef<std::pair<const train::IndexVar *, llvm::Value *>> values);
  llvm::Value *scaled(llvm::Value *v, int64_t factor) {
    return b.CreateMul(v, b.getInt64(factor));
  }
  llvm::Value *minimum(llvm::Value *x, llvm::Value *y) {
    return b.CreateSelect(b.CreateICmpSLT(x, y), x, y);
  }

  CpuKernelBuilder &kernel;
  ElementEmitter &emitter;
  Product &p;
  llvm::ArrayRef<ProductOutput> outputs;
  llvm::IRBuilder<> &b;
  unsigned lanes, bytes;

  int64_t rows, columns, steps, blocks;
  ProductTiles tiles;
  int64_t panelSteps, leftWidth, rightWidth, sumStride, sumRows;
  bool passes; // the steps are packed in several parts
  // The destination of a tile's final sums: the only output, as they are;
  // outputs, through the epilogue in registers; or `sums`, for the epilogue of
  // many tiles.
  enum { Direct, Registers, Sums } finish;
  ProductEpilogue epilogue;

  // Scratch.
  llvm::Value *leftPanels = nullptr, *rightPanels = nullptr, *sums = nullptr,
              *tileSums = nullptr, *staging = nullptr;
  llvm::AllocaInst *packedColumns = nullptr;
  // The current item.
  llvm::Value *batch = nullptr, *rowTile0, *rowTile1, *columnTile0,
              *columnTile1;
  // The steps that are currently packed.
  llvm::Value *step0, *stepCount;
};

void ProductKernel::plan() {
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
    return cycles + operand.work / 32; // two additions of 16 lanes per cycle
  };
  facts.leftPacking = packing(p.left);
  facts.rightPacking = packing(p.right);
  ProductTiles wanted;
  wanted.itemRows = wanted.itemColumns = kernel.options.tile;
  tiles = chooseTiles(facts, &wanted);

  passes = tiles.packedSteps < steps;
  panelSteps = roundUp(std::min(steps, tiles.packedSteps), lanes);
  // The widths are such that no store into a panel crosses a cache line.
  leftWidth = llvm::PowerOf2Ceil(tiles.rows);
  rightWidth = roundUp(tiles.columns, lanes);
  const ProductOutput &first = outputs.front();
  mlir::Type element = llvm::cast<mlir::RankedTensorType>(first.value.getType())
                           .getElementType();
  epilogue = analyzeEpilogue(emitter.context, kernel, p, outputs);
  bool direct = steps > 0 && outputs.size() == 1 && first.plain &&
                kernel.registerType(element) == p.type &&
                KernelBuilder::memoryBytes(element) == bytes &&
                first.offset.coefficientOf(p.column) == 1;
  direct &= rowsApart(first.offset);
  finish = direct                                           ? Direct
           : steps > 0 && epilogue.inRegisters && !p.inside ? Registers
                                                            : Sums;
  // `sums` holds those of one row block if they are final at once, else those
  // of the whole item.
  sumStride = roundUp(tiles.itemColumns, lanes);
  sumRows = passes ? tiles.itemRows : tiles.packedRows;
}

// Returns true if rows, and columns, have constant distances in memory.
bool ProductKernel::rowsApart(const train::IndexExpr &offset) const {
  for (auto [var, coefficient] : offset.terms)
    if (var != p.row && var != p.column &&
        (dependsOn(var, p.row) || dependsOn(var, p.column)))
      return false;
  return true;
}

MicroKernel ProductKernel::microKernel(int64_t tileRows,
                                       int64_t tileColumns) const {
  MicroKernel micro;
  micro.type = p.type;
  micro.rows = tileRows;
  micro.columns = tileColumns;
  micro.lanes = lanes;
  micro.aRow = tiles.packLeft ? 1 : p.left.offset.coefficientOf(p.row);
  micro.aStep =
      tiles.packLeft ? leftWidth : p.left.offset.coefficientOf(p.step);
  micro.bStep =
      tiles.packRight ? rightWidth : p.right.offset.coefficientOf(p.step);
  micro.paddedB = tiles.packRight;
  micro.fewSteps = steps < 4 * tileRows * int64_t(micro.unroll);
  micro.wholeUnroll = steps % micro.unroll == 0;
  return micro;
}

llvm::Value *ProductKernel::linearPlace(
    const TensorBuffer &buffer, const train::IndexExpr &offset,
    llvm::ArrayRef<std::pair<const train::IndexVar *, llvm::Value *>> values) {
  ElementEmitter::Scope scope(emitter);
  for (auto [var, value] : values)
    emitter.bind(var, value);
  return elementPointer(b, kernel.memoryType(buffer.elementType),
                        buffer.pointer, emitter.scalarIndex(offset));
}

void ProductKernel::forTiles(
    llvm::Value *t0, llvm::Value *t1, int64_t whole, int64_t tileExtent,
    int64_t rest, llvm::function_ref<void(llvm::Value *, int64_t)> body) {
  if (whole)
    kernel.loop(t0, rest ? minimum(t1, b.getInt64(whole)) : t1, 1,
                [&](llvm::Value *t) {
                  ElementEmitter::Scope scope(emitter);
                  body(t, tileExtent);
                });
  if (rest)
    kernel.ifThenElse(b.CreateICmpSGT(t1, b.getInt64(whole)), [&] {
      ElementEmitter::Scope scope(emitter);
      body(b.getInt64(whole), rest);
    });
}

void ProductKernel::emitPackLeft(llvm::Value *tile0, llvm::Value *tile1) {
  emitPack(p.left, tile0, tile1, rows, tiles.rows, leftPanels, leftWidth,
           /*zeroFill=*/false);
}
void ProductKernel::emitPackRight() {
  emitPack(p.right, columnTile0, columnTile1, columns, tiles.columns,
           rightPanels, rightWidth, /*zeroFill=*/true);
}

void ProductKernel::emitPack(const ProductOperand &operand, llvm::Value *tile0,
                             llvm::Value *tile1, int64_t extent, int64_t tile,
                             llvm::Value *panels, int64_t width,
                             bool zeroFill) {
  auto pack = [&](llvm::Value *from, llvm::Value *count) {
    forTiles(
        tile0, tile1, extent / tile, tile, extent % tile,
        [&](llvm::Value *t, int64_t tileExtent) {
          llvm::Value *panel = elementPointer(
              b, p.type, panels,
              b.CreateAdd(scaled(b.CreateSub(t, tile0), panelSteps * width),
                          scaled(b.CreateSub(from, step0), width)));
          PanelShape shape{unsigned(tileExtent), unsigned(width), zeroFill,
                           tile % lanes == 0, steps % lanes != 0};
          emitPackPanel(emitter, operand, p.type, shape, scaled(t, tile), from,
                        count, panel, staging);
        });
  };
  if (!operand.isLinear() || operand.contiguous != ProductOperand::Free)
    return pack(step0, stepCount);
  // Rows of memory lie along the tiles, so a few steps of all tiles are packed
  // at a time.
  constexpr int64_t few = 16;
  llvm::Value *end = b.CreateAdd(step0, stepCount);
  kernel.loop(step0, end, few, [&](llvm::Value *from) {
    ElementEmitter::Scope scope(emitter);
    pack(from, minimum(b.getInt64(few), b.CreateSub(end, from)));
  });
}

void ProductKernel::emitPanels(llvm::Value *tile0, llvm::Value *tile1) {
  if (tiles.packLeft)
    emitPackLeft(tile0, tile1);
  forTiles(columnTile0, columnTile1, columns / tiles.columns, tiles.columns,
           columns % tiles.columns, [&](llvm::Value *ct, int64_t tileColumns) {
             forTiles(tile0, tile1, rows / tiles.rows, tiles.rows,
                      rows % tiles.rows,
                      [&](llvm::Value *rt, int64_t tileRows) {
                        emitTile(rt, tileRows, ct, tileColumns, tile0);
                      });
           });
}

void ProductKernel::emitTile(llvm::Value *rt, int64_t tileRows, llvm::Value *ct,
                             int64_t tileColumns, llvm::Value *tile0) {
  MicroKernel micro = microKernel(tileRows, tileColumns);
  unsigned vectors = micro.vectors();
  llvm::Value *row0 = scaled(rt, tiles.rows),
              *column0 = scaled(ct, tiles.columns);
  auto panel = [&](llvm::Value *panels, llvm::Value *tile, int64_t width) {
    return elementPointer(b, p.type, panels, scaled(tile, panelSteps * width));
  };
  llvm::Value *left = tiles.packLeft
                          ? panel(leftPanels, b.CreateSub(rt, tile0), leftWidth)
                          : linearPlace(*p.left.buffer, p.left.offset,
                                        {{p.row, row0}, {p.step, step0}});
  llvm::Value *right =
      tiles.packRight
          ? panel(rightPanels, b.CreateSub(ct, columnTile0), rightWidth)
          : linearPlace(*p.right.buffer, p.right.offset,
                        {{p.column, column0}, {p.step, step0}});
  llvm::Value *whole = nullptr; // the tile in `sums`
  if (sums)
    whole = elementPointer(
        b, p.type, sums,
        b.CreateAdd(scaled(b.CreateSub(rt, passes ? rowTile0 : tile0),
                           tiles.rows * sumStride),
                    scaled(b.CreateSub(ct, columnTile0), tiles.columns)));

  llvm::Value *output = nullptr;
  if (finish == Direct)
    output = linearPlace(kernel.result(0), outputs.front().offset,
                         {{p.row, row0}, {p.column, column0}});
  int64_t outputStride = outputs.front().offset.coefficientOf(p.row);
  // The destinations of the sums, and the operands of the epilogue there, are
  // prefetched.
  llvm::SmallVector<TilePrefetch> ahead;
  auto fetch = [&](const TensorBuffer &buffer, const train::IndexExpr &offset) {
    if (finish == Sums || offset.coefficientOf(p.column) != 1 ||
        offset.coefficientOf(p.row) == 0 || !rowsApart(offset))
      return;
    unsigned size = KernelBuilder::memoryBytes(buffer.elementType);
    ahead.push_back(
        {linearPlace(buffer, offset, {{p.row, row0}, {p.column, column0}}),
         offset.coefficientOf(p.row) * size, unsigned(tileColumns) * size});
  };
  for (auto [i, output] : llvm::enumerate(outputs))
    fetch(kernel.result(i), output.offset);
  for (auto &[buffer, offset] : epilogue.reads)
    fetch(buffer, offset);

  // Partial sums are added up in the first-level cache, or, over several
  // passes, at the destination of the final ones if that is used for nothing
  // else.
  llvm::Value *partial = tileSums;
  int64_t partialStride = vectors * lanes;
  bool partialMasked = false;
  if (finish == Sums || (passes && finish == Registers)) {
    partial = whole;
    partialStride = sumStride;
  } else if (passes) {
    partial = output;
    partialStride = outputStride;
    partialMasked = true;
  }
  auto place = [&](llvm::Value *to, int64_t stride, unsigned r, unsigned v) {
    return elementPointer(b, p.type, to, r * stride + v * lanes);
  };
  auto store = [&](llvm::ArrayRef<llvm::Value *> values, llvm::Value *to,
                   int64_t stride, bool masked) {
    for (unsigned r = 0; r < micro.rows; ++r)
      for (unsigned v = 0; v < vectors; ++v)
        storeLanes(b, values[r * vectors + v], masked ? micro.active(v) : lanes,
                   place(to, stride, r, v), bytes);
  };
  auto complete = [&](llvm::ArrayRef<llvm::Value *> values) {
    if (finish == Direct)
      store(values, output, outputStride, true);
    else if (finish == Registers)
      emitTileEpilogue(micro, values, row0, column0);
    else
      store(values, whole, sumStride, false);
  };
  auto block = [&](llvm::Value *from, llvm::Value *count, llvm::Value *isFirst,
                   llvm::Value *isLast) {
    llvm::Value *a = elementPointer(b, p.type, left, scaled(from, micro.aStep));
    llvm::Value *at =
        elementPointer(b, p.type, right, scaled(from, micro.bStep));
    llvm::SmallVector<llvm::Value *> values =
        emitMicroKernel(b, micro, a, at, count, isLast, ahead);
    if (blocks == 1)
      return complete(values);
    kernel.ifThenElse(
        isFirst, [&] { store(values, partial, partialStride, partialMasked); },
        [&] {
          for (unsigned r = 0; r < micro.rows; ++r)
            for (unsigned v = 0; v < vectors; ++v) {
              llvm::Value *&sum = values[r * vectors + v];
              llvm::Value *old = loadLanes(
                  b, p.type, lanes, partialMasked ? micro.active(v) : lanes,
                  place(partial, partialStride, r, v), bytes);
              sum = p.type->isFloatingPointTy() ? b.CreateFAdd(old, sum)
                                                : b.CreateAdd(old, sum);
            }
          kernel.ifThenElse(
              isLast, [&] { complete(values); },
              [&] { store(values, partial, partialStride, partialMasked); });
        });
  };
  if (blocks == 1)
    return block(b.getInt64(0), stepCount, b.getTrue(), b.getTrue());
  kernel.loop(b.getInt64(0), stepCount, blockSteps, [&](llvm::Value *from) {
    ElementEmitter::Scope scope(emitter);
    llvm::Value *rest = b.CreateSub(stepCount, from);
    llvm::Value *step = b.CreateAdd(step0, from);
    block(from, minimum(rest, b.getInt64(blockSteps)),
          b.CreateICmpEQ(step, b.getInt64(0)),
          b.CreateICmpSGE(step, b.getInt64(steps - blockSteps)));
  });
}

void ProductKernel::emitTileEpilogue(const MicroKernel &micro,
                                     llvm::ArrayRef<llvm::Value *> tileSums,
                                     llvm::Value *row0, llvm::Value *column0) {
  unsigned vectors = micro.vectors();
  for (unsigned r = 0; r < micro.rows; ++r) {
    ElementEmitter::Scope rowScope(emitter);
    emitter.bind(p.row, b.CreateAdd(row0, b.getInt64(r)));
    for (unsigned v = 0; v < vectors; ++v) {
      ElementEmitter::Scope scope(emitter);
      llvm::Value *column = b.CreateAdd(column0, b.getInt64(v * lanes));
      emitter.bindLanes(p.column, column);
      if (micro.active(v) < lanes)
        emitter.setMask(kernel.tailMask(column, b.getInt64(columns)));
      emitOutputs(tileSums[r * vectors + v]);
    }
  }
}

void ProductKernel::emitEpilogue(llvm::Value *tile0, llvm::Value *tile1) {
  llvm::Value *base = passes ? rowTile0 : tile0;
  llvm::Value *row0 = scaled(tile0, tiles.rows);
  llvm::Value *row1 = minimum(scaled(tile1, tiles.rows), b.getInt64(rows));
  llvm::Value *column0 = scaled(columnTile0, tiles.columns);
  llvm::Value *column1 =
      minimum(scaled(columnTile1, tiles.columns), b.getInt64(columns));
  emitRepair(row0, row1, scaled(base, tiles.rows));
  kernel.loop(row0, row1, 1, [&](llvm::Value *row) {
    ElementEmitter::Scope rowScope(emitter);
    emitter.bind(p.row, row);
    llvm::Value *line = elementPointer(
        b, p.type, sums,
        scaled(b.CreateSub(row, scaled(base, tiles.rows)), sumStride));
    auto columnsAt = [&](llvm::Value *column, llvm::Value *mask) {
      ElementEmitter::Scope scope(emitter);
      emitter.bindLanes(p.column, column);
      if (mask)
        emitter.setMask(mask);
      llvm::Value *sum;
      if (steps == 0)
        sum = llvm::Constant::getNullValue(kernel.vectorize(p.type, lanes));
      else
        sum = b.CreateAlignedLoad(
            kernel.vectorize(p.type, lanes),
            elementPointer(b, p.type, line, b.CreateSub(column, column0)),
            llvm::Align(bytes));
      emitOutputs(sum);
    };
    llvm::Value *whole =
        columns % lanes == 0
            ? column1
            : b.CreateAdd(column0, b.CreateAnd(b.CreateSub(column1, column0),
                                               b.getInt64(-int64_t(lanes))));
    kernel.loop(column0, whole, lanes,
                [&](llvm::Value *column) { columnsAt(column, nullptr); });
    if (columns % lanes)
      kernel.ifThenElse(b.CreateICmpSLT(whole, column1), [&] {
        columnsAt(whole, kernel.tailMask(whole, b.getInt64(columns)));
      });
  });
}

// Repairs sums before they are stored; the first row in memory is `base`.
void ProductKernel::emitRepair(llvm::Value *row0, llvm::Value *row1,
                               llvm::Value *base) {
  if (!p.inside || !p.type->isFloatingPointTy() || steps == 0)
    return;
  llvm::Value *column0 = scaled(columnTile0, tiles.columns);
  llvm::Value *column1 =
      minimum(scaled(columnTile1, tiles.columns), b.getInt64(columns));
  emitPaddingRepair(
      emitter, p, row0, row1, column0, column1,
      [&](llvm::Value *row, llvm::Value *column) {
        if (finish == Direct)
          return linearPlace(kernel.result(0), outputs.front().offset,
                             {{p.row, row}, {p.column, column}});
        llvm::Value *line = scaled(b.CreateSub(row, base), sumStride);
        return elementPointer(b, p.type, sums,
                              b.CreateAdd(line, b.CreateSub(column, column0)));
      });
}

void ProductKernel::emitItem(llvm::Value *item) {
  ElementEmitter::Scope scope(emitter);
  int64_t rowItems = (rows + tiles.itemRows - 1) / tiles.itemRows;
  int64_t columnItems = (columns + tiles.itemColumns - 1) / tiles.itemColumns;
  int64_t rowTiles = (rows + tiles.rows - 1) / tiles.rows;
  int64_t columnTiles = (columns + tiles.columns - 1) / tiles.columns;
  batch = b.CreateUDiv(item, b.getInt64(rowItems * columnItems));
  llvm::Value *rest = b.CreateURem(item, b.getInt64(rowItems * columnItems));
  llvm::Value *rowItem = b.CreateURem(rest, b.getInt64(rowItems));
  llvm::Value *columnItem = b.CreateUDiv(rest, b.getInt64(rowItems));
  emitter.bind(p.batch, batch);
  int64_t tall = tiles.itemRows / tiles.rows,
          wide = tiles.itemColumns / tiles.columns;
  rowTile0 = scaled(rowItem, tall);
  rowTile1 =
      minimum(b.CreateAdd(rowTile0, b.getInt64(tall)), b.getInt64(rowTiles));
  columnTile0 = scaled(columnItem, wide);
  columnTile1 = minimum(b.CreateAdd(columnTile0, b.getInt64(wide)),
                        b.getInt64(columnTiles));
  auto rowBlocks = [&] {
    int64_t perBlock = tiles.packedRows / tiles.rows;
    kernel.loop(rowTile0, rowTile1, perBlock, [&](llvm::Value *tile0) {
      ElementEmitter::Scope scope(emitter);
      llvm::Value *tile1 =
          minimum(b.CreateAdd(tile0, b.getInt64(perBlock)), rowTile1);
      if (steps > 0)
        emitPanels(tile0, tile1);
      if (finish == Sums && !passes)
        emitEpilogue(tile0, tile1);
    });
  };
  auto repairOutput = [&] {
    if (finish == Direct)
      emitRepair(scaled(rowTile0, tiles.rows),
                 minimum(scaled(rowTile1, tiles.rows), b.getInt64(rows)),
                 nullptr);
  };
  step0 = b.getInt64(0);
  stepCount = b.getInt64(steps);
  if (passes) {
    kernel.loop(step0, stepCount, tiles.packedSteps, [&](llvm::Value *from) {
      ElementEmitter::Scope passScope(emitter);
      step0 = from;
      stepCount = minimum(b.getInt64(tiles.packedSteps),
                          b.CreateSub(b.getInt64(steps), from));
      if (tiles.packRight)
        emitPackRight();
      rowBlocks();
    });
    if (finish == Sums)
      emitEpilogue(rowTile0, rowTile1);
    repairOutput();
    return;
  }
  if (tiles.shareRight && steps > 0) {
    llvm::Value *wanted = b.CreateUDiv(item, b.getInt64(rowItems));
    kernel.ifThenElse(b.CreateICmpNE(kernel.get(packedColumns), wanted), [&] {
      ElementEmitter::Scope packScope(emitter);
      emitPackRight();
      kernel.set(packedColumns, wanted);
    });
  } else if (tiles.packRight && steps > 0) {
    emitPackRight();
  }
  rowBlocks();
  repairOutput();
}

void ProductKernel::emit() {
  kernel.info.items = 0;
  if (p.rows == 0 || p.columns == 0 || p.batches == 0)
    return;
  plan();
  int64_t rowItems = (rows + tiles.itemRows - 1) / tiles.itemRows;
  int64_t columnItems = (columns + tiles.itemColumns - 1) / tiles.itemColumns;
  kernel.info.items = p.batches * rowItems * columnItems;
  // The estimate assumes 32 flops per cycle and vector, three quarters of the
  // peak.
  kernel.info.itemNanoseconds =
      1 + uint64_t(double(tiles.itemRows) * tiles.itemColumns * (steps + 8) /
                   lanes / 2 / 2.2);
  if (tiles.packLeft)
    leftPanels = kernel.scratch(tiles.packedRows / tiles.rows * leftWidth *
                                panelSteps * bytes);
  if (tiles.packRight)
    rightPanels = kernel.scratch(tiles.itemColumns / tiles.columns *
                                 rightWidth * panelSteps * bytes);
  // The number of the (batch, column of items) whose columns are packed.
  if (tiles.shareRight)
    packedColumns = kernel.variable(b.getInt64Ty(), b.getInt64(-1));
  staging = kernel.scratch(lanes * lanes * bytes);
  if (finish == Sums || (finish == Registers && passes))
    sums = kernel.scratch((sumRows * sumStride + lanes) * bytes);
  else if (blocks > 1 && !passes)
    tileSums = kernel.scratch(tiles.rows * rightWidth * bytes);
  kernel.forEachItem([&](llvm::Value *item) { emitItem(item); });
}

} // namespace

mlir::LogicalResult emitProduct(CpuKernelBuilder &kernel,
                                ElementEmitter &emitter, Product &product) {
  auto outputs = productOutputs(kernel.func, emitter.context, product.root,
                                product.resultIndex);
  if (failed(outputs))
    return mlir::failure();
  ProductKernel(kernel, emitter, product, *outputs).emit();
  return mlir::success();
}

} // namespace zcc
