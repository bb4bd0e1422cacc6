# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A refusal states the least memory that works: so many bytes are enough, and a few percent less are not."""
import re

from harness import *

NEEDS = re.compile(r"memory: a device needs [^(]* \((\d+) bytes\)")
LESS = 0.97


def needs(text, memory, *options):
    """None if `memory` bytes do, or what it says."""
    args = [text, "-o", path("least.mlir"), "--compile-to=planned", "--quiet", f"--memory={memory}", *options]
    p = subprocess.run([os.path.join(BIN, "zcc"), *map(str, args)], capture_output=True, text=True, timeout=600)
    assert p.returncode in (0, 2), (options, p.stderr)
    return int(NEEDS.search(p.stderr)[1]) if p.returncode else None


def hold(model, *options):
    text = model_text(model)
    least = needs(text, 1000, *options)
    assert needs(text, least, *options) is None, f"{model} {options}: {least} bytes, which it names, are refused"
    less = needs(text, int(LESS * least), *options)
    assert less is not None, f"{model} {options}: it names {least} bytes, {int(LESS * least)} work"
    assert less <= least, f"{model} {options}: {less} bytes named with more memory, {least} with less"


def test_on_one_device():
    for model in ("gpt2", "gpt2-dropout", "llama", "moe"):
        hold(model)


def test_in_microbatches():
    hold("gpt2", "--microbatches=2")
    hold("llama", "--microbatches=2")


def test_on_several_devices():
    hold("gpt2", "--mesh=data=2")
    hold("gpt2-masked", "--mesh=data=2,tensor=2", "--zero=3")
    hold("moe", "--mesh=data=2", "--zero=3")


def test_where_a_plan_is_chosen():
    hold("gpt2", "--mesh=4", "--machine=h100-dgx")


def test_without_a_choice():
    for remat in ("none", "full"):
        hold("gpt2", f"--remat={remat}")
    hold("llama", "--optimizer=forward")


run(globals())
