# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that ptxas accepts every kernel of the project's models, for every kind of device, without stacks or spills.

    assemble.py REPOSITORY ZCC [MODEL...]

Exit status 77: there is no ptxas.
"""
import glob
import json
import lzma
import os
import shutil
import subprocess
import sys
import tempfile

OPTIONS = [
    ["--cuda-arch=sm_80,sm_90,sm_100"],
    ["--cuda-arch=sm_90", "--mesh=data=2,tensor=2", "--zero=1", "--precision=bf16"],
    ["--cuda-arch=sm_90", "--mesh=data=2", "--precision=f16", "--remat=full"],
]
# Models that are too large to be run in tests, with their options.
LARGE = {"gpt-1.3b": [
    ["--cuda-arch=sm_80,sm_90,sm_100", "--mesh=data=64", "--zero=1", "--microbatches=4", "--precision=bf16"],
    ["--cuda-arch=sm_90", "--mesh=data=32,tensor=2", "--zero=3", "--microbatches=8", "--remat=full"],
]}


def main():
    repository, zcc, *only = sys.argv[1:]
    ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
    if not ptxas:
        print("skipped: no ptxas, neither in the PATH nor in /usr/local/cuda/bin")
        return 77
    models = sorted(glob.glob(os.path.join(repository, "test/data/*/loss*.mlir"))) + [os.path.join(repository, "examples/gpt/loss.mlir")]
    wrong = assembled = 0
    with tempfile.TemporaryDirectory(prefix="assemble-") as work:
        out, report = os.path.join(work, "x.zexe"), os.path.join(work, "report.json")
        for name in LARGE:
            models.append(os.path.join(work, f"{name}.mlir"))
            with lzma.open(os.path.join(repository, "test/data", name, "loss.mlir.xz")) as packed, open(models[-1], "wb") as text:
                text.write(packed.read())
        for model in models:
            if only and not any(name in model for name in only):
                continue
            for options in LARGE.get(os.path.basename(model)[:-len(".mlir")], OPTIONS):
                command = [zcc, model, "--target=cuda", f"--ptxas={ptxas}", *options, "--quiet", "-o", out, "--report", report]
                p = subprocess.run(command, capture_output=True, text=True)
                if p.returncode != 0:
                    print(f"error: {' '.join(command)}: {p.stderr or p.stdout}")
                    wrong += 1
                    continue
                with open(report) as f:
                    kernels = json.load(f)["kernels"]
                for device, own in kernels.items():
                    assembled += len(own)
                    for kernel in own:
                        if kernel["local"] or not kernel["registers"]:
                            print(f"error: {model} {' '.join(options)}: {kernel['name']} on {device}: {kernel}")
                            wrong += 1
    print(f"{assembled} kernels assembled, {wrong} wrong")
    return 1 if wrong or not assembled else 0


sys.exit(main())
