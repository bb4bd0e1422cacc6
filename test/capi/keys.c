/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Keys of random numbers: a trainer makes them from a seed and the number of
 * the step, unless the batch has one. Usage: keys FOLDER, for files of the
 * test. */
#include "check.h"

/* loss = w ((high >> 16) + (low >> 16)), of the words of a key. */
static const char key_text[] =
    "module {\n"
    "  func.func public @main(%w: tensor<f32> loc(\"params['w']\"), "
    "%key: tensor<2xui32> loc(\"key\")) -> (tensor<f32>) {\n"
    "    %by = stablehlo.constant dense<16> : tensor<2xui32>\n"
    "    %0 = stablehlo.shift_right_logical %key, %by : tensor<2xui32>\n"
    "    %1 = stablehlo.convert %0 : (tensor<2xui32>) -> tensor<2xf32>\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across "
    "dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %3 = stablehlo.multiply %2, %w : tensor<f32>\n"
    "    return %3 : tensor<f32>\n"
    "  }\n"
    "}\n";

static zcc_program *compile_keyed(const char *optimizer) {
  zcc_program *program;
  CHECK(zcc_compile(key_text, strlen(key_text), "key.mlir", &optimizer, 1,
                    &program) == ZCC_OK);
  const zcc_array *arrays;
  size_t count;
  CHECK(zcc_program_inputs(program, &arrays, &count) == ZCC_OK && count == 0);
  return program;
}

static zcc_trainer *open_at_1(const zcc_program *program, const char *option) {
  zcc_trainer *trainer = open_trainer(program, &option, option ? 1 : 0);
  float one = 1;
  zcc_array w = {"w", ZCC_F32, 0, NULL, &one};
  CHECK(zcc_trainer_set_parameters(trainer, &w, 1) == ZCC_OK);
  return trainer;
}

static double of(uint32_t high, uint32_t low) {
  return (double)(high >> 16) + (double)(low >> 16);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  char path[1024];
  snprintf(path, sizeof(path), "%s/checkpoints", argv[1]);
  zcc_program *program = compile_keyed("optimizer=sgd");
  /* jax.random.key_data(jax.random.fold_in(jax.random.key(7), 3)) */
  const double third = of(276534068u, 1641862660u);
  double results[6];
  double rate = 0; /* w stays 1 */
  zcc_trainer *trainer = open_at_1(program, "key-seed=7");
  for (int step = 1; step <= 3; ++step)
    CHECK(zcc_trainer_step(trainer, NULL, 0, &rate, results) == ZCC_OK);
  CHECK(results[0] == third);
  uint32_t words[2] = {1u << 20, 2u << 20};
  const int64_t two = 2;
  zcc_array given = {"key", ZCC_U32, 1, &two, words};
  CHECK(zcc_trainer_step(trainer, &given, 1, &rate, results) == ZCC_OK);
  CHECK(results[0] == of(words[0], words[1]));
  given.type = ZCC_I32;
  REFUSED(zcc_trainer_step(trainer, &given, 1, &rate, results), ZCC_BAD_INPUT,
          "\"key\": expected u32, found i32");
  zcc_trainer_close(trainer);

  /* The steps before a checkpoint count. Without a seed it is 0. */
  trainer = open_at_1(program, "key-seed=7");
  for (int step = 1; step <= 2; ++step)
    CHECK(zcc_trainer_step(trainer, NULL, 0, &rate, NULL) == ZCC_OK);
  CHECK(zcc_trainer_save(trainer, path) == ZCC_OK);
  zcc_trainer_close(trainer);
  trainer = open_trainer(program, (const char *[]){"key-seed=7"}, 1);
  CHECK(zcc_trainer_load(trainer, path) == ZCC_OK);
  CHECK(zcc_trainer_step(trainer, NULL, 0, &rate, results) == ZCC_OK);
  CHECK(results[0] == third);
  zcc_trainer_close(trainer);
  trainer = open_at_1(program, NULL);
  CHECK(zcc_trainer_step(trainer, NULL, 0, &rate, results) == ZCC_OK);
  CHECK(results[0] == of(928981903u, 3453687069u));
  zcc_trainer_close(trainer);
  zcc_program_close(program);

  /* A program of results has the key of step 0 every time. */
  program = compile_keyed("optimizer=forward");
  trainer = open_at_1(program, NULL);
  for (int step = 1; step <= 2; ++step) {
    CHECK(zcc_trainer_step(trainer, NULL, 0, NULL, results) == ZCC_OK);
    CHECK(results[0] == of(1797259609u, 2579123966u));
  }
  zcc_trainer_close(trainer);
  zcc_program_close(program);

  program = compile(NULL, 0);
  const char *seed = "key-seed=1";
  REFUSED(zcc_trainer_open(program, &seed, 1, &trainer), ZCC_BAD_INPUT,
          "--key-seed: expected an executable that reads a key of random "
          "numbers, this one reads x f32 [8, 4], t f32 [8]");
  seed = "key-seed=-1";
  REFUSED(zcc_trainer_open(program, &seed, 1, &trainer), ZCC_BAD_INPUT,
          "--key-seed: expected an integer from 0 to 18446744073709551615");

  /* A program without a key ignores that of a batch, and no other array. */
  problem p;
  make_problem(&p);
  trainer = open_trainer(program, NULL, 0);
  CHECK(zcc_trainer_set_parameters(trainer, p.parameter, 1) == ZCC_OK);
  CHECK(zcc_trainer_step(trainer, p.batch, 2, &rate, results) == ZCC_OK);
  const double without = results[0];
  given.type = ZCC_U32;
  zcc_array more[3] = {p.batch[0], p.batch[1], given};
  CHECK(zcc_trainer_step(trainer, more, 3, &rate, results) == ZCC_OK);
  CHECK(results[0] == without);
  more[2].type = ZCC_I32;
  REFUSED(zcc_trainer_step(trainer, more, 3, &rate, results), ZCC_BAD_INPUT,
          "no input is called \"key\"");
  zcc_trainer_close(trainer);
  zcc_program_close(program);
  return 0;
}
