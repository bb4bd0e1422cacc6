# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Explanations: the plan that a refusal proposes does fit, and every collective's value can be asked about."""
import re
import shlex
from harness import *


def proposal(model, *options):
    """The proposal of a refusal: (options, bytes as text)."""
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


def test_traffic_is_that_of_the_program():
    """--explain=traffic adds up the report's list: each kernel counts as often as the step launches it, and kernels of layers once a layer."""
    text, report = path("traffic.mlir"), path("traffic.json")
    options = (model_text("gpt2"), "--target=cuda", "--cuda-arch=host", "--precision=bf16", "--quiet")
    out, _ = call("zcc", *options, "--compile-to=planned", "-o", text, "--report", report, "--explain=traffic")
    with open(report) as f:
        traffic = json.load(f)["traffic"]
    with open(text) as f:
        launches = re.findall(r"exec.launch @(k\d+_\w+)\(", f.read())
    times = {}
    for own in traffic:
        if re.match(r"k\d+_", own["name"]):
            times[own["name"]] = times.get(own["name"], 0) + own["times"]
    assert times == {name: launches.count(name) for name in set(launches)}, (times, launches)
    assert {own["group"] for own in traffic} >= {"product", "attention", "other", "update"}, traffic
    whole = sum((own["read"] + own["written"]) * own["times"] for own in traffic)
    said, unit = re.match(r"traffic of a step in a device's memory: ([0-9.]+) (\w+); other ", out).groups()
    assert abs(float(said) * {"MB": 1e6, "GB": 1e9}[unit] - whole) < 0.01 * whole, (said, unit, whole)
    # The first and the last of the four layers have kernels of their own.
    assert re.search(r"^  [34] times, as layers: other .* product .* attention ", out, re.M) and "  besides:" in out, out


def test_nothing_fits():
    _, err = call("zcc", model_text("mlp"), "-o", path("x.zexe"), "--mesh=data=2", "--memory=2kB", status=2)
    assert re.search(r"no other plan that was compiled \(\d\) fits; (.* needs least, .* a device|this one needs least)$", err, re.M), err


def test_the_least_is_named_once():
    """A refusal names no larger least than what the refused plan needs itself."""
    _, err = call("zcc", model_text("gpt2"), "-o", path("x.zexe"), "--mesh=4", "--memory=3MB", status=2)
    needs, least = re.search(r"a device needs ([0-9.]+) MB", err), re.search(r"needs least(?:, ([0-9.]+) MB a device)?$", err, re.M)
    assert needs and least and (not least[1] or float(least[1]) < float(needs[1])), err


def test_a_plan_of_a_file_is_explained_as_the_search_explains_it():
    """ZeRO 3 in so little memory that some parameters are kept once gathered, and others are not."""
    plan = path("explained.plan")
    found, _ = call("zcc", model_text("gpt2"), "--mesh=data=4", "--zero=3", "--memory=8MB", f"--plan-out={plan}", "--explain=plan",
                    "--explain=blocks.0.mlp.wi", "-o", path("m.zexe"), "--quiet")
    with open(plan) as f:
        assert "=gather" in f.read()
    followed, _ = call("zcc", model_text("gpt2"), f"--plan={plan}", "--memory=8MB", "--explain=plan", "--explain=blocks.0.mlp.wi", "-o", path("m.zexe"),
                       "--quiet")
    different = [(a, b) for a, b in zip(found.splitlines(), followed.splitlines()) if a != b]
    assert len(found.splitlines()) == len(followed.splitlines()) and [b for _, b in different] == ["  from a plan's file"], different
    assert re.search(r"^    --zero 1 +-[0-9.]+ \w+ a step", found, re.M) and "1 MB more would save" in found, found


def test_figures_of_the_chosen_plan_agree():
    """The row of the table, the lines below it, the report and the comments of the plan's file are of one program."""
    plan, report = path("chosen.plan"), path("chosen.json")
    out, _ = call("zcc", model_text("gpt2"), "--mesh=8", "--machine=h100-dgx", "--explain=plan", f"--plan-out={plan}", "-o", path("m.zexe"), "--report", report,
                  "--quiet")
    text = r"([0-9.]+ \w+)"
    compute, communication, step, simulated, memory = re.search(rf"^  \* \S.*? +\w+ +\d+ +{text} +{text} +{text} +{text} +{text}$", out, re.M).groups()
    assert f"  simulated: {simulated} a step" in out and f"  memory: {memory} of" in out, out
    assert f"  estimate: {step} a step (compute {compute}, communication {communication}, in part at the same time), {memory} a device" in out, out
    with open(plan) as f:
        assert f"{simulated} a step simulated, {memory} a device" in f.read()
    with open(report) as f:
        facts = json.load(f)
    figure, unit = simulated.split()
    assert abs(facts["predicted"]["step_seconds"] / {"us": 1e-6, "ms": 1e-3}[unit] / float(figure) - 1) < 0.006, (facts["predicted"], simulated)


def test_options_that_do_not_fit_are_marked():
    out, _ = call("zcc", model_text("gpt2"), "--mesh=data=4", "--zero=3", "--memory=6MB", "--microbatches=2", "--explain=plan")
    options = re.findall(r"^    (--zero 0|--microbatches \d).*?([+-][0-9.]+) (\w?B) a device(, does not fit)?$", out, re.M)
    assert any(fit for *_, fit in options), out
    memory, budget = re.search(r"^  memory: ([0-9.]+) MB of ([0-9.]+) MB", out, re.M).groups()
    for option, more, unit, not_fit in options:
        needs = float(memory) + float(more) * {"B": 1e-6, "kB": 1e-3, "MB": 1}[unit]
        assert bool(not_fit) == (needs > float(budget)) or abs(needs - float(budget)) < 0.02, (option, out)


def test_a_pipelines_bubble_is_one():
    drawing, page = path("d.svg"), path("p.html")
    out, _ = call("zcc", model_text("gpt2"), "--mesh=pipe=4", f"--draw={drawing}", "-o", path("m.zexe"))
    predicted = re.search(r"^predicted +(.*)$", out, re.M)[1]
    with open(drawing) as f:
        assert "bubble" in predicted and f">{predicted}<" in f.read(), predicted
    batch = re.search(r"^batch +8 x 128 tokens, ([0-9.]+)k tokens/s predicted$", out, re.M)
    assert batch, out
    assert abs(float(batch[1]) * float(predicted.split()[0]) / 1024 - 1) < 0.02, (batch[0], predicted)


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
    """The estimate under `instead` is what --shard then gets."""
    out, _ = call("zcc", model_text("gpt2"), "--mesh=data=2,tensor=2", "--explain=blocks.0.mlp.wi", "--explain=plan")
    seconds = lambda text: float(text.split()[0]) * {"s": 1, "ms": 1e-3, "us": 1e-6}[text.split()[1]]
    total = lambda text: seconds(re.search(r"estimate: ([0-9.]+ \w+) a step", text)[1])
    change = re.search(r"^    tensor,- +([+-][0-9.]+ \w+) a step", out, re.M)[1]
    other, _ = call("zcc", model_text("gpt2"), "--mesh=data=2,tensor=2", "--shard=blocks.0.mlp.wi=tensor,-", "--explain=plan")
    assert abs(total(other) - total(out) - seconds(change)) < 2e-5, (total(other), total(out), change)


def test_the_plan_of_a_bare_mesh():
    out, _ = call("zcc", model_text("mlp"), "--mesh=4", "--explain=plan")
    assert "chosen among" in out and re.search(r"^  \* ", out, re.M) and "why: " in out, out


RESIDUALS = """#l10 = loc("m.py":10:0)
#l11 = loc("m.py":11:0)
#l12 = loc("m.py":12:0)
func.func @main(%wi: tensor<64x512xf32> loc("params['wi']"), %wo: tensor<512x64xf32> loc("params['wo']"), %x: tensor<32x64xf32> loc("batch['x']")) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %wi, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x512xf32>) -> tensor<32x512xf32> loc(#l10)
  %1 = stablehlo.tanh %0 : tensor<32x512xf32> loc(#l11)
  %2 = stablehlo.dot_general %1, %wo, contracting_dims = [1] x [0] : (tensor<32x512xf32>, tensor<512x64xf32>) -> tensor<32x64xf32> loc(#l12)
  %3 = stablehlo.multiply %2, %2 : tensor<32x64xf32> loc(#l12)
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x64xf32>, tensor<f32>) -> tensor<f32> loc(#l12)
  return %4 : tensor<f32>
}
"""


def test_residuals_cost_what_is_said():
    """The other choice, as it is told, is what --remat then does."""
    with open(path("m.mlir"), "w") as f:
        f.write(RESIDUALS)

    def explain(*options):
        out, _ = call("zcc", path("m.mlir"), "-o", path("m.zexe"), "--report", path("m.json"), "--quiet", "--explain=m.py:11", *options)
        with open(path("m.json")) as f:
            report = json.load(f)
        found = re.search(r"train.tanh tensor<(\S+)xf32>: (kept|computed again)(?:, ([0-9.]+) kB)?(?: a microbatch)?; "
                          r"(computed again|kept) instead: ([+-][0-9.]+) kB(?: a microbatch)?, ([+-][0-9.]+) us a step", out)
        assert found, out
        return found, report

    kept, before = explain("--remat=none")
    assert kept.groups()[:4] == ("32x512", "kept", "65.54", "computed again") and float(kept[5]) == -65.54 and float(kept[6]) > 0, kept[0]
    again, after = explain("--remat=m.py:1[01]")
    assert again[2] == "computed again" and float(again[5]) == 65.54 and float(again[6]) == -float(kept[6]), (kept[0], again[0])
    assert before["memory"]["residuals"] - after["memory"]["residuals"] == 4 * 32 * 512, (before["memory"], after["memory"])
    assert after["flops"]["executed"] - before["flops"]["executed"] >= 2 * 32 * 64 * 512
    # In two microbatches: half of the bytes at a time, and it is said so.
    halves, _ = explain("--remat=none", "--microbatches=2")
    assert "32.77 kB a microbatch" in halves[0], halves[0]
    # By its number alone; the product before it is no residual.
    out, _ = call("zcc", path("m.mlir"), "--remat=none", "--explain=m.py:10", "--explain=m.py:11#0")
    assert "it reads nothing of this" in out and out.count("train.tanh tensor<32x512xf32>: kept") == 1, out


def test_forward_programs_have_no_residuals():
    with open(path("m.mlir"), "w") as f:
        f.write(RESIDUALS)
    out, _ = call("zcc", path("m.mlir"), "--optimizer=forward", "--explain=m.py:11", "--explain=plan")
    assert "backward pass" not in out, out


def price(out, which):
    found = re.search(r"^  1 MB " + which + r" ([0-9.]+ \w+) a step: ", out, re.M)
    return found and float(found[1].split()[0]) * {"s": 1, "ms": 1e-3, "us": 1e-6}[found[1].split()[1]]


def test_the_price_of_memory():
    """The stated price of less memory is about the time that a compilation with less memory adds to a step."""
    seconds, costs, saves = [], [], []
    for memory in (21, 20, 19):
        out, _ = call("zcc", model_text("gpt2"), "--mesh=data=2", f"--memory={memory}MB", "--explain=plan", "-o", path("m.zexe"), "--report", path("r.json"),
                      "--quiet")
        with open(path("r.json")) as f:
            seconds.append(json.load(f)["predicted"]["step_seconds"])
        costs.append(price(out, "less would cost"))
        saves.append(price(out, "more would save"))
    assert all(costs) and all(saves), (costs, saves)
    for i in range(2):
        took = seconds[i + 1] - seconds[i]
        assert 0 < took <= 4 * costs[i] and costs[i] <= 4 * took, (seconds, costs)


def test_memory_that_is_not_needed_has_no_price():
    out, _ = call("zcc", model_text("gpt2"), "--mesh=data=2", "--memory=60GB", "--explain=plan")
    assert re.search(r"^  1 GB more would save nothing: all is kept", out, re.M) and re.search(r"^  1 GB less would cost nothing: 59.98 GB are not in use", out, re.M), out
    # The user chose the memory use, so nothing is chosen by memory.
    out, _ = call("zcc", model_text("gpt2"), "--mesh=data=2", "--memory=60GB", "--remat=none", "--explain=plan")
    assert "more would save" not in out, out


def test_the_price_of_what_is_gathered():
    out, _ = call("zcc", model_text("gpt2"), "--mesh=data=2", "--zero=3", "--memory=14MB", "--explain=plan")
    assert re.search(r"^  (?:1 MB more would save|  or) .* a step, by estimate: .* of gathered parameters are kept, not gathered again", out, re.M), out
    # All that is kept is that of one stage: the fuller one has its blocks and the tied embedding.
    out, _ = call("zcc", model_text("gpt2-masked"), "--mesh=pipe=2,data=2", "--zero=3", "--microbatches=4", "--memory=4MB", "--explain=plan")
    found = re.search(r"^  (?:1 MB less would cost|  or) .* a step, by estimate: (\S+) kB of gathered parameters are gathered again", out, re.M)
    assert found and 0.5 * 500 < float(found[1]) < 0.8 * 500, out


def test_what_other_plans_would_cost():
    """Compares with the list of plans, also for plans whose messages run beside computation."""
    with open(path("devices.machine"), "w") as f:
        f.write('name: "slow" devices_per_node: 8 peaks { type: "f32" flops: 200e9 }\n'
                'memories { name: "device" bytes: 24e9 bandwidth: 200e9 }\nlinks { name: "slow" latency: 1e-6 bandwidth: 1e9 }\n')
    out, _ = call("zcc", model_text("gpt2"), "--mesh=4", "--memory=10MB", "--explain=plan", f"--machine={path('devices.machine')}")
    more = re.search(r"^  with 1 MB less data=2,tensor=2, 4 microbatches would fit by estimate: \+([0-9.]+) ms a step$", out, re.M)
    rows = re.findall(r"^ +(\*)? *(\S+) +(?:auto|\d) +(\d) +[0-9.]+ ms +[0-9.]+ ms +[0-9.]+ ms +([0-9.]+) ms ", out, re.M)  # those that were simulated
    seconds = {(mesh, number): float(step) for _, mesh, number, step in rows}
    chosen = [float(step) for star, _, _, step in rows if star]
    assert more and len(chosen) == 1, out
    assert abs(float(more[1]) - (seconds["data=2,tensor=2", "4"] - chosen[0])) < 0.02, out


run(globals())
