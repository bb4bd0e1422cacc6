// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before, by address: whether of any two accesses to the same byte, one
// of which writes, one is ordered before the other by streams and events. Steps
// are given in the order in which they are enqueued. Within a stream they run
// in that order; a wait is for the last record of an event that was enqueued
// before it, and for nothing if there was none (as cudaStreamWaitEvent has it).
// Vector clocks, a component a stream (Mattern, Virtual Time and Global States
// of Distributed Systems, 1989).

#ifndef ZCC_RUNTIME_FORMAT_ORDERPROOF_H
#define ZCC_RUNTIME_FORMAT_ORDERPROOF_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace zcc::rt {

/// Of a stage.
constexpr uint32_t mostStreams = 64;
constexpr uint32_t mostEvents = 1u << 24;

/// Bytes [begin, end) of the device's arena. Those of the host's come after
/// them, from hostBytes on.
struct ByteAccess {
  uint64_t begin = 0, end = 0;
  bool writes = false; // it may read as well
};

constexpr uint64_t hostBytes = uint64_t(1) << 56;

/// A transport takes the calls of one thread: that of stream 0, or the one that
/// does the work of all others. On GPUs two collectives that run at once could
/// each hold what the other needs on another GPU: all are in one order. It is a
/// byte beyond all arenas.
constexpr uint64_t transportByte = UINT64_MAX - 1;
constexpr ByteAccess useOfTransport(uint32_t stream, bool isOneByOne) {
  return {transportByte, transportByte + 1, stream == 0 || isOneByOne};
}

class OrderProof {
public:
  /// Steps name streams below `streams` and events below `events`.
  OrderProof(size_t streams, size_t events);

  /// A step and the bytes that it would use at the same time as another.
  struct Conflict {
    uint64_t earlier = 0; // as given to step()
    uint64_t begin = 0, end = 0;
    bool earlierWrites = false;
  };

  /// The next step that is enqueued, known as `id`: it waits, accesses and
  /// records. What it conflicts with, if anything.
  std::optional<Conflict> step(uint64_t id, uint32_t stream,
                               const std::vector<uint32_t> &waits,
                               const std::vector<ByteAccess> &accesses,
                               std::optional<uint32_t> event);
  /// What is enqueued on the stream from now on comes after everything so far.
  void join(uint32_t stream);
  /// What is enqueued on any other stream from now on comes after all that the
  /// stream comes after.
  void fork(uint32_t stream);

private:
  using Clock = std::vector<uint64_t>; // steps, by stream
  struct Use {
    uint64_t count = 0; // of the stream's steps; 0: none
    uint64_t id = 0;
  };
  struct Piece {
    uint64_t end;
    uint32_t writer = 0; // stream of the last write
    Use written;
    std::vector<Use> read; // since then, by stream
  };

  /// Cuts the pieces so that one begins at `at`.
  std::map<uint64_t, Piece>::iterator cut(uint64_t at);

  const size_t streams;
  std::vector<Clock> clocks;        // by stream: what is before its next step
  std::vector<Clock> events;        // by event: what is before its record
  std::map<uint64_t, Piece> pieces; // by begin, disjoint
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_ORDERPROOF_H
