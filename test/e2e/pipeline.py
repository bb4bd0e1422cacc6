# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines that zcc cuts itself train what one device trains, whatever the schedule, the cut and what else is sharded."""
import json
import os
import re
import shutil
import subprocess
import sys

from harness import BIN, DATA, EXAMPLES, HERE, call, model_text, off, path, read_safetensors, refused, run

SCHEDULES = ("gpipe", "1f1b", "interleaved:2", "interleaved:2:4", "zb-h1", "zb-h2", "zb-v")


def compile_to(exe, model, *options):
    call("zcc", model_text(model), "-o", path(exe), "--quiet", "--report", path(exe + ".json"), *options)
    with open(path(exe + ".json")) as f:
        return json.load(f)


def train(exe, model, *options, start=(), steps=5, launcher=()):
    start = start or ("--params", f"{DATA}/{model}/params.safetensors")
    arguments = [os.path.join(BIN, "zrun"), path(exe), *start, "--batches", f"{DATA}/{model}/batches.safetensors", "--steps", steps, "--lr=1e-3", "--log", path(exe + ".jsonl"),
                 *options]
    p = subprocess.run([*launcher, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    assert p.returncode == 0, p.stderr[-400:]
    with open(path(exe + ".jsonl")) as f:
        head, *lines = [line for line in map(json.loads, f)]
    assert head["planned_bytes"] == head["allocated_bytes"], head
    return [(line["loss"], line.get("grad_norm")) for line in lines if "loss" in line and "step" in line]


def check(lines, expected, what, limit=1e-5):
    assert len(lines) == len(expected), what
    for i in range(2):
        pairs = [(a[i], b[i]) for a, b in zip(lines, expected) if b[i] is not None]
        if pairs:
            error = off([a for a, _ in pairs], [b for _, b in pairs])
            assert error <= limit * (1 + 19 * i), f"{what}: off by {error:.1e}"


def one_device(model, *options, **kw):
    compile_to("one", model, "--mesh=1", *options)
    return train("one", model, **kw)


def test_schedules_give_the_same_bits():
    """Also where the gradient of a tied parameter comes of two stages, and a count of all microbatches divides the loss."""
    expected, seen = one_device("gpt2-masked"), set()
    for schedule in SCHEDULES:
        report = compile_to("pipe", "gpt2-masked", "--mesh=pipe=2", f"--schedule={schedule}", "--microbatches=4")
        assert report["schedule"] == schedule, report["schedule"]
        kinds = {c["kind"] for c in report["collectives"]}
        assert {"send", "recv"} <= kinds, kinds
        lines = train("pipe", "gpt2-masked")
        check(lines, expected, schedule)
        seen.add(tuple(lines))
    assert len(seen) == 1, f"{len(seen)} different curves"


def test_what_is_sent_is_sent_from_its_place():
    """Stages never wait for each other's places in a circle, which takes copies in memory that is not planned."""
    for model in ("gpt2-masked", "mlp", "unet", "translation"):
        for stages in (2, 4):
            for schedule in SCHEDULES:
                compile_to("pipe", model, f"--mesh=pipe={stages}", f"--schedule={schedule}", "--microbatches=8")
                assert call("count_kept_sends", path("pipe"))[0] == "0\n", (model, stages, schedule)


def test_edited_tables():
    """A table of a plan may be in another order than any schedule by name: the bits stay."""
    for schedule, edits in (
            ("zb-h1", (("F0 F0>1 F1 F1>1", "F0 F1 F0>1 F1>1"), ("B1>0 W0", "W0 B1>0"))),
            ("zb-v", (("W0.1 1>F1.1", "1>F1.1 W0.1"), ))):
        compile_to("named", "gpt2-masked", "--mesh=pipe=2", f"--schedule={schedule}", "--microbatches=4", "--plan-out", path("t.plan"), "--plan-actions")
        with open(path("t.plan")) as f:
            text = f.read()
        for old, new in edits:
            assert old in text, (old, text[:2000])
            text = text.replace(old, new)
        with open(path("edited.plan"), "w") as f:
            f.write(text)
        report = compile_to("edited", "gpt2-masked", "--plan", path("edited.plan"))
        assert report["schedule"] == "actions of its own", report["schedule"]
        with open(path("named"), "rb") as a, open(path("edited"), "rb") as b:
            assert a.read() != b.read(), "the table was not followed"
        assert train("edited", "gpt2-masked") == train("named", "gpt2-masked"), schedule


def test_what_is_computed_again_is_handed_over():
    """Gradients of weights as tasks of their own get it from the backward task: the same bits, less arithmetic."""
    options = ("--mesh=pipe=2", "--microbatches=4", "--remat=full")
    compile_to("usual", "gpt2-masked", *options, "--schedule=1f1b")
    expected = train("usual", "gpt2-masked")
    for schedule in ("zb-h1", "zb-v"):
        handed = compile_to("handed", "gpt2-masked", *options, f"--schedule={schedule}")
        assert train("handed", "gpt2-masked") == expected, schedule
        twice = compile_to("twice", "gpt2-masked", *options, f"--schedule={schedule}", "--disable=hand-over")
        assert train("twice", "gpt2-masked") == expected, schedule
        assert handed["flops"]["recomputed"] < 0.8 * twice["flops"]["recomputed"], (handed["flops"], twice["flops"])
        assert handed["memory"]["peak"] > twice["memory"]["peak"], schedule


def test_decisions_on_what_is_handed_over():
    """If the memory decides, plans record the decisions and are followed."""
    options = ("--mesh=pipe=2", "--microbatches=4", "--schedule=zb-h1")
    peak = compile_to("all", "gpt2-masked", *options)["memory"]["peak"]
    report = compile_to("some", "gpt2-masked", *options, f"--memory={int(peak * 0.93)}", "--plan-out", path("handed.plan"))
    assert report["memory"]["peak"] <= 0.93 * peak, (report["memory"], peak)
    with open(path("handed.plan")) as f:
        assert 'fate: "hand-over"' in f.read()
    compile_to("again", "gpt2-masked", "--plan", path("handed.plan"))
    with open(path("some"), "rb") as a, open(path("again"), "rb") as b:
        assert a.read() == b.read()
    compile_to("usual", "gpt2-masked", "--mesh=pipe=2", "--microbatches=4", "--schedule=1f1b")
    assert train("again", "gpt2-masked") == train("usual", "gpt2-masked")


def test_a_stage_holds_its_part_of_the_state():
    report = compile_to("pipe", "gpt2", "--mesh=pipe=2", "--microbatches=2")
    whole = compile_to("whole", "gpt2", "--mesh=1", "--microbatches=2")["memory"]
    for stage in report["memory_by_stage"]:
        for kind in ("parameters", "optimizer"):
            assert stage[kind] < 0.75 * whole[kind], (kind, stage[kind], whole[kind])


def test_with_everything_else():
    for model, options in (("gpt2-masked", ("--mesh=pipe=2,data=2,tensor=2", "--zero=3", "--microbatches=2", "--schedule=zb-h1")),
                           ("gpt2-dropout", ("--mesh=pipe=2,data=2", "--zero=2", "--microbatches=2", "--schedule=interleaved:2")),
                           ("moe", ("--mesh=pipe=2,expert=2", "--microbatches=2")),
                           ("dlrm", ("--mesh=pipe=3", "--microbatches=2")),
                           ("mlp", ("--mesh=pipe=2", "--microbatches=4", "--schedule=zb-v")),
                           ("llama", ("--mesh=pipe=2,context=2", "--microbatches=2", "--remat=full", "--schedule=gpipe"))):
        compile_to("pipe", model, *options)
        check(train("pipe", model), one_device(model), f"{model} {options}")


def test_one_microbatch():
    expected = one_device("gpt2-masked")
    for schedule in ("gpipe", "zb-h1"):
        compile_to("pipe", "gpt2-masked", "--mesh=pipe=2", "--microbatches=1", f"--schedule={schedule}")
        check(train("pipe", "gpt2-masked"), expected, schedule)


def test_without_a_backward_pass():
    expected = one_device("gpt2-masked", "--optimizer=forward")
    compile_to("pipe", "gpt2-masked", "--mesh=pipe=2", "--microbatches=2", "--optimizer=forward")
    check(train("pipe", "gpt2-masked"), expected, "forward")


def test_gradients():
    """The gradients of all stages are saved, each parameter's once."""
    def gradients(name, *options):
        compile_to(name, "gpt2-masked", *options)
        train(name, "gpt2-masked", "--save-grads", path(name + ".grads"), "--save-params", path(name + ".params"), steps=1)
        return [read_safetensors(path(f"{name}.{kind}")) for kind in ("grads", "params")]
    one, two = gradients("one", "--mesh=1", "--microbatches=4"), gradients("two", "--mesh=pipe=2", "--microbatches=4")
    for expected, found in zip(one, two):
        assert {n: v[:2] for n, v in expected.items()} == {n: v[:2] for n, v in found.items()}
    # With the same number of microbatches, all sums have the same order.
    assert one == two


def test_checkpoints_between_cuts():
    folder = path("checkpoint")
    compile_to("first", "gpt2-masked", "--mesh=pipe=2,data=2", "--zero=1", "--microbatches=2")
    whole = train("first", "gpt2-masked", steps=6)
    train("first", "gpt2-masked", "--checkpoint", folder, "--checkpoint-every=3", steps=3)
    compile_to("second", "gpt2-masked", "--mesh=pipe=2", "--microbatches=4", "--schedule=zb-v", "--stage=lnf.scale=1")
    resumed = train("second", "gpt2-masked", "--checkpoint", folder, "--checkpoint-every=3", "--resume", steps=6)
    check(resumed[-3:], whole[3:], "another cut")


def test_initial_values():
    options = ("--init", f"{EXAMPLES}/gpt/init.mlir")
    expected = one_device("gpt2", *options, start=("--init-seed=3",), steps=2)
    compile_to("pipe", "gpt2", "--mesh=pipe=2", "--microbatches=2", *options)
    check(train("pipe", "gpt2", start=("--init-seed=3",), steps=2), expected, "--init-seed")


def test_processes():
    compile_to("pipe", "gpt2-masked", "--mesh=pipe=4", "--microbatches=4", "--schedule=zb-h1")
    threads = train("pipe", "gpt2-masked")
    launch = os.path.join(HERE, "..", "tools", "launch.py")
    launchers = [[sys.executable, launch, "4"]] if os.path.exists(os.path.join(BIN, "libzcc-gloo.so")) else []
    if shutil.which("mpirun") and os.path.exists(os.path.join(BIN, "libzcc-mpi.so")):
        launchers.append(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "4"])
    for launcher in launchers:
        assert train("pipe", "gpt2-masked", launcher=launcher) == threads, launcher[0]


def test_the_trace_has_transfers():
    compile_to("pipe", "gpt2-masked", "--mesh=pipe=2,data=2", "--microbatches=4", "--schedule=zb-h1")
    train("pipe", "gpt2-masked", "--trace", path("trace.json"), "--link-delay=2ms", steps=2)
    with open(path("trace.json")) as f:
        events = [e for e in json.load(f)["traceEvents"] if e["ph"] == "X"]
    assert all(e["args"]["stage"] == e["pid"] // 2 for e in events)
    runs = {(e["args"]["stage"], e["name"].split(":")[0], e["args"]["chunk"], e["args"]["microbatch"]) for e in events if ": " in e["name"]}
    kinds = ("forward", "backward", "weight_backward")
    assert {run for run in runs if run[1] in kinds} == {(s, kind, 0, m) for s in range(2) for kind in kinds for m in range(4)}, runs
    moves = lambda pid, name: {(e["args"]["value"], e["args"]["microbatch"]): e for e in events if e["pid"] == pid and e["name"].startswith(name + " ")}
    for pid in range(4):
        sends, receives = moves(pid, "send"), moves((pid + 2) % 4, "receive")
        assert len(sends) >= 4 and sends.keys() == receives.keys(), (sends.keys(), receives.keys())
        for key, send in sends.items():
            for one, kind, peer in ((send, "send", 1 - pid // 2), (receives[key], "recv", pid // 2)):
                assert (one["args"]["kind"], one["args"]["peer"]) == (kind, peer) and one["args"]["bytes"] > 0 and one["dur"] >= 0, one
            # It is there when the link has carried it.
            assert receives[key]["ts"] + receives[key]["dur"] >= send["ts"] + 2000, key


def test_pictures():
    """The schedule as planned (zcc --draw), and from both traces (zcc-solve trace): the same tasks, once each."""
    def tasks(svg):
        with open(svg) as f:
            return re.findall(r"<title>(\w+) chunk (\d),", f.read())
    compile_to("pipe", "gpt2-masked", "--mesh=pipe=2", "--microbatches=4", "--schedule=interleaved:2", "--draw", path("planned.svg"), "--trace", path("predicted.json"))
    train("pipe", "gpt2-masked", "--trace", path("measured.json"), steps=2)
    expected = sorted((f"{kind}{m}", str(chunk)) for _ in range(2) for kind in "FB" for m in range(4) for chunk in range(2))
    assert sorted(tasks(path("planned.svg"))) == expected, tasks(path("planned.svg"))
    for trace in ("predicted", "measured"):
        out, _ = call("zcc-solve", "trace", path(trace + ".json"), "--draw", path(trace + ".svg"))
        facts = json.loads(out)
        drawn = sorted(tasks(path(trace + ".svg")))
        # If other processes keep the cores from a rank, tasks are narrow beside the gaps, and some are joined.
        assert drawn == expected or trace == "measured" and set(drawn) < set(expected), (trace, drawn)
        assert len(facts["busy"]) == 2 and 0 < facts["makespan"] and 0 <= facts["bubble"] < 1, facts
    assert tasks(path("predicted.svg")) == tasks(path("planned.svg"))


def test_pins():
    """--stage is obeyed; naming no op, or an impossible stage, is an error."""
    def stages(*options):
        call("zcc", model_text("gpt2-masked"), "-o", path("p.mlir"), "--quiet", "--compile-to=partitioned", "--mesh=pipe=2", "--microbatches=2", "--schedule=1f1b", *options)
        with open(path("p.mlir")) as f:
            return sum("train.attention " in line and "dist.stage = 1" in line for line in f)
    assert stages("--stage=blocks.0.attn.wqkv=1") == 2
    assert stages("--stage=blocks.1.mlp.wo=0") == 0
    for pins, says in ((("blocks.0.*=2",), "--stage: expected a stage below 2, found 'blocks.0.*=2'"),
                       (("blocks.0.*",), "--stage: expected GLOB=N, found 'blocks.0.*'"),
                       (("nothing=1",), "--stage: nothing that a microbatch computes is named 'nothing'"),
                       (("blocks.0.*=1", "blocks.1.*=0"), "cannot be cut into 2 parts"),
                       (("blocks.0.*=1", "blocks.0.mlp.wi=0"), "--stage wants this on stage 1 and on stage 0")):
        refused("zcc", model_text("gpt2-masked"), "-o", path("no.zexe"), "--quiet", "--mesh=pipe=2", "--microbatches=2", "--schedule=1f1b",
                *(f"--stage={pin}" for pin in pins), says=says, leaves_no=path("no.zexe"))
    # A mesh with named axes has the stages it names; a bare one gets those that --stage asks for.
    refused("zcc", model_text("gpt2-masked"), "-o", path("no.zexe"), "--quiet", "--mesh=data=2", "--stage=blocks.0.*=0",
            says="--stage: the mesh has no axis 'pipe'", leaves_no=path("no.zexe"))
    call("zcc", model_text("gpt2-masked"), "-o", path("bare.mlir"), "--quiet", "--compile-to=partitioned", "--mesh=2", "--stage=blocks.0.*=0")
    with open(path("bare.mlir")) as f:
        assert "dist.stage = 1" in f.read()


def test_stages_have_their_own_residuals():
    """Only the stage that does not fit computes again; a plan says so, and bits stay."""
    options = ("--mesh=pipe=2", "--microbatches=8", "--schedule=1f1b")
    whole = compile_to("whole", "gpt2", *options)
    peaks = [stage["peak"] for stage in whole["memory_by_stage"]]
    assert peaks[0] > 1.1 * peaks[1], peaks  # the first one holds two microbatches
    limit = int(0.9 * peaks[0])
    # The second stage may keep more if there is room, but never less.
    report = compile_to("short", "gpt2", *options, f"--memory={limit}B", "--plan-out", path("short.plan"))
    first, second = report["memory_by_stage"]
    assert first["peak"] <= limit and second["peak"] <= limit, (first["peak"], second["peak"], limit)
    assert first["residuals"] < whole["memory_by_stage"][0]["residuals"] and second["residuals"] >= whole["memory_by_stage"][1]["residuals"], (first, second)
    call("zcc", model_text("gpt2"), "-o", path("again"), "--quiet", "--plan", path("short.plan"), "--plan-out", path("again.plan"))
    for a, b in (("short", "again"), ("short.plan", "again.plan")):
        with open(path(a), "rb") as one, open(path(b), "rb") as other:
            assert one.read() == other.read(), (a, b)
    assert train("short", "gpt2", steps=3) == train("whole", "gpt2", steps=3)


def test_the_cut_knows_memory():
    """If the first stage of the fastest cut does not fit, and may compute nothing again, it gets less of the model."""
    options = ("--mesh=pipe=2", "--microbatches=2", "--schedule=1f1b", "--remat=none")
    fast = compile_to("fast", "gpt2", *options)
    first, second = fast["memory_by_stage"]
    limit = int(0.9 * first["peak"])
    assert second["peak"] < 0.8 * limit, (first["peak"], second["peak"])
    report = compile_to("small", "gpt2", *options, f"--memory={limit}B", "--plan-out", path("small.plan"))
    assert all(stage["peak"] <= limit for stage in report["memory_by_stage"]), [stage["peak"] for stage in report["memory_by_stage"]]
    assert report["memory_by_stage"][1]["parameters"] > second["parameters"], report["memory_by_stage"]
    assert report["predicted"]["step_seconds"] >= fast["predicted"]["step_seconds"], "the fastest cut is not the fastest"
    call("zcc", model_text("gpt2"), "-o", path("again"), "--quiet", "--plan", path("small.plan"))
    with open(path("small"), "rb") as one, open(path("again"), "rb") as other:
        assert one.read() == other.read()
    assert train("small", "gpt2", steps=3) == train("fast", "gpt2", steps=3)


def test_the_fastest_cut_stays_where_it_fits():
    """Memory that costs next to nothing to save moves no layer: gathered copies and views of them count once."""
    options = ("--mesh=pipe=2,data=2", "--zero=1", "--precision=bf16", "--microbatches=8", "--schedule=1f1b", "--compile-to=planned")
    fast = compile_to("fast", "gpt2", *options)
    tight = compile_to("tight", "gpt2", *options, f"--memory={int(1.02 * fast['memory']['peak'])}B")
    parameters = [[stage["parameters"] for stage in report["memory_by_stage"]] for report in (fast, tight)]
    assert parameters[0] == parameters[1], parameters


def test_a_stage_that_does_not_fit():
    """The refusal says which stage does not fit, by how much, and what would fit: a schedule that holds less."""
    options = ("--mesh=pipe=2", "--microbatches=8", "--remat=none")
    needs = [compile_to("x", "gpt2", *options, f"--schedule={name}", "--compile-to=planned")["memory"]["peak"] for name in ("1f1b", "gpipe")]
    assert needs[0] < needs[1], needs
    _, text = call("zcc", model_text("gpt2"), "-o", path("no.zexe"), "--quiet", *options, "--schedule=gpipe", f"--memory={(needs[0] + needs[1]) // 2}B", status=2)
    assert not os.path.exists(path("no.zexe"))
    assert re.search(r"error: memory: a device of stage [01] needs .* bytes\), \S+ .B more than the budget of", text) and re.search(r"\n  by stage: \S+ MB, \S+ MB", text), text
    assert "  fits: --schedule 1f1b, " in text, text


def test_refusals():
    for options, says in ((("--mesh=pipe=999", "--microbatches=4"), "cannot be cut into 999 parts (999 stages of 1 chunks): expected at least 999 pieces"),
                          (("--mesh=pipe=2", "--microbatches=3", "--schedule=interleaved:2"), "expected a multiple of 2, found 3"),
                          (("--mesh=pipe=2", "--shard=w1=pipe,-"), "axis 'pipe' holds the stages of the pipeline, it divides no value")):
        refused("zcc", model_text("mlp"), "-o", path("no.zexe"), "--quiet", *options, says=says, leaves_no=path("no.zexe"))


run(globals())
