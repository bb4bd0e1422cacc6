// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LAPACK's report of a wrong argument, which needs Fortran's library in its
// own form. Only a fault of Cbc gets here.
#include <stdio.h>
#include <stdlib.h>

void xerbla_(const char *routine, const int *argument, size_t length) {
  fprintf(stderr, "error: argument %d of LAPACK's %.*s has an illegal value\n",
          *argument, (int)length, routine);
  abort();
}
