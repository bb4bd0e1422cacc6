// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a library that moves bytes between processes, as a table of
// C functions. Each transport is a library of its own, opened at run time, so
// that zrun needs neither MPI nor Gloo to start and nothing of their C++
// crosses the border.
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

/// The settings that zrun gives a transport. They outlive the connection.
struct ZccTransportHost {
  int rank, size;      // set by connect() of one that finds ranks
  const char *address; // at which others reach this process; may be null
  int spins;           // polls before the core is given away; may change
  /// Collects `bytes` of every rank, in rank order; 0 if all went well. Null if
  /// the transport needs no help to connect.
  int (*allGather)(void *context, const void *mine, size_t bytes, void *all);
  void *context;
};

struct ZccTransport {
  uint32_t version;
  const char *name;
  /// Nonzero if connect() finds out rank and size by itself, before zrun knows
  /// where the others are. The transport then carries the address at which the
  /// processes meet.
  int findsRanks;
  uint64_t largestTag;
  size_t largestMessage;
  /// Nonzero if ready() may be called for any message, at any time, and moves
  /// bytes. Otherwise ready() is only for messages that end in the order in
  /// which it is called for them.
  int polls;

  /// Connects. Returns null, or the text of an error.
  const char *(*connect)(struct ZccTransportHost *host);
  /// Begins a message; null if it cannot. `data` must not change until wait().
  void *(*send)(int peer, int channel, uint64_t tag, const void *data,
                size_t bytes);
  void *(*receive)(int peer, int channel, uint64_t tag, void *data,
                   size_t bytes);
  /// Returns nonzero if wait() would return at once.
  int (*ready)(void *message);
  /// Waits for a message and frees it. Returns ZccWaitDone, ...
  int (*wait)(void *message);
  /// Ends all waits, now and later. Called by any thread.
  void (*interrupt)(void);
  /// Called when the run failed. Returns when the transport will not touch the
  /// memory of any message again, so that it may be freed. No message begins
  /// after it, and waits are interrupted.
  void (*abandon)(void);
  /// The text of the last failure.
  const char *(*failure)(void);
  /// Called by all ranks together, when no message is under way.
  void (*disconnect)(void);
};

typedef const struct ZccTransport *(*ZccTransportFunction)(void);

#ifdef __cplusplus
}
#endif

#endif // ZCC_RUNTIME_COMM_TRANSPORTPLUGIN_H
