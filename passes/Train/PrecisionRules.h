// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which values of the forward pass a narrow type can hold.
#ifndef ZCC_PASSES_TRAIN_PRECISIONRULES_H
#define ZCC_PASSES_TRAIN_PRECISIONRULES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc {
namespace train {
class ConstantOp;
}

// Classifies the values of a block. Values made after construction have no
// class.
class PrecisionRules {
public:
  PrecisionRules(mlir::func::FuncOp loss, mlir::FloatType narrow);
  // Classifies a step, which may be of one device's shards. Values are stored
  // with one scale for several elements, so a constant that is not finite, or
  // larger than `largest`, spoils the elements beside it.
  PrecisionRules(mlir::Block &block,
                 llvm::function_ref<bool(mlir::BlockArgument)> isParameter,
                 double largest);

  // Returns true if the value depends on inputs and is neither spoiled nor a
  // statistic.
  bool isActivation(mlir::Value v) const {
    return holds(v, Input) && !holds(v, Spoiled) && !holds(v, Statistic);
  }
  // Returns true for an activation that gradients flow through.
  bool isTrained(mlir::Value v) const {
    return isActivation(v) && holds(v, Active);
  }
  bool dependsOnParameters(mlir::Value v) const { return holds(v, Weights); }
  // Returns true if rounding would change the meaning of the value: a position,
  // a count, or a number out of the narrow type's range.
  bool isSpoiled(mlir::Value v) const { return holds(v, Spoiled); }
  // Returns the parameters that products read, directly or moved. They are
  // worth a narrow copy.
  llvm::ArrayRef<mlir::BlockArgument> getNarrowParameters() const {
    return narrowParameters;
  }

private:
  enum Class : unsigned {
    Input = 1,   // depends on an input
    Weights = 2, // depends on a parameter
    Spoiled = 4,
    // A small, sensitive value: the result of a reduction to an eighth or less,
    // or computed from such.
    Statistic = 8,
    Moved = 16,  // a parameter, or a moved one
    Active = 32, // has a derivative with respect to a parameter
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

// Returns values that `ops` compare for equality with other values that vary,
// such as a maximum with its operands. It includes values that are moved to the
// comparison, or from which `ops` compute its operands. Both sides must have
// the values that they had when one was computed from the other.
llvm::DenseSet<mlir::Value>
findCompared(const llvm::DenseSet<mlir::Operation *> &ops);

// Returns true if the op moves elements without computing, so that it commutes
// with a conversion.
bool isMovement(mlir::Operation *op);
// Returns the type that values are narrowed to under a --precision; null unless
// that is bf16 or f16.
mlir::FloatType getNarrowType(mlir::MLIRContext *context,
                              llvm::StringRef precision);
inline bool isF32Tensor(mlir::Value v) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(v.getType());
  return type && type.getElementType().isF32();
}

} // namespace zcc

#endif
