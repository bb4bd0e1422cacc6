# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One script under mpirun and torchrun's variables: the losses of local ranks, to the bit, with whole batches and slices."""
import os
import shutil
import socket
import subprocess
import sys

import pytest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "processes.py")


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


@pytest.mark.parametrize("arguments", [[], ["local"]], ids=["whole", "local"])
def test_torchrun(alone, arguments, tmp_path):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = str(s.getsockname()[1])
    started = []
    for rank in range(2):
        environment = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                       "MASTER_PORT": port}
        started.append(subprocess.Popen([sys.executable, SCRIPT, tmp_path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=environment))
    said = [process.communicate(timeout=300) for process in started]
    assert all(process.returncode == 0 for process in started), said
    assert results(said[0][0] + said[1][0]) == [["0", alone], ["1", alone]], said
