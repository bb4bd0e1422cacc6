/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * zcc as a library: compiles a loss function to an executable, trains it on
 * ranks that are threads of this process, or processes that call it alike, and
 * reads its parameters back. C11; link with libzcc.so. docs/c.md has an
 * example.
 *
 * Errors. A function that returns a zcc_status returns ZCC_OK, or another value
 * and sets the text of zcc_last_error(). Functions that return a pointer return
 * NULL then. Nothing is printed, and the process is never ended. A null pointer
 * where one is needed is ZCC_BAD_INPUT. A call that is refused with
 * ZCC_BAD_INPUT leaves its handle as it was, unless its function says
 * otherwise.
 *
 * Handles. A zcc_program never changes: any number of threads may use one. A
 * zcc_trainer takes one call at a time: calls of several threads on it wait for
 * each other. A handle that was closed must not be used again.
 *
 * Processes. Where mpirun, srun or torchrun has started several processes, each
 * is one rank, as with zrun, unless a trainer is opened with "ranks=local". All
 * of them then make the same calls on trainers, in the same order, one at a
 * time; zcc_trainer_close(), _steps(), _inputs(), _ranks(), _finish_save(),
 * _last_checkpoint(), _measure(), _view() and _messages() are each process's
 * own. Results, parameters and gradients are the same in all. If the call of
 * one process is refused with ZCC_BAD_INPUT, the calls of all are, with the
 * rank of that process, and trainers stay as they were. The same holds if
 * processes make different calls. A failure while ranks run, or a process that
 * dies or ends before the others, ends the run in all of them: calls return
 * ZCC_FAILED. A process whose call does not come back 5 seconds later (in a
 * driver, say) is ended with status 1 and a message. At its exit a process
 * waits for the others, unless the run has failed. MPI that the program itself
 * began is used, and left to it, and must allow MPI_THREAD_SERIALIZED.
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

/* An option that a function takes, without dashes. */
typedef struct zcc_option {
  const char *name;
  int32_t is_flag; /* 1: it takes no value */
  int32_t is_list; /* 1: it may be repeated */
} zcc_option;

/* The options of zcc_compile() and those of zcc_trainer_open(). They live as
 * long as the library. */
const zcc_option *zcc_compile_options(size_t *count);
const zcc_option *zcc_trainer_options(size_t *count);

/* ------------------------------------------------------------- programs */

/* A compiled program, or a plan of one. */
typedef struct zcc_program zcc_program;

/* Compiles a text (StableHLO, as JAX prints a lowered loss) of `length` bytes.
 * `name` stands for its file in messages. Options: those of zcc that say what
 * to compile (mesh, target, optimizer, precision, zero, memory, machine, ...),
 * of which lists may be repeated; "explain=NAME" or "explain=plan", which may
 * be repeated; "compile-threads=N"; "plan-only": memory and time are planned,
 * and there is no executable; and, as flags, the options of zcc that write
 * documents, for zcc_program_document(). Errors of the text are those of zcc;
 * several threads may compile at once. */
zcc_status zcc_compile(const char *text, size_t length, const char *name,
                       const char *const *options, size_t option_count,
                       zcc_program **program);

/* Opens an executable in memory, which is copied, or in a file. One that is
 * truncated, damaged or of another version of the format is ZCC_BAD_INPUT. */
zcc_status zcc_program_open(const void *bytes, size_t length,
                            zcc_program **program);
zcc_status zcc_program_open_file(const char *path, zcc_program **program);

/* Closes it; NULL is ignored. Trainers that were made of it live on. */
void zcc_program_close(zcc_program *program);

/* The bytes of the executable, as in its file. A plan has none: ZCC_BAD_INPUT.
 */
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

/* A document that zcc_compile() was asked for by the flag of that name, as zcc
 * writes it to a file: "trace" (the predicted step, Chrome's format),
 * "memory-plot" (SVG), "draw" (the schedule of a pipeline's stages, SVG),
 * "buffers" (CSV), "plan-out", "page" (HTML; its empty element
 * <script type="application/json" id="measured"></script> takes a trace of
 * zrun or of zcc_trainer_trace(), with \u003c for <, which it shows beside the
 * predicted one). "" if the program has no such document: it was not asked for,
 * or the program has a single stage and no schedule. Other names are
 * ZCC_BAD_INPUT. */
const char *zcc_program_document(const zcc_program *program, const char *name);

/* The inputs of a step, with the shape of the whole batch over all ranks; and
 * the parameters and variables, whole, in the type in which files have them.
 * The arrays have no data. A key of random numbers is not among the inputs: the
 * trainer makes it. For a plan, these functions and the next three return
 * ZCC_BAD_INPUT. */
zcc_status zcc_program_inputs(const zcc_program *program,
                              const zcc_array **arrays, size_t *count);
zcc_status zcc_program_parameters(const zcc_program *program,
                                  const zcc_array **arrays, size_t *count);
/* Those of the parameters that have an average ("ema=DECAY" of zcc_compile()),
 * with the type and shape of the parameter, and without data; other programs
 * have none. */
zcc_status zcc_program_averages(const zcc_program *program,
                                const zcc_array **arrays, size_t *count);
/* The arrays that a step of a program of optimizer "forward" returns beside its
 * numbers, in their order, with their whole shapes, and without data; other
 * programs have none. */
zcc_status zcc_program_outputs(const zcc_program *program,
                               const zcc_array **arrays, size_t *count);
/* The names of the results of a step, in their order: "loss" and the program's
 * metrics; "grad_norm" (before clipping); "lr"; "loss_scale" and "overflow" (1:
 * gradients were not finite, and nothing was updated) of a program that trains;
 * "seconds". Those that a program lacks are not there. */
zcc_status zcc_program_results(const zcc_program *program,
                               const char *const **names, size_t *count);

/* ------------------------------------------------------------- trainers */

/* A program with memory, on the ranks of this process. If a call
 * ends with an error while ranks run (a device fails, memory runs out), they
 * cannot go on: each later call on the trainer but zcc_trainer_close() returns
 * ZCC_FAILED, "the trainer cannot be used any more, it has failed: ...". */
typedef struct zcc_trainer zcc_trainer;

/* Allocates the memory of all ranks and starts their threads. Parameters have
 * no values yet, slots of the optimizer their initial ones. Options: those of
 * zrun for updates (lr [1e-3], warmup, decay, min-lr, steps, of which a decay
 * needs the last; b1, b2, eps, weight-decay, momentum, clip-norm; loss-scale;
 * on-nan), for keys of random numbers (key-seed=N [0]: the key of step t is
 * jax.random.fold_in(jax.random.key(N), t), counted from 1; that of a program
 * of optimizer "forward" is the one of t = 0) and for ranks (threads, watchdog,
 * gpus, collectives, cuda-driver, nccl, cublaslt, cudnn, cuda-libraries, tune,
 * no-cuda-graphs).
 * "ranks=local|mpi|env" says what ranks are (threads; processes of MPI, or of
 * the variables RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT) [found from the
 * environment, else local]; the libraries of transports, libzcc-mpi.so and
 * libzcc-gloo.so, lie beside libzcc.so or in ../bin. With "local-batch" each
 * process gives steps only what its rank reads: zcc_trainer_inputs().
 * ZCC_BAD_INPUT of a plan, and if the mesh has another number of ranks than
 * processes were started. */
zcc_status zcc_trainer_open(const zcc_program *program,
                            const char *const *options, size_t option_count,
                            zcc_trainer **trainer);

/* Frees all; NULL is ignored. It waits for calls of other threads, none of
 * which may begin from then on. */
void zcc_trainer_close(zcc_trainer *trainer);

/* The ranks of this process, of `ranks` in all: `local_ranks` of them from
 * `first_rank` on. All of them, or one if ranks are processes; the process of
 * rank 0 may speak for all. */
zcc_status zcc_trainer_ranks(zcc_trainer *trainer, int *first_rank,
                             int *local_ranks, int *ranks);

/* Says, in the place of the next call that all processes make on trainers, that
 * this process refuses to make it, and why: its batch cannot be read, say. The
 * other processes' call is then ZCC_BAD_INPUT with this reason and the rank,
 * and nothing has changed: all may go on with the next call. It waits for the
 * other processes to make their call. It does nothing if the ranks are threads
 * of this process. ZCC_FAILED if the run has failed. */
zcc_status zcc_trainer_refuse(zcc_trainer *trainer, const char *reason);

/* The inputs of a step, without data: those of zcc_program_inputs(), unless
 * ranks are processes and the trainer was opened with "local-batch". Then they
 * are those that the rank of this process reads, with the shape of its slice.
 * The slice of a dim is a range of it, as sharding says; or, where the dim is
 * split over microbatches, the ranges of all of them one after the other.
 * Ranks that only differ along axes that do not shard an input give the same.
 */
zcc_status zcc_trainer_inputs(zcc_trainer *trainer, const zcc_array **arrays,
                              size_t *count);

/* Gives all parameters the values of the compiled-in initialization
 * ("init=FILE" of zcc_compile); slots get their initial values, and steps count
 * from 0. */
zcc_status zcc_trainer_initialize(zcc_trainer *trainer, uint64_t seed);

/* Loads parameters from a safetensors file, an index of such files or a folder
 * with model.safetensors, its index or adapter_model.safetensors: slots get
 * their initial values, and steps count from 0. Or a checkpoint, from its
 * folder or the newest whole one in a folder of several, with slots and the
 * number of steps if the program trains. Any mesh may have written it. */
zcc_status zcc_trainer_load(zcc_trainer *trainer, const char *path);

/* Loads `count` parameters from tensors of such a file, index or folder under
 * other names: parameters[i] is in tensors[i], with the same shape; floats of
 * any type are converted, and each rank reads its slices only. A tensor may be
 * there for several parameters. Other parameters stay as they are; slots get
 * their initial values, and steps count from 0. */
zcc_status zcc_trainer_load_tensors(zcc_trainer *trainer, const char *path,
                                    const char *const *parameters,
                                    const char *const *tensors, size_t count);

/* Sets some or all parameters from arrays with their whole shapes; floats of
 * any type are converted. Other parameters, slots and the number of steps stay.
 * The averages of the parameters that are set begin anew before the first step,
 * and stay after it. */
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

/* The same three of the averages of parameters, for a program that keeps some:
 * zcc_program_averages(). A parameter that is not trained has no average: it is
 * read and copied as it is, and setting its average is ZCC_BAD_INPUT. They are
 * read in the types of zcc_program_parameters(). Averages are f32 where the
 * parameter has a narrower type. zcc_trainer_copy_averages() sets all
 * parameters of `trainer` to the averages that `from` keeps. */
zcc_status zcc_trainer_set_averages(zcc_trainer *trainer,
                                    const zcc_array *arrays, size_t count);
zcc_status zcc_trainer_get_averages(zcc_trainer *trainer,
                                    const zcc_array *arrays, size_t count);
zcc_status zcc_trainer_copy_averages(zcc_trainer *trainer, zcc_trainer *from);

/* Runs a step on a batch: all inputs, with the types and shapes of
 * zcc_trainer_inputs(), in any order. Each rank copies its slices from there;
 * of a program of "inputs=caller" it reads those in place that lie there in one
 * piece, at a multiple of their element's bytes and of 4. So arrays must stay
 * as they are until the call returns, and are the caller's again then. A key of
 * random numbers (ZCC_U32 [2]) that is given by its name is used in place of
 * the trainer's; a program without one ignores an array "key" of that type and
 * shape. `lr`: the learning rate of this step; NULL: by the options of
 * the trainer. `results` gets the values of zcc_program_results(), in that
 * order, and has room for them; NULL: they are not wanted. Integers that exceed
 * the table that they index are ZCC_BAD_INPUT, as are parameters without
 * values.
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
 * written, those of parameters that are not trained are zeros. */
zcc_status zcc_trainer_gradients(zcc_trainer *trainer, const zcc_array *inputs,
                                 size_t input_count, const zcc_array *gradients,
                                 size_t gradient_count, double *results);

/* The same for a program of optimizer "forward", which has no gradients. The
 * arrays that it returns are written to the memory of `outputs`, with the
 * names, types and shapes of zcc_program_outputs(); those that are not asked
 * for are not written. ZCC_FAILED where the loss, if there is one, is not
 * finite; then `outputs` are set, too. */
zcc_status zcc_trainer_evaluate(zcc_trainer *trainer, const zcc_array *inputs,
                                size_t input_count, const zcc_array *outputs,
                                size_t output_count, double *results);

/* The number of steps that were done, those before a checkpoint included. */
zcc_status zcc_trainer_steps(zcc_trainer *trainer, int64_t *steps);

/* Writes a checkpoint, as zrun does, to a folder in the folder `path`, which is
 * made if need be; older ones stay. It is whole, or it is not there. A failure
 * leaves the trainer as it was. The program must train. */
zcc_status zcc_trainer_save(zcc_trainer *trainer, const char *path);
/* The same, but it returns when the values are copied in memory, and a thread
 * writes them while the trainer goes on. The next zcc_trainer_begin_save(),
 * _save() or _load() waits for it and returns its error, if it has one, in
 * place of doing anything. */
zcc_status zcc_trainer_begin_save(zcc_trainer *trainer, const char *path);
/* Waits for the checkpoint that is being written, and returns its error;
 * ZCC_OK if there is none. zcc_trainer_close() waits, too, and is silent. A
 * process that ends without either leaves no half checkpoint, and perhaps none.
 */
zcc_status zcc_trainer_finish_save(zcc_trainer *trainer);
/* The folder of the last checkpoint that was written (and waited for), or else
 * that was loaded: PATH/step-000000010. "" if there is none. It lives until the
 * next call on the trainer. */
const char *zcc_trainer_last_checkpoint(zcc_trainer *trainer);
/* Writes whole parameters, or their averages, to a safetensors file; likewise.
 */
zcc_status zcc_trainer_save_parameters(zcc_trainer *trainer, const char *path);
zcc_status zcc_trainer_save_averages(zcc_trainer *trainer, const char *path);

/* Makes the steps from here on be measured (1), or no longer (0). A step that
 * is not measured takes no longer for it; on GPUs one that is starts each
 * kernel by itself. */
zcc_status zcc_trainer_measure(zcc_trainer *trainer, int measured);
/* The times of the last step that was measured, of all ranks, as JSON in
 * Chrome's trace format, as zrun --trace writes it; "" if there was none. It
 * lives until the next call of this function on the trainer. */
zcc_status zcc_trainer_trace(zcc_trainer *trainer, const char **trace);

/* Describes a parameter where it lies, `data` included, with the type that it
 * has there; it is not copied. Steps, loads and sets change it, nobody else
 * may, and it goes with the trainer. ZCC_BAD_INPUT, with the reason, if none of
 * this process's ranks has the whole parameter in the host's memory;
 * zcc_trainer_get_parameters() has a copy. The description lives until the next
 * call of this function on the trainer. */
zcc_status zcc_trainer_view(zcc_trainer *trainer, const char *name,
                            const zcc_array **array);

/* Warnings and notes since the last call of this function, lines of text. They
 * live until the next call of it on the trainer. */
const char *zcc_trainer_messages(zcc_trainer *trainer);

#ifdef __cplusplus
}
#endif

#endif
