// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits kernels of RowColumns.h in two launches. In the first one a block does
// 64 rows, as train.reduce divides columns, 32 of them at a time: half a warp
// reduces a row, as in RowKernel.cpp, then each thread takes a few columns,
// adds up the rows in order and stores the outputs of their elements. It reads
// the rows from caches then. The second launch adds the sums of all blocks, as
// in ColumnSumsKernel.cpp.
#include "compiler/cuda/ColumnSumsKernel.h"
#include "compiler/cuda/Generators.h"
#include "compiler/cuda/RowColumns.h"
#include "compiler/cuda/RowKernel.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;

namespace zcc::cuda {

namespace {

constexpr int64_t blockThreads = 512;

class RowColumnsKernel {
public:
  RowColumnsKernel(CudaKernelBuilder &kernel, const RowColumns &form)
      : kernel(kernel), ir(kernel.ir), form(form),
        rows(kernel, form, blockThreads), columns(kernel, form) {}
  void emit();

private:
  void shareRows(llvm::Value *first);
  void emitColumns(llvm::Value *first);
  /// Calls `body` for each vector of columns that this thread does, with the
  /// first of its columns.
  void forEachVector(
      llvm::function_ref<void(int64_t number, llvm::Value *column)> body);

  CudaKernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  const RowColumns &form;
  RowKernel rows;
  ColumnSums columns;
  int64_t lanes = 1;
  std::vector<ColumnSums::Sums> sums; // of each vector
  llvm::Value *thread;
};

void RowColumnsKernel::forEachVector(
    llvm::function_ref<void(int64_t, llvm::Value *)> body) {
  int64_t vectors = form.columnCount / lanes;
  for (int64_t number = 0; number * blockThreads < vectors; ++number) {
    llvm::Value *own =
        ir.CreateNSWAdd(thread, kernel.index(number * blockThreads));
    auto emit = [&] {
      kernel.withLanes(lanes, [&] {
        body(number, ir.CreateNSWMul(own, kernel.index(lanes)));
      });
    };
    if ((number + 1) * blockThreads <= vectors)
      emit();
    else
      kernel.ifThenElse(ir.CreateICmpSLT(own, kernel.index(vectors)), emit);
  }
}

/// Brings the reductions of rows, of which `first` is the first one, to the
/// threads of all columns.
void RowColumnsKernel::shareRows(llvm::Value *first) {
  for (Operation *op : form.rows) {
    llvm::Value *value = rows.resultOf(op);
    llvm::Type *type = value->getType(), *slot = kernel.slotType(type);
    llvm::Value *place =
        kernel.shared(rows.rowsOfBlock() * slot->getPrimitiveSizeInBits() / 8);
    rows.inOneThread([&](llvm::Value *ownRow) {
      kernel.storeSlot(value, ir.CreateGEP(slot, place, ownRow));
    });
    columns.provideRow(op, [this, type, slot, place, first](llvm::Value *row) {
      return kernel.loadSlot(
          type, ir.CreateGEP(slot, place, ir.CreateNSWSub(row, first)));
    });
  }
  kernel.barrier();
}

void RowColumnsKernel::emitColumns(llvm::Value *first) {
  llvm::Value *end = ir.CreateNSWAdd(first, kernel.index(rows.rowsOfBlock()));
  if (form.rowCount % columnBlock != 0)
    for (llvm::Value **row : {&first, &end})
      *row = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, *row,
                                      kernel.index(form.rowCount));
  forEachVector([&](int64_t number, llvm::Value *column) {
    columns.addBlock(sums[number], column, first, end);
  });
}

void RowColumnsKernel::emit() {
  lanes = lanesOf16Bytes(kernel.func, form.rowCount * form.columnCount);
  while (lanes > 1 && (form.columnCount % lanes != 0 ||
                       form.columnCount / lanes < blockThreads))
    lanes /= 2;
  int64_t blocks = llvm::divideCeil(form.rowCount, columnBlock);
  kernel.setBlocks(blocks, blockThreads);
  kernel.info.second = KernelInfo::Launch();
  thread = ir.CreateZExt(kernel.thread(), ir.getInt64Ty());
  for (int64_t vectors = form.columnCount / lanes; vectors > 0;
       vectors -= blockThreads)
    kernel.withLanes(lanes, [&] { sums.push_back(columns.makeSums()); });
  llvm::Value *begin =
      ir.CreateNSWMul(kernel.block(), kernel.index(columnBlock));
  kernel.loop(kernel.index(0), kernel.index(columnBlock), rows.rowsOfBlock(),
              [&](llvm::Value *round) {
                llvm::Value *first = ir.CreateNSWAdd(begin, round);
                rows.emitRows(first);
                shareRows(first);
                emitColumns(first);
                if (rows.hasKept())
                  rows.storeKept();
                // The next rows write to the same shared memory.
                kernel.barrier();
              });
  forEachVector([&](int64_t number, llvm::Value *column) {
    columns.writeBlock(sums[number], kernel.block(), column);
  });
}

} // namespace

void emitRowColumns(CudaKernelBuilder &kernel, const RowColumns &form) {
  if (kernel.isSecond())
    ColumnSums(kernel, form).emitSecond();
  else
    RowColumnsKernel(kernel, form).emit();
}

} // namespace zcc::cuda
