// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backend of the target "cuda": NVIDIA GPUs, by their driver alone.

#ifndef ZCC_RUNTIME_CUDA_CUDABACKEND_H
#define ZCC_RUNTIME_CUDA_CUDABACKEND_H

#include "runtime/core/Backend.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace zcc::rt {

/// How collectives of ranks on GPUs move what they move.
enum class CudaCollectives : uint8_t {
  Auto,   // Device for ranks of one process, else Nccl
  Device, // over the GPUs' memory (Collectives.h): of one process
  Nccl,   // by NCCL: each rank has a GPU of its own
  Host,   // over the transport between hosts, on copies
};

/// A file of products' algorithms (ProductChoices.h), which whoever runs
/// executables keeps.
struct CudaTuning {
  std::string name = "";                       // empty: there is none
  std::function<std::string()> read = nullptr; // "": not written yet
  std::function<void(const std::string &)> write = nullptr;
};

struct CudaOptions {
  std::string driver = "libcuda.so.1"; // as dlopen() takes it
  /// GPUs that the ranks of this machine take in turn; none: all of them.
  /// Ranks of one process may share one.
  std::vector<int> gpus;
  // As dlopen() takes them; empty: where they usually are.
  std::string cublasLt = "";
  bool usesGraphs = true;
  std::string cudnn = "";
  CudaCollectives collectives = CudaCollectives::Auto;
  std::string nccl = "libnccl.so.2"; // as dlopen() takes it
  /// Rank 0 reads it, times what it lacks, and writes that; all ranks take it.
  CudaTuning tuning = {};
  /// Where the system describes its devices.
  std::string sys = "/sys";
};

/// Opens nothing yet.
std::unique_ptr<const Backend> makeCudaBackend(const CudaOptions &options);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_CUDABACKEND_H
