// The meaning of axis names (roles) shows in the shardings of parameters and inputs.
// RUN: zcc %data/llama/loss.mlir --quiet --zero=0 --compile-to=sharded --mesh=tensor=2 -o %t && FileCheck %s --check-prefix=TENSOR --input-file=%t
// RUN: zcc %data/moe/loss.mlir --quiet --zero=0 --compile-to=sharded --mesh=expert=2 -o %t && FileCheck %s --check-prefix=EXPERT --input-file=%t
// RUN: zcc %data/moe/loss.mlir --quiet --zero=0 --compile-to=sharded --mesh=data=2,tensor=2 --fold=expert=data+tensor -o %t && FileCheck %s --check-prefix=FOLD --input-file=%t
// RUN: not zcc %data/moe/loss.mlir --mesh=data=3,tensor=2 --fold=expert=data+tensor 2>&1 | FileCheck %s --check-prefix=FOLDUNEVEN
// RUN: zcc %data/llama/loss.mlir --quiet --zero=0 --compile-to=sharded --mesh=context=2 -o %t && FileCheck %s --check-prefix=CONTEXT --input-file=%t
// RUN: zcc %data/llama/loss.mlir --quiet --zero=0 --compile-to=sharded --mesh=data=2,tensor=2 -o %t && FileCheck %s --check-prefix=BOTH --input-file=%t

// Megatron's plan: columns, then rows; heads; the vocabulary. Each layer reduces twice in each direction, and what a head
// or a hidden element computes stays where it is.
// TENSOR: func.func @step
// TENSOR-SAME: #dist.sharding<@mesh, [{"tensor"}, {}]>, zcc.kind = "parameter", zcc.parameter = "embed"
// TENSOR-SAME: #dist.sharding<@mesh, [{}, {"tensor"}]>, zcc.kind = "parameter", zcc.parameter = "head"
// TENSOR-SAME: #dist.sharding<@mesh, [{"tensor"}, {}]>, {{[^%]*}}zcc.parameter = "layers.down"
// TENSOR-SAME: #dist.sharding<@mesh, [{}, {"tensor"}]>, {{[^%]*}}zcc.parameter = "layers.gate"
// TENSOR-SAME: #dist.sharding<@mesh, [{}]>, {{[^%]*}}zcc.parameter = "layers.norm1"
// TENSOR-SAME: #dist.sharding<@mesh, [{}, {"tensor"}, {}]>, {{[^%]*}}zcc.parameter = "layers.wk"
// TENSOR-SAME: #dist.sharding<@mesh, [{"tensor"}, {}, {}]>, {{[^%]*}}zcc.parameter = "layers.wo"

// Experts are sharded over the axis, and the batch everywhere else.
// EXPERT: func.func @step
// EXPERT-SAME: #dist.sharding<@mesh, [{"expert"}, {}, {}]>, zcc.kind = "parameter", zcc.parameter = "blocks.0.wi"
// EXPERT-SAME: #dist.sharding<@mesh, [{}, {}, {}]>, zcc.kind = "parameter", zcc.parameter = "blocks.0.wo"
// EXPERT-SAME: #dist.sharding<@mesh, [{"expert"}, {}, {}]>, zcc.kind = "parameter", zcc.parameter = "blocks.0.wout"
// EXPERT-SAME: #dist.sharding<@mesh, [{"expert"}, {}]>, zcc.input = "x"

// Experts over the axes that are folded; attention stays with the roles of these axes.
// FOLD: func.func @step
// FOLD-SAME: #dist.sharding<@mesh, [{"data", "tensor"}, {}, {}]>, zcc.kind = "parameter", zcc.parameter = "blocks.0.wi"
// FOLD-SAME: #dist.sharding<@mesh, [{"tensor"}, {}, {}]>, zcc.kind = "parameter", zcc.parameter = "blocks.0.wo"
// FOLD-SAME: #dist.sharding<@mesh, [{"data", "tensor"}, {}, {}]>, zcc.kind = "parameter", zcc.parameter = "blocks.0.wout"
// FOLD-SAME: #dist.sharding<@mesh, [{"data"}, {}]>, zcc.input = "x"
// FOLDUNEVEN: error: --fold: 6 devices do not divide the 8 experts of 'blocks.0.wi'
// FOLDUNEVEN: note: fold fewer axes

// The sequence of the inputs.
// CONTEXT: func.func @step
// CONTEXT-SAME: #dist.sharding<@mesh, [{}, {}]>, zcc.kind = "parameter", zcc.parameter = "embed"
// CONTEXT-SAME: #dist.sharding<@mesh, [{}, {"context"}]>, zcc.input = "x"
// Queries stay in parts, keys and values too: they are passed around.
// CONTEXT: train.attention {{.*}}[{}, {}, {"context"}, {}, {}]{{.*}}train.ring

// BOTH: func.func @step
// BOTH-SAME: #dist.sharding<@mesh, [{}, {"tensor"}]>, zcc.kind = "parameter", zcc.parameter = "head"
// BOTH-SAME: #dist.sharding<@mesh, [{"data"}, {}]>, zcc.input = "x"
// BOTH: train.attention {{.*}}[{"data"}, {"tensor"}, {}, {}, {}]
