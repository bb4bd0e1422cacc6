# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains in each of several processes, and prints the losses: processes.py FOLDER [local]. test_processes.py starts it."""
import os
import sys

import numpy as np

import zcc
from models import batches, classify, network

folder, local = sys.argv[1], "local" in sys.argv[2:]
rng = np.random.default_rng(5)
params, data = network(rng, 10, 16, 5), batches(rng)
with zcc.compile(classify, params, data[0], mesh="data=2", zero=3, optimizer=zcc.SGD(lr=0.1), ema=0.9, local_batch=local) as step:
    part = slice(4 * step.rank, 4 * step.rank + 4) if local else slice(None)
    data = [{k: v[part] for k, v in b.items()} for b in data]
    losses = []
    for batch in data:
        losses.append(step(batch).loss)
        step.save(folder)  # while the next step runs
    with step.tracing():
        losses.append(step(data[0]).loss)
    ranks = {event["pid"] for event in step.trace()["traceEvents"]}
    whole = sum(float(np.sum(layer["w"])) for layer in step.params)
    averages = sum(float(np.sum(layer["w"])) for layer in step.ema)
    evaluated = step.evaluate(data[0], ema=True).loss
    step.ema = params
    assigned = np.array_equal(step.ema[1]["w"], params[1]["w"])
    losses.append(step.load(folder)(data[0]).loss)
    if step.rank == 0:
        step.page(os.path.join(folder, "page.html"))  # needs no other process
    # Weights of all ranks are in one file, which all read.
    step.params = params
    step.save(os.path.join(folder, "weights"), format="hf")
    step.params = [{n: w * 0 for n, w in layer.items()} for layer in step.params]
    step.load(os.path.join(folder, "weights"))
    assert all(np.array_equal(a[n], b[n]) for a, b in zip(params, step.params) for n in a)
    os.write(1, f"result {step.rank} {losses} {whole} {ranks} {averages} {evaluated} {assigned}\n".encode())  # one write, which no other process divides
