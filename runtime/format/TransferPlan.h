// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out when the transfers of a stage may move bytes, from the places that
// its action table uses. A receive may be posted once nothing before it uses
// its bytes any more. An action that overwrites the bytes of a send waits until
// the send is received. So stages wait for each other in more ways than by
// their receives. If they would wait forever, since the places of sends and
// receives overlap too much, the send's bytes are copied elsewhere.

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

/// Actions are numbered in the order of the table. Facts about action i, where
/// i may be their number (the end of the step), hold before it begins.
struct TransferPlan {
  /// [i]: receives whose bytes are free from there on, also of steps on other
  /// streams. Each receive is in one of these, at the latest in its own. It may
  /// be posted there, or later, once all sends of awaits[receive] are over.
  std::vector<std::vector<int>> posts;
  /// [i]: sends that must be received before action i, in ascending order: the
  /// action writes some of their bytes, or receives into them, or is the end of
  /// the step.
  std::vector<std::vector<int>> awaits;
  /// Sends whose bytes are copied first, to memory that nobody planned. Only
  /// the end of the step waits for them.
  std::vector<int> kept;
  /// [i], for a transfer: its lane among those between the two stages in this
  /// direction. Messages of one lane are sent and received in the same order,
  /// so that a link without tags can carry them.
  std::vector<int> lanes;
  /// [i], for a receive: the previous one in its lane, which is posted first;
  /// -1: none.
  std::vector<int> previous;
};

/// A sequence of messages from one stage to another.
struct TransferLane {
  int from, to, number;
  bool operator<(const TransferLane &other) const {
    return std::tie(from, to, number) <
           std::tie(other.from, other.to, other.number);
  }
};

/// Plans a stage that is valid by itself, without the others: nothing is kept,
/// and all is one lane that keeps no order.
TransferPlan planTransfers(const format::Stage &stage);

/// Plans all stages, whose transfers match. The action tables are simulated
/// until they end, whatever stage is faster; a run with collectives whose
/// groups span stages waits for the other stages. `circle` (may be null) gets a
/// text that says which stage stops where, if they do not end even with kept
/// sends; else an empty text.
std::vector<TransferPlan> planTransfers(const format::Executable &executable,
                                        std::string *circle = nullptr);

/// All lanes, in an order that is the same on all ranks.
std::set<TransferLane> lanesOf(const format::Executable &executable,
                               const std::vector<TransferPlan> &plans);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_TRANSFERPLAN_H
