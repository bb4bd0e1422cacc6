#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models' texts, and their trainings by JAX in float32 and float64.

    python3 export.py FOLDER NAME...

Writes FOLDER/NAME/loss.mlir (by tools/export/jax.py's means), params.safetensors, batches.safetensors and reference.json: hyperparameters, losses and
gradient norms of both trainings. run.py calls it. A model that fails leaves FOLDER/NAME/failure.txt instead.
"""
import importlib.util
import json
import os
import sys
import time
import traceback
import warnings

os.environ.setdefault("JAX_PLATFORMS", "cpu")
# Each step is compiled for five calls.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
warnings.filterwarnings("ignore")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.interpreters import mlir  # noqa: E402
from safetensors.numpy import save_file  # noqa: E402

import wide  # noqa: E402
import zoo  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 5
TRAINING = {"lr": 1e-3, "warmup": 2, "b1": 0.9, "b2": 0.95, "eps": 1e-8, "weight_decay": 0.1, "clip_norm": 1.0}


def exporter():
    path = os.path.join(HERE, "..", "..", "tools", "export", "jax.py")
    spec = importlib.util.spec_from_file_location("zcc_export", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def train(loss, params, batches, dtype):
    """AdamW as zrun's: decay of matrices only, clipping of the global norm, linear warm-up."""
    T = TRAINING
    params = jax.tree.map(lambda a: jnp.asarray(a, dtype), params)
    m = v = jax.tree.map(jnp.zeros_like, params)

    @jax.jit
    def step(params, m, v, batch, t):
        value, g = jax.value_and_grad(loss)(params, batch)
        norm = jnp.sqrt(sum((x * x).sum() for x in jax.tree.leaves(g)))
        g = jax.tree.map(lambda x: x * jnp.minimum(1, T["clip_norm"] / (norm + 1e-6)), g)
        m = jax.tree.map(lambda m, g: T["b1"] * m + (1 - T["b1"]) * g, m, g)
        v = jax.tree.map(lambda v, g: T["b2"] * v + (1 - T["b2"]) * g * g, v, g)
        lr = T["lr"] * jnp.minimum(1, t / T["warmup"])

        def update(p, m, v):
            decay = T["weight_decay"] if p.ndim >= 2 else 0.0
            return p - lr * decay * p - lr * (m / (1 - T["b1"] ** t)) / (jnp.sqrt(v / (1 - T["b2"] ** t)) + T["eps"])

        return value, norm, jax.tree.map(update, params, m, v), m, v

    losses, norms = [], []
    for t, batch in enumerate(batches, 1):
        batch = {k: jnp.asarray(x, dtype if np.issubdtype(x.dtype, np.floating) else None) for k, x in batch.items()}
        value, norm, params, m, v = step(params, m, v, batch, jnp.asarray(t, dtype))
        losses.append(float(value))
        norms.append(float(norm))
    return {"loss": losses, "grad_norm": norms}


def lower(loss, params, batch, tool):
    """The text, with what stop_gradient stops; JAX runs it as nothing again afterwards."""
    tool.keep_stop_gradient()
    try:
        return jax.jit(lambda params, batch: loss(params, batch), keep_unused=True).lower(params, batch).as_text(debug_info=True)
    finally:
        mlir.register_lowering(jax.lax.stop_gradient_p, lambda _, *operands: operands)


def export(model, tool, folder):
    started = time.time()
    loss, params, batch = model.make()
    rng = np.random.default_rng(0)
    batches = [batch(rng) for _ in range(STEPS)]
    params = jax.tree.map(lambda a: np.asarray(a, np.float32), params)
    result = {"library": model.library, "domain": model.domain, "training": TRAINING,
              "parameters": int(sum(np.size(x) for x in jax.tree.leaves(params)))}
    try:
        tool.check_derivatives(jax.make_jaxpr(loss)(params, batches[0]).jaxpr, set())
    except tool.Refused as refusal:
        result["export_refused"] = str(refusal)
    result["float32"] = train(loss, params, batches, jnp.float32)
    in_float64 = wide.wide(loss, params, batches[0])
    with jax.enable_x64(True):
        result["float64"] = train(in_float64, params, batches, jnp.float64)
    with open(os.path.join(folder, "loss.mlir"), "w") as f:
        f.write(lower(loss, params, batches[0], tool))
    tool.write_tree(params, os.path.join(folder, "params.safetensors"), "params")
    save_file({k: np.ascontiguousarray(np.stack([b[k] for b in batches])) for k in batches[0]}, os.path.join(folder, "batches.safetensors"))
    result["seconds"] = time.time() - started
    with open(os.path.join(folder, "reference.json"), "w") as f:
        json.dump(result, f, indent=1)


def main(out, names):
    models, tool = zoo.load(), exporter()
    for name in names:
        folder = os.path.join(out, name)
        failure = os.path.join(folder, "failure.txt")
        os.makedirs(folder, exist_ok=True)
        if os.path.exists(failure):
            os.remove(failure)
        print(name, file=sys.stderr, flush=True)
        try:
            export(models[name], tool, folder)
        except Exception:
            with open(failure, "w") as f:
                f.write(traceback.format_exc())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
