// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The archives of Cbc and others were compiled for executables, which may copy
// the C library's variables; a shared library may not. So their stdin, stdout
// and stderr (by --wrap) are variables of this library, with the same values.
#include <stdio.h>

extern char _IO_2_1_stdin_, _IO_2_1_stdout_, _IO_2_1_stderr_; // glibc's

FILE *__wrap_stdin = (FILE *)&_IO_2_1_stdin_;
FILE *__wrap_stdout = (FILE *)&_IO_2_1_stdout_;
FILE *__wrap_stderr = (FILE *)&_IO_2_1_stderr_;
