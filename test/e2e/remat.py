# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--remat=auto computes again as much as the memory asks for: same bits, within the budget."""
from harness import *


def peaks(model, *options):
    """The peak where all is kept, and with full recomputation."""
    return [compile_model(model, f"--remat={remat}", *options)["memory"]["peak"] for remat in ("none", "full")]


def test_every_budget_between_full_and_none():
    for model, options in (("gpt2", ["--microbatches=1"]), ("llama", ["--mesh=data=2", "--microbatches=2"]),
                           ("gpt2-dropout", ["--mesh=data=2", "--zero=3", "--microbatches=1"])):
        compile_model(model, "--remat=none", *options)
        want = train(model, steps=3)[1]
        top, low = peaks(model, *options)
        assert low < 0.95 * top, (model, low, top)
        executed = []
        for share in (0, 0.3, 0.6, 0.9):
            budget = int(low + share * (top - low))
            report = compile_model(model, f"--memory={budget}", *options)
            assert report["memory"]["peak"] <= budget, (model, share, report["memory"]["peak"], budget)
            head, lines = train(model, steps=3)
            assert head["planned_bytes"] == head["allocated_bytes"], head
            assert [(l["loss"], l["grad_norm"]) for l in lines] == [(l["loss"], l["grad_norm"]) for l in want], (model, share)
            executed.append(report["flops"]["executed"])
        assert executed[-1] < executed[0] and all(b <= 1.001 * a for a, b in zip(executed, executed[1:])), (model, executed)


def test_with_room_nothing_is_computed_again():
    none, auto = (compile_model("gpt2", f"--remat={remat}") for remat in ("none", "auto"))
    assert none["flops"] == auto["flops"] and none["memory"] == auto["memory"]


def test_full_recomputation_never_holds_more():
    for model in ("mlp", "gpt2", "gpt2-dropout", "moe", "dlrm"):
        none, full = peaks(model, "--microbatches=1")
        assert full <= none, (model, full, none)


def test_a_plan_for_devices_computes_again():
    """On a bare mesh a plan is chosen that fits only by computing values again, as it is the fastest that fits."""
    whole = compile_model("gpt2", "--mesh=2", "--microbatches=1", "--remat=none")
    budget = int(0.8 * whole["memory"]["peak"])
    report = compile_model("gpt2", "--mesh=2", "--microbatches=1", f"--memory={budget}")
    assert report["memory"]["peak"] <= budget and report["flops"]["recomputed"] > 0, (report["memory"], report["flops"])
    head, _ = train("gpt2", steps=2)
    assert max(head["allocated_bytes"]) <= budget, head


run(globals())
