# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameter by parameter: a stage of ZeRO, and whether a gathered one is kept. The numbers are always the same."""
import re

from harness import *

ROOMY, MACHINE = "--memory=1GB", "--machine=h100-dgx"


def losses(model, *options, steps=3):
    report = compile_model(model, *options)
    head, lines = train(model, steps=steps)
    assert head["planned_bytes"] == head["allocated_bytes"], head
    assert report["memory"]["peak"] == max(head["planned_bytes"]), report["memory"]
    return [(line["loss"], line["grad_norm"]) for line in lines], report


def gathered(report, phase=None):
    """Bytes of parameters that are gathered by the forward and the backward pass."""
    return sum(c["bytes"] * c["times"] for c in report["collectives"]
               if c["what"] == "parameter" and c["kind"] == "all-gather" and c["tasks"] in ("forward", "backward") and phase in (None, c["tasks"]))


def state_of(plan):
    with open(path(plan)) as f:
        return re.findall(r'^state: "(.*)"$', f.read(), re.M)


def test_stages_of_single_parameters_give_the_same_bits():
    for model, mesh, *mixed in (("gpt2", "data=2", "blocks.*.mlp.*=3", "wte=0", "*wo=2"), ("dlrm", "data=3", "tables.*=3", "top.*=0"),
                                ("llama", "data=2,tensor=2", "*=2", "*w?=1")):
        want, _ = losses(model, f"--mesh={mesh}", "--zero=0")
        got, _ = losses(model, f"--mesh={mesh}", "--zero=1", *[f"--state={entry}" for entry in mixed])
        assert got == want, f"{model} {mesh} {mixed}: {got}, {want} without ZeRO"
        exact, _ = losses(model, f"--mesh={mesh}", "--zero=0", "--microbatches=2", "--exact")
        got, _ = losses(model, f"--mesh={mesh}", "--microbatches=2", "--exact", *[f"--state={entry}" for entry in mixed])
        assert got == exact, f"{model} {mesh} {mixed}, two microbatches: {got}, {exact} without ZeRO"


def test_stages_lie_between():
    held = [compile_model("gpt2", "--mesh=data=4", *options)["memory"]["parameters"]
            for options in (["--zero=1"], ["--zero=1", "--state=blocks.*=3"], ["--zero=3", "--state=wte=1"], ["--zero=3"])]
    assert held[0] > held[1] > held[2] > held[3], held


def test_kept_parameters_are_gathered_once():
    for model, *options in (("gpt2", "--mesh=data=2"), ("gpt2", "--mesh=data=2", "--microbatches=4"), ("llama", "--mesh=data=2,tensor=2")):
        options += ["--zero=3", ROOMY]
        again, twice = losses(model, *options, "--state=*=gather")
        kept, once = losses(model, *options, "--state=*=keep")
        free, chosen = losses(model, *options)
        assert again == kept == free, f"{model} {options}: {again}, kept {kept}, by choice {free}"
        # A bias is not kept by choice if gathering it again serves only ops that are next to free.
        assert gathered(once, "backward") == 0 and gathered(once) <= gathered(chosen) <= 1.01 * gathered(once), (gathered(once), gathered(chosen))
        times = 2 * (4 if "--microbatches=4" in options else 1)
        # Tables are read by the forward pass alone.
        assert gathered(twice) >= 0.7 * times * gathered(once), f"{model} {options}: {gathered(twice)} and {gathered(once)} bytes"
        assert twice["memory"]["peak"] < once["memory"]["peak"], f"{model} {options}: {twice['memory']['peak']} and {once['memory']['peak']}"


def keeps_as_much_as_fits(*options):
    options += ("--zero=3", MACHINE)
    least, most = (compile_model("gpt2", *options, f"--state=*={what}") for what in ("gather", "keep"))
    low, high, seen = least["memory"]["peak"], most["memory"]["peak"], []
    for share in (0.02, 0.3, 0.6, 1.5):  # the memory of a choice is an estimate, so a few percent of the whole may be too much
        memory = int(low + share * (high - low))
        report = compile_model("gpt2", *options, f"--memory={memory}", "--plan-out", path("a.plan"))
        assert report["memory"]["peak"] <= memory, f"{report['memory']['peak']} of {memory}"
        seen.append(gathered(report))
        # The plan lists the kept parameters and pins them, whatever the memory.
        again = compile_model("gpt2", "--plan", path("a.plan"), MACHINE, ROOMY, "--plan-out", path("b.plan"))
        assert gathered(again) == seen[-1] and state_of("a.plan") == state_of("b.plan"), (state_of("a.plan"), state_of("b.plan"))
    # With more memory, as much is gathered or less, but for the choice of residuals, which takes its share of the memory.
    assert all(b <= 1.01 * a for a, b in zip(seen, seen[1:])) and seen[0] > seen[-1] == gathered(most), seen


def test_as_much_is_kept_as_fits():
    keeps_as_much_as_fits("--mesh=data=4", "--microbatches=2")


def test_stages_keep_as_much_as_fits():
    """A device has the parameters of its stage alone."""
    keeps_as_much_as_fits("--mesh=pipe=2,data=2", "--microbatches=4")


def test_bare_meshes_split_the_state_that_must_be():
    """Between the memory of ZeRO 1 and that of ZeRO 3 some parameters are split; all numbers stay."""
    want, _ = losses("gpt2", "--mesh=1")
    options = ("--mesh=8", "--microbatches=1", MACHINE)
    for megabytes in (9.0, 8.0, 7.5, 7.0, 6.5, 6.0):
        report = compile_model("gpt2", *options, f"--memory={megabytes}MB", "--plan-out", path("a.plan"))
        assert report["memory"]["peak"] <= megabytes * 1e6, report["memory"]
        _, lines = train("gpt2", steps=3)
        got = [line["loss"] for line in lines]
        assert off(got, [loss for loss, _ in want]) <= 1e-5, f"{megabytes} MB: {got}"


def test_mistakes():
    for value, says in (("wte", "--state: expected NAME-GLOB=0|1|2|3|keep|gather, found 'wte'"),
                        ("wte=4", "found 'wte=4'"), ("=3", "found '=3'"), ("nothing=3", "--state: 'nothing' is the name of no parameter"),
                        ("[=3", "--state: expected a glob, found '['")):
        refused("zcc", model_text("gpt2"), "--mesh=data=2", f"--state={value}", "-o", path("no.zexe"), says=says, leaves_no=path("no.zexe"))


run(globals())
