#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the environment of Python that the package is tested in: environment.sh FOLDER PYTHON.
# Exit status 77 where PyPI is not reached.
set -eu
folder=$1 python=$2
wanted="jax[cpu]==0.10.2 numpy pytest safetensors"
[ "$(cat "$folder/made-of" 2>/dev/null || true)" = "$wanted" ] && exit 0
rm -rf "$folder"
"$python" -m venv "$folder"
# shellcheck disable=SC2086
if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check $wanted; then
  rm -rf "$folder"
  echo "PyPI is not reached: the package is not tested"
  exit 77
fi
echo "$wanted" >"$folder/made-of"
