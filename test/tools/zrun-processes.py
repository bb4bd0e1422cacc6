# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""zrun with processes as ranks, under mpirun and with torchrun's variables, on toy programs.
Usage: zrun-processes.py ZRUN WRITE_TOY [TEST...]
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import launch
from toys import contents, losses

ZRUN, WRITE_TOY = map(os.path.abspath, sys.argv[1:3])
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np"]
os.chdir(tempfile.mkdtemp(prefix="zrun-processes-"))


def toy(data, microbatches=1, stages=1, *kinds, folder="."):
    os.makedirs(folder, exist_ok=True)
    subprocess.run([WRITE_TOY, folder, *map(str, (data, microbatches, stages)), *kinds], check=True)


def command(*options, steps=5):
    return [ZRUN, "toy.zexe", "--params", "params.safetensors", "--batches", "batches.safetensors", "--steps", str(steps),
            "--lr", "0.5", "--quiet", *options]


def run_mpi(ranks, line):
    p = subprocess.run([*MPIRUN, str(ranks), *line], capture_output=True, text=True, timeout=120)
    return p.returncode, p.stderr


def run_env(lines):
    processes = launch.start(lines, stderr=subprocess.PIPE, text=True)
    errors = [p.communicate(timeout=120)[1] for p in processes]
    return [p.returncode for p in processes], errors


def run_on(kind, line):
    """On four ranks, all of which must end well."""
    if kind == "local":
        subprocess.run(line, check=True, timeout=120)
    elif kind == "mpi":
        status, error = run_mpi(4, line)
        assert status == 0, error
    else:
        statuses, errors = run_env([line + (["--ranks", kind] if kind == "tcp" else [])] * 4)
        assert statuses == [0] * 4, errors


def test_processes_that_their_launcher_has_bound():
    """To a core each, as a launcher does that shares them out; on one core to the same."""
    toy(2)
    cores = sorted(os.sched_getaffinity(0))
    line = command("--log", "log.jsonl", "--ranks", "tcp")
    statuses, errors = run_env([["taskset", "-c", str(cores[i % len(cores)]), *line] for i in range(2)])
    assert statuses == [0, 0], errors
    bound = losses("log.jsonl")
    subprocess.run(command("--log", "log.jsonl"), check=True, timeout=120)
    assert losses("log.jsonl") == bound


def test_same_bits():
    """Losses, parameters and gradients are those of local ranks; the trace has every rank."""
    for shape in ((4, 1, 1), (2, 2, 2)):
        toy(*shape)
        # The third one is in no list: it lies beside zrun.
        for kind in ("local", "mpi", "env", "tcp"):
            line = command("--log", f"{kind}.jsonl", "--save-params", f"{kind}.params", "--save-grads", f"{kind}.grads",
                           "--trace", f"{kind}.trace")
            run_on(kind, line)
            assert losses(f"{kind}.jsonl") == losses("local.jsonl"), (shape, kind)
            for what in ("params", "grads"):
                assert contents(f"{kind}.{what}") == contents(f"local.{what}"), (shape, kind, what)
            with open(f"{kind}.trace") as f:
                assert {e["pid"] for e in json.load(f)["traceEvents"]} == {0, 1, 2, 3}
    assert not glob.glob("*.params.*"), "a temporary file is left"


def test_evaluation():
    """Parameters reach the evaluation's mesh from process to process as they do from thread to thread."""
    for trained, evaluated in (((4, 1, 1, "shard"), (4, 1, 1)), ((4, 1, 1), (4, 2, 1, "shard")), ((2, 2, 2, "shard"), (2, 1, 2))):
        toy(*trained)
        toy(*evaluated, "forward", folder="forward")
        for kind in ("local", "mpi", "env"):
            line = command("--log", f"{kind}.jsonl", "--eval-executable", "forward/toy.zexe", "--eval-batches", "batches.safetensors",
                           "--eval-every", "2", "--tensorboard", f"events-{kind}")
            run_on(kind, line)
            lines = losses(f"{kind}.jsonl")
            assert lines == losses("local.jsonl"), (trained, kind)
            assert [line["step"] for line in lines if "eval_loss" in line] == [2, 4], lines
            assert len(lines[0]["eval_allocated_bytes"]) == 4
            assert len(os.listdir(f"events-{kind}")) == 1, "only rank 0 writes events"
            shutil.rmtree(f"events-{kind}")


def test_link_delay():
    """Over slow links all is the same, later; every rank must have them."""
    toy(2, 2, 2)
    subprocess.run(command("--log", "fast.jsonl", "--save-params", "fast.params"), check=True, timeout=60)
    for kind in ("local", "mpi", "env", "tcp"):
        line = command("--link-delay", "20ms,10kB/s", "--log", f"{kind}.jsonl", "--save-params", f"{kind}.params")
        run_on(kind, line)
        assert losses(f"{kind}.jsonl") == losses("fast.jsonl"), kind
        assert contents(f"{kind}.params") == contents("fast.params"), kind
        with open(f"{kind}.jsonl") as f:
            seconds = [json.loads(text)["seconds"] for text in f.readlines()[1:]]
        # 32 bytes of each microbatch go to the second stage, as many of the last one come back; then, over data, the gradient of
        # 64 bytes and the loss of 4 are summed.
        assert min(seconds) >= 3 * (0.02 + 0.0032) + 0.02 + 0.0064 + 0.02 + 0.0004, (kind, seconds)
    fast, slow = command(), command("--link-delay", "1ms")
    statuses, errors = run_env([fast, fast, slow, fast])
    assert statuses == [2] * 4 and "rank 2 has --link-delay 0.001 s, rank 0 has --link-delay none" in errors[0], errors
    statuses, errors = run_env([slow, slow, slow, command("--link-delay", "1ms,2MB/s")])
    assert statuses == [2] * 4 and "rank 3 has --link-delay 0.001 s, 2e+06 B/s, rank 0 has --link-delay 0.001 s" in errors[0], errors


def test_standard_input():
    """Rank 0 reads the stream of batches for all."""
    toy(4)
    subprocess.run(command("--log", "local.jsonl", steps=1), check=True, timeout=60)
    # One step of the file of two, as a stream.
    whole = contents("batches.safetensors")
    size = int.from_bytes(whole[:8], "little")
    header, data = json.loads(whole[8:8 + size]), whole[8 + size:]
    step, out = {}, b""
    for name in ("x", "t"):
        begin, end = header[name]["data_offsets"]
        part = data[begin:begin + (end - begin) // 2]
        step[name] = {"dtype": "F32", "shape": header[name]["shape"][1:], "data_offsets": [len(out), len(out) + len(part)]}
        out += part
    text = json.dumps(step).encode()
    message = len(text).to_bytes(8, "little") + text + out
    line = ["-" if word == "batches.safetensors" else word for word in command("--log", "mpi.jsonl", steps=1)]
    p = subprocess.run([*MPIRUN, "4", *line], input=len(message).to_bytes(8, "little") + message, capture_output=True, timeout=60)
    assert p.returncode == 0, p.stderr
    assert losses("mpi.jsonl") == losses("local.jsonl")


def test_refused():
    """A mesh that is not the number of processes; what is wrong everywhere is said once."""
    toy(4)
    status, error = run_mpi(2, command())
    assert status == 2 and error.count("has 4 ranks, started were 2") == 1, error
    statuses, errors = run_env([[*command()[:3], "nowhere", *command()[4:]]] * 4)
    assert statuses == [2] * 4 and "".join(errors).count("cannot open") == 1, errors


def test_disagreement():
    """Another executable or option on one rank is named; a failure of one rank is told by all."""
    toy(4)
    toy(4, 2, folder="other")
    other = ["other/toy.zexe" if word == "toy.zexe" else word for word in command()]
    statuses, errors = run_env([command(), command(), other, command()])
    assert statuses == [2] * 4 and "rank 2 has executable" in errors[0], errors
    slower = ["0.25" if word == "0.5" else word for word in command()]
    statuses, errors = run_env([command(), slower, command(), command()])
    assert statuses == [2] * 4 and "rank 1 has --lr 0.25, rank 0 has --lr 0.5" in errors[0], errors
    evaluating = command("--eval-executable", "other/toy.zexe", "--eval-batches", "batches.safetensors")
    statuses, errors = run_env([command(), command(), command(), evaluating])
    assert statuses == [2] * 4 and "rank 3 has --eval-executable" in errors[0], errors
    lost = ["nowhere" if word == "batches.safetensors" else word for word in command()]
    statuses, errors = run_env([command(), command(), command(), lost])
    assert statuses == [2] * 4 and all("rank 3" in e and "nowhere" in e for e in errors), errors


def wait_for_steps(log):
    for _ in range(600):
        if os.path.exists(log) and len(contents(log).splitlines()) > 3:
            return
        time.sleep(0.05)
    raise AssertionError("the run did not begin")


def children_of_mpirun(pid):
    """Processes of zrun below, by rank."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            words = contents(path).split(b"\0")
            folder = path[:-len("/environ")]
            if os.readlink(folder + "/exe") != ZRUN or os.readlink(folder + "/cwd") != os.getcwd():
                continue
        except OSError:
            continue
        for word in words:
            if word.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(word.split(b"=")[1])] = int(folder.split("/")[2])
    return found


def both_launchers(options, body, *kinds, shape=(4, 1, 1), launchers=("env", "mpi")):
    """body(kind, pids by rank, processes, texts) with a run of four ranks under way; texts() is what they said."""
    toy(*shape, *kinds)
    line = command("--log", "log.jsonl", *options, steps=10**9)
    for kind in launchers:
        if os.path.exists("log.jsonl"):
            os.remove("log.jsonl")
        if kind == "env":
            outputs = [f"out.{r}" for r in range(4)]
            processes = launch.start([["sh", "-c", f'exec "$@" > out.{r} 2>&1', "sh", *line] for r in range(4)])
        else:
            outputs = ["out.mpi"]
            with open("out.mpi", "w") as output:
                processes = [subprocess.Popen([*MPIRUN, "4", *line], stderr=output, stdout=output)]
        try:
            wait_for_steps("log.jsonl")
            pids = {r: p.pid for r, p in enumerate(processes)} if kind == "env" else children_of_mpirun(processes[0].pid)
            assert len(pids) == 4, pids

            def texts():
                return [contents(o).decode(errors="replace") for o in outputs]
            body(kind, pids, processes, texts)
        finally:
            for p in processes:
                p.kill() if kind == "env" else p.terminate()
                p.wait(timeout=60)


def test_killed():
    """A rank that dies is named by every other; they exit with 1 within ten seconds."""
    for victim in (0, 2):
        def body(kind, pids, processes, texts):
            os.kill(pids[victim], signal.SIGKILL)
            begin = time.time()
            statuses = [p.wait(timeout=30) for p in processes]
            assert time.time() - begin < 10, "too slow"
            said = f"error: rank {victim} ("
            if kind == "env":
                for rank in range(4):
                    if rank != victim:
                        assert statuses[rank] == 1 and said in texts()[rank], (rank, statuses, texts())
            else:
                assert statuses[0] != 0 and texts()[0].count(said) == 3, (statuses, texts())
        both_launchers([], body, *(["streams"] if victim == 0 else []))


def test_stopped():
    """A rank that is stopped is named by every other, with the step before and the pending one; then the run goes on."""
    for victim in (0, 2):
        # All that communicates is on a stream of its own.
        pending = "pending \"" if victim else ", on stream 1\", waits for"

        def body(kind, pids, processes, texts):
            os.kill(pids[victim], signal.SIGSTOP)
            begin = time.time()
            while time.time() - begin < 20:
                lines = [line for t in texts() for line in t.splitlines()
                         if f"rank {victim} has not been heard from" in line and "last step done \"" in line and pending in line]
                waiting = {r for r in range(4) for line in lines if f"rank {r} has waited" in line or f"; rank {r}: last" in line}
                if waiting >= {0, 1, 2, 3} - {victim}:
                    break
                time.sleep(0.1)
            else:
                raise AssertionError(texts())
            assert time.time() - begin < 10, "too slow"
            os.kill(pids[victim], signal.SIGCONT)
            lines = len(contents("log.jsonl").splitlines())
            for _ in range(200):
                time.sleep(0.05)
                if len(contents("log.jsonl").splitlines()) > lines + 5:
                    return
            raise AssertionError("the run does not go on")
        both_launchers(["--watchdog", "4"], body, *(["streams"] if victim == 0 else []))


def test_stages():
    """A stage that dies or is stopped is named by the others, which say where they were; a stopped one with the transfers they wait for."""
    for transport in ("env", "tcp"):
        def killed(kind, pids, processes, texts):
            os.kill(pids[2], signal.SIGKILL)
            statuses = [p.wait(timeout=30) for p in processes]
            for rank in (0, 1, 3):
                said = texts()[rank]
                assert statuses[rank] == 1 and "error: rank 2 (stage 2, " in said and " died" in said, (transport, rank, statuses, texts())
                assert re.search(rf'error: rank {rank} \(stage {rank}\): last step done ".+", pending "transfer of microbatch \d+, (to|from) stage \d"', said), (transport, rank, texts())

        def stopped(kind, pids, processes, texts):
            os.kill(pids[2], signal.SIGSTOP)
            # The first stage waits for the second, which waits itself.
            expected = {rank: re.compile(rf'rank {rank} \(stage {rank}\) has waited for .* pending "transfer of microbatch \d+, (to|from) stage {peer}", waits for rank {peer}'
                                         r".*; rank 2 \(stage 2\) has not been heard from") for rank, peer in ((0, 1), (1, 2), (3, 2))}
            begin = time.time()
            while not all(each.search(texts()[rank]) for rank, each in expected.items()):
                assert time.time() - begin < 20, (transport, texts())
                time.sleep(0.1)
            os.kill(pids[2], signal.SIGCONT)
        # Over slow links a step is little but transfers.
        for body in (killed, stopped):
            both_launchers(["--watchdog", "4", "--link-delay", "50ms", "--ranks", transport], body, shape=(1, 4, 4), launchers=("env",))


def test_missing_library():
    """Without the transport's library, zrun says which and how to get it; local ranks need none."""
    toy(4)
    os.makedirs("alone", exist_ok=True)
    shutil.copy(ZRUN, "alone/zrun")
    line = ["alone/zrun", *command()[1:]]
    subprocess.run(line, check=True, timeout=60)
    for kind, library in (("mpi", "libopenmpi-dev"), ("env", "libgloo-dev")):
        environment = {**os.environ, "RANK": "0", "WORLD_SIZE": "4", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}
        p = subprocess.run([*line, "--ranks", kind], capture_output=True, text=True, timeout=60, env=environment)
        assert p.returncode == 2 and library in p.stderr and f"--ranks {kind}" in p.stderr, p.stderr
    # The plugin is there, what it needs is not.
    for kind, ranks, needs in (("mpi", "mpi", "Open MPI"), ("gloo", "env", "Gloo")):
        with open(f"alone/libzcc-{kind}.so", "w") as f:
            f.write("no library")
        p = subprocess.run([*line, "--ranks", ranks], capture_output=True, text=True, timeout=60, env=environment)
        assert p.returncode == 2 and needs in p.stderr and "apt-get install" in p.stderr, p.stderr


if __name__ == "__main__":
    names = sys.argv[3:] or [n[5:] for n in globals() if n.startswith("test_")]
    for name in names:
        globals()["test_" + name]()
        print("passed", name)
