// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ScheduleDrawing.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace zcc::planning {

namespace {
// The colors of the first chunk's tasks, by kind; those of later chunks are
// darker.
constexpr int colors[][3] = {{126, 170, 226}, {240, 178, 102}, {134, 196, 132}};

struct Extent {
  double begin = std::numeric_limits<double>::infinity(), end = 0;

  explicit Extent(const ScheduleTimes &times) {
    for (const auto &stage : times.spans)
      for (const ScheduleTimes::Span &span : stage) {
        begin = std::min(begin, span.begin);
        end = std::max(end, span.end);
      }
    begin = std::min(begin, end);
  }
  double length() const { return std::max(end - begin, 1e-30); }
};
} // namespace

std::string drawScheduleText(const ScheduleProblem &problem,
                             const ScheduleTimes &times, size_t columns) {
  Extent all(times);
  double shortest = all.length();
  for (const auto &stage : times.spans)
    for (const ScheduleTimes::Span &span : stage)
      if (span.end > span.begin)
        shortest = std::min(shortest, span.end - span.begin);
  // The scale leaves room for the longest number in the shortest task, if
  // `columns` permits.
  size_t digits = std::to_string(problem.microbatches - 1).size();
  double scale = std::min(static_cast<double>(columns) / all.length(),
                          static_cast<double>(digits + 1) / shortest);
  std::string out;
  for (const auto &stage : times.spans) {
    auto column = [&](double time) {
      return static_cast<size_t>(std::lround((time - all.begin) * scale));
    };
    std::string line(column(all.end), '.');
    for (const ScheduleTimes::Span &span : stage) {
      size_t begin = column(span.begin), end = column(span.end);
      const StageTask &task = problem.tasks[span.task];
      std::string text = taskLetters[static_cast<int>(task.kind)] +
                         std::to_string(span.microbatch);
      if (text.size() > end - begin)
        text.resize(std::min<size_t>(1, end - begin));
      text.resize(end - begin, '=');
      line.replace(begin, end - begin, text);
    }
    out += line + "\n";
  }
  return out;
}

namespace {
constexpr const char *svgStyle =
    "text{fill:#222}.h1{font-size:16px;font-weight:bold}.dim{fill:#666}"
    ".number{fill:#1c1e21;font-size:10px;text-anchor:middle;pointer-events:"
    "none}"
    ".paper{fill:#fff}.row{fill:#f4f4f4}.grid{stroke:#d8d8d8}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.dim{fill:#999}"
    ".number{fill:#1c1e21}.paper{fill:#1d2026}.row{fill:#2a2e36}"
    ".grid{stroke:#434954}}";

std::string escapeXml(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '&'   ? "&amp;"
           : c == '<' ? "&lt;"
           : c == '>' ? "&gt;"
                      : std::string(1, c);
  return out;
}

class ScheduleSvg {
public:
  ScheduleSvg(const ScheduleProblem &problem, const ScheduleTimes &times,
              const SchedulePicture &picture)
      : problem(problem), times(times), picture(picture), all(times) {
    size_t most = 1, count = 0;
    double busy = 0;
    for (const auto &stage : times.spans) {
      most = std::max(most, stage.size());
      count += stage.size();
      for (const Span &span : stage)
        busy += span.end - span.begin;
    }
    width =
        std::clamp(static_cast<double>(most) * perTask, leastWidth, mostWidth);
    scale = width / all.length();
    joins =
        count > mostTasks || busy * scale < narrow * static_cast<double>(count);
    block =
        std::max(leastBlock,
                 width * static_cast<double>(times.spans.size()) / mostBlocks);
  }

  std::string draw() {
    double bottom = top + row * static_cast<double>(times.spans.size());
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<style>{2}</style>\n"
        "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
        left + width + right, bottom + 48, makeStyle());
    out += fmt::format("<text class=\"h1\" x=\"{}\" y=\"22\">{}</text>\n",
                       margin, escapeXml(picture.title));
    out += drawLegend();
    for (size_t stage = 0; stage < times.spans.size(); ++stage) {
      out += fmt::format(
          "<g transform=\"translate(0 {:.0f})\">\n<text x=\"{}\" "
          "y=\"17\">stage "
          "{}</text>\n<rect class=\"row\" x=\"{}\" width=\"{:.1f}\" "
          "height=\"{}\"/>\n",
          top + row * static_cast<double>(stage), margin, stage, left, width,
          high);
      out += (joins ? drawBlocks(times.spans[stage])
                    : drawTasks(times.spans[stage])) +
             "</g>\n";
    }
    return out + drawAxis(bottom) + "</svg>\n";
  }

private:
  using Span = ScheduleTimes::Span;

  double x(double time) const { return left + (time - all.begin) * scale; }

  /// Returns the text of a duration.
  std::string timeText(double time) const {
    if (!picture.inSeconds)
      return fmt::format("{:.6g}", time);
    return all.length() >= 1      ? fmt::format("{:.6g} s", time)
           : all.length() >= 1e-3 ? fmt::format("{:.6g} ms", time * 1e3)
                                  : fmt::format("{:.6g} us", time * 1e6);
  }

  std::string colorOf(const StageTask &task) const {
    const int *color = colors[static_cast<int>(task.kind)];
    double shade = 1 - 0.3 * static_cast<double>(task.chunk) /
                           static_cast<double>(problem.chunksOf(task.stage));
    return fmt::format("rgb({:.0f},{:.0f},{:.0f})", color[0] * shade,
                       color[1] * shade, color[2] * shade);
  }

  static std::string classOf(const StageTask &task) {
    return fmt::format("{}{}", taskLetters[static_cast<int>(task.kind)],
                       task.chunk);
  }

  /// Returns the styles of the kinds and chunks. Stages may differ in their
  /// number of chunks; the shades are those of the first stage that has one.
  std::string makeStyle() const {
    std::map<std::string, std::string> styles;
    for (int kind = 0; kind < 3; ++kind) {
      StageTask task{0, 0, static_cast<StageTaskKind>(kind)};
      styles.emplace(classOf(task), colorOf(task));
    }
    for (const StageTask &task : problem.tasks)
      styles.emplace(classOf(task), colorOf(task));
    std::string out = svgStyle;
    for (const auto &[name, color] : styles)
      out += fmt::format(".{}{{fill:{}}}", name, color);
    return out;
  }

  std::string nameOf(const Span &span) const {
    const StageTask &task = problem.tasks[span.task];
    return fmt::format("{}{} chunk {}",
                       taskLetters[static_cast<int>(task.kind)],
                       span.microbatch, task.chunk);
  }

  bool hasKind(StageTaskKind kind) const {
    return std::any_of(
        problem.tasks.begin(), problem.tasks.end(),
        [&](const StageTask &task) { return task.kind == kind; });
  }

  std::string drawLegend() const {
    bool splits = hasKind(StageTaskKind::WeightBackward);
    const char *const names[] = {"forward",
                                 splits ? "backward of inputs" : "backward",
                                 "backward of weights"};
    std::string out;
    double at = margin;
    for (int kind = 0; kind < 3; ++kind) {
      if (!hasKind(static_cast<StageTaskKind>(kind)))
        continue;
      std::string words =
          fmt::format("{} ({})", names[kind], taskLetters[kind]);
      StageTask task{0, 0, static_cast<StageTaskKind>(kind)};
      out += fmt::format("<rect x=\"{:.0f}\" y=\"33\" width=\"12\" "
                         "height=\"12\" class=\"{}\"/>\n<text x=\"{:.0f}\" "
                         "y=\"43\">{}</text>\n",
                         at, classOf(task), at + 17, words);
      at += 35 + 7 * static_cast<double>(words.size());
    }
    std::string more;
    for (const StageTask &task : problem.tasks)
      if (task.chunk > 0)
        more = "later chunks are darker; ";
    more += joins ? "tasks too narrow to be seen are blocks with the share of "
                    "each kind"
                  : "numbers are microbatches";
    std::string facts =
        picture.facts.empty()
            ? fmt::format("makespan {}, idle {:.1f} %",
                          timeText(times.makespan),
                          100 * (1 - times.work / times.makespan))
            : picture.facts;
    return out + fmt::format("<text class=\"dim\" x=\"{:.0f}\" "
                             "y=\"43\">{}</text>\n<text class=\"dim\" "
                             "x=\"{}\" y=\"62\">{}</text>\n",
                             at, more, margin, escapeXml(facts));
  }

  static std::string drawBox(double x, double y, double width, double height,
                             const std::string &kind,
                             const std::string &title) {
    return fmt::format("<rect class=\"{}\" x=\"{:.2f}\"{} width=\"{:.2f}\" "
                       "height=\"{:.4g}\"><title>{}</title></rect>\n",
                       kind, x, y > 0 ? fmt::format(" y=\"{:.4g}\"", y) : "",
                       width, height, title);
  }

  std::string drawTasks(const std::vector<Span> &spans) const {
    constexpr double letter = 5.8, gap = 0.6;
    std::string out;
    for (const Span &span : spans) {
      double from = x(span.begin), wide = (span.end - span.begin) * scale;
      out += drawBox(from, 0, std::max(wide - gap, wide / 2), high,
                     classOf(problem.tasks[span.task]),
                     fmt::format("{}, {} to {}", nameOf(span),
                                 timeText(span.begin - all.begin),
                                 timeText(span.end - all.begin)));
      std::string number = std::to_string(span.microbatch);
      if (wide >= letter * static_cast<double>(number.size()) + 2)
        out += fmt::format("<text class=\"number\" x=\"{:.1f}\" "
                           "y=\"16\">{}</text>\n",
                           from + wide / 2, number);
    }
    return out;
  }

  /// Draws runs of tasks with no gap that could be seen between them.
  std::string drawBlocks(const std::vector<Span> &spans) const {
    const double gap = block / 8;
    std::string out;
    for (size_t first = 0, last; first < spans.size(); first = last) {
      double end = spans[first].end, shares[3] = {};
      for (last = first; last < spans.size(); ++last) {
        const Span &span = spans[last];
        bool isFull = (end - spans[first].begin) * scale >= block;
        if (last > first && (isFull || (span.begin - end) * scale > gap))
          break;
        end = std::max(end, span.end);
        shares[static_cast<int>(problem.tasks[span.task].kind)] +=
            span.end - span.begin;
      }
      std::string title = fmt::format(
          "{} tasks, {} to {}, {} to {}", last - first, nameOf(spans[first]),
          nameOf(spans[last - 1]), timeText(spans[first].begin - all.begin),
          timeText(end - all.begin));
      double sum = shares[0] + shares[1] + shares[2], from = 0;
      for (int kind = 0; kind < 3 && sum > 0; ++kind) {
        double tall = high * shares[kind] / sum;
        if (tall > 0)
          out += drawBox(
              x(spans[first].begin), from, (end - spans[first].begin) * scale,
              tall, classOf({0, 0, static_cast<StageTaskKind>(kind)}), title);
        from += tall;
      }
    }
    return out;
  }

  /// Draws round numbers at the lower end; they count from the first begin.
  std::string drawAxis(double bottom) const {
    double unit = !picture.inSeconds || all.length() >= 1 ? 1
                  : all.length() >= 1e-3                  ? 1e-3
                                                          : 1e-6;
    double rough = all.length() / unit * perTick / width,
           power = std::pow(10.0, std::floor(std::log10(rough))),
           step = 10 * power;
    for (double factor : {5.0, 2.0, 1.0})
      if (factor * power >= rough)
        step = factor * power;
    std::string out;
    for (int64_t i = 0;
         static_cast<double>(i) * step * unit <= all.length() * (1 + 1e-9);
         ++i) {
      double at = left + static_cast<double>(i) * step * unit * scale;
      out += fmt::format(
          "<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" "
          "x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n<text x=\"{0:.1f}\" "
          "y=\"{3:.1f}\" text-anchor=\"middle\">{4:.6g}</text>\n",
          at, bottom, bottom + 5, bottom + 18, static_cast<double>(i) * step);
    }
    return out + fmt::format("<text class=\"dim\" x=\"{:.1f}\" y=\"{:.1f}\" "
                             "text-anchor=\"end\">time since the first "
                             "task{}</text>\n",
                             left + width, bottom + 36,
                             !picture.inSeconds ? ", in units of the costs"
                             : unit == 1        ? ", s"
                             : unit < 1e-3      ? ", us"
                                                : ", ms");
  }

  // Pixels.
  static constexpr double margin = 8, left = 70, right = 20, top = 74, row = 28,
                          high = 24, perTick = 90;
  static constexpr double perTask = 18, leastWidth = 900, mostWidth = 6000;
  // Tasks are joined if they are narrower than this on average, or more; blocks
  // have at least this width, and there are about this number of them.
  static constexpr double narrow = 8, leastBlock = 16, mostBlocks = 1500;
  static constexpr size_t mostTasks = 5000;

  const ScheduleProblem &problem;
  const ScheduleTimes &times;
  const SchedulePicture &picture;
  Extent all;
  double width = 0, block = 0; // pixels
  double scale = 0;            // pixels of a second
  bool joins = false;
};
} // namespace

std::string drawScheduleSvg(const ScheduleProblem &problem,
                            const ScheduleTimes &times,
                            const SchedulePicture &picture) {
  return ScheduleSvg(problem, times, picture).draw();
}

} // namespace zcc::planning
