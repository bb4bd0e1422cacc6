// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from phase `graph` to `step`.
#ifndef ZCC_PASSES_TRAIN_PASSES_TD
#define ZCC_PASSES_TRAIN_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposeAttention : Pass<"zcc-decompose-attention", "::mlir::ModuleOp"> {
  let summary = "Replaces train.attention and its gradient by elementary ops";
  let description = [{
    Input and output: phases `graph` and `step`. It serves `--disable attention` and `--exact`, in case the input
    contains the op itself.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def AddBiasesFirst : Pass<"zcc-add-biases-first", "::mlir::ModuleOp"> {
  let summary = "Adds biases to products before these are transposed for attention";
  let description = [{
    Input and output: phase `graph`. The sum of a product's transpose, which nobody else reads, and a broadcast becomes the
    transpose of a sum, where attention alone reads it, or views of it. Biases whose dims would change places, or that are
    as large as the product, are left alone. Results keep their bits.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def ApplyPrecision : Pass<"zcc-apply-precision", "::mlir::ModuleOp"> {
  let summary = "Stores activations and multiplies matrices in a narrow type";
  let description = [{
    Input and output: phase `graph`. Products read operands of the narrow type and give f32; values that are stored
    (results of products, values read more than once, values that move through memory) are rounded to it; arithmetic
    between two such values, sums and statistics stay f32. Parameters stay f32 arguments, converted where they are read.
    Values that a narrow type would spoil (positions, counts, masking constants out of range) and their arithmetic are
    left in f32, and so is everything that is not f32. `f32` leaves the module alone.
  }];
  let options = [Option<"type", "type", "std::string", "\"f32\"", "f32, bf16 or f16">];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def Differentiate : Pass<"zcc-differentiate", "::mlir::ModuleOp"> {
  let summary = "Appends the gradient of the loss to @loss";
  let description = [{
    Input: phase `graph`. Output: the same with one more result for each trained parameter, its gradient (result
    attribute `zcc.gradient`: the number of the argument), and `train.tag` on every op; `train.stop_gradient` is gone.
    Cotangents have the type of the value. With `scaled` the seed is the loss scale in a new last argument `hyper`.
  }];
  let options = [
    ListOption<"freeze", "freeze", "std::string", "globs of parameters without gradient">,
    Option<"forward", "forward", "bool", "false", "no gradients: only tags ops and removes stop_gradient">,
    Option<"scaled", "scaled", "bool", "false", "multiply the loss by hyper's loss scale">];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def NarrowResiduals : Pass<"zcc-narrow-residuals", "::mlir::ModuleOp"> {
  let summary = "Keeps f32 residuals in a narrow type";
  let description = [{
    Input and output: the module after Differentiate. A large f32 value of the forward pass that the backward pass reads
    is read rounded to the narrow type. Statistics and values that the type would spoil are left alone.
  }];
  let options = [Option<"type", "type", "std::string", "\"bf16\"", "bf16 or f16">];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def AttachOptimizer : Pass<"zcc-attach-optimizer", "::mlir::ModuleOp"> {
  let summary = "Turns @loss into @step: adds state, gradient norm and update";
  let description = [{
    Input: the module after Differentiate. Output: phase `step`: `@step` replaces `@loss`. A parameter that is only read
    in a narrow type is stored in it, with an f32 master weight beside it, unless it has no gradient. With `ema` each
    parameter that is updated has its average beside it, in the type of the master weight.
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"adamw\"", "the name of an optimizer, none or forward">,
    Option<"gradientType", "gradient-type", "std::string", "\"f32\"", "f32 or compute">,
    Option<"precision", "precision", "std::string", "\"f32\"", "f32, bf16 or f16">,
    Option<"ema", "ema", "double", "-1", "decay of the average of each parameter; negative: there is none">,
    ListOption<"noDecay", "no-decay", "std::string",
      "globs of parameters without weight decay (default: those of rank below two)">];
  let dependentDialects = ["::zcc::train::TrainDialect", "::zcc::dist::DistDialect"];
}
def SimplifyTrain : Pass<"zcc-simplify-train", "::mlir::ModuleOp"> {
  let summary = "Removes ops that change nothing, bit for bit, and dead ones";
  let description = [{
    Input and output: phases `graph` and `step`. Joins chains of movements and exact conversions, takes transposes into
    products, drops multiplications by 1 and selects with a known predicate. Looks at ops of one tag at a time; leaves
    every other floating-point operation alone.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def VerifyStep : Pass<"zcc-verify-step", "::mlir::ModuleOp"> {
  let summary = "Checks the phase `step`";
  let description = [{
    Checks that there is one `@step`; that every argument and result has its kind, in order, and that state is returned
    with the type it came in; that every op is tagged forward, backward or update, and reads no values of a later tag;
    that no op of the input is left undifferentiated (`stop_gradient`); and that gradients are observed once, before the
    update.
  }];
}

#endif
