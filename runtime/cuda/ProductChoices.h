// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithms of cuBLASLt that products use, chosen by timing: a text that a
// file keeps and all ranks share, for one GPU model and one version of the
// library. An algorithm is 64 bytes that only that version understands.

#ifndef ZCC_RUNTIME_CUDA_PRODUCTCHOICES_H
#define ZCC_RUNTIME_CUDA_PRODUCTCHOICES_H

#include "runtime/cuda/CublasLt.h"

#include <map>
#include <string>

namespace zcc::rt {
namespace format {
class Executable;
class Kernel;
} // namespace format

namespace cuda {

class Gpu;
class ProductCall;

class ProductChoices {
public:
  /// Starts with no choices. `name` is the file's name, for errors.
  ProductChoices(const std::string &name, const CublasLt &library,
                 const Gpu &gpu);

  /// Adds the choices of a text that toText() made. Bad input if it is damaged,
  /// or made for another GPU or version.
  void read(const std::string &text);
  std::string toText() const;

  /// Times the algorithms of each product of the executable that has no choice
  /// yet, on memory of its own, which is freed afterwards. Returns true if
  /// there was such a product. The GPU's context is current.
  bool tune(const format::Executable &executable);

  /// Returns the choice for a kernel's product, which must have one. Bad input
  /// if the library does not know the algorithm.
  const lt::Algorithm &of(const format::Kernel &kernel,
                          const ProductCall &call) const;

private:
  struct Choice {
    lt::Algorithm algorithm;
    float microseconds; // the time of one run
  };

  const std::string name;
  const CublasLt &library;
  const Gpu &gpu;
  const std::string where;           // "cuBLASLt 13.0.0 on NVIDIA H100, sm_90"
  std::map<std::string, Choice> all; // by product
};

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_PRODUCTCHOICES_H
