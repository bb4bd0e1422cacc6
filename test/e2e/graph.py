# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work that runs along dims that are no batch, edges and nodes of a graph: told where devices repeat it, divided where it may be, the same numbers."""
import random
import re
import shlex

from harness import *

TEXT = os.path.join(HERE, "graph.mlir")
STEPS = 3


def draw_files():
    draw = random.Random(3)
    normal = lambda *shape: ("F32", list(shape), [draw.gauss(0, 0.3) for _ in range(math.prod(shape))])
    below = lambda n, *shape: ("I32", list(shape), [draw.randrange(n) for _ in range(math.prod(shape))])
    write_safetensors(path("params"), {"we": normal(12, 64), "we2": normal(64, 4), "wn": normal(8, 64), "wn2": normal(64, 4), "out": normal(4, 1)})
    write_safetensors(path("batches"), {
        "edges": normal(STEPS, 96, 4), "nodes": normal(STEPS, 40, 4), "send": below(40, STEPS, 96), "recv": below(40, STEPS, 96),
        "graph": below(8, STEPS, 40), "globals": normal(STEPS, 8, 4), "scale": normal(STEPS, 8), "bias": normal(STEPS, 8), "y": normal(STEPS, 8)})


def train_graph(*options):
    """Losses and norms, the report, and the messages of zcc."""
    draw_files()
    _, err = call("zcc", TEXT, "-o", path("graph.zexe"), "--quiet", "--report", path("report.json"), *options)
    if os.path.exists(path("log")):
        os.remove(path("log"))
    call("zrun", path("graph.zexe"), "--params", path("params"), "--batches", path("batches"), "--steps", STEPS, "--log", path("log"))
    with open(path("log")) as f, open(path("report.json")) as g:
        lines = [json.loads(line) for line in f.readlines()[1:]]
        return [[line[k] for line in lines] for k in ("loss", "grad_norm")], json.load(g), err


def check(*options):
    """The same numbers as on one device; the share of the model that is executed, and the warnings."""
    want, _, _ = train_graph()
    got, report, err = train_graph(*options)
    for a, b in zip(got, want):
        assert off(a, b) <= 1e-5, f"{options}: {a}, expected {b}"
    return report["flops"], err


def times(flops):
    return flops["executed"] / flops["model"]


# A bare mesh divides it without being told.
def test_bare():
    for mesh in ("2", "3", "4"):
        flops, err = check("--mesh", mesh)
        assert times(flops) <= 1.1 and not err, (mesh, flops, err)
    check("--mesh=4", "--zero=3")


# With named axes there is a warning, with options that divide the work.
def test_named():
    flops, err = check("--mesh=data=4")
    assert times(flops) > 3 and flops["repeated"] > 2 * flops["model"], flops
    assert {tuple(one["axes"]) for one in flops["repeated_by"]} == {("data",)} and all(one["times"] == 4 for one in flops["repeated_by"])
    assert err.count("warning:") == 1 and re.search(r"graph.py:[0-9]+:[0-9]+: warning: devices execute 3", err), err
    options = shlex.split(re.search(r"note: what is repeated is divided by (--shard .*): 1[.]0", err)[1])
    assert len(options) >= 4, err
    flops, err = check("--mesh=data=4", *options)
    assert times(flops) <= 1.1 and not err, (flops, err)


def test_two_axes():
    flops, err = check("--mesh=data=2,tensor=2")
    assert times(flops) < 2.1, flops  # tensor divides what data repeats
    if err:
        options = shlex.split(re.search(r"note: what is repeated is divided by (--shard .*): 1[.]", err)[1])
        flops, err = check("--mesh=data=2,tensor=2", *options)
        assert times(flops) <= 1.1 and not err, (flops, err)


run(globals())
