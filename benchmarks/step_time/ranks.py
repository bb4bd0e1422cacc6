#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Step time on 2, 4 and 8 local ranks, by kind of mesh:

    data     data=N, state replicated       against JAX and PyTorch's DistributedDataParallel
    zero3    data=N --zero=3                against JAX with sharded state and PyTorch's FSDP2 (fully_shard)
    tensor   data=N/T,tensor=T              against JAX with Megatron's shardings

    python3 benchmarks/step_time/ranks.py [--models S,M] [--ranks 2,4,8] [--meshes data,zero3,tensor] [--rounds 10]
                                          [--bin build/bin] [--out FILE.json]

JAX runs on as many host devices, PyTorch on as many processes over gloo with the cores shared out. The global batch is the same
everywhere. The contestants of a row and zcc on one rank are alive at once and stepped round robin; the figure is the median, as in
run.py. A contestant that refuses a row (dimensions that do not divide, meshes that do not work yet, too little memory) is listed with its
reason; the others are measured.
"""
import argparse
import json
import math
import os
import sys

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

from run import Jax, Torch  # noqa: E402
from stepping import DECAY, B1, B2, EPS, LR, ROOT, Refused, Zcc, measure, medians  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import models  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402
from torch_ranks import TorchRanks  # noqa: E402


def replicated(path, leaf, mesh):
    return PartitionSpec()


def fully_sharded(path, leaf, mesh):
    """The largest dim that divides, as FSDP in JAX is written."""
    n = mesh.shape["data"]
    for dim in sorted(range(leaf.ndim), key=lambda i: -leaf.shape[i]):
        if leaf.shape[dim] % n == 0:
            return PartitionSpec(*[None] * dim, "data")
    return PartitionSpec()


def megatron(path, leaf, mesh):
    """Heads, the inner width of the MLP and the vocabulary; column then row."""
    dims = {"wqkv": 2, "bqkv": 1, "attn.wo": 0, "wi": 1, "bi": 0, "mlp.wo": 0, "wte": 0}
    name = ".".join(str(getattr(k, "key", getattr(k, "idx", k))) for k in path)
    for end, dim in dims.items():
        if name.endswith(end):
            return PartitionSpec(*[None] * dim, "tensor")
    return PartitionSpec()


class JaxRanks(Jax):
    """The batch over the data axis, the state as `place` says."""

    def __init__(self, name, axes, place):
        super().__init__(name)
        count = math.prod(axes.values())
        mesh = Mesh(np.array(jax.devices()[:count]).reshape(tuple(axes.values())), tuple(axes))
        spec = PartitionSpec("data") if "data" in axes else PartitionSpec()
        self.batch = jax.device_put(self.batch, NamedSharding(mesh, spec))
        params = jax.tree_util.tree_map_with_path(lambda p, x: NamedSharding(mesh, place(p, x, mesh)), self.state[0])
        shardings = (params, params, params)
        self.state = jax.device_put(self.state, shardings)
        self.run = jax.jit(self.run.__wrapped__, donate_argnums=0, out_shardings=(NamedSharding(mesh, PartitionSpec()), shardings))


def torch_data(kind, name, rank, n):
    """One of n ranks of PyTorch's DistributedDataParallel (ddp) or FSDP2."""
    one = Torch(name)
    parts = {k: v.chunk(n) for k, v in one.batch.items()}
    if any(len(p) != n for p in parts.values()):
        raise ValueError(f"the batch does not divide by {n}")
    one.batch = {k: p[rank] for k, p in parts.items()}
    if kind == "ddp":
        one.forward = torch.nn.parallel.DistributedDataParallel(one.model)
    else:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard
        groups = [[n for n, p in one.model.named_parameters() if (p.ndim >= 2) == decayed] for decayed in (True, False)]
        mesh = init_device_mesh("cpu", (n,))
        for block in one.model.blocks:
            fully_shard(block, mesh=mesh)
        fully_shard(one.model, mesh=mesh)
        named = dict(one.model.named_parameters())
        one.optimizer = torch.optim.AdamW([{"params": [named[n] for n in group], "weight_decay": decay}
                                           for group, decay in zip(groups, (DECAY, 0))], lr=LR, betas=(B1, B2), eps=EPS)
        one.forward = one.model
    return one.step


def available_bytes():
    with open("/proc/meminfo") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("MemAvailable"))


def rows(args):
    """(model, ranks, kind of mesh, axes, options of zcc, makers of the others)"""
    for name in args.models.split(","):
        for n in map(int, args.ranks.split(",")):
            t = min(n, 4) if n > 4 else 2
            tensor = {"data": n // t, "tensor": t} if n > t else {"tensor": t}
            table = {
                "data": ({"data": n}, ["--zero=0"], {"jax": lambda axes, name=name: JaxRanks(name, axes, replicated),
                                                     "ddp": lambda axes, name=name, n=n: TorchRanks(n, torch_data, "ddp", name)}),
                "zero3": ({"data": n}, ["--zero=3"], {"jax": lambda axes, name=name: JaxRanks(name, axes, fully_sharded),
                                                      "fsdp2": lambda axes, name=name, n=n: TorchRanks(n, torch_data, "fsdp2", name)}),
                "tensor": (tensor, ["--zero=0"], {"jax": lambda axes, name=name: JaxRanks(name, axes, megatron)}),
            }
            for kind in args.meshes.split(","):
                yield (name, n, kind, *table[kind])


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--models", default="S,M")
    a.add_argument("--rounds", type=int, default=10)
    a.add_argument("--ranks", default="2,4,8")
    a.add_argument("--meshes", default="data,zero3,tensor")
    a.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    a.add_argument("--options", default="", help="more options of zcc")
    a.add_argument("--out")
    args = a.parse_args()
    results = []
    for name, n, kind, axes, options, others in rows(args):
        mesh = ",".join(f"{k}={v}" for k, v in axes.items())
        more = ["--microbatches=1", *args.options.split()]
        makers = {"zcc 1 rank": lambda: Zcc(name, args.bin, *more),
                  "zcc": lambda: Zcc(name, args.bin, f"--mesh={mesh}", *options, *more),
                  **{key: lambda make=make: make(axes) for key, make in others.items()}}
        # Parameters, gradients and two moments in f32; and about as much again for the rest.
        state = 16 * sum(x.size for x in jax.tree.leaves(models.MODELS[name]()[1]))
        copies = n if kind == "data" else axes.get("data", 1) if kind == "tensor" else 1
        contestants, refused = {}, {}
        for key, make in makers.items():
            try:
                need = 2 * state * (1 if key == "zcc 1 rank" else copies)
                if need > available_bytes():
                    raise Refused(f"would need about {need / 1e9:.0f} GB")
                one = make()
                contestants[key] = one
                one.step()
            except Exception as error:
                if key in contestants:
                    contestants.pop(key).close()
                refused[key] = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        seconds = medians(measure(contestants, args.rounds))
        for one in contestants.values():
            one.close()
        results.append({"model": name, "ranks": n, "mesh": mesh, "kind": kind, "seconds": seconds, "refused": refused})
        ours = seconds.get("zcc")
        print(f"{name} {kind:7}{mesh:18}" + "".join(
            f"{key:>12} {t * 1e3:8.1f} ms{f' ({ours / t:.2f})' if ours and key != 'zcc' else ''}" for key, t in seconds.items()), flush=True)
        for key, reason in refused.items():
            print(f"    {key} refuses: {reason}", flush=True)
    if args.out:
        with open(args.out, "w") as f:
            json.dump({"unit": "seconds, median step", "rows": results}, f, indent=1)


if __name__ == "__main__":
    sys.exit(main())
