// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emission/MemoryPanel.h"
#include "compiler/emission/NameGroup.h"
#include "compiler/emission/SvgText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

namespace zcc {
namespace {
using svg::element;
using svg::escaped;
using svg::line;
using svg::number;
using svg::rect;
using svg::text;
using svg::title;
using Category = MemoryCategory;
constexpr auto &categories = memoryCategories;
constexpr double left = MemoryPanel::left;

const char *colorOf(llvm::StringRef category) {
  for (const Category &own : categories)
    if (category == own.name)
      return own.color;
  return std::rbegin(categories)->color;
}

const char *colorOf(const MemoryCurve::Action &action) {
  constexpr const char *other = "#cccccc";
  if (!action.kind)
    return other;
  switch (*action.kind) {
  case dist::TaskKind::Forward:
    return "#a6cee3";
  case dist::TaskKind::Backward:
    return "#fdbf6f";
  case dist::TaskKind::WeightBackward:
    return "#fb9a99";
  case dist::TaskKind::Epilogue:
    return "#b2df8a";
  case dist::TaskKind::Prologue:
  case dist::TaskKind::Init:
    return other;
  }
  return other;
}

// Pixels.
constexpr double plotTop = 40, plotHeight = 300;
constexpr double stripTop = plotTop + plotHeight + 36, stripHeight = 18;
constexpr double rowsTop = stripTop + stripHeight + 32, rowHeight = 20;
constexpr double familiesTop = rowsTop + 10 * rowHeight + 34;
static_assert(familiesTop + std::size(categories) * rowHeight + 8 <=
              MemoryPanel::height);

std::string plain(double value) {
  std::string out;
  llvm::raw_string_ostream(out) << llvm::format("%.10g", value);
  return out == "-0" ? "0" : out;
}

/// Returns the text of a round number: "5 MB".
std::string tickText(double bytes) {
  std::string out = formatBytes(std::llround(bytes));
  if (size_t at = out.find(".00 "); at != std::string::npos)
    out.erase(at, 3);
  return bytes == 0 ? "0" : out;
}

std::string shortened(llvm::StringRef name, size_t most) {
  if (name.size() <= most)
    return name.str();
  return name.take_front(most - 12).str() + "..." + name.take_back(9).str();
}

class Panel {
public:
  /// `top` is the number of bytes at the upper end.
  Panel(const MemoryCurve &curve, double width, double top, double limit,
        bool several)
      : curve(curve), width(width), top(top), limit(limit), several(several),
        columns(sampleColumns()) {}

  std::string draw() {
    std::string out = drawAxes() + drawAreas() + drawLines() + drawTasks() +
                      drawResidents() + drawFamilies() + drawHover();
    return element("g",
                   {{"class", "panel"},
                    {"data-stage", std::to_string(curve.stage)},
                    {"data-space", std::string(nameOf(curve.space))},
                    {"data-allocated", std::to_string(curve.planned)},
                    {"data-live", std::to_string(live())}},
                   "\n" + out);
  }

private:
  const MemoryCurve::Level &peak() const { return curve.levels[curve.peak]; }
  int64_t live() const { return peak().bytes.total(); }
  double x(double at) const {
    double span = curve.end - curve.begin;
    return left + (span > 0 ? (at - curve.begin) / span * width : 0);
  }
  double y(double bytes) const {
    return plotTop + plotHeight * (1 - bytes / top);
  }
  std::string timeText(double at) const {
    if (at < 0)
      return "init, before the step";
    return curve.inSeconds
               ? formatSeconds(at)
               : "step " + std::to_string(std::llround(at)) + " of the program";
  }

  /// Returns for each column of pixels the level in it that has most bytes.
  std::vector<size_t> sampleColumns() const {
    auto count = static_cast<size_t>(width);
    std::vector<std::optional<size_t>> found(count);
    auto columnOf = [&](double at) {
      return static_cast<size_t>(std::clamp(std::floor(x(at) - left), 0.0,
                                            static_cast<double>(count - 1)));
    };
    for (size_t i = 0; i < curve.levels.size(); ++i) {
      const MemoryCurve::Level &level = curve.levels[i];
      bool isLast = i + 1 == curve.levels.size();
      double until = isLast ? curve.end : curve.levels[i + 1].at;
      size_t first = columnOf(level.at), last = columnOf(until);
      // A level that ends where a column begins is not in it.
      if (last > first && !isLast &&
          x(until) - left == static_cast<double>(last))
        --last;
      for (size_t column = first; column <= last; ++column)
        if (!found[column] ||
            level.bytes.total() > curve.levels[*found[column]].bytes.total())
          found[column] = i;
    }
    std::vector<size_t> out(count);
    for (size_t i = 0; i < count; ++i)
      out[i] = found[i] ? *found[i] : i ? out[i - 1] : 0;
    return out;
  }

  std::string drawAxes() const {
    std::string out, space(nameOf(curve.space));
    bool isOfDevice = curve.space == MemorySpace::Device;
    if (several)
      out += text(left, 14,
                  "stage " + std::to_string(curve.stage) +
                      (isOfDevice ? "" : ", " + space),
                  {{"class", "h2"}});
    else if (!isOfDevice)
      out += text(left, 14, space, {{"class", "h2"}});
    for (double tick : svg::axisTicks(0, top, 6)) {
      out += line(left, y(tick), left + width, y(tick), "grid");
      out +=
          text(left - 6, y(tick) + 4, tickText(tick), {{"text-anchor", "end"}});
    }
    double bottom = plotTop + plotHeight;
    double unit = !curve.inSeconds    ? 1
                  : curve.end >= 1    ? 1
                  : curve.end >= 1e-3 ? 1e-3
                                      : 1e-6;
    for (double tick :
         svg::axisTicks(0, curve.end / unit, width < 600 ? 5 : 10)) {
      out += line(x(tick * unit), bottom, x(tick * unit), bottom + 4, "axis");
      out += text(x(tick * unit), bottom + 16, plain(tick),
                  {{"text-anchor", "middle"}});
    }
    std::string what = curve.inSeconds
                           ? std::string("time of the simulated step, ") +
                                 (unit == 1     ? "s"
                                  : unit < 1e-3 ? "us"
                                                : "ms")
                           : "steps of the program in their order: no time is "
                             "known";
    out += text(left + width, bottom + 30, what,
                {{"text-anchor", "end"}, {"class", "dim"}});
    if (curve.begin < 0) {
      out += rect(left, plotTop, x(0) - left, plotHeight, {{"class", "before"}},
                  title("init: runs once, before the first step; nobody "
                        "times it"));
      out += text(left + 4, plotTop + 14, "init", {{"class", "dim halo"}});
    }
    return out;
  }

  /// Draws the area below the sum of the categories up to `last`; the areas of
  /// fewer categories are drawn over it.
  std::string drawArea(size_t last) const {
    auto sum = [&](size_t level) {
      int64_t bytes = 0;
      for (size_t i = 0; i <= last; ++i)
        bytes += curve.levels[level].bytes.*categories[i].bytes;
      return bytes;
    };
    std::string path = "M" + number(left) + " " + number(y(0));
    int64_t now = -1;
    for (size_t column = 0; column < columns.size(); ++column)
      if (int64_t bytes = sum(columns[column]); bytes != now) {
        if (column > 0)
          path += "H" + number(left + static_cast<double>(column));
        path += "V" + number(y(static_cast<double>(bytes)));
        now = bytes;
      }
    path += "H" + number(left + width) + "V" + number(y(0)) + "Z";
    return element("path", {{"class", "area"},
                            {"data-category", categories[last].name},
                            {"fill", categories[last].color},
                            {"d", path}});
  }

  std::string drawAreas() const {
    std::string out;
    for (size_t i = std::size(categories); i-- > 0;)
      if (categories[i].isIn(curve))
        out += drawArea(i);
    double bottom = plotTop + plotHeight;
    out += line(left, plotTop, left, bottom, "axis");
    out += line(left, bottom, left + width, bottom, "axis");
    return out;
  }

  std::string drawLines() const {
    std::string out;
    // Lines that are close to each other have their labels at different ends,
    // and that of the lower one is far from the mark of the peak.
    auto across = [&](double bytes, const char *kind, const std::string &what,
                      bool atEnd, bool below) {
      double at = y(bytes);
      out += line(left, at, left + width, at, kind);
      out += text(
          atEnd ? left + width - 6 : left + 6, below ? at + 14 : at - 5, what,
          {{"class", "halo"}, {"text-anchor", atEnd ? "end" : "start"}});
    };
    bool showsLimit = limit > 0 && limit <= top;
    std::string allocated = "planned peak " + formatBytes(curve.planned);
    if (curve.planned > live()) {
      out += line(left, y(static_cast<double>(live())), left + width,
                  y(static_cast<double>(live())), "live");
      allocated +=
          ", " + formatBytes(curve.planned - live()) + " of it between values";
    }
    bool isEarly = x(peak().at) < left + width / 2;
    constexpr double letters = 18; // the height of a label
    auto planned = static_cast<double>(curve.planned);
    across(planned, "allocated", allocated, isEarly,
           showsLimit && std::abs(y(planned) - y(limit)) < letters);
    if (showsLimit)
      across(limit, "limit",
             "limit " + formatBytes(static_cast<int64_t>(limit)), !isEarly,
             false);
    // A line marks the time of the peak, through all the rows below.
    double at = x(peak().at),
           end = rowsTop +
                 rowHeight * static_cast<double>(curve.residents.size());
    out += line(at, plotTop - 6, at, end, "at");
    out += element("circle",
                   {{"class", "peak"},
                    {"cx", at},
                    {"cy", y(static_cast<double>(live()))},
                    {"r", 4.0},
                    {"data-bytes", std::to_string(live())},
                    {"data-at", plain(peak().at)}},
                   title(tellLevel(peak(), peak().at)));
    out += text(at, plotTop - 10,
                "most in use: " + formatBytes(live()) + " at " +
                    timeText(peak().at) + actionText(peak().at),
                {{"text-anchor", at < left + width / 3       ? "start"
                                 : at > left + 2 * width / 3 ? "end"
                                                             : "middle"}});
    return out;
  }

  /// Returns ", forward 0", or "" if nothing runs.
  std::string actionText(double at) const {
    auto after = llvm::upper_bound(
        curve.actions, at, [](double at, const MemoryCurve::Action &action) {
          return at < action.begin;
        });
    return after == curve.actions.begin() ? "" : ", " + std::prev(after)->name;
  }

  std::string tellLevel(const MemoryCurve::Level &level, double at) const {
    std::string out = timeText(at) + actionText(at) + "\n" +
                      formatBytes(level.bytes.total()) + " in use";
    for (size_t i = std::size(categories); i-- > 0;)
      if (int64_t bytes = level.bytes.*categories[i].bytes)
        out +=
            "\n" + std::string(categories[i].name) + " " + formatBytes(bytes);
    return out;
  }

  /// Draws the actions; those too short to be seen are joined.
  std::string drawTasks() const {
    constexpr double least = 3;
    std::string out;
    const std::vector<MemoryCurve::Action> &all = curve.actions;
    for (size_t first = 0, last; first < all.size(); first = last) {
      double from = x(all[first].begin);
      const MemoryCurve::Action *longest = &all[first];
      for (last = first; last < all.size() &&
                         (last == first || x(all[last - 1].end) - from < least);
           ++last)
        if (all[last].end - all[last].begin > longest->end - longest->begin)
          longest = &all[last];
      double wide = x(all[last - 1].end) - from;
      std::string what = last - first == 1 ? all[first].name
                                           : std::to_string(last - first) +
                                                 ": " + all[first].name +
                                                 " to " + all[last - 1].name;
      std::string words = what + "\n" + timeText(all[first].begin) +
                          (curve.inSeconds && all[first].begin >= 0
                               ? ", takes " + formatSeconds(all[last - 1].end -
                                                            all[first].begin)
                               : "");
      out +=
          rect(from, stripTop, std::max(wide, 0.5), stripHeight,
               {{"fill", colorOf(*longest)}, {"stroke", "#fff"}}, title(words));
      if (last - first == 1)
        out += labelTask(all[first].name, from, wide);
    }
    return out;
  }

  static std::string labelTask(const std::string &name, double from,
                               double wide) {
    constexpr double letter = 7;
    size_t space = name.rfind(' ');
    for (const std::string &label :
         {name, space == std::string::npos
                    ? name.substr(0, 1)
                    : name.substr(0, 1) + name.substr(space + 1)})
      if (letter * static_cast<double>(label.size()) < wide)
        return text(from + wide / 2, stripTop + 13, label,
                    {{"text-anchor", "middle"}, {"pointer-events", "none"}});
    return "";
  }

  std::string drawResidents() const {
    int64_t sum = 0;
    std::string rows;
    for (auto [i, own] : llvm::enumerate(curve.residents)) {
      sum += own.value.bytes;
      rows += drawResident(own, rowsTop + rowHeight * static_cast<double>(i));
    }
    size_t count = curve.residents.size();
    std::string what =
        count == 0 ? "nothing is in use"
        : count == 1
            ? "in use at the peak, and when"
            : "the " +
                  (count == 10 ? std::string("ten") : std::to_string(count)) +
                  " largest at the peak" +
                  (several ? "" : ", and when they are in use") + ": " +
                  formatBytes(sum) + " of " + formatBytes(live());
    return text(left, rowsTop - 8, what, {{"class", "h2"}}) + rows;
  }

  std::string drawResident(const MemoryCurve::Resident &own, double y) const {
    std::string out = rect(left, y, width, rowHeight - 3, {{"class", "track"}});
    // Live ranges less than a pixel apart are joined.
    for (size_t first = 0, last; first < own.live.size(); first = last) {
      double from = x(own.live[first].first), to = x(own.live[first].second);
      for (last = first + 1;
           last < own.live.size() && x(own.live[last].first) < to + 1; ++last)
        to = std::max(to, x(own.live[last].second));
      out += rect(
          from, y, std::max(to - from, 1.0), rowHeight - 3,
          {{"fill", colorOf(own.value.category)}, {"fill-opacity", "0.45"}});
    }
    constexpr double letter = 6.6;
    size_t most = static_cast<size_t>(width / 7) - 24;
    std::string size = formatBytes(own.value.bytes),
                name = shortened(own.value.name, most);
    // The words stand beside the bars where there is room.
    double wide =
               16 + letter * static_cast<double>(size.size() + name.size() +
                                                 own.value.category.size() + 4),
           at = left + 6;
    if (!own.live.empty() && x(own.live.front().first) < left + wide &&
        x(own.live.back().second) + wide < left + width)
      at = x(own.live.back().second) + 6;
    std::string words = "<tspan font-weight=\"bold\">" + size + "</tspan>  " +
                        escaped(name) + "  <tspan class=\"dim\">" +
                        escaped(own.value.category) + "</tspan>";
    out +=
        element("text", {{"class", "halo"}, {"x", at}, {"y", y + 13}}, words);
    out += title(own.value.name + "\n" + own.value.category + ", " +
                 formatBytes(own.value.bytes) + " (" +
                 std::to_string(own.value.bytes) + " bytes)");
    return element("g",
                   {{"class", "resident"},
                    {"data-name", own.value.name},
                    {"data-category", own.value.category},
                    {"data-bytes", std::to_string(own.value.bytes)}},
                   out);
  }

  /// Lists the values of each category at the peak.
  std::string drawFamilies() const {
    std::string out =
        text(left, familiesTop - 8,
             "all that is in use at the peak, by category", {{"class", "h2"}});
    double at = familiesTop;
    for (const Category &category : categories) {
      int64_t bytes = peak().bytes.*category.bytes;
      if (bytes == 0)
        continue;
      constexpr size_t most = 30;
      std::string words, more;
      size_t told = 0, left = 0;
      for (const MemoryCurve::Family &family : curve.families) {
        if (family.category != category.name)
          continue;
        std::string own =
            family.name +
            (family.count > 1 ? " (" + std::to_string(family.count) + ")"
                              : "") +
            " " + formatBytes(family.bytes);
        words += (told ? ", " : "") + own;
        if (++told <= most)
          more += "\n" + own;
        else
          ++left;
      }
      if (left > 0)
        more += "\nand " + std::to_string(left) + " more";
      std::string sum = std::string(category.name) + " " + formatBytes(bytes);
      out += drawFamilyLine(category, at, sum, words, sum + more);
      at += rowHeight;
    }
    return out;
  }

  std::string drawFamilyLine(const Category &category, double at,
                             llvm::StringRef sum, llvm::StringRef words,
                             llvm::StringRef all) const {
    size_t fits = static_cast<size_t>(width / 6.5) - sum.size() - 6;
    std::string shown = words.str();
    if (shown.size() > fits) {
      // As many as fit, and no size without its unit.
      size_t end = words.take_front(fits).rfind(", ");
      shown = end == llvm::StringRef::npos
                  ? shorten(words.take_front(words.find(", ")), fits)
                  : words.take_front(end).str();
      shown += ", ...";
    }
    return element("g", {{"class", "family"}},
                   rect(left, at, 12, 12, {{"fill", category.color}}) +
                       element("text", {{"x", left + 18}, {"y", at + 11}},
                               "<tspan font-weight=\"bold\">" + escaped(sum) +
                                   "</tspan>  " + escaped(shown)) +
                       title(all));
  }

  /// Adds titles that show the bytes in use at the mouse.
  std::string drawHover() const {
    std::string out;
    size_t step = several ? 12 : 4;
    for (size_t first = 0; first < columns.size(); first += step) {
      size_t last = std::min(first + step, columns.size());
      size_t most = columns[first];
      for (size_t i = first; i < last; ++i)
        if (curve.levels[columns[i]].bytes.total() >
            curve.levels[most].bytes.total())
          most = columns[i];
      double begin = curve.begin + (curve.end - curve.begin) *
                                       static_cast<double>(first) / width;
      const MemoryCurve::Level &level = curve.levels[most];
      out += rect(left + static_cast<double>(first), plotTop,
                  static_cast<double>(last - first), plotHeight,
                  {{"class", "hover"}},
                  title(tellLevel(level, std::max(level.at, begin))));
    }
    return out;
  }

  const MemoryCurve &curve;
  double width, top, limit;
  bool several;
  std::vector<size_t> columns; // levels
};
} // namespace

bool MemoryCategory::isIn(const MemoryCurve &curve) const {
  return llvm::any_of(curve.levels, [&](const MemoryCurve::Level &level) {
    return level.bytes.*bytes != 0;
  });
}

std::string MemoryPanel::draw(const MemoryCurve &curve) const {
  return Panel(curve, width, top, limit, several).draw();
}

} // namespace zcc
