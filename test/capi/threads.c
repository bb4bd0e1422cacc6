/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Several threads at once: on one trainer, on trainers of their own, compiling;
 * each with its own last error. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, STEPS = 25 };

static problem shared;
static zcc_program *program;
static zcc_trainer *one;

static void *step_one(void *ignored) {
  double results[6];
  float room[WIDTH];
  zcc_array out = {"w", ZCC_F32, 1, shape_w, room};
  for (int i = 0; i < STEPS; ++i) {
    CHECK(zcc_trainer_step(one, shared.batch, 2, NULL, results) == ZCC_OK);
    CHECK(zcc_trainer_get_parameters(one, &out, 1) == ZCC_OK);
    REFUSED(zcc_trainer_step(one, shared.batch, 1, NULL, NULL), ZCC_BAD_INPUT,
            "not found");
  }
  (void)ignored;
  return NULL;
}

/* Trains alone and leaves its parameters. */
static void *train_own(void *room) {
  zcc_trainer *trainer = open_trainer(program, NULL, 0);
  CHECK(zcc_trainer_set_parameters(trainer, shared.parameter, 1) == ZCC_OK);
  for (int i = 0; i < STEPS; ++i)
    CHECK(zcc_trainer_step(trainer, shared.batch, 2, NULL, NULL) == ZCC_OK);
  zcc_array out = {"w", ZCC_F32, 1, shape_w, room};
  CHECK(zcc_trainer_get_parameters(trainer, &out, 1) == ZCC_OK);
  zcc_trainer_close(trainer);
  return NULL;
}

static void *compile_own(void *ignored) {
  zcc_program *made;
  const char *options[] = {"mesh=data=2", "optimizer=sgd"};
  zcc_program_close(compile(options, COUNT(options)));
  REFUSED(zcc_compile("none", 4, "n.mlir", NULL, 0, &made), ZCC_BAD_INPUT,
          "n.mlir:1:1");
  (void)ignored;
  return NULL;
}

/* Two trainers that copy from each other must not wait for each other. */
static zcc_trainer *pair[2];
static void *copy_one(void *which) {
  int own = *(int *)which;
  for (int i = 0; i < STEPS; ++i)
    CHECK(zcc_trainer_copy_parameters(pair[own], pair[1 - own]) == ZCC_OK);
  return NULL;
}

static void run(int count, void *(*body)(void *), void *arguments,
                size_t size) {
  pthread_t threads[THREADS];
  for (int i = 0; i < count; ++i)
    CHECK(!pthread_create(&threads[i], NULL, body,
                          (char *)arguments + (size_t)i * size));
  for (int i = 0; i < count; ++i)
    CHECK(!pthread_join(threads[i], NULL));
}

int main(void) {
  make_problem(&shared);
  const char *options[] = {"mesh=data=2", "optimizer=sgd"};
  program = compile(options, COUNT(options));
  one = open_trainer(program, NULL, 0);
  CHECK(zcc_trainer_set_parameters(one, shared.parameter, 1) == ZCC_OK);
  run(THREADS, step_one, NULL, 0);
  int64_t steps;
  CHECK(zcc_trainer_steps(one, &steps) == ZCC_OK);
  CHECK(steps == THREADS * STEPS);

  float rooms[THREADS][WIDTH];
  run(THREADS, train_own, rooms, sizeof(rooms[0]));
  for (int i = 1; i < THREADS; ++i)
    CHECK(!memcmp(rooms[0], rooms[i], sizeof(rooms[0])));
  run(2, compile_own, NULL, 0);

  int numbers[] = {0, 1};
  for (int i = 0; i < 2; ++i) {
    pair[i] = open_trainer(program, NULL, 0);
    CHECK(zcc_trainer_set_parameters(pair[i], shared.parameter, 1) == ZCC_OK);
  }
  run(2, copy_one, numbers, sizeof(numbers[0]));
  for (int i = 0; i < 2; ++i)
    zcc_trainer_close(pair[i]);
  zcc_trainer_close(one);
  zcc_program_close(program);
  return 0;
}
