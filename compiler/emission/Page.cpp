// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emission/Page.h"
#include "compiler/emission/PageTimeline.h"
#include "compiler/emission/SvgText.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace zcc {

/// Returns page.html; it is embedded when zcc is built.
llvm::StringRef getPageTemplate();

namespace {
using Json = nlohmann::ordered_json;

// Bytes of the parts that grow with the program, which together with pictures
// and template are below 5 MB.
constexpr size_t mostOfReport = 1'400'000, mostOfExplanations = 900'000;
constexpr size_t mostSpans = 25'000; // about 25 bytes each
constexpr size_t mostCurves = 8, mostFamilies = 300;
constexpr size_t mostOfMessages = 20'000;
constexpr size_t mostOfSchedule = 750'000;

/// Returns JSON that may stand in an HTML <script>.
std::string inScript(llvm::StringRef json) {
  std::string out;
  for (char c : json)
    if (c == '<') // only strings have it
      out += "\\u003c";
    else
      out += c;
  return out;
}

std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Removes entries of the list, those for which `worth` is least, until it
/// takes at most `bytes`. Returns how many were removed.
size_t cutList(Json &list, size_t bytes,
               llvm::function_ref<double(const Json &)> worth) {
  std::vector<std::pair<double, size_t>> order;
  std::vector<size_t> sizes;
  for (const Json &entry : list) {
    order.emplace_back(-worth(entry), order.size());
    sizes.push_back(dump(entry).size() + 1);
  }
  llvm::sort(order);
  std::set<size_t> kept;
  size_t sum = 0;
  for (auto [_, i] : order) {
    if (sum + sizes[i] > bytes)
      break;
    sum += sizes[i];
    kept.insert(i);
  }
  Json out = Json::array();
  for (size_t i : kept)
    out.push_back(std::move(list[i]));
  size_t cut = list.size() - out.size();
  list = std::move(out);
  return cut;
}

class Writer {
public:
  Writer(const Report &report, const PageContents &contents)
      : report(report), contents(contents) {}

  std::string write() {
    std::string explained = writeExplained(), shown = writeReport(),
                memory = writeMemory(), picture = drawCurves(),
                lanes = writeTimeline(), schedule = drawTasks();
    return fillTemplate(
        {{"title", svg::escaped(formatProgram(contents.model, report))},
         {"report", inScript(shown)},
         {"explained", inScript(explained)},
         {"memory", inScript(memory)},
         {"timeline", inScript(lanes)},
         {"page", inScript(writeFacts())},
         {"memory-picture", picture},
         {"schedule-picture", schedule}});
  }

private:
  /// Returns the template with each text in the place {{NAME}}.
  static std::string
  fillTemplate(const std::map<llvm::StringRef, std::string> &texts) {
    llvm::StringRef rest = getPageTemplate();
    std::string out;
    for (size_t at; (at = rest.find("{{")) != llvm::StringRef::npos;) {
      out += rest.take_front(at);
      rest = rest.drop_front(at + 2);
      size_t end = rest.find("}}");
      assert(end != llvm::StringRef::npos && texts.count(rest.take_front(end)));
      out += texts.at(rest.take_front(end));
      rest = rest.drop_front(end + 2);
    }
    return out + rest.str();
  }

  std::string writeReport() {
    Json out = Json::parse(zcc::writeReport(report));
    auto worth = [](const Json &one) {
      return one["bytes"].get<double>() * one["times"].get<double>();
    };
    size_t size = dump(out).size();
    if (size > mostOfReport && out.contains("collectives")) {
      Json &list = out["collectives"];
      size_t others = size - dump(list).size();
      size_t room = others < mostOfReport ? mostOfReport - others : 0;
      leftOut["collectives"] = cutList(list, room, worth);
    }
    return dump(out);
  }

  std::string writeExplained() {
    if (!contents.explained)
      return "null";
    const ExplainedValues &all = *contents.explained;
    Json texts = Json::array(), names = Json::object();
    std::vector<size_t> sizes; // with those of the names
    for (const std::string &text : all.texts)
      sizes.push_back(dump(text).size() + 1);
    for (const auto &[name, index] : all.names)
      sizes[index] += dump(name).size() + 7;
    size_t size = all.plan.size(), left = 0;
    std::vector<std::optional<size_t>> numbers(all.texts.size());
    for (auto [i, text] : llvm::enumerate(all.texts)) {
      if (size + sizes[i] > mostOfExplanations) {
        ++left;
        continue;
      }
      size += sizes[i];
      numbers[i] = texts.size();
      texts.push_back(text);
    }
    for (const auto &[name, index] : all.names)
      if (numbers[index])
        names[name] = *numbers[index];
    leftOut["explanations"] = left;
    return dump(
        {{"plan", all.plan}, {"texts", texts}, {"names", std::move(names)}});
  }

  /// Returns all values that are live at the peak, by stage.
  std::string writeMemory() {
    Json out = Json::array();
    for (const MemoryCurve *curve : pickCurves()) {
      Json list = Json::array();
      for (const MemoryCurve::Family &family :
           llvm::ArrayRef(curve->families).take_front(mostFamilies))
        list.push_back({{"name", family.name},
                        {"category", family.category},
                        {"count", family.count},
                        {"bytes", family.bytes}});
      size_t shown = list.size();
      out.push_back({{"stage", curve->stage},
                     {"space", std::string(nameOf(curve->space))},
                     {"live", curve->levels[curve->peak].bytes.total()},
                     {"planned", curve->planned},
                     {"values", std::move(list)},
                     {"more", curve->families.size() - shown}});
    }
    return dump(out);
  }

  /// Returns the curves of largest peaks, in their order.
  std::vector<const MemoryCurve *> pickCurves() const {
    std::vector<const MemoryCurve *> all;
    for (const MemoryCurve &curve : contents.curves)
      all.push_back(&curve);
    llvm::stable_sort(all, [](const MemoryCurve *a, const MemoryCurve *b) {
      return a->planned > b->planned;
    });
    all.resize(std::min(all.size(), mostCurves));
    llvm::sort(all); // they lie in one list
    return all;
  }

  std::string drawCurves() {
    std::vector<MemoryCurve> picked;
    for (const MemoryCurve *curve : pickCurves())
      picked.push_back(*curve);
    leftOut["curves"] = contents.curves.size() - picked.size();
    return picked.empty() ? "" : drawMemory(picked, contents.memory);
  }

  std::string drawTasks() {
    if (!report.predicted || report.predicted->stages.size() < 2)
      return "";
    std::string out = drawSchedule(contents.spans, contents.memory.program,
                                   formatPrediction(*report.predicted));
    leftOut["schedule"] = out.size() > mostOfSchedule;
    return out.size() > mostOfSchedule ? "" : out;
  }

  std::string writeTimeline() const {
    return writeLanes(gatherLanes(contents.spans, mostSpans));
  }

  std::string writeFacts() const {
    return dump({{"program", formatProgram(contents.model, report)},
                 {"limit", contents.memory.limit},
                 {"table", formatReport(report)},
                 {"messages", contents.messages.substr(0, mostOfMessages)},
                 {"left_out", leftOut}});
  }

  const Report &report;
  const PageContents &contents;
  Json leftOut = Json::object(); // numbers of things that are not in the page
};
} // namespace

std::string writePage(const Report &report, const PageContents &contents) {
  return Writer(report, contents).write();
}

} // namespace zcc
