#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two builds against each other in one run: step time, time to compile, size of the executable.

    python3 benchmarks/step_time/compare.py --before BIN --after BIN [--models S,mlp,dlrm,gpt2,resnet] [--rounds 20] [--out FILE.json]

Both builds of a row are alive at once and step in turns, in an order that changes from round to round. A row's figure is the mean of the paired ratios after / before
(logarithms), with its 95 % interval; `worse` where the whole interval lies above 1.03. Compilations are paired in the same way.
Needs jax, numpy and safetensors.
"""
import argparse
import json
import math
import os
import statistics

from stepping import ROOT, Refused, Zcc, measure

ROWS = {"one rank": (), "bf16": ("--precision=bf16",), "data=2": ("--mesh=data=2",), "data=2 ZeRO 3": ("--mesh=data=2", "--zero=3"),
        "tensor=2": ("--mesh=tensor=2",), "data=2,tensor=2": ("--mesh=data=2,tensor=2",)}
WORSE = 1.03
# Quantiles of Student's t, two-sided 95 %, by degrees of freedom; beyond, those of the normal distribution.
STUDENT = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26, 10: 2.23, 15: 2.13, 20: 2.09, 30: 2.04}


def interval(before, after):
    """Mean of the paired ratios and the ends of its 95 % interval."""
    logs = [math.log(a / b) for a, b in zip(after, before)]
    mean = statistics.fmean(logs)
    t = next((v for k, v in sorted(STUDENT.items(), reverse=True) if k <= len(logs) - 1), 12.71) if len(logs) <= 60 else 1.96
    half = t * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def mean(values):
    """The mean of a sample, with the ends of its 95 % interval."""
    t = next((v for k, v in sorted(STUDENT.items(), reverse=True) if k <= len(values) - 1), 12.71)
    half = t * statistics.stdev(values) / math.sqrt(len(values))
    middle = statistics.fmean(values)
    return middle, middle - half, middle + half


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--before", required=True, help="folder of zcc and zrun")
    a.add_argument("--after", default=os.path.join(ROOT, "build", "bin"))
    a.add_argument("--models", default="S,mlp,dlrm,gpt2,resnet")
    a.add_argument("--rows", default=";".join(ROWS), help="some of: " + "; ".join(ROWS))
    a.add_argument("--rounds", type=int, default=20)
    a.add_argument("--compilations", type=int, default=5)
    a.add_argument("--out")
    args = a.parse_args()
    results = []
    print(f"{'model':8} {'row':18} {'before':>10} {'after / before':>26} {'compile':>26} {'size':>7}")
    for name in args.models.split(","):
        for row in args.rows.split(";"):
            pair = {}
            try:
                for kind, bin in (("before", args.before), ("after", args.after)):
                    pair[kind] = Zcc(name, bin, *ROWS[row])
                times = measure(pair, args.rounds, turns=3)
                compiled = {kind: [] for kind in pair}
                for round in range(args.compilations):
                    for kind in sorted(pair, reverse=round % 2):
                        compiled[kind].append(pair[kind].compile())
                step = interval(times["before"], times["after"])
                compile = interval(compiled["before"], compiled["after"])
                size = pair["after"].bytes / pair["before"].bytes
                worse = " worse" if step[1] > WORSE or compile[1] > 1.05 or size > 1.05 else ""
                seconds = statistics.median(times["before"])
                print(f"{name:8} {row:18} {seconds * 1e3:7.2f} ms" + "".join(f"   {m:.3f} ({l:.3f} to {h:.3f})" for m, l, h in (step, compile)) +
                      f" {size:7.3f}{worse}", flush=True)
                results.append({"model": name, "row": row, "before": seconds, "step": step, "compile": compile, "size": size})
            except Refused as error:
                print(f"{name:8} {row:18} refused: {error}", flush=True)
            finally:
                for one in pair.values():
                    one.close()
    if args.out:
        with open(args.out, "w") as f:
            json.dump({"unit": "seconds; ratios after / before with 95 % intervals", "rows": results}, f, indent=1)


if __name__ == "__main__":
    main()
