#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the time that hiding communication saves, as measured on local ranks, with the prediction.

    python3 benchmarks/overlap/run.py [--delayed S] [--plain S,M] [--ranks 2,4] [--rounds 10] [--turns 3] [--share 0.5] [--machine FILE]
                                      [--bin build/bin] [--out FILE.json]

Over slow links: the step is measured as it is; then links are made so slow (zrun --link-delay, and in the machine that zcc plans for) that
what a device sends takes `share` of that time. With and without overlap step in turns; the gain is the mean of the paired differences, beside
the difference of the two reports. Within 20 % is the bar.

Without delay: overlap on over overlap off, paired, with the 95 % interval; `worse` where all of it lies above 1.03. Where both are the same
program, byte by byte, nothing is measured. S on data is held against one rank, too: at most 1.05 of it.

All of a row are alive at once and step in turns, in an order that changes from round to round. Calibrates first, unless --machine names a
description. Needs jax, numpy and safetensors.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "step_time"))

from compare import WORSE, interval, mean  # noqa: E402
from links import slow_link  # noqa: E402
from stepping import ROOT, Refused, Zcc, measure  # noqa: E402

DELAYED = {"data=4 ZeRO 1": ("--mesh=data=4", "--zero=1"), "data=4 ZeRO 3": ("--mesh=data=4", "--zero=3"),
           "data=4 ZeRO 3, gathered again": ("--mesh=data=4", "--zero=3", "--state=*=gather"), "data=2,tensor=2": ("--mesh=data=2,tensor=2",),
           "data=2 ZeRO 1": ("--mesh=data=2", "--zero=1"), "tensor=2": ("--mesh=tensor=2",)}
ALONE = 1.05


def plain_rows(ranks):
    for n in ranks:
        yield n, f"data={n}", (f"--mesh=data={n}", "--zero=0")
        yield n, f"data={n} ZeRO 1", (f"--mesh=data={n}", "--zero=1")
        yield n, f"data={n} ZeRO 3", (f"--mesh=data={n}", "--zero=3")
        yield n, f"tensor={n}", (f"--mesh=tensor={n}",)
        if n == 4:
            yield n, "data=2,tensor=2", ("--mesh=data=2,tensor=2",)


def sent(report):
    """Bytes that one device sends in a step."""
    total = 0
    for c in report["collectives"]:
        k = math.prod(report["mesh"][axis.split(":")[0]] for axis in c["axes"])
        total += c["times"] * c["bytes"] * (1 if c["kind"] == "permute" else (k - 1) / k) * (2 if c["kind"] == "all-reduce" else 1)
    return total


def close(contestants):
    for one in contestants.values():
        one.close()


def predicted(one):
    return one.report["predicted"]["step_seconds"]


def delayed_row(model, options, args, folder):
    contestants = {}
    try:
        plain = Zcc(model, args.bin, *options, "--disable=overlap", "--machine=" + args.machine)
        contestants["plain"] = plain
        seconds = statistics.median(measure(contestants, args.rounds, args.turns)["plain"])
        rate = sent(plain.report) / (args.share * seconds)
        slow = slow_link(args.machine, os.path.join(folder, "slow.textproto"), plain.report["devices"], rate)
        delay = (f"--link-delay=0us,{rate / 1e6:.4f}MB/s",)
        contestants["off"] = Zcc(model, args.bin, *options, slow, "--disable=overlap", running=delay)
        contestants["on"] = Zcc(model, args.bin, *options, slow, running=delay)
        times = measure(contestants, args.rounds, args.turns)
        gain = mean([off - on for off, on in zip(times["off"], times["on"])])
        expected = predicted(contestants["off"]) - predicted(contestants["on"])
        return {"seconds": {key: statistics.median(own) for key, own in times.items()},
                "predicted": {key: predicted(one) for key, one in contestants.items()}, "rate": rate, "gain": gain, "predicted_gain": expected,
                "ratio": gain[0] / expected if expected > 0 else None}
    finally:
        close(contestants)


def delayed(args, folder, results):
    if not args.delayed:
        return
    print(f"over slow links, communication {args.share} of the step without them; seconds measured (predicted)")
    print(f"{'model':6} {'row':30} {'as it is':>20} {'slow, off':>20} {'slow, on':>20} {'gain':>30} {'predicted':>11} {'ratio':>6}")
    for model in args.delayed.split(","):
        for name, options in DELAYED.items():
            try:
                row = delayed_row(model, options, args, folder)
            except Refused as error:
                print(f"{model:6} {name:30} refused: {error}", flush=True)
                continue
            ratio = row["ratio"]
            print(f"{model:6} {name:30}" + "".join(f"{1e3 * row['seconds'][k]:10.1f} ({1e3 * row['predicted'][k]:.1f}) ms".rjust(21)
                                                   for k in ("plain", "off", "on")) +
                  "{:.1f} ({:.1f} to {:.1f}) ms".format(*(1e3 * x for x in row["gain"])).rjust(31) + f"{1e3 * row['predicted_gain']:9.1f} ms" +
                  (f" {ratio:6.2f}{'' if .8 <= ratio <= 1.2 else ' off'}" if ratio is not None else "  no gain"), flush=True)
            results.append({"model": model, "row": name, **row})


def contents(one):
    with open(one.executable, "rb") as f:
        return f.read()


def plain_row(model, ranks, options, args):
    contestants = {}
    try:
        machine = "--machine=" + args.machine
        contestants["off"] = Zcc(model, args.bin, *options, machine, "--disable=overlap")
        contestants["on"] = Zcc(model, args.bin, *options, machine)
        same = contents(contestants["off"]) == contents(contestants["on"])
        if same:
            contestants.pop("off").close()
        alone = model == "S" and len(options) == 2 and "--zero=0" in options
        if alone:
            contestants["one"] = Zcc(model, args.bin, "--mesh=1", machine)
        if same and not alone:
            return {"same": True}
        times = measure(contestants, args.rounds, args.turns)
        return {"same": same, "seconds": statistics.median(times["on"]), "over_off": None if same else interval(times["off"], times["on"]),
                "over_one": interval(times["one"], times["on"]) if alone else None}
    finally:
        close(contestants)


def plain(args, results):
    if not args.plain:
        return
    print(f"without delay, ratios with 95 % intervals\n{'model':6} {'row':18} {'on':>10} {'on / off':>26} {'on / one rank':>26}")
    for model in args.plain.split(","):
        for ranks, name, options in plain_rows([int(n) for n in args.ranks.split(",")]):
            try:
                row = plain_row(model, ranks, options, args)
            except Refused as error:
                print(f"{model:6} {name:18} refused: {error}", flush=True)
                continue
            words = lambda ratio: "{:.3f} ({:.3f} to {:.3f})".format(*ratio) if ratio else ""
            over, one = row.get("over_off"), row.get("over_one")
            print(f"{model:6} {name:18} " + (f"{1e3 * row['seconds']:7.1f} ms" if "seconds" in row else " " * 10) +
                  f" {'the same program' if row['same'] else words(over):>26} {words(one):>26}" + (" worse" if over and over[1] > WORSE else "") +
                  (" slower than one rank" if one and one[1] > ALONE else ""), flush=True)
            results.append({"model": model, "row": name, **row})


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--delayed", default="S", help="models over slow links; none: ''")
    a.add_argument("--plain", default="S,M", help="models without delay; none: ''")
    a.add_argument("--ranks", default="2,4")
    a.add_argument("--rounds", type=int, default=10)
    a.add_argument("--turns", type=int, default=3, help="steps of a turn, of which the best counts")
    a.add_argument("--share", type=float, default=.5)
    a.add_argument("--machine", help="the description of this machine")
    a.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    a.add_argument("--out")
    args = a.parse_args()
    if args.rounds < 2:
        a.error("--rounds: expected at least 2, for an interval")
    results = {"unit": "seconds; ratios and gains with 95 % intervals", "delayed": [], "plain": []}
    with tempfile.TemporaryDirectory(prefix="zcc-overlap-") as folder:
        if not args.machine:
            args.machine = os.path.join(folder, "this.textproto")
            subprocess.run([os.path.join(args.bin, "zcc-calibrate"), "-o", args.machine], check=True)
        try:
            delayed(args, folder, results["delayed"])
            plain(args, results["plain"])
        finally:
            if args.out:
                with open(args.out, "w") as f:
                    json.dump(results, f, indent=1)


if __name__ == "__main__":
    main()
