// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that streams and events order all conflicting accesses: of any two
// accesses to the same byte, one of which writes, one must happen before the
// other. Steps are given in the order in which they are enqueued. Within a
// stream they run in that order; a wait is for the last record of an event that
// was enqueued before it, and for nothing if there was none (as
// cudaStreamWaitEvent has it). Uses vector clocks with one component for each
// stream (Mattern, Virtual Time and Global States of Distributed Systems,
// 1989).

#ifndef ZCC_RUNTIME_FORMAT_ORDERPROOF_H
#define ZCC_RUNTIME_FORMAT_ORDERPROOF_H

#include "planning/MemorySpace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zcc::rt {

/// Limits of a stage.
constexpr uint32_t mostStreams = 64;
constexpr uint32_t mostEvents = 1u << 24;

/// Bytes [begin, end) of all arenas, where those of a space begin at
/// firstByteOf() it.
struct ByteAccess {
  uint64_t begin = 0, end = 0;
  bool writes = false; // it may read as well
};

/// The distance between the arenas of two spaces.
constexpr uint64_t spaceStride = uint64_t(1) << 56;
constexpr uint64_t firstByteOf(MemorySpace space) {
  return uint64_t(space) * spaceStride;
}
/// Describes such bytes: "bytes 64 to 128", "bytes 0 to 64 of the host".
std::string bytesText(uint64_t begin, uint64_t end);

/// The use of a rank's transport by a collective, as a byte beyond all arenas.
/// A transport takes collectives of one thread: that of stream 0, or the one
/// that does the host work of all other streams. On GPUs two collectives that
/// run at once could each hold resources that the other needs on another GPU,
/// so all of them must be in one order. Transfers between stages do not use it:
/// a transport takes them while another thread is within a collective, and on
/// GPUs a lane and a collective have room beside each other.
constexpr uint64_t transportByte = UINT64_MAX - 1;
constexpr ByteAccess useOfTransport(uint32_t stream, bool isOneByOne) {
  return {transportByte, transportByte + 1, stream == 0 || isOneByOne};
}

class OrderProof {
public:
  /// Steps name streams below `streams` and events below `events`.
  OrderProof(size_t streams, size_t events);

  /// An earlier step, and bytes that it could use at the same time as this one.
  struct Conflict {
    uint64_t earlier = 0; // the id given to step()
    uint64_t begin = 0, end = 0;
    bool earlierWrites = false;
  };

  /// Adds the next step that is enqueued: it waits, accesses, and then records.
  /// Returns a conflict with an earlier step, if there is one.
  std::optional<Conflict> step(uint64_t id, uint32_t stream,
                               const std::vector<uint32_t> &waits,
                               const std::vector<ByteAccess> &accesses,
                               std::optional<uint32_t> event);
  /// Later work on this stream comes after everything enqueued so far.
  void join(uint32_t stream);
  /// Later work on any other stream comes after everything that this stream
  /// comes after.
  void fork(uint32_t stream);

private:
  using Clock = std::vector<uint64_t>; // numbers of steps, by stream
  struct Use {
    uint64_t count = 0; // the step's number in its stream; 0: none
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
  std::vector<Clock> clocks;        // by stream: steps before its next one
  std::vector<Clock> events;        // by event: steps before its record
  std::map<uint64_t, Piece> pieces; // by begin, disjoint
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_ORDERPROOF_H
