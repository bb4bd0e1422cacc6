# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two stages, whose tasks or step are written by hand, and two microbatches train what one device trains."""
import array
import json
import os
import random

from harness import HERE, call, off, path, read_safetensors, refused, run, write_safetensors

ONE, TWO, STEP = (os.path.join(HERE, name) for name in ("one-stage.mlir", "two-stages.mlir", "two-stage-step.mlir"))


def compile_and_train(source, exe, *options, run=("--clip-norm=0.5", "--weight-decay=0.1")):
    """The head line, the step lines, and the report."""
    call("zcc", source, "-o", path(exe), "--quiet", "--report", path(exe + ".json"), *options)
    call("zrun", path(exe), "--params", path("params.safetensors"), "--batches", path("batches.safetensors"), "--steps", 20,
         "--log", path(exe + ".jsonl"), "--save-params", path(exe + ".params"), "--save-grads", path(exe + ".grads"), *run)
    with open(path(exe + ".jsonl")) as f:
        head, *lines = [json.loads(line) for line in f]
    assert head["planned_bytes"] == head["allocated_bytes"], head
    with open(path(exe + ".json")) as f:
        return head, lines, json.load(f)


def draw_data():
    draw = random.Random(1)
    numbers = lambda n, scale=1: [draw.gauss(0, scale) for _ in range(n)]
    write_safetensors(path("params.safetensors"), {"w1": ("F32", [8, 16], numbers(128, 0.3)), "w2": ("F32", [16, 4], numbers(64, 0.3))})
    write_safetensors(path("batches.safetensors"), {"x": ("F32", [20, 8, 8], numbers(1280)), "y": ("F32", [20, 8, 4], numbers(640))})


def floats(file):
    return {name: array.array("f", data) for name, (_, _, data) in read_safetensors(file).items()}


def check_equal(exe, other, keys, lines, other_lines):
    """Up to the order of sums over the batch."""
    for key in keys:
        error = off([line[key] for line in lines], [line[key] for line in other_lines])
        assert error <= 1e-5, f"{key} off by {error:.1e}"
    for kind in ("params", "grads"):
        found, expected = floats(path(f"{exe}.{kind}")), floats(path(f"{other}.{kind}"))
        assert expected.keys() == found.keys(), found.keys()
        for name in expected:
            worst = max(abs(a - b) for a, b in zip(expected[name], found[name]))
            assert worst <= 1e-6, f"{kind}: {name} off by {worst:.1e}"


def results(exe, lines):
    """The results that no schedule changes, to the bit."""
    return [(line["loss"], line.get("grad_norm")) for line in lines], floats(path(exe + ".params")), floats(path(exe + ".grads"))


def test_two_stages():
    draw_data()
    _, one, _ = compile_and_train(ONE, "one")
    head, two, report = compile_and_train(TWO, "two", "--compile-from=tasks")
    assert head["ranks"] == 2 and report["schedule"] == "actions of its own", (head, report["schedule"])
    check_equal("two", "one", ("loss", "grad_norm"), two, one)


def test_tables_by_name():
    """The tasks without their tables, which schedules write: the same bits, and the report says which one did."""
    draw_data()
    _, lines, _ = compile_and_train(TWO, "hand", "--compile-from=tasks")
    want = results("hand", lines)
    with open(TWO) as f:
        text = f.read()
    with open(path("tasks.mlir"), "w") as f:
        f.write(text[:text.index("  dist.schedule")] + "}\n")
    for schedule, other in (("gpipe", "1f1b"), ("1f1b", "gpipe")):
        file = path(schedule + ".mlir")
        call("zcc-opt", path("tasks.mlir"), f"--zcc-place-schedule=schedule={schedule}", "-o", file)
        _, lines, report = compile_and_train(file, schedule, "--compile-from=tasks")
        assert report["schedule"] == schedule, report["schedule"]
        assert results(schedule, lines) == want, f"{schedule} changes bits"
        call("zcc", file, "-o", path("again"), "--quiet", "--compile-from=tasks", f"--schedule={schedule}")
        refused("zcc", file, "-o", path("other"), "--quiet", "--compile-from=tasks", f"--schedule={other}",
                says=f"the action table was written for the schedule '{schedule}', which contradicts --schedule={other}", leaves_no=path("other"))
    refused("zcc", TWO, "-o", path("other"), "--quiet", "--compile-from=tasks", "--schedule=gpipe",
            says="the action table was written by hand, which contradicts --schedule=gpipe", leaves_no=path("other"))


def test_a_collective_before_what_others_wait_for():
    """The norm is summed over stages before the last gradient is sent, for which the other stage waits: an error, not a hang."""
    with open(TWO) as f:
        lines = f.read().split("\n")
    send = max(i for i, line in enumerate(lines) if 'dist.send "dh"' in line)
    assert "dist.run @epilogue1" in lines[send + 1], lines[send + 1]
    lines[send:send + 2] = lines[send + 1], lines[send]
    with open(path("circle.mlir"), "w") as f:
        f.write("\n".join(lines))
    refused("zcc", path("circle.mlir"), "-o", path("circle"), "--quiet", "--compile-from=tasks",
            says="the stages wait for each other in a circle: stage 0 stops at action 7, \"dh\"", status=2, leaves_no=path("circle"))


def test_a_step_that_is_cut():
    """Ops that say their stage, cut into tasks: what one device trains with the same optimizer."""
    draw_data()
    sgd = ("--lr=0.1", "--momentum=0", "--weight-decay=0")
    _, one, _ = compile_and_train(ONE, "one", "--optimizer=sgd", run=sgd)
    want = None
    for schedule in ("gpipe", "1f1b"):
        head, lines, report = compile_and_train(STEP, schedule, "--compile-from=partitioned", "--optimizer=none", f"--schedule={schedule}", run=())
        assert head["ranks"] == 2 and report["schedule"] == schedule, (head, report["schedule"])
        check_equal(schedule, "one", ("loss",), lines, one)
        got = results(schedule, lines)
        assert want in (None, got), f"{schedule} changes bits"
        want = got


def test_each_stage_compresses_what_it_keeps():
    """A value is sent whole; both stages keep it as int8, whatever the schedule."""
    draw_data()
    sgd = ("--lr=0.1", "--momentum=0", "--weight-decay=0")
    _, one, _ = compile_and_train(ONE, "one", "--optimizer=sgd", run=sgd)
    want = None
    for schedule in ("gpipe", "1f1b"):
        options = ["--compile-from=partitioned", "--optimizer=none", f"--schedule={schedule}", "--compress=int8"]
        _, lines, report = compile_and_train(STEP, schedule, *options, run=())
        assert report["compressed"] == [{"form": "bf16", "values": 1, "bytes": 32, "whole": 64},  # of rows of four
                                        {"form": "int8", "values": 1, "bytes": 80, "whole": 256}], report["compressed"]
        assert off([line["loss"] for line in lines], [line["loss"] for line in one]) < 2e-2
        got = results(schedule, lines)
        assert want in (None, got), f"{schedule} changes bits"
        want = got
    call("zcc", STEP, *options, "--compile-to=tasks", "-o", path("tasks.mlir"), "--quiet")
    with open(path("tasks.mlir")) as f:
        tasks = {line.split("@")[1].split("(")[0]: line for line in f if "func.func @" in line}
    for stage in "01":
        assert '#dist.fate<"narrow", int8>' in tasks["forward" + stage] and ":int8" in tasks["backward" + stage], tasks
        assert ':16"' not in tasks["backward" + stage], tasks["backward" + stage]


run(globals())
