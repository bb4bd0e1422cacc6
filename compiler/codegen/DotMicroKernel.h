// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register tile of a matrix product: rows x (vectors of lanes) accumulators
// that run one block of the contracted index, each a sequential chain of fused
// multiply-adds. The shape of a tile does not affect the bits of the result.
#ifndef ZCC_COMPILER_CODEGEN_DOTMICROKERNEL_H
#define ZCC_COMPILER_CODEGEN_DOTMICROKERNEL_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace zcc {

/// One register tile. Strides are in elements of `type`.
struct MicroKernel {
  llvm::Type *type; // the type of the accumulators
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
  // There are too few steps to prefetch one piece of a row in each iteration.
  bool fewSteps = false;
  // True if the right operand may be read up to a whole vector (it is packed).
  bool paddedB = true;

  unsigned vectors() const { return (columns + lanes - 1) / lanes; }
  // Returns the number of columns of vector v that exist.
  unsigned active(unsigned v) const {
    return v + 1 < vectors() ? lanes : columns - v * lanes;
  }
};

/// Memory that is read or written after the steps, one piece for each row of
/// the tile; it is prefetched while the steps run.
struct TilePrefetch {
  llvm::Value *pointer; // the piece of the first row
  int64_t rowBytes;     // the distance between pieces
  unsigned bytes;       // bytes of a piece
};

/// Emits the loop over `steps` (i64) steps from `a` and `b` on, at the
/// builder's insertion point. Returns the sums, vector v of row r at r *
/// vectors() + v. The loop prefetches `ahead` if `wanted` (i1) is true.
llvm::SmallVector<llvm::Value *>
emitMicroKernel(llvm::IRBuilder<> &builder, const MicroKernel &kernel,
                llvm::Value *a, llvm::Value *b, llvm::Value *steps,
                llvm::Value *wanted, llvm::ArrayRef<TilePrefetch> ahead);

/// Returns the address base + index elements of `type`.
llvm::Value *elementPointer(llvm::IRBuilderBase &b, llvm::Type *type,
                            llvm::Value *base, llvm::Value *index);
llvm::Value *elementPointer(llvm::IRBuilderBase &b, llvm::Type *type,
                            llvm::Value *base, int64_t index);

/// Loads the first `active` of `lanes` elements at `pointer`; the others are
/// zero.
llvm::Value *loadLanes(llvm::IRBuilderBase &b, llvm::Type *type, unsigned lanes,
                       unsigned active, llvm::Value *pointer,
                       unsigned alignment);
/// Stores the first `active` lanes.
void storeLanes(llvm::IRBuilderBase &b, llvm::Value *vector, unsigned active,
                llvm::Value *pointer, unsigned alignment);

/// Returns x * y + sum, fused for floats.
llvm::Value *multiplyAdd(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y,
                         llvm::Value *sum);

} // namespace zcc

#endif
