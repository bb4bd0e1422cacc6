// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values of the forward pass a narrow type can hold.
#ifndef ZCC_PASSES_TRAIN_PRECISIONRULES_H
#define ZCC_PASSES_TRAIN_PRECISIONRULES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc {
namespace train {
class ConstantOp;
}

// Classes of the values of a block. Values made after construction have none.
class PrecisionRules {
public:
  PrecisionRules(mlir::func::FuncOp loss, mlir::FloatType narrow);
  // Of a step, on one device's shards too, where values are stored with a scale
  // for several: a constant that is not finite, or larger than `largest`, spoils
  // those beside it.
  PrecisionRules(mlir::Block &block,
                 llvm::function_ref<bool(mlir::BlockArgument)> isParameter,
                 double largest);

  // An activation: depends on inputs, is neither spoiled nor a statistic.
  bool isActivation(mlir::Value v) const {
    return holds(v, Input) && !holds(v, Spoiled) && !holds(v, Statistic);
  }
  // An activation that gradients flow through.
  bool isTrained(mlir::Value v) const {
    return isActivation(v) && holds(v, Active);
  }
  bool dependsOnParameters(mlir::Value v) const { return holds(v, Weights); }
  // Rounding it would change what it means: a position, a count, or a number
  // out of the narrow type's range.
  bool isSpoiled(mlir::Value v) const { return holds(v, Spoiled); }
  // The parameters that products read, directly or moved: those worth a narrow
  // copy.
  llvm::ArrayRef<mlir::BlockArgument> getNarrowParameters() const {
    return narrowParameters;
  }

private:
  enum Class : unsigned {
    Input = 1,   // depends on an input
    Weights = 2, // depends on a parameter
    Spoiled = 4,
    Statistic = 8, // a reduction's result, an eighth of what was reduced or
                   // less, or made of such: small and precious
    Moved = 16,    // a parameter, at most moved
    Active = 32,   // has a derivative with respect to a parameter
  };
  bool holds(mlir::Value v, unsigned classes) const {
    return (map.lookup(v) & classes) == classes;
  }
  using Spoils = llvm::function_ref<bool(train::ConstantOp)>;
  void classify(mlir::Block &block,
                llvm::function_ref<bool(mlir::BlockArgument)> isParameter,
                Spoils spoils);
  unsigned classify(mlir::Operation &op, Spoils spoils) const;
  void findNarrowParameters(mlir::Block &block);

  llvm::DenseMap<mlir::Value, unsigned> map;
  llvm::SmallVector<mlir::BlockArgument> narrowParameters;
};

// Values that `ops` compare for equality with others that vary, as a maximum
// with what it was chosen from: directly, moved, or computed from them by `ops`.
// Both sides must be the values that they were when one followed from the other.
llvm::DenseSet<mlir::Value>
findCompared(const llvm::DenseSet<mlir::Operation *> &ops);

// An op that moves elements without computing: what it does commutes with a
// conversion.
bool isMovement(mlir::Operation *op);
inline bool isF32Tensor(mlir::Value v) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(v.getType());
  return type && type.getElementType().isF32();
}

} // namespace zcc

#endif
