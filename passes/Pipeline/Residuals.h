// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a task keeps for a later one, and what the later one computes again
// because that is next to free.
#ifndef ZCC_PASSES_PIPELINE_RESIDUALS_H
#define ZCC_PASSES_PIPELINE_RESIDUALS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc {

enum class Keep { Always, Never, IfWorth };

// Cuts between tasks, later tasks asked after earlier ones.
class Residuals {
public:
  // `ops`: of the step, in order.
  explicit Residuals(llvm::ArrayRef<mlir::Operation *> ops);

  // Decides for a task that consists of `own` (and of what it computes again):
  // the ops that it computes again are added to `again`, in order; the values
  // that it reads and that other ops yield are added to `read`, in order.
  // `keep`: what is wanted of an op's results; what is free is not kept unless
  // always.
  void cut(const llvm::DenseSet<mlir::Operation *> &own,
           llvm::function_ref<Keep(mlir::Operation *)> keep,
           llvm::SmallVectorImpl<mlir::Operation *> &again,
           llvm::SmallVectorImpl<mlir::Value> &read) const;
  // Then: it is there for later tasks at no cost.
  void noteKept(mlir::Value v) { kept.insert(v); }
  bool isKept(mlir::Value v) const { return kept.contains(v); }
  // It follows from arguments and constants with a few operations an element.
  bool isFree(mlir::Value v) const;
  // Of what is free: it follows from an argument.
  bool readsArguments(mlir::Value v) const {
    return !v.getDefiningOp() || ofArguments.contains(v);
  }

private:
  // Bytes that must be kept more for `v` to be computed again; negative if it
  // is too much work.
  double extraBytes(mlir::Value v, const llvm::DenseSet<mlir::Value> &needed,
                    int &budget) const;
  bool computeAgain(mlir::Operation *op,
                    const llvm::DenseSet<mlir::Value> &needed) const;

  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> places; // among `ops`
  llvm::DenseMap<mlir::Value, double>
      work; // arithmetic from arguments and constants alone; absent if that
            // cannot be
  llvm::DenseSet<mlir::Value> ofArguments; // of those in `work`
  llvm::DenseSet<mlir::Value> kept;        // for an earlier cut
};

} // namespace zcc

#endif
