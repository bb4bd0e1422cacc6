# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes test/data/torch-*: texts of PyTorch modules, with parameters, batches and the losses of PyTorch in float64.

    python test/torch/write_texts.py        with the package zcc, torch, transformers and peft

So tests without torch train what modules become. A module or lowering that changes its text on purpose writes them anew.
"""
import json
import os
import re

import numpy as np
import peft
import reference
import torch
import transformers as T
from safetensors.numpy import save_file
from torch import nn

from zcc import _torch

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
STEPS = 5
TRAINING = {"optimizer": "adamw", "lr": 1e-2, "b1": 0.9, "b2": 0.95, "eps": 1e-8, "weight_decay": 0.1, "clip_norm": 1.0}
SMALL = {"vocab_size": 32, "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}


class Straight(torch.autograd.Function):
    """Rounds, and lets the gradient pass."""

    @staticmethod
    def forward(ctx, x):
        return torch.round(x * 4) / 4

    @staticmethod
    def backward(ctx, g):
        return g * 0.5


class Habits(nn.Module):
    """An autograd.Function, detach, no_grad, an in-place update, batch norm and a tied parameter."""

    def __init__(self):
        super().__init__()
        self.embed, self.norm, self.out = nn.Embedding(32, 16, padding_idx=0), nn.BatchNorm1d(16), nn.Linear(16, 32, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, input_ids, labels):
        h = self.norm(self.embed(input_ids).flatten(0, 1))
        with torch.no_grad():
            gate = h.sigmoid()
        h = Straight.apply(h * gate) + h * h.detach().amax(-1, keepdim=True)
        h[:, ::2].mul_(0.5)
        return nn.functional.cross_entropy(self.out(h), labels.flatten(), label_smoothing=0.1)


def llama():
    return T.LlamaForCausalLM(T.LlamaConfig(num_key_value_heads=1, **SMALL))


def lora():
    return peft.get_peft_model(llama(), peft.LoraConfig(r=2, target_modules=["q_proj", "v_proj"]))


def bert():
    return T.BertForMaskedLM(T.BertConfig(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, **SMALL))


def t5():
    return T.T5ForConditionalGeneration(T.T5Config(vocab_size=32, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, dropout_rate=0.0,
                                                   decoder_start_token_id=0, pad_token_id=0))


MODULES = {"torch-llama": llama, "torch-lora": lora, "torch-bert": bert, "torch-t5": t5, "torch-habits": Habits}


def batches():
    random = np.random.default_rng(0)
    for _ in range(STEPS):
        tokens = random.integers(1, 32, (8, 12))
        kept = np.arange(12) < random.integers(4, 13, (8, 1))
        yield {"input_ids": tokens, "labels": np.where(kept, tokens, -100)}


def write(name, make):
    torch.manual_seed(0)
    module, data = make().train(), list(batches())
    traced = _torch.trace(module, data[0], trains=True)
    folder = os.path.join(DATA, name)
    os.makedirs(folder, exist_ok=True)
    # Paths begin at the package, so that the text is the same wherever packages are installed.
    text = re.sub(r'"[^"\n]*/(?:site-packages|dist-packages|test)/([^"\n]*\.py)"', r'"\1"', traced.text)
    with open(f"{folder}/loss.mlir", "w") as f:
        f.write(text)
    held = {n: p.detach() for n, p in module.named_parameters()} | {n: b for n, b in module.named_buffers() if n in module.state_dict()}
    save_file({n: np.array(x.numpy(), order="C") for n, x in held.items()}, f"{folder}/params.safetensors")
    save_file({k: np.stack([b[k] for b in data]) for k in data[0]}, f"{folder}/batches.safetensors")
    with open(f"{folder}/reference.json", "w") as f:
        losses, norms = reference.train(module, data, TRAINING)
        json.dump({"training": TRAINING, "frozen": traced.frozen, "loss": losses, "grad_norm": norms}, f, indent=1)
        f.write("\n")


for name, make in MODULES.items():
    write(name, make)
    print(name)
