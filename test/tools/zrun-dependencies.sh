#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# zrun is copied to clusters: it may need the C library, its parts and libgcc_s, and no symbol of a C library newer than
# 2.34. Usage: zrun-dependencies.sh ZRUN
set -u
zrun=${1:?usage: zrun-dependencies.sh ZRUN}
[ -x "$zrun" ] || { echo "error: $zrun: not a program"; exit 2; }
bad=0
for library in $(ldd "$zrun" | awk '{print $1}'); do
  case $library in
  linux-vdso.so.*|libc.so.6|libm.so.6|libgcc_s.so.1|libpthread.so.0|libdl.so.2|librt.so.1|*/ld-linux-x86-64.so.2) ;;
  *) echo "error: $zrun needs $library"; bad=1 ;;
  esac
done
versions=$(objdump -T "$zrun" | sed -n 's/.*GLIBC_\([0-9][0-9.]*\).*/\1/p' | sort -uV)
[ -n "$versions" ] || { echo "error: no symbol versions found in $zrun"; exit 2; }
newest=$(printf '%s\n2.34\n' "$versions" | sort -V | tail -1)
if [ "$newest" != 2.34 ]; then
  echo "error: $zrun needs GLIBC_$newest, at most 2.34 is allowed:"
  objdump -T "$zrun" | grep "GLIBC_$newest"
  bad=1
fi
exit $bad
