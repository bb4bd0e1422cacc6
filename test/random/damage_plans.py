# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged plans, descriptions of machines and problems for solvers: refused with a place, or taken. Standard library only.

    damage_plans.py BIN_FOLDER [--first SEED] [--count N] [--only plan,machine,sharding,memory] [--zcc PROGRAM]

Seed by seed: a plan that zcc wrote, a machine that it knows, or a sharding or memory problem is cut, flipped, repeated, nested
deeply, or gets huge and odd numbers and names. zcc and zcc-solve must end with status 0, 1 or 2 in time, never by a signal;
what is refused has a line `error: ` that names the file, an option, or a place in the model.
"""
import glob
import json
import os
import random
import re
import subprocess
import tempfile

from sweep import finish, parser, sweep

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
MACHINES = os.path.join(HERE, "..", "..", "planning", "machines")
NUMBERS = ["0", "-1", "1", "2", "3", "7", "1e308", "1e999", "-1e999", "nan", "inf", "9223372036854775807", "9223372036854775808",
           "-9223372036854775808", "18446744073709551616", "4294967296", "16777216", "16777217", "0x7fffffff", "1e-320", "00", "1.5"]
TEXTS = ["", "data", "tensor", "micro", "pipe", "data:(2)2", "data:(1)9", "*", "w1", "=", "w1=data,-", "x" * 5000, "\\000", "\\377",
         "data+data/64", "/0", "data/64", "/-1", "/99999999999999999", "null", "true", "{", "}", "f32", "device", "train.add m.py:1"]


def damaged(rng, text):
    """One to three places become something else."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        kind, at = rng.randrange(10), rng.randrange(len(text) + 1)
        lines = text.splitlines(keepends=True) or [""]
        number, quoted = list(re.finditer(r"(?<![\w.])-?\d[\d.e+]*", text)), list(re.finditer(r'"[^"\n]*"', text))
        if kind == 0:
            text = text[:at]
        elif kind == 1 and at < len(text):
            text = text[:at] + chr(ord(text[at]) ^ 1 << rng.randrange(8) & 0xff) + text[at + 1:]
        elif kind == 2:
            text = text[:at] + text[at + rng.randint(1, 40):]
        elif kind == 3:
            text = text[:at] + "".join(chr(rng.randrange(256)) for _ in range(rng.randint(1, 20))) + text[at:]
        elif kind in (4, 5) and number:
            m = rng.choice(number)
            text = text[:m.start()] + rng.choice(NUMBERS) + text[m.end():]
        elif kind in (6, 7) and quoted:
            m = rng.choice(quoted)
            text = text[:m.start()] + '"' + rng.choice(TEXTS) + '"' + text[m.end():]
        elif kind == 8:  # a line again, there or elsewhere
            lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
            text = "".join(lines)
        else:
            deep = rng.choice((3, 100, 20000))
            text = text[:at] + rng.choice("{[<(") * deep + text[at:]
    return text


def sharding_problem(rng):
    """Some nodes, joined at random."""
    sizes = [rng.randint(1, 4) for _ in range(rng.randint(1, 6))]
    nodes = [{"name": f"n{i}", "strategies": [{"name": f"s{s}", "cost": rng.random(), "memory": rng.randrange(100)} for s in range(n)]}
             for i, n in enumerate(sizes)]
    edges = [{"from": f"n{a}", "to": f"n{b}", "cost": [[rng.choice((0, 1.5, None)) for _ in range(sizes[b])] for _ in range(sizes[a])]}
             for a in range(len(sizes)) for b in range(a) if rng.random() < 0.6]
    return json.dumps({"nodes": nodes, "edges": edges, "capacity": rng.randrange(500)}, indent=1)


def memory_problem(rng):
    rows = [f"{i},{t},{t + rng.randint(1, 9)},{rng.randrange(1000)}" for i in range(rng.randint(1, 30)) for t in [rng.randrange(50)]]
    return "\n".join(["id,lower,upper,size", *rows]) + "\n"


def chain_problem(rng):
    n = rng.randint(1, 12)
    nodes = [{"id": i + 1, "fwd_time": rng.randrange(9), "bwd_time": rng.random(), "activation_bytes": rng.randrange(99) * (i + 1 < n),
              "gradient_bytes": rng.randrange(99) * (i + 1 < n), "forward_transient_bytes": rng.randrange(9),
              "options": [{"saved_bytes": rng.randrange(99), "extra_time": rng.random(), "forward_transient_bytes": rng.randrange(9),
                           "backward_transient_bytes": rng.randrange(9)} for _ in range(rng.randint(1, 3))]} for i in range(n)]
    return json.dumps({"n": n, "input_bytes": rng.randrange(99), "nodes": nodes}, indent=1)


PROBLEMS = {"sharding": sharding_problem, "memory": memory_problem, "remat": chain_problem}


class Bench:
    def __init__(self, folder, zcc):
        self.folder, self.work = os.path.abspath(folder), tempfile.mkdtemp(prefix="zcc-damage-")
        zcc = os.path.abspath(zcc or os.path.join(folder, "zcc"))
        os.chdir(self.work)
        self.plans = []
        for model, options in (("mlp", ["--mesh=data=2,tensor=2", "--zero=3"]), ("dlrm", ["--mesh=4", "--machine=h100-dgx"]),
                               ("mlp", ["--mesh=data=2", "--microbatches=2", "--zero-axes=data", "--shard=w1=data,-", "--memory=1GB", "--remat=full",
                                        "--schedule=1f1b"])):
            subprocess.run([zcc, self.model(model), *options, "--compile-to=sharded", "-o", "out.mlir", "--quiet",
                            "--plan-out", "whole.plan"], check=True, stderr=subprocess.DEVNULL)
            with open("whole.plan") as f:
                self.plans.append((model, f.read()))
        self.machines = []
        for name in sorted(glob.glob(os.path.join(MACHINES, "*.textproto"))):
            with open(name) as f:
                self.machines.append(f.read())

    @staticmethod
    def model(name):
        return os.path.join(DATA, name, "loss.mlir")

    def try_one(self, seed, kinds):
        """Returns an error or None, and true if the damage was refused."""
        rng = random.Random(seed)
        kind = rng.choice(kinds)
        file = f"damaged.{kind}"
        zcc, solve = os.path.join(self.folder, "zcc"), os.path.join(self.folder, "zcc-solve")
        to = ["--compile-to=sharded", "-o", "out.mlir", "--quiet"]
        if kind == "plan":
            model, text = rng.choice(self.plans)
            line = [zcc, self.model(model), "--plan", file, *to]
        elif kind == "machine":
            text = rng.choice(self.machines)
            line = [zcc, self.model("mlp"), "--machine", file, "--mesh=4", *to]
        else:
            text = PROBLEMS[kind](rng)
            line = [solve, kind, file]
        with open(file, "w", encoding="latin-1") as f:
            f.write(damaged(rng, text))
        try:
            p = subprocess.run(line, capture_output=True, text=True, errors="replace", timeout=120)
        except subprocess.TimeoutExpired:
            return f"{kind}: still running after 120 s", False
        if p.returncode not in ((0, 1, 2) if kind in PROBLEMS else (0, 2)):
            return f"{kind}: exit {p.returncode}: {p.stderr[-2000:]}", False
        errors = [line for line in p.stderr.splitlines() if "error: " in line]
        if p.returncode and not errors:
            return f"{kind}: exit {p.returncode} without an error: {p.stderr[-500:]}", False
        placed = (file, "--", "loc", ".py:", "params[", "batch[", "memory:", "nothing", "dist.mesh")
        if p.returncode and not any(mark in line for line in errors for mark in placed):
            return f"{kind}: refused without a place: {p.stderr[-500:]}", False
        return None, p.returncode != 0


def main():
    options = parser("writes the plans, where the programs under test are slow")
    options.add_argument("--only", default="plan,machine,sharding,memory,remat")
    args = options.parse_args()
    bench = Bench(args.bin, args.zcc)
    finish(args, *sweep(args, lambda seed: bench.try_one(seed, args.only.split(",")), bench.work))


main()
