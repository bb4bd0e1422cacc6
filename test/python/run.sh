#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a command in the environment that environment.sh made: run.sh FOLDER COMMAND...
# Exit status 77 where there is none.
set -eu
folder=$1
shift
if [ ! -f "$folder/made-of" ]; then
  echo "there is no environment in $folder: the package is not tested"
  exit 77
fi
PATH=$folder/bin:$PATH; export PATH
exec "$@"
