# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of test/data on meshes of named axes train what they do on one device."""
from harness import *


def losses(model, *options, steps=3):
    compile_model(model, *options)
    head, lines = train(model, steps=steps)
    assert head["planned_bytes"] == head["allocated_bytes"], head
    return [(line["loss"], line["grad_norm"]) for line in lines]


def check(model, *meshes, options=(), limit=5e-6, steps=3):
    want = losses(model, *options, steps=steps)
    for mesh in meshes:
        got = losses(model, *mesh.split(), *options, steps=steps)
        for part, name in enumerate(("loss", "gradient norm")):
            error = off([line[part] for line in got], [line[part] for line in want])
            assert error <= limit * (1, 20)[part], f"{model} {mesh} {options}: {name} off by {error:.1e}"


def test_transformers():
    check("gpt2", "--mesh=tensor=2", "--mesh=data=2,tensor=2", "--mesh=context=2")
    check("llama", "--mesh=tensor=2", "--mesh=data=2,tensor=2", "--mesh=context=2")


def test_uneven():
    # Rows, heads, the vocabulary and the hidden dim do not divide.
    for model in ("mlp", "gpt2", "llama", "dlrm"):
        check(model, "--mesh=data=3", "--mesh=tensor=3")


def test_experts():
    check("moe", "--mesh=expert=2", "--mesh=data=2,expert=2", "--mesh=expert=3", "--mesh=tensor=2", "--mesh=data=2,tensor=2 --fold=expert=data+tensor",
          "--mesh=expert=2,tensor=2 --fold=expert=tensor")


def test_images():
    # Statistics of the whole batch, whose rows do not divide either.
    check("resnet", "--mesh=data=3", "--mesh=tensor=2", limit=5e-5, steps=2)


def test_annotations():
    check("gpt2", "--mesh=a=2,b=2 --shard=x=a,b --shard=y=a,b --shard=wte=b,- --shard=blocks.*.mlp.wi=-,b+a", steps=2)
    check("mlp", "--mesh=data=2,model=2 --shard=*w?=model,-", steps=2)


def test_parts_of_axes():
    """The same axis shards two dims: its major half one, its minor half the other."""
    check("gpt2", "--mesh=x=4 --shard=x=x:(1)2,- --shard=y=x:(1)2,- --shard=wte=x:(2)2,- --shard=blocks.*.mlp.wi=-,x:(2)2", steps=2)
    check("gpt2", "--mesh=data=2,tensor=4 --shard=wte=-,tensor:(2)2", "--mesh=data=4 --zero=3 --zero-axes=data:(2)2", steps=2)


def test_zero_stages_give_the_same_bits():
    for model, mesh in (("gpt2", "data=2"), ("mlp", "data=3"), ("dlrm", "data=2,tensor=2"), ("llama", "data=2,tensor=2")):
        want = None
        for stage in range(4):
            got = losses(model, f"--mesh={mesh}", f"--zero={stage}")
            assert want in (None, got), f"{model} {mesh}: stage {stage} gives {got}, stages before {want}"
            want = got


def test_microbatches():
    check("gpt2", "--microbatches=2", "--microbatches=3 --mesh=data=2 --zero=3")
    check("gpt2-masked", "--microbatches=3", "--microbatches=2 --mesh=tensor=2")
    check("mlp", "--microbatches=3 --mesh=data=3")


run(globals())
