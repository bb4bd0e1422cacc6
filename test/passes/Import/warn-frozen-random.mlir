// Threefry with a constant key gives the same numbers in every step. Hashes that only make keys do not count.
// RUN: zcc-opt %s --split-input-file --zcc-warn-frozen-random --verify-diagnostics -o /dev/null

func.func @loss(%p: tensor<f32> {zcc.parameter = "p"}, %seed: tensor<ui32> {zcc.input = "seed"}) -> tensor<f32> {
  %x = train.constant dense<3> : tensor<ui32>
  %y = train.constant dense<7> : tensor<ui32>
  %by = train.constant dense<13> : tensor<ui32>
  %rest = train.constant dense<19> : tensor<ui32>
  %sum = train.add %x, %y : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %left = train.shift_left %y, %by : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %right = train.shift_right_logical %y, %rest : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %rotated = train.or %left, %right : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  // It makes a key of the second hash, which depends on an input.
  %key = train.xor %sum, %rotated : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %sum1 = train.add %seed, %key : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %left1 = train.shift_left %key, %by : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %right1 = train.shift_right_logical %key, %rest : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %rotated1 = train.or %left1, %right1 : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %bits = train.xor %sum1, %rotated1 : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  // No other hash depends on the third.
  %sum2 = train.add %y, %x : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %left2 = train.shift_left %x, %by : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %right2 = train.shift_right_logical %x, %rest : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %rotated2 = train.or %left2, %right2 : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  // expected-warning @+2 {{these random numbers depend on no input, so they are the same in every step: dropout would be frozen}}
  // expected-note @+1 {{give the loss a last argument `key`, which gets a new key in each step (zrun --key-seed)}}
  %frozen = train.xor %sum2, %rotated2 : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %all = train.add %bits, %frozen : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %number = train.convert %all : (tensor<ui32>) -> tensor<f32>
  %loss = train.multiply %p, %number : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----
// Ops that rotate other bits than they add are no round.
func.func @loss(%p: tensor<f32> {zcc.parameter = "p"}) -> tensor<f32> {
  %x = train.constant dense<3> : tensor<ui32>
  %y = train.constant dense<7> : tensor<ui32>
  %by = train.constant dense<13> : tensor<ui32>
  %rest = train.constant dense<19> : tensor<ui32>
  %sum = train.add %x, %x : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %left = train.shift_left %y, %by : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %right = train.shift_right_logical %y, %rest : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %rotated = train.or %left, %right : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %bits = train.xor %sum, %rotated : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %number = train.convert %bits : (tensor<ui32>) -> tensor<f32>
  %loss = train.multiply %p, %number : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----
// A constant that a hash was folded into is as good as the hash; unless a hash is made of it.
func.func @loss(%p: tensor<f32> {zcc.parameter = "p"}, %seed: tensor<ui32> {zcc.input = "seed"}) -> tensor<f32> {
  %by = train.constant dense<13> : tensor<ui32>
  %rest = train.constant dense<19> : tensor<ui32>
  %key = train.constant {zcc.drawn} dense<3> : tensor<ui32>
  // expected-warning @+2 {{these random numbers depend on no input}}
  // expected-note @+1 {{give the loss a last argument `key`}}
  %frozen = train.constant {zcc.drawn} dense<0.5> : tensor<f32>
  %sum = train.add %seed, %key : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %left = train.shift_left %key, %by : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %right = train.shift_right_logical %key, %rest : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %rotated = train.or %left, %right : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %bits = train.xor %sum, %rotated : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
  %number = train.convert %bits : (tensor<ui32>) -> tensor<f32>
  %scaled = train.multiply %number, %frozen : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %loss = train.multiply %p, %scaled : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
