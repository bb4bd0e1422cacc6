// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks chains, and verifies their schedules by a replay.
#include "planning/ChainProblem.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace zcc::planning {

std::string checkChain(const ChainProblem &problem) {
  // Sums and differences of bytes stay within 64 bits.
  constexpr int64_t most = int64_t(1) << 60;
  constexpr double longest = 1e30;
  std::string error;
  int64_t total = 0;
  auto bytes = [&](int64_t value, const std::string &at) {
    if (!error.empty())
      return;
    if (value < 0)
      error = fmt::format("{}: expected at least 0, found {}", at, value);
    else if (value > most - total)
      error = at + ": the bytes of all are more than 2^60 together";
    else
      total += value;
  };
  auto seconds = [&](double value, const std::string &at) {
    if (error.empty() && !(value >= 0 && value <= longest))
      error = fmt::format("{}: expected 0 to {}, found {}", at, longest, value);
  };
  size_t n = problem.nodes.size();
  if (n == 0 || n > mostChainNodes)
    return fmt::format("nodes: expected 1 to {}, found {}", mostChainNodes, n);
  bytes(problem.inputBytes, "input_bytes");
  for (size_t i = 0; i < n; ++i) {
    const ChainNode &node = problem.nodes[i];
    std::string at = fmt::format("nodes[{}]", i);
    seconds(node.forwardSeconds, at + ".fwd_time");
    bytes(node.activationBytes, at + ".activation_bytes");
    bytes(node.gradientBytes, at + ".gradient_bytes");
    bytes(node.forwardTransientBytes, at + ".forward_transient_bytes");
    if (error.empty() && node.options.empty())
      error = at + ".options: expected at least one";
    for (size_t o = 0; o < node.options.size(); ++o) {
      const ChainOption &option = node.options[o];
      std::string own = fmt::format("{}.options[{}]", at, o);
      bytes(option.savedBytes, own + ".saved_bytes");
      seconds(option.extraSeconds, own + ".extra_time");
      bytes(option.forwardTransientBytes, own + ".forward_transient_bytes");
      bytes(option.backwardTransientBytes, own + ".backward_transient_bytes");
    }
  }
  const ChainNode &last = problem.nodes.back();
  if (error.empty() && (last.activationBytes || last.gradientBytes))
    error = fmt::format(
        "nodes[{}].{}: expected 0, found {}: the last node "
        "makes the loss",
        n - 1, last.activationBytes ? "activation_bytes" : "gradient_bytes",
        std::max(last.activationBytes, last.gradientBytes));
  return error;
}

static std::string text(const ChainAction &action) {
  std::string out = fmt::format("{} {}", "FBD"[action.kind], action.node);
  return action.option < 0 ? out : fmt::format("{} {}", out, action.option);
}

namespace {
// The state of the chain between two actions.
class Replay {
public:
  explicit Replay(const ChainProblem &problem)
      : problem(problem), n(problem.nodes.size()), isThere(n + 1),
        saved(n + 1, -1), runs(n + 1), next(n), held(problem.inputBytes) {
    isThere[0] = true;
  }

  double extra = 0;
  int64_t peak = 0;
  size_t nextBackward() const { return next; }

  // Performs an action. Returns what is wrong with it, or "".
  std::string act(const ChainAction &action) {
    size_t i = action.node;
    if (i < 1 || i > n)
      return fmt::format("there are {} nodes", n);
    if (action.kind == ChainAction::Drop) {
      if (!isThere[i])
        return fmt::format("x_{} is not there", i);
      drop(i);
      return "";
    }
    if (!isThere[i - 1])
      return fmt::format("x_{} is not there", i - 1);
    int options = static_cast<int>(problem.nodes[i - 1].options.size());
    if (action.option >= options ||
        action.option < (action.kind == ChainAction::Backward ? 0 : -1))
      return fmt::format("node {} has {} options", i, options);
    return action.kind == ChainAction::Forward ? forward(i, action.option)
                                               : backward(i, action.option);
  }

private:
  std::string forward(size_t i, int number) {
    const ChainNode &node = problem.nodes[i - 1];
    if (isThere[i])
      return fmt::format("x_{} is there", i);
    if (i == n && runs[n])
      return "the last node runs twice";
    if (i > next)
      return fmt::format("B {} has run", i);
    if (saved[i] >= 0)
      return fmt::format("node {} has saved for option {}", i, saved[i]);
    int64_t transient = node.forwardTransientBytes;
    if (number >= 0) {
      if (node.options[number].savedBytes == 0)
        return fmt::format("option {} saves nothing", number);
      transient = node.options[number].forwardTransientBytes;
      held += node.options[number].savedBytes;
      saved[i] = number;
    }
    if (runs[i]++)
      extra += node.forwardSeconds;
    isThere[i] = true;
    held += node.activationBytes;
    peak = std::max(peak, held + transient);
    return "";
  }

  std::string backward(size_t i, int number) {
    const ChainNode &node = problem.nodes[i - 1];
    const ChainOption &option = node.options[number];
    if (i != next)
      return next ? fmt::format("expected B {}", next) : "all have run";
    if (!runs[i] && i == n)
      return fmt::format("F {} has not run", i);
    if (option.savedBytes && saved[i] != number)
      return fmt::format("nothing is saved for option {}", number);
    int64_t made = i > 1 ? problem.nodes[i - 2].gradientBytes : 0;
    held += made;
    peak = std::max(peak, held + option.backwardTransientBytes);
    held -= node.gradientBytes;
    if (saved[i] >= 0)
      held -= node.options[saved[i]].savedBytes;
    saved[i] = -1;
    extra += option.extraSeconds;
    next = i - 1;
    if (i > 1)
      drop(i - 1);
    if (i == n)
      isThere[n] = false;
    return "";
  }

  void drop(size_t i) {
    isThere[i] = false;
    held -= problem.nodes[i - 1].activationBytes;
  }

  const ChainProblem &problem;
  size_t n;
  std::vector<bool> isThere; // x_i
  std::vector<int> saved;    // the option that node i saved for, or -1
  std::vector<unsigned> runs;
  size_t next; // the node whose backward run is next
  int64_t held;
};
} // namespace

std::string verifyChain(const ChainProblem &problem,
                        const ChainSchedule &schedule, int64_t budget) {
  Replay replay(problem);
  for (size_t a = 0; a < schedule.actions.size(); ++a)
    if (std::string wrong = replay.act(schedule.actions[a]); !wrong.empty())
      return fmt::format("action {}, {}: {}", a + 1, text(schedule.actions[a]),
                         wrong);
  if (replay.nextBackward())
    return fmt::format("B {} never runs", replay.nextBackward());
  if (replay.peak > budget)
    return fmt::format("the peak is {} bytes, the budget {}", replay.peak,
                       budget);
  if (replay.peak != schedule.peakBytes)
    return fmt::format("the peak is {} bytes, the schedule says {}",
                       replay.peak, schedule.peakBytes);
  if (std::abs(replay.extra - schedule.extraSeconds) > 1e-9 * replay.extra)
    return fmt::format("the extra time is {}, the schedule says {}",
                       replay.extra, schedule.extraSeconds);
  return "";
}

std::string printChainSchedule(const ChainProblem &problem,
                               const ChainSchedule &schedule) {
  std::string out = fmt::format("extra {} peak {}\n", schedule.extraSeconds,
                                schedule.peakBytes);
  for (ChainAction action : schedule.actions) {
    if (action.kind == ChainAction::Backward &&
        problem.nodes[action.node - 1].options.size() == 1)
      action.option = -1; // no choice
    out += text(action) + "\n";
  }
  return out;
}

} // namespace zcc::planning
