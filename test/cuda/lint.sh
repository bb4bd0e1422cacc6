#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs lint.py in an environment with NVIDIA's assembler and disassembler from PyPI: lint.sh FOLDER PYTHON ARGUMENT...
# Exit status 77 where PyPI is not reached.
set -eu
folder=$1 python=$2
shift 2
here=$(dirname "$0")
sh "$here/../python/environment.sh" "$folder" "$python" nvidia-cuda-nvcc nvidia-cuda-nvdisasm
exec "$folder/bin/python" "$here/lint.py" "$@"
