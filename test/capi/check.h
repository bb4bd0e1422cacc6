/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A loss of its own, and what tests of the C interface share. */
#ifndef ZCC_TEST_CAPI_CHECK_H
#define ZCC_TEST_CAPI_CHECK_H

#include "zcc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the test unless the condition holds. */
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s\n  last error: %s\n", __FILE__, __LINE__,     \
              #condition, zcc_last_error());                                   \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/* Ends the test unless the call was refused so, with `says` in the error. */
#define REFUSED(call, wanted, says)                                            \
  do {                                                                         \
    zcc_status found = (call);                                                 \
    if (found != (wanted) || !strstr(zcc_last_error(), (says))) {              \
      fprintf(stderr, "%s:%d: %s: status %d\n  error: %s\n  expected: %s\n",   \
              __FILE__, __LINE__, #call, (int)found, zcc_last_error(),         \
              (says));                                                         \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

enum { ROWS = 8, WIDTH = 4 };

/* mean((x w - t)^2) over 8 rows, x [8, 4], w [4], t [8]. */
static const char loss_text[] =
    "module @jit_loss {\n"
    "  func.func public @main(%w: tensor<4xf32> loc(\"params['w']\"), "
    "%x: tensor<8x4xf32> loc(\"batch['x']\"), "
    "%t: tensor<8xf32> loc(\"batch['t']\")) -> (tensor<f32>) {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : "
    "(tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>\n"
    "    %1 = stablehlo.subtract %0, %t : tensor<8xf32>\n"
    "    %2 = stablehlo.multiply %1, %1 : tensor<8xf32>\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across "
    "dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %n = stablehlo.constant dense<8.0> : tensor<f32>\n"
    "    %4 = stablehlo.divide %3, %n : tensor<f32>\n"
    "    return %4 : tensor<f32>\n"
    "  }\n"
    "}\n";

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int64_t shape_x[] = {ROWS, WIDTH}, shape_t[] = {ROWS},
                     shape_w[] = {WIDTH};

typedef struct problem {
  float x[ROWS * WIDTH], t[ROWS], w[WIDTH];
  zcc_array batch[2], parameter[1];
} problem;

/* Numbers of no special kind, and arrays over them. */
static inline void make_problem(problem *p) {
  for (int i = 0; i < ROWS * WIDTH; ++i)
    p->x[i] = (float)(i * 7 % 32) / 16 - 1;
  for (int i = 0; i < ROWS; ++i)
    p->t[i] = (float)(i * 5 % 8) / 4 - 1;
  for (int i = 0; i < WIDTH; ++i)
    p->w[i] = (float)(i * 3 % 4) / 4 - 0.5f;
  p->batch[0] = (zcc_array){"x", ZCC_F32, 2, shape_x, p->x};
  p->batch[1] = (zcc_array){"t", ZCC_F32, 1, shape_t, p->t};
  p->parameter[0] = (zcc_array){"w", ZCC_F32, 1, shape_w, p->w};
}

static inline zcc_program *compile(const char *const *options, size_t count) {
  zcc_program *program = NULL;
  CHECK(zcc_compile(loss_text, strlen(loss_text), "loss.mlir", options, count,
                    &program) == ZCC_OK);
  CHECK(program);
  return program;
}

static inline zcc_trainer *open_trainer(const zcc_program *program,
                                        const char *const *options,
                                        size_t count) {
  zcc_trainer *trainer = NULL;
  CHECK(zcc_trainer_open(program, options, count, &trainer) == ZCC_OK);
  CHECK(trainer);
  return trainer;
}

#endif
