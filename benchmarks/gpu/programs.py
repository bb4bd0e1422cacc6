# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part that runs without peers: the conformance suite, models trained and compared with float64 losses, the same under compute-sanitizer."""
import glob
import json
import os
import shutil
import time

from running import HERE, Job


def suite(bench):
    begin = time.monotonic()
    args = bench.args
    words = [os.path.join(HERE, "bin", "conformance_run"), os.path.join(HERE, "cases", "cases.zexe"), os.path.join(HERE, "cases", "steps.txt"), args.driver]
    p, error = bench.call(words + ([args.cublaslt] if args.cublaslt else []))
    if not p:
        return bench.add("conformance", False, error=error)
    said = (p.stdout + p.stderr).strip().splitlines() or [""]
    for line in said[:-1][:40]:
        print("        " + line)
    bench.add("conformance", p.returncode == 0, said=said[-1], seconds=round(time.monotonic() - begin, 1))


def read(folder):
    with open(os.path.join(folder, "model.json")) as f:
        return json.load(f)


def folders():
    return sorted(glob.glob(os.path.join(HERE, "models", "*")))


def options_of(model):
    return [f"--{k.replace('_', '-')}={v}" for k, v in model["training"].items() if k != "optimizer"]


def train_all(bench, part, folder):
    """The runs of the part: near enough to float64, in the memory that was planned, and the same bits in each group of runs."""
    model = read(folder)
    # Results of the groups' first runs, which may have been in an earlier part.
    groups = dict(bench.facts(f"spine {os.path.basename(folder)}"))
    for run in model["runs"]:
        if run["part"] != part:
            continue
        name = f"{os.path.basename(folder)} {run['name']}"
        got = bench.train(os.path.join(folder, f"{run['program']}.zexe"), folder, bench.args.steps, [*options_of(model), *run["options"]])
        if "error" in got:
            bench.add(name, False, error=got["error"])
            continue
        wanted = model["loss"][:bench.args.steps]
        off = max(abs(a - b) / abs(b) for a, b in zip(got["losses"], wanted))
        wrong = {}
        if run["group"] and groups.setdefault(run["group"], got["losses"]) != got["losses"]:
            wrong["bits"] = "other than the group's first"
        if got["head"]["planned_bytes"] != got["head"]["allocated_bytes"]:
            wrong["memory"] = f"planned {got['head']['planned_bytes']}, allocated {got['head']['allocated_bytes']}"
        bench.add(name, len(got["losses"]) == len(wanted) and off <= run["bar"] and not wrong, off=f"{off:.1e}", bar=f"{run['bar']:.0e}",
                  milliseconds=round(got["seconds"] * 1e3, 3), **wrong)
    return groups


def sanitize(bench, tool, program, folder):
    name = f"{tool} {os.path.basename(folder)} {program}"
    sanitizer = bench.args.sanitizer or shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
    if not sanitizer:
        return bench.add(name, None, why="no compute-sanitizer, neither in the PATH nor in /usr/local/cuda/bin")
    begin = time.monotonic()
    got = bench.train(os.path.join(folder, f"{program}.zexe"), folder, 2, options_of(read(folder)),
                      before=[sanitizer, f"--tool={tool}", "--error-exitcode=9", "--print-limit=20"])
    bench.add(name, "error" not in got, **({"error": got["error"]} if "error" in got else {"seconds": round(time.monotonic() - begin, 1)}))


# Two models are enough, and small ones: each access to memory is looked at.
SANITIZED, TOOLS = ("mlp", "gpt2"), (("memcheck", "f32"), ("racecheck", "generated"))


def suite_jobs():
    return [Job("conformance", 60, suite)]


def model_jobs(part):
    return [Job(f"{part} {os.path.basename(folder)}", 50, lambda bench, folder=folder: train_all(bench, part, folder)) for folder in folders()
            if any(run["part"] == part for run in read(folder)["runs"])]


def sanitizer_jobs():
    return [Job(f"{tool} {os.path.basename(folder)}", 45, lambda bench, tool=tool, program=program, folder=folder: sanitize(bench, tool, program, folder))
            for folder in folders() if os.path.basename(folder) in SANITIZED for tool, program in TOOLS]
