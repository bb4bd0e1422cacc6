# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--compress: values that wait for the backward pass are stored in narrower types. Losses stay near, memory shrinks, and options that change
no bit without --compress change none with it."""
import random

from harness import *

FORMS = {"bf16": (1e-3, 0.6), "f8": (2e-2, 0.4), "int8": (2e-2, 0.4)}  # how far losses may be off; the share of the residuals
KEPT = ["--remat=none", "--microbatches=1"]


def losses(model, *options, steps=3, exe="model.zexe", run=()):
    report = compile_model(model, *options, exe=exe)
    head, lines = train(model, *run, steps=steps, exe=exe)
    assert head["planned_bytes"] == head["allocated_bytes"], head
    return report, [line["loss"] for line in lines]


def test_losses_stay_near_and_residuals_shrink():
    for model in ("gpt2", "llama", "gpt2-dropout"):
        whole, want = losses(model, *KEPT, steps=20)
        for form, (limit, share) in FORMS.items():
            report, got = losses(model, f"--compress={form}", *KEPT, steps=20)
            assert off(got, want) < limit, (model, form, off(got, want))
            for what, bound in (("residuals", share), ("peak", 1)):
                found = report["memory"][what] / whole["memory"][what]
                assert found < bound, (model, form, what, found)
            said = report["compressed"][0]
            assert said["bytes"] < share * said["whole"] and said["values"] > 4, said


def test_what_leaves_bits_alone_still_does():
    """ZeRO (gathered parameters stay whole), the order of tasks and streams, threads."""
    streams = list(ON_STREAMS.items())
    for i, form in enumerate(FORMS):
        compress = f"--compress={form}"
        want = losses("gpt2", "--mesh=data=2", "--zero=0", compress, *KEPT)[1]
        for zero in (1, 3):
            assert losses("gpt2", "--mesh=data=2", f"--zero={zero}", compress, *KEPT)[1] == want, (form, zero)
        assert losses("gpt2", "--mesh=data=2", "--zero=1", compress, *KEPT, run=["--threads=1"])[1] == want, form
        want = losses("gpt2", "--microbatches=4", compress)[1]
        assert losses("gpt2", "--microbatches=4", "--schedule=gpipe", compress)[1] == want, form
        for name, (model, *options) in streams[i::len(FORMS)]:
            options += [slow_machine(), compress]
            assert losses(model, *options)[1] == losses(model, *options, "--disable=overlap")[1], (form, name)


def test_meshes_and_microbatches_agree():
    """An element may be rounded to another code where a sum has another order, or where a row is split."""
    every = (["--mesh=data=2,tensor=2"], ["--mesh=tensor=3"], ["--mesh=context=2"], ["--microbatches=4"])
    for form, cases in (("bf16", every[:1]), ("f8", every), ("int8", every)):  # which have scales, by row and by block
        want = losses("gpt2", f"--compress={form}", *KEPT)[1]
        for options in cases:
            got = losses("gpt2", f"--compress={form}", "--remat=none", *options)[1]
            assert off(got, want) < 1e-3, (form, options, off(got, want))


def test_with_recomputation():
    for model in ("gpt2", "resnet", "moe"):
        whole = compile_model(model, "--remat=full", "--microbatches=1")["memory"]["residuals"]
        want = losses(model, *KEPT)[1]
        for form, (limit, _) in FORMS.items():
            report, got = losses(model, f"--compress={form}", "--remat=full", "--microbatches=1")
            assert report["memory"]["residuals"] < whole and off(got, want) < limit, (model, form, report["memory"], got, want)


def test_with_narrow_precision():
    whole, want = losses("gpt2", "--precision=bf16", *KEPT)
    for form, share in (("bf16", 1), ("f8", 0.7), ("int8", 0.7)):
        report, got = losses("gpt2", "--precision=bf16", f"--compress={form}", *KEPT)
        assert off(got, want) < 2e-2 and report["memory"]["residuals"] <= share * whole["memory"]["residuals"], (form, got, want)
    # Values of 16 bits have no narrower form there.
    assert losses("gpt2", "--precision=bf16", "--compress=bf16", *KEPT)[1] == want
    losses("mlp", "--precision=f16", "--compress=f8")


def test_all_models_train():
    forms = list(FORMS.items())
    for i, model in enumerate(("mlp", "llama", "moe", "dlrm", "resnet")):
        want = losses(model, "--mesh=data=2")[1]
        for form, (limit, _) in (forms[i % 3], forms[(i + 1) % 3]):
            got = losses(model, "--mesh=data=2", "--remat=none", f"--compress={form}")[1]
            assert off(got, want) < limit, (model, form, off(got, want))


def chain(widths):
    """A loss of ops that every target rounds alike, whose residuals have rows of these widths."""
    rows, names = 8, [f"w{i}" for i in range(len(widths) - 1)]
    matrix = lambda *shape: f"tensor<{'x'.join(map(str, shape))}xf32>"
    shapes = list(zip(widths, widths[1:]))
    arguments = [f'%{n}: {matrix(*s)} loc("params[\'{n}\']")' for n, s in zip(names, shapes)] + [f'%x: {matrix(rows, widths[0])} loc("batch[\'x\']")']
    text, v = "", "%x"
    for n, (_, width) in zip(names, shapes):
        t = matrix(rows, width)
        text += f"""    %d{n} = stablehlo.dot_general {v}, %{n}, contracting_dims = [1] x [0] : ({matrix(rows, _)}, {matrix(_, width)}) -> {t}
    %a{n} = stablehlo.abs %d{n} : {t}
    %s{n} = stablehlo.sqrt %a{n} : {t}
    %m{n} = stablehlo.multiply %s{n}, %d{n} : {t}
"""
        v = f"%m{n}"
    text += f"""    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.reduce({v} init: %z) applies stablehlo.add across dimensions = [0, 1] : ({t}, tensor<f32>) -> tensor<f32>
    return %r : tensor<f32>
"""
    with open(path("chain.mlir"), "w") as f:
        f.write(f'func.func @main({", ".join(arguments)}) -> tensor<f32> {{\n{text}}}\n')
    draw = random.Random(5)
    normal = lambda scale, *shape: ("F32", list(shape), [draw.gauss(0, scale) for _ in range(math.prod(shape))])
    write_safetensors(path("chain.params"), {n: normal(0.2, *s) for n, s in zip(names, shapes)})
    write_safetensors(path("chain.batches"), {"x": normal(1, 3, rows, widths[0])})
    return path("chain.mlir")


def test_targets_agree_in_bits():
    """Rows that are short, of one block, of several, and of several and a rest."""
    source = chain([40, 33, 7, 64, 8, 100, 32])
    for form in FORMS:
        for mesh in ("1", "data=2", "tensor=2", "tensor=3"):
            logs = []
            for target in ("cpu", "reference"):
                call("zcc", source, f"--target={target}", f"--mesh={mesh}", f"--compress={form}", "--remat=none", "-o", path("chain.zexe"), "--quiet",
                     "--report", path("chain.json"))
                call("zrun", path("chain.zexe"), "--params", path("chain.params"), "--batches", path("chain.batches"), "--steps", 3, "--log", path("log"),
                     "--save-params", path("chain.new"), "--lr=0.01")
                with open(path("log")) as f:
                    lines = [json.loads(line) for line in f][1:]
                logs.append(([(line["loss"], line["grad_norm"]) for line in lines], {k: v[2] for k, v in read_safetensors(path("chain.new")).items()}))
            with open(path("chain.json")) as f:
                assert any(own["form"] == form for own in json.load(f)["compressed"]), form
            assert logs[0] == logs[1], (form, mesh, logs[0][0], logs[1][0])


def test_the_reference_backend_agrees():
    for form in FORMS:
        got, want = (losses("mlp", f"--target={target}", f"--compress={form}")[1] for target in ("cpu", "reference"))
        assert off(got, want) < 1e-3, (form, off(got, want))


def test_evaluation_keeps_nothing():
    call("zcc", model_text("gpt2"), "--optimizer=forward", "-o", path("a.zexe"), "--quiet")
    call("zcc", model_text("gpt2"), "--optimizer=forward", "--compress=f8", "-o", path("b.zexe"), "--quiet")
    with open(path("a.zexe"), "rb") as a, open(path("b.zexe"), "rb") as b:
        assert a.read() == b.read()


def test_phases_can_be_resumed():
    phases = ["graph", "step", "sharded", "partitioned", "tasks", "scheduled", "planned"]
    options = ["--mesh=data=2", "--compress=int8"]
    compile_model("mlp", *options, exe="whole.zexe")
    with open(path("whole.zexe"), "rb") as f:
        want = f.read()
    for phase in phases:
        call("zcc", model_text("mlp"), *options, f"--compile-to={phase}", "-o", path("text.mlir"), "--quiet")
        more = [] if phase in phases[2:] else ["--compress=int8"]  # from `sharded` on the text has it
        mesh = [] if phase in phases[2:] else ["--mesh=data=2"]
        call("zcc", path("text.mlir"), f"--compile-from={phase}", *mesh, *more, "-o", path("resumed.zexe"), "--quiet")
        with open(path("resumed.zexe"), "rb") as f:
            assert f.read() == want, phase
    call("zcc", model_text("mlp"), *options, "--compile-to=tasks", "-o", path("text.mlir"), "--quiet")
    refused("zcc", path("text.mlir"), "--compile-from=tasks", "--compress=f8", "-o", path("x.zexe"), says="contradicts 'int8'")


def test_auto_is_bf16_where_nothing_else_fits():
    options = ["--microbatches=1"]

    def least_of(form):
        """The least memory that is reached by asking for less and less."""
        peak, budget = 0, compile_model("gpt2", "--remat=full", f"--compress={form}", *options)["memory"]["peak"]
        while True:
            p = subprocess.run([os.path.join(BIN, "zcc"), model_text("gpt2"), f"--compress={form}", f"--memory={budget}", *options, "-o", path("x.zexe"), "--quiet",
                                "--report", path("least.json")], capture_output=True, text=True)
            if p.returncode:
                assert p.returncode == 2 and "more than the budget" in p.stderr, p.stderr[-400:]
                return peak
            with open(path("least.json")) as f:
                peak = json.load(f)["memory"]["peak"]
            budget = peak - 4096

    least, narrow = least_of("none"), least_of("bf16")
    assert narrow < least
    want = losses("gpt2", *options)[1]
    # With enough memory nothing is compressed.
    report, got = losses("gpt2", "--compress=auto", f"--memory={least}", *options)
    assert got == want and "compressed" not in report
    budget = (least + 2 * narrow) // 3
    assert narrow < budget < least - 4096
    report, got = losses("gpt2", "--compress=auto", f"--memory={budget}", "--plan-out", path("auto.plan"), *options)
    assert report["memory"]["peak"] <= budget and report["compressed"][0]["form"] == "bf16" and off(got, want) < 1e-3, report["memory"]
    with open(path("auto.plan")) as f:
        assert 'compress: "bf16"' in f.read()
    compile_model("gpt2", "--plan", path("auto.plan"), f"--memory={budget}", exe="again.zexe")
    with open(path("model.zexe"), "rb") as a, open(path("again.zexe"), "rb") as b:
        assert a.read() == b.read()
    refused("zcc", model_text("gpt2"), "--compress=none", f"--memory={budget}", *options, "-o", path("x.zexe"), "--quiet", says="more than the budget")
    refused("zcc", model_text("gpt2"), "--plan", path("auto.plan"), "--compress=f8", "-o", path("x.zexe"), "--quiet", says="the plan has bf16")


def test_explained():
    out, _ = call("zcc", model_text("gpt2"), "--compress=f8", "--compile-to=tasks", "-o", path("t.mlir"), "--quiet", "--report", path("r.json"))
    with open(path("t.mlir")) as f:
        name = f.read().split("format = #dist.format<f8>")[1].split('value = "')[1].split('"')[0]
    out, _ = call("zcc", model_text("gpt2"), "--compress=f8", *KEPT, "-o", path("x.zexe"), "--explain", name)
    assert "kept for the backward pass as f8: " in out and "compressed " in out, out[-2000:]


run(globals())
