# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bare meshes: the chosen plan trains what one device does, comes back through --plan-out and --plan as the same
executable, and fits --memory."""
import re

from harness import *

MACHINE = "--machine=h100-dgx"
MODELS = ("mlp", "dlrm", "gpt2", "gpt2-masked", "llama", "moe", "resnet")


def text(exe):
    with open(path(exe), "rb") as f:
        return f.read()


def decisions(plan):
    """The lines of a plan that decide, without pins."""
    with open(path(plan)) as f:
        return [line.strip() for line in f if not re.match("#|values|ops|arguments", line)]


def check(model, *meshes, limit=1e-5, steps=3):
    def losses(*options):
        compile_model(model, *options)
        head, lines = train(model, steps=steps)
        assert head["planned_bytes"] == head["allocated_bytes"], head
        return [(line["loss"], line["grad_norm"]) for line in lines]

    want = losses()
    for mesh in meshes:
        got = losses(*mesh.split())
        for part, name in enumerate(("loss", "gradient norm")):
            error = off([line[part] for line in got], [line[part] for line in want])
            assert error <= limit * (1, 20)[part], f"{model} {mesh}: {name} off by {error:.1e}"


def stated(name):
    """The lines of a plan without its comments, which say why it was chosen only if a search chose it."""
    return [line for line in text(name).splitlines() if not line.startswith(b"#")]


def round_trip(model, *options, keep=(MACHINE,)):
    """Compiles with --plan-out, then by that plan alone; returns the plan's decisions and its number of pins."""
    reports = [compile_model(model, *options, *keep, "--plan-out", path("a.plan"), exe="a.zexe"),
               compile_model(model, "--plan", path("a.plan"), *keep, "--plan-out", path("b.plan"), exe="b.zexe")]
    assert reports[0]["flops"] == reports[1]["flops"], f"{model} {options}: other work by its own plan: {[r['flops'] for r in reports]}"
    assert text("a.zexe") == text("b.zexe"), f"{model} {options}: another executable by its own plan"
    assert stated("a.plan") == stated("b.plan"), f"{model} {options}: another plan by its own plan"
    return decisions("a.plan"), text("a.plan").count(b"\nops ") + text("a.plan").count(b"\narguments ")


def test_small_models_equal_one_device():
    check("mlp", "--mesh=8", "--mesh=2x2", "--mesh=2x4")
    check("dlrm", "--mesh=8", f"--mesh=2x2 {MACHINE}", f"--mesh=2x4 {MACHINE}")  # the second is a mixture


def test_transformers_equal_one_device():
    check("gpt2", "--mesh=8", f"--mesh=2x2 {MACHINE} --memory=11MB")
    check("llama", "--mesh=2x2")


def test_experts_equal_one_device():
    check("moe", "--mesh=2x2", steps=2)


def test_plans_come_back_from_bare_meshes():
    for model in MODELS:
        round_trip(model, "--mesh=4")
    round_trip("gpt2", "--mesh=2x8")
    round_trip("gpt2", "--mesh=4", "--microbatches=2")
    round_trip("gpt2", "--mesh=4", keep=(MACHINE, "--memory=11MB"))


def test_plans_come_back_from_named_meshes():
    for model in MODELS:
        round_trip(model, "--mesh=data=2,tensor=2", "--zero=3")
    # The gradients of weights keep values that the backward pass would have computed again.
    round_trip("resnet", "--mesh=pipe=2,tensor=2", "--schedule=zb-h1", "--microbatches=1")
    for options in (["--mesh=data=4", "--zero=3", "--zero-axes=data:(2)2"],
                    ["--mesh=tensor=2", "--disable=shard-sequence"],
                    ["--mesh=a=2,b=2", "--shard=x=a,b", "--shard=y=a,b", "--shard=wte=b,-"], ["--mesh=1"], []):
        round_trip("gpt2", *options)


def test_mixtures_come_back_and_train():
    """Parameters of dlrm by another plan than its tables, if not by choice then by pins written by hand."""
    plan, pins = round_trip("dlrm", "--mesh=data=2,tensor=2")
    assert not pins, plan
    with open(path("a.plan")) as f:
        # Decisions speak of the ops that there are then: with other pins they are found anew.
        whole = re.sub(r"^decisions .*\n", "", f.read(), flags=re.M)
    shapes = {name: [int(n) for n in shape.split(",")]
              for name, shape in re.findall(r'values \{ name: "([^"]*)" shape: \[([^\]]*)\]', whole)}
    pins = ""
    for name, shape in shapes.items():
        if len(shape) > 1 and name.startswith("tables") and shape[1] % 2 == 0:
            pins += f'arguments {{ name: "{name}" shards: "/{shape[0]}" shards: "tensor/{shape[1]}" }}\n'
    with open(path("hand.plan"), "w") as f:
        f.write(whole + pins)
    assert pins
    want = None
    for options in ([], ["--plan", path("hand.plan")]):
        compile_model("dlrm", *options)
        _, lines = train("dlrm", steps=3)
        losses = [line["loss"] for line in lines]
        want = want or losses
        assert off(losses, want) <= 1e-5, (losses, want)
    compile_model("dlrm", "--plan", path("hand.plan"), "--plan-out", path("c.plan"), exe="c.zexe")
    compile_model("dlrm", "--plan", path("c.plan"), exe="d.zexe")
    assert text("c.zexe") == text("d.zexe") != text("a.zexe")
    # For a pin, --explain says that it is one, and estimates the plan with another one in its place.
    explain = lambda plan: call("zcc", model_text("dlrm"), "--plan", path(plan), MACHINE, "--explain=tables.3", "--explain=plan")[0]
    seconds = lambda text: float(text.split()[0]) * {"": 1, "s": 1, "ms": 1e-3, "us": 1e-6}["".join(text.split()[1:])]
    total = lambda text: seconds(re.search(r"estimate: ([0-9.]+ \w+) a step", text)[1])
    out = explain("hand.plan")
    assert "over tensor: pinned by the plan" in out and "role 'tensor'" not in out.split("plan: ")[0], out
    change = re.search(r"^    tensor,- +([+-]0|[+-][0-9.]+ \w+) a step", out, re.M)[1]
    rows, columns = shapes["tables.3"]
    with open(path("rows.plan"), "w") as f:
        f.write(whole + pins.replace(f'"tables.3" shards: "/{rows}" shards: "tensor/{columns}"',
                                     f'"tables.3" shards: "tensor/{rows}" shards: "/{columns}"'))
    assert text("rows.plan") != text("hand.plan")
    other = explain("rows.plan")
    assert abs(total(other) - total(out) - seconds(change)) < 2e-7, (total(other), total(out), change)


def test_what_memory_makes_slow_gives_way():
    """The plan that looked fastest must compute more again than was estimated, and another one is faster then."""
    seconds = []
    for mesh in (("--mesh=4",), ("--mesh=data=2,tensor=2", "--zero=1", "--microbatches=4")):
        report = compile_model("gpt2", *mesh, "--memory=10MB", slow_machine(), "--disable=interleave-runs", "--compile-to=planned")
        seconds.append(report["predicted"]["step_seconds"])
    assert seconds[0] < 0.97 * seconds[1], seconds


def test_memory_asks_for_microbatches_and_zero():
    """The chosen plan fits by the plan of memory, not only by the estimate of the search."""
    seen = set()
    for megabytes in (20, 14, 12, 10, 8, 6):
        compile_model("gpt2", "--mesh=4", MACHINE, f"--memory={megabytes}MB", "--plan-out", path("m.plan"))
        head, _ = train("gpt2", steps=1)
        assert max(head["planned_bytes"]) <= megabytes * 1e6, f"{megabytes} MB: {head['planned_bytes']}"
        seen.add(tuple(decisions("m.plan")))
        smallest = max(head["planned_bytes"])
    assert any("microbatches: 1" in plan for plan in seen) and any("microbatches: 1" not in plan for plan in seen), seen
    refused("zcc", model_text("gpt2"), "--mesh=4", MACHINE, "--memory=2MB", "-o", path("no.zexe"),
            says="more than the budget of 2.00 MB\n  at the peak: parameters", leaves_no=path("no.zexe"))
    # The plan in the refusal is the smallest.
    _, err = call("zcc", model_text("gpt2"), "--mesh=4", MACHINE, "--memory=2MB", "-o", path("no.zexe"), status=2)
    assert int(re.search(r"\((\d+) bytes\)", err).group(1)) <= smallest, err


run(globals())
