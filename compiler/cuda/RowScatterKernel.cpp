// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits scatters of whole rows at computed places, such as the gradient of an
// embedding. A block makes a range of the result's rows, or of some columns of
// them, and looks for the updates of that range:
//
//   - Its threads copy the range from the operand.
//   - They read all indices, a few neighbors each at a time, and list the
//     updates of the range in shared memory, in order: a sum over the threads
//     of a warp, then over warps, says where each thread writes.
//   - They combine the updates of the list in order. A group of threads takes
//     each row, a thread of it 16 bytes. It loads several updates, and the
//     elements of the result at their rows, before it stores the first one.
//
// A thread does all work of an element of the result, in the order of the
// updates, as train.scatter prescribes.
#include "compiler/codegen/SingleOpKernel.h"
#include "compiler/cuda/Generators.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;

namespace zcc::cuda {

namespace {

/// `count` updates of `length` consecutive elements each, for the rows of a
/// matrix. All three tensors are these row-major, apart from dims of one
/// element.
struct RowScatter {
  int64_t rows, length, count;
};

std::optional<RowScatter> findRowScatter(train::ScatterOp op) {
  ArrayRef<int64_t> shape = train::shapeOf(op.getOperand());
  ArrayRef<int64_t> updates = train::shapeOf(op.getUpdates());
  if (op.getOperandDimsMap().size() != 1 ||
      !op.getOperandBatchingDims().empty())
    return std::nullopt;
  int64_t rowDim = op.getOperandDimsMap()[0];
  RowScatter form{shape[rowDim], 1, 1};
  size_t window = 0;
  for (int64_t d = 0; d < int64_t(shape.size()); ++d) {
    bool isInserted = llvm::is_contained(op.getInsertedWindowDims(), d);
    int64_t size = isInserted ? 1 : updates[op.getUpdateWindowDims()[window++]];
    if (size != (d == rowDim ? 1 : shape[d]) || (d < rowDim && shape[d] != 1))
      return std::nullopt;
    form.length *= size;
  }
  bool inWindow = false;
  for (auto [u, extent] : llvm::enumerate(updates)) {
    if (extent == 1)
      continue;
    bool isOfWindow = llvm::is_contained(op.getUpdateWindowDims(), u);
    if (inWindow && !isOfWindow)
      return std::nullopt;
    inWindow = isOfWindow;
    form.count *= isOfWindow ? 1 : extent;
  }
  // Lists hold numbers of 32 bits.
  if (std::max(form.rows, form.count) > INT32_MAX)
    return std::nullopt;
  return form;
}

class RowScatterKernel {
public:
  RowScatterKernel(CudaKernelBuilder &kernel, train::ScatterOp op)
      : kernel(kernel), ir(kernel.ir), op(op), special(kernel, op),
        operand(special.sources[0]), indices(special.sources[1]),
        updates(special.sources[2]), form(*findRowScatter(op)) {
    divide();
  }
  void emit();

private:
  static constexpr int64_t threads = 256, warps = threads / warpThreads;
  /// The blocks that occupy a device. More of them would read the indices more
  /// often.
  static constexpr int64_t wantedBlocks = 512;
  /// The vectors of a row that a thread does one after the other.
  static constexpr int64_t mostVectors = 4;
  /// The indices that a thread looks at together, and the updates and rows that
  /// it loads together.
  static constexpr int64_t indicesAhead = 4, updatesAhead = 4, rowsAhead = 4;
  /// The updates that a list holds, each a word of 64 bits.
  static constexpr int64_t listLength = 2048;

  void divide();
  void forEachColumn(llvm::function_ref<void(llvm::Value *column)> body);
  void initialize(llvm::Value *column);
  void listChunk(llvm::Value *first);
  llvm::Value *findRow(llvm::Value *index);
  llvm::Value *sumBefore(llvm::Value *own, llvm::Value *&all);
  void combineList(llvm::Value *column, int64_t expected);
  llvm::Value *load(const SingleOpKernel::Source &source, llvm::Value *row,
                    llvm::Value *column);
  void store(llvm::Value *value, llvm::Value *row, llvm::Value *column);
  llvm::Value *offset(llvm::Value *row, llvm::Value *column) {
    return ir.CreateNSWAdd(ir.CreateNSWMul(row, kernel.index(form.length)),
                           column);
  }
  llvm::Value *toIndex(llvm::Value *word) {
    return ir.CreateZExt(word, ir.getInt64Ty());
  }
  llvm::Value *entryAt(llvm::Value *number) {
    return ir.CreateGEP(ir.getInt64Ty(), list, number);
  }

  CudaKernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  train::ScatterOp op;
  SingleOpKernel special;
  SingleOpKernel::Source &operand, &indices, &updates;
  const RowScatter form;
  int64_t lanes = 1, vectors = 1; // of a row
  int64_t ranges = 1, rangeRows = 1, slices = 1, sliceVectors = 1;
  int64_t groups = 1, groupThreads = threads;
  int64_t indexLanes = indicesAhead, chunk = 1;
  llvm::Value *thread, *slice, *group, *firstRow, *rowCount;
  llvm::Value *list, *totals;
  llvm::AllocaInst *listed; // the updates in the list
};

/// Chooses the rows and columns of a block.
void RowScatterKernel::divide() {
  unsigned bytes = KernelBuilder::memoryBytes(operand.type.getElementType());
  lanes = std::min<int64_t>(8, kernel.vectorBytes() / bytes);
  while (form.length % lanes != 0)
    lanes /= 2;
  vectors = form.length / lanes;
  slices = llvm::divideCeil(vectors, threads * mostVectors);
  // Every block has something to do for each of its threads.
  int64_t most = std::min<int64_t>(
      wantedBlocks,
      llvm::divideCeil((form.rows + form.count) * vectors, threads));
  ranges = std::clamp<int64_t>(most / slices, 1, form.rows);
  rangeRows = llvm::divideCeil(form.rows, ranges);
  ranges = llvm::divideCeil(form.rows, rangeRows);
  // If the ranges of rows are too few to occupy the device, several blocks
  // share one. Each then has the columns of a warp, or more.
  slices = std::max<int64_t>(
      slices,
      std::min<int64_t>(most / ranges,
                        llvm::divideCeil(vectors, int64_t(warpThreads))));
  sliceVectors = llvm::divideCeil(vectors, slices);
  slices = llvm::divideCeil(vectors, sliceVectors);
  groupThreads = std::min<int64_t>(threads, sliceVectors);
  groups = threads / groupThreads;
  while (form.count % indexLanes != 0)
    indexLanes /= 2;
  chunk = threads * indexLanes;
}

llvm::Value *RowScatterKernel::load(const SingleOpKernel::Source &source,
                                    llvm::Value *row, llvm::Value *column) {
  if (source.splat)
    return kernel.toLanes(source.splat);
  return kernel.loadVector(source.buffer, offset(row, column), nullptr,
                           /*whole=*/true);
}

void RowScatterKernel::store(llvm::Value *value, llvm::Value *row,
                             llvm::Value *column) {
  for (const TensorBuffer &target : special.targets[0])
    kernel.storeVector(value, target, offset(row, column), nullptr,
                       /*whole=*/true);
}

/// Calls `body` for each vector of columns that this thread does, with the
/// first of its columns.
void RowScatterKernel::forEachColumn(
    llvm::function_ref<void(llvm::Value *)> body) {
  llvm::Value *first = ir.CreateNSWMul(slice, kernel.index(sliceVectors));
  llvm::Value *end = ir.CreateNSWAdd(first, kernel.index(sliceVectors));
  if (vectors % sliceVectors != 0)
    end = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end,
                                   kernel.index(vectors));
  llvm::Value *own =
      ir.CreateNSWAdd(first, kernel.modulo(thread, groupThreads, threads));
  auto emit = [&](llvm::Value *vector) {
    kernel.withLanes(
        lanes, [&] { body(ir.CreateNSWMul(vector, kernel.index(lanes))); });
  };
  if (sliceVectors > threads)
    return kernel.loop(own, end, threads, emit);
  kernel.ifThenElse(ir.CreateAnd(ir.CreateICmpSLT(own, end),
                                 ir.CreateICmpSLT(group, kernel.index(groups))),
                    [&] { emit(own); });
}

void RowScatterKernel::initialize(llvm::Value *column) {
  const int64_t together = operand.splat ? 1 : rowsAhead;
  kernel.loop(group, rowCount, groups * together, [&](llvm::Value *first) {
    SmallVector<std::pair<llvm::Value *, llvm::Value *>> places; // row, exists
    SmallVector<llvm::Value *> values;
    for (int64_t k = 0; k < together; ++k) {
      llvm::Value *own = ir.CreateNSWAdd(first, kernel.index(k * groups));
      llvm::Value *exists =
          k == 0 ? ir.getTrue() : ir.CreateICmpSLT(own, rowCount);
      places.push_back({ir.CreateNSWAdd(firstRow, own), exists});
      auto loadOwn = [&] { return load(operand, places.back().first, column); };
      values.push_back(k == 0 ? loadOwn() : kernel.makeIf(exists, loadOwn));
    }
    for (int64_t k = 0; k < together; ++k)
      kernel.ifThenElse(places[k].second,
                        [&] { store(values[k], places[k].first, column); });
  });
}

/// Returns the row of an index minus the first one of this block. The row is in
/// the range if that is below rowCount as an unsigned number. 32 bits are
/// enough for indices that have no more, because a difference that overflows is
/// as far out of the range.
llvm::Value *RowScatterKernel::findRow(llvm::Value *index) {
  Type type = indices.type.getElementType();
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  llvm::Type *word =
      type.getIntOrFloatBitWidth() > 32 ? ir.getInt64Ty() : ir.getInt32Ty();
  llvm::Value *row = ir.CreateIntCast(index, word, !isUnsigned);
  if (op.getClampStarts()) {
    row = ir.CreateBinaryIntrinsic(
        isUnsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin, row,
        llvm::ConstantInt::get(word, form.rows - 1));
    if (!isUnsigned)
      row = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, row,
                                     llvm::ConstantInt::get(word, 0));
  }
  return ir.CreateSub(row, ir.CreateTrunc(firstRow, word));
}

/// Returns the sum of `own` over the threads before this one; `all` becomes
/// that of all threads. There is a barrier inside, and another one must follow
/// before the next call.
llvm::Value *RowScatterKernel::sumBefore(llvm::Value *own, llvm::Value *&all) {
  llvm::Type *i32 = ir.getInt32Ty();
  llvm::Value *lane =
      ir.CreateAnd(kernel.thread(), ir.getInt32(warpThreads - 1));
  llvm::Value *warp =
      ir.CreateLShr(kernel.thread(), ir.getInt32(llvm::Log2_32(warpThreads)));
  llvm::Value *sum = own; // with this thread and those before it in the warp
  for (unsigned distance = 1; distance < warpThreads; distance *= 2) {
    llvm::Value *from = ir.CreateAnd(ir.CreateSub(lane, ir.getInt32(distance)),
                                     ir.getInt32(warpThreads - 1));
    llvm::Value *other = kernel.shuffle(sum, from);
    sum = ir.CreateAdd(
        sum, ir.CreateSelect(ir.CreateICmpUGE(lane, ir.getInt32(distance)),
                             other, ir.getInt32(0)));
  }
  kernel.ifThenElse(ir.CreateICmpEQ(lane, ir.getInt32(warpThreads - 1)), [&] {
    kernel.storeSlot(sum, ir.CreateGEP(i32, totals, warp));
  });
  kernel.barrier();
  llvm::Value *before = ir.getInt32(0);
  all = ir.getInt32(0);
  constexpr int64_t together = 4;
  static_assert(warps % together == 0);
  for (int64_t w = 0; w < warps; ++w) {
    llvm::Value *four = kernel.loadSlot(
        llvm::FixedVectorType::get(i32, together),
        ir.CreateConstInBoundsGEP1_64(i32, totals, w / together * together));
    llvm::Value *total = ir.CreateExtractElement(four, w % together);
    before = ir.CreateAdd(
        before, ir.CreateSelect(ir.CreateICmpULT(ir.getInt32(w), warp), total,
                                ir.getInt32(0)));
    all = ir.CreateAdd(all, total);
  }
  return ir.CreateAdd(before, ir.CreateSub(sum, own));
}

/// Appends the updates of this block among those from `first` on to the list.
void RowScatterKernel::listChunk(llvm::Value *first) {
  llvm::Value *base =
      ir.CreateNSWAdd(first, ir.CreateNSWMul(thread, kernel.index(indexLanes)));
  auto loadOwn = [&] {
    llvm::Value *loaded = nullptr;
    kernel.withLanes(indexLanes, [&] {
      loaded = indices.splat ? kernel.toLanes(indices.splat)
                             : kernel.loadVector(indices.buffer, base, nullptr,
                                                 /*whole=*/true);
    });
    return loaded;
  };
  llvm::Value *exists = ir.CreateICmpSLT(base, kernel.index(form.count));
  bool isWhole = form.count % chunk == 0;
  llvm::Value *own = isWhole ? loadOwn() : kernel.makeIf(exists, loadOwn);
  SmallVector<llvm::Value *> rows, isOwn;
  llvm::Value *found = ir.getInt32(0);
  for (int64_t k = 0; k < indexLanes; ++k) {
    llvm::Value *row =
        findRow(indexLanes == 1 ? own : ir.CreateExtractElement(own, k));
    llvm::Value *inRange =
        ir.CreateICmpULT(row, ir.CreateTrunc(rowCount, row->getType()));
    rows.push_back(ir.CreateZExtOrTrunc(row, ir.getInt32Ty()));
    isOwn.push_back(isWhole ? inRange : ir.CreateAnd(exists, inRange));
    found = ir.CreateAdd(found, ir.CreateZExt(isOwn.back(), ir.getInt32Ty()));
  }
  llvm::Value *all = nullptr;
  llvm::Value *before = sumBefore(found, all);
  llvm::Value *at = ir.CreateAdd(kernel.get(listed), before);
  for (int64_t k = 0; k < indexLanes; ++k) {
    kernel.ifSeldom(
        isOwn[k],
        [&] {
          llvm::Value *number = ir.CreateNSWAdd(base, kernel.index(k));
          ir.CreateAlignedStore(
              ir.CreateOr(ir.CreateShl(toIndex(rows[k]), 32), number),
              entryAt(toIndex(at)), llvm::Align(8));
        },
        // The threads of a warp look together.
        static_cast<uint32_t>(llvm::divideCeil(ranges, warpThreads)));
    at = ir.CreateAdd(at, ir.CreateZExt(isOwn[k], ir.getInt32Ty()));
  }
  kernel.set(listed, ir.CreateAdd(kernel.get(listed), all));
  kernel.barrier();
}

/// Combines the updates of the list, of which `expected` are expected.
void RowScatterKernel::combineList(llvm::Value *column, int64_t expected) {
  llvm::Value *count = toIndex(kernel.get(listed));
  const bool replaces = op.getKind() == train::ReduceKind::replace;
  const Type element = operand.type.getElementType();
  // A warp takes an update that is of one of its groups.
  const auto oneIn = static_cast<uint32_t>(llvm::divideCeil(
      groups, std::max<int64_t>(1, warpThreads / groupThreads)));
  struct Update {
    llvm::Value *isOwn, *row, *value, *old;
  };
  auto combine = [&](llvm::Value *first) {
    SmallVector<Update> all;
    for (int64_t k = 0; k < updatesAhead; ++k) {
      Update own{};
      llvm::Value *at = ir.CreateNSWAdd(first, kernel.index(k));
      llvm::Value *entry =
          ir.CreateAlignedLoad(ir.getInt64Ty(), entryAt(at), llvm::Align(8));
      llvm::Value *number = ir.CreateAnd(entry, kernel.index(UINT32_MAX));
      own.row = ir.CreateLShr(entry, 32);
      own.isOwn = k == 0 ? ir.getTrue() : ir.CreateICmpSLT(at, count);
      if (groups > 1) // the row of an entry that does not exist is any number
        own.isOwn = ir.CreateAnd(
            own.isOwn,
            ir.CreateICmpEQ(kernel.modulo(own.row, groups, rangeRows), group));
      own.row = ir.CreateNSWAdd(firstRow, own.row);
      own.value = kernel.makeIf(
          own.isOwn, [&] { return load(updates, number, column); }, oneIn);
      if (!replaces)
        own.old = kernel.makeIf(
            own.isOwn,
            [&] {
              return kernel.loadVector(special.targets[0].front(),
                                       offset(own.row, column), nullptr,
                                       /*whole=*/true);
            },
            oneIn);
      all.push_back(own);
    }
    for (size_t k = 0; k < all.size(); ++k) {
      Update &own = all[k];
      if (!replaces) {
        // The last update of the same row before this one has changed it.
        for (const Update &before : ArrayRef(all).take_front(k))
          own.old = ir.CreateSelect(ir.CreateICmpEQ(before.row, own.row),
                                    before.value, own.old);
        own.value =
            kernel.roundTo(element, special.combine(op.getKind(), element,
                                                    own.old, own.value));
      }
      kernel.ifSeldom(
          own.isOwn, [&] { store(own.value, own.row, column); }, oneIn);
    }
  };
  kernel.loop(kernel.index(0), count, updatesAhead, combine,
              llvm::divideCeil(expected, updatesAhead));
}

void RowScatterKernel::emit() {
  kernel.setBlocks(ranges * slices, threads);
  thread = toIndex(kernel.thread());
  llvm::Value *range = kernel.divide(kernel.block(), slices, ranges * slices);
  slice = kernel.modulo(kernel.block(), slices, ranges * slices);
  group = kernel.divide(thread, groupThreads, threads);
  firstRow = ir.CreateNSWMul(range, kernel.index(rangeRows));
  rowCount = kernel.index(rangeRows);
  if (form.rows % rangeRows != 0)
    rowCount = ir.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, rowCount,
        ir.CreateNSWSub(kernel.index(form.rows), firstRow));
  forEachColumn([&](llvm::Value *column) { initialize(column); });
  if (form.count == 0)
    return;
  // Updates are loaded several at a time, so the list has room for entries
  // behind the last one, which are read and not used.
  const bool fits = form.count <= listLength;
  const int64_t length = fits ? form.count : listLength;
  list = kernel.shared((length + updatesAhead - 1) * sizeof(uint64_t));
  totals = kernel.shared(warps * sizeof(uint32_t));
  listed = kernel.variable(ir.getInt32Ty(), ir.getInt32(0));
  const int64_t chunks = llvm::divideCeil(form.count, chunk);
  // Rows are taken to have about as many updates each.
  const int64_t expected = llvm::divideCeil(form.count, ranges);
  const int64_t times =
      fits ? 1 : llvm::divideCeil(expected, listLength - chunk);
  auto combine = [&] {
    forEachColumn([&](llvm::Value *column) {
      combineList(column, llvm::divideCeil(expected, times));
    });
  };
  kernel.loop(kernel.index(0), kernel.index(form.count), chunk,
              [&](llvm::Value *first) {
                listChunk(first);
                if (fits)
                  return;
                llvm::Value *isLast =
                    ir.CreateICmpSGE(first, kernel.index((chunks - 1) * chunk));
                llvm::Value *isFull = ir.CreateICmpUGT(
                    kernel.get(listed), ir.getInt32(listLength - chunk));
                kernel.ifSeldom(
                    ir.CreateOr(isLast, isFull),
                    [&] {
                      combine();
                      // Between this and the next chunk's stores there is a
                      // barrier.
                      kernel.set(listed, ir.getInt32(0));
                    },
                    static_cast<uint32_t>(llvm::divideCeil(chunks, times)));
              });
  if (fits)
    combine();
}

} // namespace

bool suitsRowScatter(Operation *op) {
  auto scatter = dyn_cast<train::ScatterOp>(op);
  return scatter && findRowScatter(scatter);
}

void emitRowScatter(CudaKernelBuilder &kernel, Operation *op) {
  RowScatterKernel(kernel, cast<train::ScatterOp>(op)).emit();
}

} // namespace zcc::cuda
