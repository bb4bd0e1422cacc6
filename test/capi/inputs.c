/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Batches that ranks read where they lie: nothing is copied, and results are
 * those of the arena, bit by bit, wherever the arrays begin and end. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "check.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LONG = 1 << 20, WIDE = 25 };

/* mean(x w), x [1048576, 25], w [25]. */
static const char long_text[] =
    "module @jit_loss {\n"
    "  func.func public @main(%w: tensor<25xf32> loc(\"params['w']\"), "
    "%x: tensor<1048576x25xf32> loc(\"batch['x']\")) -> (tensor<f32>) {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : "
    "(tensor<1048576x25xf32>, tensor<25xf32>) -> tensor<1048576xf32>\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across "
    "dimensions = [0] : (tensor<1048576xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %n = stablehlo.constant dense<1048576.0> : tensor<f32>\n"
    "    %2 = stablehlo.divide %1, %n : tensor<f32>\n"
    "    return %2 : tensor<f32>\n"
    "  }\n"
    "}\n";

static const int64_t shape_long[] = {LONG, WIDE}, shape_wide[] = {WIDE};

/* A number of the report's "memory". */
static long long of_memory(const zcc_program *program, const char *name) {
  const char *memory = strstr(zcc_program_report(program), "\"memory\"");
  CHECK(memory);
  const char *at = strstr(memory, name);
  CHECK(at);
  return atoll(strchr(at, ':') + 1);
}

static zcc_program *compile_long(const char *inputs) {
  const char *options[] = {inputs, "optimizer=sgd"};
  zcc_program *program = NULL;
  CHECK(zcc_compile(long_text, strlen(long_text), "loss.mlir", options,
                    COUNT(options), &program) == ZCC_OK);
  return program;
}

/* The bytes of the process that are in memory. */
static long long resident(void) {
  long long all = 0, own = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%lld %lld", &all, &own) == 2);
  fclose(file);
  return own * sysconf(_SC_PAGESIZE);
}

/* Two steps; returns the bytes by which the process grew. */
static long long train_long(const zcc_program *program, float *x,
                            double *losses, float *w) {
  zcc_trainer *trainer = open_trainer(program, NULL, 0);
  zcc_array batch = {"x", ZCC_F32, 2, shape_long, x},
            own = {"w", ZCC_F32, 1, shape_wide, w};
  for (int k = 0; k < WIDE; ++k)
    w[k] = (float)k / WIDE - 0.5f;
  CHECK(zcc_trainer_set_parameters(trainer, &own, 1) == ZCC_OK);
  long long before = resident();
  double results[6], lr = 0.5;
  for (int i = 0; i < 2; ++i) {
    CHECK(zcc_trainer_step(trainer, &batch, 1, &lr, results) == ZCC_OK);
    losses[i] = results[0];
  }
  long long grown = resident() - before;
  CHECK(zcc_trainer_get_parameters(trainer, &own, 1) == ZCC_OK);
  zcc_trainer_close(trainer);
  return grown;
}

static void check_long(void) {
  const size_t count = (size_t)LONG * WIDE, bytes = count * sizeof(float);
  const long page = sysconf(_SC_PAGESIZE);
  const size_t pages = (bytes + page - 1) / page * page;
  /* The array ends where the memory does: behind it there is no page. */
  char *map = mmap(NULL, pages + 2 * page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(map != MAP_FAILED);
  CHECK(mprotect(map + pages + page, page, PROT_NONE) == 0);
  float *plain = (float *)map, *last = (float *)(map + pages + page - bytes);
  for (size_t i = 0; i < count; ++i)
    plain[i] = (float)(i * 2654435761u % 1000) / 500 - 1;

  double wanted[2], found[2];
  float wanted_w[WIDE], w[WIDE];
  zcc_program *caller = compile_long("inputs=caller");
  CHECK(of_memory(caller, "\"peak\"") < 50000000);
  CHECK(of_memory(caller, "\"caller_inputs\"") == (long long)bytes);
  CHECK(train_long(caller, plain, found, w) < 50000000);
  zcc_program *arena = compile_long("inputs=arena");
  CHECK(of_memory(arena, "\"peak\"") > (long long)bytes);
  CHECK(of_memory(arena, "\"caller_inputs\"") == 0);
  CHECK(train_long(arena, plain, wanted, wanted_w) > 50000000);
  CHECK(!memcmp(found, wanted, sizeof(found)) &&
        !memcmp(w, wanted_w, sizeof(w)));
  CHECK(wanted[0] != wanted[1]);

  memmove(last, plain, bytes);
  train_long(caller, last, found, w);
  CHECK(!memcmp(found, wanted, sizeof(found)) &&
        !memcmp(w, wanted_w, sizeof(w)));
  /* Four bytes before that: at no multiple of 8. */
  memmove(last - 1, last, bytes);
  train_long(caller, last - 1, found, w);
  CHECK(!memcmp(found, wanted, sizeof(found)) &&
        !memcmp(w, wanted_w, sizeof(w)));
  /* Two bytes before that: at no multiple of 4, so it is copied. */
  char *odd = (char *)(last - 1) - 2;
  memmove(odd, last - 1, bytes);
  train_long(caller, (float *)(void *)odd, found, w);
  CHECK(!memcmp(found, wanted, sizeof(found)) &&
        !memcmp(w, wanted_w, sizeof(w)));
  zcc_program_close(caller);
  zcc_program_close(arena);
  munmap(map, pages + 2 * page);
}

/* Every step reads the arrays that it gets, as they are then. */
static void check_steps(void) {
  problem p, other;
  make_problem(&p);
  other = p;
  for (int i = 0; i < ROWS * WIDTH; ++i)
    other.x[i] = -p.x[i];
  other.batch[0].data = other.x;
  other.batch[1].data = other.t;
  const char *inputs[] = {"inputs=arena", "inputs=caller"};
  double losses[2][3];
  for (int i = 0; i < 2; ++i) {
    const char *options[] = {inputs[i], "mesh=data=2", "optimizer=sgd"};
    zcc_program *program = compile(options, COUNT(options));
    zcc_trainer *trainer = open_trainer(program, NULL, 0);
    CHECK(zcc_trainer_set_parameters(trainer, p.parameter, 1) == ZCC_OK);
    double lr = 0, results[6];
    CHECK(zcc_trainer_step(trainer, p.batch, 2, &lr, results) == ZCC_OK);
    losses[i][0] = results[0];
    CHECK(zcc_trainer_step(trainer, other.batch, 2, &lr, results) == ZCC_OK);
    losses[i][1] = results[0];
    p.t[0] += 1;
    CHECK(zcc_trainer_step(trainer, p.batch, 2, &lr, results) == ZCC_OK);
    losses[i][2] = results[0];
    p.t[0] -= 1;
    zcc_trainer_close(trainer);
    zcc_program_close(program);
  }
  CHECK(!memcmp(losses[0], losses[1], sizeof(losses[0])));
  CHECK(losses[0][0] != losses[0][1] && losses[0][0] != losses[0][2]);
}

int main(void) {
  check_steps();
  check_long();
  return 0;
}
