#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what offload to the host costs and saves on local ranks: step time, loss and the device's arena, compared with the same program without it.

    python3 benchmarks/step_time/offload.py [--models S,M] [--ranks 1,2] [--rounds 10] [--bin build/bin] [--out FILE.json] [ZCC-OPTION...]

All contestants are alive at once and stepped round robin; the figure is the median of the ratios of a round, which load that others
make moves less than the times.
"""
import argparse
import json
import os
import statistics
import sys

from stepping import PAUSE, ROOT, Zcc

import time  # noqa: E402

KINDS = ["optimizer", "activations", "parameters", "optimizer,activations,parameters"]


def compare(model, ranks, rounds, bin, options):
    mesh = [f"--mesh=data={ranks}"] if ranks > 1 else []
    contestants = {kind: Zcc(model, bin, *mesh, "--remat=none", *options, *([f"--offload={kind}"] if kind else [])) for kind in ["", *KINDS]}
    times, losses = {kind: [] for kind in contestants}, {kind: [] for kind in contestants}
    for round in range(rounds + 2):
        for kind, one in sorted(contestants.items(), reverse=round % 2):
            time.sleep(PAUSE)
            start = time.perf_counter()
            losses[kind].append(one.step())
            if round >= 2:
                times[kind].append(time.perf_counter() - start)
    rows = []
    for kind, one in contestants.items():
        memory = one.report["memory"]
        ratio = statistics.median(a / b for a, b in zip(times[kind], times[""]))
        rows.append({"model": model, "ranks": ranks, "offload": kind or "none", "seconds": statistics.median(times[kind]), "ratio": ratio,
                     "device": memory["peak"], "host": memory["host"], "same_bits": losses[kind] == losses[""]})
        print(f"{model} ranks {ranks} {kind or 'none':34} {rows[-1]['seconds'] * 1e3:8.1f} ms  {ratio:5.3f}  device {memory['peak'] / 1e6:8.2f} MB  "
              f"host {memory['host'] / 1e6:8.2f} MB  {'same bits' if rows[-1]['same_bits'] else 'OTHER BITS'}", flush=True)
        one.close()
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="S,M")
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--out")
    a, options = parser.parse_known_args()
    rows = [row for model in a.models.split(",") for ranks in a.ranks.split(",") for row in compare(model, int(ranks), a.rounds, a.bin, options)]
    if a.out:
        with open(a.out, "w") as f:
            json.dump(rows, f, indent=1)
    sys.exit(not all(row["same_bits"] for row in rows))


if __name__ == "__main__":
    main()
