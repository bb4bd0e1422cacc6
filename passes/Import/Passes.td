// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from parsed text to the phase `graph`, in the order in which buildImportPipeline runs them.
#ifndef ZCC_PASSES_IMPORT_PASSES_TD
#define ZCC_PASSES_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

defvar roleOption = Option<"role", "role", "std::string", "\"loss\"", "what @main computes: loss or init (initial parameters)">;

def MarkLibraryFrames : Pass<"zcc-mark-library-frames", "::mlir::ModuleOp"> {
  let summary = "mark frames of call stacks that are not the user's code";
  let description = [{
    In the locations of all ops, the frames of the code that lowered the loss (those of @main's return) become
    `fused<"library">[...]`. So do, in texts whose paths were cut down to names, frames of other files than the loss
    function's. Places (Place.h) skip them. If @main's return has no frames, nothing is marked; frames of installed
    packages are known by their paths.
  }];
}
def NameArguments : Pass<"zcc-name-arguments", "::mlir::ModuleOp"> {
  let summary = "name parameters, inputs and results of @main";
  let description = [{
    Input: a module with @main as JAX prints it. Output: every argument has `zcc.parameter` or `zcc.input` (a string),
    every result `zcc.result` ("loss", then the metrics' names). With role init: the argument is the input "key", the
    results have `zcc.parameter`. Existing attributes win; else the name comes from the location
    (`params['blocks'][0]['w']` is blocks.0.w), and arguments under the first Python argument are parameters. Refuses
    ops that are not registered, dynamic shapes, equal names and a first result that is not a float scalar. With
    `forward`, a result that is no scalar is an output, and so is the first result if it is no float scalar: it has
    `zcc.array`, and the name of its key, or output0, output1, ... by its place among the results. Bodies are left
    alone.
  }];
  let options = [Option<"parameters", "parameters", "unsigned", "0",
    "the first N arguments are parameters (arg0, arg1, ... if they have no name); 0: by name">, roleOption,
    Option<"forward", "forward", "bool", "false", "results may be arrays: the program computes nothing but results">];
}
def InlineCalls : Pass<"zcc-inline-calls", "::mlir::ModuleOp"> {
  let summary = "inline every call into @main";
  let description = [{
    Calls and composites become the callee's ops; other functions are erased. `maximum(x, 0)` in a
    function named relu or relu6, and the minimum of relu6, get the attribute `zcc.relu`: the derivative is 0 where
    their operands are equal. Optimization barriers are dropped. Recursion is an error.
    A call of @zcc.custom_derivative becomes a train.custom_derivative, with its rule inlined before it.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def ExpandOps : Pass<"zcc-expand-ops", "::mlir::ModuleOp"> {
  let summary = "expand compound ops";
  let description = [{
    map, einsum, torch_index_select, batch_norm_*, ragged_dot, chlo.broadcast_*, and ops whose shape is an operand
    although the result's shape is static, become basic ops of stablehlo. Other ops are left alone.
  }];
  let dependentDialects = ["::zcc::stablehlo::StableHLODialect"];
}
def UnrollLoops : Pass<"zcc-unroll-loops", "::mlir::ModuleOp"> {
  let summary = "unroll while loops of known trip count or make batches of them, resolve if and case";
  let description = [{
    Constant integers that loops carry are folded; a constant that is folded of random numbers has `zcc.drawn`. If it is not known which branch runs, the results are selects of all
    branches. An unknown trip count, and more ops than `max-ops`, are errors. A loop that carries nothing but a counter
    and results, of which trip i writes element i, is no loop afterwards: its ops have a first dim for the trips. If one
    of them cannot, that loop is unrolled, with a warning.
  }];
  let options = [Option<"maxOps", "max-ops", "uint64_t", "200000", "refuse loops that would make more ops than this">,
    Option<"batch", "batch", "bool", "true", "compute trips that do not depend on each other at once">];
}
def FoldEmpty : Pass<"zcc-fold-empty", "::mlir::ModuleOp"> {
  let summary = "replace values that are computed of tensors without elements";
  let description = [{
    An op with a result that has elements, and an operand with an extent of 0, becomes what XLA makes of it: a reduction
    its initial values, a product or convolution zeros, padding its value, a concatenation one of the other operands, an
    update its operand. Any other such op is an error. No value without elements is left but arguments.
  }];
  let dependentDialects = ["::zcc::stablehlo::StableHLODialect"];
}
def SplitStacks : Pass<"zcc-split-stacks", "::mlir::ModuleOp"> {
  let summary = "split parameters that are stacked for a scan into one argument for each layer";
  let description = [{
    A parameter whose only uses are slices of one element of its first dim, at constant indices that cover it, becomes
    one argument for each index, without that dim, with `zcc.part` (its start in the file's tensor) and `zcc.file_shape`
    (that tensor's shape). If such slices are taken of a value that is computed of the parameter element by element of
    its first dim (a cast, a transpose, a sum over other dims), the parameter is sliced first.
  }];
}
def ConvertToTrain : Pass<"zcc-convert-to-train", "::mlir::ModuleOp"> {
  let summary = "convert @main's stablehlo and chlo ops to train";
  let description = [{
    Output: one function, @loss or @init, of train ops. Reports errors, with name and place, for ops that cannot be used
    in training. sdy's annotation of an argument becomes `zcc.sharding` (and `zcc.replicated`), and that of another
    value a train.sharding_constraint, both with an array of axes for each dim; the mesh becomes `zcc.mesh_axes` and
    `zcc.mesh_sizes` of the module. See Import.h.
  }];
  let options = [roleOption];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def WarnFrozenRandom : Pass<"zcc-warn-frozen-random", "::mlir::ModuleOp"> {
  let summary = "warn about random numbers that depend on no input";
  let description = [{
    A threefry hash, which all of jax.random's numbers come from by default, is known by its rounds. One of @loss that
    depends on no argument, and that no other hash depends on, gets a warning. A hash that others depend on makes keys.
    So does a constant with `zcc.drawn`, which a hash was folded into. Changes nothing but to take that attribute away.
  }];
  let options = [Option<"warn", "warn", "bool", "true", "give warnings">];
}
def SimplifyGraph : Pass<"zcc-simplify-graph", "::mlir::ModuleOp"> {
  let summary = "fold small constants, make iotas of constant ramps, merge broadcasts, drop ops that change nothing";
  let description = [{
    Results keep their bits. Never makes a constant of more than 1 KB. A constant whose numbers rise evenly along its
    dims (`numpy.arange`) becomes an iota, times its step, plus its start, if that gives the same bits.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def CountedIndices : Pass<"zcc-counted-indices", "::mlir::ModuleOp"> {
  let summary = "make index entries that count positions batching dims";
  let description = [{
    An entry of a gather's or scatter's index vectors that is 0, 1, 2, ... along a dim of the indices (`x[arange(n),
    labels]`) becomes a batching dim of both. A gather whose entries all count (from any start) becomes a slice. Results
    keep their bits.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def UnsortRows : Pass<"zcc-unsort-rows", "::mlir::ModuleOp"> {
  let summary = "compute rows in the batch's order where they were only sorted to be in groups";
  let description = [{
    If rows are sorted by an integer key of a known range (the expert of a token), everything that is computed of the
    sorted rows treats rows alike, and they are brought back or summed in the end, the sort goes away: the same is
    computed of the rows in the batch's order. A comparison of a row's place with the first place of a group becomes one
    of the row's key. A gather or scatter that repeats or adds neighbors becomes a broadcast or a sum. If the order
    matters anywhere, nothing changes. Rows keep their bits; sums over them are added in another order.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def StopMaximumGradients : Pass<"zcc-stop-maximum-gradients", "::mlir::ModuleOp"> {
  let summary = "stop the gradient of maxima that softmax and log-sum-exp subtract";
  let description = [{
    A maximum gets a train.stop_gradient if every result that it reaches is proven not to change when it is shifted.
    Other maxima keep their derivative.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def SplitRows : Pass<"zcc-split-rows", "::mlir::ModuleOp"> {
  let summary = "split dims that the batch was merged into behind other dims";
  let description = [{
    The batch is the first dim of each input. If a reshape merges other dims and the batch, with the batch not first
    (torch's MultiheadAttention: [length * batch, features]), the ops behind it are computed with two dims instead,
    one for what is before the batch. No axis that divides the batch could divide the merged dim. Ops that the pass does
    not know get the merged value. Results keep their bits.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def SplitBatches : Pass<"zcc-split-batches", "::mlir::ModuleOp"> {
  let summary = "split batching dims of products that several dims were merged into";
  let description = [{
    If reshapes of a product's operands or result tell how a batching dim splits (torch.bmm over batches times heads),
    the product gets a batching dim for each part. The reshapes may be of values that are computed from these, or beside
    them (a mask by window), element by element. Other dims and products are left alone.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def RecognizeAttention : Pass<"zcc-recognize-attention", "::mlir::ModuleOp"> {
  let summary = "make one train.attention of two products and the softmax between them";
  let description = [{
    Recognizes a softmax in any spelling, scales, biases, masks (causal and sliding windows as such, others as
    operands), heads that share keys, any layout, conversions among f32, bf16 and f16, and a column of the softmax whose
    weight is dropped (an attention sink). If a predicate drops weights
    and a number scales them (dropout), the predicate becomes the op's `kept`. Leaves alone weights that another op
    reads, other functions of the scores, and rows that may see no key by position alone. `zcc.attentions` of the module
    says how many were recognized, and for each other product of a softmax of scores why it was not.
  }];
  let options = [Option<"warn", "warn", "bool", "false",
    "say why the product of a softmax of several queries is left alone">];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def LimitInputs : Pass<"zcc-limit-inputs", "::mlir::ModuleOp"> {
  let summary = "record the values that integer inputs may have, from the tables that they index";
  let description = [{
    An input of @loss whose elements are all indices of train.gather gets `zcc.limit = array<i64: low, high>`: values
    outside [low, high) are not in the table. low is negative if the text counts negative indices from the end.
    Changes nothing else.
  }];
}
def VerifyGraph : Pass<"zcc-verify-graph", "::mlir::ModuleOp"> {
  let summary = "check the rules of the phase graph";
  let description = [{
    Checks that there is one function @loss (or @init) of one block of train ops on static shapes, that every argument
    is a named parameter or input, and that the first result of @loss is a float scalar and the others are scalars, but for
    those with `zcc.array`.
  }];
}

#endif
