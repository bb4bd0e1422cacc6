#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes an environment of Python for tests, unless the folder is one of the same packages: environment.sh FOLDER PYTHON PACKAGE...
# Exit status 77 where PyPI is not reached.
set -eu
folder=$1 python=$2
shift 2
[ "$(cat "$folder/made-of" 2>/dev/null || true)" = "$*" ] && exit 0
rm -rf "$folder"
"$python" -m venv "$folder"
if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; then
  rm -rf "$folder"
  echo "PyPI is not reached: what needs $* is not tested"
  exit 77
fi
echo "$*" >"$folder/made-of"
