// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-verify-schedule --split-input-file --verify-diagnostics

// Each mistake that an edited text can hold.

// expected-error @+1 {{the task is still a function}}
func.func @forward() attributes {dist.task = "forward", dist.stage = 0 : i64} {
  return
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<4xf32>>
  // expected-error @+1 {{launches 'missing', which is not a kernel}}
  exec.launch @missing() -> (%0) : () -> (!exec.buffer<tensor<4xf32>>)
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<4xf32>>
  %1 = exec.buffer "temporary" "t1" {category = "temporary"} : <tensor<4xf32>>
  // expected-error @+1 {{reads the temporary 't0' before it is written}}
  exec.copy %0 -> %1 : !exec.buffer<tensor<4xf32>> -> !exec.buffer<tensor<4xf32>>
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  %1 = exec.buffer "value" "w" {category = "residuals"} : <tensor<8xf32>>
  // expected-error @+1 {{buffer 0 of its sources is a 'tensor<8xf32>', the kernel expects 'tensor<4xf32>'}}
  exec.launch @k(%1) -> (%0) : (!exec.buffer<tensor<8xf32>>) -> (!exec.buffer<tensor<4xf32>>)
}
func.func private @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel} {
  %0 = train.abs %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{the kernel has no form: more than one product, reduction or special op}}
func.func private @k(%a: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {exec.kernel} {
  %0 = train.dot_general %a, %a {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = train.dot_general %0, %a {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  // expected-error @+1 {{buffer 'v' has 32 bytes, elsewhere in the task 16}}
  %1 = exec.buffer "value" "v" {category = "residuals"} : <tensor<8xf32>>
}

// -----

dist.schedule attributes {stage = 0 : i64} {
  // expected-error @+1 {{runs 'backward', which is not a task of stage 0}}
  dist.run @backward {microbatch = 0 : i64}
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  // expected-error @+1 {{has 1 members, expected at least 2}}
  exec.bucket {
    exec.collective "all_reduce" %0 -> %0 {axes = ["data"], reduction = "add", what = "scalar", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  }
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  %1 = exec.buffer "value" "w" {category = "residuals"} : <tensor<4xf32>>
  exec.bucket {
    // expected-note @+1 {{which is here}}
    exec.collective "all_reduce" %0 -> %0 {axes = ["data"], reduction = "add", what = "scalar", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
    // expected-error @+1 {{of another kind, group, type, reduction or stream than the bucket's first member}}
    exec.collective "all_reduce" %1 -> %1 {axes = ["data"], reduction = "maximum", what = "scalar", value = "w", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  }
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  %1 = exec.buffer "value" "w" {category = "residuals"} : <tensor<4xf32>>
  exec.bucket {
    // expected-error @+1 {{reads 'v', which another member of the bucket writes}}
    exec.collective "all_reduce" %0 -> %1 {axes = ["data"], reduction = "add", what = "scalar", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
    exec.collective "all_reduce" %0 -> %0 {axes = ["data"], reduction = "add", what = "scalar", value = "w", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  }
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  exec.bucket {
    // expected-error @+1 {{cannot be a member of a bucket}}
    exec.copy %0 -> %0 : !exec.buffer<tensor<4xf32>> -> !exec.buffer<tensor<4xf32>>
  }
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  %1 = exec.buffer "value" "w" {category = "residuals"} : <tensor<8xf32>>
  %m = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<i32>>
  // expected-error @+1 {{buffers change places, but are of types '!exec.buffer<tensor<4xf32>>', '!exec.buffer<tensor<8xf32>>' and '!exec.buffer<tensor<4xf32>>'}}
  exec.repeat over ["data"] member %m : <tensor<i32>> held(%0 : !exec.buffer<tensor<4xf32>>) next(%1 : !exec.buffer<tensor<8xf32>>) spare(%0 : !exec.buffer<tensor<4xf32>>) attributes {value = ""} {
    exec.launch @k() -> () : () -> ()
  } between {
  }
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  %m = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<i32>>
  // expected-error @+1 {{has 1 held, 0 next and 0 spare buffers}}
  exec.repeat over ["data"] member %m : <tensor<i32>> held(%0 : !exec.buffer<tensor<4xf32>>) attributes {value = ""} {
    exec.copy %0 -> %0 : !exec.buffer<tensor<4xf32>> -> !exec.buffer<tensor<4xf32>>
  } between {
  }
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  %m = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<i32>>
  exec.repeat over ["data"] member %m : <tensor<i32>> attributes {value = ""} {
    // expected-error @+1 {{cannot be repeated}}
    exec.copy %0 -> %0 : !exec.buffer<tensor<4xf32>> -> !exec.buffer<tensor<4xf32>>
  } between {
  }
}

// -----

// The CPU has no library, and not all types.
// expected-error @+1 {{expected exec.library '' for the target 'cpu', found 'cublasLtMatmul'}}
func.func private @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel, exec.library = "cublasLtMatmul"} {
  %0 = train.abs %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @k(%a: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> attributes {exec.kernel} {
  // expected-error @+2 {{the target 'cpu' has no arithmetic in 'f8E5M2'}}
  // expected-note @+1 {{lower the loss in one of these}}
  %0 = train.abs %a : (tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  %m = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<i32>>
  exec.repeat over ["data"] member %m : <tensor<i32>> attributes {value = ""} {
    // expected-error @+1 {{of a repeat, expected the main stream}}
    exec.copy %0 -> %0 {stream = 1 : i64} : !exec.buffer<tensor<4xf32>> -> !exec.buffer<tensor<4xf32>>
  } between {
  }
}

// -----

// A kernel must not write a value that is being sent while it runs.
dist.mesh @mesh [#dist.axis<"data" = 3>]
func.func private @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel} {
  %0 = train.abs %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  %1 = exec.buffer "temporary" "t1" {category = "temporary"} : <tensor<4xf32>>
  %m = exec.buffer "temporary" "t0" {category = "temporary"} : <tensor<i32>>
  exec.repeat over ["data"] member %m : <tensor<i32>> held(%0 : !exec.buffer<tensor<4xf32>>) next(%1 : !exec.buffer<tensor<4xf32>>) spare(%1 : !exec.buffer<tensor<4xf32>>) attributes {ahead, value = ""} {
    // expected-error @+1 {{writes 'v', which is sent ahead of it}}
    exec.launch @k(%0) -> (%0) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  } between {
    exec.collective "permute" %0 -> %1 {axes = ["data"], shift = 1 : i64, what = "activation", value = "", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  }
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  // expected-error @+1 {{expected 'memory' to be "host" or "disk", found "tape"}}
  %0 = exec.buffer "value" "v" {category = "residuals", memory = "tape"} : <tensor<4xf32>>
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals", memory = "host"} : <tensor<4xf32>>
  %1 = exec.buffer "value" "w" {category = "residuals"} : <tensor<4xf32>>
  // expected-error @+1 {{its buffers 'v' and 'w' are in different memories}}
  exec.launch @k(%0) -> (%1) : (!exec.buffer<tensor<4xf32>>) -> (!exec.buffer<tensor<4xf32>>)
}
func.func private @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel} {
  %0 = train.abs %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A buffer on a disk has no addresses: steps other than copies cannot use it.

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals", memory = "disk"} : <tensor<4xf32>>
  %1 = exec.buffer "value" "w" {category = "residuals", memory = "host"} : <tensor<4xf32>>
  exec.copy %0 -> %1 : !exec.buffer<tensor<4xf32>> -> !exec.buffer<tensor<4xf32>>
  // expected-error @+1 {{its buffer 'v' is in the memory of the disk, which only copies use}}
  exec.fill %0 {value = 0 : i64} : !exec.buffer<tensor<4xf32>>
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals", memory = "host"} : <tensor<4xf32>>
  // expected-error @+1 {{its buffer 'v' is not in the device's memory}}
  exec.collective "all_reduce" %0 -> %0 {axes = ["data"], reduction = "add", what = "activation", value = "", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  // expected-error @+1 {{'begin' is 8, expected a multiple of 64 from 0 on}}
  %0 = exec.buffer "temporary" "t" {begin = 8 : i64, category = "temporary"} : <tensor<4xf32>>
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<20xf32>>
  // expected-error @+1 {{buffer 't' has 80 bytes, a part of it ends at 84}}
  %1 = exec.buffer "temporary" "t" {begin = 64 : i64, category = "temporary"} : <tensor<5xf32>>
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<32xf32>>
  %1 = exec.buffer "temporary" "t" {begin = 0 : i64, category = "temporary"} : <tensor<16xf32>>
  %2 = exec.buffer "temporary" "t" {begin = 64 : i64, category = "temporary"} : <tensor<16xf32>>
  %3 = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<32xf32>>
  exec.fill %2 {value = 0 : i64} : <tensor<16xf32>>
  exec.copy %2 -> %1 : !exec.buffer<tensor<16xf32>> -> !exec.buffer<tensor<16xf32>>
  exec.copy %0 -> %3 : !exec.buffer<tensor<32xf32>> -> !exec.buffer<tensor<32xf32>>
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "temporary" "t" {category = "temporary"} : <tensor<32xf32>>
  %1 = exec.buffer "temporary" "t" {begin = 64 : i64, category = "temporary"} : <tensor<16xf32>>
  %2 = exec.buffer "temporary" "u" {category = "temporary"} : <tensor<32xf32>>
  exec.fill %1 {value = 0 : i64} : <tensor<16xf32>>
  // expected-error @+1 {{reads the temporary 't' before it is written}}
  exec.copy %0 -> %2 : !exec.buffer<tensor<32xf32>> -> !exec.buffer<tensor<32xf32>>
}

// -----

func.func private @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  // expected-error @+1 {{has 1 members, expected at least 2}}
  exec.batch {
    exec.launch @k(%0) -> (%0) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  }
}

// -----

func.func private @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  %1 = exec.buffer "value" "w" {category = "residuals"} : <tensor<4xf32>>
  exec.batch {
    // expected-note @+1 {{which is here}}
    exec.launch @k(%0) -> (%0) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
    // expected-error @+1 {{uses 'v', which another member of the batch writes}}
    exec.launch @k(%0) -> (%1) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  }
}

// -----

func.func private @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel} {
  %0 = train.negate %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  %1 = exec.buffer "state" "w" {category = "optimizer", memory = "host"} : <tensor<4xf32>>
  // expected-error @+1 {{its buffers 'v' and 'w' are in different memories}}
  exec.batch {
    exec.launch @k(%0) -> (%0) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
    exec.launch @k(%1) -> (%1) : (!exec.buffer<tensor<4xf32>>) -> !exec.buffer<tensor<4xf32>>
  }
}

// -----

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "residuals"} : <tensor<4xf32>>
  exec.batch {
    // expected-error @+1 {{cannot be a member of a batch}}
    exec.fill %0 {value = 0 : i64} : <tensor<4xf32>>
  }
}

// -----

// A moved value is copied to its memory, and back.

exec.task @forward attributes {kind = "forward", stage = 0 : i64} {
  // expected-error @+1 {{value 'v' lives in the memory 'host': expected a copy from it, found none}}
  %0 = exec.buffer "value" "v" {category = "residuals", memory = "host"} : <tensor<4xf32>>
  %1 = exec.buffer "state" "w" {category = "parameters"} : <tensor<4xf32>>
  exec.copy %1 -> %0 : !exec.buffer<tensor<4xf32>> -> !exec.buffer<tensor<4xf32>>
}

// -----

exec.task @backward attributes {kind = "backward", stage = 0 : i64} {
  // expected-error @+1 {{value 'v' lives in the memory 'host': expected a copy to it, found none}}
  %0 = exec.buffer "value" "v" {category = "residuals", memory = "host"} : <tensor<4xf32>>
  %1 = exec.buffer "state" "w" {category = "optimizer"} : <tensor<4xf32>>
  exec.copy %0 -> %1 : !exec.buffer<tensor<4xf32>> -> !exec.buffer<tensor<4xf32>>
}

// -----

// Stages that have the collectives between them in different orders would wait for each other.

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
exec.task @one attributes {kind = "epilogue", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "temporary"} : <tensor<4xf32>>
  // expected-note @+1 {{this is what stage 0 has}}
  exec.collective "all_reduce" %0 -> %0 {axes = ["pipe"], reduction = "add", what = "scalar", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  exec.collective "all_reduce" %0 -> %0 {axes = ["pipe"], reduction = "maximum", what = "scalar", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}
exec.task @two attributes {kind = "epilogue", stage = 1 : i64} {
  %0 = exec.buffer "value" "v" {category = "temporary"} : <tensor<4xf32>>
  // expected-error @+1 {{collective 0 over stages: expected all_reduce add of 4 f32 over ["pipe"] on stage 1, found all_reduce maximum of 4 f32 over ["pipe"]}}
  exec.collective "all_reduce" %0 -> %0 {axes = ["pipe"], reduction = "maximum", what = "scalar", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  exec.collective "all_reduce" %0 -> %0 {axes = ["pipe"], reduction = "add", what = "scalar", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @one {microbatch = 0 : i64}
}
dist.schedule attributes {stage = 1 : i64} {
  dist.run @two {microbatch = 0 : i64}
}

// -----

// So would a stage for one that another stage does not have.

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
exec.task @one attributes {kind = "epilogue", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "temporary"} : <tensor<4xf32>>
  // expected-note @+1 {{this is what stage 0 has}}
  exec.collective "all_reduce" %0 -> %0 {axes = ["pipe"], reduction = "add", what = "scalar", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @one {microbatch = 0 : i64}
}
// expected-error @+1 {{collective 0 over stages: expected all_reduce add of 4 f32 over ["pipe"] on stage 1, found none}}
dist.schedule attributes {stage = 1 : i64} {
}

// -----

// A bucket crosses the network as one step, so it is one on all stages.

dist.mesh @mesh [#dist.axis<"pipe" = 2>]
exec.task @one attributes {kind = "epilogue", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "temporary"} : <tensor<4xf32>>
  %1 = exec.buffer "value" "w" {category = "temporary"} : <tensor<4xf32>>
  // expected-note @+1 {{this is what stage 0 has}}
  exec.collective "all_reduce" %0 -> %0 {axes = ["pipe"], reduction = "add", what = "scalar", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  exec.collective "all_reduce" %1 -> %1 {axes = ["pipe"], reduction = "add", what = "scalar", value = "w", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}
exec.task @two attributes {kind = "epilogue", stage = 1 : i64} {
  %0 = exec.buffer "value" "v" {category = "temporary"} : <tensor<4xf32>>
  %1 = exec.buffer "value" "w" {category = "temporary"} : <tensor<4xf32>>
  exec.bucket {
    // expected-error @+1 {{collective 0 over stages: expected all_reduce add of 4 f32 over ["pipe"] on stage 1, found all_reduce add of 4 f32 over ["pipe"], one of a bucket of 2}}
    exec.collective "all_reduce" %0 -> %0 {axes = ["pipe"], reduction = "add", what = "scalar", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
    exec.collective "all_reduce" %1 -> %1 {axes = ["pipe"], reduction = "add", what = "scalar", value = "w", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
  }
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @one {microbatch = 0 : i64}
}
dist.schedule attributes {stage = 1 : i64} {
  dist.run @two {microbatch = 0 : i64}
}

// -----

// Stages that permute pass values on in one direction.

dist.mesh @mesh [#dist.axis<"pipe" = 3>]
exec.task @one attributes {kind = "epilogue", stage = 0 : i64} {
  %0 = exec.buffer "value" "v" {category = "temporary"} : <tensor<4xf32>>
  %1 = exec.buffer "value" "w" {category = "temporary"} : <tensor<4xf32>>
  // expected-note @+1 {{this is what stage 0 has}}
  exec.collective "permute" %0 -> %1 {axes = ["pipe"], shift = 1 : i64, what = "scalar", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}
exec.task @two attributes {kind = "epilogue", stage = 1 : i64} {
  %0 = exec.buffer "value" "v" {category = "temporary"} : <tensor<4xf32>>
  %1 = exec.buffer "value" "w" {category = "temporary"} : <tensor<4xf32>>
  // expected-error @+1 {{collective 0 over stages: expected permute of 4 f32 over ["pipe"] by 1 on stage 1, found permute of 4 f32 over ["pipe"] by 2}}
  exec.collective "permute" %0 -> %1 {axes = ["pipe"], shift = 2 : i64, what = "scalar", value = "v", why = ""} : <tensor<4xf32>> -> <tensor<4xf32>>
}
dist.schedule attributes {stage = 0 : i64} {
  dist.run @one {microbatch = 0 : i64}
}
dist.schedule attributes {stage = 1 : i64} {
  dist.run @two {microbatch = 0 : i64}
}
