// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a matrix product is cut: register tiles, items (what a thread takes at
// once) and packing. All of it is speed alone: an element's bits depend on the
// blocks of `blockSteps` contracted indices, which never change.
#ifndef ZCC_COMPILER_CPU_DOTTILES_H
#define ZCC_COMPILER_CPU_DOTTILES_H

#include "compiler/codegen/Product.h"

namespace zcc {

/// The extents, and how each operand may be read.
struct ProductFacts {
  int64_t batches = 1, rows = 1, columns = 1, steps = 1;
  unsigned lanes = 16, registers = 32, bytes = 4;
  // The operand may be read in place by the micro-kernel.
  bool leftInPlace = false, rightInPlace = false;
  // The left operand is contiguous along the steps.
  bool leftByStep = false;
  // Cycles to pack an element.
  double leftPacking = 0.3, rightPacking = 0.3;
};

struct ProductTiles {
  // The register tile: rows x columns (a multiple of lanes, unless all
  // columns fit in one tile).
  int64_t rows = 0, columns = 0;
  // An item's part of the result: multiples of the register tile.
  int64_t itemRows = 0, itemColumns = 0;
  // Rows that are packed at once.
  int64_t packedRows = 0;
  bool packLeft = true, packRight = true;
  // Steps that are packed at once: all, or a multiple of blockSteps.
  int64_t packedSteps = 0;
  // The item's columns (all their steps) are kept for the next item of the same
  // call if that has the same.
  bool shareRight = false;
};

/// The cheapest tiles by a count of cycles. Non-zero fields of `wanted` are
/// kept (rounded to what is possible).
ProductTiles chooseTiles(const ProductFacts &facts,
                         const ProductTiles *wanted = nullptr);

} // namespace zcc

#endif
