#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the packages of Debian 12 that zcc needs to build and run. Does nothing if they are all there.
set -eu
packages="cmake ninja-build ccache clang-22 lld-22 libclang-rt-22-dev llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  liblld-22-dev coinor-libcbc-dev libprotobuf-dev protobuf-compiler libcli11-dev nlohmann-json3-dev libfmt-dev libxxhash-dev
  libgtest-dev libgmock-dev libopenmpi-dev openmpi-bin libgloo-dev libzstd-dev zlib1g-dev dpkg-dev iproute2 python3 python3-venv
  xz-utils"
missing=""
for p in $packages; do
  [ "$(dpkg-query -W -f '${Status}' "$p" 2>/dev/null)" = "install ok installed" ] || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "error: installing$missing needs root: run as root, or install sudo" >&2; exit 1; }
  root=sudo
fi
echo "installing:$missing"
$root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
# shellcheck disable=SC2086
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
