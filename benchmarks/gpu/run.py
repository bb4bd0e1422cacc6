#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""On a machine with a GPU, beside what tools/package packed: the conformance suite, and models trained and held against float64 losses.

    python3 run.py [--only suite,models] [--driver FILE] [--libraries FOLDER] [--steps 20] [--out FILE.json]

Several ranks share the GPU. Standard library only. Ends with `N passed, N failed`.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def find_library(folder):
    """cuBLASLt in the folder, or in a wheel of NVIDIA's; None: where the system has it."""
    folders = [folder] if folder else [os.path.join(path, "nvidia", "*", "lib") for path in sys.path]
    for pattern in folders:
        for name in ("libcublasLt.so.13", "libcublasLt.so.12"):
            for file in sorted(glob.glob(os.path.join(pattern, name))):
                return file
    return None


class Results:
    def __init__(self):
        self.rows, self.failed = [], 0

    def add(self, name, good, **facts):
        self.failed += not good
        self.rows.append({"name": name, "good": good, **facts})
        print(f"{'ok' if good else 'FAILED':8}{name:28}" + "  ".join(f"{k} {v}" for k, v in facts.items()), flush=True)


def suite(args, results):
    begin = time.time()
    words = [os.path.join(HERE, "bin", "conformance_run"), os.path.join(HERE, "cases", "cases.zexe"), os.path.join(HERE, "cases", "steps.txt"),
             args.driver] + ([args.cublaslt] if args.cublaslt else [])
    p = subprocess.run(words, capture_output=True, text=True)
    said = (p.stdout + p.stderr).strip().splitlines() or [""]
    for line in said[:-1][:40]:
        print("        " + line)
    results.add("conformance", p.returncode == 0, said=said[-1], seconds=round(time.time() - begin, 1))


def train(args, folder, program, training, work):
    log = os.path.join(work, "log")
    if os.path.exists(log):
        os.remove(log)
    words = [os.path.join(HERE, "bin", "zrun"), os.path.join(folder, f"{program}.zexe"), "--cuda-driver", args.driver,
             *(["--cublaslt", args.cublaslt] if args.cublaslt else []), "--batches", os.path.join(folder, "batches.safetensors"),
             "--params", os.path.join(folder, "params.safetensors"), "--steps", str(args.steps), "--log", log, "--quiet",
             *(f"--{k.replace('_', '-')}={v}" for k, v in training.items() if k != "optimizer")]
    try:
        p = subprocess.run(words, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, None, "took more than 300 seconds"
    if p.returncode:
        return None, None, p.stderr.strip()[-400:]
    with open(log) as f:
        lines = [line for line in map(json.loads, f) if "loss" in line]
    seconds = sorted(line["seconds"] for line in lines[2:] or lines)
    return [line["loss"] for line in lines], seconds[len(seconds) // 2], ""


def models(args, results):
    with tempfile.TemporaryDirectory(prefix="gpu-") as work:
        for folder in sorted(glob.glob(os.path.join(HERE, "models", "*"))):
            with open(os.path.join(folder, "model.json")) as f:
                model = json.load(f)
            groups = {}
            for program, facts in model["programs"].items():
                name = f"{os.path.basename(folder)} {program}"
                losses, seconds, error = train(args, folder, program, model["training"], work)
                if error:
                    results.add(name, False, error=error)
                    continue
                wanted = model["loss"][:args.steps]
                off = max(abs(a - b) / abs(b) for a, b in zip(losses, wanted))
                same = groups.setdefault(facts["group"] or program, losses) == losses
                results.add(name, len(losses) == len(wanted) and off <= facts["bar"] and same, off=f"{off:.1e}", bar=f"{facts['bar']:.0e}",
                            milliseconds=round(seconds * 1e3, 3), **({} if same else {"bits": "other than the group's first"}))


PARTS = {"suite": suite, "models": models}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--driver", default="libcuda.so.1")
    parser.add_argument("--libraries", help="folder with cuBLASLt [that of NVIDIA's wheels, if Python finds them]")
    parser.add_argument("--cublaslt", help="the file itself")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--out", help="results as JSON")
    args = parser.parse_args()
    args.cublaslt = args.cublaslt or find_library(args.libraries)
    results = Results()
    for part in args.only.split(","):
        PARTS[part](args, results)
    if args.out:
        with open(args.out, "w") as f:
            json.dump(results.rows, f, indent=1)
    print(f"{len(results.rows) - results.failed} passed, {results.failed} failed")
    sys.exit(results.failed != 0)


main()
