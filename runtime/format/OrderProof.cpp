// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/OrderProof.h"

#include "runtime/format/Text.h"

#include <algorithm>

namespace zcc::rt {

std::string bytesText(uint64_t begin, uint64_t end) {
  auto space = static_cast<MemorySpace>(begin / spaceStride);
  std::string out =
      text("bytes ", begin % spaceStride, " to ", end % spaceStride);
  return space == MemorySpace::Device ? out
                                      : text(out, " of the ", nameOf(space));
}

OrderProof::OrderProof(size_t streams, size_t events)
    : streams(streams), clocks(streams, Clock(streams)), events(events) {}

std::map<uint64_t, OrderProof::Piece>::iterator OrderProof::cut(uint64_t at) {
  auto next = pieces.lower_bound(at);
  if (next == pieces.begin() || (next != pieces.end() && next->first == at))
    return next;
  auto before = std::prev(next);
  if (before->second.end <= at)
    return next;
  Piece rest = before->second;
  before->second.end = at;
  return pieces.emplace_hint(next, at, std::move(rest));
}

std::optional<OrderProof::Conflict> OrderProof::step(
    uint64_t id, uint32_t stream, const std::vector<uint32_t> &waits,
    const std::vector<ByteAccess> &accesses, std::optional<uint32_t> event) {
  Clock &now = clocks[stream];
  for (uint32_t wait : waits)
    for (size_t s = 0; s < events[wait].size(); ++s)
      now[s] = std::max(now[s], events[wait][s]);
  ++now[stream];
  std::optional<Conflict> conflict;
  for (const ByteAccess &access : accesses) {
    if (access.begin >= access.end)
      continue;
    auto at = cut(access.begin);
    cut(access.end);
    uint64_t covered = access.begin;
    auto collide = [&](uint64_t begin, const Piece &piece, const Use &use,
                       bool writes) {
      if (!conflict)
        conflict = Conflict{use.id, begin, piece.end, writes};
    };
    // Bytes without a piece were never used.
    auto add = [&](uint64_t begin, uint64_t end) {
      Piece fresh{end, 0, {}, std::vector<Use>(streams)};
      return pieces.emplace_hint(at, begin, std::move(fresh));
    };
    while (covered < access.end) {
      if (at == pieces.end() || at->first > covered) {
        uint64_t end =
            at == pieces.end() ? access.end : std::min(access.end, at->first);
        at = add(covered, end);
      }
      Piece &piece = at->second;
      if (piece.written.count > now[piece.writer])
        collide(at->first, piece, piece.written, true);
      if (access.writes) {
        for (size_t s = 0; s < streams; ++s)
          if (piece.read[s].count > now[s])
            collide(at->first, piece, piece.read[s], false);
        piece.writer = stream;
        piece.written = {now[stream], id};
        std::fill(piece.read.begin(), piece.read.end(), Use());
      } else {
        piece.read[stream] = {now[stream], id};
      }
      covered = piece.end;
      ++at;
    }
  }
  if (event)
    events[*event] = now;
  return conflict;
}

void OrderProof::join(uint32_t stream) {
  Clock &now = clocks[stream];
  for (size_t s = 0; s < streams; ++s)
    now[s] = std::max(now[s], clocks[s][s]);
}

void OrderProof::fork(uint32_t stream) {
  const Clock from = clocks[stream];
  for (Clock &clock : clocks)
    for (size_t s = 0; s < streams; ++s)
      clock[s] = std::max(clock[s], from[s]);
}

} // namespace zcc::rt
