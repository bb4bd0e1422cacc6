# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of a description that must be there, whatever machine it is of."""
import re
import sys

text = open(sys.argv[1]).read()
figures = lambda name: [float(x) for x in re.findall(rf"\b{name}: ([-+.\de]+)", text)]
assert 'name: "here"' in text
assert re.findall(r'type: "(\w+)"', text) == ["f32", "bf16", "f16"]
for name in ("flops", "vector_flops", "transcendentals", "prologues", "rate", "bandwidth", "launch_seconds", "latency", "efficiency"):
    found = figures(name)
    assert found, name
    assert all(x >= 0 if name == "latency" else x > 0 for x in found), (name, found)
assert all(x <= 1 for x in figures("efficiency"))
assert all(v > t for v, t in zip(figures("vector_flops"), figures("transcendentals")))
memory = text[text.index("memories"):]
sizes = [float(x) for x in re.findall(r"\bbytes: (\S+)", memory)][1:]  # of the samples; the first is the memory's
assert sizes == sorted(sizes) and len(sizes) >= 3, sizes
assert 1e-9 < figures("launch_seconds")[0] < 1e-3
