#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a command in the environment that environment.sh made: run.sh [--wheel] FOLDER COMMAND...
# With --wheel the environment must have the wheel (install-wheel.sh). Exit status 77 where there is none.
set -eu
wheel=
if [ "$1" = --wheel ]; then
  wheel=1
  shift
fi
folder=$1
shift
if [ ! -f "$folder/made-of" ]; then
  echo "there is no environment in $folder: the package is not tested"
  exit 77
fi
if [ "$wheel" ] && [ ! -x "$folder/bin/zcc" ]; then
  echo "there is no wheel in $folder: it is not tested"
  exit 77
fi
PATH=$folder/bin:$PATH; export PATH
exec "$@"
