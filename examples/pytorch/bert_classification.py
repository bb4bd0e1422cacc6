# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small BERT to tell which of two words comes more often in a sentence, with dropout and padding."""
import numpy as np
import torch
import transformers

import zcc

config = transformers.BertConfig(vocab_size=32, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_labels=2)
torch.manual_seed(0)
model = transformers.BertForSequenceClassification(config)


def batches(steps, random=np.random.default_rng(0)):
    for _ in range(steps):
        length = random.integers(12, 33, (32, 1))
        tokens = random.integers(2, 32, (32, 32))
        mask = np.arange(32) < length
        favorite = random.integers(4, 6, (32, 1))
        tokens = np.where(mask & (random.random((32, 32)) < 0.3), favorite, np.where(mask, tokens, 0))
        counts = [((tokens == word) & mask).sum(1) for word in (4, 5)]
        yield {"input_ids": tokens, "attention_mask": mask.astype(np.int64), "labels": (counts[1] > counts[0]).astype(np.int64)}


example = next(batches(1))
with zcc.compile(model.train(), example, optimizer=zcc.AdamW(lr=5e-4), mesh="2") as step:
    for batch in batches(120):
        metrics = step(batch)
        if step.count % 40 == 1:
            print(f"step {step.count}: loss {metrics.loss:.3f}")
    held_out = next(batches(1, np.random.default_rng(1)))
    logits = step.predict(held_out)["logits"]  # of the module in evaluation mode: without dropout
    print(f"right on new sentences: {np.mean(logits.argmax(-1) == held_out['labels']):.0%}")
