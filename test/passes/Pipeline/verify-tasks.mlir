// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-verify-tasks

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
// expected-error @below {{argument 0 is 'x', which no dist.input declares}}
func.func @f(%x: tensor<4xf32> {dist.input = "x"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-note @below {{declared here}}
dist.input @x : tensor<8xf32> {input = "x", sharding = #dist.sharding<@mesh, [{"data"}]>, stage = 0 : i64}
// expected-error @below {{argument 0 has the type 'tensor<8xf32>', but 'x' has 'tensor<4xf32>'}}
func.func @f(%x: tensor<8xf32> {dist.input = "x"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{result 0 does not say what it is; expected one of dist.state, dist.value, dist.accumulate, dist.output}}
func.func @f() -> tensor<f32> attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{is a task of stage 0, which has no dist.schedule}}
func.func @f() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @f(%a: tensor<f32> {dist.value = "a"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}
dist.schedule attributes {stage = 0 : i64} {
  // expected-error @below {{'f' reads 'a' for microbatch 0, which is not there yet}}
  dist.run @f {microbatch = 0 : i64}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @f() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @f {microbatch = 0 : i64}
  // expected-error @below {{runs 'f' a second time for microbatch 0}}
  dist.run @f {microbatch = 0 : i64}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @f() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}
// expected-error @below {{never runs 'f', a task of stage 0}}
dist.schedule attributes {stage = 0 : i64} {
}

// -----

// Two stages that each receive before they send.
dist.mesh @mesh [#dist.axis<"pipe" = 2>]
func.func @f() -> (tensor<f32> {dist.value = "a"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func @g() -> (tensor<f32> {dist.value = "b"}) attributes {dist.task = "forward", dist.stage = 1 : i64} {
  %0 = train.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @f {microbatch = 0 : i64}
  // expected-error @below {{waits forever in stage 0: what it receives is never sent}}
  dist.receive "b" {microbatch = 0 : i64, peer = 1 : i64}
  dist.send "a" {microbatch = 0 : i64, peer = 1 : i64}
}
dist.schedule attributes {stage = 1 : i64} {
  dist.run @g {microbatch = 0 : i64}
  dist.receive "a" {microbatch = 0 : i64, peer = 0 : i64}
  dist.send "b" {microbatch = 0 : i64, peer = 0 : i64}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @f() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  // expected-error @below {{does not belong into a task}}
  %0 = dist.coordinate ["data"] : tensor<i32>
  return
}

// -----

// A sum is read when all of its parts are there.
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @f() -> (tensor<f32> {dist.accumulate = "s"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func @e(%s: tensor<f32> {dist.value = "s"}) attributes {dist.task = "epilogue", dist.stage = 0 : i64} {
  return
}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @f {microbatch = 0 : i64}
  // expected-error @below {{'e' reads the sum 's', of which 1 parts are missing}}
  dist.run @e {microbatch = 0 : i64}
  dist.run @f {microbatch = 1 : i64}
}

// -----

// An accumulated value has a reduction.
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
// expected-error @below {{result 0: expected 'dist.reduction' to be the reduction of what is accumulated, found "last"}}
func.func @f() -> (tensor<f32> {dist.accumulate = "s", dist.reduction = "last"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Microbatches add in ascending order.
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @f() -> (tensor<f32> {dist.accumulate = "s"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @f {microbatch = 1 : i64}
  // expected-error @below {{'f' adds microbatch 0 to 's' after microbatch 1}}
  dist.run @f {microbatch = 0 : i64}
}

// -----

// A task that runs per microbatch runs for all of them.
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @f() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}
// expected-error @below {{runs 'f' for 1 microbatches, expected 2}}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @f {microbatch = 0 : i64}
}

// -----

// A value of a microbatch is not there for another one.
dist.mesh @mesh [#dist.axis<"micro" = 2 temporal>]
func.func @f() -> (tensor<f32> {dist.value = "v"}) attributes {dist.task = "forward", dist.stage = 0 : i64} {
  %0 = train.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func @b(%v: tensor<f32> {dist.value = "v"}) attributes {dist.task = "backward", dist.stage = 0 : i64} {
  return
}
dist.schedule attributes {stage = 0 : i64, microbatches = 2 : i64} {
  dist.run @f {microbatch = 0 : i64}
  dist.run @b {microbatch = 0 : i64}
  // expected-error @below {{'b' reads 'v' for microbatch 1, which is not there yet}}
  dist.run @b {microbatch = 1 : i64}
}

// -----

// One task of a kind, stage and chunk.
dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-note @below {{the first one is here}}
func.func @f() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}
// expected-error @below {{is the second forward task of stage 0, chunk 0}}
func.func @g() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}

// -----

// Chunks and the survey are apart from what else is of their kind.
dist.mesh @mesh [#dist.axis<"data" = 2>]
func.func @survey() attributes {dist.task = "prologue", dist.region = "survey", dist.stage = 0 : i64} {
  return
}
func.func @prologue() attributes {dist.task = "prologue", dist.region = "before", dist.stage = 0 : i64} {
  return
}
func.func @f() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}
func.func @g() attributes {dist.task = "forward", dist.stage = 0 : i64, dist.chunk = 1 : i64} {
  return
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @survey {microbatch = 0 : i64}
  dist.run @prologue {microbatch = 0 : i64}
  dist.run @f {microbatch = 0 : i64}
  dist.run @g {microbatch = 0 : i64}
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{is of chunk 1, but a task of kind epilogue is of all chunks of its stage}}
func.func @e() attributes {dist.task = "epilogue", dist.stage = 0 : i64, dist.chunk = 1 : i64} {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{a task of kind prologue: expected 'dist.region' to be before or survey, found "micro"}}
func.func @p() attributes {dist.task = "prologue", dist.region = "micro", dist.stage = 0 : i64} {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
// expected-error @below {{expected 'dist.stage' to be an i64 from 0 to 1 (axis 'pipe' of the mesh has 2), found 2 : i64}}
func.func @f() attributes {dist.task = "forward", dist.stage = 2 : i64} {
  return
}

// -----

dist.mesh @mesh [#dist.axis<"data" = 2>]
// expected-error @below {{is of stage 1, the mesh has 1 stage}}
dist.schedule attributes {stage = 1 : i64} {
}
