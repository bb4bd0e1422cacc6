# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains in each of several processes, and prints the losses: processes.py [local]. test_processes.py starts it."""
import os
import sys

import numpy as np

import zcc
from models import batches, classify, network

local = "local" in sys.argv[1:]
rng = np.random.default_rng(5)
params, data = network(rng, 10, 16, 5), batches(rng)
with zcc.compile(classify, params, data[0], mesh="data=2", zero=3, optimizer=zcc.SGD(lr=0.1), ema=0.9, local_batch=local) as step:
    part = slice(4 * step.rank, 4 * step.rank + 4) if local else slice(None)
    losses = [step({k: v[part] for k, v in b.items()}).loss for b in data]
    whole = sum(float(np.sum(layer["w"])) for layer in step.params)
    averages = sum(float(np.sum(layer["w"])) for layer in step.ema)
    evaluated = step.evaluate({k: v[part] for k, v in data[0].items()}, ema=True).loss
    step.ema = params
    assigned = np.array_equal(step.ema[1]["w"], params[1]["w"])
    os.write(1, f"result {step.rank} {losses} {whole} {averages} {evaluated} {assigned}\n".encode())  # one write, which no other process divides
