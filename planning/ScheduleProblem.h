// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which the stages of a pipeline run their tasks: the problem (the
// tasks, and what they read of each other), the action tables, and the
// verifier, which knows nothing of the generators (ScheduleGenerators.h).
// ActionText.h has their text form.

#ifndef ZCC_PLANNING_SCHEDULEPROBLEM_H
#define ZCC_PLANNING_SCHEDULEPROBLEM_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zcc::planning {

enum class StageTaskKind { Forward, Backward, WeightBackward };
/// The letters of the kinds in the texts and pictures of schedules.
inline constexpr char taskLetters[] = {'F', 'B', 'W'};
/// Returns the kind of task that has this name in programs and traces; nullopt
/// for any other name.
std::optional<StageTaskKind> findTaskKind(std::string_view name);

/// A task runs once for each microbatch. There is at most one of a kind, stage
/// and chunk.
struct StageTask {
  int64_t stage = 0, chunk = 0;
  StageTaskKind kind = StageTaskKind::Forward;
};

struct ScheduleProblem {
  int64_t stages = 1, microbatches = 1;
  std::vector<StageTask> tasks;
  /// Pairs of task indices. The second task reads what the first one made, or
  /// passes on, for the same microbatch; if they are on two stages, after it
  /// was sent.
  std::vector<std::pair<size_t, size_t>> reads;

  int64_t chunksOf(int64_t stage) const;
  /// Returns the task's index, or -1.
  int64_t find(int64_t stage, int64_t chunk, StageTaskKind kind) const;
};

/// Returns the problem of a model that passes through chunk 0 of all stages in
/// turn, then chunk 1, ..., and back. `splits`: weights' gradients are separate
/// tasks. `goesBack`: the model passes through every second chunk from the last
/// stage to the first.
ScheduleProblem makeChain(int64_t stages, int64_t chunks, int64_t microbatches,
                          bool trains = true, bool splits = false,
                          bool goesBack = false);

struct StageAction {
  enum Kind { Run, Send, Receive };
  Kind kind = Run;
  // For a run: the task that runs. For a transfer: the task on the sending
  // stage that made or reads the values; all of them are sent at once.
  size_t task = 0;
  int64_t microbatch = 0;
  int64_t peer = -1; // for a transfer: the other stage
};
using ActionTable = std::vector<StageAction>; // of one stage, in order

/// A fault in action tables, and its place.
struct ActionFault {
  int64_t stage = -1;   // -1: the fault is not of one stage
  int64_t position = 0; // of the action in its table, from 1; 0: none
  std::string message;

  /// Returns "stage 1, action 3: ...".
  std::string print() const;
};

/// Returns nullopt if the tables are valid, else the fault. Tables are valid if
/// running them all at once (a receive waits for its send) comes to an end;
/// every task runs once per microbatch, in ascending order (because gradients
/// are accumulated), on its stage and after all that it reads; and exactly the
/// transfers that readers need are made, each once. `buffers`: at most so many
/// microbatches of what one task sends to one stage are under way, from the
/// send to the receive; the next send waits. The result does not depend on the
/// relative speed of stages, because each waits for only one other.
[[nodiscard]] std::optional<ActionFault>
findFault(const ScheduleProblem &problem,
          const std::vector<ActionTable> &tables,
          int64_t buffers = std::numeric_limits<int64_t>::max());
/// Returns the text of the fault, or "".
[[nodiscard]] std::string
verifySchedule(const ScheduleProblem &problem,
               const std::vector<ActionTable> &tables,
               int64_t buffers = std::numeric_limits<int64_t>::max());

/// Returns the most microbatches for which the first task of a stage has run
/// and the second has not.
int64_t countHeld(const ActionTable &table, size_t first, size_t second);

/// Returns the least `buffers` with which tables that verifySchedule() accepts
/// come to an end.
int64_t countBuffers(const ScheduleProblem &problem,
                     const std::vector<ActionTable> &tables);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULEPROBLEM_H
