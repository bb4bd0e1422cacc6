// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interfaces of the ops of the train dialect: the derivative, the factor rule and the cost.
#ifndef ZCC_DIALECTS_TRAIN_TRAININTERFACES_TD
#define ZCC_DIALECTS_TRAIN_TRAININTERFACES_TD

include "mlir/IR/OpBase.td"

def Train_DifferentiableInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::zcc::train";
  let description = [{
    The reverse-mode derivative of an op. An op has this interface, or the trait
    `NotDifferentiable`, which says that no gradient flows to its operands.
  }];
  let methods = [InterfaceMethod<[{
      Builds the vector-Jacobian product at the builder's insertion point.
      `resultGradients` has one entry for each result, null if no gradient
      arrives; at least one is not null. Fills one entry of `operandGradients`
      for each operand, of the operand's type; null if no gradient flows
      (always so for integer operands). Uses operands and results of the op freely.
    }],
    "void", "buildGradient",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultGradients,
         "::llvm::SmallVectorImpl<::mlir::Value> &":$operandGradients)>];
}

def Train_ShardableInterface : OpInterface<"ShardableOpInterface"> {
  let cppNamespace = "::zcc::train";
  let description = [{
    The factor rule of an op (an einsum-like description of how its dims
    correspond), from which sharding propagation and partitioning follow.
  }];
  let methods = [InterfaceMethod<"Returns the op's factor rule, from its static shapes.",
    "::zcc::train::FactorRule", "getFactorRule", (ins)>];
}

def Train_CostedInterface : OpInterface<"CostedOpInterface"> {
  let cppNamespace = "::zcc::train";
  let description = "The arithmetic of an op; its bytes follow from its types.";
  let methods = [InterfaceMethod<[{
      Returns the floating-point and integer operations of one execution (a
      product of m x k by k x n is 2mnk).
    }], "double", "getFlops", (ins), [{}], [{
      double n = 0;
      for (::mlir::Type t : $_op->getResultTypes())
        if (auto s = ::llvm::dyn_cast<::mlir::RankedTensorType>(t))
          n += static_cast<double>(s.getNumElements());
      return n;
    }]>];
}

// No gradient flows to any operand of this op.
def Train_NotDifferentiable : NativeOpTrait<"NotDifferentiable"> {
  let cppNamespace = "::zcc::train";
}
// The result at an index depends on the operands at that index alone. All
// operands and results have the same shape (element types may differ).
def Train_Elementwise : NativeOpTrait<"ElementwiseOp"> {
  let cppNamespace = "::zcc::train";
}
// Moves elements without changing them (a view, in principle).
def Train_DataMovement : NativeOpTrait<"DataMovementOp"> {
  let cppNamespace = "::zcc::train";
}

#endif
