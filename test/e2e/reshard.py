# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Annotations that force reshards of every kind train what one device trains."""
from harness import *


def kinds(model, *options):
    report = compile_model(model, *options)
    return {entry["kind"] for entry in report["collectives"]}


def check(model, *options):
    found = kinds(model, *options)
    check_parity(model, *options, limit=2e-6)
    return found


# Two dims change places, so boxes of equal size change devices.
def test_permutations():
    assert "permute" in check(
        "llama", "--mesh=x=2,y=2", "--shard=layers.wq=-,x,y,-", "--shard=layers.wo=-,y,-,x",
        "--shard=layers.up=-,y,x", "--shard=layers.down=-,x,y")


# Axes in the order against the mesh's, and experts over both.
def test_exchanges():
    found = check("moe", "--mesh=x=2,y=2", "--shard=*.wi=x+y,-,-", "--shard=*.wout=y,-,x",
                  "--shard=*.wqkv=-,y,x,-", "--shard=head=y+x,-")
    assert {"permute", "all-to-all"} <= found, found


# Sizes that do not divide, on axes of two sizes.
def test_unequal_axes():
    check("gpt2", "--mesh=x=2,y=3", "--shard=*.mlp.wi=y,x", "--shard=*.mlp.wo=x,y", "--shard=*.attn.bqkv=y,-,x")


run(globals())
