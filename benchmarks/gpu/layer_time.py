#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the kernels of one layer of a model, and some beside the layers, with the times that the cost model has for them from their bytes and operations
("before") and from their code ("now").

    layer_time.py ZCC LOSS.mlir [--layers 24] [--machine h100-dgx] [--estimates layer_estimates.csv]

LOSS.mlir is a text of gpt_text.py. ZCC compiles it twice to phase scheduled, with the machine as it is described and without its multiprocessors. A line has
the bytes of a kernel, both times, what bounds the one from the code (bytes, issue: starting instructions, path: loads and arithmetic that wait for each
other), and, of launches of code, registers, rounds of loads on the longest path, and bytes that a thread has in flight.

The estimates are a person's, of the kernels as they were before they were changed after these estimates: each line names the kernels of then, their bytes and
microseconds, and what the kernels of now are called that do the same. Kernels are named by task, op and megabytes, since their numbers change with the
program; "once" are those beside the layers.

Standard library only.
"""
import argparse
import collections
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINES = os.path.join(HERE, "..", "..", "planning", "machines")


def compile_for(args, machine, folder):
    """Returns the report, and by "task: kernel" the microseconds of its runs."""
    report, trace = os.path.join(folder, "report.json"), os.path.join(folder, "trace.json")
    subprocess.run([args.zcc, args.loss, "--target=cuda", "--cuda-arch=sm_90", f"--machine={machine}", "--precision=bf16", "--compile-to=scheduled", "--quiet",
                    "-o", os.path.join(folder, "scheduled.mlir"), "--report", report, "--trace", trace], check=True)
    runs = collections.defaultdict(list)
    with open(trace) as f:
        for event in json.load(f)["traceEvents"]:
            if event["ph"] == "X":
                runs[event["name"]].append(event["dur"])
    with open(report) as f:
        return json.load(f), runs


def without_multiprocessor(machine, folder):
    with open(os.path.join(MACHINES, machine + ".textproto")) as f:
        text, count = re.subn(r"^multiprocessor \{.*\}$", "", f.read(), flags=re.M)
    if count != 1:
        sys.exit(f"expected one multiprocessor on a line of its own in {machine}.textproto, found {count}")
    file = os.path.join(folder, "before.textproto")
    with open(file, "w") as f:
        f.write(text)
    return file


def bound(launches):
    """Returns the bound that takes longest in all launches together."""
    sums = {name: sum(launch[f"{key}_seconds"] for launch in launches) for name, key in (("bytes", "memory"), ("issue", "issue"), ("path", "path"))}
    return max(sums, key=sums.get)


def key_of(entry):
    """backward reduce 134.29: the name of a kernel whose number may change."""
    return f"{entry['tasks']} {re.sub(r'^k[0-9]+_', '', entry['name'])} {(entry['read'] + entry['written']) / 1e6:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zcc")
    parser.add_argument("loss")
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--machine", default="h100-dgx")
    parser.add_argument("--estimates", default=os.path.join(HERE, "layer_estimates.csv"))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _, before = compile_for(args, without_multiprocessor(args.machine, folder), folder)
        report, now = compile_for(args, args.machine, folder)
    read = {kernel["name"]: kernel["launches"] for kernel in report["predicted"].get("kernels", [])}
    rows = {}
    print("| kernel | times | MB | before us | now us | bound by | registers | rounds | bytes in flight |")
    print("|---|---|---|---|---|---|---|---|---|")
    for entry in sorted(report["traffic"], key=lambda entry: (entry["tasks"] != "forward", int(re.sub(r"^k([0-9]+)_.*|.*", r"\1", entry["name"]) or 0))):
        name, times = f"{entry['tasks']}: {entry['name']}", round(entry["times"] / args.layers)
        # The first and the last layer may have kernels of their own.
        is_of_layer = times > 0 and abs(entry["times"] - times * args.layers) <= times
        if not is_of_layer:
            times = entry["times"]
        if entry["tasks"] == "update" or name not in now:
            continue
        megabytes = (entry["read"] + entry["written"]) / 1e6
        was, own = sum(before[name]) / len(before[name]), sum(now[name]) / len(now[name])
        for key in [key_of(entry), "layer"] if is_of_layer else ["once " + key_of(entry)]:
            rows[key] = [sum(pair) for pair in zip(rows.get(key, (0, 0, 0)), (times * megabytes, times * was, times * own))]
        if not is_of_layer:
            continue
        launches = read.get(entry["name"], [])
        facts = [bound(launches), "/".join(str(one["registers"]) for one in launches), "/".join(f"{one['memory_rounds'] + one['cache_rounds']:.0f}" for one in launches),
                 "/".join(f"{one['bytes_in_flight']:.0f}" for one in launches)] if launches else ["", "", "", ""]
        print(f"| {entry['tasks']} {entry['name']} | {times} | {megabytes:.1f} | {was:.0f} | {own:.0f} | {' | '.join(facts)} |")
    print(f"| **layer** | | {rows['layer'][0]:.0f} | {rows['layer'][1]:.0f} | {rows['layer'][2]:.0f} | | | | |")
    print("\n| kernels of the estimate | MB then | predicted then us | estimate us | MB | before us | now us | now to estimate |")
    print("|---|---|---|---|---|---|---|---|")
    with open(args.estimates) as f:
        for one in csv.DictReader(line for line in f if not line.startswith("#")):
            found = [rows.get(key) for key in one["now"].split("; ")]
            if None in found:
                sys.exit(f"{args.estimates}: {one['kernels']}: expected one of {', '.join(sorted(rows))}, found {one['now'].split('; ')[found.index(None)]}")
            moved, was, own = (sum(row[i] for row in found) for i in range(3))
            print(f"| {one['kernels']} | {one['megabytes']} | {one['predicted']} | {one['estimate']} | {moved:.0f} | {was:.0f} | {own:.0f} | "
                  f"{100 * own / float(one['estimate']) - 100:+.0f} % |")


main()
