# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""zrun over two hosts, which are namespaces of this machine (hosts.py), with torchrun's variables and under mpirun.
Exits with 77 and a reason where namespaces are not permitted. Usage: zrun-hosts.py ZRUN WRITE_TOY [TEST...]
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import hosts
from toys import contents, losses

ZRUN, WRITE_TOY = map(os.path.abspath, sys.argv[1:3])


def toy(*shape):
    subprocess.run([WRITE_TOY, ".", *map(str, shape)], check=True)


def command(*options, steps=5):
    return [ZRUN, "toy.zexe", "--params", "params.safetensors", "--batches", "batches.safetensors", "--steps", str(steps),
            "--lr", "0.5", "--quiet", *options]


def run_env(places, lines, master="hosta"):
    processes = hosts.start(places, lines, master, stderr=subprocess.PIPE, text=True)
    try:
        errors = [p.communicate(timeout=60)[1] for p in processes]
    finally:
        for p in processes:
            p.kill()
    return [p.returncode for p in processes], errors


def run_mpi(a, b, line, *options):
    p = subprocess.run(a.command([*hosts.mpirun([a, b], 2, os.getcwd(), "-np", "4", *options), *line]), capture_output=True,
                       text=True, timeout=120)
    return p.returncode, p.stderr


def run_on(a, b, kind, line):
    """On two ranks of each host, all of which must end well."""
    if kind == "env":
        statuses, errors = run_env([a, a, b, b], [line] * 4)
        assert statuses == [0] * 4, errors
    else:
        status, error = run_mpi(a, b, line)
        assert status == 0, error


def test_same_bits():
    """Losses, parameters and gradients are those of local ranks; the trace has all; what crosses hosts crosses the link."""
    with hosts.Pair(".") as (a, b):
        for shape in ((4, 1, 1, "shard"), (2, 2, 2)):
            toy(*shape)
            for kind in ("local", "env", "mpi"):
                line = command("--log", f"{kind}.jsonl", "--save-params", f"{kind}.params", "--save-grads", f"{kind}.grads",
                               "--trace", f"{kind}.trace", steps=200)
                before = b.sent()
                if kind == "local":
                    subprocess.run(line, check=True, timeout=60)
                else:
                    run_on(a, b, kind, line)
                assert losses(f"{kind}.jsonl") == losses("local.jsonl"), (shape, kind)
                for what in ("params", "grads"):
                    assert contents(f"{kind}.{what}") == contents(f"local.{what}"), (shape, kind, what)
                with open(f"{kind}.trace") as f:
                    assert {e["pid"] for e in json.load(f)["traceEvents"]} == {0, 1, 2, 3}
                # 64 bytes of weights, gradients or activations a step, at the least: no shared memory leads across.
                if kind != "local":
                    assert b.sent() - before > 200 * 64, "hosts reach each other beside the link"


def test_link_delay():
    """Slow links between hosts, whose clocks are told apart: the same bits, later."""
    toy(4, 1, 1)
    subprocess.run(command("--log", "local.jsonl"), check=True, timeout=60)
    with hosts.Pair(".") as (a, b):
        for kind in ("env", "mpi"):
            line = command("--log", f"{kind}.jsonl", "--link-delay", "50ms")
            run_on(a, b, kind, line)
            assert losses(f"{kind}.jsonl") == losses("local.jsonl"), kind
            with open(f"{kind}.jsonl") as f:
                seconds = [json.loads(text)["seconds"] for text in f.readlines()[1:]]
            # The bounds cover one delay for the loss and one for the gradient.
            assert 0.1 <= min(seconds) < 1, (kind, seconds)


def test_loopback_name():
    """A host whose own name is a loopback address, as Debian writes it: rank 1 meets rank 0 there, the others cannot."""
    toy(4, 1, 1)
    with hosts.Pair(".", loopback=True) as (a, b):
        statuses, errors = run_env([a, a, b, b], [command()] * 4)
        assert statuses == [0] * 4, errors
        status, error = run_mpi(a, b, command())
        assert status == 0, error


def test_consecutive():
    """Ranks that do not fill one host after the other are refused, with who is where."""
    toy(4, 1, 1)
    said = "rank 2 runs on hosta like earlier ones, rank 1 on hostb: consecutive ranks must fill one machine after the other"
    with hosts.Pair(".") as (a, b):
        statuses, errors = run_env([a, b, a, b], [command()] * 4)
        assert statuses == [2] * 4 and said in errors[0], errors
        status, error = run_mpi(a, b, command(), "--map-by", "node")
        assert status == 2 and said in error, error
        # Three beside one fill them too.
        statuses, errors = run_env([a, a, a, b], [command()] * 4)
        assert statuses == [0] * 4, errors


class Under:
    """A run of four ranks under way, two a host: what each rank said, and how it ended."""

    def __init__(self, a, b):
        if os.path.exists("log.jsonl"):
            os.remove("log.jsonl")
        line = command("--log", "log.jsonl", steps=10**9)
        self.processes = hosts.start([a, a, b, b], [["sh", "-c", f'exec "$@" > out.{r} 2>&1', "sh", *line] for r in range(4)], "hosta")
        for _ in range(600):
            if os.path.exists("log.jsonl") and len(contents("log.jsonl").splitlines()) > 3:
                return
            time.sleep(0.05)
        raise AssertionError("the run did not begin")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for p in self.processes:
            p.kill()
            p.wait()

    def ended(self, ranks):
        """Returns what these ranks said. They must end by themselves, with status 1, within ten seconds from here."""
        begin = time.time()
        for rank in ranks:
            status = self.processes[rank].wait(timeout=max(0.1, begin + 10 - time.time()))
            assert status == 1, (rank, status)
        return {rank: contents(f"out.{rank}").decode() for rank in ranks}


def test_killed():
    """A rank that dies is named with its host by every other, on whichever host."""
    toy(4, 1, 1)
    with hosts.Pair(".") as (a, b):
        for victim in (0, 3):
            with Under(a, b) as run:
                run.processes[victim].send_signal(signal.SIGKILL)
                for rank, said in run.ended({0, 1, 2, 3} - {victim}).items():
                    name = f"error: rank {victim} ({'hosta' if victim == 0 else 'hostb'}, process {run.processes[victim].pid}) died"
                    assert name in said, (rank, said)


def test_cut():
    """If the link between hosts breaks, each side names a rank of the other."""
    toy(4, 1, 1)
    with hosts.Pair(".") as (a, b), Under(a, b) as run:
        b.cut()
        for rank, said in run.ended(range(4)).items():
            others = ["error: rank 2 (hostb, ", "error: rank 3 (hostb, "] if rank < 2 else ["error: rank 0 (hosta, "]
            assert any(other in said for other in others) and ") cannot be reached: " in said, (rank, said)


def processes_here(name):
    """Processes of this name whose command line names this folder."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if contents(f"/proc/{entry}/comm") == name + b"\n" and os.getcwd().encode() in contents(f"/proc/{entry}/cmdline"):
                found.append(int(entry))
        except OSError:
            pass
    return found


def test_cut_mpi():
    """The same under mpirun; nothing that the other host's ranks say gets through, but they end too."""
    toy(4, 1, 1)
    line = command("--log", os.path.abspath("log.jsonl"), steps=10**9)
    with hosts.Pair(".") as (a, b), open("out", "w") as out:
        mpirun = subprocess.Popen(a.command([*hosts.mpirun([a, b], 2, os.getcwd(), "-np", "4"), *line]), stderr=out)
        try:
            while not os.path.exists("log.jsonl") or len(contents("log.jsonl").splitlines()) < 4:
                assert mpirun.poll() is None, contents("out")
                time.sleep(0.05)
            assert len(processes_here(b"zrun")) == 4
            b.cut()
            begin = time.time()
            while processes_here(b"zrun"):
                assert time.time() - begin < 10, "too slow"
                time.sleep(0.1)
            said = contents("out").decode()
            assert said.count("error: rank 2 (hostb, ") + said.count("error: rank 3 (hostb, ") == 2, said
        finally:
            # It waits for the other host for longer than this test.
            mpirun.kill()
            mpirun.wait()
            for pid in processes_here(b"orted") + processes_here(b"zrun"):
                os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    hosts.need()
    os.chdir(tempfile.mkdtemp(prefix="zrun-hosts-"))
    names = sys.argv[3:] or [n[5:] for n in globals() if n.startswith("test_")]
    for name in names:
        globals()["test_" + name]()
        print("passed", name)
