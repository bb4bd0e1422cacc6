#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# libzcc.so has the functions of zcc.h, no other name, and needs no LLVM of others. Usage: exports.sh LIBZCC HEADER
set -u
library=${1:?usage: exports.sh LIBZCC HEADER} header=${2:?usage: exports.sh LIBZCC HEADER}
has=$(nm -D --defined-only "$library" | awk '{print $NF}' | sort)
declares=$(grep -oE '\bzcc_[a-z_]+\(' "$header" | tr -d '(' | sort -u)
bad=0
for name in $has; do
  echo "$declares" | grep -qx "$name" || { echo "error: $library exports $name, which $header does not declare"; bad=1; }
done
for name in $declares; do
  echo "$has" | grep -qx "$name" || { echo "error: $library does not export $name of $header"; bad=1; }
done
[ -n "$has" ] || { echo "error: $library exports nothing"; bad=1; }
if readelf -d "$library" | grep NEEDED | grep -E 'LLVM|MLIR|lld'; then
  echo "error: $library needs these: it must have its own"; bad=1
fi
exit $bad
