# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of two microbatches that take turns: the same bits, one computes while the other waits for links."""
import re

from harness import *

PLANS = [("moe", "--mesh=expert=4", "--microbatches=2"), ("moe", "--mesh=data=2,expert=2", "--microbatches=4", "--zero=3", "--state=*=gather"),
         ("moe", "--mesh=expert=2,tensor=2", "--microbatches=2", "--precision=bf16"), ("gpt2", "--mesh=tensor=2", "--microbatches=4"),
         ("gpt2-dropout", "--mesh=tensor=2", "--microbatches=2", "--remat=full"), ("gpt2-masked", "--mesh=data=2,tensor=2", "--microbatches=2"),
         ("llama", "--mesh=tensor=2", "--microbatches=8"), ("mlp", "--mesh=tensor=4", "--microbatches=4"),
         # In stages, gradients of weights fill the waits of other tasks.
         ("moe", "--mesh=pipe=2,expert=2", "--microbatches=4", "--schedule=zb-h1"), ("gpt2", "--mesh=pipe=2,tensor=2", "--microbatches=4", "--schedule=zb-v"),
         # Forward and backward passes that both send, of one task and of two.
         ("moe", "--mesh=pipe=2,expert=2", "--microbatches=4", "--schedule=1f1b"), ("gpt2", "--mesh=pipe=2,tensor=2", "--microbatches=4", "--schedule=gpipe")]


def losses(model, exe):
    _, lines = train(model, steps=3, exe=exe)
    return [(line["loss"], line["grad_norm"]) for line in lines]


def turns_of(text):
    """The tasks that the table runs, and their microbatches."""
    return re.findall(r"dist.run @(\w+) {.*?microbatch = (\d+)", text)


def test_same_bits():
    for model, *options in PLANS:
        call("zcc", model_text(model), "--disable=overlap", "--compile-to=scheduled", "-o", path("whole.mlir"), "--quiet", *options)
        call("zcc", path("whole.mlir"), "--compile-from=scheduled", "-o", path("whole.zexe"), "--quiet")
        want = losses(model, "whole.zexe")
        for cut in ("waits", "steps", "fits"):
            call("zcc-opt", path("whole.mlir"), f"--zcc-interleave-runs=cut={cut}", "--zcc-overlap-collectives", "--zcc-place-events",
                 "-o", path("turns.mlir"))
            with open(path("turns.mlir")) as f:
                runs = turns_of(f.read())
            # Without a machine's figures nothing may fit.
            assert cut == "fits" or any("_turn" in one and "_turn" in other and one.split("_turn")[0] != other.split("_turn")[0]
                                        for (one, m), (other, n) in zip(runs, runs[1:])), (model, options, runs)
            call("zcc", path("turns.mlir"), "--compile-from=scheduled", "-o", path("turns.zexe"), "--quiet")
            got = losses(model, "turns.zexe")
            assert got == want, f"{model} {options} cut at {cut}: in turns {got}, one after the other {want}"


def machine(link):
    name = path(f"{link:g}.machine")
    with open(name, "w") as f:
        f.write('name: "links"\nranks_share_node: true\npeaks { type: "f32" flops: 20e9 }\n'
                'memories { name: "device" bytes: 24e9 bandwidth: 20e9 }\nlinks { name: "slow" latency: %g bandwidth: %g }\n' % (100 / link, link))
    return f"--machine={name}"


def test_where_it_pays():
    """Experts whose tokens take about as long to send as to compute: less of the step waits, in the same bits and bytes. No step runs in parts, which
    would hide most of it, too."""
    reports, lost, runs = [], [], []
    for less in ("", ",interleave-runs", ",overlap"):
        options = ["--mesh=expert=2", "--microbatches=4", machine(1e8), f"--disable=split-steps{less}"]
        reports.append(compile_model("moe", *options))
        lost.append(losses("moe", "model.zexe"))
        call("zcc", model_text("moe"), *options, "--compile-to=planned", "-o", path("planned.mlir"), "--quiet")
        with open(path("planned.mlir")) as f:
            runs.append([task for task, _ in turns_of(f.read())])
    assert any("_turn" in task for task in runs[0]) and not any("_turn" in task for task in runs[1] + runs[2]), runs
    assert lost[0] == lost[1] == lost[2], lost
    seconds = [report["predicted"]["step_seconds"] for report in reports]
    exposed = [report["predicted"]["exposed_communication"] for report in reports]
    assert seconds[0] < 0.95 * seconds[1] and exposed[0] < 0.7 * exposed[1], (seconds, exposed)
    sent = [sorted((c["kind"], c["value"], c["tasks"], c["bytes"], c["times"]) for c in report["collectives"]) for report in reports]
    assert sent[0] == sent[1] == sent[2], sent
    assert len({report["flops"]["executed"] for report in reports}) == 1, [report["flops"] for report in reports]


def test_where_it_does_not():
    """Links that take little time, ranks of a node without links, and a single microbatch."""
    for options in (["--microbatches=4", machine(1e12)], ["--microbatches=4"], ["--microbatches=1", machine(1e8)]):
        call("zcc", model_text("moe"), "--mesh=expert=2", *options, "--compile-to=planned", "-o", path("planned.mlir"), "--quiet")
        with open(path("planned.mlir")) as f:
            assert "_turn" not in f.read(), options


def test_near_a_memory_limit():
    """Turns whose memory would have to be taken from what is kept for the backward pass are not taken: the step is no slower for them."""
    options = ["--mesh=tensor=4", "--microbatches=8", machine(1e8), "--compile-to=planned"]
    whole = compile_model("mlp", *options, "--disable=interleave-runs")
    report = compile_model("mlp", *options, f"--memory={int(1.017 * whole['memory']['peak'])}")
    assert report["predicted"]["step_seconds"] <= 1.001 * whole["predicted"]["step_seconds"], (report["predicted"], whole["predicted"])
    # With room for them, turns are taken.
    report = compile_model("mlp", *options)
    assert report["predicted"]["step_seconds"] < 0.9 * whole["predicted"]["step_seconds"], (report["predicted"], whole["predicted"])


def test_least_memory():
    """Where nothing else fits, runs stay whole: a device needs no more than without turns."""
    least = []
    for more in ([], ["--disable=interleave-runs"]):
        _, err = call("zcc", model_text("moe"), "--mesh=pipe=2,expert=2", "--microbatches=4", "--schedule=zb-h1", machine(3e8), "--memory=1MB",
                      "-o", path("least.zexe"), "--quiet", *more, status=2)
        least.append(re.search(r"stage 1 needs .*?\((\d+) bytes\)", err).group(1))
    assert least[0] == least[1], least


run(globals())
