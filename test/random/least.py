# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs in too little memory: the size that the refusal names is enough, and 3 % less is not. Standard library only.

    least.py BIN_FOLDER [--first SEED] [--count N] [--text FILE.mlir -- OPTION...]

For each seed a graph and options are drawn as run.py does, some of them with offload or narrower types; with --text it is that model, once. Memories
from 97 % of what is named down to a half are asked for, each must be refused.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from draw import Draw
from layers import Layers
from modes import draw_options, replaced, without
from runner import REFUSALS

NEEDS = re.compile(r"memory: a device needs [^(]* \((\d+) bytes\)")
SHARES = (0.97, 0.94, 0.9, 0.85, 0.75, 0.5)


def needs(zcc, text, memory, options):
    """(bytes that it names, None if `memory` does; what else is wrong)"""
    p = subprocess.run([zcc, *text, "-o", os.devnull + ".none", "--compile-to=planned", "--quiet", f"--memory={memory}", *options],
                       capture_output=True, text=True, errors="replace", timeout=600)
    if p.returncode == 0:
        return None, None
    found = NEEDS.search(p.stderr)
    return (int(found[1]), None) if found and p.returncode == 2 else (None, p.stderr[:300] or f"exit {p.returncode}")


def check(zcc, text, options):
    """(what is wrong or None, bytes that are named)"""
    least, wrong = needs(zcc, text, 1000, options)
    if not least:
        return None if wrong and any(text in wrong for text in REFUSALS) else wrong, None
    more, wrong = needs(zcc, text, least, options)
    if more or wrong:
        return wrong or f"names {least} bytes, and then {more}", least
    for share in SHARES:
        found, wrong = needs(zcc, text, int(share * least), options)
        if wrong or not found:
            return wrong or f"names {least} bytes, {int(share * least)} work: {share}", least
    return None, least


def draw(seed):
    r = random.Random(seed * 15485863 + 3)
    if r.random() < 0.5:
        return Layers(random.Random(seed), r.random() < 0.1).build()
    return Draw(random.Random(seed), r.random() < 0.35).build()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--text")
    parser.add_argument("options", nargs="*")
    a = parser.parse_args()
    zcc = os.path.join(os.path.abspath(a.bin), "zcc")
    if a.text:
        wrong, least = check(zcc, [a.text], a.options)
        print(f"{a.text} {' '.join(a.options)}: {least} bytes{'' if not wrong else ', FAILED: ' + wrong}")
        sys.exit(1 if wrong else 0)
    failed = named = 0
    with tempfile.TemporaryDirectory(prefix="zcc-least-") as folder:
        file = os.path.join(folder, "graph.mlir")
        for seed in range(a.first, a.first + a.count):
            r = random.Random(seed * 104729 + 5)
            graph = draw(seed)
            with open(file, "w") as f:
                f.write(graph.text())
            options = replaced(without(draw_options(r, graph), "--remat"), f"--microbatches={r.choice([1, 1, 2])}")
            if r.random() < 0.2:
                options.append(r.choice(["--compress=auto", "--offload=activations", "--offload=optimizer"]))
            wrong, least = check(zcc, ["--compile-from=graph", file], options)
            named += least is not None
            if wrong:
                failed += 1
                print(f"FAILED  seed {seed} {' '.join(options)}: {wrong}", flush=True)
    print(f"{a.count - failed} graphs passed, {failed} failed, {named} refusals were tried")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
