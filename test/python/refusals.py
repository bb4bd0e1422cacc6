# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains in two processes, of which rank 1 is at fault: refusals.py WHAT. test_processes.py starts it.

Each process prints what it was told, and that it could go on together with the other one.
"""
import os
import sys

import numpy as np
from safetensors.numpy import save_file

import zcc
from models import batches, classify, network

what = sys.argv[1]
rng = np.random.default_rng(5)
params, data = network(rng, 10, 16, 5), batches(rng)


def loader(faulty):
    yield data[0]
    if faulty:
        raise OSError("the disk is gone")
    yield data[1]


def fail(_):
    raise ValueError("no such rate")


def fault(step):
    """Makes the call that is tested, in which rank 1 does something wrong."""
    faulty = step.rank == 1
    if what == "shape":
        step({n: v[:4] for n, v in data[1].items()} if faulty else data[1])
    elif what == "key":
        step({"z" if faulty and n == "x" else n: v for n, v in data[1].items()})
    elif what == "loader":
        step.run(loader(faulty))
    elif what == "rate":
        step.run([data[0]], lr=fail if faulty else 0.1)
    elif what == "evaluate":
        step.evaluate(None if faulty else data[1])
    elif what == "function":
        step.predict(data[1], lambda p, b: fail(p) if faulty else classify(p, b))
    elif what == "params":
        step.params = params[:1] if faulty else params
    elif what == "weights":
        other = os.path.join(sys.argv[2], "other")
        if faulty:
            os.mkdir(other)
            save_file({"v": np.zeros(3, "f")}, os.path.join(other, "model.safetensors"))
        step.load(other if faulty else sys.argv[2])


with zcc.compile(classify, params, data[0], mesh="data=2", optimizer=zcc.SGD(lr=0.1)) as step:
    step(data[0])
    step.save(sys.argv[2], format="hf")
    try:
        fault(step)
        said = "nothing"
    except Exception as error:
        said = str(error)
    count = step.count
    losses = [step(b).loss for b in data]
    os.write(1, f"result {step.rank} {count} {losses} | {said}\n".encode())
