# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One rank of PyTorch's torch.distributed.pipelining that trains the step-time benchmark's GPT, layers cut evenly, as its users write it: the head
has a copy of the tied embedding, whose gradients are summed over the ends, and the norm of all gradients is summed over the ranks."""
import os
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder) for folder in ("step_time", "gpu")]

import gpt_peers  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch.distributed.pipelining import PipelineStage, schedules  # noqa: E402

# name: class, chunks a rank, whether the second goes back through the ranks
SCHEDULES = {"gpipe": (schedules.ScheduleGPipe, 1, False), "1f1b": (schedules.Schedule1F1B, 1, False),
             "zb": (schedules.ScheduleInterleavedZeroBubble, 1, False), "zb-v": (schedules.ScheduleZBVZeroBubble, 2, True)}


class Chunk(torch.nn.Module):
    """Part `index` of `count` of the whole model's layers; the first has the embedding, the last the head."""

    def __init__(self, whole, index, count):
        super().__init__()
        layers = len(whole.blocks)
        self.blocks = torch.nn.ModuleList(whole.blocks[layers * index // count:layers * (index + 1) // count])
        self.first, self.last = index == 0, index == count - 1
        if self.first:
            self.wte, self.wpe = whole.wte, whole.wpe
        if self.last:
            self.lnf, self.head = whole.lnf, torch.nn.Parameter(whole.wte.weight.detach().clone())

    def forward(self, h):
        if self.first:
            h = self.wte(h) + self.wpe
        for block in self.blocks:
            h = block(h)
        return self.lnf(h) @ self.head.T if self.last else h


class Rank:
    def __init__(self, name, folder, shape, microbatches, batch, rank, n):
        kind, chunks, returns = SCHEDULES[name]
        whole = gpt_peers.torch_model(folder, shape, "cpu")
        indices = [rank + n * i if not (returns and i % 2) else n * (i + 1) - 1 - rank for i in range(chunks)]
        stages = [PipelineStage(Chunk(whole, i, n * chunks), i, n * chunks, torch.device("cpu")) for i in indices]
        loss = lambda logits, labels: F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        self.schedule = kind(stages if chunks > 1 or name == "zb" else stages[0], n_microbatches=microbatches, loss_fn=loss)
        parts = [stage.submod for stage in stages]
        self.x = torch.from_numpy(batch["x"]) if any(p.first for p in parts) else None
        self.y = torch.from_numpy(batch["y"]).long() if any(p.last for p in parts) else None
        self.tied = [p.wte.weight for p in parts if p.first] + [p.head for p in parts if p.last]
        # The group of the first and the last rank, which share the tied weights, if they are two ranks.
        self.ends = dist.new_group([0, n - 1]) if not returns and n > 1 else None
        self.parameters = [p for part in parts for p in part.parameters()]
        # Counted once in the norm.
        copies = [p.head for p in parts if p.last]
        self.counted = [p for p in self.parameters if all(p is not copy for copy in copies)]
        groups = [{"params": [p for p in self.parameters if p.ndim >= 2], "weight_decay": gpt_peers.DECAY},
                  {"params": [p for p in self.parameters if p.ndim < 2], "weight_decay": 0}]
        import stepping
        self.clip = stepping.CLIP
        self.optimizer = torch.optim.AdamW(groups, lr=stepping.LR, betas=(stepping.B1, stepping.B2), eps=stepping.EPS, fused=True)

    def step(self):
        losses = []
        self.schedule.step(*([] if self.x is None else [self.x]), target=self.y, losses=losses, return_outputs=False)
        if len(self.tied) == 2:
            total = self.tied[0].grad + self.tied[1].grad
            for p in self.tied:
                p.grad = total
        elif self.tied and self.ends:
            dist.all_reduce(self.tied[0].grad, group=self.ends)
        norms = torch._foreach_norm([p.grad for p in self.counted])
        square = torch.stack(norms).square().sum()
        dist.all_reduce(square)
        torch._foreach_mul_([p.grad for p in {id(p.grad): p for p in self.parameters}.values()],
                            torch.clamp(self.clip / (square.sqrt() + 1e-6), max=1))
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return float(torch.stack(losses).detach().mean()) if losses else 0.0


def make(name, folder, shape, microbatches, batch, rank, n):
    return Rank(name, folder, shape, microbatches, batch, rank, n).step
