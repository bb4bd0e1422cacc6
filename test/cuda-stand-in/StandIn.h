// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for libcuda.so.1 in tests: it has the entry points that
// runtime/cuda/Driver.h names, without a GPU. It checks every call: handles,
// sizes within allocations, contexts, launch limits, objects that are left at
// the end. An error is written to stderr, is the text of the error that the
// call returns, and makes the process exit with 86.
//
//  execute Runs images "host" (runtime/format/GpuThread.h). Streams are
//  queues that threads work in an order drawn from the seed: work
//  that events do not order comes in any order.
//  record Executes nothing; copies out yield ones. Takes PTX and cubins, and
//  checks that no use of a byte is unordered after its writer, nor a
//  write after its readers (Order.h).
//
// The streams of a context take turns at the GPU's queues: 8, or as many as
// CUDA_DEVICE_MAX_CONNECTIONS says. A queue keeps the order of enqueueing, and
// its head waits there for what its stream comes after. Record refuses what
// stands in a queue behind a kernel of NCCL's that it need not come after.
//
// A library's first use of an algorithm, a plan or a connection of NCCL's waits
// for all queues of the context, and so do calls that allocate or load. If a
// kernel of NCCL's is in one of them, which waits for other ranks, that is
// refused: it may be a circle.
//
// The variable ZCC_CUDA_STAND_IN, read by cuInit, holds words like
// "mode=record,capability=90":
//
//   mode=execute|record   [execute]
//   capability=N          90: 9.0 [0 in execute, 90 in record]
//   gpus=N                [1]; CUDA_VISIBLE_DEVICES hides some
//   sms=N                 multiprocessors of each [132]
//   peers=0|1             1: each may use the memory of the others [1]
//   cudnn=N[:CUDA]        its version, and the CUDA it is for [91900:12090]
//   nccl=N                its version [22803]
//   memory=BYTES          of each [8 GiB; 1 TiB in record]
//   held=BYTES            of its memory by a context; by a module an eighth
//                         of that [0]
//   others=BYTES          that another process takes when a program first
//                         allocates [0]
//   version=N             of the driver, which refuses newer images [13000]:
//                         cubins of ELF ABI 8 are of 13.0
//   registers=N           of a kernel's thread, where no cubin says it [32]
//   pinned-fills=0|1      1: graphs may fill pinned memory [1]
//   seed=N                of the order [1]
//   threads=N             that work the streams; calls of NCCL take one each
//                         until all ranks have made them [3]
//   kernels=FILE          record: what kernels read and write (KernelFacts.h)
//   fail=CALL:N:CODE      the N-th call of that name returns the code
//   late=N:MS[:COUNT]     the N-th launch takes so long, and those after it
//                         [1 in all]
//   lose=N:CODE           when the N-th launch runs, the context is lost
//   counts=FILE           at the end: how often each call was made, a line each

#ifndef ZCC_TEST_CUDASTANDIN_STANDIN_H
#define ZCC_TEST_CUDASTANDIN_STANDIN_H

#include "runtime/cuda/Driver.h"
#include "test/cuda-stand-in/Order.h"
#include "test/cuda-stand-in/Queues.h"

#include <map>
#include <set>

namespace zcc::rt::cuda {

struct ContextRecord {
  int device = 0;
  std::set<const ContextRecord *> peers; // whose memory its work may use
  int holders = 0;
  int streamsMade = 0;            // ever, with those of libraries
  std::atomic<int> lost{success}; // the error that lost it
};

/// A call that is captured, and what it does when its graph is launched.
struct CapturedCall {
  std::string name;
  std::vector<standin::Order::Use> uses;
  std::function<void()> work;
};

struct GraphRecord {
  ContextRecord *context;
  std::vector<CapturedCall> calls;
};

struct GraphExecutionRecord {
  ContextRecord *context;
  std::vector<CapturedCall> calls;
};

struct StreamRecord {
  ContextRecord *context;
  uint32_t number;                        // among all that ever were
  int queue;                              // of the GPU
  standin::Clock clock;                   // record
  std::unique_ptr<GraphRecord> capture{}; // null: it does what is enqueued
};

struct EventRecord {
  ContextRecord *context;
  bool hasTime;
  std::shared_ptr<standin::Queues::Point> point; // null: never recorded
  standin::Clock clock;                          // record
};

struct ModuleRecord {
  ContextRecord *context;
  int file = -1; // execute: open as long as the object is loaded
  void *handle = nullptr;
  std::string text; // PTX, or a cubin's bytes
  std::map<std::string, std::unique_ptr<FunctionRecord>> functions;
};

struct FunctionRecord {
  ContextRecord *context;
  std::string name;
  void *entry = nullptr;
  int parameters = -1; // -1: unknown
  uint32_t sharedLimit = 48 << 10;
  int registers = 32; // a thread
};

} // namespace zcc::rt::cuda

namespace zcc::standin {

using namespace rt::cuda;

struct Allocation {
  size_t bytes;
  ContextRecord *context;
  bool isPinned; // memory of the host
};

/// A kernel of NCCL's on a stream, which waits there for other ranks.
struct Communication {
  ContextRecord *context;
  uint32_t stream; // its number
  int queue;       // of the GPU
  std::string name;
  std::shared_ptr<std::atomic<bool>> isOver; // execute
  uint32_t count;                            // record: of the stream's calls
};

/// The state of the stand-in. Calls hold the mutex; work that runs does not.
struct State {
  bool isReady = false, isRecording = false;
  int capability = 0, version = 13000, multiprocessors = 132;
  uint64_t memory = 0, held = 0, seed = 1;
  std::vector<int> visible;        // which GPU each is
  int queuesOfGpu = 8;             // that the streams of a context share
  bool connectsPeers = true;       // GPUs may use each other's memory
  bool fillsPinnedInGraphs = true; // or such a call fails
  int registers = 32;              // of a kernel's thread, without a cubin
  uint64_t others = 0;             // bytes that others take at an allocation
  std::string name = "stand-in";   // of GPUs
  size_t cublasLt = 130000;        // its version
  size_t cudnn = 91900;            // likewise
  int cudnnCuda = 12090;           // the CUDA that it is for
  int nccl = 22803;                // likewise
  int algorithms = 1, fastest = 0; // of products; the fastest of them
  std::string failing;             // a call
  int64_t failsAt = 0, failsWith = 0, losesAt = 0, losesWith = 0, lateAt = 0,
          lateBy = 0, lateCount = 1;
  int64_t calls = 0, launches = 0;                      // of `failing`; of all
  std::string countsFile;                               // empty: none
  std::map<std::string, int64_t> counts;                // of calls, by name
  std::vector<std::unique_ptr<ContextRecord>> contexts; // by GPU
  std::map<uint64_t, Allocation> allocations;           // by address
  std::set<StreamRecord *> streams;
  std::set<EventRecord *> events;
  std::set<ModuleRecord *> modules;
  std::set<GraphRecord *> graphs;
  std::set<GraphExecutionRecord *> executions;
  uint32_t streamsEver = 0;
  std::vector<Communication> communications; // perhaps over by now
  std::set<std::pair<ContextRecord *, std::string>> loaded; // at first uses
  std::unique_ptr<Queues> queues; // execute
  std::unique_ptr<Order> order;   // record
};

/// Reads ZCC_CUDA_STAND_IN.
Result configure(State &state);

/// Memory of a GPU: only threads of `queues` may touch it, where the processor
/// knows keys of pages.
void *takePages(size_t bytes);
void givePages(void *at, size_t bytes);
/// Allows the calling thread to touch such memory.
void allowPages();

/// Reads an image into a module, without a context.
Result loadImage(const State &state, const void *image, ModuleRecord &module,
                 std::string &wrong);
/// Null if there is none.
std::unique_ptr<FunctionRecord> findFunction(const State &state,
                                             const ModuleRecord &module,
                                             const std::string &name);

} // namespace zcc::standin

#endif // ZCC_TEST_CUDASTANDIN_STANDIN_H
