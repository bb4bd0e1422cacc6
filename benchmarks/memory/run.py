#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--remat=auto against the forms of recomputation that Megatron and torchtitan have, at the same bytes.

    python3 benchmarks/memory/run.py TEXT [--bin build/bin] [--mesh data=8] [--machine h100-dgx] [--precision bf16] [--microbatches 1] [--out FILE.json] [-- OPTION...]

The forms are written by hand as `--remat` globs, from the partitioned text of the model: a layer is what lies between two values that
`--remat=full` keeps.

    full            every layer, all but its input (Megatron: --recompute-granularity full, uniform 1)
    uniform k       k layers at once, all but the first one's input (uniform k)
    block n         n layers of the model like `full`, the others whole (block n; torchtitan: every k-th layer)
    by op           per layer all but the results of products and attention is made again (torchtitan: selective, saved ops)
    every 2nd       and every second product, too (torchtitan: selective "op" of its paper)
    attention       the attention of every layer (Megatron: selective)

Then the same program by `--remat=auto` with the form's peak as `--memory`. `ratio` is the executed arithmetic over the model's.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OP = re.compile(r"^ *%[\w:%, ]+ = \"?(\S+?)\"?[ (].*dist\.region = \"micro\".*train\.tag = \"forward\".*loc\((#loc\d*)\)$")
PARAMETER = re.compile(r"dist\.category|dist\.all_gather %arg")


def places(text):
    """Alias of a location -> FILE:LINE, the innermost."""
    said = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", text, re.M))
    known = {}

    def place(alias):
        if alias not in known:
            known[alias] = ""
            found = re.search(r'"([^"]*)":(\d+):', said[alias])
            if found:
                known[alias] = os.path.basename(found[1]) + ":" + found[2]
            else:
                inner = (place(a) for a in re.findall(r"#loc\d*", said[alias]))
                known[alias] = next((p for p in inner if p), "")
        return known[alias]

    return {alias: place(alias) for alias in said}


def forward(text):
    """Ops of the forward pass as (name that --remat takes, kind), in order; gathered parameters are none."""
    at, times, ops = places(text), collections.Counter(), []
    for line in text.splitlines():
        found = OP.match(line)
        if not found or not at[found[2]]:
            continue
        name = at[found[2]]
        times[name] += 1
        if not PARAMETER.search(line):
            ops.append((f"{name}#{times[name]}", found[1]))
    return ops


class Model:
    def __init__(self, args, folder):
        self.folder = folder
        self.command = [os.path.join(args.bin, "zcc"), args.text, "--mesh=" + args.mesh, "--machine=" + args.machine, "--precision=" + args.precision,
                        f"--microbatches={args.microbatches}", "--quiet", *args.options]
        self.compile("--compile-to=partitioned", "--remat=none", "--memory=100TB")
        with open(os.path.join(folder, "out.mlir")) as f:
            self.ops = forward(f.read())
        self.compile("--compile-to=planned", "--remat=full", "--memory=100TB", "--buffers=" + os.path.join(folder, "buffers.csv"))
        with open(os.path.join(folder, "buffers.csv")) as f:
            slots = [line.rstrip().split(",")[-1] for line in f if ",residuals," in line]
        kept = collections.Counter(re.sub(r"#.*", "", value) for value in {re.sub(r"#\d+$", "", slot) for slot in slots})
        self.kept = set(kept)
        self.border, self.layers = kept.most_common(1)[0]

    def compile(self, *options):
        out = os.path.join(self.folder, "out.mlir")
        done = subprocess.run([*self.command, "-o", out, "--report", os.path.join(self.folder, "report.json"), *options], capture_output=True, text=True)
        if done.returncode:
            return {"error": next((line for line in done.stderr.splitlines() if "error:" in line), f"exit {done.returncode}")}
        with open(os.path.join(self.folder, "report.json")) as f:
            return json.load(f)

    def segments(self):
        """The ops of each layer, from one border to the next; the layers' input is kept, too."""
        at = [name.split("#")[0] for name, _ in self.ops]
        ends = [i for i, (_, kind) in enumerate(self.ops) if at[i] == self.border and kind == "train.add"]
        # If a line of the layer's text has several sums, the last one is kept.
        ends = ends[max(len(ends) // self.layers, 1) - 1::max(len(ends) // self.layers, 1)]
        # In mixed precision, the narrow copy of a sum is kept.
        ends = [i + (i + 1 < len(at) and at[i + 1] == self.border and self.ops[i + 1][1] == "train.convert") for i in ends]
        first = max((i + 1 for i in range(ends[0]) if at[i] in self.kept), default=0)
        return [self.ops[a:b + 1] for a, b in zip([first] + [i + 1 for i in ends], ends)]


def forms(model):
    """Name -> ops that are made again."""
    layers = model.segments()
    inner = [layer[:-1] for layer in layers]
    yield "full", [name for layer in inner for name, _ in layer]
    for k in (2, 4):
        yield f"uniform {k}", [name for i, layer in enumerate(layers) for name, _ in (layer if (i + 1) % k else layer[:-1])]
    for k in (2, 4):
        yield f"block {len(layers) // k}", [name for layer in inner[:len(layers) // k] for name, _ in layer]
    kept = ("train.dot_general", "train.attention")
    yield "by op", [name for layer in inner for name, kind in layer if kind not in kept]
    again = []
    for layer in inner:
        products = [name for name, kind in layer if kind in kept]
        again += [name for name, kind in layer if kind not in kept] + products[1::2]
    yield "every 2nd", again
    yield "attention", [name for layer in inner for name, kind in layer if kind == "train.attention"]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("text")
    a.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    a.add_argument("--mesh", default="data=8")
    a.add_argument("--machine", default="h100-dgx")
    a.add_argument("--precision", default="bf16")
    a.add_argument("--microbatches", type=int, default=1)
    a.add_argument("--out")
    a.add_argument("options", nargs="*")
    args = a.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="zcc-memory-") as folder:
        model = Model(args, folder)
        print(f"{len(model.segments())} layers, borders at {model.border}, {len(model.ops)} ops in the forward pass")
        print(f"{'form':12} {'peak':>10} {'ratio':>7} {'step':>9}   {'auto':>10} {'ratio':>7} {'step':>9}")
        for form, again in [("none", []), *forms(model)]:
            by_hand = model.compile("--compile-to=planned", "--memory=100TB", "--remat=" + (",".join(again) if again else "none"))
            if "error" in by_hand:
                print(f"{form:12} {by_hand['error'][:200]}", file=sys.stderr)
                continue
            auto = model.compile("--compile-to=planned", f"--memory={by_hand['memory']['peak']}", "--remat=auto")
            row = {"form": form}
            for who, report in (("by hand", by_hand), ("auto", auto)):
                row[who] = report if "error" in report else {
                    "peak": report["memory"]["peak"], "ratio": report["flops"]["executed"] / report["flops"]["model"],
                    "step": report["predicted"]["step_seconds"]}
            rows.append(row)
            words = [f"{r['peak'] / 1e9:7.1f} GB {r['ratio']:7.3f} {r['step']:7.3f} s" if "peak" in r else r["error"] for r in (row["by hand"], row["auto"])]
            print(f"{form:12} {words[0]}   {words[1]}", flush=True)
    if args.out:
        with open(args.out, "w") as f:
            json.dump(rows, f, indent=1)


if __name__ == "__main__":
    main()
