// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which order the stages of a pipeline run their tasks: the problem (which
// tasks there are and what they read of each other), the action tables, and the
// verifier, which knows nothing of the generators (ScheduleGenerators.h).
// Their text is in ActionText.h.

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
/// By kind, in the texts and pictures of schedules.
inline constexpr char taskLetters[] = {'F', 'B', 'W'};
/// By what programs and traces call the task; null of any other.
std::optional<StageTaskKind> findTaskKind(std::string_view name);

/// What runs once for each microbatch; one of a kind, stage and chunk.
struct StageTask {
  int64_t stage = 0, chunk = 0;
  StageTaskKind kind = StageTaskKind::Forward;
};

struct ScheduleProblem {
  int64_t stages = 1, microbatches = 1;
  std::vector<StageTask> tasks;
  /// By index: the second task reads what the first one made of the same
  /// microbatch, or passes on; once it was sent, if they are of two stages.
  std::vector<std::pair<size_t, size_t>> reads;

  int64_t chunksOf(int64_t stage) const;
  /// The task's index, or -1.
  int64_t find(int64_t stage, int64_t chunk, StageTaskKind kind) const;
};

/// A model that passes through chunk 0 of all stages in turn, then chunk 1,
/// ..., and back. `splits`: gradients of weights are tasks of their own.
/// `goesBack`: through every second chunk from the last stage to the first.
ScheduleProblem makeChain(int64_t stages, int64_t chunks, int64_t microbatches,
                          bool trains = true, bool splits = false,
                          bool goesBack = false);

struct StageAction {
  enum Kind { Run, Send, Receive };
  Kind kind = Run;
  // That runs; or that made, or reads, what is sent, all of it at once.
  size_t task = 0;
  int64_t microbatch = 0;
  int64_t peer = -1; // of a transfer: the other stage
};
using ActionTable = std::vector<StageAction>; // of a stage, in its order

/// What is wrong with tables, and where.
struct ActionFault {
  int64_t stage = -1;   // -1: of all
  int64_t position = 0; // of the action in its stage's table, from 1; 0: none
  std::string message;

  /// "stage 1, action 3: ...".
  std::string print() const;
};

/// None if playing all tables at once (a receive waits for its send) comes to
/// an end, every task ran once for each microbatch, in ascending order (they
/// add), on its stage and after all that it reads, and every transfer that a
/// reader needs is made once, and no other; else what is wrong. `buffers`: of
/// what one task sends to one stage at most so many microbatches are under way,
/// from the send to the receive; the next send waits. Whether that comes to an
/// end does not depend on who is faster: each waits for one other only.
[[nodiscard]] std::optional<ActionFault>
findFault(const ScheduleProblem &problem,
          const std::vector<ActionTable> &tables,
          int64_t buffers = std::numeric_limits<int64_t>::max());
/// Its text, or empty.
[[nodiscard]] std::string
verifySchedule(const ScheduleProblem &problem,
               const std::vector<ActionTable> &tables,
               int64_t buffers = std::numeric_limits<int64_t>::max());

/// Of how many microbatches at most the first task of a stage has run and the
/// second has not.
int64_t countHeld(const ActionTable &table, size_t first, size_t second);

/// The least such number with which tables that verifySchedule() takes come to
/// an end.
int64_t countBuffers(const ScheduleProblem &problem,
                     const std::vector<ActionTable> &tables);

} // namespace zcc::planning

#endif // ZCC_PLANNING_SCHEDULEPROBLEM_H
