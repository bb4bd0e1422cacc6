# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stopping at a phase and resuming gives the same executable; compiling twice gives the same bytes."""
from harness import *

PHASES = ["input", "graph", "step", "sharded", "partitioned", "tasks", "scheduled", "planned"]


def read(file):
    with open(file, "rb") as f:
        return f.read()


def test_resume_anywhere():
    for options in ([], ["--mesh=data=2", "--precision=bf16"]):
        compile_model("mlp", *options)
        want = read(path("model.zexe"))
        for phase in PHASES:
            call("zcc", model_text("mlp"), f"--compile-to={phase}", "-o", path("mid.mlir"), "--quiet", *options)
            # Options that earlier phases consumed travel with the text; the others are given again.
            again = options if phase in ("input", "graph") else []
            call("zcc", path("mid.mlir"), f"--compile-from={phase}", "-o", path("again.zexe"), "--quiet", *(again or options))
            assert read(path("again.zexe")) == want, f"resumed from {phase} with {options}"


def test_options_travel_with_the_text():
    call("zcc", model_text("mlp"), "--compile-to=tasks", "-o", path("mid.mlir"), "--quiet", "--mesh=data=2")
    call("zcc", path("mid.mlir"), "--compile-from=tasks", "-o", path("one.zexe"), "--quiet")
    compile_model("mlp", "--mesh=data=2")
    assert read(path("one.zexe")) == read(path("model.zexe"))
    refused("zcc", path("mid.mlir"), "--compile-from=tasks", "-o", path("two.zexe"), "--mesh=data=4", says="contradicts",
            leaves_no=path("two.zexe"))


def test_schedules_travel_with_the_text():
    options = ("--microbatches=2", "--schedule=gpipe")
    compile_model("mlp", *options)
    for phase in ("partitioned", "tasks", "planned"):
        call("zcc", model_text("mlp"), f"--compile-to={phase}", "-o", path("mid.mlir"), "--quiet", *options)
        call("zcc", path("mid.mlir"), f"--compile-from={phase}", "-o", path("one.zexe"), "--quiet", *(options if phase == "partitioned" else ()))
        assert read(path("one.zexe")) == read(path("model.zexe")), phase
    refused("zcc", path("mid.mlir"), "--compile-from=planned", "-o", path("two.zexe"), "--schedule=1f1b", says="contradicts",
            leaves_no=path("two.zexe"))


def test_deterministic():
    seen = set()
    for threads in (1, 2):
        compile_model("gpt2", "--mesh=data=2", f"--compile-threads={threads}")
        seen.add(read(path("model.zexe")))
    assert len(seen) == 1


def test_dump_phases():
    os.mkdir(path("dump"))
    call("zcc", model_text("mlp"), "-o", path("x.zexe"), "--quiet", "--dump-phases-to", path("dump"))
    assert sorted(os.listdir(path("dump"))) == [f"{i}-{p}.mlir" for i, p in enumerate(PHASES)]


run(globals())
