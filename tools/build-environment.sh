# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Read by ./quickstart and ./check: where LLVM 22 is, how ccache is used, and how a build folder is configured.
PATH="/usr/lib/llvm-22/bin:$PATH"; export PATH
# Without these four ccache would not store what uses the precompiled header.
CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime; export CCACHE_SLOPPINESS
# Objects are stored by paths relative to the checkout, and by the checksum beside the precompiled header (cmake/zcc.cmake),
# so that one checkout uses what another has compiled.
CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1; export CCACHE_BASEDIR CCACHE_NOHASHDIR CCACHE_PCH_EXTSUM

# configure PRESET [OPTION...]: a new build folder compiles several files at a time, which takes a third of the processor
# time. A folder that is there stays as it was configured.
configure() {
  preset=$1 folder=build
  shift
  [ "$preset" = release ] || folder=build-$preset
  [ -f "$folder/CMakeCache.txt" ] || set -- -DCMAKE_UNITY_BUILD=ON "$@"
  cmake --preset "$preset" "$@"
}
