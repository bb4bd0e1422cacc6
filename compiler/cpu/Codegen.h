// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU code generation: compiles kernel functions of train ops to an ELF shared
// object. Kernels become LLVM IR with explicit vectors and no fast-math flags;
// no libm is called; the object has no undefined symbol.
#ifndef ZCC_COMPILER_CPU_CODEGEN_H
#define ZCC_COMPILER_CPU_CODEGEN_H

#include "compiler/backend/Target.h"
#include "compiler/codegen/ObjectCache.h"

namespace zcc {

struct CpuLevel {
  std::string cpu;                   // LLVM's name of the instruction set
  // LLVM's name of the CPU that code is scheduled for
  std::string tune;
  std::vector<std::string> features; // LLVM's names, "avx2", sorted
  unsigned vectorBytes = 32;         // 64 with AVX-512
  bool has(llvm::StringRef feature) const;
};
// Returns the target for `name`: "native", "x86-64-v3", "x86-64-v4" or another
// of LLVM's CPU names. Calls `error` and fails if the CPU is unknown or lacks
// AVX2, FMA or F16C.
mlir::FailureOr<CpuLevel>
getCpuLevel(llvm::StringRef name,
            llvm::function_ref<void(const llvm::Twine &)> error);

struct CodegenOptions {
  unsigned threads = 1;
  // For tests; 0 is the default of the target. These do not affect the bits of
  // results.
  unsigned lanes = 0;  // of f32 vectors: 8 or 16
  int64_t chunk = 0;   // elements per item of a flat loop
  int64_t tile = 0;    // rows and columns of a product's tile
  bool keepIr = false; // fills CpuKernels::ir
  // Buffers begin where the caller of a step has them: at multiples of their
  // element's bytes, and of 4.
  bool callerInputs = false;
  ObjectCache objects; // is not asked where `keepIr`
};

// A kernel is
//   void symbol(void *const *buffers, int64_t begin, int64_t end, void
//   *scratch)
// and does items [begin, end) of its items; items are independent, in any
// order, on any thread. Buffers: the arguments, then the results, row-major,
// each starting at a multiple of 64 bytes, unless CodegenOptions::callerInputs
// is set; i1 is a byte. Scratch is per thread,
// 64-byte aligned.
struct CpuKernels {
  std::string object; // ELF shared object
  std::vector<KernelInfo> kernels;
  std::string ir;
};

// Compiles the kernels. Errors are reported at them.
mlir::FailureOr<CpuKernels>
compileKernels(llvm::ArrayRef<mlir::func::FuncOp> kernels,
               const CpuLevel &target, const CodegenOptions &options);

} // namespace zcc

#endif
