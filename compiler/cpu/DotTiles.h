// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how a matrix product is divided: register tiles, items (the units of
// work of threads) and packing. These choices affect speed alone: an element's
// bits depend on the blocks of `blockSteps` contracted indices, which never
// change.
#ifndef ZCC_COMPILER_CPU_DOTTILES_H
#define ZCC_COMPILER_CPU_DOTTILES_H

#include "compiler/codegen/Product.h"

namespace zcc {

/// The extents, and how each operand may be read.
struct ProductFacts {
  int64_t batches = 1, rows = 1, columns = 1, steps = 1;
  unsigned lanes = 16, registers = 32, bytes = 4;
  // True if the micro-kernel may read the operand in place.
  bool leftInPlace = false, rightInPlace = false;
  // True if the left operand is contiguous along the steps.
  bool leftByStep = false;
  // The cycles to pack an element.
  double leftPacking = 0.3, rightPacking = 0.3;
};

struct ProductTiles {
  // The register tile: rows x columns (a multiple of lanes, unless all
  // columns fit in one tile).
  int64_t rows = 0, columns = 0;
  // An item's part of the result: multiples of the register tile.
  int64_t itemRows = 0, itemColumns = 0;
  // The number of rows that are packed at once.
  int64_t packedRows = 0;
  bool packLeft = true, packRight = true;
  // The number of steps that are packed at once: all, or a multiple of
  // blockSteps.
  int64_t packedSteps = 0;
  // True if the packed columns (all their steps) are kept for the next item of
  // the same call if that has the same columns.
  bool shareRight = false;
};

/// Returns the tiles with the fewest estimated cycles. Non-zero fields of
/// `wanted` are kept (rounded to possible values).
ProductTiles chooseTiles(const ProductFacts &facts,
                         const ProductTiles *wanted = nullptr);

} // namespace zcc

#endif
