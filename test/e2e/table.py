# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of the report is a page, however deep the model is, and its figures are those of the JSON."""
import lzma
import re

from harness import *

LINES, COLUMNS = 45, 120
UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}


def amount(text):
    """"1.20 GB in all" is 1.2e9."""
    number, prefix = re.match(r"([0-9.]+) ([kMGTP]?)(?:B|flop)\b", text).groups()
    return float(number) * UNITS[prefix]


def close(text, exact):
    return abs(amount(text) - exact) <= 0.006 * max(exact, 1)  # three digits


def table(model, *options, to="sharded"):
    """Rows of (name, value) and the report."""
    text = path(model + ".mlir")
    with lzma.open(os.path.join(DATA, model, "loss.mlir.xz")) as packed, open(text, "wb") as f:
        f.write(packed.read())
    out, _ = call("zcc", text, "-o", path("x.mlir"), f"--compile-to={to}", "--report", path("r.json"), *options)
    lines = out.splitlines()
    wide = [line for line in lines if len(line) > COLUMNS]
    assert 0 < len(lines) <= LINES and not wide, f"{model} {options}: {len(lines)} lines; over {COLUMNS} columns: {wide}"
    with open(path("r.json")) as f:
        return [(line[:16].strip(), line[16:]) for line in lines], json.load(f)


def test_padding_of_layers_is_a_line():
    rows, report = table("gpt-1.3b", "--mesh=data=5,tensor=3", "--zero=3", "--microbatches=1")
    waste, lines = report["waste"], [value for name, value in rows if name == "padding"]
    layers = [w for w in waste if w["count"] > 1]
    assert layers and all(w["count"] % 24 == 0 and "{0-23}" in w["values"] for w in layers), waste
    assert len(waste) < 24, f"{len(waste)} entries for 24 layers"
    assert [w["bytes"] for w in waste] == sorted((w["bytes"] for w in waste), reverse=True), waste
    shown = 0
    for line, w in zip(lines, waste):
        if line.startswith("of "):
            break
        shown += 1
        assert close(line.rsplit(", ", 1)[1], w["bytes"]) and f"is padded to {w['padded']}" in line, (line, w)
    if shown < len(waste):
        count, rest = re.fullmatch(r"of (\d+) other dims?, (.*) in all", lines[-1]).groups()
        left = waste[shown:]
        assert int(count) == sum(w["count"] for w in left) and close(rest, sum(w["bytes"] for w in left)), (lines[-1], left)


def test_volumes_are_those_of_the_collectives():
    rows, report = table("gpt-1.3b", "--mesh=data=5,tensor=3", "--zero=3", "--microbatches=1", to="partitioned")
    lines = [value for name, value in rows if name == "communication"]
    got = sum(amount(line.rsplit(": ", 1)[1]) for line in lines)
    want = sum(c["bytes"] * c["times"] for c in report["collectives"])
    assert abs(got - want) <= 0.01 * want, (got, want)
    times = sum(int(re.search(r" in (\d+) operation", line)[1]) for line in lines)
    assert times == sum(c["times"] for c in report["collectives"]), lines


def test_layers_are_explained_once():
    out, _ = call("zcc", model_text("gpt2"), "--mesh=data=2", "--quiet", "-o", path("x.mlir"), "--compile-to=partitioned", "--explain=blocks.*.mlp.wi")
    assert out.count("parameter tensor<") == 1 and "blocks.{0-3}.mlp.wi: parameter" in out and "4 such values" in out, out


run(globals())
