# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Averages of the parameters (--ema), against the parameters of each step: to the bit, on all meshes, in checkpoints."""
from harness import *

DRIVER = os.path.join(BIN, "..", "lib", "libzcc-cuda-stand-in.so")
DECAY = 0.9  # not one that f32 has


def rounded(x):
    """x in f32."""
    return array.array("f", [x])[0]


KEPT, TAKEN = rounded(DECAY), rounded(1 - DECAY)


def values(file):
    return {name: array.array("f", data).tolist() for name, (_, _, data) in read_safetensors(file).items()}


def save(model, *options, steps, exe="model.zexe", params=True):
    """Trains; returns the parameters and the averages as {name: (dtype, shape, bytes)}."""
    given = ["--params", os.path.join(DATA, model, "params.safetensors")] if params else []
    call("zrun", path(exe), *given, "--batches", os.path.join(DATA, model, "batches.safetensors"), "--steps", steps, "--quiet",
         "--log", path("log"), "--save-params", path("p"), "--save-ema", path("e"), *training_options(model), *options)
    return read_safetensors(path("p")), read_safetensors(path("e"))


def averaged(average, parameter):
    """The average after one more step, operation by operation in f32."""
    return {name: [rounded(rounded(KEPT * a) + rounded(TAKEN * p)) for a, p in zip(average[name], parameter[name])] for name in average}


def expected(model, *options, steps):
    """The averages by the parameters that runs of 1, 2, ... steps end with."""
    average = values(os.path.join(DATA, model, "params.safetensors"))
    for step in range(1, steps + 1):
        save(model, *options, steps=step)
        average = averaged(average, values(path("p")))
    return average


def fresh(name):
    subprocess.run(["rm", "-rf", path(name)])
    return path(name)


def check(model, *options, run=(), steps=3):
    compile_model(model, f"--ema={DECAY}", *options)
    want = expected(model, *run, steps=steps)
    save(model, *run, steps=steps)
    found = values(path("e"))
    assert found == want, (model, options, [name for name in want if found[name] != want[name]])


def test_to_the_bit_by_the_parameters_of_each_step():
    for optimizer, *run in (("adamw",), ("sgd", "--momentum=0.9"), ("lion",)):
        check("mlp", f"--optimizer={optimizer}", run=run)
        check("mlp", f"--optimizer={optimizer}", "--target=reference", "--mesh=data=2", run=run)
    check("mlp", "--microbatches=2", "--mesh=data=2", "--zero=2")


def test_of_master_weights():
    """In bf16 and f16 the averages are those of the f32 masters, which --save-params writes."""
    for options, *run in ((["--precision=bf16"],), (["--precision=f16", "--mesh=data=2", "--zero=1"], "--loss-scale=1024")):
        check("mlp", *options, run=run)


def test_on_a_stand_in_for_gpus():
    os.environ["ZCC_CUDA_STAND_IN"] = "seed=1,gpus=2"
    check("mlp", "--target=cuda", "--cuda-arch=host", "--mesh=data=2", "--zero=1", "--precision=bf16",
          run=["--cuda-driver", DRIVER, "--cublaslt", DRIVER, "--cudnn", DRIVER])


def test_same_on_all_meshes():
    """Parameters and averages are the same bits whatever ZeRO stage, and whatever else keeps the parameters' bits."""
    for base, *others in ((["--mesh=data=2", "--zero=0"], *([["--mesh=data=2", f"--zero={stage}"] for stage in (1, 2, 3)]),
                           ["--mesh=data=2", "--zero=3", "--offload=optimizer"],
                           ["--mesh=data=2", "--zero=1", "--state=*wo=3"]),
                          *[([*pipe, "--zero=0"], [*pipe, "--zero=1"], [*pipe, "--zero=3"], [*pipe, "--zero=2", "--schedule=gpipe"])
                             for pipe in (["--mesh=pipe=2,data=2", "--microbatches=2", "--exact"],)]):
        compile_model("gpt2", f"--ema={DECAY}", *base)
        want = save("gpt2", steps=2)
        assert want[0] != want[1]
        for options in others:
            compile_model("gpt2", f"--ema={DECAY}", *options)
            found = save("gpt2", steps=2)
            assert found[0] == want[0] and found[1] == want[1], options


def test_training_does_not_change():
    for options in (["--mesh=1"], ["--mesh=tensor=2"], ["--mesh=pipe=2", "--microbatches=2"]):
        found = []
        for ema in ([], [f"--ema={DECAY}"]):
            compile_model("gpt2", *options, *ema)
            _, lines = train("gpt2", "--save-params", path("p"), steps=2)
            found.append((read_safetensors(path("p")), [(line["loss"], line["grad_norm"]) for line in lines]))
        assert found[0] == found[1], options


def test_on_meshes_that_sum_in_other_orders():
    compile_model("gpt2", f"--ema={DECAY}")
    _, want = save("gpt2", steps=3)
    for options in (["--mesh=tensor=2"], ["--mesh=pipe=2", "--microbatches=2"], ["--mesh=data=2,tensor=2", "--zero=3"], ["--mesh=data=3", "--zero=2"]):
        compile_model("gpt2", f"--ema={DECAY}", *options)
        save("gpt2", steps=3)
        found = values(path("e"))
        for name, (_, _, data) in want.items():
            assert max(abs(a - b) for a, b in zip(found[name], array.array("f", data))) < 5e-5, (options, name)


def test_frozen_parameters_stand_for_themselves():
    compile_model("mlp", f"--ema={DECAY}", "--freeze=w1", "--mesh=data=2", "--zero=3")
    parameters, averages = save("mlp", steps=2)
    initial = read_safetensors(os.path.join(DATA, "mlp", "params.safetensors"))
    assert averages["w1"] == parameters["w1"] == initial["w1"]
    assert averages["w2"] != parameters["w2"] and set(averages) == set(parameters)


def test_skipped_steps_leave_them():
    """All gradients overflow at first: parameters and averages stay, to the bit."""
    compile_model("mlp", f"--ema={DECAY}", "--precision=f16")
    initial = read_safetensors(os.path.join(DATA, "mlp", "params.safetensors"))
    parameters, averages = save("mlp", "--loss-scale=dynamic:1e30", steps=3)
    assert parameters == averages == initial


def test_zero_decay_is_the_parameter():
    compile_model("mlp", "--ema=0")
    parameters, averages = save("mlp", steps=3)
    assert averages == parameters


def test_the_report_counts_them_as_optimizer_state():
    for options, share in ((["--mesh=1"], 1), (["--mesh=data=2", "--zero=0"], 1), (["--mesh=data=2", "--zero=1"], 2), (["--mesh=data=2", "--zero=3"], 2)):
        before, after = (compile_model("gpt2", *options, *ema, "--buffers", path("buffers"))["memory"] for ema in ([], [f"--ema={DECAY}"]))
        with open(path("buffers")) as f:
            assert "wte:ema" in f.read()
        # AdamW has two moments a parameter, so the averages are half as much again.
        assert 1.49 < after["optimizer"] / before["optimizer"] < 1.51, (options, before, after)
        head, _ = train("gpt2", steps=1)
        assert head["planned_bytes"] == head["allocated_bytes"] and max(head["planned_bytes"]) == after["peak"], (head, after)
    said, _ = call("zrun", path("model.zexe"), "--check")
    assert "ema 0.9" in said, said
    said, _ = call("zcc", model_text("gpt2"), f"--ema={DECAY}", "--mesh=data=2", "--zero=1", "--explain=wte", "-o", path("model.zexe"), "--quiet")
    assert "ema: split over data" in said, said


SHAPES = (["--mesh=1"], ["--mesh=data=2,tensor=2", "--zero=3"], ["--mesh=data=3", "--zero=2"], ["--mesh=pipe=2,data=2", "--zero=1", "--microbatches=2"],
          ["--mesh=tensor=2", "--precision=bf16"])


def test_checkpoints_go_on_with_them_on_any_mesh():
    for i, first in enumerate(SHAPES):
        ck = fresh("ck")
        compile_model("gpt2", f"--ema={DECAY}", *first)
        _, want = save("gpt2", "--checkpoint", ck, "--checkpoint-every", 2, steps=2)
        compile_model("gpt2", f"--ema={DECAY}", *SHAPES[(i + 1) % len(SHAPES)])
        # No step is left: what was loaded is saved.
        _, found = save("gpt2", "--checkpoint", ck, "--resume", steps=2, params=False)
        assert found == want, (first, "loaded by", SHAPES[(i + 1) % len(SHAPES)])
        _, resumed = save("gpt2", "--checkpoint", ck, "--resume", steps=3, params=False)
        assert resumed != want


def test_resumed_to_the_bit():
    for options in (["--mesh=data=2", "--zero=3"], ["--mesh=pipe=2", "--microbatches=2"]):
        compile_model("gpt2", f"--ema={DECAY}", *options)
        want = save("gpt2", steps=4)
        ck = fresh("ck")
        save("gpt2", "--checkpoint", ck, "--checkpoint-every", 2, steps=2)
        assert save("gpt2", "--checkpoint", ck, "--resume", steps=4, params=False) == want, options


def test_checkpoints_without_them_and_runs_without():
    ck = fresh("ck")
    compile_model("mlp", "--mesh=data=2", "--zero=1")
    train("mlp", "--checkpoint", ck, "--checkpoint-every", 2, "--save-params", path("p"), steps=2)
    before = values(path("p"))
    compile_model("mlp", f"--ema={DECAY}", "--mesh=data=2", "--zero=2")
    _, said = call("zrun", path("model.zexe"), "--batches", os.path.join(DATA, "mlp", "batches.safetensors"), "--steps", 3, "--quiet",
                   "--checkpoint", ck, "--checkpoint-every", 1, "--resume", "--save-params", path("p"), "--save-ema", path("e"),
                   *training_options("mlp"))
    assert "step-000000002: has no averages of b1, b2, b3" in said and "they begin as the parameters of the checkpoint" in said, said
    assert values(path("e")) == averaged(before, values(path("p")))
    # The other way round: a run without averages leaves them out.
    compile_model("mlp")
    _, said = call("zrun", path("model.zexe"), "--batches", os.path.join(DATA, "mlp", "batches.safetensors"), "--steps", 3, "--quiet",
                   "--checkpoint", ck, "--resume", "--save-params", path("again"), *training_options("mlp"))
    assert "average" not in said and read_safetensors(path("again")) == read_safetensors(path("p")), said


def test_checkpoints_are_exported_and_imported_with_them():
    ck = fresh("ck")
    compile_model("mlp", f"--ema={DECAY}")
    _, want = save("mlp", "--checkpoint", ck, "--checkpoint-every", 2, steps=2)
    call("zrun", "--export", ck, "--with-moments", "-o", path("all"))
    exported = read_safetensors(path("all"))
    assert {name[4:]: tensor for name, tensor in exported.items() if name.startswith("ema:")} == want
    call("zrun", "--import", path("all"), "--checkpoint", fresh("ck2"))
    assert save("mlp", "--checkpoint", path("ck2"), "--resume", steps=2, params=False)[1] == want


def test_initialized_in_the_program():
    """The averages begin as the parameters that --init-seed makes."""
    for options in ([], ["--mesh=data=2", "--zero=3"], ["--precision=bf16", "--mesh=data=2", "--zero=1"]):
        call("zcc", model_text("gpt2"), "--init", os.path.join(EXAMPLES, "gpt", "init.mlir"), "-o", path("model.zexe"), "--quiet", f"--ema={DECAY}", *options)
        batches = os.path.join(DATA, "gpt2", "batches.safetensors")
        ck = fresh("ck")
        base = ["zrun", path("model.zexe"), "--init-seed", 3, "--batches", batches, "--quiet", "--save-params", path("p"), "--save-ema", path("e")]
        call(*base, "--steps", 1, "--lr", 0)
        assert read_safetensors(path("p")).keys() == read_safetensors(path("e")).keys()
        start, average = values(path("p")), values(path("e"))
        for name in start:  # 0.9 p + 0.1 p is p but for rounding
            assert max(abs(a - b) for a, b in zip(start[name], average[name])) <= 2e-7 * max(map(abs, start[name])), (options, name)


def test_evaluated():
    """The loss of the averages is that of a run that begins with them as parameters."""
    compile_model("mlp", f"--ema={DECAY}", "--mesh=data=2", "--zero=3")
    compile_model("mlp", "--optimizer=forward", "--mesh=data=2", exe="forward.zexe")
    held = ["--eval-executable", path("forward.zexe"), "--eval-batches", os.path.join(DATA, "mlp", "batches.safetensors"), "--eval-steps", 2]
    losses = []
    for options in ([], ["--eval-ema"]):
        _, averages = save("mlp", *held, *options, steps=3)
        with open(path("log")) as f:
            losses += [line["eval_loss"] for line in map(json.loads, f) if "eval_loss" in line]
        os.remove(path("log"))
    out, _ = call("zrun", path("forward.zexe"), "--params", path("e"), "--batches", os.path.join(DATA, "mlp", "batches.safetensors"), "--steps", 2)
    mean = json.loads(out.splitlines()[-1])
    assert off(losses[1:], [mean["mean"]["loss"]]) < 1e-6 < off(losses[:1], losses[1:]), (losses, mean)


def test_phases_and_plans():
    """A text of a later phase has the averages, and a plan's file says nothing of them."""
    call("zcc", model_text("mlp"), f"--ema={DECAY}", "--mesh=data=2", "--zero=1", "--compile-to=sharded", "-o", path("sharded.mlir"))
    with open(path("sharded.mlir")) as f:
        assert '"ema"' in f.read()
    compile_model("mlp", f"--ema={DECAY}", "--mesh=data=2", "--zero=1", "--plan-out", path("a.plan"))
    want = save("mlp", steps=2)
    call("zcc", path("sharded.mlir"), "--compile-from=sharded", "-o", path("model.zexe"), "--quiet")
    assert save("mlp", steps=2) == want
    refused("zcc", path("sharded.mlir"), "--compile-from=sharded", "--ema=0.5", "-o", path("no.zexe"), says="--ema=0.5 contradicts '0.9'")
    compile_model("mlp", f"--ema={DECAY}", "--plan", path("a.plan"))
    assert save("mlp", steps=2) == want


def test_mistakes():
    for value in ("1", "-0.1", "x", "0.9x", "nan", "inf"):
        refused("zcc", model_text("mlp"), f"--ema={value}", "-o", path("no.zexe"), leaves_no=path("no.zexe"),
                says=f"--ema: expected a number of at least 0 and less than 1, as in 0.999, found '{value}'")
    for optimizer in ("none", "forward"):
        refused("zcc", model_text("mlp"), "--ema=0.9", f"--optimizer={optimizer}", "-o", path("no.zexe"),
                says=f"--ema: there are no updates to average over with --optimizer={optimizer}")
    compile_model("mlp")
    for option in (["--save-ema", path("e")], ["--eval-ema", "--eval-executable", path("model.zexe"), "--eval-batches", "x"]):
        refused("zrun", path("model.zexe"), "--params", os.path.join(DATA, "mlp", "params.safetensors"),
                "--batches", os.path.join(DATA, "mlp", "batches.safetensors"), "--steps", 1, *option,
                says="the executable keeps no averages of its parameters; compile it with --ema DECAY")
    refused("zrun", path("model.zexe"), "--eval-ema", says="--eval-ema needs --eval-executable")


run(globals())
