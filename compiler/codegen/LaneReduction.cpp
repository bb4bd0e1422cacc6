// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/LaneReduction.h"

using namespace mlir;

namespace zcc {

llvm::Value *sliceLanes(KernelBuilder &kernel, llvm::Value *v, unsigned from,
                        unsigned count) {
  SmallVector<int> mask;
  for (unsigned i = 0; i < count; ++i)
    mask.push_back(from + i);
  return kernel.ir.CreateShuffleVector(v, mask);
}

llvm::Value *reduceLanes(KernelBuilder &kernel, train::ReduceKind kind, Type t,
                         ArrayRef<llvm::Value *> vectors) {
  llvm::Value *v;
  unsigned count = 8;
  if (vectors.size() == 2)
    v = emitCombine(kernel, kind, t, vectors[0], vectors[1]);
  else
    v = emitCombine(kernel, kind, t, sliceLanes(kernel, vectors[0], 0, 8),
                    sliceLanes(kernel, vectors[0], 8, 8));
  for (; count > 1; count /= 2)
    v = emitCombine(kernel, kind, t, sliceLanes(kernel, v, 0, count / 2),
                    sliceLanes(kernel, v, count / 2, count / 2));
  return kernel.ir.CreateExtractElement(v, uint64_t(0));
}

} // namespace zcc
