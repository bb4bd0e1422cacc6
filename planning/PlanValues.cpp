// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/PlanValues.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <sstream>

namespace zcc::planning {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  if (text.empty() || text.back() == separator)
    parts.push_back("");
  return parts;
}

// ------------------------------------------------------------------- axes

// A name has letters, digits and underscores, and does not begin with a digit.
static bool isName(const std::string &text) {
  return !text.empty() && text.size() < 200 &&
         !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '_';
         });
}

static bool parseSize(const std::string &digits, int64_t &value) {
  if (digits.empty() || digits.size() > 7 ||
      !std::all_of(digits.begin(), digits.end(),
                   [](unsigned char c) { return std::isdigit(c); }))
    return false;
  value = std::atoll(digits.c_str());
  return value > 0;
}

bool parseAxisName(const std::string &text, AxisName &name) {
  size_t colon = text.find(':'), close = text.find(')');
  name = {text.substr(0, colon), 1, 0};
  if (!isName(name.axis) || colon == std::string::npos)
    return isName(text);
  return text.compare(colon, 2, ":(") == 0 && close != std::string::npos &&
         close > colon &&
         parseSize(text.substr(colon + 2, close - colon - 2), name.before) &&
         parseSize(text.substr(close + 1), name.size);
}

std::string parseMesh(const std::string &text, std::vector<PlanAxis> &axes) {
  axes.clear();
  std::string usage = "expected numbers as in 8x64, or named axes as in "
                      "data=8,tensor=4, found '" +
                      text + "'";
  constexpr int64_t most = 1 << 24;
  int64_t size, product = 1;
  bool bare = text.find('=') == std::string::npos;
  for (const std::string &part : split(text, bare ? 'x' : ',')) {
    size_t equals = bare ? std::string::npos : part.find('=');
    if (!bare && equals == std::string::npos)
      return usage;
    if (!parseSize(bare ? part : part.substr(equals + 1), size))
      return usage;
    if ((product *= size) > most)
      return fmt::format("'{}' has more than {} devices", text, most);
    if (bare)
      continue;
    std::string name = part.substr(0, equals);
    if (!isName(name))
      return usage;
    if (name == microAxisName)
      return "axis 'micro' is that of the microbatches; --microbatches gives "
             "its size";
    for (const PlanAxis &axis : axes)
      if (axis.name == name)
        return "axis '" + name + "' stands twice in '" + text + "'";
    axes.push_back({name, size});
  }
  if (bare)
    axes.push_back({product == 1 ? axisName(AxisRole::Data) : "", product});
  return "";
}

void orderByRole(std::vector<PlanAxis> &axes) {
  std::vector<PlanAxis> ordered;
  // From the role that sends least to the one that sends most.
  for (AxisRole role : {AxisRole::Pipe, AxisRole::Data, AxisRole::Expert,
                        AxisRole::Context, AxisRole::Tensor})
    std::copy_if(axes.begin(), axes.end(), std::back_inserter(ordered),
                 [&](const PlanAxis &axis) { return axis.role() == role; });
  if (ordered.size() == axes.size())
    axes = std::move(ordered);
}

std::string printMesh(const std::vector<PlanAxis> &axes) {
  std::string text;
  for (const PlanAxis &axis : axes)
    text +=
        (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  return text;
}

std::vector<std::string> parseAxes(const std::string &text) {
  std::string names = text;
  std::replace(names.begin(), names.end(), '+', ',');
  return names.empty() ? std::vector<std::string>() : split(names, ',');
}

std::vector<std::string> parseFold(const std::string &text) {
  const std::string role = std::string(axisName(AxisRole::Expert)) + "=";
  if (text.compare(0, role.size(), role) != 0)
    return {};
  std::vector<std::string> axes = parseAxes(text.substr(role.size()));
  bool isWhole = std::none_of(axes.begin(), axes.end(),
                              [](const std::string &a) { return a.empty(); });
  return isWhole ? axes : std::vector<std::string>();
}

// ----------------------------------------------------- annotations, states

std::string parseAnnotation(const std::string &text,
                            PlanAnnotation &annotation) {
  auto usage = [&](const std::string &found) {
    return "expected NAME-GLOB=AXES, one entry a dim as in "
           "'*.wo=data,-,tensor', found " +
           found;
  };
  size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    return usage("'" + text + "'");
  annotation = {text.substr(0, equals), {}};
  std::set<std::string> seen;
  std::vector<std::string> dims = split(text.substr(equals + 1), ',');
  for (size_t i = 0; i < dims.size(); ++i) {
    PlanAnnotation::Dim &dim = annotation.dims.emplace_back();
    dim.open = dims[i] == "?";
    if (dims[i] == "-" || dim.open)
      continue;
    for (const std::string &axis : split(dims[i], '+')) {
      AxisName name;
      if (!parseAxisName(axis, name))
        return usage(fmt::format("'{}' for dim {} in '{}'", dims[i], i, text));
      if (!seen.insert(axis).second)
        return "axis '" + axis + "' stands twice in '" + text + "'";
      dim.axes.push_back(axis);
    }
  }
  return "";
}

std::string printAnnotation(const PlanAnnotation &annotation) {
  std::string text = annotation.glob + "=";
  for (size_t i = 0; i < annotation.dims.size(); ++i) {
    const PlanAnnotation::Dim &dim = annotation.dims[i];
    text += i ? "," : "";
    text += dim.axes.empty() ? dim.open ? "?" : "-"
                             : fmt::format("{}", fmt::join(dim.axes, "+"));
  }
  return text;
}

std::string parseState(const std::string &text, PlanState &state) {
  using Fact = PlanState::Fact;
  size_t equals = text.rfind('=');
  if (equals != std::string::npos && equals > 0) {
    std::string value = text.substr(equals + 1);
    state = {text.substr(0, equals), Fact::Stage, 0};
    if (value == "keep" || value == "gather") {
      state.fact = value == "keep" ? Fact::Kept : Fact::Gathered;
      return "";
    }
    if (value.size() == 1 && value[0] >= '0' && value[0] <= '3') {
      state.stage = value[0] - '0';
      return "";
    }
  }
  return "expected NAME-GLOB=0|1|2|3|keep|gather, found '" + text + "'";
}

std::string printState(const PlanState &state) {
  using Fact = PlanState::Fact;
  return state.glob + "=" +
         (state.fact == Fact::Stage  ? std::to_string(state.stage)
          : state.fact == Fact::Kept ? "keep"
                                     : "gather");
}

// ------------------------------------------------------------------- pins

std::string parseShards(const std::string &text, PlanShards &shards) {
  size_t slash = text.find('/');
  std::string extent = slash == std::string::npos ? "" : text.substr(slash + 1);
  if (extent.empty() || extent.size() >= 18 ||
      extent.find_first_not_of("0123456789") != std::string::npos)
    return "expected AXES/EXTENT, found '" + text + "'";
  shards = {slash == 0 ? std::vector<std::string>()
                       : split(text.substr(0, slash), '+'),
            std::atoll(extent.c_str())};
  return "";
}

std::string printShards(const PlanShards &shards) {
  return fmt::format("{}/{}", fmt::join(shards.axes, "+"), shards.extent);
}

std::string printShards(const std::vector<PlanShards> &list) {
  std::string text;
  for (const PlanShards &shards : list)
    text += (text.empty() ? "\"" : ", \"") + printShards(shards) + "\"";
  return "[" + text + "]";
}

// -------------------------------------------------------------- residuals

/// In the order of the enum.
static constexpr const char *policyNames[] = {"keep", "recompute",
                                              "recompute-blocks"};

std::optional<RematPolicy> parsePolicy(const std::string &text) {
  for (size_t i = 0; i < std::size(policyNames); ++i)
    if (text == policyNames[i])
      return static_cast<RematPolicy>(i);
  return std::nullopt;
}

const char *printPolicy(RematPolicy policy) {
  return policyNames[static_cast<size_t>(policy)];
}

std::string parseRemat(const std::string &text,
                       std::vector<PlanResidual> &residuals) {
  residuals.clear();
  std::vector<std::string> globs = split(text, ',');
  for (const std::string &glob : globs) {
    bool word = glob == "auto" || glob == "none" || glob == "full";
    if (word && globs.size() > 1)
      return "expected auto, none, full or globs, found '" + text + "': '" +
             glob + "' stands alone";
    if (glob.empty())
      return "expected a glob between commas, found '" + text + "'";
    if (!word)
      residuals.push_back({glob, RematPolicy::Recompute});
    else if (glob != "auto")
      residuals.push_back({"*", glob == "none" ? RematPolicy::Keep
                                               : RematPolicy::RecomputeBlocks});
  }
  return "";
}

std::string printRemat(const std::vector<PlanResidual> &residuals) {
  if (residuals.empty())
    return "auto";
  std::string text;
  for (const PlanResidual &residual : residuals)
    text += (text.empty() ? "" : ",") +
            (residual.policy == RematPolicy::Keep        ? "none"
             : residual.policy == RematPolicy::Recompute ? residual.glob
                                                         : "full");
  return text;
}

// ---------------------------------------------------------------- offload

/// In the order of the enum.
static constexpr const char *kindNames[] = {"optimizer", "activations",
                                            "parameters"};

const char *printKind(OffloadKind kind) {
  return kindNames[static_cast<size_t>(kind)];
}

std::string parseOffload(const std::vector<std::string> &names,
                         PlanOffload &offload) {
  offload = {};
  if (names.size() == 1 && names.front() == "none")
    return "";
  if (names.size() == 1 && names.front() == "auto") {
    offload.isAuto = true;
    return "";
  }
  for (const std::string &name : names) {
    const auto *known =
        std::find(std::begin(kindNames), std::end(kindNames), name);
    if (known == std::end(kindNames))
      return fmt::format("expected {}, found '{}'", fmt::join(kindNames, ", "),
                         name);
    auto kind = static_cast<OffloadKind>(known - std::begin(kindNames));
    if (std::find(offload.kinds.begin(), offload.kinds.end(), kind) !=
        offload.kinds.end())
      return "'" + name + "' stands twice";
    offload.kinds.push_back(kind);
  }
  // The kinds get one order, independent of that of the names.
  std::sort(offload.kinds.begin(), offload.kinds.end());
  return "";
}

std::vector<std::string> printOffload(const PlanOffload &offload) {
  if (offload.isAuto)
    return {"auto"};
  std::vector<std::string> names;
  for (OffloadKind kind : offload.kinds)
    names.emplace_back(printKind(kind));
  return names;
}

// -------------------------------------------------------------- decisions

// Returns a number of at most six digits; -1 if the text is none.
static int64_t parseNumber(const std::string &text) {
  constexpr size_t mostDigits = 6;
  bool right = !text.empty() && text.size() <= mostDigits &&
               text.find_first_not_of("0123456789") == std::string::npos;
  return right ? std::stoll(text) : -1;
}

std::string parseNumbers(const std::string &text,
                         std::vector<int64_t> &numbers) {
  numbers.clear();
  if (text.empty())
    return "";
  std::set<int64_t> all;
  for (const std::string &part : split(text, ',')) {
    std::vector<std::string> steps = split(part, '/'),
                             ends = split(steps.front(), '-');
    int64_t first = parseNumber(ends.front()), last = parseNumber(ends.back()),
            step = steps.size() > 1 ? parseNumber(steps.back()) : 1;
    bool right = steps.size() <= 2 && ends.size() <= 2 && first >= 0 &&
                 last >= first && step > 0;
    for (int64_t i = first; right && i <= last; i += step)
      right = all.insert(i).second;
    if (!right)
      return "expected numbers, each once, as in 0-3,7-31/8, found '" + text +
             "'";
  }
  numbers.assign(all.begin(), all.end());
  return "";
}

// Each term is the longest run of equal steps that begins at the first
// remaining number.
std::string printNumbers(const std::vector<int64_t> &numbers) {
  constexpr size_t mostSteps = 32;
  std::set<int64_t> left(numbers.begin(), numbers.end());
  std::string text;
  while (!left.empty()) {
    int64_t first = *left.begin(), best = 1, longest = 0;
    size_t tries = 0;
    for (auto at = std::next(left.begin());
         at != left.end() && tries < mostSteps; ++at, ++tries) {
      int64_t step = *at - first, length = 0;
      while (left.count(first + (length + 1) * step))
        ++length;
      if (length > longest && (length > 1 || step == 1)) {
        best = step;
        longest = length;
      }
    }
    for (int64_t i = 0; i <= longest; ++i)
      left.erase(first + i * best);
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (longest > 0)
      text += "-" + std::to_string(first + longest * best);
    if (longest > 0 && best > 1)
      text += "/" + std::to_string(best);
  }
  return text;
}

// ------------------------------------------------------------ compression

std::string listCompressions() { return "none|auto|" + listNumberFormats("|"); }

std::string parseCompression(const std::string &text,
                             PlanCompression &compression) {
  compression = {text == "auto", findNumberFormat(text)};
  if (compression.isAuto || compression.format || text == "none")
    return "";
  return fmt::format("expected one of {}, found '{}'", listCompressions(),
                     text);
}

std::string printCompression(const PlanCompression &compression) {
  if (compression.isAuto)
    return "auto";
  return std::string(compression.format ? getName(*compression.format)
                                        : "none");
}

// ------------------------------------------------------------------ checks

std::string checkAxes(const Plan &plan) {
  if (plan.mesh.size() == 1 && plan.mesh.front().name.empty())
    return "";
  // Returns what is wrong with an axis, or "".
  auto check = [&](const std::string &text) -> std::string {
    AxisName name;
    bool parsed = parseAxisName(text, name);
    for (const PlanAxis &axis : plan.mesh) {
      if (!parsed || axis.name != name.axis)
        continue;
      if (name.size && axis.size > 1 &&
          axis.size % (name.before * name.size) != 0)
        return fmt::format("names '{}', which is no part of axis '{}' of {}",
                           text, name.axis, axis.size);
      return "";
    }
    std::string list;
    for (const PlanAxis &axis : plan.mesh)
      list += (list.empty() ? "" : ", ") + axis.name;
    return "names the axis '" + (parsed ? name.axis : text) +
           "'; the mesh has " + list;
  };
  for (const PlanAnnotation &annotation : plan.shard)
    for (const PlanAnnotation::Dim &dim : annotation.dims)
      for (const std::string &axis : dim.axes)
        if (std::string wrong = check(axis); !wrong.empty())
          return "--shard: '" + printAnnotation(annotation) + "' " + wrong;
  // Checks a list of axes, none of which may share devices with another one.
  auto checkList = [&](const std::string &option,
                       const std::vector<std::string> &axes) -> std::string {
    std::string all = fmt::format("{}", fmt::join(axes, ","));
    std::vector<std::string> seen;
    for (const std::string &axis : axes) {
      if (std::string wrong = check(axis); !wrong.empty())
        return option + ": '" + all + "' " + wrong;
      AxisName name, other;
      parseAxisName(axis, name);
      for (const std::string &before : seen) {
        parseAxisName(before, other);
        if (axis == before)
          return option + ": axis '" + axis + "' stands twice in '" + all + "'";
        // A size of 0 stands for a whole axis.
        bool apart = name.size != 0 && other.size != 0 &&
                     (name.before >= other.before * other.size ||
                      other.before >= name.before * name.size);
        if (name.axis == other.axis && !apart)
          return option + ": '" + before + "' and '" + axis +
                 "' have devices in common";
      }
      seen.push_back(axis);
    }
    return "";
  };
  std::string wrong = checkList("--zero-axes", plan.zeroAxes);
  return wrong.empty() ? checkList("--fold", plan.expertAxes) : wrong;
}

} // namespace zcc::planning
