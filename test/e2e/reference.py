# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target `reference`: whole programs agree with `cpu`, with every way of moving data in and out."""
from harness import *

STEPS = 3


def both(model, *options, precision="f32"):
    """Losses of the targets, on the same plan."""
    losses = {}
    for target in ("cpu", "reference"):
        compile_model(model, f"--target={target}", f"--precision={precision}", *options)
        losses[target] = [line["loss"] for line in train(model, steps=STEPS)[1]]
    error = off(losses["reference"], losses["cpu"])
    bar = 1e-5 if precision == "f32" else 2e-2
    assert error <= bar, f"{model} {precision} {options}: losses off by {error:.1e}, bar {bar:.0e}"


def test_agrees_on_many_meshes():
    both("mlp", "--mesh=data=3", "--microbatches=2", "--zero=2")
    both("gpt2-masked", "--mesh=data=2,tensor=2", "--zero=3", "--microbatches=2")
    both("moe", "--mesh=expert=2,data=2", "--optimizer=sgd")


def test_agrees_in_sixteen_bits():
    both("gpt2-dropout", "--mesh=data=2", precision="bf16")
    both("llama", "--mesh=tensor=2", "--zero=1", precision="f16")


def test_a_ring_goes_round():
    both("llama", "--mesh=context=2")


def test_weights_go_in_and_out():
    compile_model("mlp", "--mesh=data=2", "--zero=3", "--target=reference")
    train("mlp", "--save-params", path("whole.safetensors"), "--save-grads", path("grads.safetensors"), steps=STEPS)
    train("mlp", "--checkpoint", path("saved"), "--checkpoint-every", "2", steps=2)
    train("mlp", "--checkpoint", path("saved"), "--resume", "--save-params", path("resumed.safetensors"), steps=STEPS)
    whole, resumed = (read_safetensors(path(f"{name}.safetensors")) for name in ("whole", "resumed"))
    assert whole == resumed, "a run that was resumed ends with other parameters"
    compile_model("mlp", "--mesh=1", "--target=cpu")
    train("mlp", "--save-grads", path("cpu-grads.safetensors"), steps=1)
    grads, other = (read_safetensors(path(f"{name}.safetensors")) for name in ("grads", "cpu-grads"))
    for name, (_, _, data) in other.items():
        a, b = (array.array("f", x) for x in (grads[name][2], data))
        limit = max(map(abs, b))
        assert all(abs(x - y) <= 1e-5 * limit for x, y in zip(a, b)), f"gradient of {name}"


def test_says_what_it_is():
    compile_model("mlp", "--target=reference")
    out, _ = call("zrun", path("model.zexe"), "--check")
    assert "target" in out and "reference" in out and "programs" in out, out


run(globals())
