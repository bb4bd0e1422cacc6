# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps over slow links take at least what the report's collectives say, and compute the same."""
from harness import *

LATENCY, BANDWIDTH = 1e-3, 50e6


def seconds_of(report):
    """Seconds that all collectives take on the slow links. Those of one bucket have one latency together."""
    launches, sent = {}, 0
    for i, c in enumerate(report["collectives"]):
        ranks = math.prod(report["mesh"][axis] for axis in c["axes"])
        share = 1 if c["kind"] == "permute" else (ranks - 1) / ranks
        sent += c["times"] * c["bytes"] * share * (2 if c["kind"] == "all-reduce" else 1)
        launches[(c.get("stage"), c["bucket"]) if "bucket" in c else i] = c["times"]
    return sum(launches.values()) * LATENCY + sent / BANDWIDTH


def check(model, *options):
    report = compile_model(model, *options)
    _, fast = train(model, steps=4)
    _, slow = train(model, f"--link-delay={1e3 * LATENCY}ms,{1e-6 * BANDWIDTH}MB/s", "--trace", path("trace.json"), steps=4)
    for key in ("loss", "grad_norm"):
        assert [line[key] for line in slow] == [line[key] for line in fast], (model, options, key)
    expected, found = seconds_of(report), min(line["seconds"] for line in slow)
    assert expected > 0 and found >= expected, f"{model} {options}: a step took {found} s, its collectives alone {expected} s"
    with open(path("trace.json")) as f:
        spans = [e for e in json.load(f)["traceEvents"] if e["pid"] == 1 and e["ph"] == "X"]
    moving = sum(e["dur"] for e in spans if {"kind", "members"} & set(e.get("args", {}))) * 1e-6
    assert moving >= expected, f"{model} {options}: {moving} s in the trace, expected {expected} s"


def test_data():
    check("gpt2", "--mesh=data=4")


def test_all_kinds():
    check("gpt2", "--mesh=data=2,tensor=2", "--zero=3", "--state=*=gather", "--microbatches=2")
    check("gpt2", "--mesh=context=2")
    check("moe", "--mesh=expert=2")
    check("resnet", "--mesh=space=2", "--shard=image=-,space,-,-")


run(globals())
