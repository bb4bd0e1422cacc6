# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dims along which ops move are sharded: devices get the edges of their neighbors' shards, and train what one device trains."""
from harness import *

IMAGE = 32 * 8 * 8 * 16 * 4  # bytes of the largest activation of the convolutional network


def gathered(report):
    """Bytes of the largest activation that is gathered or exchanged as a whole."""
    return max((c["bytes"] for c in report["collectives"]
                if c["kind"] in ("all-gather", "all-to-all") and c["what"] == "activation"), default=0)


def halos(report):
    return [c for c in report["collectives"] if "halo" in c["why"]]


def check(*options, limit=1e-5):
    check_parity("resnet", *options, limit=limit)
    return compile_model("resnet", *options)


# Rows of the image: each convolution needs one row of a neighbor at either side.
def test_image_rows():
    report = check("--mesh=space=2", "--shard=image=-,space,-,-")
    assert gathered(report) == 0, report["collectives"]
    exchanges = halos(report)
    assert len(exchanges) >= 8 and all(c["kind"] == "permute" and c["axes"] == ["space"] for c in exchanges), exchanges
    assert max(c["bytes"] for c in exchanges) <= IMAGE // 4, exchanges


# Eight rows over three devices, and four.
def test_rows_that_do_not_divide():
    report = check("--mesh=space=3", "--shard=image=-,space,-,-")
    assert gathered(report) <= IMAGE // 2, report["collectives"]


def test_batch_and_rows():
    report = check("--mesh=data=2,space=2", "--shard=image=data,space,-,-")
    assert gathered(report) == 0, report["collectives"]


# Corners come from the devices across.
def test_rows_and_columns():
    report = check("--mesh=y=2,x=2", "--shard=image=-,y,x,-")
    assert any(c["axes"] == ["y", "x"] for c in halos(report)), report["collectives"]


# The loss reads the sequence a position further on; rotary positions are slices and concatenations.
def test_sequences():
    for model in ("gpt2", "llama"):
        check_parity(model, "--mesh=s=2", "--shard=x=-,s", "--shard=y=-,s", limit=1e-5, steps=5)
        check_parity(model, "--mesh=s=3", "--shard=x=-,s", "--shard=y=-,s", limit=1e-5, steps=5)


# Off, the dim is gathered.
def test_switched_off():
    report = check("--mesh=space=2", "--shard=image=-,space,-,-", "--disable=exchange-halos")
    assert not halos(report), report["collectives"]


run(globals())
