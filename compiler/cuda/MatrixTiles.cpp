// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/MatrixTiles.h"

using namespace mlir;

namespace zcc::cuda {

using V = llvm::Value *;

/// The elements of 16 bytes.
static constexpr int64_t chunk = 8;

bool MatrixTiles::suits(const train::Attention &a) {
  Type type = getElementTypeOrSelf(a.query);
  auto suitsDepth = [](int64_t n) {
    return n > 0 && n <= 128 && n % chunk == 0;
  };
  return (type.isBF16() || type.isF16()) &&
         getElementTypeOrSelf(a.key) == type &&
         getElementTypeOrSelf(a.value) == type && !a.block &&
         suitsDepth(a.depth) && suitsDepth(a.valueDepth);
}

void MatrixTiles::begin(int64_t blocks) {
  gpu.setBlocks(blocks, threads);
  thread = ir.CreateZExt(gpu.thread(), ir.getInt64Ty());
  lane32 = ir.CreateAnd(gpu.thread(), ir.getInt32(warpThreads - 1));
  V lane = ir.CreateAnd(thread, number(warpThreads - 1));
  group = ir.CreateLShr(lane, number(2));
  place4 = ir.CreateAnd(lane, number(3));
  V warp = ir.CreateLShr(thread, number(5));
  ownRow = add(times(warp, warpRows), group);
  ownColumn = times(place4, 2);
}

MatrixTiles::Rows MatrixTiles::rowsOf(mlir::Value v, int64_t columns) {
  Rows rows{operand(v), columns, true};
  ArrayRef<int64_t> strides = rows.tensor.strides;
  rows.isAligned = strides.back() == 1 && rows.tensor.offset % chunk == 0 &&
                   llvm::all_of(strides.drop_back(), [](int64_t stride) {
                     return stride % chunk == 0;
                   });
  return rows;
}

// ---------------------------------------------------------------- loads

V MatrixTiles::loadWord(const Rows &rows, V offset) {
  llvm::Type *half = ir.getInt16Ty();
  V base = rows.tensor.buffer.pointer;
  if (rows.isAligned)
    return ir.CreateAlignedLoad(word, ir.CreateGEP(half, base, offset),
                                llvm::Align(4));
  V at[2] = {offset, add(offset, number(rows.tensor.strides.back()))};
  V both[2];
  for (int i = 0; i < 2; ++i)
    both[i] = ir.CreateZExt(
        ir.CreateAlignedLoad(half, ir.CreateGEP(half, base, at[i]),
                             llvm::Align(2)),
        word);
  return ir.CreateOr(both[0], ir.CreateShl(both[1], 16));
}

/// Loads 8 elements, as <8 x i16>.
V MatrixTiles::loadChunk(const Rows &rows, V offset) {
  llvm::Type *half = ir.getInt16Ty();
  llvm::Type *type = llvm::FixedVectorType::get(half, chunk);
  V base = rows.tensor.buffer.pointer;
  if (rows.isAligned)
    return ir.CreateAlignedLoad(type, ir.CreateGEP(half, base, offset),
                                llvm::Align(16));
  V all = llvm::PoisonValue::get(type);
  for (int64_t i = 0; i < chunk; ++i) {
    V at = add(offset, number(i * rows.tensor.strides.back()));
    all = ir.CreateInsertElement(
        all,
        ir.CreateAlignedLoad(half, ir.CreateGEP(half, base, at),
                             llvm::Align(2)),
        uint64_t(i));
  }
  return all;
}

MatrixTiles::Values MatrixTiles::loadLeft(const Rows &rows, V batch, V head,
                                          V first, V limit) {
  V offsets[2];
  for (int i = 0; i < 2; ++i) {
    V row =
        smaller(add(first, add(ownRow, number(i * 8))), sub(limit, number(1)));
    offsets[i] = place(rows.tensor, batch, {row, head});
  }
  Values out;
  for (int64_t step = 0; step < rows.columns; step += stepTile)
    for (int64_t i = 0; i < 4; ++i) {
      int64_t column = step + i / 2 * 8;
      if (column >= rows.columns) {
        out.push_back(ir.getInt32(0));
        continue;
      }
      V at = times(add(ownColumn, number(column)), rows.tensor.strides.back());
      out.push_back(loadWord(rows, add(offsets[i % 2], at)));
    }
  return out;
}

MatrixTiles::Values MatrixTiles::roundLeft(ArrayRef<V> elements) {
  Values out;
  for (int64_t i = 0; i < 8; i += 2)
    out.push_back(gpu.packHalves(elements[i], elements[i + 1], isBf16));
  return out;
}

MatrixTiles::Fetched MatrixTiles::fetch(const Rows &rows, V batch, V head,
                                        V first, V limit, int64_t count) {
  int64_t chunks = rows.columns / chunk, all = count / 2 * chunks;
  Fetched out;
  for (int64_t begin = 0; begin < all; begin += threads) {
    V own = add(thread, number(begin)), exists = nullptr;
    if (begin + threads > all) {
      exists = ir.CreateICmpSLT(own, number(all));
      own = smaller(own, number(all - 1));
    }
    V pair = ir.CreateUDiv(own, number(chunks)),
      column = times(ir.CreateURem(own, number(chunks)), chunk);
    V values[2];
    for (int64_t i = 0; i < 2; ++i) {
      V row = smaller(add(first, add(times(pair, 2), number(i))),
                      sub(limit, number(1)));
      V at = place(rows.tensor, batch, {row, head});
      values[i] =
          loadChunk(rows, add(at, times(column, rows.tensor.strides.back())));
    }
    out.parts.push_back({pair, column, values[0], values[1], exists});
  }
  return out;
}

// ---------------------------------------------------------------- tiles

void MatrixTiles::putRows(const Tile &tile, const Fetched &fetched) {
  llvm::Type *words = llvm::FixedVectorType::get(word, 4);
  for (const Fetched::Part &part : fetched.parts) {
    auto put = [&] {
      V at = add(times(part.pair, 2 * tile.stride),
                 ir.CreateLShr(part.column, number(1)));
      for (V value : {part.upper, part.lower}) {
        ir.CreateAlignedStore(ir.CreateBitCast(value, words),
                              ir.CreateGEP(word, tile.base, at),
                              llvm::Align(16));
        at = add(at, number(tile.stride));
      }
    };
    if (part.exists)
      kernel.ifThenElse(part.exists, put);
    else
      put();
  }
}

void MatrixTiles::putPairs(const Tile &tile, const Fetched &fetched) {
  llvm::Type *words = llvm::FixedVectorType::get(word, 4);
  for (const Fetched::Part &part : fetched.parts) {
    auto put = [&] {
      V at = add(times(part.pair, tile.stride), part.column);
      for (int first : {0, 4}) {
        SmallVector<int> order;
        for (int i = first; i < first + 4; ++i)
          order.append({i, i + int(chunk)});
        V mixed = ir.CreateShuffleVector(part.upper, part.lower, order);
        ir.CreateAlignedStore(ir.CreateBitCast(mixed, words),
                              ir.CreateGEP(word, tile.base, at),
                              llvm::Align(16));
        at = add(at, number(4));
      }
    };
    if (part.exists)
      kernel.ifThenElse(part.exists, put);
    else
      put();
  }
}

MatrixTiles::Values MatrixTiles::leftOf(const Tile &tile, int64_t step) {
  V at = add(times(ownRow, tile.stride), place4);
  Values out;
  for (int64_t i = 0; i < 4; ++i) {
    if (step * stepTile + i / 2 * 8 >= tile.columns) {
      out.push_back(ir.getInt32(0));
      continue;
    }
    int64_t more = i % 2 * 8 * tile.stride + step * stepTile / 2 + i / 2 * 4;
    out.push_back(wordAt(tile, add(at, number(more))));
  }
  return out;
}

void MatrixTiles::multiplyRows(Values &sums,
                               llvm::function_ref<Values(int64_t)> left,
                               const Tile &right, int64_t columns) {
  V at = add(times(group, right.stride), place4);
  for (int64_t step = 0; step < right.columns; step += stepTile) {
    Values own = left(step / stepTile);
    for (int64_t column = 0; column < columns; column += columnTile) {
      V words[2] = {ir.getInt32(0), ir.getInt32(0)};
      for (int64_t i = 0; i < 2; ++i)
        if (step + i * 8 < right.columns)
          words[i] = wordAt(
              right, add(at, number(column * right.stride + step / 2 + i * 4)));
      auto *to = sums.begin() + column / columnTile * 4;
      auto next = gpu.multiplyMatrices(own, words, ArrayRef<V>(to, 4), isBf16);
      std::copy(next.begin(), next.end(), to);
    }
  }
}

void MatrixTiles::multiplyPairs(const Variables &sums, ArrayRef<V> left,
                                const Tile &right, int64_t step) {
  V at =
      add(times(add(place4, number(step * stepTile / 2)), right.stride), group);
  for (int64_t column = 0; column < right.columns; column += columnTile) {
    V words[2] = {wordAt(right, add(at, number(column))),
                  wordAt(right, add(at, number(column + 4 * right.stride)))};
    auto own = ArrayRef(sums).slice(column / columnTile * 4, 4);
    Values before;
    for (llvm::AllocaInst *sum : own)
      before.push_back(kernel.get(sum));
    auto next = gpu.multiplyMatrices(left, words, before, isBf16);
    for (auto [sum, value] : llvm::zip_equal(own, next))
      kernel.set(sum, value);
  }
}

V MatrixTiles::acrossRow(V x, llvm::function_ref<V(V, V)> combine) {
  for (int distance : {1, 2})
    x = combine(gpu.shuffle(x, ir.CreateXor(lane32, ir.getInt32(distance))), x);
  return x;
}

void MatrixTiles::storePair(ArrayRef<Tensor> tensors, V batch, V row, V head,
                            V column, V low, V high) {
  V both = gpu.packHalves(low, high, isBf16);
  for (const Tensor &tensor : tensors) {
    V at = add(place(tensor, batch, {row, head}), column);
    ir.CreateAlignedStore(
        both, ir.CreateGEP(ir.getInt16Ty(), tensor.buffer.pointer, at),
        llvm::Align(4));
  }
}

} // namespace zcc::cuda
