// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cpu/DotTiles.h"

#include <algorithm>
#include <cmath>

namespace zcc {
namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Returns the bytes of the second-level cache that an item's columns may take.
int64_t secondLevel(const ProductFacts &f) {
  return f.registers == 32 ? 1 << 20 : 256 << 10;
}

// The model has two multiply-adds and two loads per cycle; the latency of a
// chain is four cycles. Loads, above all those of the right operand from the
// second-level cache, are not quite free beside the multiply-adds (measured).
double tileCycles(int64_t rows, int64_t vectors, int64_t steps) {
  double step = std::max({rows * vectors / 2.0, (rows + vectors) / 2.0, 4.0});
  step += 0.08 * (rows + vectors) + 0.1 * vectors;
  // The last term is for the call, filling the pipeline and storing.
  return steps * step * 1.02 +
         ceilDiv(steps, blockSteps) * (16 + 1.5 * rows * vectors);
}

// Returns the cycles of the register tiles that cover rows x columns.
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

// Returns the cycles per element to fetch and store an operand of this size
// once, from the second-level cache or from beyond (measured).
double packingCycles(double work, double bytes, int64_t cache) {
  return work + (bytes > cache ? 1 : 0);
}

// Chooses the items. Packing is repeated in each row (column) of items; too few
// items leave threads idle. A panel of the right operand stays in the
// second-level cache.
void chooseItems(const ProductFacts &f, double tileCycles, ProductTiles &best) {
  int64_t cache = secondLevel(f);
  int64_t rowTiles = ceilDiv(f.rows, best.rows),
          columnTiles = ceilDiv(f.columns, best.columns),
          blocks = ceilDiv(f.steps, blockSteps);
  double leftSize = double(f.rows) * f.steps,
         rightSize = double(f.columns) * f.steps;
  // The left operand's rows come in narrower pieces.
  double leftPacking = packingCycles(f.leftPacking + (f.leftByStep ? 0 : 0.5),
                                     leftSize * f.bytes, cache),
         rightPacking =
             packingCycles(f.rightPacking, rightSize * f.bytes, cache);
  bool rightInPlace = f.rightInPlace && rowTiles <= 3;
  double bestTime = INFINITY;
  auto consider = [&](int64_t tall, int64_t wide, int64_t packedBlocks) {
    int64_t rowItems = ceilDiv(rowTiles, tall),
            columnItems = ceilDiv(columnTiles, wide);
    int64_t itemRows = tall * best.rows, itemColumns = wide * best.columns;
    int64_t passes = ceilDiv(std::max<int64_t>(blocks, 1), packedBlocks);
    int64_t packedSteps = std::min(packedBlocks * blockSteps, f.steps);
    double panel = double(packedSteps) * itemColumns * f.bytes;
    // The cycles per element of the left operand: each row of items reads it
    // from far away, each tile of columns from near (the first-level cache, if
    // all the steps of a tile fit). Without packing, steps that are far apart
    // map to the same few cache lines.
    bool nearest = best.rows * packedSteps * f.bytes <= 32 << 10;
    bool large = leftSize * f.bytes > cache;
    double far = f.leftByStep ? 0.2 : large ? 2 : 0.45;
    double near = large && !f.leftByStep ? 0.6
                  : !nearest             ? 0.12
                  : f.leftByStep         ? 0.03
                                         : 0.1;
    double inPlace = far * columnItems + near * (columnTiles - columnItems);
    double packed =
        leftPacking * columnItems + (nearest ? 0.02 : 0.2) * columnTiles;
    bool leftInPlace = f.leftInPlace && inPlace < packed;
    double cost = tileCycles + leftSize * (leftInPlace ? inPlace : packed);
    if (!rightInPlace && panel > 1.2 * cache)
      cost *= 1 + 0.1 * (panel / cache - 1);
    // Between passes, sums go to memory and come back.
    cost += (passes - 1) * 0.08 * f.rows * f.columns;
    // Items in the same columns share the packed columns if they run in one
    // call.
    bool share = !rightInPlace && rowItems > 1 && passes == 1;
    int64_t items = f.batches * rowItems * columnItems;
    double item = cost / (rowItems * columnItems) + 400;
    double pack = rightInPlace ? 0 : rightPacking * rightSize / columnItems;
    double time = 0;
    for (int threads : {1, 2, 4, 8}) {
      // Items are divided into calls like in the thread pool.
      int64_t most = threads == 1 ? 1 : 4 * threads;
      int64_t call = ceilDiv(items, std::min(items, most));
      double packs = call;
      if (share)
        packs = call % rowItems == 0   ? double(call) / rowItems
                : rowItems % call == 0 ? 1
                                       : 1 + (call - 1.0) / rowItems;
      time += ceilDiv(ceilDiv(items, call), threads) * threads *
              (call * item + packs * pack) * (threads <= 2 ? 2 : 1);
    }
    // The last round of few items leaves threads waiting for the slowest.
    time *= 1 + 0.2 / items;
    if (time < bestTime) {
      bestTime = time;
      best.itemRows = itemRows;
      best.itemColumns = itemColumns;
      best.packedSteps = passes == 1 ? f.steps : packedSteps;
      best.packLeft = !leftInPlace;
      best.packRight = !rightInPlace;
      best.shareRight = share;
    }
  };
  for (int64_t tall = 1; tall <= std::min(rowTiles, ceilDiv(1024, best.rows));
       ++tall)
    for (int64_t wide = 1;
         wide <= std::min(columnTiles, ceilDiv(1024, best.columns)); ++wide) {
      // Among equal counts only the most even one is tried, and only those with
      // at most a megabyte or two of scratch.
      bool even = ceilDiv(rowTiles, ceilDiv(rowTiles, tall)) == tall &&
                  ceilDiv(columnTiles, ceilDiv(columnTiles, wide)) == wide;
      bool small =
          tall * best.rows * wide * best.columns * f.bytes <= (3 << 19) ||
          (tall == 1 && wide == 1);
      if (!even || !small)
        continue;
      int64_t most = std::max<int64_t>(blocks, 1);
      for (int64_t packedBlocks = 1;; packedBlocks *= 2) {
        packedBlocks = std::min(packedBlocks, most);
        double panel =
            double(packedBlocks) * blockSteps * wide * best.columns * f.bytes;
        if (packedBlocks > 1 && !rightInPlace && panel > 1.2 * cache)
          break;
        consider(tall, wide, packedBlocks);
        if (packedBlocks == most)
          break;
      }
    }
}

} // namespace

ProductTiles chooseTiles(const ProductFacts &f, const ProductTiles *wanted) {
  ProductTiles best;
  // Registers hold the accumulators, a tile row of the right operand and one
  // broadcast.
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

  chooseItems(f, bestCycles, best);
  if (wanted && wanted->itemRows)
    best.itemRows =
        ceilDiv(std::min(wanted->itemRows, f.rows), best.rows) * best.rows;
  if (wanted && wanted->itemColumns)
    best.itemColumns =
        ceilDiv(std::min(wanted->itemColumns, f.columns), best.columns) *
        best.columns;
  // A pass packs whole blocks; shared columns are packed with all steps.
  int64_t fitting =
      secondLevel(f) * 6 / 5 / (best.itemColumns * f.bytes) / blockSteps;
  if (wanted && (wanted->itemRows || wanted->itemColumns)) {
    best.packedSteps = std::max<int64_t>(fitting, 1) * blockSteps;
    best.shareRight &= best.packedSteps >= f.steps;
  }
  // One row tile at a time stays in the first-level cache while the columns
  // pass. If rows are contiguous, several cache lines of them are packed.
  int64_t together = 1;
  if (best.packLeft && !f.leftByStep) {
    int64_t room =
        (192 << 10) / (std::max<int64_t>(best.packedSteps, 1) * f.bytes);
    together = std::clamp<int64_t>(room, 64 / f.bytes, 256 / f.bytes);
  }
  best.packedRows = std::min(
      best.itemRows, std::max<int64_t>(together / best.rows, 1) * best.rows);
  return best;
}

} // namespace zcc
