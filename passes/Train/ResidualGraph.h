// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the graph of values that the backward pass reads of the forward pass,
// and of ops that could compute them again.
#ifndef ZCC_PASSES_TRAIN_RESIDUALGRAPH_H
#define ZCC_PASSES_TRAIN_RESIDUALGRAPH_H

#include "planning/Recomputation.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc {

// Maps ops of the backward pass (by their tags) to the equal ops of the forward
// pass. Differentiation copies forward ops that are next to free.
llvm::DenseMap<mlir::Operation *, mlir::Operation *>
findForwardCopies(mlir::Block &block);

// Returns true for a view (reshape, transpose, slice) that attention alone
// reads, in place.
bool isAttentionView(mlir::Operation *op);

// Facts about values and ops.
struct ResidualFacts {
  // Returns true if a value is next to free to compute again, so that it counts
  // nothing.
  llvm::function_ref<bool(mlir::Value)> isFree;
  // Returns true if an op is not to be computed again, and its results are
  // there in any case.
  llvm::function_ref<bool(mlir::Operation *)> isThere;
  llvm::function_ref<double(mlir::Value)> bytes;
  // Return the seconds that an op takes on a device, and on the links.
  llvm::function_ref<double(mlir::Operation *)> seconds, linkSeconds;
  // Returns the links that an op uses; the links of one level of the network
  // count as one.
  llvm::function_ref<size_t(mlir::Operation *)> link;
  // True if links work beside devices.
  bool overlaps = false;
};

class ResidualGraph {
public:
  // `forward`: the forward pass, in order. `backward`: ops that read its
  // values. `copies`: backward ops whose results are those of the forward ops.
  // Values between groups of `together` repeated blocks stay, so that only so
  // many blocks are computed again at a time. If links work beside devices, a
  // repeated collective costs only the time that the backward pass cannot hide.
  ResidualGraph(
      llvm::ArrayRef<mlir::Operation *> forward,
      llvm::ArrayRef<mlir::Operation *> backward,
      const llvm::DenseMap<mlir::Operation *, mlir::Operation *> &copies,
      const ResidualFacts &facts, unsigned together = 1);

  const planning::RecomputationProblem &getProblem() const { return problem; }
  // Returns the number of the op in the problem; nullopt if the problem lacks
  // it.
  std::optional<size_t> find(mlir::Operation *op) const;
  // Returns true if the op makes values between blocks, or values that are
  // there in any case.
  bool stays(mlir::Operation *op) const { return staying.contains(op); }
  // Returns the bytes of values between blocks, which the problem does not
  // count.
  double getBytesBetween() const { return bytesBetween; }
  // Returns the seconds of a device for the forward and the backward pass.
  double getSeconds() const { return allSeconds; }

private:
  planning::RecomputationProblem problem;
  llvm::DenseMap<mlir::Operation *, size_t> number;
  llvm::DenseSet<mlir::Operation *> staying;
  double bytesBetween = 0, allSeconds = 0;
};

} // namespace zcc

#endif
