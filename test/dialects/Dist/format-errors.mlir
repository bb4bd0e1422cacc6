// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --verify-diagnostics

// Each format by its name.
module attributes {test.formats = [#dist.format<bf16>, #dist.format<f8>, #dist.format<int8>]} {}

// -----

// expected-error @+1 {{expected a number format, one of bf16, f8, int8, found 'f4'}}
module attributes {test.format = #dist.format<f4>} {}

// -----

// expected-error @+1 {{expected '<'}}
module attributes {test.format = #dist.format} {}
