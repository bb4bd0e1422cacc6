// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product inside a CPU kernel: packing, register tiles and the division into
// items.
//
// The blocking is Goto's (Goto and van de Geijn, Anatomy of High-Performance
// Matrix Multiplication): an item is a rectangle of the result; it packs its
// columns of the right operand (second-level cache), then runs register tiles
// over them row tile by row tile. A tile runs all blocks of 256 steps that are
// packed, one after the other, so that its sums reach memory once. An item
// packs for itself: items share nothing, so any thread may do any item at any
// time.
//
// Rows are broadcast, columns are vector lanes: a caller chooses the operand
// whose free dims are contiguous in the result as `right`.
#ifndef ZCC_COMPILER_CPU_DOTPRODUCT_H
#define ZCC_COMPILER_CPU_DOTPRODUCT_H

#include "compiler/codegen/Product.h"
#include "compiler/cpu/CpuKernelBuilder.h"
#include "compiler/cpu/DotTiles.h"

namespace zcc {

/// The computation of the outputs from the product.
struct ProductEpilogue {
  // True if there are few operations, on elements that lie along the columns
  // like the product's: then they are done on a tile's registers.
  bool inRegisters = false;
  std::vector<std::pair<TensorBuffer, train::IndexExpr>> reads;
};
ProductEpilogue analyzeEpilogue(train::IndexContext &context,
                                KernelBuilder &kernel, const Product &product,
                                llvm::ArrayRef<ProductOutput> outputs);

/// Emits the whole kernel: items, packing, tiles, epilogue.
mlir::LogicalResult emitProduct(CpuKernelBuilder &kernel,
                                ElementEmitter &emitter, Product &product);

/// Repairs sums in which a factor 0 that stands for "no product" (`inside`) met
/// an infinite or NaN factor. The sums that are NaN in rows [row0, row1) and
/// columns [column0, column1) are computed again, from the products that count.
/// `place` returns the address of the sum of a row and column.
void emitPaddingRepair(
    ElementEmitter &emitter, const Product &product, llvm::Value *row0,
    llvm::Value *row1, llvm::Value *column0, llvm::Value *column1,
    llvm::function_ref<llvm::Value *(llvm::Value *row, llvm::Value *column)>
        place);

/// Packs `extent` free indices from `first` on and steps [step0, step0 + steps)
/// into a panel: element (i, k) goes to panel[k * width + i]. With `zeroFill`
/// the elements between extent and width become 0. Steps up to the next
/// multiple of lanes may be written.
struct PanelShape {
  unsigned extent;
  unsigned width; // a multiple of lanes and less than that above extent, or a
                  // power of two below lanes

  bool zeroFill;
  // True if `first` is a multiple of lanes().
  bool aligned;
  // The number of steps need not be a multiple of lanes().
  bool raggedSteps;
  // If not 0: element (i, k) goes to panel[i * rowStride + k] instead; the
  // operand is contiguous along the steps.
  int64_t rowStride = 0;
};
void emitPackPanel(ElementEmitter &emitter, const ProductOperand &operand,
                   llvm::Type *type, const PanelShape &shape,
                   llvm::Value *first, llvm::Value *step0, llvm::Value *steps,
                   llvm::Value *panel, llvm::Value *staging);

/// Returns the columns of the lanes x lanes matrix whose rows are `rows`.
llvm::SmallVector<llvm::Value *>
transposeLanes(llvm::IRBuilderBase &b, llvm::ArrayRef<llvm::Value *> rows);

} // namespace zcc

#endif
