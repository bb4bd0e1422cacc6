// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of one launch of a generated kernel, as its code says, and the time
// of that on a device. A launch runs in waves of the blocks that are resident
// together. A wave takes the longest of three times: that of its bytes at the
// memory's bandwidth, that of starting its instructions, and that of the
// longest path through the code of one thread, whose loads wait for each other.
// The last one is Little's law: the bytes that all resident threads have in
// flight, over the latency of a load, bound the bandwidth (Volkov, "Better
// performance at lower occupancy", GTC 2010; Hong, Kim, "An analytical model
// for a GPU architecture with memory-level and thread-level parallelism
// awareness", ISCA 2009, sections 3.2 to 3.4).
#ifndef ZCC_PLANNING_LAUNCHWORK_H
#define ZCC_PLANNING_LAUNCHWORK_H

#include "planning/Machine.h"

namespace zcc::planning {

/// Instructions by the units that execute them; those of f64 are in `doubles`.
struct LaunchInstructions {
  double floats = 0;    // f32: additions, products, multiply-adds
  double integers = 0;  // integers, comparisons, selections, conversions
  double functions = 0; // reciprocals, roots, ...: special function units
  double doubles = 0;
  // Words of 4 bytes, or less, that are loaded from memory or from the block's
  // shared memory, stored, or shuffled.
  double transfers = 0;

  double sum() const {
    return floats + integers + functions + doubles + transfers;
  }
  void add(const LaunchInstructions &other, double times) {
    floats += times * other.floats;
    integers += times * other.integers;
    functions += times * other.functions;
    doubles += times * other.doubles;
    transfers += times * other.transfers;
  }
};

struct LaunchWork {
  double blocks = 0;
  int64_t threads = 0;                    // of a block
  int64_t registers = 0;                  // of a thread, 32 bits each
  double sharedBytes = 0;                 // of a block
  double bytesRead = 0, bytesWritten = 0; // of memory, by the whole launch
  // The longest path through a thread's code. A round is the loads that a
  // thread starts before it waits for the first of them. In `memoryRounds` they
  // wait for the memory, in `cacheRounds` for a cache, since threads have read
  // the same bytes before; `cycles` are those of arithmetic, shared memory and
  // barriers between them.
  double memoryRounds = 0, cacheRounds = 0, cycles = 0;
  LaunchInstructions instructions; // of a thread, on average

  /// Returns the bytes of memory that a thread waits for in a round.
  double bytesInFlight() const {
    double rounds = blocks * static_cast<double>(threads) * memoryRounds;
    return rounds > 0 ? bytesRead / rounds : 0;
  }
};

/// The seconds of a launch, without those to start it.
struct LaunchTime {
  double total = 0;
  // The same if only bytes, instructions or longest paths of all waves counted.
  double memory = 0, issue = 0, path = 0;
  // The share of the blocks for which the device has room that there are.
  double fill = 1;
};

/// Returns the blocks that a multiprocessor has room for at a time; 0 if not
/// even one fits. `sharedBytes` are those of a block.
int64_t residentBlocks(const Multiprocessor &multiprocessor, int64_t threads,
                       int64_t registers, double sharedBytes);

/// Returns the time of a launch on a device of `units` multiprocessors whose
/// memory reaches `bandwidth` bytes a second.
LaunchTime timeLaunch(const LaunchWork &work,
                      const Multiprocessor &multiprocessor, int64_t units,
                      double bandwidth);

} // namespace zcc::planning

#endif
