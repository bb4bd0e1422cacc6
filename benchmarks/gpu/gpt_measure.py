# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GPT in bf16 with float32 weights and moments, beside PyTorch's and JAX's (gpt_peers.py).

Bars: not slower than the fastest peer, losses within 2e-2 of theirs; at most 1.3 of the step with the optimizer's state in the host's memory; Adam at 0.9
of the bandwidth of a copy and not slower than PyTorch's; memory as planned.
"""
import json
import os
import subprocess
import sys
import threading
import time

from running import HERE, Job, median

FOLDER = os.path.join(HERE, "gpt")


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


def model():
    with open(os.path.join(FOLDER, "model.json")) as f:
        return json.load(f)


def data(bench):
    """Returns the folder of weights and tokens: those that were packed, else random ones, made once a run."""
    if os.path.exists(os.path.join(FOLDER, "params.safetensors")):
        return FOLDER
    if not os.path.exists(os.path.join(bench.work, "batches.safetensors")):
        p, error = bench.call([sys.executable, os.path.join(HERE, "gpt_peers.py"), "init", bench.work, model()["shape"]])
        if not p or p.returncode:
            raise RuntimeError(error or p.stderr.strip()[-300:])
    return bench.work


def zcc(bench, program, *options, steps=None):
    return bench.train(os.path.join(FOLDER, f"{program}.zexe"), data(bench), steps or bench.args.steps, [*model()["training"], *options])


def tuned(bench):
    return ["--tune", bench.args.tune] if bench.args.tune else []


def own(bench, name, *options):
    with UsedMemory() as used:
        got = zcc(bench, "bf16", *options)
    if "error" in got:
        return bench.add(name, False, error=got["error"])
    bench.add(name, True, milliseconds=round(got["seconds"] * 1e3, 2), loss=round(got["losses"][-1], 4), utilization=round(got["utilization"], 3),
              tflops=round(model()["flops"] / got["seconds"] / 1e12, 1))
    return {"seconds": got["seconds"], "losses": got["losses"], "used": used.most,
            "planned": max(got["head"]["planned_bytes"]) + max(got["head"].get("library_bytes", [0]))}


def peer(bench, what, steps):
    device = ["cpu"] if bench.args.peers_on_cpu else []
    p, error = bench.call([sys.executable, os.path.join(HERE, "gpt_peers.py"), what, data(bench), model()["shape"], str(steps), *device])
    if not p or p.returncode:
        return {"error": error or p.stderr.strip()[-300:]}
    return json.loads(p.stdout.splitlines()[-1])


def measure_peer(bench, what):
    found = peer(bench, what, bench.args.steps)
    if "error" in found:
        return bench.add(f"gpt {what}", False, error=found["error"])
    seconds = median(found["seconds"][bench.args.steps // 2:])
    bench.add(f"gpt {what}", True, milliseconds=round(seconds * 1e3, 2), loss=round(found["losses"][-1], 4))
    return {"seconds": seconds, "losses": found["losses"]}


def judge(bench):
    """Compares the measurements with each other."""
    mine = [facts for facts in map(bench.facts, OWN) if facts]
    if not mine:
        return bench.add("gpt bars", False, error="zcc's own step was not measured")
    seconds = min(facts["seconds"] for facts in mine)
    theirs = {what: bench.facts(f"gpt {what}") for what in peers(bench.args)}
    best = min((facts["seconds"] for facts in theirs.values() if facts), default=None)
    if best is None:
        bench.add("gpt not slower", None, why="no peer was measured")
    else:
        bench.add("gpt not slower", seconds <= best, of_the_fastest_peer=round(seconds / best, 3))
    off = max((abs(a - b) / abs(b) for facts in theirs.values() if facts for own in mine for a, b in zip(own["losses"], facts["losses"])), default=None)
    if off is not None:
        bench.add("gpt losses", off <= 2e-2, off=f"{off:.1e}")
    used = [facts for facts in mine if facts["used"] is not None]
    if not used:
        bench.add("gpt memory", None, why="no nvidia-smi")
    for facts in used[:1]:
        bench.add("gpt memory", abs(facts["used"] / facts["planned"] - 1) <= 0.02, used=facts["used"], planned=facts["planned"])
    offloaded = bench.facts("gpt offloaded").get("seconds")
    if offloaded:
        ratio = round(offloaded / seconds, 3)
        if used:
            bench.add("gpt offload ratio", ratio <= 1.3, ratio=ratio)
        else:
            bench.add("gpt offload ratio", None, why="times of no GPU", ratio=ratio)


def offloaded(bench):
    got = zcc(bench, "offloaded", *tuned(bench), steps=max(bench.args.steps // 2, 4))
    if "error" in got:
        return bench.add("gpt offloaded", False, error=got["error"])
    bench.add("gpt offloaded", True, milliseconds=round(got["seconds"] * 1e3, 2))
    return {"seconds": got["seconds"]}


def adam(bench):
    trace = os.path.join(bench.work, "trace.json")
    got = zcc(bench, "bf16", *tuned(bench), "--trace", trace, steps=4)
    if "error" in got:
        return bench.add("gpt adam", False, error=got["error"])
    with open(trace) as f:
        events = [e for e in json.load(f)["traceEvents"] if e["ph"] == "X"]
    mine = sum(event["dur"] for event in events if "adamw" in event["name"] and event.get("args", {}).get("kind") != "progress") * 1e-6
    if not bench.args.peers:
        return bench.add("gpt adam", None, why="no peer measures a copy", milliseconds=round(mine * 1e3, 3))
    alone = peer(bench, "adam", bench.args.steps)
    if "error" in alone:
        return bench.add("gpt adam", False, error=alone["error"])
    theirs, moved = median(alone["seconds"]), model()["adam_bytes"] * alone["parameters"]
    bench.add("gpt adam", mine > 0 and moved / mine >= 0.9 * alone["copy"] and mine <= theirs, milliseconds=round(mine * 1e3, 3),
              pytorch=round(theirs * 1e3, 3), of_the_copy=round(moved / mine / alone["copy"], 3) if mine else 0)


OWN = ("gpt zcc", "gpt zcc tuned")


def peers(args):
    return [what for what in args.peers.split(",") if what]


def jobs(args):
    """All of one machine, so that they can be compared."""
    if not os.path.exists(FOLDER):
        return []
    job = lambda name, seconds, work: Job(name, seconds, work, group="gpt")
    return [job("gpt zcc", 50, lambda bench: own(bench, "gpt zcc")),
            *([job("gpt zcc tuned", 30, lambda bench: own(bench, "gpt zcc tuned", *tuned(bench)))] if args.tune else []),
            *(job(f"gpt {what}", 60, lambda bench, what=what: measure_peer(bench, what)) for what in peers(args)),
            job("gpt offloaded", 30, offloaded), job("gpt adam", 40, adam), job("gpt bars", 1, judge)]
