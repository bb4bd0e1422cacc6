// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An update has what its optimizer keeps, in the parameter's shape.
// RUN: zcc-opt %s --split-input-file --verify-diagnostics

func.func @f(%p: tensor<4xf32>, %h: tensor<16xf32>, %s: tensor<f32>, %ok: tensor<i1>) {
  // expected-error @below {{unknown optimizer 'adamv', expected adamw, }}
  %0:3 = train.update %p, %p, %p, %p, %h, %s, %ok {optimizer = "adamv", decay = true}
    : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%p: tensor<4xf32>, %h: tensor<16xf32>, %s: tensor<f32>, %ok: tensor<i1>) {
  // expected-error @below {{expected 2 slots of adamw, found 1}}
  %0:2 = train.update %p, %p, %p, %h, %s, %ok {optimizer = "adamw", decay = true}
    : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%p: tensor<4xf32>, %m: tensor<3xf32>, %h: tensor<16xf32>, %s: tensor<f32>, %ok: tensor<i1>) {
  // expected-error @below {{expected moment1 of shape [4], found 'tensor<3xf32>'}}
  %0:2 = train.update %p, %m, %p, %h, %s, %ok {optimizer = "sgd", decay = true}
    : (tensor<4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%p: tensor<4xf32>, %h: tensor<16xf32>, %s: tensor<f32>, %ok: tensor<i1>) {
  // expected-error @below {{expected 2 results and at most one copy, found 4}}
  %0:4 = train.update %p, %p, %p, %h, %s, %ok {optimizer = "sgd", decay = true}
    : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xbf16>)
  return
}

// -----

func.func @f(%p: tensor<4xf32>, %h: tensor<8xf32>, %s: tensor<f32>, %ok: tensor<i1>) {
  // expected-error @below {{expected hyper of 16 elements and scalar scale and finite}}
  %0:2 = train.update %p, %p, %p, %h, %s, %ok {optimizer = "sgd", decay = true}
    : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<f32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%p: tensor<4xf32>, %h: tensor<16xf32>, %s: tensor<f32>, %ok: tensor<i1>) {
  // expected-error @below {{expected 2 slots of sgd with 'ema', found 1}}
  %0:2 = train.update %p, %p, %p, %h, %s, %ok {optimizer = "sgd", decay = true, ema = 0.9 : f64}
    : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%p: tensor<4xf32>, %h: tensor<16xf32>, %s: tensor<f32>, %ok: tensor<i1>) {
  // expected-error @below {{expected 'ema' of at least 0 and less than 1, found}}
  %0:3 = train.update %p, %p, %p, %p, %h, %s, %ok {optimizer = "sgd", decay = true, ema = 1.0 : f64}
    : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%p: tensor<4xf32>, %a: tensor<3xf32>, %h: tensor<16xf32>, %s: tensor<f32>, %ok: tensor<i1>) {
  // expected-error @below {{expected the average of shape [4], found 'tensor<3xf32>'}}
  %0:3 = train.update %p, %p, %a, %p, %h, %s, %ok {optimizer = "sgd", decay = true, ema = 0.5 : f64}
    : (tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<16xf32>, tensor<f32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
