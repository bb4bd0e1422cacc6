// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products as steps of a task, by cuBLASLt.

#ifndef ZCC_RUNTIME_CUDA_PRODUCTSTEPS_H
#define ZCC_RUNTIME_CUDA_PRODUCTSTEPS_H

#include "runtime/core/Step.h"
#include "runtime/cuda/CublasLt.h"
#include "runtime/cuda/ProductChoices.h"

namespace zcc::rt {
namespace format {
class Kernel;
class KernelStep;
} // namespace format

namespace cuda {

/// The library as one rank calls it, whose GPU's context is current.
class Products {
public:
  /// `choices`: of algorithms; null: the library's first.
  explicit Products(const CublasLt &library,
                    const ProductChoices *choices = nullptr);
  ~Products();
  Products(const Products &) = delete;

  const CublasLt &library;
  const ProductChoices *const choices;
  lt::Handle handle() const { return own; }

private:
  lt::Handle own = nullptr;
};

/// `kernel` has a product. The algorithm is known when the step is
/// initialized: what was chosen for the product, or the library's first, the
/// same for the same product, library and GPU. What the library has no
/// algorithm for is a failure. All outlive the step.
std::unique_ptr<Step> createProductStep(const format::KernelStep &step,
                                        const format::Kernel &kernel,
                                        const Products &products);

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_PRODUCTSTEPS_H
