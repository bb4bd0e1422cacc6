// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text form of chains: JSON.
#include "planning/ChainProblem.h"
#include "planning/JsonText.h"

namespace zcc::planning {
using Json = nlohmann::ordered_json;

namespace {
// Reads a chain. checkChain() checks the ranges of numbers.
class ChainReader : public JsonReader {
public:
  void read(const Json &json, ChainProblem &problem) {
    // Other keys are allowed: they are facts about the chain.
    if (!json.is_object())
      return fail("the problem: expected an object");
    int64_t n = bytes(json, "n", "", true);
    problem.inputBytes = bytes(json, "input_bytes", "", true);
    const Json *nodes = list(json, "nodes");
    if (!nodes)
      return fail("nodes: expected a list of at least one node");
    if (error.empty() && nodes->size() != static_cast<uint64_t>(n))
      return fail(
          fmt::format("nodes: expected 'n', {}, found {}", n, nodes->size()));
    for (const Json &node : *nodes)
      problem.nodes.push_back(
          readNode(node, fmt::format("nodes[{}]", problem.nodes.size()),
                   problem.nodes.size() + 1));
  }

private:
  static std::string show(const Json &json) {
    return json.is_primitive() ? json.dump() : json.type_name();
  }

  // Returns null if the value is no list, or an empty one.
  const Json *list(const Json &json, const char *key) {
    auto found = json.find(key);
    return found != json.end() && found->is_array() && !found->empty()
               ? &*found
               : nullptr;
  }

  int64_t bytes(const Json &json, const char *key, const std::string &at,
                bool required) {
    auto found = json.find(key);
    if (found == json.end()) {
      if (required)
        fail(at + key + ": expected a whole number, found none");
      return 0;
    }
    if (!found->is_number_integer() ||
        (found->is_number_unsigned() &&
         found->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))) {
      fail(at + key + ": expected a whole number below 2^63, found " +
           show(*found));
      return 0;
    }
    return found->get<int64_t>();
  }

  double seconds(const Json &json, const char *key, const std::string &at,
                 bool required) {
    auto found = json.find(key);
    if (found == json.end() ? required : !found->is_number())
      fail(at + key + ": expected a number, found " +
           (found == json.end() ? "none" : show(*found)));
    return found == json.end() || !found->is_number() ? 0
                                                      : found->get<double>();
  }

  ChainNode readNode(const Json &json, const std::string &at, size_t number) {
    ChainNode node;
    if (!isObject(json, at,
                  {"id", "fwd_time", "bwd_time", "activation_bytes",
                   "gradient_bytes", "forward_transient_bytes", "options"}))
      return node;
    std::string dot = at + ".";
    if (json.contains("id") && json["id"] != number)
      fail(fmt::format("{}id: expected {}, found {}", dot, number,
                       show(json["id"])));
    node.forwardSeconds = seconds(json, "fwd_time", dot, true);
    // The backward time is not used: it is the same for all choices.
    if (double backward = seconds(json, "bwd_time", dot, false);
        !(backward >= 0))
      fail(fmt::format("{}bwd_time: expected at least 0, found {}", dot,
                       backward));
    node.activationBytes = bytes(json, "activation_bytes", dot, true);
    node.gradientBytes = bytes(json, "gradient_bytes", dot, true);
    node.forwardTransientBytes =
        bytes(json, "forward_transient_bytes", dot, false);
    if (!json.contains("options"))
      return node;
    const Json *options = list(json, "options");
    if (!options) {
      fail(dot + "options: expected a list of at least one option");
      return node;
    }
    node.options.clear();
    for (const Json &option : *options)
      node.options.push_back(readOption(
          option, fmt::format("{}options[{}]", dot, node.options.size())));
    return node;
  }

  ChainOption readOption(const Json &json, const std::string &at) {
    ChainOption option;
    if (!isObject(json, at,
                  {"saved_bytes", "extra_time", "forward_transient_bytes",
                   "backward_transient_bytes"}))
      return option;
    std::string dot = at + ".";
    option.savedBytes = bytes(json, "saved_bytes", dot, true);
    option.extraSeconds = seconds(json, "extra_time", dot, false);
    option.forwardTransientBytes =
        bytes(json, "forward_transient_bytes", dot, false);
    option.backwardTransientBytes =
        bytes(json, "backward_transient_bytes", dot, false);
    return option;
  }
};
} // namespace

std::string parseChainProblem(std::string_view text, ChainProblem &problem) {
  problem = {};
  Json json;
  if (std::string error = parseJson(text, json); !error.empty())
    return error;
  ChainReader reader;
  reader.read(json, problem);
  return reader.error.empty() ? checkChain(problem) : reader.error;
}

} // namespace zcc::planning
