# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A training run that steps when it is told to, and the round robin of several. Needs jax, numpy and safetensors."""
import importlib.util
import json
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def ensure_environment(*packages):
    """Starts the program again in a virtual environment in build/ where one of the packages is missing."""
    if all(importlib.util.find_spec(m) for m in packages):
        return
    venv = os.path.join(ROOT, "build", "benchmark-venv")
    python = os.path.join(venv, "bin", "python3")
    if not os.path.exists(python):
        subprocess.check_call([sys.executable, "-m", "venv", venv])
    inside = os.path.realpath(sys.prefix) == os.path.realpath(venv)
    if inside and os.environ.get("ZCC_BENCHMARK_INSTALLED"):
        sys.exit(f"error: {', '.join(packages)} could not be installed")
    subprocess.check_call([python, "-m", "pip", "install", "-q", *packages])
    os.execve(python, [python, *sys.argv], {**os.environ, "ZCC_BENCHMARK_INSTALLED": "1"})


ensure_environment("jax", "numpy", "safetensors")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from safetensors.numpy import save, save_file  # noqa: E402

import models  # noqa: E402

LR, B1, B2, EPS, DECAY, CLIP = 1e-3, 0.9, 0.95, 1e-8, 0.1, 1.0
PAUSE = 0.25  # seconds before a turn: the threads of the contestant before spin for some 0.2 s after its step


class Refused(Exception):
    """The first line that zcc or zrun said when it gave up."""


def flat(tree):
    return {".".join(str(getattr(k, "key", getattr(k, "idx", k))) for k in path): np.ascontiguousarray(leaf)
            for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


class Zcc:
    """A model compiled by bin/zcc with the options and run by bin/zrun, which may have others (`running`) and be started by another program
    (`launcher`). `report` is zcc's, `executable` its file, `bytes` that one's size; `folder` has params.safetensors."""

    def __init__(self, name, bin, *options, running=(), launcher=()):
        loss, params, batch = models.MODELS[name]()
        self.folder = folder = tempfile.mkdtemp(prefix="zcc-bench-")
        text, exe, weights, report, self.log = (os.path.join(folder, f) for f in
                                                ("loss.mlir", "model.zexe", "params.safetensors", "report.json", "log"))
        with open(text, "w") as f:
            f.write(jax.jit(loss).lower(jax.tree.map(jnp.asarray, params), {k: jnp.asarray(v) for k, v in batch.items()}).as_text(debug_info=True))
        save_file(flat(params), weights)
        self.compiler = [os.path.join(bin, "zcc"), text, "-o", exe, "--quiet", "--report", report, *options]
        self.compile()
        with open(report) as f:
            self.report = json.load(f)
        self.bytes = os.path.getsize(exe)
        self.executable = exe
        self.batch = save(batch)
        os.mkfifo(self.log)
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [*launcher, os.path.join(bin, "zrun"), exe, "--params", weights, "--batches", "-", "--steps", "1000000", "--log", self.log, "--quiet",
             f"--lr={LR}", f"--b1={B1}", f"--b2={B2}", f"--weight-decay={DECAY}", f"--clip-norm={CLIP}", *running],
            stdin=subprocess.PIPE, stderr=self.errors)
        # Without blocking: a zrun that gives up early never opens its end.
        self.lines = os.open(self.log, os.O_RDONLY | os.O_NONBLOCK)
        self.text = b""
        self.line()

    def compile(self):
        """Compiles (again); the seconds that it took."""
        start = time.perf_counter()
        compiled = subprocess.run(self.compiler, stderr=subprocess.PIPE, text=True)
        if compiled.returncode:
            raise Refused((compiled.stderr.strip() or f"zcc exits with {compiled.returncode}").splitlines()[0])
        return time.perf_counter() - start

    def line(self):
        while b"\n" not in self.text:
            try:
                more = os.read(self.lines, 1 << 16)
            except BlockingIOError:
                more = None
                select.select([self.lines], [], [], .5)
            if more:
                self.text += more
            elif self.process.poll() is not None:
                self.errors.seek(0)
                raise Refused((self.errors.read().strip() or f"zrun exits with {self.process.returncode}").splitlines()[0])
            elif more == b"":  # not opened yet
                time.sleep(.01)
        line, self.text = self.text.split(b"\n", 1)
        return line

    def step(self):
        self.process.stdin.write(len(self.batch).to_bytes(8, "little") + self.batch)
        self.process.stdin.flush()
        return json.loads(self.line())["loss"]

    def close(self):
        self.process.kill()
        # Processes that a launcher started end when their batches do.
        self.process.stdin.close()


def measure(contestants, rounds, turns=1):
    """Seconds of a step by contestant, one a round (the best of `turns` after another), after two rounds of warm-up. The order of the
    contestants turns round after each."""
    times = {name: [] for name in contestants}
    for round in range(rounds + 2):
        for name, one in sorted(contestants.items(), reverse=round % 2):
            time.sleep(PAUSE)
            best = float("inf")
            for _ in range(turns):
                start = time.perf_counter()
                one.step()
                best = min(best, time.perf_counter() - start)
            if round >= 2:
                times[name].append(best)
    return times


def medians(times):
    return {name: statistics.median(t) for name, t in times.items()}
