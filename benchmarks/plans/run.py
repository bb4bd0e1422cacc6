#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plan that zcc chooses for a bare mesh against plans written by hand: predicted step times.

    python3 benchmarks/plans/run.py --zcc build/bin/zcc --models DIR [--only NAME,...] [--devices 8,64,512]

DIR/NAME/loss.mlir is the text of a model. For every model and number of devices: the best of Megatron (data x tensor, all
powers of two), FSDP, hybrid FSDP, expert parallelism and embedding tables by row and by column, written with named axes, and
the chosen plan. Memory is not a limit here (--memory=100TB), so that all rows can be compared. A row ends with `ok` where
the chosen plan is predicted to be no slower than the best by hand. Exit status 1 if any is not.
"""
import argparse, json, os, re, subprocess, sys, tempfile


def predict(args, model, *options):
    """Predicted seconds of a step, and the text of the chosen plan; None where the plan is refused."""
    with tempfile.TemporaryDirectory() as folder:
        report, text, plan = f"{folder}/report.json", f"{folder}/out.mlir", f"{folder}/plan"
        command = [args.zcc, f"{args.models}/{model}/loss.mlir", f"--machine={args.machine}", "--memory=100TB", "--precision=bf16",
                   "--microbatches=1", "--remat=none", "--compile-to=scheduled", "-o", text, "--report", report, "--plan-out", plan, "--quiet", *options]
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if p.returncode != 0:
            return None, p.stderr.strip()[-200:]
        with open(report) as f:
            facts = json.load(f)
        with open(plan) as f:
            written = f.read()
        chosen = ",".join(f"{axis}={size}" for axis, size in facts["mesh"].items()) + f", ZeRO {facts['zero']}"
        shards = re.findall(r'^shard: "([^"]*)"', written, re.M)
        chosen += "".join(f", {shard}" for shard in shards[:1]) + (f" and {len(shards) - 1} more" if len(shards) > 1 else "")
        chosen += ", mixed" if re.search(r"^ops ", written, re.M) else ""
        return facts["predicted"]["step_seconds"], chosen


def powers(n):
    k = 1
    while k <= n:
        yield k
        k *= 2


def by_hand(model, n, tables):
    for t in powers(n):
        mesh = ",".join(f"{name}={size}" for name, size in (("data", n // t), ("tensor", t)) if size > 1)
        yield f"Megatron {mesh}", [f"--mesh={mesh}"]
    yield "FSDP", [f"--mesh=data={n}", "--zero=3"]
    if n > 8:
        yield "hybrid FSDP", [f"--mesh=host={n // 8},data=8", "--zero=3", "--zero-axes=data"] + \
            [f"--shard={name}=host+data" + ",-" * (rank - 1) for name, rank in tables["inputs"]]
    for e in powers(n):
        if tables["experts"] and e > 1 and tables["experts"] % e == 0:
            mesh = ",".join(f"{name}={size}" for name, size in (("data", n // e), ("expert", e)) if size > 1)
            yield f"experts {mesh}", [f"--mesh={mesh}"]
    for text, entry in (("rows", "data,-"), ("columns", "-,data")):
        if tables["tables"]:
            yield f"tables by {text}", [f"--mesh=data={n}", f"--shard={tables['tables']}={entry}"]


# Facts that a user knows about the models when writing a plan: inputs with their numbers of dims, experts, tables.
KNOWN = {
    "gpt-1.3b": {"inputs": [("x", 2), ("y", 2)], "experts": 0, "tables": "wte"},
    "gpt-175b": {"inputs": [("x", 2), ("y", 2)], "experts": 0, "tables": "wte"},
    "llama-70b": {"inputs": [("x", 2), ("y", 2)], "experts": 0, "tables": "embed"},
    "moe-52b": {"inputs": [("x", 2), ("y", 2)], "experts": 64, "tables": "embed"},
    "dlrm-100m-rows": {"inputs": [("dense", 2), ("ids", 2), ("click", 1)], "experts": 0, "tables": "tables.*"},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zcc", default="build/bin/zcc")
    parser.add_argument("--models", required=True)
    parser.add_argument("--machine", default="h100-dgx")
    parser.add_argument("--only", default=",".join(KNOWN))
    parser.add_argument("--devices", default="8,64,512")
    parser.add_argument("--all", action="store_true", help="every plan's time, not only the best")
    args = parser.parse_args()
    short = 0
    print(f"{'model':16} {'devices':>7} {'chosen':>10} {'by hand':>10} {'ratio':>6}  plans")
    for model in args.only.split(","):
        for n in map(int, args.devices.split(",")):
            seconds, chosen = predict(args, model, f"--mesh={n}")
            if seconds is None:
                print(f"{model:16} {n:7} refused: {chosen}")
                short += 1
                continue
            best, name = None, ""
            for plan, options in by_hand(model, n, KNOWN[model]):
                other, why = predict(args, model, *options)
                if args.all:
                    print(f"    {plan:40} {other if other is not None else why}", flush=True)
                if other is not None and (best is None or other < best):
                    best, name = other, plan
            ok = seconds <= best
            short += not ok
            print(f"{model:16} {n:7} {seconds * 1e3:8.1f}ms {best * 1e3:8.1f}ms {seconds / best:6.3f}  {chosen}; {name}  {'ok' if ok else 'SHORT'}", flush=True)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
