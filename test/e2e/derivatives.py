# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts whose functions have derivatives of their own (@zcc.custom_derivative): rounding that gradients pass straight
through, gradients that are clipped, and a function of several results that reads integers."""
import array

from harness import *

ROWS, WIDTH = 8, 4

# h = x * w; r = round(h), with the derivative 1; c = r, with clipped gradients; a, b = scale(c, i), whose rule gives
# c the gradient 3 da i - db c; loss = mean over rows of (a - t)^2 / 2 + b t.
TEXT = """
module @derivatives {
  func.func public @main(%w: tensor<4xf32> {zcc.parameter = "w"}, %x: tensor<8x4xf32> {zcc.input = "x"},
      %t: tensor<8x4xf32> {zcc.input = "t"}, %i: tensor<8xi32> {zcc.input = "i"}) -> tensor<f32> {
    %wide = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
    %h = stablehlo.multiply %x, %wide : tensor<8x4xf32>
    %count = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %loop:2 = stablehlo.while(%step = %count, %value = %h) : tensor<i32>, tensor<8x4xf32>
    cond {
      %more = stablehlo.compare LT, %step, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %rounded = func.call @round(%value) : (tensor<8x4xf32>) -> tensor<8x4xf32>
      %next = stablehlo.add %step, %one : tensor<i32>
      stablehlo.return %next, %rounded : tensor<i32>, tensor<8x4xf32>
    }
    %c = stablehlo.custom_call @zcc.custom_derivative(%loop#1, %loop#1) {called_computations = [@clip]} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %factor = stablehlo.convert %i : (tensor<8xi32>) -> tensor<8xf32>
    %factors = stablehlo.broadcast_in_dim %factor, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
    %a = stablehlo.multiply %c, %factors : tensor<8x4xf32>
    %b = stablehlo.negate %c : tensor<8x4xf32>
    %r:2 = stablehlo.custom_call @zcc.custom_derivative(%a, %b, %c, %i) {called_computations = [@scale]} : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xi32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
    %off = stablehlo.subtract %r#0, %t : tensor<8x4xf32>
    %square = stablehlo.multiply %off, %off : tensor<8x4xf32>
    %half = stablehlo.constant dense<0.5> : tensor<8x4xf32>
    %halves = stablehlo.multiply %square, %half : tensor<8x4xf32>
    %products = stablehlo.multiply %r#1, %t : tensor<8x4xf32>
    %terms = stablehlo.add %halves, %products : tensor<8x4xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%terms init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
    %eighth = stablehlo.constant dense<0.125> : tensor<f32>
    %loss = stablehlo.multiply %sum, %eighth : tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @round(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %y = stablehlo.round_nearest_even %x : tensor<8x4xf32>
    %z = stablehlo.custom_call @zcc.custom_derivative(%y, %x) {called_computations = [@straight]} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    return %z : tensor<8x4xf32>
  }
  func.func private @straight(%x: tensor<8x4xf32>, %dz: tensor<8x4xf32>) -> tensor<8x4xf32> {
    return %dz : tensor<8x4xf32>
  }
  func.func private @clip(%x: tensor<8x4xf32>, %dz: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %low = stablehlo.constant dense<-0.5> : tensor<f32>
    %high = stablehlo.constant dense<0.5> : tensor<f32>
    %dx = stablehlo.clamp %low, %dz, %high : (tensor<f32>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    return %dx : tensor<8x4xf32>
  }
  func.func private @scale(%c: tensor<8x4xf32>, %i: tensor<8xi32>, %da: tensor<8x4xf32>, %db: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %factor = stablehlo.convert %i : (tensor<8xi32>) -> tensor<8xf32>
    %factors = stablehlo.broadcast_in_dim %factor, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
    %0 = stablehlo.multiply %da, %factors : tensor<8x4xf32>
    %three = stablehlo.constant dense<3.0> : tensor<8x4xf32>
    %1 = stablehlo.multiply %0, %three : tensor<8x4xf32>
    %2 = stablehlo.multiply %db, %c : tensor<8x4xf32>
    %dc = stablehlo.subtract %1, %2 : tensor<8x4xf32>
    return %dc : tensor<8x4xf32>
  }
}
"""

W = [math.sin(i + 1) * 2 for i in range(WIDTH)]
X = [math.cos(i) * 2 for i in range(ROWS * WIDTH)]
T = [math.sin(3 * i) for i in range(ROWS * WIDTH)]
I = [k % 3 for k in range(ROWS)]


def expected():
    """The loss and its gradient, by the rules of the text."""
    loss, gradient, clipped = 0, [0] * WIDTH, 0
    for n in range(ROWS * WIDTH):
        x, t, i = X[n], T[n], I[n // WIDTH]
        c = round(x * W[n % WIDTH])
        loss += ((c * i - t) ** 2 / 2 - c * t) / ROWS
        da, db = (c * i - t) / ROWS, t / ROWS
        dc = 3 * da * i - db * c
        clipped += abs(dc) > 0.5
        gradient[n % WIDTH] += min(max(dc, -0.5), 0.5) * x
    assert 0 < clipped < ROWS * WIDTH, "the test needs gradients on both sides of the limit"
    return loss, gradient


def inputs():
    with open(path("derivatives.mlir"), "w") as f:
        f.write(TEXT)
    write_safetensors(path("params"), {"w": ("F32", [WIDTH], W)})
    write_safetensors(path("batches"), {"x": ("F32", [1, ROWS, WIDTH], X), "t": ("F32", [1, ROWS, WIDTH], T), "i": ("I32", [1, ROWS], I)})


def check(*options):
    inputs()
    call("zcc", path("derivatives.mlir"), "--optimizer=none", "-o", path("x.zexe"), "--quiet", *options)
    call("zrun", path("x.zexe"), "--params", path("params"), "--batches", path("batches"), "--steps", 1, "--log", path("log"),
         "--save-grads", path("grads"))
    loss, gradient = expected()
    with open(path("log")) as f:
        assert off([json.loads(f.readlines()[1])["loss"]], [loss]) <= 1e-6
    got = array.array("f", read_safetensors(path("grads"))["w"][2])
    assert math.dist(got, gradient) <= 1e-6 * math.hypot(*gradient), f"{options}: {list(got)}, expected {gradient}"


def test_rules_are_followed():
    check()


def test_rules_are_followed_on_meshes():
    check("--mesh=data=2")
    check("--mesh=data=2", "--zero=3", "--microbatches=2")
    check("--mesh=tensor=2")


def test_rules_are_followed_in_microbatches():
    check("--microbatches=2")
    check("--microbatches=4", "--exact")


def test_rules_are_followed_from_the_phase_graph():
    inputs()
    call("zcc", path("derivatives.mlir"), "--compile-to=graph", "-o", path("graph.mlir"))
    with open(path("graph.mlir")) as f:
        text = f.read()
    assert text.count("train.custom_derivative") == text.count("train.cotangent") - 1 == 4, text
    call("zcc", path("graph.mlir"), "--compile-from=graph", "--optimizer=none", "-o", path("again.zexe"), "--quiet")
    call("zcc", path("derivatives.mlir"), "--optimizer=none", "-o", path("x.zexe"), "--quiet")
    call("zrun", path("again.zexe"), "--params", path("params"), "--batches", path("batches"), "--save-grads", path("again"))
    call("zrun", path("x.zexe"), "--params", path("params"), "--batches", path("batches"), "--save-grads", path("grads"))
    assert read_safetensors(path("again")) == read_safetensors(path("grads"))


def test_programs_without_a_backward_pass_have_the_values_alone():
    inputs()
    call("zcc", path("derivatives.mlir"), "--optimizer=forward", "-o", path("x.zexe"), "--quiet")
    call("zrun", path("x.zexe"), "--params", path("params"), "--batches", path("batches"), "--log", path("log"))
    with open(path("log")) as f:
        assert off([json.loads(f.readlines()[1])["loss"]], [expected()[0]]) <= 1e-6


def test_rules_are_refused_that_do_not_fit():
    inputs()
    for old, new, says in (("[@clip]", "[@clap]", "expected a function @clap with a body, got none"),
                           ("[@clip]", "[@scale]", "expected the rule @scale to be of type"),
                           ("{called_computations = [@clip]} ", "", "expected the rule of @zcc.custom_derivative")):
        assert old in TEXT
        with open(path("wrong.mlir"), "w") as f:
            f.write(TEXT.replace(old, new))
        refused("zcc", path("wrong.mlir"), "-o", path("wrong.zexe"), says=says, leaves_no=path("wrong.zexe"))


run(globals())
