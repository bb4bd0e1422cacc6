# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks written by hand: two stages and two microbatches train what one device trains."""
import array
import json
import os
import random

from harness import HERE, call, off, path, read_safetensors, run, write_safetensors


def train(name, exe, *options):
    call("zcc", os.path.join(HERE, name), "-o", path(exe), "--quiet", *options)
    call("zrun", path(exe), "--params", path("params.safetensors"), "--batches", path("batches.safetensors"), "--steps", 20,
         "--log", path(exe + ".jsonl"), "--clip-norm=0.5", "--weight-decay=0.1", "--save-params", path(exe + ".params"),
         "--save-grads", path(exe + ".grads"))
    with open(path(exe + ".jsonl")) as f:
        head, *lines = [json.loads(line) for line in f]
    return head, lines


def floats(file):
    return {name: array.array("f", data) for name, (_, _, data) in read_safetensors(file).items()}


def test_two_stages():
    draw = random.Random(1)
    numbers = lambda n, scale=1: [draw.gauss(0, scale) for _ in range(n)]
    write_safetensors(path("params.safetensors"), {"w1": ("F32", [8, 16], numbers(128, 0.3)), "w2": ("F32", [16, 4], numbers(64, 0.3))})
    write_safetensors(path("batches.safetensors"), {"x": ("F32", [20, 8, 8], numbers(1280)), "y": ("F32", [20, 8, 4], numbers(640))})
    _, one = train("one-stage.mlir", "one")
    head, two = train("two-stages.mlir", "two", "--compile-from=tasks")
    assert head["ranks"] == 2 and head["planned_bytes"] == head["allocated_bytes"], head
    for key in ("loss", "grad_norm"):
        error = off([line[key] for line in two], [line[key] for line in one])
        assert error <= 1e-5, f"{key} off by {error:.1e}"
    for kind in ("params", "grads"):
        expected, found = floats(path("one." + kind)), floats(path("two." + kind))
        assert expected.keys() == found.keys(), found.keys()
        for name in expected:
            worst = max(abs(a - b) for a, b in zip(expected[name], found[name]))
            assert worst <= 1e-6, f"{kind}: {name} off by {worst:.1e}"


run(globals())
