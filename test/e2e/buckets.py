# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives that run together, or where values are smallest, give the bits of those that do not; each says why it is."""
import collections
import shutil

from harness import *

SWITCHES = ("bucket", "move-gathers", "merge-collectives", "reduce-scatter")


def losses(lines):
    return [(line["loss"], line["grad_norm"]) for line in lines]


def volume(report):
    return sum(c["bytes"] * c["times"] for c in report["collectives"])


def steps_of(report):
    """The number of steps of the collectives; a bucket is one step."""
    found = report["collectives"]
    return len([c for c in found if "bucket" not in c]) + len({(c["stage"], c["bucket"]) for c in found if "bucket" in c})


def compare(model, *options, fewer, steps=4):
    """Trains with buckets and without. `fewer`: the share of steps that is left with them, at most."""
    together = compile_model(model, *options)
    _, lines = train(model, steps=steps)
    alone = compile_model(model, "--disable=bucket", *options, exe="alone.zexe")
    _, want = train(model, steps=steps, exe="alone.zexe")
    where = f"{model} {options}"
    assert losses(lines) == losses(want), f"{where}: {losses(lines)}, alone {losses(want)}"
    assert together["memory"]["peak"] <= 1.01 * alone["memory"]["peak"], (where, together["memory"], alone["memory"])
    assert volume(together) == volume(alone) and len(together["collectives"]) == len(alone["collectives"]), where
    assert steps_of(together) <= fewer * steps_of(alone), f"{where}: {steps_of(together)} of {steps_of(alone)}"


def test_same_bits_within_the_same_memory():
    for zero in range(4):
        compare("gpt2", "--mesh=data=2,tensor=2", f"--zero={zero}", fewer=0.5)
    compare("llama", "--mesh=data=4,tensor=2", "--zero=3", "--precision=bf16", fewer=0.6)
    compare("moe", "--mesh=data=4", "--microbatches=2", "--zero=2", fewer=0.7)
    compare("resnet", "--mesh=data=2,tensor=2", fewer=0.8)


def test_same_bits_between_processes():
    compile_model("gpt2", "--mesh=data=2,tensor=2")
    _, want = train("gpt2", steps=3)
    launch = os.path.join(HERE, "..", "tools", "launch.py")
    launchers = [[sys.executable, launch, "4"]] if os.path.exists(os.path.join(BIN, "libzcc-gloo.so")) else []
    if shutil.which("mpirun") and os.path.exists(os.path.join(BIN, "libzcc-mpi.so")):
        launchers.append(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "4"])
    for launcher in launchers:
        p = subprocess.run([*launcher, os.path.join(BIN, "zrun"), path("model.zexe"), "--params", os.path.join(DATA, "gpt2", "params.safetensors"),
                            "--batches", os.path.join(DATA, "gpt2", "batches.safetensors"), "--steps", "3", "--log", path("processes.jsonl"),
                            *training_options("gpt2")], capture_output=True, text=True, timeout=600)
        assert p.returncode == 0, p.stderr[-400:]
        with open(path("processes.jsonl")) as f:
            got = [line for line in map(json.loads, f) if "step" in line]
        assert losses(got) == losses(want), (launcher[0], losses(got), losses(want))


def test_every_switch_keeps_the_bits():
    for model, options in (("gpt2", ("--mesh=data=2,tensor=2", "--zero=2", "--microbatches=2")), ("dlrm", ("--mesh=data=4", "--zero=1"))):
        compile_model(model, *options)
        _, want = train(model, steps=3)
        for switch in SWITCHES:
            compile_model(model, f"--disable={switch}", *options)
            _, got = train(model, steps=3)
            assert losses(got) == losses(want), (model, switch, losses(got), losses(want))


def test_the_trace_says_what_moves_and_why():
    report = compile_model("gpt2", "--mesh=data=2,tensor=2", "--zero=1")
    train("gpt2", "--trace", path("trace.json"), steps=1)
    with open(path("trace.json")) as f:
        events = [e for e in json.load(f)["traceEvents"] if e.get("pid") == 0 and e.get("args") and e["ph"] == "X"]
    moved = [m for e in events for m in e["args"].get("members", [e["args"]])]
    assert all(m.get("why") and m.get("value") and m.get("what") for m in moved), [m for m in moved if not m.get("why") or not m.get("value")][:3]
    # Parameters stand in no line.
    assert all(m["location"].endswith(".py:" + m["location"].split(":")[1]) for m in moved if m["what"] == "activation"), moved[:3]
    keys = ("kind", "bytes", "what", "value", "why")
    count = lambda entries: collections.Counter(tuple(e.get(k) for k in keys) + tuple(e["axes"]) for e in entries)
    assert count(moved) == count(report["collectives"]), (count(moved) - count(report["collectives"]), count(report["collectives"]) - count(moved))


def test_values_are_called_by_their_parameters():
    report = compile_model("gpt2", "--mesh=data=2,tensor=2", "--zero=1")
    found = report["collectives"]
    assert not [c for c in found if "params[" in c["value"]], "the name in the text, not that of the parameter"
    # The bias of a row-parallel product is whole on each device, its gradient a part of a sum over both axes.
    over = {tuple(c["axes"]) for c in found if c["what"] == "gradient" and c["value"] == "blocks.1.ln2.scale"}
    assert over == {("data",), ("tensor",)}, over


run(globals())
