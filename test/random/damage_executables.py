# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged executables whose checksum is right: zrun refuses each with a place, or runs it. Standard library only.

    damage_executables.py BIN_FOLDER [--first SEED] [--count N] [--zcc PROGRAM] [--keep FOLDER]

Seed by seed: in an executable for the target reference something is another number, word or message, is absent, twice, elsewhere, or one
that was absent stands there. The executables are those of random graphs: with buffers in the host's memory, steps in parts, streams,
compressed residuals; of fifty seeds it is one. zrun must end in time with status 0, 2, or 1 and a reason, never by a signal; what it refuses names
the file. BIN_FOLDER has zcc, zrun and rewrite_executable. Objects of a CPU are no subject: kernels' code is trusted.
"""
import collections
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from modes import cases, replaced
from run import draw
from runner import Runner, write_data
from sweep import parser, sweep

EACH = 50  # damages of one program
MOST = 8 << 30  # bytes of addresses that zrun may have
MODES = ["memory", "overlap", "compress", "offload"]
NUMBERS = [0, 1, 2, 3, 4, 7, 8, 63, 64, 65, 128, 4096, 65536, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**48, 2**63 - 1, 2**63, 2**64 - 1, -1, -2, -2**31, -2**63]
# Values to write into fields that are absent since they have their default.
ABSENT = {"operands": [("memory", "HOST"), ("memory", "DISK"), ("begin", "64"), ("slot", True), ("offset", "64"), ("written", True)],
          "steps": [("stream", 1), ("stream", 2), ("waits", [0]), ("waits", [1, 2]), ("event", 1), ("event", 2)],
          "states": [("memory", "HOST"), ("memory", "DISK"), ("offset", "64"), ("role", "MASTER"), ("role", "SLOT")],
          "stages": [("streams", 2), ("streams", 3), ("events", 1), ("arenas", [{"memory": "HOST", "bytes": "64"}])],
          "mesh": [("temporal", True)], "actions": [("run", {})],
          "collective": [("shift", "1"), ("concat", "2"), ("reduction", "MAX"), ("sourceRows", {"begin": "1", "pitch": "8"}), ("targetRows", {"pitch": "4"})],
          "kernel": [("reads", 1)], "": [("pipeAxis", 0), ("frozen", ["w0"]), ("optimizer", "forward")]}
# Fields that are damaged more often than others, and how much more.
WEIGHTS = {"stages": 12, "tasks": 4, "operands": 3, "steps": 5, "actions": 2, "kernels": 3, "name": 0.1, "producer": 0.1, "texts": 0.2}


class Node:
    """A place in the tree. Its value is `holder[key]`; `kind` is the name of its field, also for elements of a field."""

    def __init__(self, holder, key, kind):
        self.holder, self.key, self.kind = holder, key, kind

    @property
    def value(self):
        return self.holder[self.key]


def descend(rng, root):
    """A random place, the deeper the likelier."""
    node = Node([root], 0, "")
    while isinstance(node.value, (dict, list)) and node.value and rng.random() > 0.12:
        if isinstance(node.value, dict):
            keys = sorted(node.value)
            key = rng.choices(keys, [WEIGHTS.get(k, 1) for k in keys])[0]
            node = Node(node.value, key, key)
        else:
            node = Node(node.value, rng.randrange(len(node.value)), node.kind)
    return node


def alike(root, kind, whole, found=None):
    """All values of fields of that name: the fields (`whole`), or their elements."""
    found = [] if found is None else found
    if isinstance(root, dict):
        for key, value in root.items():
            if key == kind:
                found.extend(value if isinstance(value, list) and not whole else [value])
            alike(value, kind, whole, found)
    elif isinstance(root, list):
        for value in root:
            alike(value, kind, whole, found)
    return found


def number_like(rng, value):
    """Another number, in JSON's form for its field."""
    new = rng.choice(NUMBERS)
    if rng.random() < 0.5:
        try:
            new = int(value) + rng.choice([-64, -4, -1, 1, 4, 64, int(value)])
        except (ValueError, OverflowError):
            pass
    return str(new) if isinstance(value, str) else new


def damage_once(rng, root):
    node = descend(rng, root)
    value, kind = node.value, rng.random()
    in_list = isinstance(node.holder, list)
    if isinstance(value, bool):
        node.holder[node.key] = not value
    elif isinstance(value, float) or isinstance(value, int) or (isinstance(value, str) and value.lstrip("-").isdigit()):
        if kind < 0.6:
            node.holder[node.key] = number_like(rng, value)
        else:
            node.holder[node.key] = rng.choice([v for v in alike(root, node.kind, False) if not isinstance(v, (dict, list))] or [0])
    elif isinstance(value, str) and kind < 0.8:
        node.holder[node.key] = rng.choice(alike(root, node.kind, False) + ["", "x"])
    elif isinstance(value, dict) and node.kind in ABSENT and kind < 0.3:
        key, new = rng.choice(ABSENT[node.kind])
        value[key] = new
    elif kind < 0.5:
        others = alike(root, node.kind, not in_list)
        node.holder[node.key] = json.loads(json.dumps(rng.choice(others))) if others else {}
    elif kind < 0.65:
        del node.holder[node.key]
    elif in_list and kind < 0.8:
        node.holder.insert(rng.randrange(len(node.holder) + 1), json.loads(json.dumps(value)))
    elif in_list:
        other = rng.randrange(len(node.holder))
        node.holder[node.key], node.holder[other] = node.holder[other], value
    elif isinstance(value, list) and value:
        rng.shuffle(value)


def damaged(rng, program):
    root = json.loads(program)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        damage_once(rng, root)
    return json.dumps(root)


class Bench:
    def __init__(self, folder, zcc, keep):
        self.folder, self.work = os.path.abspath(folder), tempfile.mkdtemp(prefix="zcc-damage-")
        self.keep = keep and os.path.abspath(keep)
        os.chdir(self.work)
        self.runner = Runner(self.folder, self.work)
        self.zcc = os.path.abspath(zcc or os.path.join(self.folder, "zcc"))
        self.number, self.program, self.has = None, None, collections.Counter()

    def compile(self, number):
        """The program of a number, as JSON; its inputs are in the folder."""
        for attempt in range(20):
            seed, mode = number * 20 + attempt, MODES[number % len(MODES)]
            graph = draw(seed, mode)
            if not graph.parameters or (mode == "overlap" and not graph.splits):
                continue
            for case in cases(seed, graph, 1, mode, self.runner):
                with open("sharded.mlir", "w") as f:
                    f.write(graph.text())
                write_data(graph, seed, self.work)
                command, self.run = self.runner.commands(replaced(case.options, "--target=reference"), name="other")
                self.run = self.run[:1] + ["damaged.zexe"] + self.run[2:]
                command[0] = self.zcc
                if subprocess.run(command, capture_output=True, timeout=120).returncode == 0:
                    has = self.runner.facts("other").has
                    if mode == "overlap" and attempt < 15 and not has["with steps in parts"]:
                        continue
                    self.has.update([what for what in has if has[what]] + (["with compressed residuals"] if mode == "compress" else []))
                    self.program = subprocess.run([os.path.join(self.folder, "rewrite_executable"), "other.zexe"], capture_output=True, text=True,
                                                  check=True).stdout
                    self.number = number
                    shutil.copy("other.zexe", "damaged.zexe")
                    # A sanitizer's own memory is more than that.
                    self.limited = True
                    self.limited = self.run_it().returncode == 0
                    p = self.run_it()
                    assert p.returncode == 0, p.stderr
                    return
        sys.exit(f"no program of number {number} compiles")

    def try_one(self, seed):
        """Returns an error or None, and the outcome: no program, refused, ran."""
        if self.number != seed // EACH:
            self.compile(seed // EACH)
        rng = random.Random(seed)
        text = damaged(rng, self.program)
        # A text that is no message at all is of no interest here.
        p = subprocess.run([os.path.join(self.folder, "rewrite_executable"), "other.zexe", "damaged.zexe"], input=text + "\n", capture_output=True, text=True)
        if p.returncode == 2:
            return None, "are no message"
        problem, became = self.see()
        if problem and self.keep:
            os.makedirs(self.keep, exist_ok=True)
            for name in ("damaged.zexe", "params", "batches"):
                shutil.copy(name, os.path.join(self.keep, f"{seed}-{name}"))
        return problem, became

    def run_it(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if self.limited:
                resource.setrlimit(resource.RLIMIT_AS, (MOST, MOST))
        return subprocess.run(self.run, capture_output=True, text=True, errors="replace", timeout=60, preexec_fn=limit)

    def see(self):
        try:
            p = self.run_it()
        except subprocess.TimeoutExpired:
            return "still running after 60 s", "hang"
        errors = [line for line in p.stderr.splitlines() if line.startswith("error: ")]
        if p.returncode not in (0, 1, 2):
            return f"exit {p.returncode}: {p.stderr[-500:]}", "die"
        if p.returncode and not errors:
            return f"exit {p.returncode} without an error: {p.stderr[-500:]}", "fail"
        if p.returncode == 2 and not any(mark in errors[0] for mark in ("damaged.zexe", "params", "batches", "kernel ", "--")):
            return f"refused without a place: {p.stderr[-500:]}", "refused"
        return None, ("run", "fail with a reason", "are refused")[p.returncode]


def main():
    options = parser("compiles the programs, where those under test are slow")
    options.add_argument("--keep", help="folder for the executables that fail")
    args = options.parse_args()
    bench = Bench(args.bin, args.zcc, args.keep)
    failed, became = sweep(args, bench.try_one, bench.work)
    print("programs: " + ", ".join(f"{count} {what}" for what, count in sorted(bench.has.items())))
    print(f"{args.count} damaged: " + ", ".join(f"{count} {what}" for what, count in became.most_common()) + f"; {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
