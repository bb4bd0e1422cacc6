# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention over a sequence that devices share: keys and values go round a ring, or are gathered."""
import array

from harness import *

MODELS = ("gpt2", "llama", "moe")


def attentions(*options):
    """One step of data/ops/ring.mlir: a bias, a window and shared keys, masks by query and key, rows that see nothing; the
    sequence has 22 elements. Compares loss, norm and gradients with float64."""
    ops = os.path.join(DATA, "ops")
    with open(os.path.join(ops, "reference.json")) as f:
        case = json.load(f)["ring"]
    write_safetensors(path("params"), case["parameters"])
    write_safetensors(path("batches"), {k: (kind, [1, *shape], values) for k, (kind, shape, values) in case["inputs"].items()})
    call("zcc", os.path.join(ops, "ring.mlir"), "-o", path("x.zexe"), "--quiet", "--report", path("report.json"), *options)
    call("zrun", path("x.zexe"), "--params", path("params"), "--batches", path("batches"), "--steps", 1, "--log", path("log"),
         "--save-grads", path("grads"))
    with open(path("log")) as f:
        line = json.loads(f.readlines()[1])
    assert off([line["loss"]], [case["loss"]]) <= 1e-5, f"{options}: loss {line['loss']}"
    got, norm = read_safetensors(path("grads")), 0
    for k, want in case["gradients"].items():
        error = math.dist(array.array("f", got[k][2]), want) / math.hypot(*want)
        assert error <= 2e-6, f"{options}: the gradient of {k} is off by {error:.1e}"
        norm += math.hypot(*want) ** 2
    assert off([line["grad_norm"]], [norm ** 0.5]) <= 2e-6, f"{options}: norm {line['grad_norm']}"
    with open(path("report.json")) as f:
        return json.load(f)


def test_every_mask_on_even_and_uneven_shards():
    # Over 12 devices the last one has no element, over 27 the last five; queries there see no key at all.
    for n in (2, 3, 4, 12, 27):
        report = attentions(f"--mesh=context={n}")
        assert {"permute"} <= {c["kind"] for c in report["collectives"]}, n
    attentions("--mesh=data=2,context=3")
    attentions("--mesh=tensor=2,context=2")
    attentions("--mesh=context=3", "--microbatches=2")
    attentions("--mesh=context=3", "--remat=full")
    attentions("--mesh=ring=3", "--shard=x=-,ring,-")


def test_switched_off():
    for option in ("--disable=ring", "--exact"):
        report = attentions("--mesh=context=3", option)
        assert "permute" not in {c["kind"] for c in report["collectives"]}, option


def losses(model, *options, steps=3):
    report = compile_model(model, *options)
    head, lines = train(model, steps=steps)
    assert head["planned_bytes"] == head["allocated_bytes"], head
    return [(line["loss"], line["grad_norm"]) for line in lines], report


def check(model, want, *options, limit=1e-5, steps=3):
    got, report = losses(model, *options, steps=steps)
    for part, name in enumerate(("loss", "gradient norm")):
        error = off([line[part] for line in got], [line[part] for line in want])
        assert error <= limit * (1, 20)[part], f"{model} {options}: {name} off by {error:.1e}"
    return got, report


def rings(report):
    return [c for c in report["collectives"] if "pass by every device" in c["why"]]


def test_folded():
    """Under a causal mask each device has two stripes of the sequence; losses of 20 steps are one device's."""
    for model in MODELS:
        want, _ = losses(model, steps=20)
        for options in (["--mesh=context=4"], ["--mesh=pipe=2,context=2", "--microbatches=2"], ["--mesh=context=2"],
                        ["--mesh=data=2,context=2", "--zero=3", "--microbatches=2"], ["--mesh=tensor=2,context=2", "--zero=1"])[:5 if model == "gpt2" else 2]:
            _, report = check(model, want, *options, steps=20)
            found = rings(report)
            assert found and all(c["why"].endswith("which has two stripes of the sequence") for c in found), (model, options, {c["why"] for c in found})


def test_not_folded():
    """128 elements are no 6 equal stripes. Nothing is said or moved if folding is off, or if attention is not causal."""
    reasons = {c["why"] for c in rings(compile_model("gpt2", "--mesh=context=3"))}
    assert all(why.endswith("half of the work is masked, as its 128 elements are no 6 equal stripes") for why in reasons), reasons
    plain = compile_model("gpt2", "--mesh=context=4", "--disable=fold-sequences")
    assert not any("stripes" in c["why"] for c in plain["collectives"])


def test_models():
    for model in MODELS:
        want, _ = losses(model)
        for mesh in ("context=2", "context=3", "context=4", "data=2,context=2"):
            check(model, want, f"--mesh={mesh}")
        check(model, want, "--mesh=context=2", "--microbatches=2")
        check(model, want, "--mesh=tensor=2,context=2", "--zero=3")
        kept, _ = losses(model, "--mesh=context=3")
        again, _ = losses(model, "--mesh=context=3", "--remat=full")
        assert kept == again, f"{model}: what is computed again has other bits"


def test_16_bits():
    for precision in ("bf16", "f16"):
        want, _ = losses("gpt2", f"--precision={precision}")
        check("gpt2", want, f"--precision={precision}", "--mesh=context=3", limit=2e-3)


def test_volumes_and_memory():
    """Per layer each device passes on K and V n - 1 times in both directions, their sums n times; nothing is gathered."""
    n, layers, block = 4, 4, 8 * 32 * 4 * 32 * 4  # rows, sequence a device, heads, depth, bytes
    report = compile_model("gpt2", f"--mesh=context={n}")
    found = [c for c in report["collectives"] if c["what"] == "activation" and c["value"] not in ("x", "y")]
    assert {c["kind"] for c in found} == {"permute"}, found
    for tasks, times in (("forward", [n - 1] * 2), ("backward", [n - 1] * 2 + [n] * 2)):
        entries = [c for c in found if c["tasks"] == tasks]
        assert sorted(c["times"] for c in entries) == sorted(times * layers), entries
        assert {c["bytes"] for c in entries} == {block} and {tuple(c["axes"]) for c in entries} == {("context",)}, entries
    gathered = compile_model("gpt2", f"--mesh=context={n}", "--disable=ring")
    sent = lambda r: sum(c["bytes"] * c["times"] for c in rings(r))
    received = sum(c["bytes"] * (n - 1) // n for c in gathered["collectives"] if c["what"] == "activation")
    assert sent(report) <= received + 2 * layers * block, (sent(report), received)  # sums come home
    assert report["memory"]["peak"] < gathered["memory"]["peak"], (report["memory"], gathered["memory"])


def test_programs_do_not_grow_with_the_ring():
    sizes = []
    for n in (4, 8, 16):
        call("zcc", model_text("gpt2"), "--mesh", f"context={n}", "--compile-to=scheduled", "--quiet", "-o", path("x.mlir"))
        with open(path("x.mlir")) as f:
            sizes.append(sum("exec." in line for line in f))
    assert sizes[0] == sizes[1] == sizes[2], sizes


def test_phases_resume():
    call("zcc", model_text("gpt2"), "--mesh=context=3", "--quiet", "-o", path("whole.zexe"))
    for phase in ("sharded", "partitioned", "tasks", "scheduled", "planned"):
        call("zcc", model_text("gpt2"), "--mesh=context=3", "--quiet", f"--compile-to={phase}", "-o", path("x.mlir"))
        call("zcc", path("x.mlir"), f"--compile-from={phase}", "--quiet", "-o", path("resumed.zexe"))
        with open(path("whole.zexe"), "rb") as a, open(path("resumed.zexe"), "rb") as b:
            assert a.read() == b.read(), f"resumed from {phase}, the program is another"


run(globals())
