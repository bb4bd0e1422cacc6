# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Explanations: the plan that a refusal proposes does fit, and every collective's value can be asked about."""
import re
import shlex
from harness import *


def proposal(model, *options):
    """What a refusal proposes: (options, bytes as text)."""
    out = path("refused.zexe")
    _, err = call("zcc", model_text(model), "-o", out, *options, status=2)
    assert "more than the budget" in err and not os.path.exists(out), err
    found = re.search(r"^  fits: (.*), ([0-9.]+ [kMG]?B) a device(, more where (?:gathered parameters are kept|less is computed again))?$", err, re.M)
    assert found, err
    return shlex.split(found[1]), found[2], bool(found[3])


def check_fits(model, memory, *options):
    more, needs, more_kept = proposal(model, f"--memory={memory}", *options)
    report = compile_model(model, *options, f"--memory={memory}", *more)  # refused if it does not fit
    peak = report["memory"]["peak"]
    said = float(needs.split()[0]) * {"kB": 1e3, "MB": 1e6, "GB": 1e9}[needs.split()[1]]
    assert said <= 1.01 * peak if more_kept else abs(peak - said) < 0.01 * peak, (peak, needs)


def test_refusals_propose_what_fits():
    check_fits("gpt2", "11MB", "--mesh=data=4", "--zero=0")


def test_refusals_propose_recomputation():
    keep = ("--mesh=data=2", "--remat=none")
    more, *_ = proposal("gpt2", "--memory=9.5MB", *keep)
    assert "--remat" in more, more
    more, *_ = proposal("gpt2", "--memory=9.5MB", "--mesh=data=2")
    assert "--remat" not in more, more
    check_fits("gpt2", "9.5MB", "--mesh=data=2")


def test_nothing_fits():
    _, err = call("zcc", model_text("mlp"), "-o", path("x.zexe"), "--mesh=data=2", "--memory=2kB", status=2)
    assert re.search(r"no other plan that was compiled \(\d\) fits; .* needs least, .* a device", err), err


def test_every_collective_can_be_asked_about():
    mesh = "--mesh=data=2,tensor=2"
    report = compile_model("moe", mesh)
    names = sorted({c["value"] for c in report["collectives"]})
    out, _ = call("zcc", model_text("moe"), mesh, *[f"--explain={n}" for n in names])
    assert out.count("collectives in the program:\n") >= len(names), out


def test_origins():
    out, _ = call("zcc", model_text("resnet"), "--mesh=space=2,data=2", "--shard=image=data,space,-,-", "--explain=*.py:*")
    assert "over space: moved by the local search, which saves " in out and "--shard=image=data,space,-,-)" in out, out[-2000:]
    out, _ = call("zcc", model_text("gpt2"), "--mesh=data=2,tensor=2", "--explain=zoo.py:72")
    assert "over tensor: carried from" in out and "(sequence sharding: " in out, out
    out, _ = call("zcc", model_text("gpt2"), "--mesh=data=2,tensor=2", "--disable=shard-sequence", "--explain=zoo.py:72")
    assert "sequence sharding" not in out, out
    out, _ = call("zcc", model_text("moe"), "--mesh=expert=2,context=2", "--explain=blocks.0.wi", "--explain=x")
    assert "over expert: role 'expert'" in out and "over context: role 'context'" in out, out


def test_figures_agree_with_another_compilation():
    """What `instead` estimates is what --shard then gets."""
    out, _ = call("zcc", model_text("gpt2"), "--mesh=data=2,tensor=2", "--explain=blocks.0.mlp.wi", "--explain=plan")
    seconds = lambda text: float(text.split()[0]) * {"s": 1, "ms": 1e-3, "us": 1e-6}[text.split()[1]]
    total = lambda text: seconds(re.search(r"estimate: ([0-9.]+ \w+) a step", text)[1])
    change = re.search(r"^    tensor,- +([+-][0-9.]+ \w+) a step", out, re.M)[1]
    other, _ = call("zcc", model_text("gpt2"), "--mesh=data=2,tensor=2", "--shard=blocks.0.mlp.wi=tensor,-", "--explain=plan")
    assert abs(total(other) - total(out) - seconds(change)) < 2e-5, (total(other), total(out), change)


def test_the_plan_of_a_bare_mesh():
    out, _ = call("zcc", model_text("mlp"), "--mesh=4", "--explain=plan")
    assert "chosen among" in out and re.search(r"^  \* ", out, re.M) and "why: " in out, out


run(globals())
