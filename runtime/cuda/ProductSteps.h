// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products as steps of a task, by cuBLASLt.

#ifndef ZCC_RUNTIME_CUDA_PRODUCTSTEPS_H
#define ZCC_RUNTIME_CUDA_PRODUCTSTEPS_H

#include "runtime/cuda/CublasLt.h"
#include "runtime/cuda/LibraryStep.h"
#include "runtime/cuda/ProductChoices.h"

namespace zcc::rt {
namespace format {
class Kernel;
class KernelStep;
} // namespace format

namespace cuda {

/// The library as one rank calls it. The context of its GPU is current.
class Products {
public:
  /// `choices` has algorithms; null: the library's first choice is used.
  explicit Products(const CublasLt &library,
                    const ProductChoices *choices = nullptr);
  ~Products();
  Products(const Products &) = delete;

  const CublasLt &library;
  const ProductChoices *const choices;
  lt::Handle handle() const { return own; }
  FirstRuns firstRuns;

private:
  lt::Handle own = nullptr;
};

/// `kernel` has a product. Initializing the step picks the algorithm: the
/// choice for the product if there is one, or the library's first, which
/// depends on the product, library and GPU only. It fails if the library has no
/// algorithm. All references outlive the step.
std::unique_ptr<Step> createProductStep(const format::KernelStep &step,
                                        const format::Kernel &kernel,
                                        Products &products);

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_PRODUCTSTEPS_H
