// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ActionText.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace zcc::planning {

std::string printTask(const ScheduleProblem &problem, size_t task,
                      int64_t microbatch) {
  const StageTask &own = problem.tasks[task];
  std::string out =
      taskLetters[static_cast<int>(own.kind)] + std::to_string(microbatch);
  return own.chunk ? out + "." + std::to_string(own.chunk) : out;
}

std::string printAction(const ScheduleProblem &problem,
                        const StageAction &action) {
  std::string task = printTask(problem, action.task, action.microbatch);
  if (action.kind == StageAction::Run)
    return task;
  std::string peer = std::to_string(action.peer);
  return action.kind == StageAction::Send ? task + ">" + peer
                                          : peer + ">" + task;
}

std::string printRow(const ScheduleProblem &problem, const ActionTable &table) {
  std::string out;
  for (const StageAction &action : table)
    out += (out.empty() ? "" : " ") + printAction(problem, action);
  return out;
}

std::string printSchedule(const ScheduleProblem &problem,
                          const std::vector<ActionTable> &tables) {
  std::string out;
  for (const ActionTable &table : tables)
    out += printRow(problem, table) + "\n";
  return out;
}

namespace {
/// The meaning of a word, independent of the tasks of the problem.
struct Word {
  StageAction::Kind kind = StageAction::Run;
  StageTaskKind task = StageTaskKind::Forward;
  int64_t microbatch = 0, chunk = 0, peer = -1;
};

/// Reads a number at the front of `text` and removes it.
bool takeNumber(std::string_view &text, int64_t &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0)
    return false;
  text.remove_prefix(end - text.data());
  return true;
}

bool parseWord(std::string_view text, Word &word) {
  word = {};
  if (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    word.kind = StageAction::Receive;
    if (!takeNumber(text, word.peer) || text.empty() || text.front() != '>')
      return false;
    text.remove_prefix(1);
  }
  const char *letter = text.empty() ? std::end(taskLetters)
                                    : std::find(std::begin(taskLetters),
                                                std::end(taskLetters), text[0]);
  if (letter == std::end(taskLetters))
    return false;
  word.task = static_cast<StageTaskKind>(letter - std::begin(taskLetters));
  text.remove_prefix(1);
  if (!takeNumber(text, word.microbatch))
    return false;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    if (!takeNumber(text, word.chunk))
      return false;
  }
  if (!text.empty() && text.front() == '>' && word.kind == StageAction::Run) {
    word.kind = StageAction::Send;
    text.remove_prefix(1);
    if (!takeNumber(text, word.peer))
      return false;
  }
  return text.empty();
}

/// Calls `visit` with each word of the row, its meaning (null if it has none)
/// and its position, until that returns a fault.
template <typename Visit>
std::optional<ActionFault> forEachWord(std::string_view row, Visit visit) {
  for (int64_t position = 1;; ++position) {
    row.remove_prefix(std::min(row.find_first_not_of(" \t"), row.size()));
    if (row.empty())
      return std::nullopt;
    std::string_view text = row.substr(0, row.find_first_of(" \t"));
    row.remove_prefix(text.size());
    Word word;
    bool isWord = parseWord(text, word);
    if (std::optional<ActionFault> fault =
            visit(std::string(text), isWord ? &word : nullptr, position))
      return fault;
  }
}

/// Lists the kinds and chunks of tasks that a stage has: "F, B, F.1 and B.1".
std::string listTasks(const ScheduleProblem &problem, int64_t stage) {
  std::vector<std::string> names;
  for (const StageTask &task : problem.tasks)
    if (task.stage == stage) {
      std::string &name =
          names.emplace_back(1, taskLetters[static_cast<int>(task.kind)]);
      if (task.chunk)
        name += "." + std::to_string(task.chunk);
    }
  std::string out;
  for (size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return out.empty() ? "no task" : out;
}
} // namespace

/// Returns true if the chunk lacks one of the two tasks of a backward pass and
/// has the other, which does the work of both.
static bool isOfOther(const ScheduleProblem &problem, int64_t stage,
                      int64_t chunk, StageTaskKind kind) {
  bool splits = std::any_of(problem.tasks.begin(), problem.tasks.end(),
                            [](const StageTask &task) {
                              return task.kind == StageTaskKind::WeightBackward;
                            });
  return splits && kind != StageTaskKind::Forward &&
         problem.find(stage, chunk, kind) < 0 &&
         problem.find(stage, chunk,
                      kind == StageTaskKind::Backward
                          ? StageTaskKind::WeightBackward
                          : StageTaskKind::Backward) >= 0;
}

std::optional<ActionFault> parseRows(const std::vector<std::string> &rows,
                                     const ScheduleProblem &problem,
                                     std::vector<ActionTable> &tables) {
  tables.assign(rows.size(), {});
  for (size_t i = 0; i < rows.size(); ++i) {
    auto stage = static_cast<int64_t>(i);
    auto add = [&](const std::string &text, const Word *word,
                   int64_t position) -> std::optional<ActionFault> {
      int64_t owner =
          word && word->kind == StageAction::Receive ? word->peer : stage;
      int64_t task =
          word ? problem.find(owner, word->chunk, word->task) : int64_t(-1);
      if (word && word->kind == StageAction::Run &&
          isOfOther(problem, stage, word->chunk, word->task))
        return std::nullopt;
      if (task < 0)
        return ActionFault{stage, position,
                           "expected " + listTasks(problem, owner) +
                               " of stage " + std::to_string(owner) +
                               ", found '" + text + "'"};
      tables[i].push_back({word->kind, static_cast<size_t>(task),
                           word->microbatch, word->peer});
      return std::nullopt;
    };
    if (std::optional<ActionFault> fault = forEachWord(rows[i], add))
      return fault;
  }
  return std::nullopt;
}

std::string parseSchedule(std::string_view text, const ScheduleProblem &problem,
                          std::vector<ActionTable> &tables) {
  std::vector<std::string> rows;
  while (!text.empty()) {
    size_t newline = std::min(text.find('\n'), text.size());
    rows.emplace_back(text.substr(0, newline));
    text.remove_prefix(std::min(newline + 1, text.size()));
  }
  std::optional<ActionFault> fault = parseRows(rows, problem, tables);
  return fault ? fault->print() : "";
}

std::optional<ActionFault> readShape(const std::vector<std::string> &rows,
                                     int64_t microbatches, ActionShape &shape) {
  shape = {};
  auto stages = static_cast<int64_t>(rows.size());
  constexpr int64_t mostChunks = 1024; // as for named schedules
  for (size_t i = 0; i < rows.size(); ++i) {
    auto stage = static_cast<int64_t>(i);
    std::set<int64_t> ran; // microbatches of the second chunk
    auto look = [&](const std::string &text, const Word *word,
                    int64_t position) -> std::optional<ActionFault> {
      auto fault = [&](const std::string &expected) {
        return ActionFault{stage, position,
                           "expected " + expected + ", found '" + text + "'"};
      };
      if (!word)
        return fault(
            "F, B or W with a microbatch as in F2, F2.1, F2>1 or 0>F2");
      if (word->microbatch >= microbatches)
        return fault("a microbatch below " + std::to_string(microbatches));
      if (word->chunk >= mostChunks)
        return fault("a chunk below " + std::to_string(mostChunks));
      if (word->kind != StageAction::Run &&
          (word->peer >= stages || word->peer == stage))
        return fault("another stage below " + std::to_string(stages));
      shape.chunks = std::max(shape.chunks, word->chunk + 1);
      shape.splits |= word->task == StageTaskKind::WeightBackward;
      // If the model goes back, second chunks wait for those of later stages.
      if (word->task == StageTaskKind::Forward && word->chunk == 1) {
        if (word->kind == StageAction::Run)
          ran.insert(word->microbatch);
        shape.goesBack |= word->kind == StageAction::Receive &&
                          word->peer > stage &&
                          ran.count(word->microbatch) == 0;
      }
      return std::nullopt;
    };
    if (std::optional<ActionFault> fault = forEachWord(rows[i], look))
      return fault;
  }
  return std::nullopt;
}

} // namespace zcc::planning
