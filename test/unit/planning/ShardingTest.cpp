// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sharding solver: costs against an exhaustive search, the verifier, and
// the text form.

#include "planning/ShardingSolver.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace zcc::planning;

namespace {
// Every choice, one after another.
template <typename Visit>
void forEachChoice(const ShardingProblem &problem, Visit visit) {
  std::vector<unsigned> choice(problem.nodes.size(), 0);
  while (true) {
    visit(choice);
    size_t n = 0;
    while (n < choice.size() &&
           ++choice[n] == problem.nodes[n].strategies.size())
      choice[n++] = 0;
    if (n == choice.size())
      return;
  }
}

std::optional<double> searchAll(const ShardingProblem &problem) {
  double least = forbidden;
  forEachChoice(problem, [&](const std::vector<unsigned> &choice) {
    if (memoryOf(problem, choice) <= problem.capacity)
      least = std::min(least, costOf(problem, choice));
  });
  if (!std::isfinite(least))
    return std::nullopt;
  return least;
}

ShardingProblem makeRandom(std::mt19937 &random) {
  auto below = [&](unsigned n) { return random() % n; };
  ShardingProblem problem;
  unsigned nodes = 1 + below(8);
  double most = 0;
  for (unsigned n = 0; n < nodes; ++n) {
    ShardingNode node{"n" + std::to_string(n), {}};
    bool equal = below(3) == 0; // no say in memory
    double memory = below(1000), largest = 0;
    for (unsigned s = 0, count = 1 + below(4); s < count; ++s) {
      double cost = below(8) == 0 ? forbidden : below(1000) * 1e-6;
      double own = equal ? memory : below(1000);
      node.strategies.push_back({"s" + std::to_string(s), cost, own});
      largest = std::max(largest, own);
    }
    most += largest;
    problem.nodes.push_back(node);
  }
  for (unsigned a = 0; a < nodes; ++a)
    for (unsigned b = 0; b < nodes; ++b) {
      if (a == b || below(3) != 0)
        continue;
      ShardingEdge edge{a, b, {}};
      for (size_t i = 0; i < problem.nodes[a].strategies.size() *
                                 problem.nodes[b].strategies.size();
           ++i)
        edge.cost.push_back(below(8) == 0 ? forbidden : below(1000) * 1e-6);
      problem.edges.push_back(edge);
    }
  if (below(2))
    problem.capacity = std::floor(most * below(100) / 100);
  return problem;
}

TEST(Sharding, CostEqualsExhaustiveSearch) {
  std::mt19937 random(7);
  int solved = 0, bounded = 0;
  for (int i = 0; i < 400; ++i) {
    ShardingProblem problem = makeRandom(random);
    std::optional<double> least = searchAll(problem);
    std::optional<ShardingChoice> choice = solveSharding(problem);
    ASSERT_EQ(least.has_value(), choice.has_value()) << "problem " << i;
    if (!least)
      continue;
    EXPECT_EQ(verifySharding(problem, *choice), "") << "problem " << i;
    EXPECT_NEAR(choice->cost, *least, 1e-9) << "problem " << i;
    EXPECT_TRUE(choice->optimal);
    ++solved;
    bounded += std::isfinite(problem.capacity);
  }
  EXPECT_GT(solved, 200);
  EXPECT_GT(bounded, 50);
}

TEST(Sharding, LongChainsAreEliminated) {
  // Changing the strategy between neighbors costs more than any node: all take
  // the one that is cheapest together.
  ShardingProblem problem;
  for (unsigned n = 0; n < 20000; ++n) {
    problem.nodes.push_back({"n" + std::to_string(n),
                             {{"a", n % 2 ? 1.0 : 2.0, 0}, {"b", 1.4, 0}}});
    if (n)
      problem.edges.push_back({n - 1, n, {0, 9, 9, 0}});
  }
  std::optional<ShardingChoice> choice = solveSharding(problem);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->strategies, std::vector<unsigned>(20000, 1));
  EXPECT_TRUE(choice->optimal);
}

TEST(Sharding, CostsMayDifferByAnyFactor) {
  for (double most : {0.0, 1e-320, 1e-40, 1.0, 1e30})
    for (double least : {0.0, 1e-320, 1e-40, 1e-10}) {
      // Memory has a say: nothing is eliminated.
      ShardingProblem problem;
      problem.capacity = 15;
      problem.nodes = {{"a", {{"x", most, 1}, {"y", least, 10}}},
                       {"b", {{"x", least, 1}, {"y", most, 10}}}};
      problem.edges = {{0, 1, {most, most, least, forbidden}}};
      std::optional<ShardingChoice> choice = solveSharding(problem);
      ASSERT_TRUE(choice);
      EXPECT_EQ(verifySharding(problem, *choice), "");
      EXPECT_NEAR(choice->cost, *searchAll(problem), 1e-20);
    }
}

TEST(Sharding, TheVerifierSeesEveryKindOfDamage) {
  ShardingProblem problem;
  problem.nodes = {{"a", {{"x", 1, 10}, {"y", 2, 1}}},
                   {"b", {{"x", 1, 10}, {"y", 2, 1}}}};
  problem.edges = {{0, 1, {0, 5, forbidden, 0}}};
  problem.capacity = 11;
  ShardingChoice right{{1, 1}, 4, 2, true};
  EXPECT_EQ(verifySharding(problem, right), "");
  ShardingChoice wrong = right;
  wrong.strategies = {1};
  EXPECT_NE(verifySharding(problem, wrong).find("each of 2 nodes"),
            std::string::npos);
  wrong = right;
  wrong.strategies = {1, 2};
  EXPECT_NE(verifySharding(problem, wrong).find("has 2 strategies"),
            std::string::npos);
  wrong = right;
  wrong.strategies = {1, 0};
  EXPECT_NE(verifySharding(problem, wrong).find("forbidden"),
            std::string::npos);
  wrong = {{0, 0}, 2, 20, true};
  EXPECT_NE(verifySharding(problem, wrong).find("capacity"), std::string::npos);
  wrong = right;
  wrong.cost = 3;
  EXPECT_NE(verifySharding(problem, wrong).find("cost"), std::string::npos);
  wrong = right;
  wrong.memory = 3;
  EXPECT_NE(verifySharding(problem, wrong).find("memory"), std::string::npos);
}

TEST(Sharding, TextIsReadBackEqual) {
  std::mt19937 random(3);
  for (int i = 0; i < 50; ++i) {
    ShardingProblem problem = makeRandom(random), read;
    std::string text = printShardingProblem(problem);
    ASSERT_EQ(parseShardingProblem(text, read), "");
    EXPECT_EQ(printShardingProblem(read), text);
  }
}

TEST(Sharding, BadTextIsRefusedWithItsPlace) {
  auto error = [](const char *text) {
    ShardingProblem problem;
    return parseShardingProblem(text, problem);
  };
  EXPECT_EQ(error("{\"nodes\":\n [}"), "2:3: expected JSON");
  EXPECT_EQ(error("[]"), "the problem: expected an object");
  EXPECT_EQ(error("{\"nodes\": []}"),
            "nodes: expected a list of at least one node");
  EXPECT_EQ(error(R"({"nodes": [{"name": "a", "strategies": []}]})"),
            "nodes[0]: expected a list 'strategies', not empty");
  EXPECT_EQ(
      error(
          R"({"nodes": [{"name": "a", "strategies": [{"name": "s", "cost": -1}]}]})"),
      "nodes[0].strategies[0].cost: expected a number of at least 0, or null "
      "for what is forbidden");
  std::string two =
      R"({"nodes": [{"name": "a", "strategies": [{"name": "s", "cost": 1}]},
                    {"name": "b", "strategies": [{"name": "s", "cost": 1}]}], "edges": [)";
  EXPECT_EQ(
      error((two + R"({"from": "a", "to": "c", "cost": [[0]]}]})").c_str()),
      "edges[0]: no node is named 'c'");
  EXPECT_EQ(
      error((two + R"({"from": "a", "to": "a", "cost": [[0]]}]})").c_str()),
      "edges[0]: joins a node with itself");
  EXPECT_EQ(
      error((two + R"({"from": "a", "to": "b", "cost": [[0, 1]]}]})").c_str()),
      "edges[0]: expected rows of 1 numbers");
  EXPECT_EQ(error((two + R"(], "size": 3})").c_str()),
            "the problem: unknown key 'size'");
}
} // namespace
