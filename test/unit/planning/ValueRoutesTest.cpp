// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routes of values that several stages read: they depend on the links and on
// other traffic, and only stages that wait for a value anyway pass it on.
#include "planning/ValueRoutes.h"
#include "planning/ScheduleGenerators.h"
#include "planning/StageCut.h"
#include "gtest/gtest.h"
#include <functional>
#include <random>
#include <set>

using namespace zcc::planning;

namespace {

/// Bytes are seconds, whatever the link.
double equalLinks(int64_t, int64_t, double bytes) { return bytes; }

/// Nodes of two stages; ten times as long from node to node.
double twoOnANode(int64_t from, int64_t to, double bytes) {
  return from / 2 == to / 2 ? bytes : 10 * bytes;
}

/// Adds the reads of values from their makers, without a chain.
void addReads(ScheduleProblem &problem,
              const std::vector<CrossingValue> &values) {
  for (const CrossingValue &value : values)
    for (size_t reader : value.readers)
      problem.reads.push_back({value.maker, reader});
}

/// Takes the reads that cross stages out of the problem, as values of so many
/// bytes, and leaves the others.
std::vector<CrossingValue> takeValues(ScheduleProblem &problem,
                                      const std::function<double()> &bytes) {
  std::vector<CrossingValue> values;
  std::vector<std::pair<size_t, size_t>> within;
  for (auto [from, to] : problem.reads)
    if (problem.tasks[from].stage == problem.tasks[to].stage)
      within.push_back({from, to});
    else
      values.push_back({from, {to}, bytes()});
  problem.reads = within;
  return values;
}

/// Adds the reads of values along their routes.
ScheduleProblem connect(ScheduleProblem problem,
                        const std::vector<CrossingValue> &values,
                        const std::vector<ValueRoute> &routes) {
  for (const ValueRoute &route : routes)
    for (size_t reader : values[route.value].readers)
      if (problem.tasks[reader].stage == route.stage)
        problem.reads.push_back({route.from, reader});
  return problem;
}

/// "value: stage from task's stage": "0: 1<0 2<1".
std::string print(const ScheduleProblem &problem,
                  const std::vector<ValueRoute> &routes, size_t value) {
  std::string out;
  for (const ValueRoute &route : routes)
    if (route.value == value)
      out += (out.empty() ? "" : " ") + std::to_string(route.stage) + "<" +
             std::to_string(problem.tasks[route.from].stage);
  return out;
}

TEST(ValueRoutes, oneReaderGetsItOfTheMaker) {
  ScheduleProblem problem = makeChain(4, 1, 4);
  auto f = [&](int64_t stage) {
    return size_t(problem.find(stage, 0, StageTaskKind::Forward));
  };
  std::vector<CrossingValue> values{{f(0), {f(3)}, 1}};
  addReads(problem, values);
  EXPECT_EQ(print(problem, routeValues(problem, values, twoOnANode), 0), "3<0");
}

TEST(ValueRoutes, linksAreSpared) {
  ScheduleProblem problem = makeChain(6, 1, 4);
  auto f = [&](int64_t stage) {
    return size_t(problem.find(stage, 0, StageTaskKind::Forward));
  };
  std::vector<CrossingValue> values{{f(0), {f(1), f(2), f(3), f(4), f(5)}, 1}};
  addReads(problem, values);
  // The value goes over the slow link once to each node; the second stage of a
  // node gets it from the first. A message that stage 0 has sent to one delays
  // its message to the other.
  EXPECT_EQ(print(problem, routeValues(problem, values, twoOnANode), 0),
            "1<0 2<1 3<2 4<3 5<4");
  EXPECT_EQ(print(problem, routeValues(problem, values, nullptr), 0),
            "1<0 2<0 3<0 4<0 5<0");
}

TEST(ValueRoutes, whatIsSentOtherwiseIsInTheWay) {
  ScheduleProblem problem = makeChain(3, 1, 4);
  auto f = [&](int64_t stage) {
    return size_t(problem.find(stage, 0, StageTaskKind::Forward));
  };
  // Stage 1 has much to send: the maker sends both.
  std::vector<CrossingValue> values{{f(0), {f(1), f(2)}, 1}, {f(1), {f(2)}, 8}};
  addReads(problem, values);
  EXPECT_EQ(print(problem, routeValues(problem, values, equalLinks), 0),
            "1<0 2<0");
  // Stage 0 has.
  values = {{f(0), {f(1), f(2)}, 1}, {f(0), {f(1)}, 8}};
  addReads(problem, values);
  EXPECT_EQ(print(problem, routeValues(problem, values, equalLinks), 0),
            "1<0 2<1");
}

TEST(ValueRoutes, onlyToThoseThatWait) {
  // Two towers: stage 2 does not wait for stage 1.
  ScheduleProblem problem;
  problem.stages = 3;
  problem.tasks = {{0, 0, StageTaskKind::Forward},
                   {1, 0, StageTaskKind::Forward},
                   {2, 0, StageTaskKind::Forward}};
  std::vector<CrossingValue> values{{0, {1, 2}, 1}};
  addReads(problem, values);
  auto far = [](int64_t from, int64_t, double) { return from ? 1.0 : 100.0; };
  EXPECT_EQ(print(problem, routeValues(problem, values, far), 0), "1<0 2<0");
  problem.reads.push_back({1, 2});
  EXPECT_EQ(print(problem, routeValues(problem, values, far), 0), "1<0 2<1");
  // Tasks in a circle, which no schedule has, pass on nothing.
  problem.reads.push_back({2, 1});
  EXPECT_EQ(print(problem, routeValues(problem, values, far), 0), "1<0 2<0");
}

TEST(ValueRoutes, areFoundInTables) {
  ScheduleProblem problem = makeChain(4, 1, 4);
  auto f = [&](int64_t stage) {
    return size_t(problem.find(stage, 0, StageTaskKind::Forward));
  };
  std::vector<CrossingValue> values = takeValues(problem, [] { return 1.0; });
  values.push_back({f(0), {f(1), f(2), f(3)}, 1});
  ScheduleProblem direct = problem;
  addReads(direct, values);
  for (const TransferSeconds &seconds :
       {TransferSeconds(), TransferSeconds(twoOnANode)}) {
    std::vector<ValueRoute> routes = routeValues(direct, values, seconds);
    NamedSchedule schedule;
    ASSERT_EQ(parseSchedule("1f1b", schedule), "");
    std::vector<ActionTable> tables;
    ASSERT_EQ(makeSchedule(schedule, connect(problem, values, routes), tables),
              "");
    EXPECT_EQ(findRoutes(direct, values, tables), routes);
  }
}

// A stage sends one value after the other, beside its tasks, and passes a value
// on when it has it.
TEST(ValueRoutes, areTimed) {
  ScheduleProblem problem = makeChain(3, 1, 1, /*trains=*/false);
  std::vector<CrossingValue> values{{0, {1, 2}, 10}, {1, {2}, 1}};
  addReads(problem, values);
  auto far = [](int64_t from, int64_t to, double bytes) {
    return from + 1 == to ? bytes : 3 * bytes;
  };
  auto time = [&](const std::vector<ValueRoute> &routes) {
    ScheduleProblem routed = problem;
    routed.reads.clear();
    for (const ValueRoute &route : routes)
      routed.reads.push_back({route.from, size_t(route.stage)});
    NamedSchedule schedule;
    std::vector<ActionTable> tables;
    EXPECT_EQ(parseSchedule("gpipe", schedule), "");
    EXPECT_EQ(makeSchedule(schedule, routed, tables), "");
    return timeRoutes(routed, tables, values, routes, {2, 2, 2}, far);
  };
  // There for stage 1 after 2 + 10 seconds, for stage 2 after 30 more.
  EXPECT_EQ(time({{0, 0, 1}, {0, 0, 2}, {1, 1, 2}}), 2 + 10 + 30 + 2);
  // Beside stage 1's task, and what that makes comes after it.
  EXPECT_EQ(time({{0, 0, 1}, {0, 1, 2}, {1, 1, 2}}), 2 + 10 + 10 + 1 + 2);
}

// For all links and values: each stage that reads a value gets it once from
// another stage, and tables of every schedule are valid.
TEST(ValueRoutes, random) {
  std::mt19937 draw(1);
  auto below = [&](int64_t n) { return int64_t(draw() % n); };
  int64_t forwarded = 0;
  for (int i = 0; i < 600; ++i) {
    int64_t stages = 2 + below(7);
    const char *names[] = {"gpipe", "1f1b", "interleaved:2", "zb-h1", "zb-v"};
    std::string name = names[below(5)];
    ActionShape shape;
    NamedSchedule schedule;
    ASSERT_EQ(parseSchedule(name, schedule), "");
    ASSERT_EQ(findShape(schedule, {}, shape), "");
    ScheduleProblem problem = makeChain(stages, shape.chunks, 2 * stages, true,
                                        shape.splits, shape.goesBack);
    std::vector<CrossingValue> values =
        takeValues(problem, [&] { return double(1 + below(9)); });
    int64_t parts = stages * shape.chunks;
    std::vector<int64_t> places =
        listParts(stages, shape.chunks, shape.goesBack);
    auto task = [&](int64_t part) {
      return size_t(
          problem.find(places[part], part / stages, StageTaskKind::Forward));
    };
    for (int64_t n = below(6); n-- > 0;) {
      int64_t maker = below(parts - 1);
      std::set<size_t> readers;
      for (int64_t part = maker + 1; part < parts; ++part)
        if (below(2) && places[part] != places[maker])
          readers.insert(task(part));
      if (!readers.empty())
        values.push_back({task(maker),
                          {readers.begin(), readers.end()},
                          double(1 + below(9))});
    }
    std::vector<double> links(stages * stages);
    for (double &link : links)
      link = double(1 + below(4));
    ScheduleProblem direct = problem;
    addReads(direct, values);
    std::vector<ValueRoute> routes = routeValues(
        direct, values, [&](int64_t from, int64_t to, double bytes) {
          return links[from * stages + to] * bytes;
        });
    std::set<std::pair<size_t, int64_t>> there;
    for (const ValueRoute &route : routes) {
      ASSERT_TRUE(there.insert({route.value, route.stage}).second);
      ASSERT_NE(problem.tasks[route.from].stage, route.stage);
      forwarded += route.from != values[route.value].maker;
    }
    for (size_t value = 0; value < values.size(); ++value)
      for (size_t reader : values[value].readers)
        ASSERT_TRUE(there.count({value, problem.tasks[reader].stage}));
    std::vector<ActionTable> tables;
    ASSERT_EQ(makeSchedule(schedule, connect(problem, values, routes), tables),
              "")
        << name;
    ASSERT_EQ(verifySchedule(
                  connect(problem, values, findRoutes(direct, values, tables)),
                  tables),
              "")
        << name << ", " << i;
  }
  EXPECT_GT(forwarded, 200);
}

} // namespace
