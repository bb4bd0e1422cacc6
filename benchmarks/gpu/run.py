#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""On a machine with a GPU, beside what tools/package packed: the conformance suite, models trained and held against float64 losses, and where one was
packed a GPT beside PyTorch's and JAX's (gpt_peers.py).

    python3 run.py [--only suite,models,gpt] [--driver FILE] [--libraries FOLDER] [--steps 20] [--out FILE.json]

Several ranks share the GPU. Standard library only, but for the peers. Ends with `N passed, N failed`.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def find_library(folder, *names):
    """The library in the folder, or in a wheel of NVIDIA's; None: where the system has it."""
    folders = [folder] if folder else [os.path.join(path, "nvidia", "*", "lib") for path in sys.path]
    for pattern in folders:
        for name in names:
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


def train(args, program, data, steps, options, work, timeout=300):
    """(losses, median seconds of a step, what zrun said first, error)"""
    log = os.path.join(work, "log")
    if os.path.exists(log):
        os.remove(log)
    words = [os.path.join(HERE, "bin", "zrun"), program, "--cuda-driver", args.driver, *(["--cublaslt", args.cublaslt] if args.cublaslt else []),
             *(["--cudnn", args.cudnn] if args.cudnn else []), "--batches", os.path.join(data, "batches.safetensors"),
             "--params", os.path.join(data, "params.safetensors"), "--steps", str(steps), "--log", log, "--quiet", *options]
    try:
        p = subprocess.run(words, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, None, None, f"took more than {timeout} seconds"
    if p.returncode:
        return None, None, None, p.stderr.strip()[-400:]
    with open(log) as f:
        lines = [json.loads(line) for line in f]
    taken = [line for line in lines if "loss" in line]
    return [line["loss"] for line in taken], median(line["seconds"] for line in taken[2:] or taken), lines[0], ""


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def models(args, results):
    with tempfile.TemporaryDirectory(prefix="gpu-") as work:
        for folder in sorted(glob.glob(os.path.join(HERE, "models", "*"))):
            with open(os.path.join(folder, "model.json")) as f:
                model = json.load(f)
            groups = {}
            for program, facts in model["programs"].items():
                name = f"{os.path.basename(folder)} {program}"
                training = [f"--{k.replace('_', '-')}={v}" for k, v in model["training"].items() if k != "optimizer"]
                losses, seconds, _, error = train(args, os.path.join(folder, f"{program}.zexe"), folder, args.steps, training, work)
                if error:
                    results.add(name, False, error=error)
                    continue
                wanted = model["loss"][:args.steps]
                off = max(abs(a - b) / abs(b) for a, b in zip(losses, wanted))
                same = groups.setdefault(facts["group"] or program, losses) == losses
                results.add(name, len(losses) == len(wanted) and off <= facts["bar"] and same, off=f"{off:.1e}", bar=f"{facts['bar']:.0e}",
                            milliseconds=round(seconds * 1e3, 3), **({} if same else {"bits": "other than the group's first"}))


class UsedMemory:
    """The most that the driver reports as in use on the first GPU, above what was at the begin; None: nothing reports it."""

    def __enter__(self):
        self.most, self.over = None, False
        self.before = self.ask()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def ask(self):
        try:
            return int(subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True, text=True,
                                      timeout=10).stdout.split()[0]) << 20
        except (OSError, ValueError, IndexError, subprocess.TimeoutExpired):
            return None

    def watch(self):
        while not self.over and self.before is not None:
            used = self.ask()
            if used is not None:
                self.most = max(self.most or 0, used - self.before)
            time.sleep(0.1)

    def __exit__(self, *_):
        self.over = True
        self.thread.join()


def gpt(args, results):
    """A GPT in bf16 with float32 weights and moments. Bars: not slower than the fastest peer, losses within 2e-2 of PyTorch's; at most 1.3 of the
    step with the optimizer's state in the host's memory; Adam at 0.9 of the bandwidth of a copy and not slower than PyTorch's; memory as planned."""
    folder = os.path.join(HERE, "gpt")
    if not os.path.exists(folder):
        return
    with open(os.path.join(folder, "model.json")) as f:
        model = json.load(f)
    device = ["cpu"] if args.peers_on_cpu else []
    with tempfile.TemporaryDirectory(prefix="gpu-") as work:
        def peer(what, steps=args.steps):
            words = [sys.executable, os.path.join(HERE, "gpt_peers.py"), what, work, model["shape"], str(steps), *device]
            try:
                p = subprocess.run(words, capture_output=True, text=True, timeout=240)
            except subprocess.TimeoutExpired:
                return {"error": "took more than 240 seconds"}
            return json.loads(p.stdout.splitlines()[-1]) if p.returncode == 0 else {"error": p.stderr.strip()[-300:]}

        def zcc(program, *options, steps=args.steps):
            return train(args, os.path.join(folder, f"{program}.zexe"), work, steps, [*model["training"], *options], work)

        subprocess.run([sys.executable, os.path.join(HERE, "gpt_peers.py"), "init", work, model["shape"]], check=True)
        with UsedMemory() as used:
            losses, first, head, error = zcc("bf16")
        if error:
            return results.add("gpt zcc", False, error=error)
        planned = max(head["planned_bytes"]) + head.get("library_bytes", 0)
        peers = {}
        for what in args.peers.split(","):
            found = peer(what)
            if "error" in found:
                results.add(f"gpt {what}", False, error=found["error"])
                continue
            seconds = median(found["seconds"][args.steps // 2:])
            peers[what] = found["losses"], seconds
            results.add(f"gpt {what}", True, milliseconds=round(seconds * 1e3, 2), loss=round(found["losses"][-1], 4))
        _, second, _, _ = zcc("bf16")
        seconds = min(first, second or first)
        best = min((s for _, s in peers.values()), default=None)
        off = max((abs(a - b) / abs(b) for other, _ in peers.values() for a, b in zip(losses, other)), default=0)
        results.add("gpt zcc", (best is None or seconds <= best) and off <= 2e-2, milliseconds=round(seconds * 1e3, 2), loss=round(losses[-1], 4),
                    off=f"{off:.1e}", tflops=round(model["flops"] / seconds / 1e12, 1), **({"of_the_fastest_peer": round(seconds / best, 3)} if best else {}))
        if used.most is not None:
            results.add("gpt memory", abs(used.most / planned - 1) <= 0.02, used=used.most, planned=planned)
        _, offloaded, _, error = zcc("offloaded", steps=max(args.steps // 2, 4))
        results.add("gpt offloaded", not error and offloaded <= 1.3 * seconds, **({"error": error} if error else {"ratio": round(offloaded / seconds, 3)}))
        trace = os.path.join(work, "trace.json")
        _, _, _, error = zcc("bf16", "--trace", trace, steps=4)
        alone = peer("adam")
        if error or "error" in alone:
            return results.add("gpt adam", False, error=error or alone["error"])
        with open(trace) as f:
            events = json.load(f)["traceEvents"]
        own = sum(event["dur"] for event in events if "adamw" in event["name"]) * 1e-6
        theirs = median(alone["seconds"])
        moved = model["adam_bytes"] * alone["parameters"]
        results.add("gpt adam", own > 0 and moved / own >= 0.9 * alone["copy"] and own <= theirs, milliseconds=round(own * 1e3, 3),
                    pytorch=round(theirs * 1e3, 3), of_the_copy=round(moved / own / alone["copy"], 3) if own else 0)


PARTS = {"suite": suite, "models": models, "gpt": gpt}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--driver", default="libcuda.so.1")
    parser.add_argument("--libraries", help="folder with cuBLASLt and cuDNN [those of NVIDIA's wheels, if Python finds them]")
    parser.add_argument("--cublaslt", help="the file itself")
    parser.add_argument("--cudnn", help="likewise")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--peers", default="torch,torch-compile,torch-graphs,jax")
    parser.add_argument("--peers-on-cpu", action="store_true", help="to try this out without a GPU")
    parser.add_argument("--out", help="results as JSON")
    args = parser.parse_args()
    args.cublaslt = args.cublaslt or find_library(args.libraries, "libcublasLt.so.13", "libcublasLt.so.12")
    args.cudnn = args.cudnn or find_library(args.libraries, "libcudnn.so.9")
    results = Results()
    for part in args.only.split(","):
        PARTS[part](args, results)
    if args.out:
        with open(args.out, "w") as f:
            json.dump(results.rows, f, indent=1)
    print(f"{len(results.rows) - results.failed} passed, {results.failed} failed")
    sys.exit(results.failed != 0)


main()
