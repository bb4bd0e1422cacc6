/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Everything wrong that a caller can say is an error with a text, and leaves
 * handles as they were. Usage: refusals FOLDER, for files of the test. */
#include "check.h"

#include <math.h>

static void refused_text(const char *text, const char *const *options,
                         size_t count, const char *says) {
  zcc_program *program = (zcc_program *)1;
  REFUSED(
      zcc_compile(text, strlen(text), "loss.mlir", options, count, &program),
      ZCC_BAD_INPUT, says);
  CHECK(!program);
}

static void refused_option(const char *option, const char *says) {
  refused_text(loss_text, &option, 1, says);
}

static void check_texts(void) {
  refused_text("", NULL, 0, "loss.mlir");
  refused_text("no module at all", NULL, 0, "loss.mlir:1:1: error: ");
  CHECK(!strcmp(zcc_last_error_place(), "loss.mlir:1"));
  refused_text("module { func.func @main( }", NULL, 0, "error: ");
  refused_text("module {\n func.func public @main(%a: tensor<2xf32>) -> "
               "tensor<2xf32> {\n return %a : tensor<2xf32>\n }\n}\n",
               NULL, 0, "error: ");
  char zeros[64] = {0};
  zcc_program *program;
  REFUSED(zcc_compile(zeros, sizeof(zeros), "zeros", NULL, 0, &program),
          ZCC_BAD_INPUT, "zeros");
  refused_option("mesch=2", "no option is called \"mesch\"; did you mean "
                            "'mesh'?");
  refused_option("mesh=data=two", "--mesh");
  refused_option("mesh", "--mesh: expected a value");
  refused_option("exact=yes", "--exact: expected no value, found yes");
  refused_option("optimizer=adam", "adamw");
  refused_option("disable=fusion", "--disable: no optimization is called");
  refused_option("memory=1B", "memory: a device needs ");
  refused_option("compile-threads=0", "--compile-threads: expected an integer");
  refused_option("machine=none-such", "none-such");
  refused_option("", "no option is called \"\"");
  /* The place of an error is of the call that had one. */
  CHECK(!strcmp(zcc_last_error_place(), ""));
}

static void check_nulls(const zcc_program *program, zcc_trainer *trainer) {
  zcc_program *made;
  zcc_trainer *opened;
  const void *bytes;
  const zcc_array *arrays;
  const char *const *names;
  const char *no_option[] = {NULL};
  size_t size;
  int64_t steps;
  REFUSED(zcc_compile(NULL, 1, "n", NULL, 0, &made), ZCC_BAD_INPUT, "text: ");
  REFUSED(zcc_compile("", 0, NULL, NULL, 0, &made), ZCC_BAD_INPUT, "name: ");
  REFUSED(zcc_compile("", 0, "n", NULL, 0, NULL), ZCC_BAD_INPUT, "program: ");
  REFUSED(zcc_compile("", 0, "n", NULL, 1, &made), ZCC_BAD_INPUT, "options: ");
  REFUSED(zcc_compile("", 0, "n", no_option, 1, &made), ZCC_BAD_INPUT,
          "options[0]: expected a pointer, found NULL");
  REFUSED(zcc_program_open(NULL, 1, &made), ZCC_BAD_INPUT, "bytes: ");
  REFUSED(zcc_program_open("", 0, NULL), ZCC_BAD_INPUT, "program: ");
  REFUSED(zcc_program_open_file(NULL, &made), ZCC_BAD_INPUT, "path: ");
  REFUSED(zcc_program_executable(NULL, &bytes, &size), ZCC_BAD_INPUT,
          "program: ");
  REFUSED(zcc_program_executable(program, NULL, &size), ZCC_BAD_INPUT,
          "bytes: ");
  REFUSED(zcc_program_inputs(NULL, &arrays, &size), ZCC_BAD_INPUT, "program: ");
  REFUSED(zcc_program_inputs(program, NULL, &size), ZCC_BAD_INPUT, "arrays: ");
  REFUSED(zcc_program_parameters(program, &arrays, NULL), ZCC_BAD_INPUT,
          "count: ");
  REFUSED(zcc_program_results(program, &names, NULL), ZCC_BAD_INPUT, "count: ");
  CHECK(!zcc_program_report(NULL));
  CHECK(strstr(zcc_last_error(), "program: "));
  CHECK(!zcc_program_document(NULL, "trace"));
  CHECK(strstr(zcc_last_error(), "program: "));
  CHECK(!zcc_program_document(program, NULL));
  CHECK(strstr(zcc_last_error(), "name: "));
  CHECK(!zcc_program_document(program, "tracer"));
  CHECK(strstr(zcc_last_error(), "no document is called \"tracer\"; did you "
                                 "mean 'trace'?"));
  CHECK(!strcmp(zcc_program_document(program, "trace"), "")); /* not asked for */
  CHECK(!zcc_compile_options(NULL) && strstr(zcc_last_error(), "count: "));
  CHECK(!zcc_trainer_options(NULL) && strstr(zcc_last_error(), "count: "));
  CHECK(!zcc_program_table(NULL) && !zcc_program_explanation(NULL) &&
        !zcc_program_messages(NULL));
  REFUSED(zcc_trainer_open(NULL, NULL, 0, &opened), ZCC_BAD_INPUT, "program: ");
  REFUSED(zcc_trainer_open(program, NULL, 0, NULL), ZCC_BAD_INPUT, "trainer: ");
  REFUSED(zcc_trainer_initialize(NULL, 0), ZCC_BAD_INPUT, "trainer: ");
  REFUSED(zcc_trainer_load(NULL, "x"), ZCC_BAD_INPUT, "trainer: ");
  REFUSED(zcc_trainer_load(trainer, NULL), ZCC_BAD_INPUT, "path: ");
  REFUSED(zcc_trainer_load_tensors(NULL, "x", NULL, NULL, 0), ZCC_BAD_INPUT,
          "trainer: ");
  REFUSED(zcc_trainer_load_tensors(trainer, NULL, NULL, NULL, 0), ZCC_BAD_INPUT,
          "path: ");
  REFUSED(zcc_trainer_set_parameters(trainer, NULL, 1), ZCC_BAD_INPUT,
          "arrays: ");
  REFUSED(zcc_trainer_get_parameters(NULL, NULL, 0), ZCC_BAD_INPUT,
          "trainer: ");
  REFUSED(zcc_trainer_copy_parameters(trainer, NULL), ZCC_BAD_INPUT, "from: ");
  REFUSED(zcc_program_averages(program, NULL, &size), ZCC_BAD_INPUT,
          "arrays: ");
  REFUSED(zcc_trainer_get_averages(NULL, NULL, 0), ZCC_BAD_INPUT, "trainer: ");
  REFUSED(zcc_trainer_set_averages(NULL, NULL, 0), ZCC_BAD_INPUT, "trainer: ");
  REFUSED(zcc_trainer_save_averages(trainer, NULL), ZCC_BAD_INPUT, "path: ");
  REFUSED(zcc_trainer_copy_averages(trainer, NULL), ZCC_BAD_INPUT, "from: ");
  REFUSED(zcc_trainer_copy_parameters(NULL, trainer), ZCC_BAD_INPUT,
          "trainer: ");
  REFUSED(zcc_trainer_step(NULL, NULL, 0, NULL, NULL), ZCC_BAD_INPUT,
          "trainer: ");
  REFUSED(zcc_trainer_step(trainer, NULL, 2, NULL, NULL), ZCC_BAD_INPUT,
          "inputs: ");
  REFUSED(zcc_trainer_gradients(NULL, NULL, 0, NULL, 0, NULL), ZCC_BAD_INPUT,
          "trainer: ");
  REFUSED(zcc_trainer_steps(trainer, NULL), ZCC_BAD_INPUT, "steps: ");
  REFUSED(zcc_trainer_steps(NULL, &steps), ZCC_BAD_INPUT, "trainer: ");
  REFUSED(zcc_trainer_save(trainer, NULL), ZCC_BAD_INPUT, "path: ");
  REFUSED(zcc_trainer_begin_save(trainer, NULL), ZCC_BAD_INPUT, "path: ");
  REFUSED(zcc_trainer_finish_save(NULL), ZCC_BAD_INPUT, "trainer: ");
  CHECK(!zcc_trainer_last_checkpoint(NULL));
  REFUSED(zcc_trainer_measure(NULL, 1), ZCC_BAD_INPUT, "trainer: ");
  REFUSED(zcc_trainer_trace(trainer, NULL), ZCC_BAD_INPUT, "trace: ");
  REFUSED(zcc_trainer_refuse(NULL, "x"), ZCC_BAD_INPUT, "trainer: ");
  REFUSED(zcc_trainer_refuse(trainer, NULL), ZCC_BAD_INPUT, "reason: ");
  CHECK(zcc_trainer_refuse(trainer, "alone") == ZCC_OK);
  REFUSED(zcc_trainer_view(trainer, NULL, NULL), ZCC_BAD_INPUT, "name: ");
  REFUSED(zcc_trainer_view(trainer, "w", NULL), ZCC_BAD_INPUT, "array: ");
  REFUSED(zcc_trainer_save_parameters(NULL, "x"), ZCC_BAD_INPUT, "trainer: ");
  CHECK(!zcc_trainer_messages(NULL));
  zcc_program_close(NULL);
  zcc_trainer_close(NULL);
  CHECK(!strcmp(zcc_last_error(), ""));
}

/* Every way to cut or change the bytes of an executable. */
static void check_bytes(const zcc_program *program, const char *folder) {
  const void *bytes;
  size_t length;
  CHECK(zcc_program_executable(program, &bytes, &length) == ZCC_OK);
  unsigned char *copy = malloc(length + 1);
  memcpy(copy, bytes, length);
  copy[length] = 0;
  zcc_program *made;
  REFUSED(zcc_program_open(NULL, 0, &made), ZCC_BAD_INPUT,
          "not a zcc executable");
  REFUSED(zcc_program_open("text, no executable", 19, &made), ZCC_BAD_INPUT,
          "not a zcc executable");
  for (size_t cut = 1; cut < length; cut = cut < 64 ? cut + 1 : cut * 2)
    REFUSED(zcc_program_open(copy, length - cut, &made), ZCC_BAD_INPUT, "");
  for (size_t keep = 0; keep < 64; ++keep)
    REFUSED(zcc_program_open(copy, keep, &made), ZCC_BAD_INPUT, "");
  REFUSED(zcc_program_open(copy, length - 1, &made), ZCC_BAD_INPUT,
          "truncated: ");
  REFUSED(zcc_program_open(copy, length + 1, &made), ZCC_BAD_INPUT,
          "after the end");
  for (size_t at = 0; at < length; at += at < 48 ? 1 : 997) {
    copy[at] ^= 0x10;
    REFUSED(zcc_program_open(copy, length, &made), ZCC_BAD_INPUT, "");
    CHECK(!made);
    copy[at] ^= 0x10;
  }
  copy[8] += 1; /* the version */
  REFUSED(zcc_program_open(copy, length, &made), ZCC_BAD_INPUT,
          "compiled by a newer zcc");
  char path[1024];
  snprintf(path, sizeof(path), "%s/newer.zexe", folder);
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(copy, 1, length, file) == length && !fclose(file));
  REFUSED(zcc_program_open_file(path, &made), ZCC_BAD_INPUT, path);
  CHECK(strstr(zcc_last_error(), "compiled by a newer zcc"));
  REFUSED(zcc_program_open_file("/none/such", &made), ZCC_BAD_INPUT,
          "/none/such: cannot read: No such file");
  REFUSED(zcc_program_open_file(folder, &made), ZCC_BAD_INPUT,
          "cannot read: Is a directory");
  free(copy);
}

static void check_plan(void) {
  const char *options[] = {"plan-only", "mesh=data=2", "explain=plan"};
  zcc_program *plan = compile(options, COUNT(options));
  zcc_trainer *trainer;
  const void *bytes;
  const zcc_array *arrays;
  size_t size;
  CHECK(strstr(zcc_program_report(plan), "\"memory\""));
  CHECK(strlen(zcc_program_explanation(plan)) > 0);
  REFUSED(zcc_program_executable(plan, &bytes, &size), ZCC_BAD_INPUT,
          "compile it without plan-only");
  REFUSED(zcc_program_inputs(plan, &arrays, &size), ZCC_BAD_INPUT,
          "compile it without plan-only");
  REFUSED(zcc_trainer_open(plan, NULL, 0, &trainer), ZCC_BAD_INPUT,
          "compile it without plan-only");
  zcc_program_close(plan);
}

static void refused_trainer(const zcc_program *program, const char *option,
                            const char *says) {
  zcc_trainer *trainer = (zcc_trainer *)1;
  REFUSED(zcc_trainer_open(program, &option, 1, &trainer), ZCC_BAD_INPUT, says);
  CHECK(!trainer);
}

static void check_trainer_options(const zcc_program *program) {
  refused_trainer(program, "lrr=1", "did you mean 'lr'?");
  refused_trainer(program, "lr=-1", "--lr: expected a number of at least");
  refused_trainer(program, "lr=fast", "--lr: expected a number, found 'fast'");
  refused_trainer(program, "lr", "--lr: expected a value");
  refused_trainer(program, "b1=0.9",
                  "--b1: an executable of optimizer sgd does not read it");
  refused_trainer(program, "momentum=nan", "--momentum: expected a number");
  refused_trainer(program, "decay=fast", "--decay: expected one of none");
  refused_trainer(program, "decay=cosine", "--decay needs --steps");
  refused_trainer(program, "loss-scale=-1", "--loss-scale: expected a number");
  refused_trainer(program, "loss-scale=dynamic:0.5",
                  "--loss-scale: a dynamic scale begins at 1 or more");
  refused_trainer(program, "on-nan=ignore", "--on-nan: expected one of stop");
  refused_trainer(program, "threads=0", "--threads: expected an integer");
  refused_trainer(program, "gpus=1,1", "--gpus: GPU 1 twice");
  refused_trainer(program, "no-cuda-graphs=1", "expected no value");
}

static void check_arrays(const problem *p, zcc_trainer *trainer) {
  int64_t longer[] = {WIDTH + 1}, negative[] = {-1},
          huge[] = {(int64_t)1 << 40, (int64_t)1 << 40};
  float room[WIDTH + 1] = {0};
  zcc_array array = p->parameter[0];
#define WITH(member, value, status, says)                                      \
  do {                                                                         \
    zcc_array changed = array;                                                 \
    changed.member = value;                                                    \
    REFUSED(zcc_trainer_set_parameters(trainer, &changed, 1), status, says);   \
    changed.data = changed.data ? room : NULL;                                 \
    REFUSED(zcc_trainer_get_parameters(trainer, &changed, 1), status, says);   \
  } while (0)
  WITH(name, NULL, ZCC_BAD_INPUT, "arrays[0].name: ");
  WITH(name, "v", ZCC_BAD_INPUT, "v");
  WITH(type, 0, ZCC_BAD_INPUT, "expected a zcc_type, found 0");
  WITH(type, 77, ZCC_BAD_INPUT, "expected a zcc_type, found 77");
  WITH(type, ZCC_I32, ZCC_BAD_INPUT, "f32");
  WITH(dims, -1, ZCC_BAD_INPUT, "expected a number of extents, found -1");
  WITH(dims, 0, ZCC_BAD_INPUT, "[]");
  WITH(shape, NULL, ZCC_BAD_INPUT, "shape: ");
  WITH(shape, longer, ZCC_BAD_INPUT, "[5]");
  WITH(shape, negative, ZCC_BAD_INPUT, "no array has the shape [-1]");
  WITH(data, NULL, ZCC_BAD_INPUT, "data: ");
#undef WITH
  zcc_array large = {"w", ZCC_F32, 2, huge, room};
  REFUSED(zcc_trainer_set_parameters(trainer, &large, 1), ZCC_BAD_INPUT,
          "no array has the shape");
  zcc_array twice[] = {array, array};
  REFUSED(zcc_trainer_set_parameters(trainer, twice, 2), ZCC_BAD_INPUT,
          "a second array of this name");
}

static void check_batches(const problem *p, zcc_trainer *trainer) {
  zcc_array batch[3];
  int64_t short_rows[] = {ROWS / 2, WIDTH};
#define BATCH(count, says)                                                     \
  REFUSED(zcc_trainer_step(trainer, batch, count, NULL, NULL), ZCC_BAD_INPUT,  \
          says)
  memcpy(batch, p->batch, sizeof(p->batch));
  BATCH(1, "\"t\": expected f32 [8], not found");
  batch[0].shape = short_rows;
  BATCH(2, "\"x\": expected f32 [8, 4], found f32 [4, 4]");
  batch[0] = p->batch[0];
  batch[0].type = ZCC_I32;
  BATCH(2, "\"x\": expected f32 [8, 4], found i32 [8, 4]");
  batch[0].type = ZCC_F16;
  BATCH(2, "\"x\": expected f32, found f16");
  batch[0] = p->batch[0];
  batch[2] = p->batch[1];
  batch[2].name = "z";
  BATCH(3, "no input is called \"z\"");
  batch[2].name = "t";
  BATCH(3, "a second array of this name");
#undef BATCH
  double rate = -1;
  REFUSED(zcc_trainer_step(trainer, p->batch, 2, &rate, NULL), ZCC_BAD_INPUT,
          "lr: expected a number of at least");
  rate = NAN;
  REFUSED(zcc_trainer_step(trainer, p->batch, 2, &rate, NULL), ZCC_BAD_INPUT,
          "lr: expected a number");
}

static void check_files(zcc_trainer *trainer, const char *folder) {
  char path[1024];
  REFUSED(zcc_trainer_load(trainer, "/none/such"), ZCC_BAD_INPUT, "/none/such");
  REFUSED(zcc_trainer_load(trainer, folder), ZCC_BAD_INPUT,
          "no whole checkpoint in this folder");
  snprintf(path, sizeof(path), "%s/text.safetensors", folder);
  FILE *file = fopen(path, "wb");
  CHECK(file && fputs("this is no file of tensors", file) >= 0);
  CHECK(!fclose(file));
  REFUSED(zcc_trainer_load(trainer, path), ZCC_BAD_INPUT, path);
  REFUSED(zcc_trainer_save(trainer, path), ZCC_BAD_INPUT, path);
  REFUSED(zcc_trainer_save_parameters(trainer, "/none/such/file"),
          ZCC_BAD_INPUT, "/none/such/file");
  REFUSED(zcc_trainer_initialize(trainer, 1), ZCC_BAD_INPUT,
          "compile it with \"init=FILE\"");
}

/* A loss that is not a number is told, and the trainer can be used on. */
static void check_nan(const problem *p, const zcc_program *program) {
  problem bad = *p;
  make_problem(&bad);
  bad.t[3] = NAN;
  double results[6];
  zcc_trainer *trainer = open_trainer(program, NULL, 0);
  CHECK(zcc_trainer_set_parameters(trainer, p->parameter, 1) == ZCC_OK);
  REFUSED(zcc_trainer_step(trainer, bad.batch, 2, NULL, results), ZCC_FAILED,
          "step 1: the loss is NaN");
  CHECK(isnan(results[0]));
  CHECK(zcc_trainer_set_parameters(trainer, p->parameter, 1) == ZCC_OK);
  CHECK(zcc_trainer_step(trainer, p->batch, 2, NULL, results) == ZCC_OK);
  CHECK(isfinite(results[0]));
  zcc_trainer_close(trainer);
  const char *options[] = {"on-nan=continue"};
  trainer = open_trainer(program, options, COUNT(options));
  CHECK(zcc_trainer_set_parameters(trainer, p->parameter, 1) == ZCC_OK);
  CHECK(zcc_trainer_step(trainer, bad.batch, 2, NULL, results) == ZCC_OK);
  CHECK(isnan(results[0]));
  zcc_trainer_close(trainer);
}

static void check_copies(zcc_trainer *trainer) {
  const char *options[] = {"optimizer=forward"};
  zcc_program *program = compile(options, COUNT(options));
  zcc_trainer *other = open_trainer(program, NULL, 0);
  REFUSED(zcc_trainer_copy_parameters(other, trainer), ZCC_BAD_INPUT,
          "is for 1 ranks");
  REFUSED(zcc_trainer_save(other, "/tmp"), ZCC_BAD_INPUT,
          "these parameters have no values yet: w");
  zcc_trainer_close(other);
  zcc_program_close(program);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  CHECK(!strcmp(zcc_last_error(), ""));
  problem p;
  make_problem(&p);
  const char *options[] = {"mesh=data=2", "optimizer=sgd"};
  check_texts();
  zcc_program *program = compile(options, COUNT(options));
  zcc_trainer *trainer = open_trainer(program, NULL, 0);
  float room[WIDTH];
  zcc_array out = {"w", ZCC_F32, 1, shape_w, room};
  REFUSED(zcc_trainer_step(trainer, p.batch, 2, NULL, NULL), ZCC_BAD_INPUT,
          "these parameters have no values yet: w");
  REFUSED(zcc_trainer_get_parameters(trainer, &out, 1), ZCC_BAD_INPUT,
          "these parameters have no values yet: w");
  CHECK(zcc_trainer_set_parameters(trainer, p.parameter, 1) == ZCC_OK);
  check_nulls(program, trainer);
  check_bytes(program, argv[1]);
  check_plan();
  check_trainer_options(program);
  check_arrays(&p, trainer);
  check_batches(&p, trainer);
  check_files(trainer, argv[1]);
  check_copies(trainer);
  check_nan(&p, program);
  REFUSED(zcc_trainer_gradients(trainer, p.batch, 2, NULL, 0, NULL),
          ZCC_BAD_INPUT, "expected optimizer=none");
  /* After all of that it trains, from the parameters that it had. */
  double results[6];
  int64_t steps;
  CHECK(zcc_trainer_get_parameters(trainer, &out, 1) == ZCC_OK);
  CHECK(!memcmp(room, p.w, sizeof(room)));
  CHECK(zcc_trainer_steps(trainer, &steps) == ZCC_OK && steps == 0);
  CHECK(zcc_trainer_step(trainer, p.batch, 2, NULL, results) == ZCC_OK);
  CHECK(isfinite(results[0]));
  zcc_trainer_close(trainer);
  zcc_program_close(program);
  return 0;
}
