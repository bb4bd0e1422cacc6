// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text form of sharding problems: JSON.
#include "planning/JsonText.h"
#include "planning/ShardingProblem.h"
#include <cmath>
#include <map>

namespace zcc::planning {
using Json = nlohmann::ordered_json;

namespace {
class ShardingReader : public JsonReader {
public:
  explicit ShardingReader(ShardingProblem &problem) : problem(problem) {}

  void read(const Json &json) {
    if (!isObject(json, "the problem", {"nodes", "edges", "capacity"}))
      return;
    if (!json.contains("nodes") || !json["nodes"].is_array() ||
        json["nodes"].empty())
      return fail("nodes: expected a list of at least one node");
    for (const Json &node : json["nodes"])
      readNode(node);
    if (json.contains("edges")) {
      if (!json["edges"].is_array())
        return fail("edges: expected a list");
      size_t i = 0;
      for (const Json &edge : json["edges"])
        readEdge(edge, fmt::format("edges[{}]", i++));
    }
    if (json.contains("capacity") && !json["capacity"].is_null())
      problem.capacity = number(json["capacity"], "capacity", false);
  }

private:
  double number(const Json &json, const std::string &at, bool mayForbid) {
    if (mayForbid && json.is_null())
      return forbidden;
    double value = json.is_number() ? json.get<double>() : -1;
    // Sums of many more stay finite.
    constexpr double most = 1e30;
    if (value > most) {
      fail(fmt::format("{}: expected at most {}", at, most));
      return 0;
    }
    if (!(value >= 0) || !std::isfinite(value)) {
      fail(at + ": expected a number of at least 0" +
           (mayForbid ? ", or null for what is forbidden" : ""));
      return 0;
    }
    return value;
  }

  std::string name(const Json &json, const char *key, const std::string &at) {
    if (!json.contains(key) || !json[key].is_string()) {
      fail(at + ": expected a text '" + key + "'");
      return "";
    }
    return json[key].get<std::string>();
  }

  void readNode(const Json &json) {
    std::string at = fmt::format("nodes[{}]", problem.nodes.size());
    if (!isObject(json, at, {"name", "strategies"}))
      return;
    ShardingNode node;
    node.name = name(json, "name", at);
    if (!json.contains("strategies") || !json["strategies"].is_array() ||
        json["strategies"].empty())
      return fail(at + ": expected a list 'strategies', not empty");
    for (const Json &entry : json["strategies"]) {
      std::string own =
          fmt::format("{}.strategies[{}]", at, node.strategies.size());
      if (!isObject(entry, own, {"name", "cost", "memory"}))
        return;
      ShardingStrategy strategy;
      strategy.name = name(entry, "name", own);
      if (!entry.contains("cost"))
        return fail(own + ": expected a number 'cost'");
      strategy.cost = number(entry["cost"], own + ".cost", true);
      if (entry.contains("memory"))
        strategy.memory = number(entry["memory"], own + ".memory", false);
      node.strategies.push_back(strategy);
    }
    if (!numbers.try_emplace(node.name, problem.nodes.size()).second)
      return fail(at + ": two nodes are named '" + node.name + "'");
    problem.nodes.push_back(std::move(node));
  }

  void readEdge(const Json &json, const std::string &at) {
    if (!isObject(json, at, {"from", "to", "cost"}))
      return;
    ShardingEdge edge;
    for (bool from : {true, false}) {
      std::string end = name(json, from ? "from" : "to", at);
      auto it = numbers.find(end);
      if (it == numbers.end())
        return fail(at + ": no node is named '" + end + "'");
      (from ? edge.from : edge.to) = it->second;
    }
    if (edge.from == edge.to)
      return fail(at + ": joins a node with itself");
    size_t rows = problem.nodes[edge.from].strategies.size(),
           columns = problem.nodes[edge.to].strategies.size();
    if (!json.contains("cost") || !json["cost"].is_array() ||
        json["cost"].size() != rows)
      return fail(fmt::format("{}: expected {} rows of 'cost'", at, rows));
    for (const Json &row : json["cost"]) {
      if (!row.is_array() || row.size() != columns)
        return fail(
            fmt::format("{}: expected rows of {} numbers", at, columns));
      for (const Json &entry : row)
        edge.cost.push_back(number(entry, at + ".cost", true));
    }
    problem.edges.push_back(std::move(edge));
  }

  ShardingProblem &problem;
  std::map<std::string, unsigned> numbers;
};

Json numberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}
} // namespace

std::string parseShardingProblem(std::string_view text,
                                 ShardingProblem &problem) {
  problem = {};
  Json json;
  if (std::string error = parseJson(text, json); !error.empty())
    return error;
  ShardingReader reader(problem);
  reader.read(json);
  return reader.error;
}

std::string printShardingProblem(const ShardingProblem &problem) {
  Json json;
  json["nodes"] = Json::array();
  for (const ShardingNode &node : problem.nodes) {
    Json strategies = Json::array();
    for (const ShardingStrategy &s : node.strategies)
      strategies.push_back({{"name", s.name},
                            {"cost", numberOrNull(s.cost)},
                            {"memory", s.memory}});
    json["nodes"].push_back({{"name", node.name}, {"strategies", strategies}});
  }
  json["edges"] = Json::array();
  for (const ShardingEdge &edge : problem.edges) {
    Json rows = Json::array();
    size_t columns = problem.nodes[edge.to].strategies.size();
    for (size_t at = 0; at < edge.cost.size(); at += columns) {
      Json row = Json::array();
      for (size_t i = 0; i < columns; ++i)
        row.push_back(numberOrNull(edge.cost[at + i]));
      rows.push_back(row);
    }
    json["edges"].push_back({{"from", problem.nodes[edge.from].name},
                             {"to", problem.nodes[edge.to].name},
                             {"cost", rows}});
  }
  if (std::isfinite(problem.capacity))
    json["capacity"] = problem.capacity;
  return json.dump(1) + "\n";
}

std::string printShardingChoice(const ShardingProblem &problem,
                                const ShardingChoice &choice) {
  Json json;
  json["cost"] = choice.cost;
  json["memory"] = choice.memory;
  json["optimal"] = choice.optimal;
  json["strategies"] = Json::object();
  for (size_t n = 0; n < problem.nodes.size(); ++n)
    json["strategies"][problem.nodes[n].name] =
        problem.nodes[n].strategies[choice.strategies[n]].name;
  return json.dump(1) + "\n";
}

} // namespace zcc::planning
