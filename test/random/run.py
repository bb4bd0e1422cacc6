# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs on random meshes against one device. Standard library only.

    run.py BIN_FOLDER [--first SEED] [--count N] [--keep FOLDER] [--variants N] [--minimize] [--reference | --overlap | ...]

Seed by seed: a graph is drawn, trained 3 steps on one device, and trained again under random options (mesh, --shard, --zero,
--microbatches, --remat, annotations). Losses, first gradients and final parameters must agree within rounding (in f32, bf16 or f16),
and two stages of ZeRO on one mesh to the bit. Other modes, the rows of `MODES` in modes.py, compare two programs that differ
otherwise: with and without overlap, within a memory, on two targets, ... Everywhere the memory that was planned is that of the report and what zrun
allocates. The refusals that are allowed are in `REFUSALS` of runner.py; all others fail. With --keep, what failed is left
there with the commands that show it; --minimize drops what is not needed to fail first.
"""
import argparse
import collections
import glob
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from draw import Draw
from layers import Layers, Skips
from minimize import minimize
from modes import MODES, cases
from runner import Runner, write_data


def draw(seed, mode):
    """The graph of a seed; some modes take a share of them in layers."""
    r = random.Random(seed * 15485863 + 3)
    if mode and MODES[mode].skips:
        return Skips(random.Random(seed), r.random() < 0.1).build()
    if mode and r.random() < MODES[mode].layers:
        return Layers(random.Random(seed), r.random() < 0.1).build()
    return Draw(random.Random(seed), random.Random(seed).random() < 0.35).build()


def keep(case, message, runner, folder, suffix=""):
    target = os.path.join(folder, f"{case.seed}{suffix}")
    os.makedirs(target, exist_ok=True)
    case.check(runner)  # writes the files
    machines = [os.path.basename(o.split("=", 1)[1]) for o in case.options if o.startswith("--machine=")]
    for name in ["graph.mlir", "sharded.mlir", "params", "batches", *machines]:
        if os.path.exists(runner.path(name)):
            shutil.copy(runner.path(name), target)
    with open(os.path.join(target, "commands"), "w") as f:
        f.write(f"# seed {case.seed}: {message}\n")
        for options, name in ((case.base, "model"), (case.options, "other")):
            for command in runner.commands(options, target, name):
                f.write(" ".join(f"'{c}'" if "*" in c else c for c in command) + "\n")
    return target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--variants", type=int, default=2)
    parser.add_argument("--keep")
    parser.add_argument("--minimize", action="store_true")
    for name, mode in MODES.items():
        parser.add_argument("--" + name, dest="mode", action="store_const", const=name, help=mode.about)
    a = parser.parse_args()
    work = tempfile.mkdtemp(prefix="zcc-random-")
    runner = Runner(os.path.abspath(a.bin), work)
    failed, runs, refusals, reasons = 0, 0, collections.Counter(), {}
    ran, shares = 0, collections.Counter()
    for seed in range(a.first, a.first + a.count):
        graph = draw(seed, a.mode)
        with open(runner.path("graph.mlir"), "w") as f:
            f.write(graph.text())
        write_data(graph, seed, work)
        known = {}
        for case in cases(seed, graph, a.variants, a.mode, runner):
            key = " ".join(case.base)
            if key not in known:
                known[key] = runner.try_(case.base)
            message, refused = case.check(runner, known[key])
            runs += 1
            if refused:
                refusals[refused] += 1
            if case.facts:
                ran += 1
                shares.update(case.facts.shown(known[key].facts))
            if message:
                failed += 1
                reasons.setdefault(message[:90], []).append(seed)
                print(f"FAILED  seed {seed} {' '.join(case.options)}{' against ' + key if case.exactly else ''}: {message}", flush=True)
                if a.minimize:
                    case = minimize(case, message, runner)
                if a.keep:
                    print("        see", keep(case, message, runner, a.keep, "-exact" if case.exactly else ""), flush=True)
                break
    shutil.rmtree(work)
    for text, count in refusals.items():
        print(f"refused {count}: {text}")
    for text, seeds in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(seeds):4} of: {text}   (seeds {' '.join(map(str, seeds[:12]))})")
    if a.mode and ran:
        print(f"of {ran} programs: " + ", ".join(f"{count} {what}" for what, count in sorted(shares.items())))
    print(f"{a.count - failed} graphs passed, {failed} failed, {runs} comparisons")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
