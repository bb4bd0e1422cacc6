#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs for GPUs, recorded by the stand-in for the driver, which finds what is enqueued out of order: every model on every mesh, ZeRO stage and number of
microbatches, with overlap, offload and recomputation in turn. Standard library only.

    record.py BIN_FOLDER [--models mlp,gpt2,...] [--share 1/4]

Programs that zcc refuses are counted apart. Ends with `N passed, N failed`. The tests run a part of these
(test/e2e/gpus.py).
"""
import argparse
import itertools
import os
import sys

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("bin")
arguments.add_argument("--models", default="mlp,dlrm,resnet,gpt2,gpt2-dropout,gpt2-masked,llama,moe")
arguments.add_argument("--share", default="1/1", help="which of how many parts")
ARGS = arguments.parse_args()
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
sys.argv = [sys.argv[0], ARGS.bin]
from harness import *  # noqa: E402, F403

DRIVER = os.path.join(BIN, "..", "lib", "libzcc-cuda-stand-in.so")
MESHES = ("", "data=2", "tensor=2", "data=4", "data=2,tensor=2", "data=8", "data=4,tensor=2", "data=2,tensor=4", "pipe=2",
          "pipe=2,data=2")


def combinations():
    for model, mesh, microbatches in itertools.product(ARGS.models.split(","), MESHES, (1, 4)):
        for zero in range(4) if "data" in mesh else (0,):
            yield model, [*([f"--mesh={mesh}"] if mesh else []), f"--zero={zero}", f"--microbatches={microbatches}"]


def record(model, options):
    """Compiles and records the model. Returns false if it is refused; raises errors."""
    p = subprocess.run([os.path.join(BIN, "zcc"), model_text(model), "-o", path("model.zexe"), "--quiet", "--target=cuda", "--cuda-arch=sm_90",
                        "--ptxas=none", *options], capture_output=True, text=True)
    if p.returncode == 2:
        return False
    assert p.returncode == 0, f"zcc exits with {p.returncode}: {p.stderr[-400:]}"
    facts, _ = call("write_kernel_facts", path("model.zexe"))
    with open(path("facts"), "w") as f:
        f.write(facts)
    os.environ["ZCC_CUDA_STAND_IN"] = f"mode=record,capability=90,kernels={path('facts')}"
    train(model, *itertools.chain(*((f"--{library}", DRIVER) for library in LIBRARIES)), steps=3)
    return True


LIBRARIES = ("cuda-driver", "cublaslt", "cudnn")


def main():
    extras = (["--offload=optimizer"], [slow_machine()], ["--offload=activations", "--remat=full"], [slow_machine(), "--offload=optimizer,activations"], [])
    part, parts = map(int, ARGS.share.split("/"))
    passed = refused_ones = 0
    failed = []
    for i, (model, options) in enumerate(combinations()):
        if i % parts != part - 1:
            continue
        options = [*options, *extras[i // parts % len(extras)]]
        try:
            done = record(model, options)
            passed += done
            refused_ones += not done
        except Exception as e:  # its text is the result
            failed.append(f"{model} {' '.join(options)}: {e}")
            print("FAILED", failed[-1][:600], flush=True)
    print(f"{refused_ones} refused by zcc")
    print(f"{passed} passed, {len(failed)} failed")
    sys.exit(bool(failed))


main()
