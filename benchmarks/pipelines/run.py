#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines of one core a stage: against PyTorch's, and what zb-h1 gains on 1f1b over slow links, measured against predicted.

    python3 benchmarks/pipelines/run.py [--modes peers,delayed] [--shape 12,256,8,256,256,16] [--stages 2] [--microbatches 8] [--rounds 10] [--turns 1]
                                        [--latency 0.1,...] [--machine FILE] [--real-time] [--bin build/bin] [--out FILE.json]

peers: gpipe, 1f1b and zb-h1 of a GPT (LAYERS,WIDTH,HEADS,SEQUENCE,VOCABULARY,BATCH) beside torch.distributed.pipelining's ScheduleGPipe, Schedule1F1B and
ScheduleInterleavedZeroBubble with one stage a rank (ZB1P), and zb-v beside ScheduleZBVZeroBubble: a process a stage, over gloo, one thread a process, the same
weights and batch. A ratio is the mean of the paired ratios zcc / PyTorch, with its 95 % interval. Losses are compared over all steps taken.

delayed: 1f1b and zb-h1 where each transfer takes `latency` of the time of a microbatch on a stage (zrun --link-delay, and in the machine that zcc plans for). The gain is
the mean of the paired differences, beside the difference of the two reports. Within 20 % is the bar. Calibrates first, unless --machine names a description.

All contestants of a mode are alive at once and step in turns, in an order that changes from round to round. Needs jax, torch, numpy and safetensors.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("step_time", "overlap")] + [HERE]

from stepping import ROOT, Zcc, ensure_environment, measure  # noqa: E402

ensure_environment("torch")
import models  # noqa: E402
from compare import interval, mean  # noqa: E402
from links import slow_link  # noqa: E402
from torch_ranks import TorchRanks  # noqa: E402

LAUNCH = os.path.join(ROOT, "test", "tools", "launch.py")
PEERS = {"gpipe": "gpipe", "1f1b": "1f1b", "zb-h1": "zb", "zb-v": "zb-v"}  # zcc's schedule: PyTorch's
APART = 1e-4  # of losses
RATE = 10e9  # of slow links, bytes a second: their latency is what counts


class Recorded:
    """A contestant whose losses are kept."""

    def __init__(self, one):
        self.one, self.losses = one, []

    def step(self):
        self.losses.append(self.one.step())

    def close(self):
        self.one.close()


def close(contestants):
    for one in contestants.values():
        one.close()


def options(args, schedule):
    return f"--mesh=pipe={args.stages}", f"--microbatches={args.microbatches}", f"--schedule={schedule}", "--zero=0"


def peers(args):
    import torch_stages
    contestants = {}
    launcher = (sys.executable, LAUNCH, str(args.stages))
    batch = models.MODELS["gpt"]()[2]
    try:
        for schedule, peer in PEERS.items():
            ours = Zcc("gpt", args.bin, *options(args, schedule), running=("--threads=1",), launcher=launcher)
            contestants["zcc " + schedule] = Recorded(ours)
            arguments = (peer, ours.folder, args.shape, args.microbatches, batch)
            contestants["torch " + peer] = Recorded(TorchRanks(args.stages, torch_stages.make, *arguments, sums=True))
        times = measure(contestants, args.rounds, args.turns)
        losses = {name: one.losses for name, one in contestants.items()}
    finally:
        close(contestants)
    seconds = {name: statistics.median(own) for name, own in times.items()}
    expected = next(iter(losses.values()))
    apart = max(abs(a - b) / abs(b) for own in losses.values() for a, b in zip(own, expected))
    print(f"GPT {','.join(map(str, args.shape))}, pipe={args.stages}, {args.microbatches} microbatches, {len(expected)} steps from a loss of {expected[0]:.4f} to one "
          f"of {expected[-1]:.4f}, apart by {apart:.1e} at most{'' if apart <= APART else ': too far'}")
    rows = []
    for schedule, peer in PEERS.items():
        ours, theirs = "zcc " + schedule, "torch " + peer
        ratio = interval(times[theirs], times[ours])
        print(f"{ours:12}{1e3 * seconds[ours]:9.1f} ms   {theirs:12}{1e3 * seconds[theirs]:9.1f} ms   " + "{:.3f} ({:.3f} to {:.3f})".format(*ratio) +
              ("" if ratio[0] < 1 else " slower"), flush=True)
        rows.append({"schedule": schedule, "zcc": seconds[ours], "torch": seconds[theirs], "ratio": ratio})
    return {"apart": apart, "rows": rows}


def delayed(args, share, folder):
    contestants = {}

    def start(schedule, machine, *running):
        return Zcc("gpt", args.bin, *options(args, schedule), machine, running=("--threads=1", *running))

    try:
        contestants["plain"] = start("1f1b", "--machine=" + args.machine)
        plain = statistics.median(measure(contestants, args.rounds, args.turns)["plain"])
        contestants.pop("plain").close()
        latency = share * plain / (args.microbatches + args.stages - 1)
        slow = slow_link(args.machine, os.path.join(folder, "slow.textproto"), args.stages, RATE, latency)
        for schedule in ("1f1b", "zb-h1"):
            contestants[schedule] = start(schedule, slow, f"--link-delay={1e3 * latency:.4f}ms,{RATE / 1e9:g}GB/s")
        times = measure(contestants, args.rounds, args.turns)
        predicted = {schedule: one.report["predicted"]["step_seconds"] for schedule, one in contestants.items()}
    finally:
        close(contestants)
    seconds = {schedule: statistics.median(own) for schedule, own in times.items()}
    gain, expected = mean([a - b for a, b in zip(times["1f1b"], times["zb-h1"])]), predicted["1f1b"] - predicted["zb-h1"]
    ratio = gain[0] / expected
    print(f"transfers of {1e3 * latency:.1f} ms, {share} of a microbatch; measured (predicted): " +
          ", ".join(f"{schedule} {1e3 * seconds[schedule]:.1f} ({1e3 * predicted[schedule]:.1f}) ms" for schedule in seconds))
    print("zb-h1 gains {:.1f} ({:.1f} to {:.1f}) ms".format(*(1e3 * x for x in gain)) + f", predicted {1e3 * expected:.1f} ms: {ratio:.2f}; its step over "
          f"1f1b's {seconds['zb-h1'] / seconds['1f1b']:.3f}, predicted {predicted['zb-h1'] / predicted['1f1b']:.3f}{'' if .8 <= ratio <= 1.2 else ' off'}", flush=True)
    return {"latency": latency, "seconds": seconds, "predicted": predicted, "gain": gain, "predicted_gain": expected, "ratio": ratio}


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--modes", default="peers,delayed")
    a.add_argument("--shape", default="12,256,8,256,256,16", type=lambda text: tuple(map(int, text.split(","))))
    a.add_argument("--stages", type=int, default=2)
    a.add_argument("--microbatches", type=int, default=8)
    a.add_argument("--rounds", type=int, default=10)
    a.add_argument("--turns", type=int, default=1, help="steps of a turn, of which the best counts")
    a.add_argument("--latency", default="0.1", type=lambda text: [float(x) for x in text.split(",")], help="of a transfer, in microbatches on a stage")
    a.add_argument("--machine", help="the description of this machine")
    a.add_argument("--real-time", action="store_true", help="run all contestants above other load (needs the right to)")
    a.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    a.add_argument("--out")
    args = a.parse_args()
    if args.real_time:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(5))
    models.MODELS["gpt"] = lambda: models.gpt2(*args.shape)
    results = {"unit": "seconds"}
    if "peers" in args.modes.split(","):
        results["peers"] = peers(args)
    if "delayed" in args.modes.split(","):
        with tempfile.TemporaryDirectory(prefix="zcc-pipelines-") as folder:
            if not args.machine:
                args.machine = os.path.join(folder, "this.textproto")
                subprocess.run([os.path.join(args.bin, "zcc-calibrate"), "-o", args.machine], check=True)
            results["delayed"] = [delayed(args, share, folder) for share in args.latency]
    if args.out:
        with open(args.out, "w") as f:
            json.dump(results, f, indent=1)


if __name__ == "__main__":
    main()
