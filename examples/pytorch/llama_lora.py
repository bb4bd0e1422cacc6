# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fine-tunes a small Llama by LoRA on two devices: only the adapters are trained and saved.

Put LlamaForCausalLM.from_pretrained(FOLDER) in the place of the random model, and tokens of your own in that of the pattern.
"""
import numpy as np
import peft
import torch
import transformers

import zcc

config = transformers.LlamaConfig(vocab_size=256, hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4,
                                  num_key_value_heads=2)
torch.manual_seed(0)
model = peft.get_peft_model(transformers.LlamaForCausalLM(config),
                            peft.LoraConfig(r=16, lora_alpha=32, target_modules=["q_proj", "v_proj", "up_proj", "down_proj"]))


def batches(steps, random=np.random.default_rng(0)):
    for _ in range(steps):  # sentences that count on from where they begin
        tokens = (random.integers(0, 256, (8, 1)) + np.arange(64)) % 256
        yield {"input_ids": tokens, "labels": tokens}


example = next(batches(1))
with zcc.compile(model.train(), example, optimizer=zcc.AdamW(lr=1e-2), mesh="data=2", zero=3, clip_norm=1.0) as step:
    memory = step.report["memory"]
    print(f"optimizer state: {memory['optimizer'] / 1e3:.0f} kB of {memory['peak'] / 1e6:.1f} MB a device")
    for batch in batches(60):
        metrics = step(batch)
        if step.count % 20 == 0:
            print(f"step {step.count}: loss {metrics.loss:.3f}")
    step.save("llama-adapter", format="hf")  # peft.PeftModel.from_pretrained(base, "llama-adapter") reads it
