// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// arc4random for LLVM and libstdc++, whose archives were compiled for a C
// library that has it (2.36 and later; the wheel asks for 2.34).
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void) {
  uint32_t value;
  // So few bytes come at once; the kernel refuses only if it has no getrandom.
  if (getrandom(&value, sizeof value, 0) != sizeof value)
    abort();
  return value;
}
