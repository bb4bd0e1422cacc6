// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batched matrix product inside a kernel: result(batch, row, column) = sum
// over step of left(batch, row, step) * right(batch, step, column). dot_general
// and convolution say what the elements of the operands are; packing, register
// tiles and the division into items are the same for both.
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

#include "compiler/cpu/DotTiles.h"
#include "compiler/cpu/ElementEmitter.h"

namespace zcc {

struct ProductOperand {
  const train::IndexVar *free = nullptr; // row or column
  const train::IndexVar *step = nullptr;
  // The element that the bound variables mean, in register form of
  // `elementType`.
  std::function<llvm::Value *(ElementEmitter &)> emit;
  mlir::Type elementType;
  // The operand is memory: the element is at `offset` of `buffer`.
  std::optional<TensorBuffer> buffer;
  train::IndexExpr offset;
  // Which variable is contiguous in the memory that most elements come from.
  enum Contiguous { Free, Step, Neither } contiguous = Neither;
  // Operations per element, for the choice of tiles.
  double work = 0;

  // Plain memory whose addresses are linear in `free` and `step`.
  bool isLinear() const;
};

struct Product {
  mlir::Operation *root = nullptr; // whose result the product is
  llvm::Type *type = nullptr;      // in which it accumulates
  int64_t batches = 1, rows = 1, columns = 1, steps = 1; // any may be 0
  const train::IndexVar *batch = nullptr, *row = nullptr, *column = nullptr,
                        *step = nullptr;
  ProductOperand left, right;
  train::ElementIndex
      resultIndex; // the element of root's result that the variables mean
  // Null, or which of the products that the bound variables mean count (i1, by
  // lane or for all): the others have a left or right factor 0.
  std::function<llvm::Value *(ElementEmitter &)> inside;
};

/// The accumulator's type for a result and operands of these element types.
llvm::Type *accumulatorType(KernelBuilder &kernel, mlir::Type result,
                            mlir::Type left, mlir::Type right);

/// Fills `contiguous`, `buffer`, `offset` and `work` of an operand that is the
/// element `index` of `value`.
void analyzeOperand(ProductOperand &operand, train::IndexContext &context,
                    KernelBuilder &kernel, mlir::Value value,
                    const train::ElementIndex &index);

/// Where an output's elements go: its value, the index that the product's
/// variables mean there, and the position in the buffer.
struct ProductOutput {
  mlir::Value value;
  train::ElementIndex index;
  train::IndexExpr offset;
  bool plain; // the product itself, only moved
};
/// The outputs of the kernel.
mlir::FailureOr<std::vector<ProductOutput>>
productOutputs(mlir::func::FuncOp func, train::IndexContext &context,
               mlir::Operation *root, const train::ElementIndex &resultIndex);

/// What the outputs are made of beside the product.
struct ProductEpilogue {
  // Few operations on elements that lie along the columns as the product's do:
  // to be done on a tile's registers.
  bool inRegisters = false;
  std::vector<std::pair<TensorBuffer, train::IndexExpr>> reads;
};
ProductEpilogue analyzeEpilogue(train::IndexContext &context,
                                KernelBuilder &kernel, const Product &product,
                                llvm::ArrayRef<ProductOutput> outputs);

/// Emits the whole kernel: items, packing, tiles, epilogue.
mlir::LogicalResult emitProduct(KernelBuilder &kernel, ElementEmitter &emitter,
                                Product &product);

/// Where a factor 0 stands for "no product" (`inside`), its partner may be
/// infinite or NaN: the sums that are NaN in rows [row0, row1) and columns
/// [column0, column1) are computed again, from the products that count. The
/// sum of a row and column is at `place`.
void emitPaddingRepair(
    ElementEmitter &emitter, const Product &product, llvm::Value *row0,
    llvm::Value *row1, llvm::Value *column0, llvm::Value *column1,
    llvm::function_ref<llvm::Value *(llvm::Value *row, llvm::Value *column)>
        place);

/// Packs `count` free indices from `first` (count is `extent`, or less than
/// that never) and steps [step0, step0 + steps) into a panel: element (i, k)
/// goes to panel[k * width + i]. With `zeroFill` what lies between extent and
/// width is 0. Steps up to the next multiple of lanes may be written.
struct PanelShape {
  unsigned extent;
  unsigned width; // a multiple of lanes and less than that above extent, or a
                  // power of two below lanes

  bool zeroFill;
  // `first` is a multiple of lanes().
  bool aligned;
  // Steps that are not a multiple of lanes() may come.
  bool raggedSteps;
  // Not 0: element (i, k) goes to panel[i * rowStride + k] instead, of an
  // operand that is contiguous along the steps.
  int64_t rowStride = 0;
};
void emitPackPanel(ElementEmitter &emitter, const ProductOperand &operand,
                   llvm::Type *type, const PanelShape &shape,
                   llvm::Value *first, llvm::Value *step0, llvm::Value *steps,
                   llvm::Value *panel, llvm::Value *staging);

/// Columns of the lanes x lanes matrix whose rows are `rows`.
llvm::SmallVector<llvm::Value *>
transposeLanes(llvm::IRBuilderBase &b, llvm::ArrayRef<llvm::Value *> rows);

} // namespace zcc

#endif
