// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws the losses in logs. If a log is long, each column of the picture keeps
// its first, least, greatest and last value, so that no spike is lost and the
// file stays small.

#include "tools/zrun/Plot.h"

#include "runtime/core/Error.h"
#include "runtime/data/NewFile.h"
#include "runtime/format/Text.h"
#include "tools/zrun/LogLine.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>

namespace zcc::rt {

namespace {

constexpr double width = 800, height = 480;
constexpr double left = 70, right = 30, top = 20, bottom = 50;
// Okabe and Ito's colors, which colorblind people can tell apart.
constexpr const char *colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                  "#56b4e9", "#e69f00", "#000000"};

/// From values to a range of pixels.
struct Axis {
  double low, high, from, to;
  bool logarithmic;

  double at(double value) const {
    double a = low, b = high;
    if (logarithmic) {
      value = std::log10(value);
      a = std::log10(low);
      b = std::log10(high);
    }
    return from + (value - a) / (b - a) * (to - from);
  }
};

std::string pixel(double value) {
  char out[32];
  std::snprintf(out, sizeof(out), "%.1f", value);
  return out;
}

std::string tickText(double value) {
  char out[32];
  std::snprintf(out, sizeof(out), "%.10g", value);
  return out;
}

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '&'   ? std::string("&amp;")
           : c == '<' ? std::string("&lt;")
           : c == '>' ? std::string("&gt;")
                      : std::string(1, c);
  return out;
}

std::string label(double x, double y, const char *anchor,
                  const std::string &content, const char *more = "") {
  return text("<text x=\"", pixel(x), "\" y=\"", pixel(y), "\" text-anchor=\"",
              anchor, "\"", more, ">", escaped(content), "</text>\n");
}

std::string line(double x1, double y1, double x2, double y2,
                 const char *color) {
  return text("<line x1=\"", pixel(x1), "\" y1=\"", pixel(y1), "\" x2=\"",
              pixel(x2), "\" y2=\"", pixel(y2), "\" stroke=\"", color,
              "\"/>\n");
}

/// The points of one column of pixels that a line needs.
class Column {
public:
  void add(double x, double y, size_t index) {
    Point point{x, y, index};
    if (kept.empty())
      kept.assign(4, point);
    if (y < kept[1].y)
      kept[1] = point;
    if (y > kept[2].y)
      kept[2] = point;
    kept[3] = point;
  }
  std::string take() {
    std::sort(kept.begin(), kept.end(),
              [](const Point &a, const Point &b) { return a.index < b.index; });
    std::string out;
    for (size_t i = 0; i < kept.size(); ++i)
      if (i == 0 || kept[i].index != kept[i - 1].index)
        out += pixel(kept[i].x) + "," + pixel(kept[i].y) + " ";
    kept.clear();
    return out;
  }

private:
  struct Point {
    double x, y;
    size_t index;
  };
  std::vector<Point> kept;
};

bool isShown(double loss, bool logarithmic) {
  return std::isfinite(loss) && (!logarithmic || loss > 0);
}

std::string drawLine(const LossCurve &curve, const Axis &x, const Axis &y,
                     const char *color) {
  std::string out, points;
  Column column;
  double current = -1;
  auto finish = [&] {
    points += column.take();
    if (!points.empty())
      points.pop_back();
    if (points.find(' ') != std::string::npos)
      out += text("<polyline fill=\"none\" stroke=\"", color,
                  "\" stroke-width=\"1.5\" stroke-linejoin=\"round\" "
                  "points=\"",
                  points, "\"/>\n");
    else if (!points.empty()) // one value between gaps
      out += text("<circle cx=\"", points.substr(0, points.find(',')),
                  "\" cy=\"", points.substr(points.find(',') + 1),
                  "\" r=\"1.5\" fill=\"", color, "\"/>\n");
    points.clear();
    current = -1;
  };
  for (size_t i = 0; i < curve.losses.size(); ++i) {
    auto [step, loss] = curve.losses[i];
    if (!isShown(loss, y.logarithmic)) {
      finish();
      continue;
    }
    double at = x.at(step);
    if (std::floor(at) != current)
      points += column.take();
    current = std::floor(at);
    column.add(at, y.at(loss), i);
  }
  finish();
  return out;
}

} // namespace

LossCurve readCurve(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    badInput(path, ": cannot open: ", std::strerror(errno));
  size_t slash = path.rfind('/');
  LossCurve curve{
      slash == std::string::npos ? path : path.substr(slash + 1), {}, {}};
  for (std::string words; std::getline(file, words);) {
    LogLine line = parseLogLine(words);
    if (!line.step)
      continue;
    if (const double *loss = line.find("loss"))
      curve.losses.push_back({double(*line.step), *loss});
    if (const double *loss = line.find("eval_loss"))
      curve.evaluations.push_back({double(*line.step), *loss});
  }
  if (curve.losses.empty())
    badInput(path, ": holds no line with a step and its loss; is it a log of "
                   "zrun --log?");
  return curve;
}

std::vector<double> axisTicks(double low, double high, int count,
                              bool logarithmic) {
  std::vector<double> ticks;
  // Powers of ten, with 2 and 5 between them where they are few; over less
  // than a factor of ten an axis is nearly linear.
  if (logarithmic && high / low >= 10) {
    double decades = std::log10(high / low);
    std::vector<double> factors =
        decades > 5 ? std::vector<double>{1} : std::vector<double>{1, 2, 5};
    int every = std::max(1, int(std::ceil(decades / count)));
    for (int power = int(std::floor(std::log10(low)));
         power <= int(std::ceil(std::log10(high))); ++power)
      for (double factor : factors) {
        double value = factor * std::pow(10.0, power);
        if (power % every == 0 && value >= low * 0.999 && value <= high * 1.001)
          ticks.push_back(value);
      }
    return ticks;
  }
  double rough = (high - low) / count;
  double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9;
       ++i)
    ticks.push_back(i * step);
  return ticks;
}

namespace {

struct Axes {
  Axis x, y;
};

/// The range of all values, with a margin above and below.
Axes axesOf(const std::vector<LossCurve> &curves, bool logarithmic) {
  double firstStep = HUGE_VAL, lastStep = -HUGE_VAL;
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (const LossCurve &curve : curves)
    for (const auto *values : {&curve.losses, &curve.evaluations})
      for (auto [step, loss] : *values) {
        firstStep = std::min(firstStep, step);
        lastStep = std::max(lastStep, step);
        if (!isShown(loss, logarithmic))
          continue;
        least = std::min(least, loss);
        most = std::max(most, loss);
      }
  if (least > most)
    badInput("--plot: no loss can be drawn",
             logarithmic ? ": none is finite and above 0" : ": none is finite");
  if (firstStep == lastStep)
    ++lastStep;
  if (logarithmic) {
    double margin = std::pow(std::max(most / least, 1.05), 0.03);
    least /= margin;
    most *= margin;
  } else {
    double margin = std::max((most - least) * 0.03, std::abs(most) * 1e-6);
    if (margin == 0)
      margin = 1;
    least -= margin;
    most += margin;
  }
  return {{firstStep, lastStep, left, width - right, false},
          {least, most, height - bottom, top, logarithmic}};
}

std::string drawAxes(const Axes &axes) {
  auto [x, y] = axes;
  std::string out;
  for (double tick : axisTicks(y.low, y.high, 6, y.logarithmic)) {
    out += line(left, y.at(tick), width - right, y.at(tick), "#dddddd");
    out += label(left - 8, y.at(tick) + 4, "end", tickText(tick));
  }
  for (double tick : axisTicks(x.low, x.high, 8, false)) {
    if (tick != std::floor(tick))
      continue; // there are no half steps
    out += line(x.at(tick), height - bottom, x.at(tick), height - bottom + 5,
                "#000000");
    out += label(x.at(tick), height - bottom + 20, "middle", tickText(tick));
  }
  out += line(left, top, left, height - bottom, "#000000");
  out += line(left, height - bottom, width - right, height - bottom, "#000000");
  out += label((left + width - right) / 2, height - 10, "middle", "step");
  double middle = (top + height - bottom) / 2;
  out +=
      label(18, middle, "middle", "loss",
            text(" transform=\"rotate(-90 18 ", pixel(middle), ")\"").c_str());
  return out;
}

/// Names beside their marks, one below the other.
class Legend {
public:
  std::string add(const std::string &name, const std::string &mark) {
    std::string out =
        text("<g transform=\"translate(", pixel(width - right - 24), " ",
             pixel(place - 4), ")\">", mark, "</g>\n",
             label(width - right - 32, place, "end", name));
    place += 18;
    return out;
  }

private:
  double place = top + 14;
};

} // namespace

std::string drawCurves(const std::vector<LossCurve> &curves, bool logarithmic) {
  Axes axes = axesOf(curves, logarithmic);
  std::string out =
      text("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", int(width),
           "\" height=\"", int(height), "\" viewBox=\"0 0 ", int(width), " ",
           int(height),
           "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect "
           "width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
  out += drawAxes(axes);
  Legend legend;
  for (size_t i = 0; i < curves.size(); ++i) {
    const LossCurve &curve = curves[i];
    const char *color = colors[i % std::size(colors)];
    out += drawLine(curve, axes.x, axes.y, color);
    std::string mark = text("r=\"3.5\" fill=\"white\" stroke=\"", color,
                            "\" stroke-width=\"2\"/>");
    bool evaluated = false;
    for (auto [step, loss] : curve.evaluations)
      if (isShown(loss, logarithmic)) {
        evaluated = true;
        out += text("<circle cx=\"", pixel(axes.x.at(step)), "\" cy=\"",
                    pixel(axes.y.at(loss)), "\" ", mark, "\n");
      }
    if (curves.size() > 1 || evaluated)
      out += legend.add(curve.name, text("<line x2=\"20\" stroke=\"", color,
                                         "\" stroke-width=\"1.5\"/>"));
    if (evaluated)
      out += legend.add(curve.name + ", held out", "<circle cx=\"10\" " + mark);
  }
  return out + "</svg>\n";
}

void plotLogs(const Options &options) {
  std::vector<LossCurve> curves;
  std::map<std::string, int> times;
  for (const std::string &path : options.plot) {
    curves.push_back(readCurve(path));
    ++times[curves.back().name];
  }
  for (size_t i = 0; i < curves.size(); ++i)
    if (times[curves[i].name] > 1)
      curves[i].name = options.plot[i];
  writeNewFile(options.output, drawCurves(curves, options.logScale));
}

} // namespace zcc::rt
