# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that tests have compiled, for those that come after: LLVM takes most of zcc's time on small models."""
import os
import shutil


def kernel_cache(binaries):
    """The option of zcc that keeps objects of kernels beside the programs. Files that older builds of zcc kept are
    removed."""
    zcc = os.stat(os.path.join(binaries, "zcc"))
    own = f"{zcc.st_mtime_ns}-{zcc.st_size}"
    folder = os.path.join(os.path.dirname(os.path.abspath(binaries)), "test", "kernels")
    os.makedirs(os.path.join(folder, own), exist_ok=True)
    for name in os.listdir(folder):
        if name != own:
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    return f"--kernel-cache={os.path.join(folder, own)}"
