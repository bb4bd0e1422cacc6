#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Step time through the Python package, against the library that the model is written in.

    python benchmarks/step_time/package.py [--models jax/S,jax/llama,torch/gpt2,torch/llama] [--rounds 10] [--out FILE.json]
                                           [--traces FOLDER]

    jax/S, jax/llama           losses of models.py: on one rank and on data=2, against jax.jit on one and on two host devices
    torch/gpt2, torch/llama    modules of transformers with random weights, about as large: on one rank, on data=2 and with ZeRO 3,
                               against PyTorch eager, torch.compile, DistributedDataParallel and FSDP2 (two processes over gloo,
                               the cores shared out)

f32, AdamW, weight decay 0.1, clipping at 1, dropout off. The contestants of a model are alive at once and stepped round robin, as in
run.py; a figure is the median of the rounds. In brackets is zcc over the faster of its peers. --traces writes a measured timeline of
each step of zcc. Needs the package zcc, jax, torch, transformers, numpy and safetensors.
"""
import argparse
import gc
import json
import os
import sys

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from ranks import JaxRanks, replicated  # noqa: E402
import run  # noqa: E402
from stepping import B1, B2, CLIP, DECAY, EPS, LR, measure, medians  # noqa: E402

import models  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch_ranks import TorchRanks  # noqa: E402

LAYERS, WIDTH, HEADS, HIDDEN, LENGTH, VOCABULARY, ROWS = 4, 256, 8, 688, 256, 256, 8


def module(name):
    """A module of transformers in training mode."""
    import transformers

    torch.manual_seed(0)
    if name == "gpt2":
        return transformers.GPT2LMHeadModel(transformers.GPT2Config(
            n_layer=LAYERS, n_embd=WIDTH, n_head=HEADS, n_positions=LENGTH, vocab_size=VOCABULARY, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
            bos_token_id=0, eos_token_id=0)).train()
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        num_hidden_layers=LAYERS, hidden_size=WIDTH, intermediate_size=HIDDEN, num_attention_heads=HEADS, max_position_embeddings=LENGTH,
        vocab_size=VOCABULARY)).train()


def tokens():
    found = np.random.default_rng(0).integers(0, VOCABULARY, (ROWS, LENGTH))
    return {"input_ids": found, "labels": found}


class Zcc:
    """A step of the package. options: of zcc.compile()."""

    def __init__(self, kind, name, **options):
        import zcc

        if kind == "jax":
            loss, params, self.batch = models.MODELS[name]()
            given = (loss, params, self.batch)
        else:
            self.batch = {**tokens(), "use_cache": False}
            given = (module(name), self.batch)
        self.run = zcc.compile(*given, optimizer=zcc.AdamW(lr=LR, b1=B1, b2=B2, eps=EPS, weight_decay=DECAY), clip_norm=CLIP, progress=False,
                               **options)

    def step(self):
        return self.run(self.batch).loss

    def close(self):
        self.run.close()


class Torch(run.Torch):
    """A module of transformers, on one process or as one of n ranks. kind: eager, compile, ddp or fsdp2."""

    def __init__(self, kind, name, rank=0, n=1):
        self.model = module(name)
        self.batch = {k: torch.from_numpy(v).chunk(n)[rank] for k, v in tokens().items()}
        self.forward = self.model
        groups = [[k for k, p in self.model.named_parameters() if (p.ndim >= 2) == decayed] for decayed in (True, False)]
        if kind == "compile":
            self.forward = torch.compile(self.model)
        elif kind == "ddp":
            self.forward = torch.nn.parallel.DistributedDataParallel(self.model)
        elif kind == "fsdp2":
            from torch.distributed.device_mesh import init_device_mesh
            from torch.distributed.fsdp import fully_shard

            mesh = init_device_mesh("cpu", (n,))
            for block in self.model.transformer.h if name == "gpt2" else self.model.model.layers:
                fully_shard(block, mesh=mesh)
            fully_shard(self.model, mesh=mesh)
        named = dict(self.model.named_parameters())
        self.optimizer = torch.optim.AdamW([{"params": [named[k] for k in group], "weight_decay": decay} for group, decay in zip(groups, (DECAY, 0))],
                                           lr=LR, betas=(B1, B2), eps=EPS, fused=kind != "fsdp2")

    def loss(self):
        return self.forward(**self.batch, use_cache=False).loss


def torch_rank(kind, name, rank, n):
    return Torch(kind, name, rank, n).step


# For each kind of model, steps of zcc: options and peers.
PEERS = {
    "jax": {"zcc": ({}, ["jax"]), "zcc data=2": ({"mesh": "data=2"}, ["jax 2 devices"])},
    "torch": {"zcc": ({}, ["torch", "torch.compile"]), "zcc data=2": ({"mesh": "data=2"}, ["ddp"]),
              "zcc ZeRO 3": ({"mesh": "data=2", "zero": 3}, ["fsdp2"])},
}
MAKERS = {
    "jax": run.Jax,
    "jax 2 devices": lambda name: JaxRanks(name, {"data": 2}, replicated),
    "torch": lambda name: Torch("eager", name),
    "torch.compile": lambda name: Torch("compile", name),
    "ddp": lambda name: TorchRanks(2, torch_rank, "ddp", name),
    "fsdp2": lambda name: TorchRanks(2, torch_rank, "fsdp2", name),
}


def write_traces(contestants, folder, model):
    os.makedirs(folder, exist_ok=True)
    for kind, one in contestants.items():
        if isinstance(one, Zcc):
            with one.run.tracing():
                one.step()
            one.run.trace().save(os.path.join(folder, f"{model}-{kind}.json".replace("/", "-").replace(" ", "-")))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--models", default="jax/S,jax/llama,torch/gpt2,torch/llama")
    a.add_argument("--rounds", type=int, default=10)
    a.add_argument("--out")
    a.add_argument("--traces", metavar="FOLDER")
    args = a.parse_args()
    results = {}
    for model in args.models.split(","):
        library, name = model.split("/")
        steps = PEERS[library]
        contestants = {kind: Zcc(library, name, **options) for kind, (options, _) in steps.items()}
        for peer in dict.fromkeys(peer for _, peers in steps.values() for peer in peers):
            contestants[peer] = MAKERS[peer](name)
        first = {kind: one.step() for kind, one in contestants.items()}
        if library == "jax":  # PyTorch's rows have the loss of rank 0's slice
            assert max(first.values()) - min(first.values()) < 1e-3, f"{model}: losses differ: {first}"
        seconds = medians(measure(contestants, args.rounds))
        if args.traces:
            write_traces(contestants, args.traces, model)
        for one in contestants.values():
            one.close()
        del contestants, one
        gc.collect()
        results[model] = seconds
        for kind, (_, peers) in steps.items():
            ratio = seconds[kind] / min(seconds[peer] for peer in peers)
            print(f"{model:12} {kind:11} {seconds[kind] * 1e3:8.1f} ms ({ratio:.2f})"
                  + "".join(f"{peer:>15} {seconds[peer] * 1e3:8.1f} ms" for peer in peers), flush=True)
    if args.out:
        with open(args.out, "w") as f:
            json.dump({"unit": "seconds, median step", "results": results}, f, indent=1)


if __name__ == "__main__":
    sys.exit(main())
