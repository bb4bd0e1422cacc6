/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What libzcc.so exports in the wheel beside zcc.h: for the program zcc that
 * comes with it, and for nobody else. */
#ifndef ZCC_PYTHON_LIBRARY_PROGRAM_H
#define ZCC_PYTHON_LIBRARY_PROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* Takes main()'s arguments and returns the exit status. */
int zcc_main(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif /* ZCC_PYTHON_LIBRARY_PROGRAM_H */
