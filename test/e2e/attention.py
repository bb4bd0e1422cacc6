# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in the spellings of JAX is one op, computes what the text says, and goes round the ring."""
import array
import random

from harness import *

SPELLINGS = ("biases", "where", "logarithm", "constant", "number", "slope")
OPS = os.path.join(DATA, "ops")


def step(text, shapes, inputs, *options):
    """Loss and gradients of one step; 12 positions, a row of 5 of them and one that sees none."""
    numbers = random.Random(1)
    normal = lambda *shape: ("F32", list(shape), [numbers.gauss(0, 0.7) for _ in range(math.prod(shape))])
    write_safetensors(path("params"), {name: normal(*shape) for name, shape in shapes.items()})
    batches = {"x": normal(1, 2, 12, 6), "len": ("I32", [1, 2], [5, 0]), "key": ("U32", [1, 2], [3, 4])}
    write_safetensors(path("batches"), {name: batches[name] for name in inputs})
    call("zcc", os.path.join(OPS, text), "-o", path("x.zexe"), "--quiet", "--report", path("report.json"), *options)
    call("zrun", path("x.zexe"), "--params", path("params"), "--batches", path("batches"), "--steps", 1, "--log", path("log"),
         "--save-grads", path("grads"))
    with open(path("log")) as f:
        loss = json.loads(f.readlines()[1])["loss"]
    with open(path("report.json")) as f:
        kinds = {c["kind"] for c in json.load(f)["collectives"]}
    return loss, {k: array.array("f", v[2]) for k, v in read_safetensors(path("grads")).items()}, kinds


def count(text):
    call("zcc", os.path.join(OPS, text), "--compile-to=graph", "--quiet", "-o", path("x.mlir"))
    with open(path("x.mlir")) as f:
        return f.read().count("= train.attention ")


def compare(got, want, limit):
    assert off([got[0]], [want[0]]) <= limit, (got[0], want[0])
    for k, values in want[1].items():
        error = math.dist(got[1][k], values) / math.hypot(*values)
        assert error <= 5 * limit, f"the gradient of {k} is off by {error:.1e}"


def test_spellings():
    """Biases, jax.nn.softmax(where=), logsumexp, a mask in the text (a constant of more than 100 predicates), 1 - mask, ALiBi."""
    assert count("spellings.mlir") == len(SPELLINGS)
    shapes = {f"{s}.{n}": (6, 2, 4) for s in SPELLINGS for n in "qkv"}
    shapes["bias"] = (2, 12, 12)
    arguments = ("spellings.mlir", shapes, ("x", "len"))
    want = step(*arguments, "--disable=attention")
    compare(step(*arguments), want, 1e-6)
    got = step(*arguments, "--mesh=context=2")
    compare(got, want, 1e-6)
    assert "permute" in got[2], got[2]


def test_dropout():
    """Weights are dropped in the kernel, by positions in the whole: in Flax's words, in PyTorch's decomposition (batches and heads
    merged, rows without keys 0), with the sequence first, and one mask and one bias for two layers."""
    assert count("dropout.mlir") == 5
    shapes = {f"{s}.{n}": (6, 2, 4) for s in ("flat", "flax", "sdpa", "shared") for n in "qkv"}
    shapes["shared.bias"] = (2, 12, 12)
    arguments = ("dropout.mlir", shapes, ("x", "len", "key"), "--not-batched=key")
    want = step(*arguments, "--disable=attention")
    one = step(*arguments)
    compare(one, want, 1e-6)
    assert step(*arguments, "--disable=fuse")[:2] == one[:2]
    for options in (["--mesh=data=2"], ["--mesh=tensor=2"], ["--mesh=context=2"], ["--microbatches=2"], ["--mesh=data=2,tensor=2", "--zero=3"]):
        compare(step(*arguments, *options), one, 2e-6)


def test_sinks_and_views():
    """A sink as a column and as one more in the sum, learned queries, PyTorch's rows of -inf, and a bias by window."""
    assert count("sinks.mlir") == 5
    shapes = {f"{s}.{n}": (6, 2, 4) for s in ("column", "added", "learned", "safe", "window") for n in "qkv"}
    shapes |= {"column.z": (2,), "added.z": (2,), "learned.q": (12, 2, 4), "window.bias": (3, 4, 4)}
    arguments = ("sinks.mlir", shapes, ("x", "len"))
    want = step(*arguments, "--disable=attention")
    one = step(*arguments)
    compare(one, want, 1e-6)
    compare(step(*arguments, "--target=reference"), want, 1e-6)
    for options in (["--mesh=data=2"], ["--mesh=tensor=2"], ["--mesh=context=2"], ["--microbatches=2"]):
        compare(step(*arguments, *options), one, 2e-6)


def test_16_bits():
    """Products in bf16 around a softmax in f32: scores and weights stay in f32."""
    assert count("spellings-bf16.mlir") == 1
    arguments = ("spellings-bf16.mlir", {n: (6, 2, 4) for n in "qkv"}, ("x",))
    want = step(*arguments, "--disable=attention")
    got = step(*arguments)
    compare(got, want, 1e-2)
    ring = step(*arguments, "--mesh=context=2")
    compare(ring, got, 2e-3)
    # The all-gather folds the sequence of an input.
    assert ring[2] == {"permute", "all-reduce", "all-gather"}, ring[2]


def test_what_is_left_is_told():
    with open(os.path.join(OPS, "spellings-bf16.mlir")) as f:
        text = f.read()
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if "stablehlo.exponential" in line)
    name, operand = lines[at].split(" = ")[0].strip(), lines[at].split("stablehlo.exponential ")[1].split()[0]
    kind = lines[at].split(" : ")[1]
    lines.insert(at, f"    %capped = stablehlo.tanh {operand} : {kind}")
    lines[at + 1] = f"    {name} = stablehlo.exponential %capped : {kind}"
    with open(path("left.mlir"), "w") as f:
        f.write("\n".join(lines))
    call("zcc", path("left.mlir"), "--quiet", "-o", path("x.zexe"), "--report", path("report.json"))
    with open(path("report.json")) as f:
        attention = json.load(f)["attention"]
    assert attention["recognized"] == 0 and [left["op"] for left in attention["left"]] == ["train.tanh"], attention
    warning = "this attention is computed as products and a softmax, with keys and values gathered over context"
    for options, told in (([], False), (["--mesh=data=2"], False), (["--mesh=context=2"], True)):
        _, said = call("zcc", path("left.mlir"), "--quiet", "-o", path("x.zexe"), *options)
        assert (warning in said) == told, said


run(globals())
