// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the backward pass reads of the forward pass, and from what it could be
// computed again.
#ifndef ZCC_PASSES_TRAIN_RESIDUALGRAPH_H
#define ZCC_PASSES_TRAIN_RESIDUALGRAPH_H

#include "planning/Recomputation.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc {

// Ops of the backward pass (by their tags) that do an op of the forward pass
// once more, which differentiation found next to free.
llvm::DenseMap<mlir::Operation *, mlir::Operation *>
findForwardCopies(mlir::Block &block);

// What is known of values and ops.
struct ResidualFacts {
  // Next to free to compute again, so that it counts nothing.
  llvm::function_ref<bool(mlir::Value)> isFree;
  // Not to be computed again, and there in any case.
  llvm::function_ref<bool(mlir::Operation *)> isThere;
  llvm::function_ref<double(mlir::Value)> bytes;
  // Of a device, and of the links.
  llvm::function_ref<double(mlir::Operation *)> seconds, linkSeconds;
  // Which links; those of a level of the network are one.
  llvm::function_ref<size_t(mlir::Operation *)> link;
  // Links work beside devices.
  bool overlaps = false;
};

class ResidualGraph {
public:
  // `forward`: in order. `backward`: what reads values of it; results of
  // `copies` are those of the forward ops. What lies between every `together`
  // repeated blocks stays, so that only so many are computed again at a time.
  // Where links work beside devices, what is sent again costs what the backward
  // pass cannot hide.
  ResidualGraph(
      llvm::ArrayRef<mlir::Operation *> forward,
      llvm::ArrayRef<mlir::Operation *> backward,
      const llvm::DenseMap<mlir::Operation *, mlir::Operation *> &copies,
      const ResidualFacts &facts, unsigned together = 1);

  const planning::RecomputationProblem &getProblem() const { return problem; }
  // Of the problem's ops; nullopt for others.
  std::optional<size_t> find(mlir::Operation *op) const;
  // Makes what lies between blocks, or is there in any case.
  bool stays(mlir::Operation *op) const { return staying.contains(op); }
  // Of what lies between blocks; the problem does not count it.
  double getBytesBetween() const { return bytesBetween; }
  // Of a device, the forward and the backward pass.
  double getSeconds() const { return allSeconds; }

private:
  planning::RecomputationProblem problem;
  llvm::DenseMap<mlir::Operation *, size_t> number;
  llvm::DenseSet<mlir::Operation *> staying;
  double bytesBetween = 0, allSeconds = 0;
};

} // namespace zcc

#endif
