// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the transfers of a stage may move bytes, found once from the places that
// its action table uses: a receive may be posted once nothing before it uses
// its bytes any more, and what overwrites bytes that were sent waits until they
// are received. So stages may wait for each other in more ways than by their
// receives. Where they would for ever, as the places of what is sent and what
// is received leave no room, the bytes of a send are kept elsewhere.

#ifndef ZCC_RUNTIME_FORMAT_TRANSFERPLAN_H
#define ZCC_RUNTIME_FORMAT_TRANSFERPLAN_H

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace zcc::rt {

namespace format {
class Executable;
class Stage;
} // namespace format

/// Actions are numbers, in the order of the table. What is said of action i,
/// with i up to their number (the end of the step), is so before it begins.
struct TransferPlan {
  /// [i]: receives whose bytes are free from there on, also of steps on other
  /// streams; each receive is in one of these, at its own place at the latest.
  /// It may be posted there, or later, once all of awaits[receive] are over.
  std::vector<std::vector<int>> posts;
  /// [i]: sends that have to be received by then, in ascending order: the
  /// action writes some of their bytes, or it is a receive of such bytes, or
  /// the end.
  std::vector<std::vector<int>> awaits;
  /// Sends from memory that nobody planned, to which their bytes are copied
  /// first: only the end waits for them.
  std::vector<int> kept;
  /// [i], of a transfer: its lane among those between the two stages in this
  /// direction. What is in one lane is sent and received in one order, so that
  /// a link without tags can take it.
  std::vector<int> lanes;
  /// [i], of a receive: the one before in its lane, which is posted first; -1:
  /// none.
  std::vector<int> previous;
};

/// Of messages from a stage to another.
struct TransferLane {
  int from, to, number;
  bool operator<(const TransferLane &other) const {
    return std::tie(from, to, number) <
           std::tie(other.from, other.to, other.number);
  }
};

/// Of a stage that is valid by itself; nothing is kept, all is one lane that
/// keeps no order.
TransferPlan planTransfers(const format::Stage &stage);

/// Of all stages, whose transfers match. Their tables are played until they
/// come to an end, whoever is faster. `circle` (may be null) gets which stage
/// stops where if they do not whatever is kept, else an empty text.
std::vector<TransferPlan> planTransfers(const format::Executable &executable,
                                        std::string *circle = nullptr);

/// All that there are, in one order for all.
std::set<TransferLane> lanesOf(const format::Executable &executable,
                               const std::vector<TransferPlan> &plans);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_TRANSFERPLAN_H
