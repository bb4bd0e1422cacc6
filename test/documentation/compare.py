# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares an output with a page, except for parts that vary with the machine.

A page may leave lines out: its lines stand in the output in their order. `...` within a line stands for anything, and a line may
be broken where the next one is indented. Blanks are equal to any others. Numbers with three or more decimals (losses) may
differ by a hundredth: kernels of another processor add in another order.
"""
import json
import re

ALWAYS = [(r"compiled in .*", "compiled in #"), (r"process \d+( on [\w.-]+)?", "process #"), (r" loc\(#loc\d*\)", ""),
          (r"\b[0-9a-f]{32}\b", "#"), (r"/tmp/[\w./-]*/", ""),
          (r"\d+\.\d MB, \d+\.\d MB installed", "# MB installed")]
# Text that depends on the machine, if the plan is for the machine that the test runs on.
MACHINE = [
    (r"(\d+ devices?, ).*\)", r"\1#)"),  # names of processors may have brackets
    (r"(?<![\w.])[-+]?\d+(\.\d+)? (ns|us|ms|s|min)\b", "#"),
    (r"(compute|communication) [-+]0(?![\w.])", r"\1 #"),
    (r"[-+]0 a step", "# a step"),
    (r"\d+(\.\d+)? %", "# %"),
    (r"of \d+\.\d+ [MGT]B a device", "of # a device"),
    (r"\d+(\.\d+)?[kMG]? (\w+/s predicted)", r"# \2"),
    (r"^(\d+ \d+\.\d+) \d+$", r"\1 #"),  # a step, its loss and tokens a second
]
MEASURED = re.compile(r"seconds$|tokens_per_second|utilization")


def masked(line, own_machine):
    line = " ".join(line.split())
    for pattern, text in ALWAYS + (MACHINE if own_machine else []):
        line = re.sub(pattern, text, line)
    return line


def number(word):
    m = re.fullmatch(r"\(?(-?\d+\.\d{3,}(e[-+]?\d+)?)[),;:]?", word)
    return float(m.group(1)) if m else None


def alike(said, found):
    if said == found:
        return True
    if "..." in said:
        return re.fullmatch(".*".join(map(re.escape, said.split("..."))), found) is not None
    a, b = said.split(" "), found.split(" ")
    return len(a) == len(b) and all(
        x == y or None not in (number(x), number(y)) and abs(number(x) - number(y)) <= 0.01 * abs(number(x)) for x, y in zip(a, b))


def missing(said, output, own_machine):
    """The first line of a page's that the output does not have, or None."""
    found = [masked(line, own_machine) for line in output.split("\n")]
    i, at = 0, 0
    while i < len(said):
        if not said[i].strip() or said[i].strip() == "...":
            i += 1
            continue
        end = i + 1
        while end < len(said) and said[end].startswith(" "):
            end += 1
        for end in range(end, i, -1):
            text = masked(" ".join(said[i:end]), own_machine)
            place = next((k for k in range(at, len(found)) if alike(text, found[k])), None)
            if place is not None:
                break
        if place is None:
            return said[i]
        i, at = end, place + 1
    return None


def same_json(said, found, key=""):
    if MEASURED.search(key):
        return isinstance(found, (int, float))
    if isinstance(said, dict):
        return isinstance(found, dict) and all(k in found and same_json(v, found[k], k) for k, v in said.items())
    if isinstance(said, list):
        return isinstance(found, list) and len(said) == len(found) and all(map(same_json, said, found))
    if isinstance(said, float):
        return isinstance(found, (int, float)) and abs(said - found) <= 0.01 * abs(said)
    return said == found


def anywhere(said, found):
    if isinstance(found, dict):
        return same_json(said, found) or any(anywhere(said, v) for v in found.values())
    return isinstance(found, list) and any(anywhere(said, v) for v in found)


def missing_json(said, output):
    """Like missing(), for a page's JSON objects and an output of JSON: one text, perhaps after warnings, or one object a line."""
    lines = output.split("\n")
    if "{" in lines and "}" in lines:
        found = [json.loads("\n".join(lines[lines.index("{") : len(lines) - lines[::-1].index("}")]))]
    else:
        found = [json.loads(line) for line in lines if line.startswith("{")]
    text, decoder = "\n".join(said).strip(), json.JSONDecoder()
    while text:
        value, end = decoder.raw_decode(text)
        if not anywhere(value, found):
            return text[:end]
        text = text[end:].strip()
    return None
