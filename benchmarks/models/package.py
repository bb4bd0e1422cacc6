# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains models of the zoo by the Python package, and holds the losses against zrun's, to the bit, and JAX's in float64.

    python benchmarks/models/package.py BIN NAME...      with the package zcc and the models' libraries installed

One line a model: ok, or what is wrong. zrun trains the text that the package traced.
"""
import json
import os
import subprocess
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import zcc
from safetensors.numpy import save_file

import export
import wide
import zoo

MESHES = [{}, {"mesh": "data=2"}, {"mesh": "data=2,tensor=2"}]


def by_zrun(programs, folder, step, batches, options):
    text = os.path.join(folder, "loss.mlir")
    with open(text, "w") as f:
        f.write(step._text)
    tree = step._model.arguments.params
    save_file({n: np.array(x, order="C") for n, x in zip(tree.names, tree.leaves)}, os.path.join(folder, "params.safetensors"))
    save_file({k: np.stack([b[k] for b in batches]) for k in batches[0]}, os.path.join(folder, "batches.safetensors"))
    T = export.TRAINING
    subprocess.run([os.path.join(programs, "zcc"), text, "-o", f"{folder}/x.zexe", "--quiet", *(f"--{k}={v}" for k, v in options.items())], check=True)
    subprocess.run([os.path.join(programs, "zrun"), f"{folder}/x.zexe", "--params", f"{folder}/params.safetensors", "--batches",
                    f"{folder}/batches.safetensors", "--steps", str(len(batches)), "--log", f"{folder}/log",
                    *(f"--{k.replace('_', '-')}={v}" for k, v in T.items())], check=True, stdout=subprocess.DEVNULL)
    with open(f"{folder}/log") as f:
        return [line["loss"] for line in map(json.loads, f) if "step" in line]


def check(programs, name):
    loss, params, batch = zoo.MODELS[name].make()
    rng = np.random.default_rng(0)
    batches = [batch(rng) for _ in range(export.STEPS)]
    params = jax.tree.map(lambda a: np.asarray(a, np.float32), params)
    own = export.train(loss, params, batches, jnp.float32)["loss"]
    in_float64 = wide.wide(loss, params, batches[0])
    with jax.enable_x64(True):
        reference = export.train(in_float64, params, batches, jnp.float64)["loss"]
    limit = max(2e-6, 10 * max(abs(a - b) / abs(b) for a, b in zip(own, reference)))
    T = dict(export.TRAINING)
    optimizer = zcc.AdamW(**{k: T.pop(k) for k in ("lr", "b1", "b2", "eps", "weight_decay")})
    worst = 0.0
    for options in MESHES:
        with zcc.compile(loss, params, batches[0], optimizer=optimizer, **T, **options) as step, tempfile.TemporaryDirectory() as folder:
            found = [step(b).loss for b in batches]  # of float32, which zrun prints by its shortest digits
            assert np.array_equal(np.float32(found), np.float32(by_zrun(programs, folder, step, batches, options))), f"{options}: other losses than zrun's"
        worst = max(worst, *(abs(a - b) / abs(b) for a, b in zip(found, reference)))
    assert worst <= limit, f"losses off by {worst:.0e}, at most {limit:.0e} allowed"
    return f"losses as zrun's, off by {worst:.0e} from float64"


def main():
    programs, *names = sys.argv[1:]
    zoo.load()
    failed = 0
    for name in names or zoo.MODELS:
        try:
            print(f"ok    {name}: {check(programs, name)}", flush=True)
        except Exception as error:
            failed += 1
            print(f"WRONG {name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
