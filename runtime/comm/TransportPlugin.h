// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves bytes between processes, as a table of C functions: a library of
// its own for each transport, opened at run time, so that zrun needs neither
// MPI nor Gloo to start and nothing of their C++ crosses the border.
//
// Two threads may make calls at the same time: one is within a collective, the
// other begins and ends transfers; a message is one thread's. Messages with the
// same peer, channel and tag arrive in the order in which they were sent.

#ifndef ZCC_RUNTIME_COMM_TRANSPORTPLUGIN_H
#define ZCC_RUNTIME_COMM_TRANSPORTPLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZCC_TRANSPORT_VERSION 4
#define ZCC_TRANSPORT_SYMBOL "zccTransport"

enum { ZccWaitDone = 0, ZccWaitInterrupted = 1, ZccWaitFailed = 2 };

/// What zrun tells a transport. Outlives the connection.
struct ZccTransportHost {
  int rank, size;      // set by connect() of one that finds ranks
  const char *address; // that others reach this process at; may be null
  int spins;           // polls before the core is given away; may change
  /// Collects `bytes` of every rank, in rank order; 0 if all went well. Null
  /// where the transport needs no help to connect.
  int (*allGather)(void *context, const void *mine, size_t bytes, void *all);
  void *context;
};

struct ZccTransport {
  uint32_t version;
  const char *name;
  /// Whether connect() finds out rank and size by itself, before zrun knows
  /// where the others are: it then carries the address at which they meet.
  int findsRanks;
  uint64_t largestTag;
  size_t largestMessage;
  /// Whether ready() may be asked of any message, at any time, and moves bytes.
  /// Else it is for messages that end in the order in which they are asked
  /// about.
  int polls;

  /// Null, or what went wrong.
  const char *(*connect)(struct ZccTransportHost *host);
  /// Begins a message; null if it cannot. `data` stays as it is until wait().
  void *(*send)(int peer, int channel, uint64_t tag, const void *data,
                size_t bytes);
  void *(*receive)(int peer, int channel, uint64_t tag, void *data,
                   size_t bytes);
  /// Whether wait() would return at once.
  int (*ready)(void *message);
  /// Waits for a message and forgets it: ZccWaitDone, ...
  int (*wait)(void *message);
  /// Ends all waits, now and later. Called by any thread.
  void (*interrupt)(void);
  /// The run failed. Returns when nothing here will touch the memory of any
  /// message again, so that it may go. No message begins after it, and waits
  /// are interrupted.
  void (*abandon)(void);
  /// The text of the last failure.
  const char *(*failure)(void);
  /// All ranks together, when no message is under way.
  void (*disconnect)(void);
};

typedef const struct ZccTransport *(*ZccTransportFunction)(void);

#ifdef __cplusplus
}
#endif

#endif // ZCC_RUNTIME_COMM_TRANSPORTPLUGIN_H
