# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by the parts of run.py: running programs, keeping results, and the time that is left.

Work is a list of jobs in a fixed order. The results of a job are written at once, so that a run which is cut off, or has no time
left, is taken up by the next.
"""
import json
import os
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class OutOfTime(Exception):
    """There was less time than the job may take: it is left to the next run."""


class Job:
    """`work(bench)` returns what later jobs want to know. Jobs of one `group` are compared, so they are of one machine. `seconds`: what it takes as a rule;
    five times as much, and it has failed."""

    def __init__(self, name, seconds, work, group=""):
        self.name, self.seconds, self.work, self.group = name, seconds, work, group


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def machine():
    """Another text on another machine, or GPU."""
    try:
        gpus = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        gpus = ""
    try:
        with open("/proc/sys/kernel/random/boot_id") as f:
            return f"{gpus or 'no nvidia-smi'}, boot {f.read().strip()}"
    except OSError:
        return gpus


class Bench:
    """`args` of run.py; `done`: by job, its rows and facts, also of earlier runs."""

    def __init__(self, args, work):
        self.args, self.work, self.done, self.machine = args, work, {}, machine()
        self.until = time.monotonic() + 60 * args.minutes
        self.rows, self.limit = [], 0
        if args.results and os.path.exists(args.results):
            with open(args.results) as f:
                self.done = json.load(f)["jobs"]

    def left(self):
        return self.until - time.monotonic()

    def forget_other_machines(self, jobs):
        """Measures a whole group again on this machine if some of its jobs are still to be measured, since they are compared."""
        for group in {job.group for job in jobs if job.group}:
            names = [job.name for job in jobs if job.group == group]
            if any(name not in self.done for name in names):
                for name in names:
                    if self.done.get(name, {}).get("machine", self.machine) != self.machine:
                        del self.done[name]

    def run(self, job):
        """Runs the job if there is time. Returns true if it was done."""
        if self.left() < job.seconds:
            return False
        self.rows, self.limit = [], time.monotonic() + 5 * job.seconds
        begin = time.monotonic()
        try:
            facts = job.work(self)
        except OutOfTime:
            return False
        except Exception as e:  # its text is the result
            facts = None
            self.add(job.name, False, error=f"{type(e).__name__}: {e}")
        self.done[job.name] = {"rows": self.rows, "facts": facts or {}, "machine": self.machine, "seconds": round(time.monotonic() - begin, 1)}
        self.save()
        return True

    def save(self):
        if not self.args.results:
            return
        with open(self.args.results + ".tmp", "w") as f:
            json.dump({"jobs": self.done}, f, indent=1)
        os.replace(self.args.results + ".tmp", self.args.results)

    def add(self, name, good, **facts):
        """good: None of what could not be tried."""
        self.rows.append({"name": name, "good": good, **facts})
        word = {True: "ok", False: "FAILED", None: "not run"}[good]
        print(f"{word:8}{name:28}" + "  ".join(f"{k} {v}" for k, v in facts.items()), flush=True)

    def facts(self, job):
        return self.done.get(job, {}).get("facts", {})

    def call(self, words, **more):
        """Like subprocess.run, within the time that is left; returns (None, reason) if a program takes too long."""
        limit = self.limit - time.monotonic()
        try:
            return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=max(1, min(limit, self.left()))), ""
        except subprocess.TimeoutExpired as e:
            if self.left() < limit:
                raise OutOfTime() from e
            return None, f"took more than {e.timeout:.0f} seconds"

    def train(self, program, data, steps, options, before=()):
        """{"losses", "seconds" of a step, "head" of the log} or {"error"}. `before`: words of a program that runs zrun."""
        log = os.path.join(self.work, "log")
        if os.path.exists(log):
            os.remove(log)
        words = [*before, os.path.join(HERE, "bin", "zrun"), program, *self.libraries(), "--batches", os.path.join(data, "batches.safetensors"),
                 "--params", os.path.join(data, "params.safetensors"), "--steps", str(steps), "--log", log, "--quiet", *options]
        p, error = self.call(words)
        if not p or p.returncode:
            return {"error": error or f"exit {p.returncode}: {(p.stderr.strip() or p.stdout.strip())[-400:]}"}
        with open(log) as f:
            lines = [json.loads(line) for line in f]
        taken = [line for line in lines if "loss" in line]
        return {"losses": [line["loss"] for line in taken], "seconds": median(line["seconds"] for line in taken[2:] or taken),
                "utilization": median(line.get("utilization") or 0 for line in taken[2:] or taken), "head": lines[0]}

    def libraries(self):
        named = (("--cuda-driver", self.args.driver), ("--cublaslt", self.args.cublaslt), ("--cudnn", self.args.cudnn))
        return [word for option, file in named if file for word in (option, file)]
