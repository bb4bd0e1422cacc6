# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One script under mpirun and torchrun's variables: the losses of local ranks, to the bit, with whole batches and slices."""
import os
import shutil
import socket
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT, REFUSALS = os.path.join(HERE, "processes.py"), os.path.join(HERE, "refusals.py")


def results(text):
    return sorted(line.split(maxsplit=2)[1:] for line in text.splitlines() if line.startswith("result"))


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    done = subprocess.run([sys.executable, SCRIPT, tmp_path_factory.mktemp("alone")], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return results(done.stdout)[0][1]


@pytest.mark.parametrize("arguments", [[], ["local"]], ids=["whole", "local"])
def test_mpirun(alone, arguments, tmp_path):
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun")
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", sys.executable, SCRIPT, tmp_path, *arguments], capture_output=True, text=True,
                          env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert results(done.stdout) == [["0", alone], ["1", alone]], done.stdout


def start_pair(*arguments):
    """Runs a script in two processes that torchrun's variables describe. Returns them and their outputs."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = str(s.getsockname()[1])
    started = []
    for rank in range(2):
        environment = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                       "MASTER_PORT": port}
        started.append(subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=environment))
    try:
        return started, [process.communicate(timeout=300) for process in started]
    finally:
        for process in started:
            process.kill()


@pytest.mark.parametrize("arguments", [[], ["local"]], ids=["whole", "local"])
def test_torchrun(alone, arguments, tmp_path):
    started, said = start_pair(SCRIPT, tmp_path, *arguments)
    assert all(process.returncode == 0 for process in started), said
    assert results(said[0][0] + said[1][0]) == [["0", alone], ["1", alone]], said


# By what rank 1 does wrong: what both say about it, and the steps done.
FAULTS = {
    "shape": ("batch: 'x' is float32[4,10], expected float32[8,10]", 1),
    "key": ("batch: expected x, y; missing: x; surplus: z", 1),
    "loader": ("the iterable of batches raised OSError: the disk is gone, after step 2", 2),
    "rate": ("the function lr raised ValueError: no such rate, after step 1", 1),
    "evaluate": ("batch: expected x, y; missing: x, y", 1),
    "function": ("no such rate", 1),
    "params": ("params: expected the leaves that zcc.compile() was given", 1),
    "weights": ("parameters do not fit: missing: ", 1),
}


@pytest.mark.parametrize("what", FAULTS)
def test_refusals_reach_the_other_process(what, tmp_path):
    """A process that is refused says so to the others, whose call ends with its rank and the reason. Both go on after it."""
    started, said = start_pair(REFUSALS, what, tmp_path)
    assert all(process.returncode == 0 for process in started), said
    (_, first), (_, second) = results(said[0][0] + said[1][0])
    (first_numbers, first_text), (second_numbers, second_text) = first.split(" | "), second.split(" | ")
    text, count = FAULTS[what]
    assert first_text.startswith("rank 1: ") and text in first_text, said
    assert text in second_text and "rank 1" not in second_text, said
    assert first_numbers == second_numbers and first_numbers.startswith(f"{count} ["), said
