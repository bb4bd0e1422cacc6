// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/DotTiles.h"

#include <algorithm>
#include <cmath>

namespace zcc {
namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Two multiply-adds and two loads a cycle; a chain's latency is four cycles.
// Loads, above all those of the right operand from the second-level cache, are
// not quite free beside the multiply-adds (measured).
double tileCycles(int64_t rows, int64_t vectors, int64_t steps) {
  double step = std::max({rows * vectors / 2.0, (rows + vectors) / 2.0, 4.0});
  step += 0.08 * (rows + vectors) + 0.1 * vectors;
  // Calling, filling the pipeline, storing.
  return steps * step * 1.02 +
         ceilDiv(steps, blockSteps) * (16 + 1.5 * rows * vectors);
}

// Cycles of the register tiles that cover rows x columns.
double coverCycles(const ProductFacts &f, int64_t tileRows,
                   int64_t tileColumns) {
  int64_t fullRows = f.rows / tileRows, restRows = f.rows % tileRows;
  int64_t fullColumns = f.columns / tileColumns,
          restColumns = f.columns % tileColumns;
  int64_t vectors = ceilDiv(tileColumns, f.lanes),
          restVectors = ceilDiv(restColumns, f.lanes);
  double cycles = 0;
  auto add = [&](int64_t count, int64_t rows, int64_t v) {
    if (count && rows && v)
      cycles += count * tileCycles(rows, v, f.steps);
  };
  add(fullRows * fullColumns, tileRows, vectors);
  add(fullRows, tileRows, restVectors);
  add(fullColumns, restRows, vectors);
  add(1, restRows, restVectors);
  return cycles;
}

} // namespace

ProductTiles chooseTiles(const ProductFacts &f, const ProductTiles *wanted) {
  ProductTiles best;
  // Registers: accumulators, a tile row of the right operand, one broadcast.
  double bestCycles = INFINITY;
  int64_t mostVectors =
      std::min<int64_t>(ceilDiv(f.columns, f.lanes), f.registers == 32 ? 4 : 3);
  for (int64_t vectors = 1; vectors <= mostVectors; ++vectors) {
    // One register stays free for the scheduler; three vectors need more
    // (measured).
    int64_t mostRows = (f.registers - 2 - vectors) / vectors;
    mostRows = std::min<int64_t>(
        {mostRows, f.rows, f.registers == 32 ? 14 : 8, vectors == 3 ? 8 : 14});
    mostRows = std::max<int64_t>(mostRows, 1);
    for (int64_t rows = 1; rows <= mostRows; ++rows) {
      int64_t columns = std::min(vectors * f.lanes, f.columns);
      if (wanted && wanted->rows && rows != std::min(wanted->rows, mostRows))
        continue;
      if (wanted && wanted->columns &&
          vectors !=
              std::min<int64_t>(ceilDiv(wanted->columns, f.lanes), mostVectors))
        continue;
      double cycles = coverCycles(f, rows, columns);
      if (cycles < bestCycles) {
        bestCycles = cycles;
        best.rows = rows;
        best.columns = columns;
      }
    }
  }

  // Items: packing is repeated in each row (column) of items; too few items
  // leave threads idle. A panel of the right operand stays in the second-level
  // cache.
  int64_t cache = f.registers == 32 ? 512 << 10 : 256 << 10;
  int64_t rowTiles = ceilDiv(f.rows, best.rows),
          columnTiles = ceilDiv(f.columns, best.columns);
  int64_t steps = std::min(f.steps, blockSteps);
  double bestCost = INFINITY;
  for (int64_t tall = 1; tall <= std::min(rowTiles, ceilDiv(1024, best.rows));
       ++tall)
    for (int64_t wide = 1;
         wide <= std::min(columnTiles, ceilDiv(1024, best.columns)); ++wide) {
      int64_t rowItems = ceilDiv(rowTiles, tall),
              columnItems = ceilDiv(columnTiles, wide);
      int64_t itemRows = tall * best.rows, itemColumns = wide * best.columns;
      // Of equal counts the most even one; and no more scratch than a megabyte
      // or two.
      bool even = ceilDiv(rowTiles, rowItems) == tall &&
                  ceilDiv(columnTiles, columnItems) == wide;
      bool small = itemRows * itemColumns * f.bytes <= (3 << 19) ||
                   (tall == 1 && wide == 1);
      if (!even || !small)
        continue;
      // Cycles an element of the left operand: each row of items reads it from
      // far away, each tile of columns from near.
      double near = f.leftByStep ? 0.03 : 0.1, far = f.leftByStep ? 0.3 : 0.45;
      double inPlace = far * columnItems + near * (columnTiles - columnItems);
      double packed = f.leftPacking * columnItems + 0.02 * columnTiles;
      bool leftInPlace = f.leftInPlace && inPlace < packed;
      bool rightInPlace = f.rightInPlace && rowTiles <= 3;
      int64_t panel = steps * itemColumns * f.bytes;
      double cost = f.batches * bestCycles;
      cost += double(f.batches) * f.rows * f.steps *
              (leftInPlace ? inPlace : packed);
      // Items one below the other share the packed columns if they run in one
      // call.
      bool shareRight = f.steps * itemColumns * f.bytes <= 2 * cache;
      if (!rightInPlace)
        cost += double(f.batches) * f.columns * f.steps * f.rightPacking *
                (shareRight ? 1 + 0.25 * (rowItems - 1) : rowItems);
      if (panel > cache)
        cost *= 1 + 0.1 * double(panel) / cache;
      int64_t items = f.batches * rowItems * columnItems;
      double share = cost / items, time = 0;
      for (int threads : {1, 2, 4, 8})
        time += ceilDiv(items, threads) * share * threads + 400.0 * items;
      // The last round of few items leaves threads waiting for the slowest.
      time *= 1 + 0.15 / items;
      if (time < bestCost) {
        bestCost = time;
        best.itemRows = itemRows;
        best.itemColumns = itemColumns;
        best.packLeft = !leftInPlace;
        best.packRight = !rightInPlace;
        best.shareRight = !rightInPlace && shareRight && rowItems > 1;
      }
    }
  if (wanted && wanted->itemRows)
    best.itemRows =
        ceilDiv(std::min(wanted->itemRows, f.rows), best.rows) * best.rows;
  if (wanted && wanted->itemColumns)
    best.itemColumns =
        ceilDiv(std::min(wanted->itemColumns, f.columns), best.columns) *
        best.columns;
  if (best.itemRows == 0) {
    best.itemRows =
        std::min<int64_t>(rowTiles, ceilDiv(256, best.rows)) * best.rows;
    best.itemColumns =
        std::min<int64_t>(columnTiles, ceilDiv(256, best.columns)) *
        best.columns;
  }
  // One row tile at a time stays in the first-level cache while the columns
  // pass; where rows are contiguous, at least a cache line of them is packed.
  int64_t line = best.packLeft && !f.leftByStep ? 64 / f.bytes : 1;
  best.packedRows = std::min(
      best.itemRows, std::max<int64_t>(line / best.rows, 1) * best.rows);
  return best;
}

} // namespace zcc
