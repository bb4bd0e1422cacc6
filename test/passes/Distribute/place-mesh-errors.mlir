// Meshes of texts that cannot be had, at the first value that needs them.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics --zcc-place-mesh
// RUN: zcc-opt %s --split-input-file --zcc-place-mesh="axes=data=4" -o %t

module attributes {zcc.mesh_axes = ["data", "pipe"], zcc.mesh_sizes = array<i64: 2, 4>} {
  // expected-error @below {{mesh axis 'pipe' of 4 devices does not work yet (not yet)}}
  func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}, %w: tensor<4x4xf32> {zcc.kind = "parameter", zcc.parameter = "w", zcc.sharding = [["pipe:(1)2"], []]}) {
    return
  }
}

// -----

module attributes {zcc.mesh_axes = ["data", "pipe"], zcc.mesh_sizes = array<i64: 2, 4>} {
  func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) -> tensor<8x4xf32> {
    %0 = train.negate %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
    // expected-error @below {{mesh axis 'pipe' of 4 devices does not work yet (not yet)}}
    %1 = train.sharding_constraint %0 {sharding = [["data"], ["pipe"]]} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}

// -----

// One device is no pipeline.
module attributes {zcc.mesh_axes = ["data", "pipe"], zcc.mesh_sizes = array<i64: 2, 1>} {
  func.func @step(%x: tensor<8x4xf32> {zcc.kind = "input", zcc.input = "x"}) {
    return
  }
}
