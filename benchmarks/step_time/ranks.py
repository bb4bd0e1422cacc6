#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Step time of one model on 1, 2, 4 and 8 local ranks, data parallel, against JAX on as many host devices and PyTorch's
DistributedDataParallel over gloo on as many processes.

    python3 benchmarks/step_time/ranks.py [--model S] [--rounds 10] [--ranks 1,2,4,8] [--ddp 2,4] [--bin build/bin] [--out FILE.json]

As in run.py: all alive, stepped round robin, median of the rounds. The global batch is the same on every number of ranks.
"""
import argparse
import json
import os
import tempfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

from run import ROOT, Jax, Torch, Zcc, measure  # noqa: E402

import jax  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.multiprocessing  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402


class JaxRanks(Jax):
    """The batch sharded over n host devices, the state replicated."""

    def __init__(self, name, n):
        super().__init__(name)
        mesh = Mesh(np.array(jax.devices()[:n]), ("data",))
        self.batch = jax.device_put(self.batch, NamedSharding(mesh, PartitionSpec("data")))
        self.state = jax.device_put(self.state, NamedSharding(mesh, PartitionSpec()))


def ddp_worker(rank, n, name, port, pipe):
    torch.set_num_threads(max(1, os.cpu_count() // n))
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=n)
    one = Torch(name)
    one.batch = {k: v.chunk(n)[rank] for k, v in one.batch.items()}
    one.forward = torch.nn.parallel.DistributedDataParallel(one.model)
    while pipe.recv():
        pipe.send(one.step())


class Ddp:
    """n processes; a step ends when all have done it."""

    def __init__(self, name, n):
        context = torch.multiprocessing.get_context("spawn")
        self.pipes, self.processes = [], []
        for rank in range(n):
            ours, theirs = context.Pipe()
            self.pipes.append(ours)
            self.processes.append(context.Process(target=ddp_worker, args=(rank, n, name, 29500 + n, theirs), daemon=True))
            self.processes[-1].start()

    def step(self):
        for pipe in self.pipes:
            pipe.send(True)
        return [pipe.recv() for pipe in self.pipes][0]

    def close(self):
        for process in self.processes:
            process.kill()


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--model", default="S")
    a.add_argument("--rounds", type=int, default=10)
    a.add_argument("--ranks", default="1,2,4,8")
    a.add_argument("--ddp", default="2,4")
    a.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    a.add_argument("--out")
    args = a.parse_args()
    contestants = {}
    for n in map(int, args.ranks.split(",")):
        contestants[f"zcc {n}"] = Zcc(args.model, tempfile.mkdtemp(prefix="zcc-bench-"), args.bin, f"--mesh=data={n}")
        contestants[f"jax {n}"] = JaxRanks(args.model, n)
    for n in filter(None, args.ddp.split(",")):
        contestants[f"ddp {n}"] = Ddp(args.model, int(n))
    results = measure(contestants, args.rounds)
    for one in contestants.values():
        one.close()
    for name, seconds in results.items():
        print(f"{name:8} {seconds * 1e3:9.2f} ms")
    if args.out:
        with open(args.out, "w") as f:
            json.dump({"unit": "seconds, median step", "model": args.model, "results": results}, f, indent=1)


if __name__ == "__main__":
    main()
