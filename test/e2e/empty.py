# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors without elements give what XLA gives, on every mesh; and indices that the text replaces or that are to be clamped."""
from harness import *

TEXT = """
module @empty {
  func.func public @main(%w: tensor<6x1xf32> {zcc.parameter = "w"}, %z: tensor<0x4xf32> {zcc.parameter = "z"},
      %x: tensor<8x6xf32> {zcc.input = "x"}) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x1xf32>) -> tensor<8x1xf32>
    %thin = stablehlo.slice %x [0:8, 0:0] : (tensor<8x6xf32>) -> tensor<8x0xf32>
    %none = stablehlo.slice %w [0:0, 0:1] : (tensor<6x1xf32>) -> tensor<0x1xf32>
    %flat = stablehlo.dot_general %thin, %none, contracting_dims = [1] x [0] : (tensor<8x0xf32>, tensor<0x1xf32>) -> tensor<8x1xf32>
    %both = stablehlo.add %y, %flat : tensor<8x1xf32>
    %square = stablehlo.multiply %both, %both : tensor<8x1xf32>
    %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x1xf32>, tensor<f32>) -> tensor<f32>
    %rows = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<0x6xf32>
    %product = stablehlo.dot_general %rows, %w, contracting_dims = [1] x [0] : (tensor<0x6xf32>, tensor<6x1xf32>) -> tensor<0x1xf32>
    %empty = stablehlo.reduce(%product init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<0x1xf32>, tensor<f32>) -> tensor<f32>
    %most = stablehlo.reduce(%thin init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<8x0xf32>, tensor<f32>) -> tensor<f32>
    %larger = stablehlo.maximum %one, %most : tensor<f32>
    %unused = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<0x4xf32>, tensor<f32>) -> tensor<f32>
    %a = stablehlo.add %sum, %empty : tensor<f32>
    %b = stablehlo.add %a, %larger : tensor<f32>
    %c = stablehlo.add %b, %unused : tensor<f32>
    return %c : tensor<f32>
  }
}
"""
ROWS = [[math.sin(3 * i + k) for k in range(6)] for i in range(8)]
WEIGHTS = [math.cos(k) for k in range(6)]
RATE = 0.01


def expected(steps):
    w, losses = list(WEIGHTS), []
    for _ in range(steps):
        y = [sum(v * u for v, u in zip(row, w)) for row in ROWS]
        losses.append(sum(v * v for v in y) + 1)
        w = [u - RATE * sum(2 * v * row[k] for v, row in zip(y, ROWS)) for k, u in enumerate(w)]
    return losses


def test_empty_tensors():
    with open(path("empty.mlir"), "w") as f:
        f.write(TEXT)
    write_safetensors(path("params"), {"w": ("F32", [6, 1], WEIGHTS), "z": ("F32", [0, 4], [])})
    write_safetensors(path("batches"), {"x": ("F32", [1, 8, 6], [v for row in ROWS for v in row])})
    for options in ([], ["--mesh=data=2"], ["--microbatches=2"], ["--mesh=data=2,tensor=2", "--zero=3"], ["--mesh=4"]):
        if os.path.exists(path("log")):
            os.remove(path("log"))
        call("zcc", path("empty.mlir"), "-o", path("empty.zexe"), "--quiet", "--optimizer=sgd", *options)
        call("zrun", path("empty.zexe"), "--params", path("params"), "--batches", path("batches"), "--steps", 3, "--lr", RATE,
             "--momentum=0", "--log", path("log"), "--save-params", path("after"))
        with open(path("log")) as f:
            losses = [line["loss"] for line in map(json.loads, f) if "step" in line]
        assert off(losses, expected(3)) < 2e-6, f"{options}: {losses}, expected {expected(3)}"
        saved = read_safetensors(path("after"))
        assert saved["z"][1] == [0, 4] and not saved["z"][2], f"{options}: {saved['z']}"


# A table is picked by labels; where a label is -100 the pick is replaced by 0.
PICKS = """
module @picks {
  func.func public @main(%t: tensor<10xf32> {zcc.parameter = "t"}, %y: tensor<8xi32> {zcc.input = "y"}) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %index = stablehlo.reshape %y : (tensor<8xi32>) -> tensor<8x1xi32>
    %picked = "stablehlo.gather"(%t, %index) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<10xf32>, tensor<8x1xi32>) -> tensor<8xf32>
    MASK
    %sum = stablehlo.reduce(%kept init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
}
"""
MASK = """%ignored = stablehlo.constant dense<-100> : tensor<8xi32>
    %zeros = stablehlo.constant dense<0.0> : tensor<8xf32>
    %is = stablehlo.compare EQ, %y, %ignored, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %kept = stablehlo.select %is, %zeros, %picked : tensor<8xi1>, tensor<8xf32>"""
PLAIN = "%kept = stablehlo.optimization_barrier %picked : tensor<8xf32>"
LABELS = [3, -100, 9, 0, -100, 5, 12, 1]
TABLE = [float(i + 1) for i in range(10)]


def picks(mask, *options):
    with open(path("picks.mlir"), "w") as f:
        f.write(PICKS.replace("MASK", mask))
    write_safetensors(path("params"), {"t": ("F32", [10], TABLE)})
    write_safetensors(path("batches"), {"y": ("I32", [1, 8], LABELS)})
    if os.path.exists(path("log")):
        os.remove(path("log"))
    call("zcc", path("picks.mlir"), "-o", path("picks.zexe"), "--quiet", "--optimizer=sgd", *options)
    return [path("picks.zexe"), "--params", path("params"), "--batches", path("batches"), "--steps", 1, "--log", path("log")]


def loss(arguments):
    call("zrun", *arguments)
    with open(path("log")) as f:
        return [line["loss"] for line in map(json.loads, f) if "step" in line][0]


def test_a_label_that_the_text_replaces():
    clamped = [TABLE[min(max(i, 0), 9)] for i in LABELS]
    for mesh in ("1", "data=2", "tensor=2"):
        assert off([loss(picks(MASK, f"--mesh={mesh}"))], [sum(v for v, i in zip(clamped, LABELS) if i != -100)]) < 1e-6
        assert off([loss(picks(PLAIN, f"--mesh={mesh}", "--indices=clamp"))], [sum(clamped)]) < 1e-6
    refused("zrun", *picks(PLAIN), says="-100")


run(globals())
