// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport over MPI: messages that do not block, polled. Channels are
// communicators of their own, so that nobody else's tags are met.

#include "runtime/comm/TransportPlugin.h"

#define OMPI_SKIP_MPICXX 1 // the C interface only
#include <mpi.h>
#include <sched.h>
#include <time.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

namespace {

constexpr int channels = 3;

struct Message {
  MPI_Request request = MPI_REQUEST_NULL;
  int bytes = 0;
  bool receives = false, done = false;
  MPI_Status status;
};

MPI_Comm communicators[channels];
std::vector<Message *> unused;
std::atomic<bool> interrupted{false};
bool isOwn = true; // else the program began MPI, and will end it
std::mutex mutex; // MPI takes one call at a time; also of `unused`
thread_local std::string lastFailure;
const ZccTransportHost *host;
ZccTransport table;

void note(const char *what, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  lastFailure = std::string(what) + ": " + text;
}

const char *connect(ZccTransportHost *given) {
  host = given;
  int begun = 0, provided = 0, code = MPI_Initialized(&begun);
  isOwn = !begun;
  code = isOwn ? MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED,
                                 &provided)
               : MPI_Query_thread(&provided);
  if (code != MPI_SUCCESS)
    return "MPI_Init_thread failed";
  if (provided < MPI_THREAD_SERIALIZED)
    return "MPI takes calls of one thread only (MPI_THREAD_SERIALIZED is "
           "needed)";
  // Errors are returned to us, so that messages can name the rank.
  if (isOwn)
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &given->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &given->size);
  for (MPI_Comm &communicator : communicators) {
    code = MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
    if (code != MPI_SUCCESS) {
      note("MPI_Comm_dup", code);
      return lastFailure.c_str();
    }
    MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  }
  int *bound = nullptr, found = 0;
  MPI_Comm_get_attr(communicators[0], MPI_TAG_UB, &bound, &found);
  table.largestTag = found ? uint64_t(*bound) : 32767;
  return nullptr;
}

Message *take(size_t bytes, bool receives) {
  Message *message;
  if (unused.empty()) {
    message = new Message;
  } else {
    message = unused.back();
    unused.pop_back();
  }
  message->bytes = int(bytes);
  message->receives = receives;
  message->done = false;
  return message;
}

void *send(int peer, int channel, uint64_t tag, const void *data,
           size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  Message *message = take(bytes, false);
  int code = MPI_Isend(data, int(bytes), MPI_BYTE, peer, int(tag),
                       communicators[channel], &message->request);
  if (code == MPI_SUCCESS)
    return message;
  note("MPI_Isend", code);
  unused.push_back(message);
  return nullptr;
}

void *receive(int peer, int channel, uint64_t tag, void *data, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  Message *message = take(bytes, true);
  int code = MPI_Irecv(data, int(bytes), MPI_BYTE, peer, int(tag),
                       communicators[channel], &message->request);
  if (code == MPI_SUCCESS)
    return message;
  note("MPI_Irecv", code);
  unused.push_back(message);
  return nullptr;
}

/// Tests the message once. Returns ZccWaitFailed if it cannot come.
int poll(Message *message) {
  if (message->done)
    return ZccWaitDone;
  std::lock_guard<std::mutex> lock(mutex);
  int done = 0;
  int code = MPI_Test(&message->request, &done, &message->status);
  if (code != MPI_SUCCESS) {
    note("MPI_Test", code);
    return ZccWaitFailed;
  }
  message->done = done;
  return done ? ZccWaitDone : ZccWaitInterrupted;
}

int ready(void *opaque) {
  return poll(static_cast<Message *>(opaque)) != ZccWaitInterrupted;
}

int wait(void *opaque) {
  auto *message = static_cast<Message *>(opaque);
  // Spins, then gives the core away, then sleeps: the rank that is waited for
  // may need this very core.
  int64_t spins = host->spins;
  for (int64_t turn = 0;; ++turn) {
    int state = poll(message);
    if (state == ZccWaitFailed)
      return state;
    if (state == ZccWaitDone)
      break;
    if (interrupted.load(std::memory_order_relaxed))
      return ZccWaitInterrupted;
    if (turn >= spins)
      sched_yield();
    if (turn >= spins + 5000) {
      timespec pause{0, 50000};
      nanosleep(&pause, nullptr);
    }
  }
  if (message->receives) {
    int count = 0;
    MPI_Get_count(&message->status, MPI_BYTE, &count);
    if (count != message->bytes) {
      lastFailure = "a message of " + std::to_string(count) +
                    " bytes, expected " + std::to_string(message->bytes);
      return ZccWaitFailed;
    }
  }
  std::lock_guard<std::mutex> lock(mutex);
  unused.push_back(message);
  return ZccWaitDone;
}

void interrupt() { interrupted.store(true); }
void abandon() { interrupted.store(true); } // MPI moves bytes in calls only
const char *failure() { return lastFailure.c_str(); }
void disconnect() {
  if (isOwn)
    MPI_Finalize();
}

} // namespace

extern "C" __attribute__((visibility("default"))) const ZccTransport *
zccTransport() {
  table = {ZCC_TRANSPORT_VERSION,
           "MPI",
           /*findsRanks=*/1,
           32767,
           size_t(1) << 30,
           /*polls=*/1,
           connect,
           send,
           receive,
           ready,
           wait,
           interrupt,
           abandon,
           failure,
           disconnect};
  return &table;
}
