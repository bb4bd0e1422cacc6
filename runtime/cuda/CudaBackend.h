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

/// The implementation of collectives between ranks on GPUs.
enum class CudaCollectives : uint8_t {
  Auto,   // Nccl for processes and, if it begins, where each rank has a GPU
          // of its own; else Device
  Device, // over the GPUs' memory, in one process (Collectives.h)
  Nccl,   // by NCCL: each rank has a GPU of its own
  Host,   // on copies, over the transport between hosts
};

/// A file of chosen algorithms for products (ProductChoices.h). The program
/// that runs executables keeps it.
struct CudaTuning {
  std::string name = "";                       // empty: there is no file
  std::function<std::string()> read = nullptr; // gives "" if not written yet
  std::function<void(const std::string &)> write = nullptr;
};

struct CudaOptions {
  std::string driver = "libcuda.so.1"; // as dlopen() takes it
  /// GPUs that the ranks of this machine take in turn; empty: all of them.
  /// Ranks of one process may share one.
  std::vector<int> gpus;
  // As dlopen() takes them; empty: the usual names, in `folders` first.
  std::string cublasLt = "";
  bool usesGraphs = true;
  std::string cudnn = "";
  CudaCollectives collectives = CudaCollectives::Auto;
  std::string nccl = ""; // as cublasLt
  /// Where cuBLASLt, cuDNN and NCCL are looked for before the system's places.
  std::vector<std::string> folders = {};
  /// Rank 0 reads the file, times products that it lacks, and writes it again.
  /// All ranks use the result.
  CudaTuning tuning = {};
  /// The folder where the system describes its devices.
  std::string sys = "/sys";
};

/// Makes the backend. It opens no library yet.
std::unique_ptr<const Backend> makeCudaBackend(const CudaOptions &options);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_CUDABACKEND_H
