// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The peer: oneDNN's matmul on strided operands.
#ifndef ZCC_BENCHMARKS_PRODUCTS_ONEDNN_H
#define ZCC_BENCHMARKS_PRODUCTS_ONEDNN_H

#include <cstdint>
#include <functional>
#include <vector>

namespace zcc::benchmark {

struct StridedMatrix {
  std::vector<int64_t> shape, strides; // batches, rows, columns
};
enum class Epilogue { None, Bias, Residual, Accumulate, Gelu };

/// A function that does the product once on `threads` threads. `extra` is the
/// bias (gelu: likewise) or what is added. With `useGemm` (two dims, no
/// epilogue but Accumulate) by dnnl_sgemm.
std::function<void()>
makeOneDnnProduct(const StridedMatrix &lhs, const StridedMatrix &rhs,
                  const StridedMatrix &result, Epilogue epilogue, int threads,
                  void *lhsData, void *rhsData, void *resultData, void *extra,
                  bool useGemm);

} // namespace zcc::benchmark

#endif
