#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Step time of zcc against JAX and PyTorch on the same models in the same run.

    python3 benchmarks/step_time/run.py [--models S,M,mlp,dlrm,gpt2,resnet] [--rounds 10] [--bin build/bin] [--out FILE.json]

All contestants are alive at once and stepped round robin, with a pause between turns so that nobody's waiting
threads are in the way of the next; the figure is the median over the rounds, after two of warm-up.
zrun takes its batches from standard input, so that it steps when it is told to. f32, AdamW, weight decay 0.1, clipping at 1.
`zcc bf16` is the same model with --precision=bf16. The share of the machine's matrix-product peak is zcc's arithmetic in a
second over that of a large product in the same rounds. Needs jax, torch, numpy and safetensors; without them it makes a virtual
environment in build/benchmark-venv and starts again inside.
"""
import argparse
import json
import os
import sys

from stepping import B1, B2, CLIP, DECAY, EPS, LR, ROOT, Zcc, ensure_environment, measure, medians

ensure_environment("torch")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import torch  # noqa: E402

import models  # noqa: E402
import torch_models  # noqa: E402


class Jax:
    def __init__(self, name):
        loss, params, batch = models.MODELS[name]()
        self.batch = {k: jnp.asarray(v) for k, v in batch.items()}
        p = jax.tree.map(jnp.asarray, params)
        self.state = (p, jax.tree.map(jnp.zeros_like, p), jax.tree.map(jnp.zeros_like, p))
        self.t = 0

        def step(state, batch, t):
            params, m, v = state
            value, g = jax.value_and_grad(loss)(params, batch)
            norm = jnp.sqrt(sum((x * x).sum() for x in jax.tree.leaves(g)))
            g = jax.tree.map(lambda x: x * jnp.minimum(1, CLIP / (norm + 1e-6)), g)
            m = jax.tree.map(lambda m, g: B1 * m + (1 - B1) * g, m, g)
            v = jax.tree.map(lambda v, g: B2 * v + (1 - B2) * g * g, v, g)
            update = lambda p, m, v: p - LR * (DECAY if p.ndim >= 2 else 0) * p - LR * (m / (1 - B1 ** t)) / (jnp.sqrt(v / (1 - B2 ** t)) + EPS)
            return value, (jax.tree.map(update, params, m, v), m, v)

        self.run = jax.jit(step, donate_argnums=0)

    def step(self):
        self.t += 1
        value, self.state = self.run(self.state, self.batch, jnp.float32(self.t))
        return float(jax.block_until_ready((value, self.state))[0])

    def close(self):
        self.state = None


class Torch:
    def __init__(self, name, compiled=False):
        torch.manual_seed(0)
        self.model = torch_models.MODELS[name]()
        decayed = [p for p in self.model.parameters() if p.ndim >= 2]
        others = [p for p in self.model.parameters() if p.ndim < 2]
        self.optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": DECAY}, {"params": others, "weight_decay": 0}], lr=LR,
                                           betas=(B1, B2), eps=EPS, fused=True)
        self.batch = {k: torch.from_numpy(v) for k, v in models.MODELS[name]()[2].items()}
        self.forward = torch.compile(self.model) if compiled else self.model

    def loss(self):
        return self.forward(self.batch)

    def step(self):
        loss = self.loss()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.item()

    def close(self):
        self.model = None


class Product:
    """A large matrix product by PyTorch: what the machine's multiply-adds reach in this run."""
    n = 2048
    flops = 2 * n ** 3

    def __init__(self):
        self.a, self.b = torch.randn(self.n, self.n), torch.randn(self.n, self.n)

    def step(self):
        torch.mm(self.a, self.b)

    def close(self):
        self.a = self.b = None


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--models", default="S,M,mlp,dlrm,gpt2,resnet")
    a.add_argument("--rounds", type=int, default=10)
    a.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    a.add_argument("--out")
    a.add_argument("--without", default="", help="contestants left out, e.g. 'torch.compile'")
    args = a.parse_args()
    results = {}
    for name in args.models.split(","):
        contestants = {}
        makers = {"zcc": lambda: Zcc(name, args.bin),
                  "zcc bf16": lambda: Zcc(name, args.bin, "--precision=bf16"),
                  "jax": lambda: Jax(name), "torch": lambda: Torch(name), "torch.compile": lambda: Torch(name, compiled=True)}
        for kind, make in makers.items():
            if kind in args.without.split(","):
                continue
            try:
                contestants[kind] = make()
                contestants[kind].step()
            except Exception as error:
                contestants.pop(kind, None)
                print(f"{name}: {kind} left out: {error}", file=sys.stderr)
        contestants["product"] = Product()
        results[name] = medians(measure(contestants, args.rounds))
        peak = Product.flops / results[name].pop("product")
        if "zcc" in contestants:
            speed = contestants["zcc"].report["flops"]["executed"] / results[name]["zcc"]
            print(f"{name:8} zcc runs at {speed / 1e9:.0f} GFLOP/s, {speed / peak:.2f} of a large product's {peak / 1e9:.0f}")
        for one in contestants.values():
            one.close()
        ours = results[name].get("zcc")
        print(f"{name:8}" + "".join(f"{kind:>16} {t * 1e3:9.2f} ms{f' ({ours / t:.2f})' if ours and kind != 'zcc' else ''}"
                                    for kind, t in results[name].items()), flush=True)
    if args.out:
        with open(args.out, "w") as f:
            json.dump({"unit": "seconds, median step", "results": results}, f, indent=1)


if __name__ == "__main__":
    main()
