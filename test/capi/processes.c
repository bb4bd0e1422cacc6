/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Trains in several processes that call the library alike, against the same on
 * threads of one process. Usage: processes FOLDER [WHAT], started by a launcher
 * with two processes; FOLDER is for files of the test. WHAT is a way to fail,
 * of rank 1: "exits" leaves between steps, "dies" is killed there, "dies
 * within" is killed while steps run. Or "within MPI": the program itself begins
 * and ends MPI. */
#include "check.h"

#include <mpi.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { STEPS = 4 };

static int rank;

static zcc_program *compile_mesh(const char *mesh, const char *optimizer,
                                 const char *more) {
  const char *options[] = {mesh, optimizer, more};
  return compile(options, more ? 3 : 2);
}

static zcc_trainer *open_started(const zcc_program *program, const char *ranks,
                                 const char *more, problem *p) {
  const char *options[3] = {"lr=0.1"};
  size_t count = 1;
  if (ranks)
    options[count++] = ranks;
  if (more)
    options[count++] = more;
  zcc_trainer *trainer = open_trainer(program, options, count);
  CHECK(zcc_trainer_set_parameters(trainer, p->parameter, 1) == ZCC_OK);
  return trainer;
}

/* The results of a run: losses, and parameters at its end. */
typedef struct left {
  double losses[STEPS];
  float w[WIDTH];
} left;

static void train_steps(zcc_trainer *trainer, const zcc_array *batch,
                        size_t inputs, left *out) {
  double results[6];
  for (int step = 0; step < STEPS; ++step) {
    CHECK(zcc_trainer_step(trainer, batch, inputs, NULL, results) == ZCC_OK);
    out->losses[step] = results[0];
  }
  zcc_array w = {"w", ZCC_F32, 1, shape_w, out->w};
  CHECK(zcc_trainer_get_parameters(trainer, &w, 1) == ZCC_OK);
}

/* The same on threads. */
static left train_alone(const char *mesh, const char *more) {
  problem p;
  make_problem(&p);
  left out;
  zcc_program *program = compile_mesh(mesh, "optimizer=adamw", more);
  zcc_trainer *trainer = open_started(program, "ranks=local", NULL, &p);
  int first, local, ranks;
  CHECK(zcc_trainer_ranks(trainer, &first, &local, &ranks) == ZCC_OK);
  CHECK(first == 0 && local == 2 && ranks == 2);
  train_steps(trainer, p.batch, 2, &out);
  zcc_trainer_close(trainer);
  zcc_program_close(program);
  return out;
}

static void check_training(const char *mesh, const char *more,
                           const char *folder) {
  problem p;
  make_problem(&p);
  left wanted = train_alone(mesh, more), out;
  zcc_program *program = compile_mesh(mesh, "optimizer=adamw", more);
  struct sigaction before, after; /* signals are the program's */
  CHECK(sigaction(SIGTERM, NULL, &before) == 0);
  zcc_trainer *trainer = open_started(program, NULL, NULL, &p);
  CHECK(sigaction(SIGTERM, NULL, &after) == 0);
  CHECK(before.sa_handler == after.sa_handler);
  int first, local, ranks;
  CHECK(zcc_trainer_ranks(trainer, &first, &local, &ranks) == ZCC_OK);
  CHECK(local == 1 && ranks == 2);
  rank = first;
  train_steps(trainer, p.batch, 2, &out);
  CHECK(!memcmp(&out, &wanted, sizeof(out))); /* to the bit */

  /* A checkpoint of both, which both load, as does one process alone. */
  char path[1024];
  snprintf(path, sizeof(path), "%s/%s", folder, mesh);
  CHECK(zcc_trainer_save(trainer, path) == ZCC_OK);
  /* Checkpoints are written while the processes go on. */
  char many[1100];
  snprintf(many, sizeof(many), "%s-many", path);
  for (int i = 0; i < 8; ++i) {
    CHECK(zcc_trainer_begin_save(trainer, many) == ZCC_OK);
    for (int k = 0; k < 4; ++k)
      CHECK(zcc_trainer_step(trainer, p.batch, 2, NULL, NULL) == ZCC_OK);
  }
  CHECK(zcc_trainer_finish_save(trainer) == ZCC_OK);
  char last[1200];
  snprintf(last, sizeof(last), "%s/step-%09d", many, STEPS + 28);
  CHECK(!strcmp(zcc_trainer_last_checkpoint(trainer), last));
  CHECK(zcc_trainer_load(trainer, path) == ZCC_OK);
  /* The times of both are in one trace, which both have. */
  const char *trace;
  CHECK(zcc_trainer_measure(trainer, 1) == ZCC_OK);
  CHECK(zcc_trainer_step(trainer, p.batch, 2, NULL, NULL) == ZCC_OK);
  CHECK(zcc_trainer_measure(trainer, 0) == ZCC_OK);
  CHECK(zcc_trainer_trace(trainer, &trace) == ZCC_OK);
  CHECK(strstr(trace, "\"rank 0\"") && strstr(trace, "\"rank 1\""));
  CHECK(zcc_trainer_load(trainer, path) == ZCC_OK);
  char file[1100];
  snprintf(file, sizeof(file), "%s.safetensors", path);
  CHECK(zcc_trainer_save_parameters(trainer, file) == ZCC_OK);
  CHECK(access(file, R_OK) == 0);
  double next[6], again[6];
  CHECK(zcc_trainer_step(trainer, p.batch, 2, NULL, next) == ZCC_OK);
  CHECK(zcc_trainer_load(trainer, path) == ZCC_OK);
  int64_t steps;
  CHECK(zcc_trainer_steps(trainer, &steps) == ZCC_OK && steps == STEPS);
  CHECK(zcc_trainer_step(trainer, p.batch, 2, NULL, again) == ZCC_OK);
  CHECK(next[0] == again[0] && next[1] == again[1]);
  CHECK(zcc_trainer_load(trainer, file) == ZCC_OK);
  CHECK(zcc_trainer_steps(trainer, &steps) == ZCC_OK && steps == 0);

  /* Parameters reach a program of results, beside it. */
  zcc_program *forward = compile_mesh("mesh=data=2", "optimizer=forward", NULL);
  zcc_trainer *evaluated = open_trainer(forward, NULL, 0);
  CHECK(zcc_trainer_copy_parameters(evaluated, trainer) == ZCC_OK);
  double result[2];
  CHECK(zcc_trainer_step(evaluated, p.batch, 2, NULL, result) == ZCC_OK);
  CHECK(fabs(result[0] - next[0]) < 1e-6);
  zcc_trainer_close(evaluated);
  zcc_program_close(forward);
  zcc_trainer_close(trainer);
  zcc_program_close(program);
}

static void check_gradients(const char *mesh) {
  problem p;
  make_problem(&p);
  float gradients[2][WIDTH] = {{0}, {1}};
  double losses[2];
  for (int i = 0; i < 2; ++i) {
    zcc_program *program = compile_mesh(mesh, "optimizer=none", NULL);
    zcc_trainer *trainer =
        open_trainer(program, (const char *[]){"ranks=local"}, i == 0 ? 1 : 0);
    CHECK(zcc_trainer_set_parameters(trainer, p.parameter, 1) == ZCC_OK);
    zcc_array g = {"w", ZCC_F32, 1, shape_w, gradients[i]};
    double results[6];
    CHECK(zcc_trainer_gradients(trainer, p.batch, 2, &g, 1, results) == ZCC_OK);
    losses[i] = results[0];
    zcc_trainer_close(trainer);
    zcc_program_close(program);
  }
  CHECK(losses[0] == losses[1]);
  CHECK(!memcmp(gradients[0], gradients[1], sizeof(gradients[0])));
}

/* Each process gives its rows only: those of its rank, of each microbatch. */
static void check_local_batch(const char *more, int microbatches) {
  problem p;
  make_problem(&p);
  left wanted = train_alone("mesh=data=2", more), out;
  zcc_program *program = compile_mesh("mesh=data=2", "optimizer=adamw", more);
  zcc_trainer *trainer = open_started(program, NULL, "local-batch", &p);
  const zcc_array *arrays;
  size_t count;
  CHECK(zcc_trainer_inputs(trainer, &arrays, &count) == ZCC_OK && count == 2);
  for (size_t i = 0; i < count; ++i)
    CHECK(arrays[i].shape[0] == ROWS / 2 && !arrays[i].data);
  CHECK(zcc_program_inputs(program, &arrays, &count) == ZCC_OK && count == 2);
  CHECK(arrays[0].shape[0] == ROWS);
  /* Microbatches split the batch first, ranks each of them. */
  float x[ROWS / 2 * WIDTH], t[ROWS / 2];
  const int rows = ROWS / 2 / microbatches;
  for (int m = 0; m < microbatches; ++m)
    for (int i = 0; i < rows; ++i) {
      const int from = (m * 2 + rank) * rows + i, to = m * rows + i;
      memcpy(x + to * WIDTH, p.x + from * WIDTH, WIDTH * sizeof(float));
      t[to] = p.t[from];
    }
  const int64_t half_x[] = {ROWS / 2, WIDTH}, half_t[] = {ROWS / 2};
  zcc_array batch[] = {{"x", ZCC_F32, 2, half_x, x},
                       {"t", ZCC_F32, 1, half_t, t}};
  train_steps(trainer, batch, 2, &out);
  CHECK(!memcmp(&out, &wanted, sizeof(out)));
  REFUSED(zcc_trainer_step(trainer, p.batch, 2, NULL, NULL), ZCC_BAD_INPUT,
          "\"x\": expected f32 [4, 4], found f32 [8, 4]");
  zcc_trainer_close(trainer);
  zcc_program_close(program);
}

/* If one process's call is refused, so are all; nothing has changed. */
static void check_refusals(const char *folder) {
  problem p;
  make_problem(&p);
  zcc_program *program = compile_mesh("mesh=data=2", "optimizer=adamw", NULL);
  zcc_trainer *trainer = NULL;
  const char *wrong = rank == 1 ? "lr=-1" : "lr=1";
  REFUSED(zcc_trainer_open(program, &wrong, 1, &trainer), ZCC_BAD_INPUT,
          rank == 1 ? "--lr: " : "rank 1: --lr: ");
  wrong = rank == 1 ? "lr=0.5" : "lr=1";
  REFUSED(zcc_trainer_open(program, &wrong, 1, &trainer), ZCC_BAD_INPUT,
          "rank 1 calls zcc_trainer_open: of the program ");
  wrong = "ranks=smoke";
  REFUSED(zcc_trainer_open(program, &wrong, 1, &trainer), ZCC_BAD_INPUT,
          "--ranks: expected one of local, mpi, env");
  CHECK(!trainer);
  zcc_program *four = compile_mesh("mesh=data=4", "optimizer=adamw", NULL);
  REFUSED(zcc_trainer_open(four, NULL, 0, &trainer), ZCC_BAD_INPUT,
          "has 4 ranks, started were 2 processes");
  zcc_program_close(four);

  trainer = open_started(program, NULL, NULL, &p);
  double results[6];
  CHECK(zcc_trainer_step(trainer, p.batch, 2, NULL, results) == ZCC_OK);
  const size_t inputs = rank == 1 ? 1 : 2;
  REFUSED(zcc_trainer_step(trainer, p.batch, inputs, NULL, results),
          ZCC_BAD_INPUT,
          rank == 1 ? "the batch: " : "rank 1: the batch: inputs do not fit");
  if (rank == 1)
    REFUSED(zcc_trainer_get_parameters(trainer, NULL, 0), ZCC_BAD_INPUT,
            "rank 1 calls zcc_trainer_get_parameters: of ");
  else
    REFUSED(zcc_trainer_step(trainer, p.batch, 2, NULL, results), ZCC_BAD_INPUT,
            "rank 0 calls zcc_trainer_step");
  /* A program refuses a call before it makes it. */
  if (rank == 1)
    CHECK(zcc_trainer_refuse(trainer, "no batch") == ZCC_OK);
  else
    REFUSED(zcc_trainer_step(trainer, p.batch, 2, NULL, results), ZCC_BAD_INPUT,
            "rank 1: no batch");
  const double rate = rank == 1 ? 0.25 : 0.5;
  REFUSED(zcc_trainer_step(trainer, p.batch, 2, &rate, results), ZCC_BAD_INPUT,
          "rank 1 calls zcc_trainer_step: lr 0.25, rank 0 calls "
          "zcc_trainer_step: lr 0.5");
  char path[1024];
  snprintf(path, sizeof(path), "%s/none", folder);
  REFUSED(zcc_trainer_load(trainer, path), ZCC_BAD_INPUT, "none");
  snprintf(path, sizeof(path), "%s/empty", folder);
  CHECK(mkdir(path, 0777) == 0 || errno == EEXIST);
  REFUSED(zcc_trainer_load(trainer, path), ZCC_BAD_INPUT,
          "no whole checkpoint in this folder");
  REFUSED(zcc_trainer_save(trainer, "/proc/none"), ZCC_BAD_INPUT, "/proc/none");
  /* All of it has changed nothing. */
  int64_t steps;
  CHECK(zcc_trainer_steps(trainer, &steps) == ZCC_OK && steps == 1);
  CHECK(zcc_trainer_step(trainer, p.batch, 2, NULL, results) == ZCC_OK);
  zcc_trainer_close(trainer);
  zcc_program_close(program);
}

/* Rank 1 ends before the others, which hear of it in their next step. */
static int fail(const char *what) {
  problem p;
  make_problem(&p);
  zcc_program *program = compile_mesh("mesh=data=2", "optimizer=adamw", NULL);
  zcc_trainer *trainer = open_started(program, NULL, NULL, &p);
  int first, local, ranks;
  CHECK(zcc_trainer_ranks(trainer, &first, &local, &ranks) == ZCC_OK);
  CHECK(zcc_trainer_step(trainer, p.batch, 2, NULL, NULL) == ZCC_OK);
  if (first == 1 && !strcmp(what, "exits"))
    exit(7);
  if (first == 1 && !strcmp(what, "dies"))
    raise(SIGKILL);
  if (!strcmp(what, "dies within")) {
    /* Mostly within a step. */
    struct itimerval soon = {{0, 0}, {0, 300000}};
    if (first == 1)
      setitimer(ITIMER_REAL, &soon, NULL);
    while (zcc_trainer_step(trainer, p.batch, 2, NULL, NULL) == ZCC_OK)
      continue;
    CHECK(strstr(zcc_last_error(), "rank 1") && first == 0);
  }
  REFUSED(zcc_trainer_step(trainer, p.batch, 2, NULL, NULL), ZCC_FAILED,
          !strcmp(what, "exits")  ? "rank 1 has ended its process"
          : !strcmp(what, "dies") ? "died"
                                  : "rank 1");
  REFUSED(zcc_trainer_step(trainer, p.batch, 2, NULL, NULL), ZCC_FAILED,
          "rank 1");
  zcc_trainer_close(trainer);
  fprintf(stderr, "rank %d ends well\n", first);
  return 0;
}

/* MPI that the program began is used, and stays the program's. */
static int train_within_mpi(const char *folder) {
  int provided, ended;
  CHECK(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) ==
        MPI_SUCCESS);
  check_training("mesh=data=2", NULL, folder);
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Finalized(&ended) == MPI_SUCCESS && !ended);
  MPI_Finalize();
  fprintf(stderr, "rank %d is done\n", rank);
  return 0;
}

int main(int argc, char **argv) {
  CHECK(argc == 2 || argc == 3);
  if (argc == 3 && !strcmp(argv[2], "within MPI"))
    return train_within_mpi(argv[1]);
  if (argc == 3)
    return fail(argv[2]);
  check_training("mesh=data=2", NULL, argv[1]);
  check_training("mesh=tensor=2", "shard=w=tensor", argv[1]);
  check_gradients("mesh=data=2");
  check_local_batch(NULL, 1);
  check_local_batch("microbatches=2", 2);
  check_refusals(argv[1]);
  fprintf(stderr, "rank %d is done\n", rank);
  return 0;
}
