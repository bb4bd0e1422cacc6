/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A forward program hands out arrays, whole, whatever the mesh. Calls with
 * wrong arguments are refused, and change no memory. */
#include "check.h"

#include <math.h>

/* x w, its sign by row, and the mean of (x w - t)^2; no loss comes first. */
static const char predict_text[] =
    "module @jit_predict {\n"
    "  func.func public @main(%w: tensor<4xf32> loc(\"params['w']\"), "
    "%x: tensor<8x4xf32> loc(\"batch['x']\"), "
    "%t: tensor<8xf32> loc(\"batch['t']\")) -> "
    "(tensor<8xf32> {jax.result_info = \"result['y']\"}, "
    "tensor<8xi1> {jax.result_info = \"result['positive']\"}, "
    "tensor<f32> {jax.result_info = \"result['mean']\"}) {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : "
    "(tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>\n"
    "    %1 = stablehlo.subtract %0, %t : tensor<8xf32>\n"
    "    %2 = stablehlo.multiply %1, %1 : tensor<8xf32>\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across "
    "dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %n = stablehlo.constant dense<8.0> : tensor<f32>\n"
    "    %4 = stablehlo.divide %3, %n : tensor<f32>\n"
    "    %zeros = stablehlo.constant dense<0.0> : tensor<8xf32>\n"
    "    %5 = stablehlo.compare GT, %0, %zeros : (tensor<8xf32>, "
    "tensor<8xf32>) -> tensor<8xi1>\n"
    "    return %0, %5, %4 : tensor<8xf32>, tensor<8xi1>, tensor<f32>\n"
    "  }\n"
    "}\n";

static zcc_program *compile_predict(const char *mesh) {
  const char *options[] = {"optimizer=forward", mesh};
  zcc_program *program = NULL;
  CHECK(zcc_compile(predict_text, strlen(predict_text), "predict.mlir", options,
                    COUNT(options), &program) == ZCC_OK);
  return program;
}

static void check_described(const zcc_program *program) {
  const zcc_array *arrays;
  const char *const *names;
  size_t count;
  CHECK(zcc_program_outputs(program, &arrays, &count) == ZCC_OK && count == 2);
  CHECK(!strcmp(arrays[0].name, "y") && arrays[0].type == ZCC_F32);
  CHECK(!strcmp(arrays[1].name, "positive") && arrays[1].type == ZCC_I1);
  for (size_t i = 0; i < count; ++i)
    CHECK(arrays[i].dims == 1 && arrays[i].shape[0] == ROWS && !arrays[i].data);
  CHECK(zcc_program_results(program, &names, &count) == ZCC_OK && count == 2);
  CHECK(!strcmp(names[0], "mean") && !strcmp(names[1], "seconds"));
}

/* Against the same in double. */
static void check_values(const problem *p, zcc_trainer *trainer) {
  float y[ROWS + 1];
  unsigned char positive[ROWS + 1];
  double results[3] = {-7, -7, -7}, mean = 0;
  y[ROWS] = -7;
  positive[ROWS] = 77;
  zcc_array outputs[] = {{"positive", ZCC_I1, 1, shape_t, positive},
                         {"y", ZCC_F32, 1, shape_t, y}};
  CHECK(zcc_trainer_evaluate(trainer, p->batch, 2, outputs, 2, results) ==
        ZCC_OK);
  for (int i = 0; i < ROWS; ++i) {
    double wanted = 0;
    for (int k = 0; k < WIDTH; ++k)
      wanted += (double)p->x[i * WIDTH + k] * p->w[k];
    CHECK(fabs(y[i] - wanted) < 1e-5);
    CHECK(positive[i] == (wanted > 0));
    mean += (wanted - p->t[i]) * (wanted - p->t[i]) / ROWS;
  }
  CHECK(y[ROWS] == -7 && positive[ROWS] == 77);
  CHECK(fabs(results[0] - mean) < 1e-5 && results[1] > 0 && results[2] == -7);
  /* Only what is asked for. */
  memset(y, 0, sizeof(y));
  CHECK(zcc_trainer_evaluate(trainer, p->batch, 2, outputs, 1, NULL) == ZCC_OK);
  CHECK(zcc_trainer_evaluate(trainer, p->batch, 2, NULL, 0, results) == ZCC_OK);
  CHECK(zcc_trainer_step(trainer, p->batch, 2, NULL, results) == ZCC_OK);
  for (int i = 0; i < ROWS; ++i)
    CHECK(y[i] == 0);
}

static void check_refusals(const problem *p, const zcc_program *program,
                           zcc_trainer *trainer) {
  float y[ROWS] = {0};
  zcc_array output = {"y", ZCC_F32, 1, shape_t, y}, wrong;
  const zcc_array *arrays;
  size_t count;
#define WRONG(member, value, says)                                             \
  do {                                                                         \
    wrong = output;                                                            \
    wrong.member = value;                                                      \
    REFUSED(zcc_trainer_evaluate(trainer, p->batch, 2, &wrong, 1, NULL),       \
            ZCC_BAD_INPUT, says);                                              \
  } while (0)
  WRONG(name, "z", "outputs: no output is called \"z\"");
  WRONG(name, "mean", "outputs: no output is called \"mean\"");
  WRONG(name, NULL, "outputs[0].name: ");
  WRONG(type, ZCC_F16, "outputs: \"y\": expected f32 [8], found f16 [8]");
  WRONG(shape, shape_w, "outputs: \"y\": expected f32 [8], found f32 [4]");
  WRONG(data, NULL, "data: ");
#undef WRONG
  zcc_array twice[] = {output, output};
  REFUSED(zcc_trainer_evaluate(trainer, p->batch, 2, twice, 2, NULL),
          ZCC_BAD_INPUT, "a second array of this name");
  REFUSED(zcc_trainer_evaluate(trainer, p->batch, 1, &output, 1, NULL),
          ZCC_BAD_INPUT, "\"t\": expected f32 [8], not found");
  REFUSED(zcc_trainer_evaluate(trainer, p->batch, 2, NULL, 1, NULL),
          ZCC_BAD_INPUT, "outputs: ");
  REFUSED(zcc_trainer_evaluate(NULL, p->batch, 2, &output, 1, NULL),
          ZCC_BAD_INPUT, "trainer: ");
  REFUSED(zcc_program_outputs(NULL, &arrays, &count), ZCC_BAD_INPUT,
          "program: ");
  REFUSED(zcc_program_outputs(program, NULL, &count), ZCC_BAD_INPUT,
          "arrays: ");
  REFUSED(zcc_program_outputs(program, &arrays, NULL), ZCC_BAD_INPUT,
          "count: ");
  for (int i = 0; i < ROWS; ++i)
    CHECK(y[i] == 0);
}

/* A program that trains, or one whose parameters have no values. */
static void check_others(const problem *p, const zcc_program *program) {
  float y[ROWS];
  zcc_array output = {"y", ZCC_F32, 1, shape_t, y};
  const zcc_array *arrays;
  size_t count;
  zcc_trainer *empty = open_trainer(program, NULL, 0);
  REFUSED(zcc_trainer_evaluate(empty, p->batch, 2, &output, 1, NULL),
          ZCC_BAD_INPUT, "these parameters have no values yet: w");
  zcc_trainer_close(empty);
  const char *options[] = {"optimizer=sgd"};
  zcc_program *trained = compile(options, 1);
  CHECK(zcc_program_outputs(trained, &arrays, &count) == ZCC_OK && count == 0);
  zcc_trainer *trainer = open_trainer(trained, NULL, 0);
  REFUSED(zcc_trainer_evaluate(trainer, p->batch, 2, NULL, 0, NULL),
          ZCC_BAD_INPUT,
          "evaluate: the program is compiled with optimizer=sgd, expected "
          "optimizer=forward");
  zcc_trainer_close(trainer);
  zcc_program_close(trained);
  zcc_program *none = NULL;
  REFUSED(zcc_compile(predict_text, strlen(predict_text), "predict.mlir",
                      options, 1, &none),
          ZCC_BAD_INPUT,
          "expected the loss, a float scalar, as the first result");
}

int main(void) {
  problem p;
  make_problem(&p);
  static const char *meshes[] = {"mesh=1", "mesh=data=2",
                                 "mesh=data=2,tensor=2"};
  for (size_t i = 0; i < COUNT(meshes); ++i) {
    zcc_program *program = compile_predict(meshes[i]);
    check_described(program);
    zcc_trainer *trainer = open_trainer(program, NULL, 0);
    CHECK(zcc_trainer_set_parameters(trainer, p.parameter, 1) == ZCC_OK);
    check_values(&p, trainer);
    check_refusals(&p, program, trainer);
    check_values(&p, trainer);
    zcc_trainer_close(trainer);
    if (i == 0)
      check_others(&p, program);
    zcc_program_close(program);
  }
  return 0;
}
