# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch on n processes over gloo, with the cores shared out."""
import os

import torch
import torch.distributed
import torch.multiprocessing
from stepping import Refused


def worker(make, arguments, rank, n, port, pipe):
    try:
        torch.set_num_threads(max(1, os.cpu_count() // n))
        torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=n)
        step = make(*arguments, rank, n)
        pipe.send("ready")
        while pipe.recv():
            pipe.send(step())
    except Exception as error:
        pipe.send(error)


class TorchRanks:
    """make(*arguments, rank, n) gives each process its step. step() waits for all of them, and
    returns the sum of their results if `sums` is set, else the result of rank 0."""
    port = 29500

    def __init__(self, n, make, *arguments, sums=False):
        context = torch.multiprocessing.get_context("spawn")
        TorchRanks.port += 1
        self.pipes, self.processes, self.sums = [], [], sums
        for rank in range(n):
            ours, theirs = context.Pipe()
            self.pipes.append(ours)
            self.processes.append(context.Process(target=worker, args=(make, arguments, rank, n, TorchRanks.port, theirs), daemon=True))
            self.processes[-1].start()
        self.collect()

    def collect(self):
        answers = [pipe.recv() for pipe in self.pipes]
        for answer in answers:
            if isinstance(answer, Exception):
                self.close()
                raise Refused(str(answer))
        return sum(answers) if self.sums and answers[0] != "ready" else answers[0]

    def step(self):
        for pipe in self.pipes:
            pipe.send(True)
        return self.collect()

    def close(self):
        for process in self.processes:
            process.kill()
