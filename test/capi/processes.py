# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C interface in several processes, under mpirun and with torchrun's variables.
Usage: processes.py CAPI_PROCESSES FOLDER
"""
import os
import shutil
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import launch

PROGRAM, FOLDER = map(os.path.abspath, sys.argv[1:3])
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2"]


def fresh():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)


def run_env(*arguments, ranks=2):
    processes = launch.start([[PROGRAM, FOLDER, *arguments]] * ranks, stderr=subprocess.PIPE, text=True)
    errors = [p.communicate(timeout=120)[1] for p in processes]
    return [p.returncode for p in processes], errors


def run_mpi(*arguments):
    p = subprocess.run([*MPIRUN, PROGRAM, FOLDER, *arguments], capture_output=True, text=True, timeout=120)
    return p.returncode, p.stderr


fresh()
statuses, errors = run_env()
assert statuses == [0, 0] and all(f"rank {i} is done" in error for i, error in enumerate(errors)), (statuses, errors)
fresh()
status, error = run_mpi()
assert status == 0 and "rank 0 is done" in error and "rank 1 is done" in error, (status, error)
fresh()
status, error = run_mpi("within MPI")
assert status == 0 and "rank 0 is done" in error and "rank 1 is done" in error, (status, error)
# Nobody waits for a process that is gone. mpirun ends the others itself.
for what, wanted in (("exits", 7), ("dies", -9), ("dies within", -14)):
    fresh()
    statuses, errors = run_env(what)
    assert statuses == [0, wanted] and "rank 0 ends well" in errors[0], (what, statuses, errors)
    status, error = run_mpi(what)
    assert status != 0, (what, error)
