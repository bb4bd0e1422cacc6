// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rename file: a line is parsed into a tree, which is evaluated for each
// parameter that its pattern matches.

#include "runtime/data/Rename.h"

#include "runtime/core/Error.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <utility>

namespace zcc::rt {

namespace {

/// Values of the placeholders.
using Bindings = std::map<std::string, std::string>;

/// Matches a name against a pattern, with the placeholders that are bound
/// already.
bool match(std::string_view pattern, std::string_view name,
           Bindings &bindings) {
  while (!pattern.empty()) {
    if (pattern[0] != '{') {
      if (name.empty() || name[0] != pattern[0])
        return false;
      pattern.remove_prefix(1);
      name.remove_prefix(1);
      continue;
    }
    size_t close = pattern.find('}');
    std::string key(pattern.substr(1, close - 1));
    std::string_view rest = pattern.substr(close + 1);
    size_t most = std::min(name.find('.'), name.size());
    auto bound = bindings.find(key);
    if (bound != bindings.end()) {
      if (name.substr(0, bound->second.size()) != bound->second)
        return false;
      name.remove_prefix(bound->second.size());
      pattern = rest;
      continue;
    }
    for (size_t length = most; length > 0; --length) {
      Bindings attempt = bindings;
      attempt[key] = name.substr(0, length);
      if (match(rest, name.substr(length), attempt)) {
        bindings = std::move(attempt);
        return true;
      }
    }
    return false;
  }
  return name.empty();
}

/// The placeholders of a pattern.
std::set<std::string> placeholders(const std::string &pattern) {
  std::set<std::string> keys;
  for (size_t at = 0; (at = pattern.find('{', at)) != std::string::npos;) {
    size_t close = pattern.find('}', at);
    keys.insert(pattern.substr(at + 1, close - at - 1));
    at = close;
  }
  return keys;
}

struct Expression {
  std::string function; // empty: a tensor's name
  std::string name;
  std::vector<Expression> operands;
  std::vector<int64_t> numbers;
};

struct Rule {
  int line;
  std::string target;
  Expression value;
  bool used = false;
};

class Renamer {
public:
  Renamer(const std::string &path, const WeightSet &weights)
      : path(path), weights(weights) {
    read();
  }

  WeightSet run(const std::vector<std::string> &parameters) {
    WeightSet result;
    result.path = weights.path;
    result.owner = weights.owner;
    std::set<std::string> plain;
    for (const std::string &parameter : parameters) {
      Rule *rule = nullptr;
      Bindings bindings;
      for (Rule &candidate : rules) {
        Bindings attempt;
        if (!match(candidate.target, parameter, attempt))
          continue;
        if (rule)
          error(candidate.line, "parameter ", jsonText(parameter),
                " has a line already, ", path, ":", rule->line);
        rule = &candidate;
        bindings = std::move(attempt);
      }
      if (!rule) {
        plain.insert(parameter);
        continue;
      }
      rule->used = true;
      result.tensors[parameter] = evaluate(*rule, rule->value, bindings);
    }
    for (const Rule &rule : rules)
      if (!rule.used)
        error(rule.line, "no parameter is named ", rule.target);
    for (const auto &[name, weight] : weights.tensors) {
      if (!plain.count(name) && (used.count(name) || isIgnored(name)))
        continue;
      if (!result.tensors.emplace(name, weight).second)
        badInput(weights.path, ": tensor ", jsonText(name),
                 " has the name of "
                 "a parameter that ",
                 path,
                 " takes from elsewhere: add "
                 "\"ignore ",
                 name, "\"");
    }
    return result;
  }

private:
  template <typename... Parts>
  [[noreturn]] void error(int line, const Parts &...parts) const {
    badInput(path, ":", line, ": ", parts...);
  }

  bool isIgnored(const std::string &name) const {
    return std::any_of(ignored.begin(), ignored.end(),
                       [&](const std::string &pattern) {
                         Bindings bindings;
                         return match(pattern, name, bindings);
                       });
  }

  // Reading.

  void read() {
    std::ifstream file(path);
    if (!file)
      badInput(path, ": cannot open");
    for (std::string content; std::getline(file, content);) {
      ++line;
      rest = std::string_view(content).substr(0, content.find('#'));
      constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";
      if (line == 1 && rest.substr(0, 3) == byteOrderMark)
        rest.remove_prefix(byteOrderMark.size());
      skipBlanks();
      if (rest.empty())
        continue;
      std::string first = word();
      skipBlanks();
      if (first == "ignore" && !rest.empty() && rest[0] != '=') {
        ignored.push_back(word());
      } else {
        expect('=');
        for (const Rule &rule : rules)
          if (rule.target == first)
            error(line, first, " has a line already, ", path, ":", rule.line);
        rules.push_back({line, first, expression(), false});
        checkPlaceholders(rules.back());
      }
      skipBlanks();
      if (!rest.empty())
        error(line, "expected the end of the line, found ", jsonText(rest));
    }
    if (file.bad())
      badInput(path, ": cannot read");
  }

  void skipBlanks() {
    while (!rest.empty() &&
           (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r'))
      rest.remove_prefix(1);
  }

  void expect(char c) {
    skipBlanks();
    if (rest.empty() || rest[0] != c)
      error(line, "expected '", c, "', found ",
            rest.empty() ? "the end of the line" : jsonText(rest));
    rest.remove_prefix(1);
    skipBlanks();
  }

  std::string word() {
    size_t end = rest.find_first_of(" \t\r,()=");
    std::string found(rest.substr(0, end));
    if (found.empty())
      error(line, "expected a name, found ",
            rest.empty() ? "the end of the line" : jsonText(rest));
    int depth = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      bool wrong = found[i] == '{' ? depth++ != 0 || found[i + 1] == '}'
                                   : found[i] == '}' && depth-- != 1;
      if (wrong)
        error(line, "placeholders are {name}, found ", jsonText(found));
    }
    if (depth != 0)
      error(line, "placeholders are {name}, found ", jsonText(found));
    rest.remove_prefix(found.size());
    return found;
  }

  Expression expression() {
    if (++depth > 50)
      error(line, "the expression is nested too deeply");
    Expression out;
    out.name = word();
    skipBlanks();
    if (!rest.empty() && rest[0] == '(') {
      out.function = std::exchange(out.name, "");
      expect('(');
      for (;;) {
        argument(out);
        skipBlanks();
        if (rest.empty() || rest[0] != ',')
          break;
        expect(',');
      }
      expect(')');
      checkArguments(out);
    }
    --depth;
    return out;
  }

  /// A number where one may stand, else an expression.
  void argument(Expression &of) {
    size_t end = std::min(rest.find_first_of(" \t\r,()="), rest.size());
    int64_t number;
    auto parsed = std::from_chars(rest.data(), rest.data() + end, number);
    if (end != 0 && parsed.ec == std::errc() &&
        parsed.ptr == rest.data() + end) {
      of.numbers.push_back(number);
      rest.remove_prefix(end);
    } else {
      of.operands.push_back(expression());
    }
  }

  void checkArguments(const Expression &e) const {
    struct Form {
      const char *name;
      size_t operands, numbers;
      bool moreOperands, moreNumbers;
      const char *use;
    };
    static constexpr Form forms[] = {
        {"transpose", 1, 0, false, true,
         "transpose(E) or transpose(E, DIM, ...)"},
        {"reshape", 1, 0, false, true, "reshape(E, EXTENT, ...)"},
        {"slice", 1, 3, false, false, "slice(E, DIM, BEGIN, END)"},
        {"split", 1, 3, false, false, "split(E, DIM, PARTS, K)"},
        {"concat", 1, 1, true, false, "concat(DIM, E, E, ...)"},
        {"stack", 1, 1, false, false, "stack(DIM, E)"},
    };
    for (const Form &form : forms) {
      if (e.function != form.name)
        continue;
      if (e.operands.size() < form.operands ||
          e.numbers.size() < form.numbers ||
          (!form.moreOperands && e.operands.size() != form.operands) ||
          (!form.moreNumbers && e.numbers.size() != form.numbers))
        error(line, "expected ", form.use);
      return;
    }
    error(line, "no function ", e.function,
          ": transpose, reshape, slice, split, concat and stack are known");
  }

  /// Only stack() may bind what the parameter's name does not.
  void checkPlaceholders(const Rule &rule) const {
    checkBound(rule.line, rule.value, placeholders(rule.target));
  }
  void checkBound(int at, const Expression &e,
                  std::set<std::string> bound) const {
    if (e.function == "stack") {
      std::set<std::string> free = unbound(e.operands[0], bound);
      if (free.size() != 1)
        error(at,
              "stack: expected one placeholder that the parameter's name "
              "does not have, found ",
              free.size());
      bound.insert(free.begin(), free.end());
    }
    if (e.function.empty())
      for (const std::string &key : placeholders(e.name))
        if (!bound.count(key))
          error(at, "{", key, "} is not in the parameter's name");
    for (const Expression &operand : e.operands)
      checkBound(at, operand, bound);
  }
  std::set<std::string> unbound(const Expression &e,
                                const std::set<std::string> &bound) const {
    std::set<std::string> free;
    // An inner stack binds its own.
    if (e.function == "stack")
      return free;
    for (const std::string &key : placeholders(e.name))
      if (!bound.count(key))
        free.insert(key);
    for (const Expression &operand : e.operands)
      free.merge(unbound(operand, bound));
    return free;
  }

  // Evaluation.

  static std::string fill(const std::string &pattern,
                          const Bindings &bindings) {
    std::string out;
    for (size_t at = 0; at < pattern.size();) {
      if (pattern[at] != '{') {
        out += pattern[at++];
        continue;
      }
      size_t close = pattern.find('}', at);
      out += bindings.at(pattern.substr(at + 1, close - at - 1));
      at = close + 1;
    }
    return out;
  }

  Weight evaluate(const Rule &rule, const Expression &e,
                  const Bindings &bindings) {
    if (e.function.empty()) {
      std::string name = fill(e.name, bindings);
      auto at = weights.tensors.find(name);
      if (at == weights.tensors.end())
        error(rule.line, weights.path, " has no tensor ", jsonText(name));
      used.insert(name);
      return at->second;
    }
    if (e.function == "stack")
      return stack(rule, e, bindings);
    Weight out = evaluate(rule, e.operands[0], bindings);
    std::string problem;
    const std::vector<int64_t> &n = e.numbers;
    if (e.function == "transpose") {
      std::vector<int64_t> order = n;
      size_t rank = out.shape.size();
      if (order.empty() && rank < 2)
        error(rule.line, "transpose: shape ", out.shape, " has no two dims");
      for (size_t i = 0; n.empty() && i < rank; ++i)
        order.push_back(int64_t(i < rank - 2 ? i : 2 * rank - 3 - i));
      problem = transposeWeight(out, order);
    } else if (e.function == "reshape") {
      problem = reshapeWeight(out, n);
    } else if (e.function == "slice") {
      problem = sliceWeight(out, n[0], n[1], n[2]);
    } else if (e.function == "split") {
      int64_t extent =
          n[0] >= 0 && n[0] < int64_t(out.shape.size()) ? out.shape[n[0]] : 0;
      if (n[1] < 1 || n[2] < 0 || n[2] >= n[1] || extent % n[1] != 0)
        error(rule.line, "split: no part ", n[2], " of ", n[1], " in dim ",
              n[0], " of shape ", out.shape);
      int64_t part = extent / n[1];
      problem = sliceWeight(out, n[0], part * n[2], part * (n[2] + 1));
    } else {
      for (size_t i = 1; i < e.operands.size() && problem.empty(); ++i)
        problem =
            concatWeights(out, evaluate(rule, e.operands[i], bindings), n[0]);
    }
    if (!problem.empty())
      error(rule.line, e.function, ": ", problem);
    return out;
  }

  /// The operand for 0, 1, ..., as long as there are tensors.
  Weight stack(const Rule &rule, const Expression &e,
               const Bindings &bindings) {
    std::set<std::string> bound;
    for (const auto &entry : bindings)
      bound.insert(entry.first);
    std::string key = *unbound(e.operands[0], bound).begin();
    Weight all;
    for (int64_t i = 0;; ++i) {
      Bindings here = bindings;
      here[key] = std::to_string(i);
      if (i != 0 && !exists(e.operands[0], here))
        break;
      Weight next = evaluate(rule, e.operands[0], here);
      int64_t dim = e.numbers[0];
      if (dim < 0 || dim > int64_t(next.shape.size()))
        error(rule.line, "stack: no dim ", dim, " beside those of shape ",
              next.shape);
      next.shape.insert(next.shape.begin() + dim, 1);
      for (Piece &piece : next.pieces) {
        if (!piece.strides.empty())
          piece.strides.insert(piece.strides.begin() + dim, 1);
        piece.shape.insert(piece.shape.begin() + dim, 1);
        piece.start.insert(piece.start.begin() + dim, 0);
      }
      if (i == 0) {
        all = std::move(next);
        continue;
      }
      std::string problem = concatWeights(all, next, dim);
      if (!problem.empty())
        error(rule.line, "stack: ", problem);
    }
    return all;
  }

  bool exists(const Expression &e, const Bindings &bindings) const {
    if (e.function.empty())
      return weights.tensors.count(fill(e.name, bindings)) != 0;
    return e.function == "stack" ||
           std::all_of(e.operands.begin(), e.operands.end(),
                       [&](const Expression &operand) {
                         return exists(operand, bindings);
                       });
  }

  const std::string &path;
  const WeightSet &weights;
  std::vector<Rule> rules;
  std::vector<std::string> ignored;
  std::set<std::string> used; // tensors that lines took
  int line = 0, depth = 0;
  std::string_view rest; // of the line
};

} // namespace

WeightSet renameWeights(const std::string &path, const WeightSet &weights,
                        const std::vector<std::string> &parameters) {
  return Renamer(path, weights).run(parameters);
}

} // namespace zcc::rt
