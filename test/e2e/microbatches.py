# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Microbatches train what the whole batch does, and computing again changes no bit."""
import random

from harness import *


def check(model, *options, steps=5):
    """Reports of the compilations without and with recomputation, which give the same bits."""
    compile_model(model, "--microbatches=1", *options)
    _, one = train(model, steps=steps)
    want, reports = None, []
    for remat in ("none", "full"):
        reports.append(compile_model(model, "--microbatches=2", f"--remat={remat}", *options))
        head, got = train(model, steps=steps)
        assert head["planned_bytes"] == head["allocated_bytes"], head
        got = [(line["loss"], line["grad_norm"]) for line in got]
        assert want in (None, got), f"{model} {options}: recomputation changes bits: {want}, {got}"
        want = got
    error = off([loss for loss, _ in want], [line["loss"] for line in one])
    limit = 5e-6 if "--precision=bf16" not in options else 2e-3
    assert error <= limit, f"{model} {options}: off by {error:.1e}"
    return reports


def test_losses_and_residuals():
    for model in ("mlp", "dlrm", "llama"):
        check(model)
    none, full = check("gpt2")
    compiled = compile_model("gpt2", "--microbatches=1", "--remat=none")
    one = compiled["memory"]["residuals"]
    assert none["memory"]["residuals"] <= 0.55 * one, (none["memory"], one)
    assert full["memory"]["residuals"] <= 0.15 * one, (full["memory"], one)


def test_sharded_state():
    check("gpt2", "--mesh=data=2", "--zero=3")


def test_bf16():
    check("gpt2", "--precision=bf16")


def test_a_seed_and_the_rows_of_the_whole_batch():
    # The dropout's bits follow from the seed, which every microbatch reads, and from the row in the whole batch.
    check("gpt2-dropout")


def test_schedules():
    """The order of tasks changes no bit: with gpipe residuals of all microbatches live at once, as planned."""
    for options, steps in ((("--microbatches=4",), 5), (("--microbatches=3", "--mesh=data=2", "--zero=2", "--precision=bf16"), 3)):
        want, residuals = None, {}
        for schedule in ("1f1b", "gpipe", "auto"):
            report = compile_model("gpt2", f"--schedule={schedule}", *options)
            assert report["schedule"] == ("1f1b" if schedule == "auto" else schedule), report["schedule"]
            head, got = train("gpt2", "--save-params", path("trained.safetensors"), steps=steps)
            assert head["planned_bytes"] == head["allocated_bytes"] == [report["memory"]["peak"]] * head["ranks"], (head, report["memory"])
            residuals[schedule] = report["memory"]["residuals"]
            with open(path("trained.safetensors"), "rb") as f:
                got = [(line["loss"], line["grad_norm"]) for line in got], f.read()
            assert want in (None, got), f"{schedule} {options} changes bits"
            want = got
        count = report["microbatches"]
        assert residuals["auto"] == residuals["1f1b"], residuals
        assert (count - 0.1) * residuals["1f1b"] <= residuals["gpipe"] <= count * residuals["1f1b"], residuals


def test_a_thousand_microbatches_at_once():
    report = compile_model("gpt2", "--microbatches=1024", "--schedule=gpipe", "--memory=8GB")
    memory = report["memory"]
    assert memory["lower_bound"] > 1000 * (memory["residuals"] // 1024) and memory["peak"] <= 1.002 * memory["lower_bound"], memory
    # Placing each residual alone takes 70 s.
    assert report["compile_seconds"]["planned"] < 20, report["compile_seconds"]


def test_tokens():
    with open(path("tokens"), "wb") as f:
        f.write(bytes(random.Random(3).randrange(256) for _ in range(40000)))
    results = []
    for count in (1, 2):
        compile_model("gpt2", f"--microbatches={count}")
        call("zrun", path("model.zexe"), "--params", os.path.join(DATA, "gpt2", "params.safetensors"), "--tokens", path("tokens"),
             "--token-type", "u8", "--steps", 3, "--log", path("tokens.jsonl"))
        with open(path("tokens.jsonl")) as f:
            results.append([line["loss"] for line in map(json.loads, f) if "step" in line])
    assert len(results[0]) == 3 and off(results[1], results[0]) < 1e-6, results


def expected_losses(w, x, y, m, steps, rate=0.1):
    """Losses of training uneven-microbatches.mlir, and the first gradient."""
    losses, first = [], None
    for s in range(steps):
        loss, total, g = 0, sum(m[s]), [[0.0] * 3 for _ in range(5)]
        for row in range(7):
            xs, ys, weight = x[s][row], y[s][row], m[s][row] / total
            t = [math.tanh(sum(xs[i] * w[i][j] for i in range(5))) for j in range(3)]
            r = [sum(t[j] * w[i][j] for j in range(3)) - xs[i] for i in range(5)]
            d = [t[j] - ys[j] for j in range(3)]
            loss += weight * (sum(v * v for v in d) + sum(v * v for v in r))
            gp = [2 * weight * (d[j] + sum(r[i] * w[i][j] for i in range(5))) * (1 - t[j] ** 2) for j in range(3)]
            for i in range(5):
                for j in range(3):
                    g[i][j] += 2 * weight * r[i] * t[j] + xs[i] * gp[j]
        w = [[w[i][j] - rate * g[i][j] for j in range(3)] for i in range(5)]
        first = first or g
        losses.append(loss)
    return losses, first, w


def test_uneven_parts_and_a_survey():
    draw, steps = random.Random(7), 6
    numbers = lambda rows, width: [[draw.gauss(0, 0.5) for _ in range(width)] for _ in range(rows)]
    w, x, y = numbers(5, 3), [numbers(7, 5) for _ in range(steps)], [numbers(7, 3) for _ in range(steps)]
    m = [[float(draw.randrange(3) + (row == 0)) for row in range(7)] for _ in range(steps)]
    flat = lambda v: [e for part in v for e in flat(part)] if isinstance(v, list) else [v]
    write_safetensors(path("params.safetensors"), {"w": ("F32", [5, 3], flat(w))})
    write_safetensors(path("batches.safetensors"), {"x": ("F32", [steps, 7, 5], flat(x)), "y": ("F32", [steps, 7, 3], flat(y)), "m": ("F32", [steps, 7], flat(m))})
    losses, gradient, weights = expected_losses(w, x, y, m, steps)
    want = None
    for remat in ("none", "full"):
        call("zcc", os.path.join(HERE, "uneven-microbatches.mlir"), "--compile-from=partitioned", "-o", path("uneven"), "--quiet",
             f"--remat={remat}", "--optimizer=none", "--report", path("report.json"))
        call("zrun", path("uneven"), "--params", path("params.safetensors"), "--batches", path("batches.safetensors"), "--steps", steps,
             "--log", path("uneven.jsonl"), "--save-params", path("uneven.params"), "--save-grads", path("uneven.grads"))
        with open(path("uneven.jsonl")) as f:
            got = [line["loss"] for line in map(json.loads, f) if "step" in line]
        assert off(got, losses) < 1e-6, (got, losses)
        for file, values in (("uneven.params", weights), ("uneven.grads", gradient)):
            dtype, shape, data = read_safetensors(path(file))["w"]
            error = max(abs(a - b) for a, b in zip(struct.unpack("<15f", data), flat(values)))
            assert shape == [5, 3] and error < 1e-6, (file, shape, error)
        assert want in (None, got), "recomputation changed bits"
        want = got


METRICS = """
module {
  func.func public @main(%w: tensor<4x3xf32> loc("params['w']"), %x: tensor<10x4xf32> loc("batch['x']"), %k: tensor<10xi32> loc("batch['k']"))
      -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]['largest']"},
          tensor<f32> {jax.result_info = "result[1]['least']"}, tensor<f32> {jax.result_info = "result[1]['product']"},
          tensor<f32> {jax.result_info = "result[1]['all']"}, tensor<f32> {jax.result_info = "result[1]['key']"}) {
    %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<10x4xf32>, tensor<4x3xf32>) -> tensor<10x3xf32>
    %squares = stablehlo.multiply %h, %h : tensor<10x3xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %loss = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x3xf32>, tensor<f32>) -> tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %largest = stablehlo.reduce(%h init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<10x3xf32>, tensor<f32>) -> tensor<f32>
    %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %least = stablehlo.reduce(%h init: %high) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<10x3xf32>, tensor<f32>) -> tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %product = stablehlo.reduce(%h init: %one) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<10x3xf32>, tensor<f32>) -> tensor<f32>
    %bound = stablehlo.constant dense<-100.0> : tensor<10x3xf32>
    %above = stablehlo.compare GT, %h, %bound : (tensor<10x3xf32>, tensor<10x3xf32>) -> tensor<10x3xi1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %every = stablehlo.reduce(%above init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<10x3xi1>, tensor<i1>) -> tensor<i1>
    %all = stablehlo.convert %every : (tensor<i1>) -> tensor<f32>
    %first = stablehlo.constant dense<-2147483648> : tensor<i32>
    %last = stablehlo.reduce(%k init: %first) applies stablehlo.maximum across dimensions = [0] : (tensor<10xi32>, tensor<i32>) -> tensor<i32>
    %key = stablehlo.convert %last : (tensor<i32>) -> tensor<f32>
    return %loss, %largest, %least, %product, %all, %key : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
}
"""


def test_outputs_of_the_whole_batch():
    """Extremes and products over rows that the microbatches do not divide, some of which have no row at all."""
    draw, steps = random.Random(5), 3
    write_safetensors(path("params.safetensors"), {"w": ("F32", [4, 3], [draw.gauss(0, 1) for _ in range(12)])})
    write_safetensors(path("batches.safetensors"), {"x": ("F32", [steps, 10, 4], [draw.uniform(0.5, 1.5) for _ in range(steps * 40)]),
                                                    "k": ("I32", [steps, 10], [-draw.randrange(1, 9) for _ in range(steps * 10)])})
    with open(path("metrics.mlir"), "w") as f:
        f.write(METRICS)
    want = None
    for options in ("--microbatches=1",), ("--microbatches=4",), ("--microbatches=4", "--mesh=data=2"), ("--microbatches=8", "--mesh=data=2"):
        call("zcc", path("metrics.mlir"), "-o", path("metrics.zexe"), "--quiet", *options)
        if os.path.exists(path("metrics.jsonl")):
            os.remove(path("metrics.jsonl"))
        call("zrun", path("metrics.zexe"), "--params", path("params.safetensors"), "--batches", path("batches.safetensors"), "--steps", steps,
             "--log", path("metrics.jsonl"))
        with open(path("metrics.jsonl")) as f:
            got = [line for line in map(json.loads, f) if "step" in line]
        want = want or got
        for a, b in zip(got, want):
            error = off([a[name] for name in ("loss", "product")], [b[name] for name in ("loss", "product")])
            assert error < 2e-6, (options, a, b)
            # Parameters have been trained in another order of sums.
            assert off([a[name] for name in ("largest", "least", "all", "key")], [b[name] for name in ("largest", "least", "all", "key")]) < 2e-6, (options, a, b)
    assert all(line["key"] < 0 and line["all"] == 1 for line in want) and len(want) == steps, want


def test_rows_are_padded_for_axes_of_the_batch_alone():
    """An axis without a role that shards parameters only does not divide the batch, whether there are microbatches or not."""
    options = ("--mesh=data=2,model=4", "--shard=blocks.*.mlp.wi=-,model", "--shard=blocks.*.mlp.wo=model,-")
    want = compile_model("gpt2", *options, "--microbatches=1")["flops"]["executed"]
    got = compile_model("gpt2", *options, "--microbatches=4")["flops"]["executed"]
    assert got <= 1.05 * want, f"{got:.3g} operations in microbatches, {want:.3g} without"


run(globals())
