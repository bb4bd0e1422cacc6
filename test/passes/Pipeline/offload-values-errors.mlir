// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-offload-values=kinds=optimizer --verify-diagnostics

// An offload that was asked for is done, or is an error.

// expected-error @below {{--offload=optimizer: the program has nothing of the kind}}
module {
  dist.mesh @mesh []
}
