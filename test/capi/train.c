/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Compiles a loss in memory, trains it on two ranks, reads its parameters back:
 * against the same in plain C. Usage: train FOLDER, for files of the test. */
#include "check.h"

#include <math.h>

/* A step of SGD in double; returns the loss before it, and the gradient. */
static double plain_step(const problem *p, double *w, double lr,
                         double *gradient) {
  double loss = 0, own[WIDTH];
  double *g = gradient ? gradient : own;
  for (int k = 0; k < WIDTH; ++k)
    g[k] = 0;
  for (int i = 0; i < ROWS; ++i) {
    double off = -p->t[i];
    for (int k = 0; k < WIDTH; ++k)
      off += p->x[i * WIDTH + k] * w[k];
    loss += off * off / ROWS;
    for (int k = 0; k < WIDTH; ++k)
      g[k] += 2 * off * p->x[i * WIDTH + k] / ROWS;
  }
  for (int k = 0; k < WIDTH; ++k)
    w[k] -= lr * g[k];
  return loss;
}

static int near(double a, double b) {
  return fabs(a - b) <= 2e-6 * (1 + fabs(b));
}

static void read_w(zcc_trainer *trainer, float *w) {
  zcc_array out = {"w", ZCC_F32, 1, shape_w, w};
  CHECK(zcc_trainer_get_parameters(trainer, &out, 1) == ZCC_OK);
}

static void check_descriptions(const zcc_program *program) {
  const zcc_array *arrays;
  const char *const *names;
  size_t count;
  CHECK(zcc_program_inputs(program, &arrays, &count) == ZCC_OK);
  CHECK(count == 2);
  for (size_t i = 0; i < count; ++i) {
    int is_x = !strcmp(arrays[i].name, "x");
    CHECK(is_x || !strcmp(arrays[i].name, "t"));
    CHECK(arrays[i].type == ZCC_F32 && !arrays[i].data);
    CHECK(arrays[i].dims == (is_x ? 2 : 1) && arrays[i].shape[0] == ROWS);
  }
  CHECK(zcc_program_parameters(program, &arrays, &count) == ZCC_OK);
  CHECK(count == 1 && !strcmp(arrays[0].name, "w"));
  CHECK(arrays[0].dims == 1 && arrays[0].shape[0] == WIDTH);
  CHECK(zcc_program_results(program, &names, &count) == ZCC_OK);
  static const char *wanted[] = {"loss",       "grad_norm", "lr",
                                 "loss_scale", "overflow",  "seconds"};
  CHECK(count == COUNT(wanted));
  for (size_t i = 0; i < count; ++i)
    CHECK(!strcmp(names[i], wanted[i]));
  CHECK(strstr(zcc_program_report(program), "\"memory\""));
  CHECK(strlen(zcc_program_table(program)) > 0);
}

/* Trains two steps of a checkpoint again, on another mesh. */
static void check_checkpoint(const problem *p, zcc_trainer *trainer,
                             const char *folder, const double *losses) {
  char path[1024];
  snprintf(path, sizeof(path), "%s/checkpoints", folder);
  CHECK(!strcmp(zcc_trainer_last_checkpoint(trainer), ""));
  CHECK(zcc_trainer_save(trainer, path) == ZCC_OK);
  char last[1100];
  snprintf(last, sizeof(last), "%s/step-000000003", path);
  CHECK(!strcmp(zcc_trainer_last_checkpoint(trainer), last));
  CHECK(zcc_trainer_finish_save(trainer) == ZCC_OK); /* there is none */
  CHECK(zcc_trainer_begin_save(trainer, path) == ZCC_OK);
  CHECK(zcc_trainer_finish_save(trainer) == ZCC_OK);
  CHECK(!strcmp(zcc_trainer_last_checkpoint(trainer), last));
  const char *options[] = {"optimizer=sgd"};
  zcc_program *program = compile(options, COUNT(options));
  const char *rates[] = {"lr=0.1", "momentum=0.5"};
  zcc_trainer *other = open_trainer(program, rates, COUNT(rates));
  zcc_program_close(program); /* the trainer lives on */
  CHECK(zcc_trainer_load(other, path) == ZCC_OK);
  int64_t steps;
  CHECK(zcc_trainer_steps(other, &steps) == ZCC_OK && steps == 3);
  double results[6];
  for (int i = 3; i < 5; ++i) {
    CHECK(zcc_trainer_step(other, p->batch, 2, NULL, results) == ZCC_OK);
    CHECK(near(results[0], losses[i]));
  }
  zcc_trainer_close(other);
}

/* A step that is measured, and the parameter where it lies. */
static void check_places(const problem *p) {
  const char *options[] = {"optimizer=sgd"};
  zcc_program *program = compile(options, COUNT(options));
  const char *rates[] = {"lr=0.1"};
  zcc_trainer *trainer = open_trainer(program, rates, COUNT(rates));
  const zcc_array *view;
  REFUSED(zcc_trainer_view(trainer, "w", &view), ZCC_BAD_INPUT,
          "have no values yet");
  float w[WIDTH] = {0}, read[WIDTH];
  const int64_t width = WIDTH;
  const zcc_array given = {"w", ZCC_F32, 1, &width, w};
  CHECK(zcc_trainer_set_parameters(trainer, &given, 1) == ZCC_OK);
  CHECK(zcc_trainer_view(trainer, "w", &view) == ZCC_OK);
  CHECK(!strcmp(view->name, "w") && view->type == ZCC_F32);
  CHECK(view->dims == 1 && view->shape[0] == WIDTH);
  CHECK(!memcmp(view->data, w, sizeof(w)));
  REFUSED(zcc_trainer_view(trainer, "v", &view), ZCC_BAD_INPUT,
          "no parameter is called \"v\"");
  const char *trace;
  CHECK(zcc_trainer_trace(trainer, &trace) == ZCC_OK && !*trace);
  CHECK(zcc_trainer_measure(trainer, 1) == ZCC_OK);
  CHECK(zcc_trainer_step(trainer, p->batch, 2, NULL, NULL) == ZCC_OK);
  CHECK(zcc_trainer_measure(trainer, 0) == ZCC_OK);
  CHECK(zcc_trainer_trace(trainer, &trace) == ZCC_OK);
  CHECK(strstr(trace, "{\"traceEvents\": [") == trace);
  CHECK(strstr(trace, "\"ph\": \"X\""));
  read_w(trainer, read);
  CHECK(memcmp(w, read, sizeof(w)));
  CHECK(zcc_trainer_view(trainer, "w", &view) == ZCC_OK);
  CHECK(!memcmp(view->data, read, sizeof(read)));
  zcc_trainer_close(trainer);
  zcc_program_close(program);
}

static void check_files(zcc_trainer *trainer, const zcc_program *program,
                        const char *folder) {
  char path[1024];
  float before[WIDTH], after[WIDTH];
  read_w(trainer, before);
  snprintf(path, sizeof(path), "%s/w.safetensors", folder);
  CHECK(zcc_trainer_save_parameters(trainer, path) == ZCC_OK);
  const void *bytes;
  size_t length;
  CHECK(zcc_program_executable(program, &bytes, &length) == ZCC_OK);
  zcc_program *again;
  CHECK(zcc_program_open(bytes, length, &again) == ZCC_OK);
  zcc_trainer *other = open_trainer(again, NULL, 0);
  CHECK(zcc_trainer_load(other, path) == ZCC_OK);
  read_w(other, after);
  CHECK(!memcmp(before, after, sizeof(before)));
  int64_t steps;
  CHECK(zcc_trainer_steps(other, &steps) == ZCC_OK && steps == 0);

  /* The tensor of another name; what is not loaded keeps its values. */
  float zeros[WIDTH] = {0};
  zcc_array zero = {"w", ZCC_F32, 1, shape_w, zeros};
  CHECK(zcc_trainer_set_parameters(other, &zero, 1) == ZCC_OK);
  const char *w = "w", *v = "v";
  CHECK(zcc_trainer_load_tensors(other, path, NULL, NULL, 0) == ZCC_OK);
  read_w(other, after);
  CHECK(!memcmp(zeros, after, sizeof(after)));
  CHECK(zcc_trainer_load_tensors(other, path, &w, &v, 1) == ZCC_BAD_INPUT);
  CHECK(strstr(zcc_last_error(), "has no tensor \"v\""));
  CHECK(zcc_trainer_load_tensors(other, path, &v, &w, 1) == ZCC_BAD_INPUT);
  CHECK(strstr(zcc_last_error(), "surplus: v"));
  const char *twice[] = {w, w};
  CHECK(zcc_trainer_load_tensors(other, path, twice, twice, 2) ==
        ZCC_BAD_INPUT);
  CHECK(strstr(zcc_last_error(), "\"w\" is given twice"));
  CHECK(zcc_trainer_load_tensors(other, path, &w, &w, 1) == ZCC_OK);
  read_w(other, after);
  CHECK(!memcmp(before, after, sizeof(before)));
  zcc_trainer_close(other);
  zcc_program_close(again);
}

/* The loss and the gradient at the parameters of a trainer. */
static void check_copies(const problem *p, zcc_trainer *trainer) {
  float w[WIDTH], gradient[WIDTH];
  read_w(trainer, w);
  double plain[WIDTH], wanted[WIDTH], results[4];
  for (int k = 0; k < WIDTH; ++k)
    plain[k] = w[k];
  double loss = plain_step(p, plain, 0, wanted);
  const char *forward[] = {"mesh=data=2", "optimizer=forward"};
  const char *none[] = {"mesh=2", "optimizer=none"};
  zcc_program *program = compile(forward, COUNT(forward));
  zcc_trainer *evaluated = open_trainer(program, NULL, 0);
  CHECK(zcc_trainer_copy_parameters(evaluated, trainer) == ZCC_OK);
  CHECK(zcc_trainer_step(evaluated, p->batch, 2, NULL, results) == ZCC_OK);
  CHECK(near(results[0], loss));
  zcc_trainer_close(evaluated);
  zcc_program_close(program);

  program = compile(none, COUNT(none));
  zcc_trainer *derived = open_trainer(program, NULL, 0);
  CHECK(zcc_trainer_copy_parameters(derived, trainer) == ZCC_OK);
  zcc_array out = {"w", ZCC_F32, 1, shape_w, gradient};
  CHECK(zcc_trainer_gradients(derived, p->batch, 2, &out, 1, NULL) == ZCC_OK);
  for (int k = 0; k < WIDTH; ++k)
    CHECK(near(gradient[k], wanted[k]));
  float same[WIDTH];
  read_w(derived, same);
  CHECK(!memcmp(w, same, sizeof(w)));
  zcc_trainer_close(derived);
  zcc_program_close(program);
}

/* Averages of the parameters of each step, which are read, set, copied and
 * saved. */
static void check_averages(const problem *p, const char *folder) {
  const char *options[] = {"mesh=data=2", "zero=3", "optimizer=sgd",
                           "ema=0.75"};
  zcc_program *program = compile(options, COUNT(options));
  const zcc_array *arrays;
  size_t count;
  CHECK(zcc_program_averages(program, &arrays, &count) == ZCC_OK);
  CHECK(count == 1 && !strcmp(arrays[0].name, "w") && arrays[0].dims == 1 &&
        arrays[0].shape[0] == WIDTH && arrays[0].type == ZCC_F32);
  const char *rates[] = {"lr=0.1"};
  zcc_trainer *trainer = open_trainer(program, rates, COUNT(rates));
  zcc_program_close(program);
  CHECK(zcc_trainer_set_parameters(trainer, p->parameter, 1) == ZCC_OK);
  float average[WIDTH], expected[WIDTH], w[WIDTH];
  zcc_array out = {"w", ZCC_F32, 1, shape_w, average};
  CHECK(zcc_trainer_get_averages(trainer, &out, 1) == ZCC_OK);
  CHECK(!memcmp(average, p->w, sizeof(average)));
  memcpy(expected, p->w, sizeof(expected));
  for (int i = 0; i < 3; ++i) {
    CHECK(zcc_trainer_step(trainer, p->batch, 2, NULL, NULL) == ZCC_OK);
    read_w(trainer, w);
    for (int k = 0; k < WIDTH; ++k)
      expected[k] = 0.75f * expected[k] + 0.25f * w[k];
    CHECK(zcc_trainer_get_averages(trainer, &out, 1) == ZCC_OK);
    for (int k = 0; k < WIDTH; ++k)
      CHECK(near(average[k], expected[k]));
  }
  CHECK(memcmp(average, w, sizeof(w)));

  /* Another program reads them as its parameters. */
  const char *forward[] = {"mesh=data=2", "optimizer=forward"};
  program = compile(forward, COUNT(forward));
  CHECK(zcc_program_averages(program, &arrays, &count) == ZCC_OK && count == 0);
  zcc_trainer *evaluated = open_trainer(program, NULL, 0);
  float read[WIDTH];
  CHECK(zcc_trainer_copy_averages(evaluated, trainer) == ZCC_OK);
  read_w(evaluated, read);
  CHECK(!memcmp(read, average, sizeof(read)));
  char path[1024];
  snprintf(path, sizeof(path), "%s/average.safetensors", folder);
  CHECK(zcc_trainer_save_averages(trainer, path) == ZCC_OK);
  CHECK(zcc_trainer_copy_parameters(evaluated, trainer) == ZCC_OK);
  CHECK(zcc_trainer_load(evaluated, path) == ZCC_OK);
  read_w(evaluated, read);
  CHECK(!memcmp(read, average, sizeof(read)));

  CHECK(zcc_trainer_set_averages(trainer, p->parameter, 1) == ZCC_OK);
  CHECK(zcc_trainer_get_averages(trainer, &out, 1) == ZCC_OK);
  CHECK(!memcmp(average, p->w, sizeof(average)));
  read_w(trainer, read);
  CHECK(!memcmp(read, w, sizeof(read)));
  const char *without = "the program keeps no averages of its parameters; "
                        "compile it with \"ema=DECAY\"";
  REFUSED(zcc_trainer_get_averages(evaluated, &out, 1), ZCC_BAD_INPUT, without);
  REFUSED(zcc_trainer_save_averages(evaluated, path), ZCC_BAD_INPUT, without);
  REFUSED(zcc_trainer_copy_averages(trainer, evaluated), ZCC_BAD_INPUT,
          without);
  REFUSED(zcc_trainer_copy_averages(trainer, trainer), ZCC_BAD_INPUT,
          "trainer and from are the same");
  REFUSED(zcc_trainer_set_averages(evaluated, p->parameter, 1), ZCC_BAD_INPUT,
          "these have no average: w");
  zcc_trainer_close(evaluated);
  zcc_program_close(program);
  zcc_trainer_close(trainer);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  CHECK(zcc_version() == ZCC_VERSION);
  CHECK(!strcmp(zcc_version_text(), "0.1"));
  problem p;
  make_problem(&p);
  const char *options[] = {"mesh=data=2", "optimizer=sgd"};
  zcc_program *program = compile(options, COUNT(options));
  check_descriptions(program);
  const char *rates[] = {"lr=0.1", "momentum=0.5"};
  zcc_trainer *trainer = open_trainer(program, rates, COUNT(rates));
  CHECK(zcc_trainer_set_parameters(trainer, p.parameter, 1) == ZCC_OK);

  /* SGD with momentum: b = momentum b + g; w -= lr b. */
  double w[WIDTH], b[WIDTH] = {0}, g[WIDTH], losses[5], results[6];
  float read[WIDTH];
  for (int k = 0; k < WIDTH; ++k)
    w[k] = p.w[k];
  for (int i = 0; i < 5; ++i) {
    losses[i] = plain_step(&p, w, 0, g);
    for (int k = 0; k < WIDTH; ++k)
      w[k] -= 0.1 * (b[k] = 0.5 * b[k] + g[k]);
    if (i >= 3)
      continue;
    CHECK(zcc_trainer_step(trainer, p.batch, 2, NULL, results) == ZCC_OK);
    CHECK(near(results[0], losses[i]));
    CHECK(results[2] == 0.1 && results[4] == 0 && results[5] > 0);
    read_w(trainer, read);
    for (int k = 0; k < WIDTH; ++k)
      CHECK(near(read[k], w[k]));
  }
  CHECK(losses[2] < losses[0]);
  check_checkpoint(&p, trainer, argv[1], losses);
  check_files(trainer, program, argv[1]);
  check_copies(&p, trainer);
  check_averages(&p, argv[1]);
  check_places(&p);

  /* A rate of its own: nothing moves but the momentum. */
  double none = 0;
  float before[WIDTH];
  read_w(trainer, before);
  CHECK(zcc_trainer_step(trainer, p.batch, 2, &none, results) == ZCC_OK);
  CHECK(near(results[0], losses[3]) && results[2] == 0);
  read_w(trainer, read);
  CHECK(!memcmp(before, read, sizeof(read)));
  CHECK(!strcmp(zcc_trainer_messages(trainer), ""));
  zcc_trainer_close(trainer);
  zcc_program_close(program);
  printf("loss %.6f to %.6f\n", losses[0], losses[2]);
  return 0;
}
