// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product as a call of cuBLASLt.

#ifndef ZCC_RUNTIME_CUDA_PRODUCTCALL_H
#define ZCC_RUNTIME_CUDA_PRODUCTCALL_H

#include "runtime/cuda/CublasLt.h"

#include <string>
#include <vector>

namespace zcc::rt {
namespace format {
class Kernel;
class Product;
} // namespace format

namespace cuda {

class ProductCall {
public:
  /// Addresses, 64-byte aligned. `bias` is used only if the product has one.
  struct Operands {
    const void *left, *right, *bias;
    void *result, *workspace;
  };

  /// The kernel has a product. `what` is for errors: "compute step X". All
  /// references outlive the call.
  ProductCall(const format::Kernel &kernel, const CublasLt &library,
              lt::Handle handle, const std::string &what);
  ~ProductCall();
  ProductCall(const ProductCall &) = delete;

  /// Returns at most `most` algorithms, the library's first choice first. They
  /// depend on the product, library and GPU only, give the same bits in two
  /// runs, and fit in the kernel's workspace. Fails if there is none.
  std::vector<lt::Algorithm> algorithms(int most) const;
  /// Returns true if the library has this algorithm for the product on this
  /// GPU.
  bool takes(const lt::Algorithm &algorithm) const;
  void enqueue(const Operands &operands, const lt::Algorithm &algorithm,
               StreamHandle stream) const;

private:
  void require(lt::Status status) const;
  void setBias(const void *at) const;

  const format::Product &product;
  const size_t workspaceBytes;
  const CublasLt &library;
  const lt::Handle handle;
  const std::string &what;
  lt::Operation operation = nullptr;
  lt::Layout layouts[3] = {}; // for the library's A, B, and C with D
};

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_PRODUCTCALL_H
