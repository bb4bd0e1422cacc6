/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * libzcc.so beside other libraries that export all of LLVM and MLIR, before it
 * or after it, in everybody's scope or not: each uses its own.
 * Usage: beside LIBZCC first|last LIBRARY... */
#include "zcc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *open_library(const char *path, int flags) {
  void *library = dlopen(path, RTLD_NOW | flags);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return library;
}

/* An entry of libzcc.so. */
#define ENTRY(library, name)                                                   \
  ((__typeof__(&name))(size_t)dlsym((library), #name))

static const char text[] =
    "module @jit_loss {\n"
    "  func.func public @main(%w: tensor<4xf32> loc(\"params['w']\"), "
    "%x: tensor<4xf32> loc(\"batch['x']\")) -> (tensor<f32>) {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : "
    "(tensor<4xf32>, tensor<4xf32>) -> tensor<f32>\n"
    "    return %0 : tensor<f32>\n"
    "  }\n"
    "}\n";

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  int first = !strcmp(argv[2], "first");
  void *zcc = first ? open_library(argv[1], RTLD_LOCAL) : NULL;
  for (int i = 3; i < argc; ++i)
    open_library(argv[i], RTLD_GLOBAL);
  if (!zcc)
    zcc = open_library(argv[1], RTLD_LOCAL);
  const char *options[] = {"not-batched=x", "optimizer=sgd"};
  zcc_program *program = NULL;
  if (ENTRY(zcc, zcc_compile)(text, sizeof(text) - 1, "loss.mlir", options, 2,
                              &program) != ZCC_OK) {
    fprintf(stderr, "%s\n", ENTRY(zcc, zcc_last_error)());
    return 1;
  }
  zcc_trainer *trainer = NULL;
  int64_t shape[] = {4};
  float w[] = {1, 2, 3, 4}, x[] = {1, 1, 1, 1};
  zcc_array parameter = {"w", ZCC_F32, 1, shape, w},
            input = {"x", ZCC_F32, 1, shape, x};
  double results[6] = {0};
  if (ENTRY(zcc, zcc_trainer_open)(program, NULL, 0, &trainer) != ZCC_OK ||
      ENTRY(zcc, zcc_trainer_set_parameters)(trainer, &parameter, 1) !=
          ZCC_OK ||
      ENTRY(zcc, zcc_trainer_step)(trainer, &input, 1, NULL, results) !=
          ZCC_OK) {
    fprintf(stderr, "%s\n", ENTRY(zcc, zcc_last_error)());
    return 1;
  }
  if (results[0] != 10) {
    fprintf(stderr, "expected a loss of 10, found %g\n", results[0]);
    return 1;
  }
  ENTRY(zcc, zcc_trainer_close)(trainer);
  ENTRY(zcc, zcc_program_close)(program);
  return 0;
}
