# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workers that are late at random compute the same, on every stream. By hand, all of it under the thread sanitizer:

    ./check --sanitize thread    (or only: cmake --preset thread; ninja -C build-thread zrun)
    python3 test/e2e/delays.py build-thread/bin twenty_seeds twenty_seeds_on_reference

The sanitizer sees the memory that kernels touch on the reference backend alone, which also works its queues in
random orders.
"""
from harness import *


def check(name, seeds, target="cpu"):
    model, *options = ON_STREAMS[name]
    compile_model(model, *options, slow_machine(), f"--target={target}")
    want = None
    for seed in [None, *seeds]:
        _, lines = train(model, "--threads", 2, *([] if seed is None else ["--random-delays", seed]), steps=3)
        got = [(line["loss"], line["grad_norm"]) for line in lines]
        want = want or got
        assert len(got) == 3 and got == want, f"{name}, seed {seed}: {got}, without delays {want}"


def test_overlap():
    check("overlap", range(2))


def test_zero_3():
    check("ZeRO 3, gathered", range(2))


def test_microbatches():
    check("microbatches", range(2))


def test_rings():
    check("ring", range(2))


def test_microbatches_on_reference():
    check("microbatches", range(2), "reference")


def twenty_seeds():
    for name in ON_STREAMS:
        check(name, range(20))
        print(f"{name}: 20 seeds", flush=True)


def twenty_seeds_on_reference():
    for name in ON_STREAMS:
        check(name, range(20), "reference")
        print(f"{name}: 20 seeds on reference", flush=True)


run(globals())
