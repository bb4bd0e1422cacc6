// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --zcc-offload-values=kinds=optimizer --verify-diagnostics
// RUN: not zcc-opt %s --zcc-offload-values=kinds=moments 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: for the --kinds option: expected optimizer, activations, parameters, found 'moments'

// An offload that was asked for is done, or is an error.

// expected-error @below {{--offload=optimizer: the program has nothing of the kind}}
module {
  dist.mesh @mesh []
}
