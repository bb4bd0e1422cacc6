#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the wheel of a build and installs it into the environment: install-wheel.sh REPOSITORY BUILD FOLDER.
# Exit status 77 where there is no environment, or where the source of protobuf is not reached.
set -eu
repository=$1 build=$2 folder=$3
if [ ! -f "$folder/made-of" ]; then
  echo "there is no environment in $folder: the wheel is not tested"
  exit 77
fi
if ! cmake --build "$build" --target zcc_wheel_protobuf && [ ! -d "$build/python/library/protobuf-source" ]; then
  echo "Debian's sources are not reached: the wheel is not tested"
  exit 77
fi
cmake --build "$build" --target wheel-files
wheel=$("$repository/tools/wheel" --no-build "$build" | cut -d: -f1)
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$wheel"
