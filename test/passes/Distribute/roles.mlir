// The meaning of axis names (roles) shows in the shardings of parameters and inputs.
// RUN: zcc %data/llama/loss.mlir --quiet --zero=0 --compile-to=sharded --mesh=tensor=2 -o %t && FileCheck %s --check-prefix=TENSOR --input-file=%t
// RUN: zcc %data/moe/loss.mlir --quiet --zero=0 --compile-to=sharded --mesh=expert=2 -o %t && FileCheck %s --check-prefix=EXPERT --input-file=%t
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
