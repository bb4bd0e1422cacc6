# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small Qwen3 mixture of experts, its experts spread over the devices."""
import numpy as np
import torch
import transformers

import zcc

config = transformers.Qwen3MoeConfig(vocab_size=128, hidden_size=64, intermediate_size=128, moe_intermediate_size=64, num_hidden_layers=2,
                                     num_attention_heads=4, num_key_value_heads=2, head_dim=16, num_experts=8, num_experts_per_tok=2)
torch.manual_seed(0)
model = transformers.Qwen3MoeForCausalLM(config).train()


def batches(steps, random=np.random.default_rng(0)):
    for _ in range(steps):
        tokens = (random.integers(0, 128, (8, 1)) + np.arange(32)) % 128
        yield {"input_ids": tokens, "labels": tokens}


with zcc.compile(model, next(batches(1)), optimizer=zcc.AdamW(lr=3e-3), mesh="expert=2") as step:
    for batch in batches(60):
        metrics = step(batch)
        if step.count % 20 == 0:
            print(f"step {step.count}: loss {metrics.loss:.3f}")
    for collective in step.report["collectives"][:3]:
        print(f"{collective['kind']} of {collective['value']}: {collective['bytes']} B x {collective['times']}")
