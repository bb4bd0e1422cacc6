#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the environment of Python that modules of PyTorch are tested in: environment.sh FOLDER PYTHON.
# Some 6 GB: torch's wheel brings NVIDIA's libraries, which the tests do not use. jax runs texts to compare with.
set -eu
folder=$1 python=$2
wanted="torch>=2.15 jax[cpu]==0.10.2 numpy pytest expecttest safetensors transformers timm"
[ "$(cat "$folder/made-of" 2>/dev/null || true)" = "$wanted" ] && exit 0
rm -rf "$folder"
"$python" -m venv "$folder"
# shellcheck disable=SC2086
if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check $wanted; then
  rm -rf "$folder"
  echo "error: PyPI is not reached: expected $wanted; ZCC_TORCH_PYTHON names a python that has them" >&2
  exit 2
fi
echo "$wanted" >"$folder/made-of"
