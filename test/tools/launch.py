# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts a program several times with the variables that torchrun sets; fails if one of them fails.
Usage: launch.py RANKS PROGRAM [ARGUMENT...]
"""
import os
import socket
import subprocess
import sys


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(commands, own=lambda rank: {}, **kw):
    """One process a command, in rank order; `own`: more variables of a rank."""
    port = str(free_port())
    return [subprocess.Popen(list(map(str, command)), env={
        **os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(len(commands)),
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, **own(rank)}, **kw) for rank, command in enumerate(commands)]


if __name__ == "__main__":
    processes = start([sys.argv[2:]] * int(sys.argv[1]))
    sys.exit(max(p.wait() != 0 for p in processes))
