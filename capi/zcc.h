/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * zcc as a library: compiles a loss function to an executable, trains it on
 * ranks that are threads of this process, and reads its parameters back. C11;
 * link with libzcc.so. docs/c.md has an example.
 *
 * Errors. A function that returns a zcc_status returns ZCC_OK, or another value
 * and sets the text of zcc_last_error(). Functions that return a pointer return
 * NULL then. Nothing is printed, and the process is never ended. A null pointer
 * where one is needed is ZCC_BAD_INPUT. What is refused as ZCC_BAD_INPUT leaves
 * its handle as it was, unless its function says otherwise.
 *
 * Handles. A zcc_program never changes: any number of threads may use one. A
 * zcc_trainer takes one call at a time: calls of several threads on it wait for
 * each other. A handle that was closed must not be used again.
 *
 * Memory. Pointers that functions give belong to the handle and live as long as
 * it does, unless it says otherwise. Arrays of the caller are used during the
 * call only. All arrays are row-major without gaps.
 *
 * Options are texts "NAME=VALUE", or "NAME" for a flag, with the names and
 * values of the options of the programs zcc and zrun without their dashes:
 * "mesh=data=2,tensor=2", "exact", "lr=1e-3". An unknown name is refused with
 * the nearest one.
 */
#ifndef ZCC_H
#define ZCC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It rises when a function changes or goes; a
 * library of the same version may have more functions. */
#define ZCC_VERSION 1

/* The interface version of the library, to be compared with ZCC_VERSION. */
int zcc_version(void);
/* The version of zcc, "0.1". It lives as long as the library. */
const char *zcc_version_text(void);

typedef enum zcc_status {
  ZCC_OK = 0,
  ZCC_FAILED = 1,   /* a failure while running: memory, disk, a device */
  ZCC_BAD_INPUT = 2 /* a wrong argument, text, file or call */
} zcc_status;

/* The error of the last call on this thread that had one, without an end of
 * line: lines of text, "" if there was none. It lives until the next call of a
 * function of zcc on this thread. */
const char *zcc_last_error(void);
/* The place of that error in the user's code, "FILE:LINE", if it is an error of
 * a text that says where its operations come from; else "". */
const char *zcc_last_error_place(void);

/* The type of an element, little endian. */
typedef enum zcc_type {
  ZCC_I1 = 1, /* one byte, 0 or 1 */
  ZCC_I8 = 2,
  ZCC_I16 = 3,
  ZCC_I32 = 4,
  ZCC_I64 = 5,
  ZCC_U8 = 6,
  ZCC_U16 = 7,
  ZCC_U32 = 8,
  ZCC_U64 = 9,
  ZCC_F16 = 10,
  ZCC_BF16 = 11,
  ZCC_F32 = 12,
  ZCC_F64 = 13,
  ZCC_F8E4M3FN = 14
} zcc_type;

/* An array by name. */
typedef struct zcc_array {
  const char *name;
  int32_t type;         /* a zcc_type */
  int32_t dims;         /* the number of extents; 0: a scalar */
  const int64_t *shape; /* the extents; may be NULL if dims is 0 */
  void *data;           /* NULL where an array is only described */
} zcc_array;

/* ------------------------------------------------------------- programs */

/* A compiled program, or a plan of one. */
typedef struct zcc_program zcc_program;

/* Compiles a text (StableHLO, as JAX prints a lowered loss) of `length` bytes.
 * `name` stands for its file in messages. Options: those of zcc that say what
 * to compile (mesh, target, optimizer, precision, zero, memory, machine, ...),
 * of which lists may be repeated; "explain=NAME" or "explain=plan", which may
 * be repeated; "compile-threads=N"; and "plan-only": memory and time are
 * planned, and there is no executable. Errors of the text are those of zcc;
 * several threads may compile at once. */
zcc_status zcc_compile(const char *text, size_t length, const char *name,
                       const char *const *options, size_t option_count,
                       zcc_program **program);

/* Opens an executable in memory, which is copied, or in a file. What is
 * truncated, damaged or of another version of the format is ZCC_BAD_INPUT. */
zcc_status zcc_program_open(const void *bytes, size_t length,
                            zcc_program **program);
zcc_status zcc_program_open_file(const char *path, zcc_program **program);

/* Closes it; NULL is ignored. Trainers that were made of it live on. */
void zcc_program_close(zcc_program *program);

/* The bytes of the executable, as in its file. ZCC_BAD_INPUT of a plan. */
zcc_status zcc_program_executable(const zcc_program *program,
                                  const void **bytes, size_t *length);

/* These return texts about a program that zcc_compile() made, and "" for other
 * programs: the report as JSON (predicted memory in bytes, predicted time of a
 * step in seconds, collectives; see --report in docs/zcc.md); the same as a
 * table for people; the explanations that were asked for; warnings and notes,
 * lines of text. */
const char *zcc_program_report(const zcc_program *program);
const char *zcc_program_table(const zcc_program *program);
const char *zcc_program_explanation(const zcc_program *program);
const char *zcc_program_messages(const zcc_program *program);

/* The inputs of a step, with the shape of the whole batch over all ranks; and
 * the parameters and variables, whole, in the type in which files have them. No
 * data. ZCC_BAD_INPUT of a plan. */
zcc_status zcc_program_inputs(const zcc_program *program,
                              const zcc_array **arrays, size_t *count);
zcc_status zcc_program_parameters(const zcc_program *program,
                                  const zcc_array **arrays, size_t *count);
/* The names of the results of a step, in their order: "loss" and the program's
 * metrics; "grad_norm" (before clipping); "lr"; "loss_scale" and "overflow" (1:
 * gradients were not finite, and nothing was updated) of a program that trains;
 * "seconds". Those that a program lacks are not there. ZCC_BAD_INPUT of a plan.
 */
zcc_status zcc_program_results(const zcc_program *program,
                               const char *const **names, size_t *count);

/* ------------------------------------------------------------- trainers */

/* A program with memory, on ranks that are threads of this process. If a call
 * ends with an error while ranks run (a device fails, memory runs out), they
 * cannot go on: each later call on the trainer but zcc_trainer_close() returns
 * ZCC_FAILED, "the trainer cannot be used any more, it has failed: ...". */
typedef struct zcc_trainer zcc_trainer;

/* Allocates the memory of all ranks and starts their threads. Parameters have
 * no values yet, slots of the optimizer their initial ones. Options: those of
 * zrun for updates (lr [1e-3], warmup, decay, min-lr, steps, of which a decay
 * needs the last; b1, b2, eps, weight-decay, momentum, clip-norm; loss-scale;
 * on-nan) and for ranks (threads, watchdog, gpus, collectives, cuda-driver,
 * nccl, cublaslt, cudnn, tune, no-cuda-graphs). ZCC_BAD_INPUT of a plan. */
zcc_status zcc_trainer_open(const zcc_program *program,
                            const char *const *options, size_t option_count,
                            zcc_trainer **trainer);

/* Frees all; NULL is ignored. It waits for calls of other threads, none of
 * which may begin from then on. */
void zcc_trainer_close(zcc_trainer *trainer);

/* Gives all parameters the values of the compiled-in initialization
 * ("init=FILE" of zcc_compile); slots get their initial values, and steps count
 * from 0. */
zcc_status zcc_trainer_initialize(zcc_trainer *trainer, uint64_t seed);

/* Loads parameters from a safetensors file or an index of such files: slots get
 * their initial values, and steps count from 0. Or a checkpoint, from its
 * folder or the newest whole one in a folder of several, with slots and the
 * number of steps if the program trains. Any mesh may have written it. */
zcc_status zcc_trainer_load(zcc_trainer *trainer, const char *path);

/* Sets some or all parameters from arrays with their whole shapes; floats of
 * any type are converted. Other parameters, slots and the number of steps stay.
 */
zcc_status zcc_trainer_set_parameters(zcc_trainer *trainer,
                                      const zcc_array *arrays, size_t count);

/* Writes parameters to the memory of arrays with the types and shapes of
 * zcc_program_parameters(). With master weights it is those. */
zcc_status zcc_trainer_get_parameters(zcc_trainer *trainer,
                                      const zcc_array *arrays, size_t count);

/* Sets all parameters of `trainer` to those of `from`, of a program of the same
 * parameters for as many ranks: to evaluate a program of optimizer "forward",
 * or for gradients of one of optimizer "none", with the parameters that another
 * trains. It waits for calls on both. */
zcc_status zcc_trainer_copy_parameters(zcc_trainer *trainer, zcc_trainer *from);

/* Runs a step on a batch: all inputs, with the types and shapes of
 * zcc_program_inputs(), in any order. Each rank copies its slices from there.
 * `lr`: the learning rate of this step; NULL: by the options of the trainer.
 * `results` gets the values of zcc_program_results(), in that order, and has
 * room for them; NULL: they are not wanted. Integers that exceed the table that
 * they index are ZCC_BAD_INPUT, as are parameters without values.
 *
 * ZCC_FAILED where the loss or the gradients are not finite, unless the trainer
 * was opened with "on-nan=continue"; then `results` is set and the trainer can
 * be used on, though its parameters may not be finite either. */
zcc_status zcc_trainer_step(zcc_trainer *trainer, const zcc_array *inputs,
                            size_t input_count, const double *lr,
                            double *results);

/* The same for a program of optimizer "none", which updates nothing. Gradients,
 * without the loss scale, are written as f32 to the memory of `gradients`, by
 * the names and shapes of parameters; gradients that are not asked for are not
 * written. */
zcc_status zcc_trainer_gradients(zcc_trainer *trainer, const zcc_array *inputs,
                                 size_t input_count, const zcc_array *gradients,
                                 size_t gradient_count, double *results);

/* The number of steps that were done, those before a checkpoint included. */
zcc_status zcc_trainer_steps(zcc_trainer *trainer, int64_t *steps);

/* Writes a checkpoint, as zrun does, to a folder in the folder `path`, which is
 * made if need be; older ones stay. It is whole, or it is not there. A failure
 * leaves the trainer as it was. The program must train. */
zcc_status zcc_trainer_save(zcc_trainer *trainer, const char *path);
/* Writes whole parameters to a safetensors file; likewise. */
zcc_status zcc_trainer_save_parameters(zcc_trainer *trainer, const char *path);

/* Warnings and notes since the last call of this function, lines of text. They
 * live until the next call of it on the trainer. */
const char *zcc_trainer_messages(zcc_trainer *trainer);

#ifdef __cplusplus
}
#endif

#endif
