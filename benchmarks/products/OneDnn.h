// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs products with oneDNN's matmul on strided operands, for comparison.
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

/// Makes a function that does the product once on `threads` threads. `extra` is
/// the bias (also for gelu) or the summand. With `useGemm` (two dims, no
/// epilogue but Accumulate) it calls dnnl_sgemm.
std::function<void()>
makeOneDnnProduct(const StridedMatrix &lhs, const StridedMatrix &rhs,
                  const StridedMatrix &result, Epilogue epilogue, int threads,
                  void *lhsData, void *rhsData, void *resultData, void *extra,
                  bool useGemm);

} // namespace zcc::benchmark

#endif
