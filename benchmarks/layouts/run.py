# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains one PyTorch model with one seed on many layouts, and tables the losses.

    python benchmarks/layouts/run.py [--steps 10] [--table FILE.md] [--picture FILE.svg]

The model is a GPT-2 of transformers with tied embeddings and dropout; its batches have padded labels, another number in each
row. Layouts of one group promise the same bits. Prints one line a layout; exit status 1 if one breaks its promise.
"""
import argparse
import os
import re
import socket
import subprocess
import sys

import numpy as np

STEPS, ROWS, LENGTH, WORDS = 10, 8, 32, 96
# Losses of layouts that divide sums differently may differ by this, relatively.
BAR = 5e-6

# Groups of layouts that promise the same bits, by what divides the sums.
LAYOUTS = {
    "one device": {
        "1 device": {},
        "1 device, everything computed again": {"remat": "full"},
        "1 device, optimizer state on the host": {"offload": "optimizer"},
    },
    "data=2": {
        "data=2": {"mesh": "data=2", "zero": 0},
        "data=2, ZeRO 1": {"mesh": "data=2", "zero": 1},
        "data=2, ZeRO 2": {"mesh": "data=2", "zero": 2},
        "data=2, ZeRO 3": {"mesh": "data=2", "zero": 3},
        "data=2, ZeRO 3, 2 processes over TCP": {"mesh": "data=2", "zero": 3, "processes": "tcp"},
        "data=2, ZeRO 3, 2 processes under mpirun": {"mesh": "data=2", "zero": 3, "processes": "mpi"},
    },
    "data=4": {
        "data=4, ZeRO 1": {"mesh": "data=4", "zero": 1},
        "data=4, ZeRO 3": {"mesh": "data=4", "zero": 3},
    },
    "tensor=2": {"tensor=2": {"mesh": "tensor=2"}},
    "context=2": {"context=2": {"mesh": "context=2"}},
    "data=2,tensor=2": {
        "data=2,tensor=2, ZeRO 1": {"mesh": "data=2,tensor=2", "zero": 1},
        "data=2,tensor=2, ZeRO 3": {"mesh": "data=2,tensor=2", "zero": 3},
    },
    "data=2,context=2": {"data=2,context=2": {"mesh": "data=2,context=2"}},
    "4 microbatches": {
        "1 device, 4 microbatches": {"microbatches": 4},
        "pipe=2, gpipe": {"mesh": "pipe=2", "microbatches": 4, "schedule": "gpipe"},
        "pipe=2, 1f1b": {"mesh": "pipe=2", "microbatches": 4, "schedule": "1f1b"},
        "pipe=2, interleaved:2": {"mesh": "pipe=2", "microbatches": 4, "schedule": "interleaved:2"},
        "pipe=2, zb-h1": {"mesh": "pipe=2", "microbatches": 4, "schedule": "zb-h1"},
        "pipe=2, zb-v": {"mesh": "pipe=2", "microbatches": 4, "schedule": "zb-v"},
        "pipe=4, 1f1b": {"mesh": "pipe=4", "microbatches": 4, "schedule": "1f1b"},
    },
    "data=2,pipe=2, 4 microbatches": {
        # By default sums over the network may come before those over microbatches; --exact keeps the order.
        "data=2,pipe=2, ZeRO 1, exact": {"mesh": "data=2,pipe=2", "microbatches": 4, "zero": 1, "exact": True},
        "data=2,pipe=2, ZeRO 3, exact": {"mesh": "data=2,pipe=2", "microbatches": 4, "zero": 3, "exact": True},
    },
    "tensor=2,pipe=2, 4 microbatches": {"tensor=2,pipe=2": {"mesh": "tensor=2,pipe=2", "microbatches": 4}},
    "a bare mesh": {"4 (roles chosen)": {"mesh": "4"}},
}


def model():
    import torch
    import transformers

    torch.manual_seed(0)
    config = transformers.GPT2Config(vocab_size=WORDS, n_positions=LENGTH, n_embd=64, n_layer=4, n_head=4)
    return transformers.GPT2LMHeadModel(config).train()


def batches(steps):
    random = np.random.default_rng(0)
    for _ in range(steps):
        tokens = random.integers(0, WORDS, (ROWS, LENGTH))
        kept = np.arange(LENGTH) < random.integers(4, LENGTH + 1, (ROWS, 1))
        yield {"input_ids": tokens, "labels": np.where(kept, tokens, -100)}


def train(options, steps):
    import zcc

    data = list(batches(steps))
    with zcc.compile(model(), data[0], optimizer=zcc.AdamW(lr=1e-3, weight_decay=0.1), clip_norm=1.0, seed=1, quiet=True, **options) as step:
        return [step(batch).loss for batch in data]


def in_processes(options, steps):
    """Trains in one process a rank; returns the losses of the first."""
    options = dict(options)
    kind = options.pop("processes")
    command = [sys.executable, os.path.abspath(__file__), "--steps", str(steps), "--one", repr(options)]
    if kind == "mpi":
        done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2", *command], capture_output=True, text=True)
        outputs, failed = [done.stdout], done.returncode
        errors = done.stderr
    else:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={
            **os.environ, "RANK": str(r), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}) for r in range(2)]
        ended = [p.communicate() for p in started]
        outputs, failed, errors = [o for o, _ in ended], any(p.returncode for p in started), "".join(e for _, e in ended)
    if failed:
        raise RuntimeError(errors[-2000:])
    return [float(x) for x in re.search(r"losses ([^\n]*)", outputs[0])[1].split()]


def picture(rows, file):
    """Draws the relative difference of each layout's last loss from that of one device."""
    left, width, line = 300, 420, 18
    height = 60 + line * len(rows)
    at = lambda off: left + width / 2 * (1 + off / BAR)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 40}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{left + width + 40}" height="{height}" fill="white"/>',
           f'<text x="{left + width / 2}" y="16" text-anchor="middle">difference from one device, step {STEPS}</text>']
    for mark in (-BAR, -BAR / 2, 0, BAR / 2, BAR):
        out.append(f'<line x1="{at(mark):.1f}" x2="{at(mark):.1f}" y1="24" y2="{height - 24}" stroke="{"#999" if mark == 0 else "#ddd"}"/>')
        out.append(f'<text x="{at(mark):.1f}" y="{height - 8}" text-anchor="middle" fill="#555">{mark:+.1e}</text>' if mark else
                   f'<text x="{at(0):.1f}" y="{height - 8}" text-anchor="middle" fill="#555">0</text>')
    for i, (_, name, _, off) in enumerate(rows):
        y = 38 + line * i
        out.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{name}</text>')
        out.append(f'<circle cx="{at(off):.1f}" cy="{y}" r="4" fill="#2563a8"><title>{name}: {off:+.2e}</title></circle>')
    with open(file, "w") as f:
        f.write("\n".join(out) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--table")
    parser.add_argument("--picture")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        os.write(1, ("losses " + " ".join(map(repr, train(eval(asked.one), asked.steps))) + "\n").encode())
        return 0
    rows, broken, first = [], 0, None
    for group, layouts in LAYOUTS.items():
        own = None
        for name, options in layouts.items():
            losses = (in_processes if "processes" in options else train)(options, asked.steps)
            first, own = first or losses, own or losses
            off = (losses[-1] - first[-1]) / first[-1]
            worst = max(abs(a - b) / abs(b) for a, b in zip(losses, first))
            said = "" if losses == own else "  OTHER BITS THAN ITS GROUP"
            said += "" if worst <= BAR else f"  OFF BY {worst:.1e}"
            broken += bool(said)
            rows.append((group, name, losses[-1], off))
            print(f"{name:45s} {losses[-1]:.7f} {off:+.1e}{said}", flush=True)
    if asked.table:
        with open(asked.table, "w") as f:
            f.write(f"| same bits within | layout | loss of step {asked.steps} | relative to one device |\n|---|---|---|---|\n")
            for i, (group, name, loss, off) in enumerate(rows):
                shown = group if i == 0 or rows[i - 1][0] != group else ""
                f.write(f"| {shown} | {name} | {loss:.7f} | {off:+.1e} |\n" if off else f"| {shown} | {name} | {loss:.7f} | 0 |\n")
    if asked.picture:
        picture(rows, asked.picture)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
