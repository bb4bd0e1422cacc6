#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPT of benchmarks/gpu in PyTorch and JAX, as their users train it in bf16 on one GPU: float32 weights and moments, AdamW, clipping.

    gpt_peers.py init FOLDER LAYERS,D,HEADS,SEQUENCE,VOCABULARY,BATCH     params.safetensors, batches.safetensors
    gpt_peers.py torch|torch-compile|torch-graphs|jax FOLDER SHAPE STEPS [cpu]
    gpt_peers.py adam FOLDER SHAPE STEPS [cpu]       PyTorch's fused AdamW alone, and a copy within the memory

Prints one line of JSON: losses and seconds of each step (of adam: seconds, and the copy's bytes a second). Needs torch or jax, and numpy.
"""
import json
import math
import os
import struct
import sys
import time

import numpy as np

LR, B1, B2, EPS, DECAY, CLIP = 2e-4, 0.9, 0.95, 1e-8, 0.1, 1.0
TYPES = {"F32": np.float32, "I32": np.int32}


def read(file):
    """safetensors, as views of the file."""
    data = np.memmap(file, np.uint8, "r")
    size = struct.unpack("<Q", data[:8].tobytes())[0]
    header = json.loads(data[8:8 + size].tobytes())
    header.pop("__metadata__", None)
    return {name: data[8 + size + is_["data_offsets"][0]:8 + size + is_["data_offsets"][1]].view(TYPES[is_["dtype"]]).reshape(is_["shape"])
            for name, is_ in header.items()}


def write(file, tensors):
    """tensors: name -> (shape, type, function without arguments that makes it)"""
    header, at = {}, 0
    for name, (shape, kind, _) in tensors.items():
        size = 4 * math.prod(shape)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(file, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for shape, kind, make in tensors.values():
            f.write(np.ascontiguousarray(make(), TYPES[kind]).tobytes())


def init(folder, shape):
    layers, d, heads, sequence, vocabulary, batch = shape
    rng = np.random.default_rng(0)
    normal = lambda *s: (list(s), "F32", lambda: 0.02 * rng.standard_normal(s, np.float32))
    one = lambda *s: (list(s), "F32", lambda: np.ones(s, np.float32))
    zero = lambda *s: (list(s), "F32", lambda: np.zeros(s, np.float32))
    params = {"wte": normal(vocabulary, d), "wpe": normal(sequence, d), "lnf.scale": one(d), "lnf.bias": zero(d)}
    for i in range(layers):
        at = f"blocks.{i}."
        params |= {at + "ln1.scale": one(d), at + "ln1.bias": zero(d), at + "ln2.scale": one(d), at + "ln2.bias": zero(d),
                   at + "attn.wqkv": normal(d, 3, heads, d // heads), at + "attn.bqkv": zero(3, heads, d // heads),
                   at + "attn.wo": normal(heads, d // heads, d), at + "attn.bo": zero(d),
                   at + "mlp.wi": normal(d, 4 * d), at + "mlp.bi": zero(4 * d), at + "mlp.wo": normal(4 * d, d), at + "mlp.bo": zero(d)}
    write(os.path.join(folder, "params.safetensors"), params)
    tokens = rng.integers(0, vocabulary, (batch, sequence + 1)).astype(np.int32)
    # In zrun's form: one entry for each step, and from the first one again after the last.
    write(os.path.join(folder, "batches.safetensors"), {"x": ([1, batch, sequence], "I32", lambda: tokens[None, :, :-1]),
                                                        "y": ([1, batch, sequence], "I32", lambda: tokens[None, :, 1:])})


def torch_model(folder, shape, device):
    import torch
    import torch_models
    layers, d, heads, sequence, vocabulary, batch = shape
    with torch.device(device):
        model = torch_models.GPT2(*shape)
    params = {name: torch.from_numpy(np.array(value)) for name, value in read(os.path.join(folder, "params.safetensors")).items()}
    with torch.no_grad():
        model.wte.weight.copy_(params["wte"])
        model.wpe.copy_(params["wpe"])
        norms = [(model.lnf, "lnf.")]
        for i, block in enumerate(model.blocks):
            at = f"blocks.{i}."
            norms += [(block.ln1, at + "ln1."), (block.ln2, at + "ln2.")]
            for layer, weight, bias, rows in ((block.qkv, "attn.wqkv", "attn.bqkv", d), (block.wo, "attn.wo", "attn.bo", d),
                                              (block.wi, "mlp.wi", "mlp.bi", d), (block.wo2, "mlp.wo", "mlp.bo", 4 * d)):
                layer.weight.copy_(params[at + weight].reshape(rows, -1).T)
                layer.bias.copy_(params[at + bias].flatten())
        for norm, at in norms:
            norm.weight.copy_(params[at + "scale"])
            norm.bias.copy_(params[at + "bias"])
    return model


def torch_optimizer(model):
    import torch
    groups = [{"params": [p for p in model.parameters() if p.ndim >= 2], "weight_decay": DECAY},
              {"params": [p for p in model.parameters() if p.ndim < 2], "weight_decay": 0}]
    return torch.optim.AdamW(groups, lr=LR, betas=(B1, B2), eps=EPS, fused=True)


def train_torch(which, folder, shape, steps, device):
    import torch
    model = torch_model(folder, shape, device)
    optimizer = torch_optimizer(model)
    batch = {name: torch.from_numpy(np.array(value[0])).to(device) for name, value in read(os.path.join(folder, "batches.safetensors")).items()}
    forward = {"torch": lambda m: m, "torch-compile": torch.compile, "torch-graphs": lambda m: torch.compile(m, mode="reduce-overhead")}[which](model)
    losses, seconds = [], []
    for _ in range(steps):
        begin = time.perf_counter()
        with torch.autocast(device, torch.bfloat16):
            loss = forward(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
        seconds.append(time.perf_counter() - begin)
    return {"losses": losses, "seconds": seconds}


def train_jax(folder, shape, steps):
    import jax
    import jax.numpy as jnp
    layers, d, heads, sequence, vocabulary, batch = shape
    attention = "cudnn" if jax.default_backend() == "gpu" else "xla"

    def norm(p, at, x):
        x = x.astype(jnp.float32)
        x = x - x.mean(-1, keepdims=True)
        return (x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p[at + "scale"] + p[at + "bias"]).astype(jnp.bfloat16)

    def loss(p, x, y):
        w = {name: value.astype(jnp.bfloat16) for name, value in p.items()}
        h = w["wte"][x] + w["wpe"]
        for i in range(layers):
            at = f"blocks.{i}."
            q, k, v = jnp.einsum("bsd,dchk->cbshk", norm(p, at + "ln1.", h), w[at + "attn.wqkv"]) + w[at + "attn.bqkv"][:, None, None]
            a = jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation=attention)
            h = h + jnp.einsum("bshk,hkd->bsd", a, w[at + "attn.wo"]) + w[at + "attn.bo"]
            m = jax.nn.gelu(norm(p, at + "ln2.", h) @ w[at + "mlp.wi"] + w[at + "mlp.bi"])
            h = h + m @ w[at + "mlp.wo"] + w[at + "mlp.bo"]
        logits = (norm(p, "lnf.", h) @ w["wte"].T).astype(jnp.float32)
        return (jax.nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, y[..., None], -1)[..., 0]).mean()

    def step(state, x, y, t):
        p, m, v = state
        value, g = jax.value_and_grad(loss)(p, x, y)
        size = jnp.sqrt(sum((x * x).sum() for x in g.values()))
        g = {n: x * jnp.minimum(1, CLIP / (size + 1e-6)) for n, x in g.items()}
        m = {n: B1 * m[n] + (1 - B1) * g[n] for n in g}
        v = {n: B2 * v[n] + (1 - B2) * g[n] * g[n] for n in g}
        p = {n: p[n] - LR * (DECAY if p[n].ndim >= 2 else 0) * p[n] - LR * (m[n] / (1 - B1 ** t)) / (jnp.sqrt(v[n] / (1 - B2 ** t)) + EPS) for n in g}
        return value, (p, m, v)

    run = jax.jit(step, donate_argnums=0)
    batch = {name: jnp.asarray(np.array(value[0])) for name, value in read(os.path.join(folder, "batches.safetensors")).items()}
    params = {name: jnp.asarray(np.array(value)) for name, value in read(os.path.join(folder, "params.safetensors")).items()}
    state = params, jax.tree.map(jnp.zeros_like, params), jax.tree.map(jnp.zeros_like, params)
    losses, seconds = [], []
    for t in range(1, steps + 1):
        begin = time.perf_counter()
        value, state = run(state, batch["x"], batch["y"], jnp.float32(t))
        losses.append(float(jax.block_until_ready((value, state))[0]))
        seconds.append(time.perf_counter() - begin)
    return {"losses": losses, "seconds": seconds}


def adam(folder, shape, steps, device):
    import torch
    model = torch_model(folder, shape, device)
    optimizer = torch_optimizer(model)
    for p in model.parameters():
        p.grad = torch.full_like(p, 1e-3)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None

    def times(work):
        found = []
        for _ in range(steps):
            wait()
            begin = time.perf_counter()
            work()
            wait()
            found.append(time.perf_counter() - begin)
        return found

    seconds = times(optimizer.step)
    size = min(1 << 30, 4 * sum(p.numel() for p in model.parameters()))
    source = torch.ones(size, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    copies = sorted(times(lambda: target.copy_(source)))
    return {"parameters": sum(p.numel() for p in model.parameters()), "seconds": seconds, "copy": 2 * size / copies[len(copies) // 2]}


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    what, folder, shape = sys.argv[1], sys.argv[2], tuple(map(int, sys.argv[3].split(",")))
    if what == "init":
        return init(folder, shape)
    steps, device = int(sys.argv[4]), "cpu" if sys.argv[5:] == ["cpu"] else "cuda"
    if what == "jax":
        if device == "cpu":
            os.environ["JAX_PLATFORMS"] = "cpu"
        result = train_jax(folder, shape, steps)
    elif what == "adam":
        result = adam(folder, shape, steps, device)
    else:
        result = train_torch(what, folder, shape, steps, device)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
