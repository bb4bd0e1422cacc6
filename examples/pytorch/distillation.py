# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Distills a large model into a small one. Both are in one graph: the teacher is frozen, and has no gradients and no moments."""
import numpy as np
import torch
import torch.nn.functional as F
import transformers
from torch import nn

import zcc


def llama(size, layers):
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=128, hidden_size=size, intermediate_size=2 * size, num_hidden_layers=layers, num_attention_heads=4, num_key_value_heads=2))


class Distillation(nn.Module):
    def __init__(self, student, teacher, temperature=2.0):
        super().__init__()
        self.student, self.teacher, self.temperature = student, teacher.requires_grad_(False), temperature

    def forward(self, input_ids):
        with torch.no_grad():
            wanted = self.teacher(input_ids=input_ids).logits / self.temperature
        found = self.student(input_ids=input_ids).logits / self.temperature
        return F.kl_div(F.log_softmax(found, -1).flatten(0, 1), F.log_softmax(wanted, -1).flatten(0, 1), log_target=True, reduction="batchmean")


torch.manual_seed(0)
module = Distillation(llama(64, 2), llama(128, 4)).train()
random = np.random.default_rng(0)
batches = [{"input_ids": random.integers(0, 128, (8, 32))} for _ in range(4)]
with zcc.compile(module, batches[0], optimizer=zcc.AdamW(lr=2e-3), mesh="data=2") as step:
    for epoch in range(10):
        losses = [step(batch).loss for batch in batches]
        if epoch % 3 == 0:
            print(f"step {step.count}: divergence {np.mean(losses):.4f}")
    student = {n.removeprefix("student."): p for n, p in step.params.items() if n.startswith("student.")}
    module.student.load_state_dict(student, strict=False)
