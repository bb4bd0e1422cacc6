# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and trains a drawn graph, and compares the outcomes of two programs."""
import array
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import zlib

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from kernels import kernel_cache

REFUSALS = ["needs the whole batch", "not yet", "the program has nothing of the kind", "cannot be cut into", "expected a multiple of",
            "takes gradients of weights as tasks of their own", "takes groups of at least as many microbatches"]
STEPS = 3
LONGEST = 120  # seconds of a program
PART = re.compile(rb"_part[0-9]+")  # kernels that zcc-split-steps makes
TURN = re.compile(rb"_turn[0-9]+")  # tasks that zcc-interleave-runs makes
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
    """The outcome of a compilation and run: `bad` (a message, None if it ran), `refused`, the numbers, and facts of the program."""

    def __init__(self, bad=None, refused=None, losses=None, parameters=None, gradients=None, facts=None):
        self.bad, self.refused, self.facts = bad, refused, facts
        self.losses, self.parameters, self.gradients = losses, parameters, gradients


class Facts:
    """Facts of an executable: the bytes of a device and of the host, and the features that modes test."""

    def __init__(self, report, program):
        self.peak, self.host = report["memory"]["peak"], report["memory"].get("host", 0)
        self.has = {"with streams": any(len(stage["busy_seconds"]) > 1 for stage in report.get("predicted", {}).get("by_stage", [])),
                    "with steps in parts": PART.search(program) is not None,
                    "with runs that take turns": TURN.search(program) is not None,
                    "with something in the host's memory": self.host > 0,
                    "with values that are passed on": any("passed on" in c["why"] for c in report["collectives"])}
        self.flops = report["flops"]["executed"]

    def shown(self, base):
        """`base`: of the program that it is held against."""
        return [what for what, has in self.has.items() if has] + ["that compute more"] * (self.flops > 1.0001 * base.flops)


class Runner:
    def __init__(self, binaries, work):
        self.binaries, self.work = binaries, work
        self.kernels = kernel_cache(binaries)

    def path(self, name):
        return os.path.join(self.work, name)

    def machine(self, text):
        """The option for a machine of this description."""
        file = self.path(f"{zlib.crc32(text.encode()):08x}.machine")
        with open(file, "w") as f:
            f.write(text)
        return f"--machine={file}"

    def commands(self, options, folder=None, name="model"):
        folder = folder or self.work
        at = lambda n: os.path.join(folder, n)
        compile_ = [os.path.join(self.binaries, "zcc"), "--compile-from=graph", at(GRAPHS[name]), "-o", at(name + ".zexe"), "--quiet", self.kernels,
                    f"--report={at(name + '.report')}", *(o.replace(self.work, folder) for o in options)]
        rates = ["--lr", "0.02", "--eps", "0.01", "--weight-decay", "0.1"] if "--optimizer=sgd" not in options else [
            "--lr", "0.1", "--momentum", "0.9"]
        run = [os.path.join(self.binaries, "zrun"), at(name + ".zexe"), "--params", at("params"), "--batches", at("batches"), "--steps",
               str(STEPS), "--threads", "1", "--log", at(name + ".log"), "--save-params", at(name + ".new"), "--save-grads",
               at(name + ".grads"), "--quiet", *rates]
        return compile_, run

    def peak(self, options):
        """Bytes of a device, None if it does not compile; and whether it may be refused."""
        p = subprocess.run(self.commands(options)[0], capture_output=True, text=True, errors="replace", timeout=LONGEST)
        if p.returncode:
            return None, p.returncode > 0 and any(text in p.stderr for text in REFUSALS)
        return self.facts("model").peak, False

    def facts(self, name):
        with open(self.path(name + ".report")) as f, open(self.path(name + ".zexe"), "rb") as program:
            return Facts(json.load(f), program.read())

    def try_(self, options, name="model"):
        compile_, run = self.commands(options, name=name)
        for what, command in (("zcc", compile_), ("zrun", run)):
            try:
                p = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LONGEST)
            except subprocess.TimeoutExpired:
                return Outcome(bad=f"{what} takes over {LONGEST} s")
            if p.returncode:
                errors = [line for line in p.stderr.splitlines() if "error" in line] or p.stderr.splitlines()[-1:] or [""]
                message = errors[0].split("error: ", 1)[-1][:200]
                if p.returncode > 0 and any(text in p.stderr for text in REFUSALS):
                    return Outcome(refused=next(text for text in REFUSALS if text in p.stderr))
                return Outcome(bad=f"{what} exits {p.returncode}: {message}")
        facts = self.facts(name)
        with open(self.path(name + ".log")) as f:
            lines = [json.loads(line) for line in f]
        for space, most in (("", facts.peak), ("host_", facts.host)):
            planned, allocated = (lines[0].get(f"{what}_{space}bytes", [0]) for what in ("planned", "allocated"))
            if planned != allocated or max(planned) != most:
                return Outcome(bad=f"{space}bytes: {planned} planned, {allocated} allocated, {most} reported")
        losses = [line["loss"] for line in lines if "step" in line]
        if not all(isinstance(x, (int, float)) and math.isfinite(x) for x in losses):
            return Outcome(bad=f"losses {losses}")
        return Outcome(losses=losses, parameters=load(self.path(name + ".new")), gradients=load(self.path(name + ".grads")), facts=facts)


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


def compare(one, other, functions=False, narrow=False, narrow_sums=False):
    """None, or how the second differs from the first by more than rounding. `functions`: those too are rounded otherwise; the derivative
    of a saturated one, 1 - tanh(x)^2, is then known to some 1e-6, however small it is. `narrow`: values are of 16 bits; `narrow_sums`:
    devices also add their parts of sums in them. Parts that cancel then leave an error of their own size, not of their sum's."""
    # Values of 16 bits have 8 (bf16) or 11 binary digits, in every op.
    slack = 5e3 if narrow else 1
    error = max(abs(a - b) / max(abs(b), 0.3) for a, b in zip(other.losses, one.losses))
    if error > 1e-5 * slack:
        return f"losses differ by {error:.1e}"
    top = max([abs(x) for v in one.gradients.values() for x in v] + [1e-3])
    small = 1 if narrow_sums else 0.05
    error = worst(other.gradients, one.gradients, small * (max(top, 1) if functions else top))
    if error > 2e-5 * slack:
        return f"gradients differ by {error:.1e}"
    error = worst(other.parameters, one.parameters, 0.1)
    if error > 2e-5 * slack:
        return f"parameters differ by {error:.1e}"
    return None
