// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: zcc-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: test.fates = [#dist.fate<"keep">, #dist.fate<"gather-again">, #dist.fate<"recompute">, #dist.fate<"hand-over">, #dist.fate<"narrow", f8>, #dist.fate<"move", host>, #dist.fate<"move", host, int8>]
module attributes {test.fates = [#dist.fate<"keep">, #dist.fate<"gather-again">, #dist.fate<"recompute">, #dist.fate<"hand-over">, #dist.fate<"narrow", f8>, #dist.fate<"move", host>, #dist.fate<"move", int8, host>]} {}

// -----

// expected-error @below {{expected a fate, one of keep, gather-again, recompute, hand-over, narrow, move, found 'drop'}}
module attributes {test.fate = #dist.fate<"drop">} {}

// -----

// expected-error @below {{expected a number format or a memory space, found 'f4'}}
module attributes {test.fate = #dist.fate<"narrow", f4>} {}

// -----

// expected-error @below {{fate 'narrow': expected a number format, one of bf16, f8, int8, found none}}
module attributes {test.fate = #dist.fate<"narrow">} {}

// -----

// expected-error @below {{fate 'keep': expected no number format, found 'f8'}}
module attributes {test.fate = #dist.fate<"keep", f8>} {}

// -----

// expected-error @below {{fate 'move': expected a memory space other than the device's, found 'device'}}
module attributes {test.fate = #dist.fate<"move">} {}

// -----

// expected-error @below {{fate 'recompute': expected no memory space, found 'host'}}
module attributes {test.fate = #dist.fate<"recompute", host>} {}
