#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loss of the step-time benchmark's GPT, or of its Llama, of any size, as JAX prints it: no weights are made.

    gpt_text.py LAYERS,D,HEADS,SEQUENCE,VOCABULARY,BATCH -o loss.mlir
    gpt_text.py llama:LAYERS,D,HEADS,HIDDEN,SEQUENCE,VOCABULARY,BATCH -o loss.mlir

This command lists the bytes that a layer moves in the memory of a GPU:

    zcc loss.mlir --target=cuda --cuda-arch=sm_90 --machine=h100-dgx --precision=bf16 --explain=traffic

Needs jax, numpy and safetensors, as benchmarks/step_time does.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "step_time"))

import stepping  # noqa: E402, F401: sees to the environment
import jax  # noqa: E402
import models  # noqa: E402
import numpy as np  # noqa: E402

MODELS = {"gpt": models.gpt2, "llama": models.llama}


def main():
    if len(sys.argv) != 4 or sys.argv[2] != "-o":
        sys.exit(__doc__)
    kind, numbers = sys.argv[1].split(":") if ":" in sys.argv[1] else ("gpt", sys.argv[1])
    if kind not in MODELS:
        sys.exit(f"expected one of {', '.join(MODELS)} before the colon, found {kind}")
    models.normal = lambda rng, *shape, scale=0: np.broadcast_to(np.float32(0), shape)
    loss, params, inputs = MODELS[kind](*map(int, numbers.split(",")))
    shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), (params, inputs))
    with open(sys.argv[3], "w") as f:
        f.write(jax.jit(loss).lower(*shapes).as_text(debug_info=True))


main()
