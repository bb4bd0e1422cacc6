// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the values that a task keeps for a later one, and those that the
// later one computes again because that is next to free.
#ifndef ZCC_PASSES_PIPELINE_RESIDUALS_H
#define ZCC_PASSES_PIPELINE_RESIDUALS_H

#include "mlir/IR/Operation.h"
#include "planning/CostModel.h"
#include "planning/Fate.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace zcc {

// Asks for the fate that is set for an op's results; nothing: it is open.
using FateWish =
    llvm::function_ref<std::optional<planning::Fate>(mlir::Operation *)>;

// Limits of what a task computes again rather than keep a value.
struct RecomputeLimits {
  // The additions an element that one op may take, and the most ops. They take
  // less time than to write an element and read it again. A quotient and a root
  // are below the limit, and a function such as exp is not.
  double operations = 18;
  int ops = 6;
  // The additions an element of a whole chain of ops that is computed within
  // the kernels that read it; 0: none are.
  double fused = 0;

  // Returns the limits for a machine of so many devices. Values are fused on
  // devices that compute beside their memory traffic, if that is known.
  static RecomputeLimits of(const planning::Machine &machine, int64_t devices);
};

// Makes the cuts between tasks. It must be asked for earlier tasks first.
class Residuals {
public:
  // `ops`: all ops of the step, in order.
  explicit Residuals(llvm::ArrayRef<mlir::Operation *> ops);

  // Decides for a task that consists of `own` and of ops that it computes
  // again. Adds the latter to `again`, and the values of other tasks that it
  // reads to `read`, both in the order of the step. `wish`: the fate of an op's
  // results; a value that is free and whose fate is open is computed again.
  void cut(const llvm::DenseSet<mlir::Operation *> &own, FateWish wish,
           llvm::SmallVectorImpl<mlir::Operation *> &again,
           llvm::SmallVectorImpl<mlir::Value> &read) const;
  // Records after a cut that `v` is kept, so that later tasks read it at no
  // cost.
  void noteKept(mlir::Value v) { kept.insert(v); }
  bool isKept(mlir::Value v) const { return kept.contains(v); }
  // Returns true if `v` follows from arguments and constants with a few
  // operations an element.
  bool isFree(mlir::Value v) const;
  // Returns true if all readers of the op's result compute element by element
  // or reduce, so that it can be computed again within their kernels, and if
  // the limits allow that.
  bool isFused(mlir::Operation *op) const;
  void setLimits(const RecomputeLimits &own) { limits = own; }
  // For a value that is free: returns true if it follows from an argument.
  bool readsArguments(mlir::Value v) const {
    return !v.getDefiningOp() || ofArguments.contains(v);
  }

private:
  // The arithmetic that may still be spent on a value.
  struct Budget {
    int ops = 0;
    double operations = 0; // additions an element of one op
    double chain = 0;      // of all ops
  };
  // Returns the bytes that must be kept in addition so that `v` can be computed
  // again.
  double extraBytes(mlir::Value v, const llvm::DenseSet<mlir::Value> &needed,
                    Budget &budget) const;
  bool computeAgain(mlir::Operation *op,
                    const llvm::DenseSet<mlir::Value> &needed,
                    FateWish wish) const;
  bool isOfProduct(mlir::Operation *op, FateWish wish) const;

  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> places; // among `ops`
  // The operations that compute a value from arguments and constants alone;
  // absent if that cannot be.
  llvm::DenseMap<mlir::Value, double> work;
  llvm::DenseSet<mlir::Value> ofArguments; // of those in `work`
  llvm::DenseSet<mlir::Value> kept;        // for an earlier cut
  RecomputeLimits limits;
};

} // namespace zcc

#endif
