// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register tile of a matrix product: rows x (vectors of lanes) accumulators
// that run one block of the contracted index, each a sequential chain of fused
// multiply-adds. A tile's shape never shows in its bits.
#ifndef ZCC_COMPILER_CODEGEN_DOTMICROKERNEL_H
#define ZCC_COMPILER_CODEGEN_DOTMICROKERNEL_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace zcc {

/// One register tile. Strides are in elements of `type`.
struct MicroKernel {
  llvm::Type *type; // in which it accumulates
  unsigned rows = 0;
  unsigned columns = 0; // any number; the last vector is masked
  unsigned lanes = 0;
  // Element (row r, step k) of the left operand is at r * aRow + k * aStep.
  int64_t aRow = 1, aStep = 1;
  // Element (step k, column j) of the right operand is at k * bStep + j.
  int64_t bStep = 1;
  // Every call does a multiple of `unroll` steps.
  bool wholeUnroll = false;
  unsigned unroll = 4;
  // Too few steps to fetch a row's pieces with each iteration.
  bool fewSteps = false;
  // May the right operand be read up to a whole vector (it is packed)?
  bool paddedB = true;

  unsigned vectors() const { return (columns + lanes - 1) / lanes; }
  // Columns of vector v that exist.
  unsigned active(unsigned v) const {
    return v + 1 < vectors() ? lanes : columns - v * lanes;
  }
};

/// Memory that is wanted after the steps, a piece for each row of the tile:
/// fetched while the steps run.
struct TilePrefetch {
  llvm::Value *pointer; // of the first row's piece
  int64_t rowBytes;     // from one row's piece to the next one's
  unsigned bytes;       // of a piece
};

/// Emits the loop over `steps` (i64) steps from `a` and `b` on at the builder's
/// place; returns the sums, vector v of row r at r * vectors() + v. Fetches
/// `ahead` if `wanted` (i1).
llvm::SmallVector<llvm::Value *>
emitMicroKernel(llvm::IRBuilder<> &builder, const MicroKernel &kernel,
                llvm::Value *a, llvm::Value *b, llvm::Value *steps,
                llvm::Value *wanted, llvm::ArrayRef<TilePrefetch> ahead);

/// base + index elements of `type`.
llvm::Value *elementPointer(llvm::IRBuilderBase &b, llvm::Type *type,
                            llvm::Value *base, llvm::Value *index);
llvm::Value *elementPointer(llvm::IRBuilderBase &b, llvm::Type *type,
                            llvm::Value *base, int64_t index);

/// The first `active` of `lanes` elements at `pointer`; the others are zero.
llvm::Value *loadLanes(llvm::IRBuilderBase &b, llvm::Type *type, unsigned lanes,
                       unsigned active, llvm::Value *pointer,
                       unsigned alignment);
/// Stores the first `active` lanes.
void storeLanes(llvm::IRBuilderBase &b, llvm::Value *vector, unsigned active,
                llvm::Value *pointer, unsigned alignment);

/// a * b + c, fused for floats.
llvm::Value *multiplyAdd(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y,
                         llvm::Value *sum);

} // namespace zcc

#endif
