// The stage of ZeRO decides where state lives and what moves. The parameter has 8 rows: 3 devices pad it to 9.
// RUN: zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=4" --zcc-shard-step="zero=0" --zcc-verify-sharded | FileCheck %s --check-prefix=S0
// RUN: zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=4" --zcc-shard-step="zero=1" --zcc-verify-sharded | FileCheck %s --check-prefix=S1
// RUN: zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=4" --zcc-shard-step="zero=1" --zcc-partition --zcc-assign-regions --zcc-verify-partitioned \
// RUN:   | FileCheck %s --check-prefix=PARTS
// RUN: zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=4" --zcc-shard-step="zero=3" --zcc-verify-sharded | FileCheck %s --check-prefix=S3
// RUN: zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=3" --zcc-shard-step="zero=3" --zcc-verify-sharded | FileCheck %s --check-prefix=ODD
// RUN: zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=4" --zcc-shard-step="zero=3" --zcc-partition --zcc-assign-regions --zcc-verify-partitioned \
// RUN:   | FileCheck %s --check-prefix=PARTITIONED
// RUN: zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=data=2,node=2" --zcc-shard-step="zero=1 zero-axes=node" --zcc-verify-sharded \
// RUN:   | FileCheck %s --check-prefix=NODE
// RUN: not zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=4" --zcc-shard-step="zero-axes=node" 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=4" --zcc-shard-step="zero=0 state=w=3,*=1" --zcc-verify-sharded | FileCheck %s --check-prefix=S3
// RUN: zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=4" --zcc-shard-step="zero=3 state=w=1" --zcc-verify-sharded | FileCheck %s --check-prefix=OWN
// RUN: zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=4" --zcc-shard-step="zero=3 state=*=keep" --zcc-partition --zcc-assign-regions \
// RUN:   --zcc-verify-partitioned | FileCheck %s --check-prefix=KEPT
// RUN: not zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=4" --zcc-shard-step="state=v=1" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not zcc-opt %S/Inputs/step.mlir --zcc-place-mesh="axes=4" --zcc-shard-step="state=w=5" 2>&1 | FileCheck %s --check-prefix=STAGE
// LACKS: error: --zero-axes: the mesh has no axis 'node'
// NAME: error: --state: 'v' is the name of no parameter
// STAGE: error: --state: expected NAME-GLOB=0|1|2|3|keep|gather, found 'w=5'

// S0: dist.plan = {{{.*}}zero = 0 : i64}
// S0-NOT: [{"data"}, {}]>, zcc.kind = "{{parameter|slot}}
// S0: train.update %arg0, %arg1

// Gradients arrive in parts; the parameter is stored so too, and gathered once, by the forward pass: its copy counts as parameters.
// S1: dist.plan = {{{.*}}zero = 1 : i64}
// S1-SAME: {{$}}
// S1: dist.keep = "parameters", {{.*}}[{"data"}, {}]>, zcc.kind = "parameter"{{.*}}[{"data"}, {}]>, zcc.initial = {{[0.e+]*}} : f64, zcc.kind = "slot", zcc.parameter = "w", zcc.slot = "moment1"{{.*}}[{"data"}, {}]>, zcc.initial = {{[0.e+]*}} : f64, zcc.kind = "slot", zcc.parameter = "w", zcc.slot = "moment2"
// S1: %[[W:.*]] = dist.reshard %arg0 {{.*}}to = #dist.sharding<@mesh, [{}, {}]>
// S1: train.dot_general %arg3, %[[W]]
// S1: %[[G:.*]] = dist.reshard {{.*}}from = #dist.sharding<@mesh, [{}, {}], partial = add {"data"}>, to = #dist.sharding<@mesh, [{"data"}, {}]>
// S1: dist.observe %[[G]]
// S1: %[[NEW:[a-z_]*]], {{.*}} = train.update %arg0, %arg1, %arg2, %[[G]]
// S1: return %[[NEW]]
// PARTS: dist.all_gather %arg0 {{.*}}dist.category = "parameters"{{.*}}value = "w", what = "parameter"
// PARTS: dist.reduce_scatter
// PARTS-NOT: dist.all_gather

// S3: [{"data"}, {}]>, zcc.kind = "parameter"
// S3: %[[WHOLE:.*]] = dist.reshard %arg0 {{.*}}to = #dist.sharding<@mesh, [{}, {}]>
// S3: train.dot_general %arg3, %[[WHOLE]]
// S3: %[[NEW:[a-z_]*]], {{.*}} = train.update %arg0, %arg1
// S3-NOT: dist.reshard %[[NEW]]
// S3: return %[[NEW]]

// ODD: zcc.waste = [{{.*}}dim = 0 : i64, extent = 8 : i64, padded = 9 : i64, value = "w"}, {{.*}}extent = 16 : i64, padded = 18 : i64, value = "x"}, {{.*}}extent = 16 : i64, padded = 18 : i64, value = "y"}]
// ODD: zcc.kind = "parameter"

// A parameter is gathered just before use, and again by each task that reads it.
// PARTITIONED: dist.all_gather %arg0 {{.*}}#dist.fate<"gather-again">{{.*}}value = "w", what = "parameter"
// PARTITIONED: dist.reduce_scatter {{.*}}dist.region = "micro"{{.*}}what = "gradient"
// PARTITIONED-NOT: dist.all_gather %new_parameter

// The stage is that of all others; one parameter has its own.
// OWN: dist.plan = {state = ["w=1"], zero = 3 : i64}
// OWN: dist.keep = "parameters", {{.*}}[{"data"}, {}]>, zcc.kind = "parameter"{{.*}}[{"data"}, {}]>, zcc.initial = {{[0.e+]*}} : f64, zcc.kind = "slot", zcc.parameter = "w", zcc.slot = "moment1"

// Kept for the backward pass: gathered once, in the forward pass.
// KEPT: dist.plan = {state = ["w=keep"], zero = 3 : i64}
// KEPT: dist.keep, {{.*}}zcc.kind = "parameter"
// KEPT-NOT: #dist.fate<"gather-again">
// KEPT: dist.all_gather %arg0
// KEPT-NOT: #dist.fate<"gather-again">
// KEPT: return

// Hybrid sharding: only over the axes that are named.
// NODE: [{"node"}, {}]>, zcc.initial = {{[0.e+]*}} : f64, zcc.kind = "slot", zcc.parameter = "w", zcc.slot = "moment1"
