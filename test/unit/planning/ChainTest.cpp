// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains: references, a search through all persistent schedules of small ones,
// bounds of long ones, and the verifier (which must see every mistake).
#include "planning/ChainSolver.h"
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

using namespace zcc::planning;

namespace {

// Dijkstra's algorithm over all sets of values that may exist between two
// actions. A value is kept until its backward run, or read by the next action
// and dropped. Beside saved values, the input is kept and, unless the backward
// run comes next, the output.
class AllSchedules {
public:
  AllSchedules(const ChainProblem &problem, int64_t budget)
      : problem(problem), n(problem.nodes.size()), budget(budget) {}

  std::optional<double> least() {
    State start;
    start.backward = n;
    start.kept.assign(n + 1, false);
    start.kept[0] = true;
    start.saved.assign(n + 1, -1);
    reach(start, 0);
    while (!open.empty()) {
      auto [seconds, state] = *open.begin();
      open.erase(open.begin());
      if (state.backward == 0)
        return seconds;
      for (size_t i = 1; i <= state.backward; ++i)
        forward(state, seconds, i);
      backward(state, seconds);
    }
    return std::nullopt;
  }

private:
  struct State {
    size_t backward = 0; // next
    size_t passing = 0;  // x_i that the next action reads
    size_t known = 0;    // nodes that have run
    std::vector<bool> kept;
    std::vector<int> saved;
    bool operator<(const State &o) const {
      return std::tie(backward, passing, known, kept, saved) <
             std::tie(o.backward, o.passing, o.known, o.kept, o.saved);
    }
  };

  int64_t activation(size_t i) const {
    return i ? problem.nodes[i - 1].activationBytes : problem.inputBytes;
  }
  int64_t gradient(size_t i) const {
    return i ? problem.nodes[i - 1].gradientBytes : 0;
  }
  int64_t held(const State &state) const {
    int64_t out = gradient(state.backward);
    for (size_t i = 0; i <= n; ++i) {
      if (state.kept[i] || (i && state.passing == i))
        out += activation(i);
      if (state.saved[i] >= 0)
        out += problem.nodes[i - 1].options[state.saved[i]].savedBytes;
    }
    return out;
  }

  void reach(const State &state, double seconds) {
    auto [at, isNew] = best.try_emplace(state, seconds);
    if (!isNew && at->second <= seconds)
      return;
    at->second = seconds;
    open.insert({seconds, state});
  }

  void forward(const State &state, double seconds, size_t i) {
    if (state.passing ? state.passing != i - 1 : !state.kept[i - 1])
      return;
    if (state.kept[i] || (i == n && state.known == n))
      return;
    const ChainNode &node = problem.nodes[i - 1];
    if (state.known >= i)
      seconds += node.forwardSeconds;
    State next = state;
    next.known = std::max(state.known, i);
    next.passing = 0;
    int64_t during = held(state) + activation(i);
    if (during + node.forwardTransientBytes <= budget) {
      State passes = next, keeps = next;
      keeps.kept[i] = true;
      passes.passing = i < n ? i : 0;
      if (i < state.backward)
        reach(keeps, seconds), reach(passes, seconds);
      else if (i == n)
        reach(passes, seconds);
    }
    if (state.passing || state.saved[i] >= 0)
      return;
    for (size_t o = 0; o < node.options.size(); ++o) {
      const ChainOption &option = node.options[o];
      if (!option.savedBytes ||
          during + option.savedBytes + option.forwardTransientBytes > budget)
        continue;
      State saves = next;
      saves.saved[i] = static_cast<int>(o);
      saves.kept[i] = i < state.backward;
      reach(saves, seconds);
    }
  }

  void backward(const State &state, double seconds) {
    size_t i = state.backward;
    if (state.passing || !state.kept[i - 1] || (i == n && state.known < n))
      return;
    const ChainNode &node = problem.nodes[i - 1];
    for (size_t o = 0; o < node.options.size(); ++o) {
      const ChainOption &option = node.options[o];
      if (option.savedBytes ? state.saved[i] != static_cast<int>(o)
                            : state.saved[i] >= 0)
        continue;
      if (held(state) + gradient(i - 1) + option.backwardTransientBytes >
          budget)
        continue;
      State next = state;
      next.backward = i - 1;
      next.saved[i] = -1;
      next.kept[i - 1] = i == 1;
      reach(next, seconds + option.extraSeconds);
    }
  }

  const ChainProblem &problem;
  size_t n;
  int64_t budget;
  std::map<State, double> best;
  std::set<std::pair<double, State>> open;
};

ChainProblem makeRandom(std::mt19937 &random, size_t n, bool options) {
  auto below = [&](int most) { return static_cast<int>(random() % most); };
  ChainProblem problem;
  problem.inputBytes = below(10);
  for (size_t i = 0; i < n; ++i) {
    ChainNode node;
    node.forwardSeconds = below(10);
    if (i + 1 < n) {
      node.activationBytes = 1 + below(9);
      node.gradientBytes = below(2) ? node.activationBytes : below(9);
    }
    if (options) {
      node.forwardTransientBytes = below(4);
      node.options.clear();
      for (int o = 0, count = 1 + below(3); o < count; ++o)
        node.options.push_back(
            {below(3) ? below(12) : 0, double(below(9)), below(4), below(6)});
    }
    problem.nodes.push_back(node);
  }
  return problem;
}

ChainProblem makeEqual(size_t n) {
  ChainProblem problem;
  problem.inputBytes = 1;
  problem.nodes.resize(n);
  for (size_t i = 0; i < n; ++i) {
    problem.nodes[i].forwardSeconds = 1;
    problem.nodes[i].activationBytes = i + 1 < n;
  }
  return problem;
}

ChainSchedule solveVerified(const ChainSolver &solver,
                            const ChainProblem &problem, int64_t budget) {
  std::optional<ChainSchedule> schedule = solver.solve(budget);
  EXPECT_TRUE(schedule);
  if (!schedule)
    return {};
  EXPECT_EQ(verifyChain(problem, *schedule, budget), "");
  return *schedule;
}

TEST(Chain, ReferencesAtEveryBudget) {
  int chains = 0;
  for (const auto &entry : std::filesystem::directory_iterator(INSTANCES)) {
    if (entry.path().extension() != ".json")
      continue;
    SCOPED_TRACE(entry.path().filename());
    ++chains;
    std::ifstream in(entry.path());
    std::string text(std::istreambuf_iterator<char>(in), {});
    ChainProblem problem;
    ASSERT_EQ(parseChainProblem(text, problem), "");
    auto facts = nlohmann::json::parse(text);
    ChainSolver solver(problem);
    std::vector<std::pair<int64_t, double>> found;
    for (const ChainPoint &point : solver.frontier()) {
      found.push_back({point.bytes, point.seconds});
      EXPECT_EQ(solveVerified(solver, problem, point.bytes).extraSeconds,
                point.seconds);
    }
    std::vector<std::pair<int64_t, double>> known =
        facts["frontier_persistent"];
    EXPECT_EQ(found, known);
    EXPECT_EQ(solver.leastBudget(), known.front().first);
    EXPECT_FALSE(solver.solve(solver.leastBudget() - 1));
    EXPECT_FALSE(solveChain(problem, -1));
    for (auto [budget, seconds] :
         facts["frontier_once"].get<decltype(known)>()) {
      double extra = solveVerified(solver, problem, budget).extraSeconds;
      EXPECT_LE(extra, seconds);
      for (auto [bytes, least] :
           facts["frontier_exact"].is_null()
               ? known
               : facts["frontier_exact"].get<decltype(known)>())
        if (bytes == budget) {
          EXPECT_GE(extra, least);
        }
    }
  }
  EXPECT_EQ(chains, 8);
}

TEST(Chain, EqualsSearchThroughAll) {
  std::mt19937 random(5);
  for (int c = 0; c < 400; ++c) {
    SCOPED_TRACE(c);
    bool options = c % 2;
    ChainProblem problem =
        makeRandom(random, 1 + random() % (options ? 5 : 7), options);
    ASSERT_EQ(checkChain(problem), "");
    ChainSolver solver(problem);
    EXPECT_FALSE(AllSchedules(problem, solver.leastBudget() - 1).least());
    std::vector<ChainPoint> frontier = solver.frontier();
    for (size_t p = 0; p < frontier.size(); ++p) {
      ChainSchedule schedule =
          solveVerified(solver, problem, frontier[p].bytes);
      EXPECT_NEAR(schedule.extraSeconds, frontier[p].seconds, 1e-9);
      // No better just before the next point.
      int64_t last = p + 1 < frontier.size() ? frontier[p + 1].bytes - 1 : 1000;
      EXPECT_NEAR(AllSchedules(problem, last).least().value_or(-1),
                  frontier[p].seconds, 1e-9);
    }
  }
}

TEST(Chain, SquareRootOfEqualNodes) {
  for (size_t n : {16, 64, 256}) {
    ChainProblem problem = makeEqual(n);
    ChainSolver solver(problem);
    // Chen's segments: 2 sqrt(n) tensors, nothing runs more than once again.
    auto root = static_cast<int64_t>(std::sqrt(n));
    EXPECT_LE(solveVerified(solver, problem, 2 * root).extraSeconds, n - root);
    // By bisection log2(n) tensors and two do with log2(n)/2 runs again each.
    double log = std::ceil(std::log2(n));
    EXPECT_LE(solveVerified(solver, problem, log + 2).extraSeconds,
              n * log / 2);
    EXPECT_EQ(solver.leastBudget(), 3);
    EXPECT_EQ(solver.frontier().back().seconds, 0);
    EXPECT_EQ(solver.frontier().back().bytes, n);
  }
}

TEST(Chain, SavesWhereThatPays) {
  ChainProblem problem = makeEqual(3);
  // The whole node again, or half of it, or nothing.
  for (ChainNode &node : problem.nodes)
    node.options = {{0, 1, 0, 2}, {2, 0.5, 0, 1}, {4, 0, 0, 0}};
  ChainSolver solver(problem);
  EXPECT_EQ(solver.frontier().front().bytes, 4);
  EXPECT_EQ(printChainSchedule(problem, solveVerified(solver, problem, 15)),
            "extra 0 peak 15\n"
            "F 1 2\nF 2 2\nF 3 2\nB 3 2\nB 2 2\nB 1 2\n");
  EXPECT_EQ(printChainSchedule(problem, solveVerified(solver, problem, 14)),
            "extra 0.5 peak 13\n"
            "F 1 1\nF 2 2\nF 3 2\nB 3 2\nB 2 2\nB 1 1\n");
}

TEST(Chain, ThinFrontiersStayWithinBudgets) {
  std::mt19937 random(9);
  ChainProblem problem = makeRandom(random, 40, true);
  ChainSolver all(problem), thin(problem, ChainLimits{1});
  EXPECT_LT(thin.frontier().size(), all.frontier().size());
  EXPECT_EQ(thin.leastBudget(), all.leastBudget());
  double before = INFINITY;
  for (int64_t budget = all.leastBudget();
       budget <= all.frontier().back().bytes; ++budget) {
    double seconds = solveVerified(thin, problem, budget).extraSeconds;
    EXPECT_LE(seconds, before + 1e-9);
    EXPECT_GE(seconds, solveVerified(all, problem, budget).extraSeconds - 1e-9);
    before = seconds;
  }
}

TEST(Chain, SecondsOfAnySize) {
  for (double scale : {0.0, 5e-324, 1e-9, 1.0, 1e29}) {
    ChainProblem problem = makeEqual(8);
    for (ChainNode &node : problem.nodes)
      node.forwardSeconds = scale;
    ASSERT_EQ(checkChain(problem), "");
    ChainSolver solver(problem);
    EXPECT_DOUBLE_EQ(solveVerified(solver, problem, 5).extraSeconds, 3 * scale);
  }
}

// `text`: as it is printed, on one line.
std::string verify(const ChainProblem &problem, const std::string &text,
                   double extra, int64_t peak, int64_t budget = 100) {
  ChainSchedule schedule;
  schedule.extraSeconds = extra;
  schedule.peakBytes = peak;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) {
    std::istringstream fields(word);
    char kind;
    ChainAction action;
    fields >> kind >> action.node;
    action.kind = kind == 'F'   ? ChainAction::Forward
                  : kind == 'B' ? ChainAction::Backward
                                : ChainAction::Drop;
    if (!(fields >> action.option))
      action.option = kind == 'B' ? 0 : -1;
    schedule.actions.push_back(action);
  }
  return verifyChain(problem, schedule, budget);
}

TEST(ChainVerifier, TakesWhatIsRight) {
  ChainProblem problem = makeEqual(3);
  EXPECT_EQ(verify(problem, "F1,F2,F3,B3,B2,B1", 0, 3, 3), "");
  EXPECT_EQ(verify(problem, "F1,F2,D1,F3,B3,F1,B2,B1", 1, 3), "");
  // A value that was dropped too early may be made again.
  EXPECT_EQ(verify(problem, "F1,D1,F1,F2,F3,B3,B2,B1", 1, 3), "");
  problem.nodes[1].options = {{0, 2, 0, 3}, {4, 0.5, 5, 1}};
  EXPECT_EQ(verify(problem, "F1,F2 1,F3,B3,B2 1,B1", 0.5, 12), "");
  EXPECT_EQ(verify(problem, "F1,F2,F3,B3,B2 0,B1", 2, 5), "");
}

TEST(ChainVerifier, SeesWhatIsWrong) {
  ChainProblem problem = makeEqual(3);
  problem.nodes[1].options = {{0, 2, 0, 3}, {4, 0.5, 5, 1}};
  auto wrong = [&](const char *text) { return verify(problem, text, 2, 5); };
  EXPECT_EQ(wrong("F2"), "action 1, F 2: x_1 is not there");
  EXPECT_EQ(wrong("F4"), "action 1, F 4: there are 3 nodes");
  EXPECT_EQ(wrong("F0"), "action 1, F 0: there are 3 nodes");
  EXPECT_EQ(wrong("F1,F1"), "action 2, F 1: x_1 is there");
  EXPECT_EQ(wrong("F1,F2,F3,D3,F3"), "action 5, F 3: the last node runs twice");
  EXPECT_EQ(wrong("F1,D2"), "action 2, D 2: x_2 is not there");
  EXPECT_EQ(wrong("F1,F2,D1,F3,B3,B2"), "action 6, B 2 0: x_1 is not there");
  EXPECT_EQ(wrong("F1,F2,B3"), "action 3, B 3 0: F 3 has not run");
  EXPECT_EQ(wrong("F1,B2"), "action 2, B 2 0: expected B 3");
  EXPECT_EQ(wrong("F1,F2,F3,B3,B2,B1,B1"), "action 7, B 1 0: all have run");
  EXPECT_EQ(wrong("F1,F2,F3,B3,F2,B2,B1,F1,F2"), "action 8, F 1: B 1 has run");
  EXPECT_EQ(wrong("F1,F2,F3,B3,B2 1"),
            "action 5, B 2 1: nothing is saved for option 1");
  EXPECT_EQ(wrong("F1,F2 0"), "action 2, F 2 0: option 0 saves nothing");
  EXPECT_EQ(wrong("F1,F2 2"), "action 2, F 2 2: node 2 has 2 options");
  EXPECT_EQ(wrong("F1,F2 1,D2,F2"),
            "action 4, F 2: node 2 has saved for option 1");
  EXPECT_EQ(wrong("F1,F2,F3,B3,B2"), "B 1 never runs");
  const char *right = "F1,F2,F3,B3,B2,B1";
  EXPECT_EQ(wrong(right), "");
  EXPECT_EQ(verify(problem, right, 2, 5, 4),
            "the peak is 5 bytes, the budget 4");
  EXPECT_EQ(verify(problem, right, 2, 4),
            "the peak is 5 bytes, the schedule says 4");
  EXPECT_EQ(verify(problem, right, 1, 5),
            "the extra time is 2, the schedule says 1");
}

TEST(ChainText, ErrorsHaveAPlace) {
  auto parse = [](const std::string &node, const std::string &last = "") {
    ChainProblem problem;
    return parseChainProblem(
        "{\"n\": 2, \"input_bytes\": 1, \"nodes\": [{" + node +
            "}, {\"fwd_time\": 1, \"activation_bytes\": 0, "
            "\"gradient_bytes\": 0" +
            last + "}]}",
        problem);
  };
  std::string good =
      R"("fwd_time": 1, "activation_bytes": 4, "gradient_bytes": 4)";
  EXPECT_EQ(parse(good), "");
  EXPECT_EQ(parse(good + R"(, "options": [])"),
            "nodes[0].options: expected a list of at least one option");
  EXPECT_EQ(parse(good + R"(, "option": [])"),
            "nodes[0]: unknown key 'option'");
  EXPECT_EQ(parse(good + R"(, "options": [{"saved_bytes": 1.5}])"),
            "nodes[0].options[0].saved_bytes: expected a whole number below "
            "2^63, found 1.5");
  EXPECT_EQ(
      parse(good + R"(, "options": [{"saved_bytes": 1, "extra_time": -1}])"),
      "nodes[0].options[0].extra_time: expected 0 to 1e+30, found -1");
  EXPECT_EQ(parse(good + R"(, "options": [{"saved_bytes": 1,
                              "backward_transient_bytes": -1}])"),
            "nodes[0].options[0].backward_transient_bytes: expected at least "
            "0, found -1");
  EXPECT_EQ(parse(good, R"(, "id": 3)"), "nodes[1].id: expected 2, found 3");
  EXPECT_EQ(parse(good, R"(, "bwd_time": -1)"),
            "nodes[1].bwd_time: expected at least 0, found -1");
  EXPECT_EQ(parse(good, R"(, "forward_transient_bytes": 1152921504606846976)"),
            "nodes[1].forward_transient_bytes: the bytes of all are more than "
            "2^60 together");
  EXPECT_EQ(parse(R"("activation_bytes": 4, "gradient_bytes": 4)"),
            "nodes[0].fwd_time: expected a number, found none");
  EXPECT_EQ(parse(R"("fwd_time": "1", "activation_bytes": 4)"),
            "nodes[0].fwd_time: expected a number, found \"1\"");
}

} // namespace
