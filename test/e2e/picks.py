# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Argmax over a sharded vocabulary, and slices at computed places of a sharded sequence: the picked elements move, and
nothing is gathered."""
import random

from harness import *

TEXT = os.path.join(HERE, "picks.mlir")
LOGITS = 6 * 10 * 40 * 4  # bytes
STEPS = 3


def train_picks(*options):
    """Losses, norms and metrics of a few steps whose slices begin at several places, beyond the end too; and the report."""
    draw = random.Random(1)
    write_safetensors(path("params"), {"wte": ("F32", [40, 12], [draw.gauss(0, 0.5) for _ in range(480)]),
                                       "scale": ("F32", [12], [draw.gauss(1, 0.1) for _ in range(12)])})
    write_safetensors(path("batches"), {"x": ("I32", [STEPS, 6, 10], [draw.randrange(40) for _ in range(STEPS * 60)]),
                                        "at": ("I32", [STEPS], [3, 0, 7])})
    call("zcc", TEXT, "-o", path("picks.zexe"), "--quiet", "--report", path("report.json"), *options)
    if os.path.exists(path("log")):
        os.remove(path("log"))
    call("zrun", path("picks.zexe"), "--params", path("params"), "--batches", path("batches"), "--steps", STEPS, "--log", path("log"))
    with open(path("log")) as f, open(path("report.json")) as g:
        lines = [json.loads(line) for line in f.readlines()[1:]]
        return [[line[k] for line in lines] for k in ("loss", "grad_norm", "accuracy", "worst")], json.load(g)


def check(*options):
    want, _ = train_picks()
    got, report = train_picks(*options)
    for a, b in zip(got, want):
        assert off(a, b) <= 1e-5, f"{options}: {a}, expected {b}"
    return report


def gathers(report):
    return [c for c in report["collectives"] if c["kind"] in ("all-gather", "all-to-all") and c["what"] == "activation"]


# 20 of 40 logits on each device: two sums of the size of the result instead of all logits.
def test_vocabulary():
    report = check("--mesh=tensor=2")
    best = [c for c in report["collectives"] if "train.arg_reduce" in c["why"]]
    assert best and all(c["bytes"] == LOGITS // 40 and c["kind"] == "all-reduce" for c in best), best
    assert all(c["bytes"] < LOGITS for c in gathers(report)), gathers(report)


def test_uneven_vocabulary():
    check("--mesh=tensor=3")
    check("--mesh=data=2,tensor=7")


# Three positions of ten are read and written wherever they are.
def test_sequence():
    for n in (2, 3, 4):
        report = check(f"--mesh=context={n}")
        assert not [c for c in gathers(report) if "dynamic" in c["why"]], gathers(report)
    check("--mesh=data=3,context=2")
    check("--mesh=tensor=2,context=2")


# Slices along another dim than the one that is split move nothing.
def test_batch():
    report = check("--mesh=data=3")
    assert not [c for c in report["collectives"] if "dynamic" in c["why"] or "arg_reduce" in c["why"]], report["collectives"]
    check("--mesh=data=2", "--microbatches=3")


def test_switched_off():
    for mesh in ("--mesh=tensor=2", "--mesh=context=2", "--mesh=vocabulary=2 --shard=wte=vocabulary,-"):
        report = check(*mesh.split(), "--disable=split-picks")
        assert not [c for c in report["collectives"] if "to know whose it is" in c["why"]], mesh
        assert gathers(report) or mesh == "--mesh=tensor=2", mesh  # another dim is split then


run(globals())
