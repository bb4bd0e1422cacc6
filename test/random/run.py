# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs on random meshes against one device. Standard library only.

    run.py BIN_FOLDER [--first SEED] [--count N] [--keep FOLDER] [--variants N] [--minimize]
           [--reference | --overlap | --budget | --compress | --offload]

Seed by seed: a graph is drawn, trained 3 steps on one device, and trained again under random options (mesh, --shard, --zero,
--microbatches, --remat, annotations). Losses, first gradients and final parameters must agree within rounding (in f32, bf16 or f16),
and two stages of ZeRO on one mesh to the bit. With --reference, each set of options is trained on the targets reference and cpu instead; with --overlap, on a machine of
slow links with communication beside computation and without, on one of the targets, to the bit; with --budget, with all kept for the
backward pass and within a memory between what that needs and what full recomputation does, to the bit; with --compress, residuals in narrower
types on the targets reference and cpu, to the bit where all ops round alike; with --offload, with and without some of it in the host's memory, to
the bit. What the compiler may refuse is in `REFUSALS`; anything else fails. With --keep, what failed
is left there with the commands that show it; --minimize drops what is not needed to fail first.
"""
import argparse
import array
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from draw import Draw
from minimize import minimize

# Links on which tiny programs communicate about as long as they compute.
SLOW = """name: "slow"
ranks_share_node: true
peaks { type: "f32" flops: 1e10 }
memories { name: "device" bytes: 1e10 bandwidth: 1e10 }
links { name: "inner" devices: 2 latency: 1e-6 bandwidth: 1e9 }
links { name: "outer" latency: 1e-6 bandwidth: 1e9 }
"""
REFUSALS = ["needs the whole batch", "not yet", "the program has nothing of the kind"]
STEPS = 3
GRAPHS = {"model": "graph.mlir", "other": "sharded.mlir"}  # the latter has the sharding constraints


def save(file, tensors):
    head, body = {}, b""
    for name, (dtype, shape, values) in tensors.items():
        data = array.array({"F32": "f", "I32": "i", "U32": "I"}[dtype], values).tobytes()
        head[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(file, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + body)


def load(file):
    with open(file, "rb") as f:
        (n,) = struct.unpack("<Q", f.read(8))
        head, body = json.loads(f.read(n)), f.read()
    return {k: array.array("f", body[slice(*v["data_offsets"])]) for k, v in head.items() if k != "__metadata__"}


def write_data(graph, seed, folder):
    r = random.Random(seed * 7919 + 1)
    _, needed = graph.live()
    clipped = lambda: max(-2.0, min(2.0, r.gauss(0, 0.8)))
    parameters = {v.name: ("F32", v.shape, [r.uniform(-1, 1) for _ in range(v.size)]) for v in graph.parameters}
    element = {"f32": clipped, "i32": lambda: r.randint(0, 7), "ui32": lambda: r.getrandbits(32)}
    inputs = {v.name: (v.dtype.upper().replace("UI", "U"), (STEPS, *v.shape),
                       [element[v.dtype]() for _ in range(STEPS * v.size)]) for v in graph.inputs}
    save(os.path.join(folder, "params"), {k: v for k, v in parameters.items() if k in needed})
    save(os.path.join(folder, "batches"), {k: v for k, v in inputs.items() if k in needed})


class Outcome:
    """What a compilation and run came to: `bad` (a message, None if it ran), `refused`, and the numbers."""

    def __init__(self, bad=None, refused=None, losses=None, parameters=None, gradients=None):
        self.bad, self.refused = bad, refused
        self.losses, self.parameters, self.gradients = losses, parameters, gradients


class Runner:
    def __init__(self, binaries, work):
        self.binaries, self.work = binaries, work
        self.overlapped = 0  # programs with streams
        with open(self.path("slow.machine"), "w") as f:
            f.write(SLOW)

    def path(self, name):
        return os.path.join(self.work, name)

    def commands(self, options, folder=None, name="model"):
        folder = folder or self.work
        at = lambda n: os.path.join(folder, n)
        compile_ = [os.path.join(self.binaries, "zcc"), "--compile-from=graph", at(GRAPHS[name]), "-o", at(name + ".zexe"), "--quiet", *options]
        rates = ["--lr", "0.02", "--eps", "0.01", "--weight-decay", "0.1"] if "--optimizer=sgd" not in options else [
            "--lr", "0.1", "--momentum", "0.9"]
        run = [os.path.join(self.binaries, "zrun"), at(name + ".zexe"), "--params", at("params"), "--batches", at("batches"), "--steps",
               str(STEPS), "--threads", "1", "--log", at(name + ".log"), "--save-params", at(name + ".new"), "--save-grads",
               at(name + ".grads"), "--quiet", *rates]
        return compile_, run

    def peak(self, options):
        """Bytes of a device; None if it does not compile."""
        command = self.commands([*options, f"--report={self.path('report')}"])[0]
        if subprocess.run(command, capture_output=True, timeout=60).returncode:
            return None
        with open(self.path("report")) as f:
            return json.load(f)["memory"]["peak"]

    def try_(self, options, name="model"):
        compile_, run = self.commands(options, name=name)
        for what, command in (("zcc", compile_), ("zrun", run)):
            try:
                p = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
            except subprocess.TimeoutExpired:
                return Outcome(bad=f"{what} takes over a minute")
            if p.returncode:
                errors = [line for line in p.stderr.splitlines() if "error" in line] or p.stderr.splitlines()[-1:] or [""]
                message = errors[0].split("error: ", 1)[-1][:200]
                if p.returncode > 0 and any(text in p.stderr for text in REFUSALS):
                    return Outcome(refused=next(text for text in REFUSALS if text in p.stderr))
                return Outcome(bad=f"{what} exits {p.returncode}: {message}")
        if name == "other" and any(o.startswith("--machine") for o in options):
            with open(self.path("report")) as f:
                stages = json.load(f)["predicted"]["by_stage"]
            self.overlapped += any(len(stage["busy_seconds"]) > 1 for stage in stages)
        with open(self.path(name + ".log")) as f:
            losses = [line["loss"] for line in map(json.loads, f) if "step" in line]
        if not all(isinstance(x, (int, float)) and math.isfinite(x) for x in losses):
            return Outcome(bad=f"losses {losses}")
        return Outcome(losses=losses, parameters=load(self.path(name + ".new")), gradients=load(self.path(name + ".grads")))


def worst(got, want, scale):
    """Largest difference by tensor, over the tensor's largest element and a share of `scale`."""
    error = 0.0
    for name, b in want.items():
        a = got.get(name)
        if a is None or len(a) != len(b):
            return math.inf
        limit = max([abs(x) for x in b] + [scale])
        error = max([error] + [abs(x - y) / limit if x == x else math.inf for x, y in zip(a, b)])
    return error


def compare(one, other, functions=False, narrow=False):
    """None, or how the second differs from the first by more than rounding. `functions`: those too are rounded otherwise; the derivative
    of a saturated one, 1 - tanh(x)^2, is then known to some 1e-6, however small it is."""
    # Of 16 bits 8 (bf16) or 11 are digits, in every op.
    slack = 5e3 if narrow else 1
    error = max(abs(a - b) / max(abs(b), 0.3) for a, b in zip(other.losses, one.losses))
    if error > 1e-5 * slack:
        return f"losses differ by {error:.1e}"
    top = max([abs(x) for v in one.gradients.values() for x in v] + [1e-3])
    error = worst(other.gradients, one.gradients, 0.05 * (max(top, 1) if functions else top))
    if error > 2e-5 * slack:
        return f"gradients differ by {error:.1e}"
    error = worst(other.parameters, one.parameters, 0.1)
    if error > 2e-5 * slack:
        return f"parameters differ by {error:.1e}"
    return None


MESHES = ["data=2", "data=3", "data=4", "tensor=2", "tensor=3", "data=2,tensor=2", "data=2,tensor=3", "a=2,b=2", "a=2,b=2", "a=3,b=2",
          "data=2,a=2", "expert=2", "context=2", "data=2,context=2"]


def draw_mesh(r):
    text = r.choice(MESHES)
    return text, [pair.split("=")[0] for pair in text.split(",")]


def draw_constraints(r, graph, mesh):
    """Shardings of a few values that ops compute."""
    constraints = {}
    for op in graph.live()[0]:
        v = op.results[0]
        if op.name == "constant" or not v.rank or r.random() > 0.08:
            continue
        free = [axis for axis, _ in mesh]
        entries = [[] for _ in v.shape]
        for axis in r.sample(free, len(free)):
            if r.random() < 0.6:
                entries[r.randrange(v.rank)].append(f'"{axis}"')
        constraints[v.name] = "[" + ", ".join("[" + ", ".join(e + ['"?"'] * (r.random() < 0.5)) + "]" for e in entries) + "]"
    return constraints


def mesh_of(options):
    """Names and sizes of the axes, as --mesh has them."""
    given = [o.split("=", 1)[1] for o in options if o.startswith("--mesh=")]
    return [(pair.split("=")[0], int(pair.split("=")[1])) for pair in given[0].split(",")] if given else []


def draw_options(r, graph):
    """Options of one variant."""
    mesh, axes = draw_mesh(r)
    options = [f"--mesh={mesh}"] if r.random() < 0.9 else []
    if r.random() < 0.7:
        options.append(f"--zero={r.randrange(4)}")
    options.append(f"--microbatches={r.choice([1, 1, 1, 2, 2, 3])}")
    if r.random() < 0.6:
        options.append(f"--remat={r.choice(['none', 'full'])}")
    if r.random() < 0.15:
        options.append("--exact")
    _, needed = graph.live()
    for v in graph.parameters + graph.inputs:
        chance = 0.6 if "a" in axes else 0.2
        if options[0].startswith("--mesh") and v.name in needed and v.rank and r.random() < chance:
            free = [a for a in axes if v.dtype == "f32" or a != "data"]
            entries = [[] for _ in v.shape]
            for axis in r.sample(free, len(free)):
                if r.random() < 0.7:
                    d = r.randrange(v.rank)
                    # The roles: data shards the batch only, tensor and context never do.
                    batch = v in graph.inputs and d == 0
                    if axis in ("a", "b") or (axis in ("tensor", "context") and not batch):
                        entries[d].append(axis)
            if any(entries):
                options.append(f"--shard={v.name}=" + ",".join("+".join(e) or "-" for e in entries))
    return options


class Case:
    """A graph and two sets of options whose results must agree: `exactly`, or within rounding. The first has no constraints."""

    def __init__(self, seed, graph, base, options, exactly, constraints={}):
        self.seed, self.graph, self.base, self.options, self.exactly = seed, graph, base, options, exactly
        self.constraints = constraints

    def check(self, runner, one=None):
        """(what is wrong or None, what was refused or None); `one` is the outcome of the base, if known."""
        if one is None:
            with open(runner.path("graph.mlir"), "w") as f:
                f.write(self.graph.text())
            write_data(self.graph, self.seed, runner.work)
            one = runner.try_(self.base)
        with open(runner.path("sharded.mlir"), "w") as f:
            f.write(self.graph.text(mesh_of(self.options), self.constraints))
        if one.refused or one.bad:
            return (None, one.refused) if one.refused else ("the base: " + one.bad, None)
        other = runner.try_(self.options, "other")
        if other.refused or other.bad:
            return other.bad, other.refused
        if not self.exactly:
            narrow = any(o.startswith(("--precision", "--compress")) for o in self.base)
            return compare(one, other, "--target=reference" in self.base, narrow), None
        same = one.losses == other.losses and one.parameters == other.parameters
        return None if same else "other bits", None


# What the CPU computes by polynomials, rounded otherwise than libm's.
FUNCTIONS = {"tanh", "logistic", "sine", "cosine", "tan", "erf", "erfc", "erf_inv", "exponential", "exponential_minus_one", "log",
             "log_plus_one", "rsqrt", "cbrt", "power", "atan2", "attention"}


def cases(seed, graph, variants, reference=False, overlap=None, peak=None, compress=False, offload=None):
    """One device against variants; and, on one mesh, two stages of ZeRO. Or the reference backend against variants; or these with and
    without overlap, which options (of a folder) make; or, where `peak` tells what options need, within less memory; or residuals
    compressed, on both backends; or with some of it in the host's memory, with and without the streams that the options `offload` make."""
    r = random.Random(seed * 104729 + 5)
    optimizer = [f"--optimizer={r.choice(['adamw', 'sgd'])}"]
    if not (reference or compress) and r.random() < 0.3:
        optimizer.append(f"--precision={r.choice(['bf16', 'f16'])}")
    for _ in range(variants):
        options = draw_options(r, graph)
        if overlap:
            # What runs for each microbatch is hidden in other ways than what runs once.
            if r.random() < 0.5:
                options = [o for o in options if not o.startswith("--microbatches")] + [f"--microbatches={r.choice([2, 3, 4])}"]
            options += [*overlap, f"--target={r.choice(['cpu', 'reference'])}"]
            yield Case(seed, graph, optimizer + options + ["--disable=overlap"], optimizer + options, True)
            continue
        if offload:
            kinds = r.sample(["optimizer", "activations", "parameters"], r.randrange(1, 4))
            options = optimizer + options + (offload if r.random() < 0.7 else []) + [f"--target={r.choice(['cpu', 'reference'])}"]
            yield Case(seed, graph, options, options + [f"--offload={','.join(kinds)}"], True)
            continue
        if peak:
            options = optimizer + [o for o in options if not o.startswith("--remat")]
            top, low = (peak([*options, f"--remat={remat}"]) for remat in ("none", "full"))
            least = low and low + 512 # places are multiples of 64 bytes, and full recomputation may be luckier with them
            if top and least and least < top:
                yield Case(seed, graph, options + ["--remat=none"], options + [f"--memory={int(least + r.random() * (top - least))}"], True)
            continue
        if compress:
            options += [f"--compress={r.choice(['bf16', 'f8', 'int8'])}"]
            exact = not any(op.name in FUNCTIONS for op in graph.live()[0])
            yield Case(seed, graph, optimizer + options + ["--target=reference"], optimizer + options, exact)
            continue
        if reference:
            yield Case(seed, graph, optimizer + options + ["--target=reference"], optimizer + options, False)
            continue
        mesh = mesh_of(options)
        constraints = draw_constraints(r, graph, mesh) if mesh and r.random() < 0.3 else {}
        yield Case(seed, graph, optimizer, optimizer + options, False, constraints)
        if any(o.startswith("--zero") for o in options) and "--microbatches=1" in options and options[0].startswith("--mesh"):
            other = [f"--zero={r.randrange(4)}" if o.startswith("--zero") else o for o in options]
            if other != options:
                yield Case(seed, graph, optimizer + other, optimizer + options, True)


def keep(case, message, runner, folder, suffix=""):
    target = os.path.join(folder, f"{case.seed}{suffix}")
    os.makedirs(target, exist_ok=True)
    case.check(runner)  # writes the files
    for name in ("graph.mlir", "sharded.mlir", "params", "batches"):
        if os.path.exists(runner.path(name)):
            shutil.copy(runner.path(name), target)
    with open(os.path.join(target, "commands"), "w") as f:
        f.write(f"# seed {case.seed}: {message}\n")
        for options, name in ((case.base, "model"), (case.options, "other")):
            for command in runner.commands(options, target, name):
                f.write(" ".join(f"'{c}'" if "*" in c else c for c in command) + "\n")
    return target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--variants", type=int, default=2)
    parser.add_argument("--keep")
    parser.add_argument("--minimize", action="store_true")
    parser.add_argument("--reference", action="store_true")
    parser.add_argument("--overlap", action="store_true")
    parser.add_argument("--budget", action="store_true")
    parser.add_argument("--compress", action="store_true")
    parser.add_argument("--offload", action="store_true")
    a = parser.parse_args()
    work = tempfile.mkdtemp(prefix="zcc-random-")
    runner = Runner(os.path.abspath(a.bin), work)
    overlap = a.overlap and [f"--machine={runner.path('slow.machine')}", f"--report={runner.path('report')}"]
    offload = a.offload and [f"--machine={runner.path('slow.machine')}", f"--report={runner.path('report')}"]
    failed, runs, refusals, reasons = 0, 0, {}, {}
    for seed in range(a.first, a.first + a.count):
        graph = Draw(random.Random(seed), random.Random(seed).random() < 0.35).build()
        with open(runner.path("graph.mlir"), "w") as f:
            f.write(graph.text())
        write_data(graph, seed, work)
        known = {}
        for case in cases(seed, graph, a.variants, a.reference, overlap, a.budget and runner.peak, a.compress, offload):
            key = " ".join(case.base)
            if key not in known:
                known[key] = runner.try_(case.base)
            message, refused = case.check(runner, known[key])
            runs += 1
            if refused:
                refusals[refused] = refusals.get(refused, 0) + 1
            if message:
                failed += 1
                reasons.setdefault(message[:90], []).append(seed)
                print(f"FAILED  seed {seed} {' '.join(case.options)}{' against ' + key if case.exactly else ''}: {message}", flush=True)
                if a.minimize:
                    case = minimize(case, message, runner)
                if a.keep:
                    print("        see", keep(case, message, runner, a.keep, "-exact" if case.exactly else ""), flush=True)
                break
    shutil.rmtree(work)
    for text, count in refusals.items():
        print(f"refused {count}: {text}")
    for text, seeds in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(seeds):4} of: {text}   (seeds {' '.join(map(str, seeds[:12]))})")
    if a.overlap:
        print(f"{runner.overlapped} programs communicate beside computation")
    print(f"{a.count - failed} graphs passed, {failed} failed, {runs} comparisons")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
