#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted against measured step times: models of benchmarks/step_time on local ranks, by kind of mesh.

    python3 benchmarks/prediction/run.py [--models S,M] [--ranks 1,2,4] [--meshes data,zero3,tensor] [--steps 12] [--rounds 3]
                                         [--machine FILE] [--bin build/bin] [--kernels] [--out FILE.json]

Calibrates first, unless --machine names a description. All configurations of a model are measured in rounds, so that a noisy
minute does not hit one alone; the figure is the median over the steps of all rounds, without the first two of each. "order right"
asks whether every two configurations of a model and number of ranks that differ by more than 5 % are predicted in their order.
--kernels compares predicted and measured traces: seconds by kind of kernel.
"""
import argparse
import collections
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "benchmarks", "step_time"))


def lower(name, folder):
    """The model's text, weights and batch as files."""
    import jax
    import jax.numpy as jnp
    import models
    import numpy as np
    from safetensors.numpy import save_file
    loss, params, batch = models.MODELS[name]()
    text = jax.jit(loss).lower(jax.tree.map(jnp.asarray, params), {k: jnp.asarray(v) for k, v in batch.items()}).as_text(debug_info=True)
    with open(os.path.join(folder, name + ".mlir"), "w") as f:
        f.write(text)
    flat = {}

    def visit(prefix, value):
        if isinstance(value, dict):
            for key, one in value.items():
                visit(prefix + [key], one)
        elif isinstance(value, (list, tuple)):
            for key, one in enumerate(value):
                visit(prefix + [str(key)], one)
        else:
            flat[".".join(prefix)] = np.ascontiguousarray(value)

    visit([], params)
    save_file(flat, os.path.join(folder, name + ".params"))
    save_file({k: np.ascontiguousarray(v[None]) for k, v in batch.items()}, os.path.join(folder, name + ".batches"))


def configurations(ranks, meshes):
    for n in ranks:
        if n == 1:
            yield 1, "one", ["--mesh=1"]
            continue
        for mesh in meshes:
            if mesh == "tensor":
                yield n, mesh, [f"--mesh=tensor={n}"]
            else:
                yield n, mesh, [f"--mesh=data={n}", "--zero=" + ("3" if mesh == "zero3" else "0")]


class Configuration:
    def __init__(self, model, ranks, mesh, options, folder, args):
        self.model, self.ranks, self.mesh = model, ranks, mesh
        self.base = os.path.join(folder, model)
        self.stem = f"{self.base}-{ranks}-{mesh}"
        self.zrun = os.path.join(args.bin, "zrun")
        self.priority = ["chrt", "-r", "5"] if args.real_time else []
        subprocess.run([os.path.join(args.bin, "zcc"), self.base + ".mlir", "-o", self.stem + ".zexe", "--quiet",
                        "--machine=" + args.machine, "--report", self.stem + ".json", "--trace", self.stem + ".predicted", *options],
                       check=True)
        with open(self.stem + ".json") as f:
            self.predicted = json.load(f)["predicted"]
        self.seconds = []

    def measure(self, steps, trace):
        subprocess.run([*self.priority, self.zrun, self.stem + ".zexe", "--params", self.base + ".params", "--batches", self.base + ".batches",
                        "--steps", str(steps), "--log", self.stem + ".log", "--quiet", "--clip-norm=1",
                        *(["--trace", self.stem + ".measured"] if trace else [])], check=True)
        with open(self.stem + ".log") as f:
            self.seconds += [json.loads(line)["seconds"] for line in f if '"loss"' in line][2:]

    @property
    def measured(self):
        return statistics.median(self.seconds)

    @property
    def error(self):
        return self.predicted["step_seconds"] / self.measured - 1


def spans(path):
    """Seconds of rank 0 by kind of step; predicted names are the beginning of measured ones."""
    sums = collections.Counter()
    with open(path) as f:
        for event in json.load(f)["traceEvents"]:
            if event["pid"] == 0 and event["ph"] == "X":
                words = event["name"].split(": ")[1].split(" ")
                sums[re.sub(r"^k\d+_", "", words[0])] += event["dur"] / 1e6
    return sums


def order(rows):
    """Pairs that are predicted in the wrong order, of those that differ."""
    wrong, pairs = [], 0
    for a, b in itertools.combinations(rows, 2):
        if (a.model, a.ranks) != (b.model, b.ranks) or abs(a.measured / b.measured - 1) < .05:
            continue
        pairs += 1
        if (a.measured < b.measured) != (a.predicted["step_seconds"] < b.predicted["step_seconds"]):
            wrong.append(f"{a.model} on {a.ranks}: {a.mesh}, {b.mesh}")
    return wrong, pairs


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--models", default="S,M")
    p.add_argument("--ranks", default="1,2,4")
    p.add_argument("--meshes", default="data,zero3,tensor")
    p.add_argument("--steps", type=int, default=12)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--machine", default="")
    p.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    p.add_argument("--work", help="folder for models and executables, kept")
    p.add_argument("--kernels", action="store_true")
    p.add_argument("--real-time", action="store_true", help="run above all other load (needs the right to chrt)")
    p.add_argument("--out")
    args = p.parse_args()
    with tempfile.TemporaryDirectory(prefix="zcc-prediction-") as temporary:
        folder = args.work or temporary
        os.makedirs(folder, exist_ok=True)
        if not args.machine:
            args.machine = os.path.join(folder, "this.textproto")
            subprocess.run([*(["chrt", "-r", "5"] if args.real_time else []), os.path.join(args.bin, "zcc-calibrate"), "-o", args.machine], check=True)
        rows = []
        print(f"{'model':8} {'ranks':>5}  {'mesh':8} {'predicted':>10} {'measured':>10} {'error':>7}")
        for model in args.models.split(","):
            if not os.path.exists(os.path.join(folder, model + ".batches")):
                lower(model, folder)
            own = [Configuration(model, *one, folder, args)
                   for one in configurations([int(n) for n in args.ranks.split(",")], args.meshes.split(","))]
            for i in range(args.rounds):
                for one in own:
                    one.measure(args.steps, args.kernels and i + 1 == args.rounds)
            for one in own:
                print(f"{model:8} {one.ranks:5}  {one.mesh:8} {one.predicted['step_seconds'] * 1e3:8.1f}ms {one.measured * 1e3:8.1f}ms "
                      f"{one.error * 100:+6.1f}%", flush=True)
                if args.kernels:
                    predicted, measured = spans(one.stem + ".predicted"), spans(one.stem + ".measured")
                    for kind in sorted(measured, key=lambda k: -measured[k])[:14]:
                        print(f"{'':24} {predicted[kind] * 1e3:8.2f}ms {measured[kind] * 1e3:8.2f}ms  {kind}")
                    print(f"{'':24} {sum(predicted.values()) * 1e3:8.2f}ms {sum(measured.values()) * 1e3:8.2f}ms  all of the trace")
            rows += own
        wrong, pairs = order(rows)
        print(f"median error {statistics.median(abs(row.error) for row in rows) * 100:.1f} %, largest "
              f"{max(abs(row.error) for row in rows) * 100:.1f} %; order right in {pairs - len(wrong)} of {pairs} pairs"
              + "".join(f"\n  wrong: {one}" for one in wrong))
        if args.out:
            with open(args.out, "w") as f:
                json.dump([{"model": r.model, "ranks": r.ranks, "mesh": r.mesh, "predicted": r.predicted["step_seconds"],
                            "measured": r.measured} for r in rows], f, indent=1)


if __name__ == "__main__":
    main()
