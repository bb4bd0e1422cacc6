// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/AttentionTiles.h"

using namespace mlir;

namespace zcc::cuda {

using V = llvm::Value *;

AttentionTiles::Variables AttentionTiles::variables(int64_t n, double initial) {
  Variables out;
  for (int64_t i = 0; i < n; ++i)
    out.push_back(kernel.variable(f32, floats(initial)));
  return out;
}

void AttentionTiles::loadTile(V to, int64_t stride, const Tensor &tensor,
                              int64_t columns, V batch, V head, V first,
                              V limit, int64_t rows, V factor) {
  V end = larger(sub(limit, number(1)), number(0));
  kernel.loop(thread, number(rows * columns), threads, [&](V i) {
    V row = ir.CreateUDiv(i, number(columns)),
      column = ir.CreateURem(i, number(columns));
    V at = place(tensor, batch, {smaller(add(first, row), end), head});
    V x = kernel.loadScalar(tensor.buffer,
                            add(at, times(column, tensor.strides.back())));
    if (factor)
      x = ir.CreateFMul(x, factor);
    storeLanes(x, element(to, add(times(row, stride), column)));
  });
}

void AttentionTiles::addProducts(ArrayRef<llvm::AllocaInst *> sums, V x,
                                 int64_t xs, Place rowOfX, V y, int64_t ys,
                                 Place rowOfY, int64_t depth) {
  int64_t stride = depth + 1, unroll = depth % 4 == 0 ? 4 : 1;
  kernel.loop(number(0), number(depth), unroll, [&](V start) {
    for (int64_t u = 0; u < unroll; ++u) {
      V d = add(start, number(u));
      SmallVector<V> left, right;
      for (int64_t i = 0; i < xs; ++i)
        left.push_back(load(x, add(times(rowOfX(i), stride), d)));
      for (int64_t j = 0; j < ys; ++j)
        right.push_back(load(y, add(times(rowOfY(j), stride), d)));
      for (int64_t i = 0; i < xs; ++i)
        for (int64_t j = 0; j < ys; ++j) {
          llvm::AllocaInst *s = sums[i * ys + j];
          kernel.set(s, kernel.fma(right[j], left[i], kernel.get(s)));
        }
    }
  });
}

} // namespace zcc::cuda
