# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over samples, as jax.lax.map makes them, are batches: devices and microbatches divide them. Loops over stacked
parameters that are cast first are layers. Constant positions are positions."""
import array
import random

from harness import *

STEPS = 2

# Each of 8 samples goes through two layers and is multiplied with the row of a table that its label picks.
LOOP = """
module @loops {
  func.func public @main(%w: tensor<2x4x4xf32> {zcc.parameter = "w"}, %table: tensor<5x4xf32> {zcc.parameter = "table"},
      %x: tensor<8x4xf32> {zcc.input = "x"}, %label: tensor<8xi32> {zcc.input = "label"}) -> tensor<f32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %eight = stablehlo.constant dense<8> : tensor<i32>
    %empty = stablehlo.constant dense<0.0> : tensor<8xf32>
    %r:4 = stablehlo.while(%i = %zero, %ys = %empty, %xs = %x, %ls = %label) : tensor<i32>, tensor<8xf32>, tensor<8x4xf32>, tensor<8xi32>
    cond {
      %p = stablehlo.compare LT, %i, %eight, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %row = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %v = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
      %layers:2 = stablehlo.while(%j = %zero, %h = %v) : tensor<i32>, tensor<4xf32>
      cond {
        %p = stablehlo.compare LT, %j, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %part = stablehlo.dynamic_slice %w, %j, %zero, %zero, sizes = [1, 4, 4] : (tensor<2x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
        %matrix = stablehlo.reshape %part : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
        %product = stablehlo.dot_general %matrix, %h, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %next = stablehlo.tanh %product : tensor<4xf32>
        %k = stablehlo.add %j, %one : tensor<i32>
        stablehlo.return %k, %next : tensor<i32>, tensor<4xf32>
      }
      %l = stablehlo.dynamic_slice %ls, %i, sizes = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
      %number = stablehlo.reshape %l : (tensor<1xi32>) -> tensor<i32>
      %picked = stablehlo.dynamic_slice %table, %number, %zero, sizes = [1, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %entry = stablehlo.reshape %picked : (tensor<1x4xf32>) -> tensor<4xf32>
      BODY
      %y = stablehlo.dot_general %last, %entry, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
      %written = stablehlo.reshape %y : (tensor<f32>) -> tensor<1xf32>
      %all = stablehlo.dynamic_update_slice %ys, %written, %i : (tensor<8xf32>, tensor<1xf32>, tensor<i32>) -> tensor<8xf32>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %all, %xs, %ls : tensor<i32>, tensor<8xf32>, tensor<8x4xf32>, tensor<8xi32>
    }
    %square = stablehlo.multiply %r#1, %r#1 : tensor<8xf32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%square init: %none) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %eighth = stablehlo.constant dense<0.125> : tensor<f32>
    %loss = stablehlo.multiply %sum, %eighth : tensor<f32>
    return %loss : tensor<f32>
  }
}
"""
PLAIN = "%last = stablehlo.negate %layers#1 : tensor<4xf32>"
# The place differs among samples.
PLACED = """%value = stablehlo.constant dense<0.5> : tensor<1xf32>
      %last = stablehlo.dynamic_update_slice %layers#1, %value, %number : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>"""

# Two layers of a stack that CAST computes of the parameter.
STACK = """
module @stack {
  func.func public @main(%w: tensor<2x4x4xf32> {zcc.parameter = "w"}, %x: tensor<8x4xf32> {zcc.input = "x"}) -> tensor<f32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    CAST
    %r:2 = stablehlo.while(%j = %zero, %h = %x) : tensor<i32>, tensor<8x4xf32>
    cond {
      %p = stablehlo.compare LT, %j, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %part = stablehlo.dynamic_slice %stack, %j, %zero, %zero, sizes = [1, 4, 4] : (tensor<2x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
      %matrix = stablehlo.reshape %part : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
      %product = stablehlo.dot_general %h, %matrix, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
      %next = stablehlo.tanh %product : tensor<8x4xf32>
      %k = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %k, %next : tensor<i32>, tensor<8x4xf32>
    }
    %square = stablehlo.multiply %r#1, %r#1 : tensor<8x4xf32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %loss = stablehlo.reduce(%square init: %none) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
"""
CASTS = ["""%narrow = stablehlo.convert %w : (tensor<2x4x4xf32>) -> tensor<2x4x4xbf16>
    %stack = stablehlo.convert %narrow : (tensor<2x4x4xbf16>) -> tensor<2x4x4xf32>""",
         """%half = stablehlo.constant dense<0.5> : tensor<f32>
    %halves = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %turned = stablehlo.transpose %w, dims = [0, 2, 1] : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %stack = stablehlo.multiply %turned, %halves : tensor<2x4x4xf32>"""]

# One number of each row, which POSITIONS and a label pick.
PICK = """
module @pick {
  func.func public @main(%w: tensor<4x5xf32> {zcc.parameter = "w"}, %x: tensor<8x4xf32> {zcc.input = "x"}, %label: tensor<8xi32> {zcc.input = "label"}) -> tensor<f32> {
    %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x5xf32>) -> tensor<8x5xf32>
    %position = POSITIONS
    %a = stablehlo.reshape %position : (tensor<8xi32>) -> tensor<8x1xi32>
    %b = stablehlo.reshape %label : (tensor<8xi32>) -> tensor<8x1xi32>
    %at = stablehlo.concatenate %a, %b, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
    %y = "stablehlo.gather"(%h, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<8x5xf32>, tensor<8x2xi32>) -> tensor<8xf32>
    %square = stablehlo.multiply %y, %y : tensor<8xf32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %loss = stablehlo.reduce(%square init: %none) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
"""

# The rows of a product are all the same, in every microbatch.
REPEATED = """
module @repeated {
  func.func public @main(%w: tensor<4x64xf32> {zcc.parameter = "w"}, %t: tensor<4xf32> {zcc.parameter = "t"}, %x: tensor<8x4xf32> {zcc.input = "x"}) -> tensor<f32> {
    %rows = stablehlo.broadcast_in_dim %t, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
    %a = stablehlo.dot_general %rows, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x64xf32>) -> tensor<8x64xf32>
    %b = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x64xf32>) -> tensor<8x64xf32>
    %y = stablehlo.multiply %a, %b : tensor<8x64xf32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %loss = stablehlo.reduce(%y init: %none) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
"""


def learn(text, *options, shapes):
    """Losses, gradients of the first step, the report, and the messages of zcc."""
    draw = random.Random(1)
    with open(path("loss.mlir"), "w") as f:
        f.write(text)
    write_safetensors(path("params"), {k: ("F32", s, [draw.gauss(0, 0.5) for _ in range(math.prod(s))]) for k, s in shapes.items()})
    write_safetensors(path("batches"), {
        "x": ("F32", [STEPS, 8, 4], [draw.gauss(0, 1) for _ in range(STEPS * 32)]),
        "label": ("I32", [STEPS, 8], [draw.randrange(4) for _ in range(STEPS * 8)])})
    _, err = call("zcc", path("loss.mlir"), "-o", path("x.zexe"), "--quiet", "--report", path("report.json"), *options)
    if os.path.exists(path("log")):
        os.remove(path("log"))
    call("zrun", path("x.zexe"), "--params", path("params"), "--batches", path("batches"), "--steps", STEPS, "--log", path("log"),
         "--save-grads", path("grads"))
    with open(path("log")) as f, open(path("report.json")) as g:
        losses = [json.loads(line)["loss"] for line in f.readlines()[1:]]
        gradients = {k: array.array("f", v[2]) for k, v in read_safetensors(path("grads")).items()}
        return losses, gradients, json.load(g), err


def compare(got, want, what, limit=1e-5):
    assert off(got[0], want[0]) <= limit, f"{what}: {got[0]}, expected {want[0]}"
    for k, values in want[1].items():
        error = math.dist(got[1][k], values) / math.hypot(*values)
        assert error <= limit, f"{what}: the gradient of {k} is off by {error:.1e}"


def test_samples_are_a_batch():
    text, shapes = LOOP.replace("BODY", PLAIN), {"w": [2, 4, 4], "table": [5, 4]}
    want = learn(text, "--disable=batch-loops", shapes=shapes)
    for options in ([], ["--mesh=data=2"], ["--mesh=data=4", "--zero=3"], ["--microbatches=2"], ["--mesh=data=2", "--microbatches=2"]):
        got = learn(text, *options, shapes=shapes)
        compare(got, want, options)
        assert "unrolled" not in got[3], got[3]
        flops = got[2]["flops"]
        assert flops["repeated"] <= 0.1 * flops["model"], (options, flops)
    # Without it, devices do the same.
    _, _, report, _ = learn(text, "--mesh=data=2", "--disable=batch-loops", shapes=shapes)
    assert report["flops"]["repeated"] > 0.5 * report["flops"]["model"], report["flops"]


def test_what_is_no_batch_is_unrolled():
    text, shapes = LOOP.replace("BODY", PLACED), {"w": [2, 4, 4], "table": [5, 4]}
    got = learn(text, shapes=shapes)
    assert "warning: this loop is unrolled into 8 trips, although they do not depend on each other" in got[3], got[3]
    assert "note: this cannot be computed for all trips at once" in got[3], got[3]
    want = learn(text, "--disable=batch-loops", shapes=shapes)
    assert "unrolled" not in want[3], want[3]
    assert got[:2] == want[:2], (got[:2], want[:2])


def test_casts_of_stacks():
    for cast in CASTS:
        text, shapes = STACK.replace("CAST", cast), {"w": [2, 4, 4]}
        want = learn(text, shapes=shapes)
        for options in (["--mesh=data=2"], ["--mesh=data=2", "--zero=3", "--microbatches=2"]):
            # Gradients are rounded to bf16 where the parameter was.
            compare(learn(text, *options, shapes=shapes), want, options, 1e-2 if "bf16" in cast else 1e-5)
        out, _ = call("zcc", path("loss.mlir"), "-o", path("x.zexe"), "--mesh=data=2", "--explain=w")
        assert "w: parameter tensor<4x4xf32>, one of 2 parts of a stack" in out, out


def test_constant_positions():
    shapes = {"w": [4, 5]}
    counted = PICK.replace("POSITIONS", "stablehlo.iota dim = 0 : tensor<8xi32>")
    listed = PICK.replace("POSITIONS", "stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>")
    for options in ([], ["--microbatches=2"], ["--mesh=data=2"]):
        want, got = (learn(text, *options, shapes=shapes) for text in (counted, listed))
        assert got[:2] == want[:2] and got[2]["flops"] == want[2]["flops"], (options, got, want)


def test_executed_is_not_below_the_model():
    shapes = {"w": [4, 64], "t": [4]}
    want = learn(REPEATED, shapes=shapes)
    got = learn(REPEATED, "--microbatches=4", "--remat=none", shapes=shapes)
    compare(got, want, "microbatches")
    flops = got[2]["flops"]
    assert flops["model"] < want[2]["flops"]["model"] and flops["executed"] >= flops["model"] and flops["recomputed"] >= 0, flops


run(globals())
