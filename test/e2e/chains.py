# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory of plain chains of layers: evaluation holds two neighbors, training about sqrt N of N layers if memory is short."""
import csv
import random
import re

import texts
from harness import *

BATCH = 512


def write_chain(widths, between=("tanh",), batch=BATCH):
    """Products one after the other, each followed by elementwise ops; the loss is the mean square of the last."""
    b = texts.Builder("chain.py")
    weights = [b.argument(f"params['w{i:03}']", pair) for i, pair in enumerate(zip(widths, widths[1:]))]
    x = b.argument("batch['x']", (batch, widths[0]))
    for i, w in enumerate(weights):
        b.line = 10 + i
        x = b.dot(x, w, ([1], [0]))
        for op in between:
            x = b.ew(op, x)
    b.line = 1
    with open(path("chain.mlir"), "w") as f:
        f.write(b.text(b.mean(b.ew("multiply", x, x))))


def compile_chain(*options, status=0):
    """The report and the rows of --buffers, or the message of a refusal."""
    _, err = call("zcc", path("chain.mlir"), "-o", path("chain.zexe"), "--quiet", "--report", path("report.json"), "--buffers", path("b.csv"),
                  *options, status=status)
    if status:
        return err
    with open(path("report.json")) as f, open(path("b.csv")) as g:
        return json.load(f), list(csv.DictReader(g))


def activations(widths, *options):
    """Bytes of the peak that are temporaries of a task: TASK/NAME."""
    report, rows = compile_chain("--optimizer=forward", *options)
    always = sum(int(r["size"]) for r in rows if "/" not in r["name"])
    # Parameters, the batch, and a few scalars.
    known = 4 * sum(a * b for a, b in zip(widths, widths[1:])) + 4 * BATCH * widths[0]
    assert known <= always <= known + 1024, (known, always)
    assert report["memory"]["peak"] == report["memory"]["lower_bound"], report["memory"]
    return report["memory"]["peak"] - always


def adjacent(widths):
    """The bytes of the two largest neighbors, without the batch."""
    return max(4 * BATCH * (a + b) for a, b in zip(widths[1:], widths[2:]))


def test_evaluation_holds_two_neighbors():
    """Buffers take turns, whatever their sizes; elementwise ops work in place, fused or not."""
    for widths in ((16, 48, 32, 160, 96, 112, 144, 16, 8), (16, *[64] * 20), (8, 16, 32, 64, 128, 256, 128, 64, 32, 16), (16, *[128, 32] * 12)):
        for between in ((), ("tanh",), ("tanh", "sine", "negate", "exponential")):
            write_chain(widths, between)
            for options in ((), ("--disable=fuse",)):
                got = activations(widths, *options)
                assert got == adjacent(widths), f"{widths} {between} {options}: {got} bytes, its two largest neighbors are {adjacent(widths)}"


def test_evaluation_of_elementwise_ops_holds_one():
    write_chain((16, 128), ("sine", "cosine") * 150)
    for options, scalar in (((), 0), (("--disable=fuse",), 64)):
        got = activations((16, 128), *options)
        assert got == 4 * BATCH * 128 + scalar, (options, got)


def losses(text, *options):
    call("zcc", text, "-o", path("m.zexe"), "--quiet", *options)
    if os.path.exists(path("log")):
        os.remove(path("log"))
    call("zrun", path("m.zexe"), "--params", path("params"), "--batches", path("batches"), "--steps", 3, "--log", path("log"))
    with open(path("log")) as f:
        return [(line["loss"], line["grad_norm"]) for line in map(json.loads, f.readlines()[1:])]


def test_slices_and_concatenations_are_parts_with_the_same_bits():
    b = texts.Builder("join.py")
    u, v, w = (b.argument(f"params['{name}']", (16, 16)) for name in "uvw")
    x = b.argument("batch['x']", (8, 16))
    joined = b.concatenate([b.ew("tanh", b.dot(x, u, ([1], [0]))), b.dot(x, v, ([1], [0]))], 0)
    y = b.ew("sine", b.dot(joined, w, ([1], [0])))
    y = b.dot(b.slice(y, 0, 0, 8), b.slice(y, 0, 8, 16), ([1], [1]))
    with open(path("join.mlir"), "w") as f:
        f.write(b.text(b.mean(b.ew("multiply", y, y))))
    draw = random.Random(1)
    write_safetensors(path("params"), {name: ("F32", [16, 16], [draw.gauss(0, 0.3) for _ in range(256)]) for name in "uvw"})
    write_safetensors(path("batches"), {"x": ("F32", [3, 8, 16], [draw.gauss(0, 1) for _ in range(384)])})
    for target in ("cpu", "reference"):
        for more in ((), ("--disable=fuse",), ("--disable=fuse", "--mesh=tensor=2"), ("--disable=fuse", "--mesh=data=2", "--zero=3", slow_machine())):
            options = (f"--target={target}", *more)
            want = losses(path("join.mlir"), *options, "--disable=share-buffers")
            assert losses(path("join.mlir"), *options) == want, options
    texts_of = []
    for off in ("fuse,share-buffers", "fuse"):
        call("zcc", path("join.mlir"), f"--disable={off}", "--optimizer=forward", "--compile-to=planned", "-o", path("planned.mlir"), "--quiet")
        with open(path("planned.mlir")) as f:
            texts_of.append(f.read())
    kinds = [{kind for kind in ("slice", "concatenate") if f"train.{kind}" in text} for text in texts_of]
    assert kinds == [{"slice", "concatenate"}, set()] and " {begin = " in texts_of[1], kinds


def held_in_training(layers):
    """Trains a chain of equal layers in the least memory that is accepted. Returns the activations beside the batch, and the ratio of executed arithmetic to the model's."""
    width, batch = 16, 8192
    write_chain((width,) * (layers + 1), batch=batch)
    least = int(re.search(r"needs [^(]* \((\d+) bytes\)", compile_chain("--memory=1000", "--microbatches=1", status=2))[1])
    report, rows = compile_chain(f"--memory={least}", "--microbatches=1")
    assert report["memory"]["peak"] <= least, (layers, report["memory"], least)
    end = max(int(r["upper"]) for r in rows)
    always = sum(int(r["size"]) for r in rows if (int(r["lower"]), int(r["upper"])) == (0, end))
    return (report["memory"]["peak"] - always) / (4 * batch * width), report["flops"]["executed"] / report["flops"]["model"]


def test_training_in_least_memory_holds_about_the_root_of_its_layers():
    """Layers are computed again about sqrt N at once, between values that stay: two roots of N, and what one layer needs."""
    held = {}
    for layers in (16, 36, 64):
        held[layers], flops = held_in_training(layers)
        assert held[layers] <= 2 * layers ** 0.5 + 3, held
        assert 1 < flops <= 4 / 3 + 0.01, (layers, flops)
    assert held[64] <= 2 * held[16], held


run(globals())
