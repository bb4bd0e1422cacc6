// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ScheduleDrawing.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace zcc::planning {

namespace {
// The color of the first chunk's tasks, by kind; those of later chunks are
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

std::string drawScheduleSvg(const ScheduleProblem &problem,
                            const ScheduleTimes &times) {
  constexpr double width = 1600, row = 28, left = 70, top = 10;
  Extent all(times);
  double scale = width / all.length();
  double height = row * static_cast<double>(times.spans.size());
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" "
      "height=\"{:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n",
      left + width + top, top + height + 24);
  for (size_t stage = 0; stage < times.spans.size(); ++stage) {
    double y = top + row * static_cast<double>(stage);
    out += fmt::format("<text x=\"4\" y=\"{:.1f}\">stage {}</text>\n", y + 17,
                       stage);
    for (const ScheduleTimes::Span &span : times.spans[stage]) {
      const StageTask &task = problem.tasks[span.task];
      const int *color = colors[static_cast<int>(task.kind)];
      double shade = 1 - 0.3 * static_cast<double>(task.chunk) /
                             static_cast<double>(problem.chunksOf(task.stage));
      double x = left + (span.begin - all.begin) * scale,
             wide = (span.end - span.begin) * scale;
      out += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.0f}\" "
          "fill=\"rgb({:.0f},{:.0f},{:.0f})\" stroke=\"white\" "
          "stroke-width=\"0.5\"><title>{}{} chunk {}, {:.6g} to "
          "{:.6g}</title></rect>\n",
          x, y, wide, row - 4, color[0] * shade, color[1] * shade,
          color[2] * shade, taskLetters[static_cast<int>(task.kind)],
          span.microbatch, task.chunk, span.begin, span.end);
      if (wide >= 14)
        out += fmt::format("<text x=\"{:.2f}\" y=\"{:.1f}\" "
                           "text-anchor=\"middle\">{}</text>\n",
                           x + wide / 2, y + 16, span.microbatch);
    }
  }
  return out + fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\">forward, backward "
                           "(input), backward (weights); makespan {:.6g}, idle "
                           "{:.1f} %</text>\n</svg>\n",
                           left, top + height + 16, times.makespan,
                           100 * (1 - times.work / times.makespan));
}

} // namespace zcc::planning
