// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emission/MemoryPlot.h"
#include "compiler/emission/MemoryPanel.h"
#include "compiler/emission/SvgText.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

namespace zcc {
namespace {
using svg::element;
using svg::number;
using svg::rect;
using svg::text;

constexpr double panelLeft = MemoryPanel::left, header = 78; // pixels

constexpr const char *style =
    "text{fill:#222}.h1{font-size:16px;font-weight:bold}"
    ".h2{font-size:13px;font-weight:bold}.dim{fill:#666}"
    ".halo{paint-order:stroke;stroke:#fff;stroke-width:3px}"
    ".grid{stroke:#e4e4e4}.axis{stroke:#222}.live{stroke:#222;"
    "stroke-dasharray:2 3}.allocated{stroke:#222;stroke-width:1.5}"
    ".limit{stroke:#d00000;stroke-width:1.5;stroke-dasharray:8 4}"
    ".at{stroke:#222;stroke-dasharray:3 3;opacity:.6}"
    ".peak{fill:#fff;stroke:#222;stroke-width:1.5}"
    ".hover{fill:#000;fill-opacity:0}.hover:hover{fill-opacity:.12}"
    ".before{fill:#888;fill-opacity:.12}.track{fill:#f4f4f4}.paper{fill:#fff}"
    "@media(prefers-color-scheme:dark){text,tspan{fill:#ddd}.dim{fill:#999}"
    ".halo{stroke:#1d2026}.grid{stroke:#343942}.paper{fill:#1d2026}"
    ".axis,.live,.allocated,.at{stroke:#ddd}.track{fill:#2a2e36}}";

std::string drawLegend(const std::vector<MemoryCurve> &curves) {
  std::string out;
  double at = panelLeft;
  for (const MemoryCategory &own : memoryCategories) {
    if (llvm::none_of(
            curves, [&](const MemoryCurve &curve) { return own.isIn(curve); }))
      continue;
    std::string words = own.name;
    if (curves.size() == 1) {
      const MemoryCurve &curve = curves.front();
      words += " " + formatBytes(curve.levels[curve.peak].bytes.*own.bytes);
    }
    out += rect(at, 50, 12, 12, {{"fill", own.color}});
    out += text(at + 17, 60, words);
    at += 17 + 7 * static_cast<double>(words.size()) + 18;
  }
  return out;
}

std::string drawHeader(const std::vector<MemoryCurve> &curves,
                       const MemoryPlotTexts &texts, bool limitIsAbove) {
  int64_t planned = 0;
  for (const MemoryCurve &curve : curves)
    if (curve.space == MemorySpace::Device)
      planned = std::max(planned, curve.planned);
  std::string words = "planned peak " + formatBytes(planned) + " a device";
  if (texts.limit > 0)
    words += " of " + formatBytes(static_cast<int64_t>(texts.limit)) +
             (texts.machine.empty() ? "" : " (" + texts.machine + ")");
  if (limitIsAbove)
    words += ", which is above the picture";
  words += curves.size() == 1 ? "; categories at the peak:" : "";
  std::string title = "Memory of a step";
  if (!texts.program.empty())
    title += " of " + texts.program;
  return text(panelLeft, 22, title, {{"class", "h1"}}) +
         text(panelLeft, 40, words, {{"class", "dim"}}) + drawLegend(curves);
}
} // namespace

std::string drawMemory(const std::vector<MemoryCurve> &curves,
                       const MemoryPlotTexts &texts) {
  // A limit far above the curve is left out, since it would squeeze the curve.
  constexpr double farAbove = 1.5, margin = 1.07;
  BySpace<double> tops;
  for (const MemoryCurve &curve : curves) {
    double &top = tops[curve.space];
    top = std::max({top, static_cast<double>(curve.planned), 1.0});
  }
  bool limitIsAbove = false;
  double &device = tops[MemorySpace::Device];
  if (device > 0 && texts.limit > 0) {
    limitIsAbove = texts.limit > farAbove * device;
    if (!limitIsAbove)
      device = std::max(device, texts.limit);
  }
  // Many curves stand in rows.
  constexpr double single = 1000, several = 1400;
  constexpr size_t mostInRow = 3;
  size_t inRow = std::clamp<size_t>(curves.size(), 1, mostInRow),
         rows = (curves.size() + inRow - 1) / inRow;
  double width =
      inRow == 1 ? single : std::floor(several / static_cast<double>(inRow));
  double panelWidth = MemoryPanel::left + width + MemoryPanel::right;
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
  double allWidth = panelWidth * static_cast<double>(inRow),
         allHeight = header + MemoryPanel::height * static_cast<double>(rows);
  out += " width=\"" + number(allWidth) + "\" height=\"" + number(allHeight) +
         "\" viewBox=\"0 0 " + number(allWidth) + " " + number(allHeight) +
         "\" font-family=\"sans-serif\" font-size=\"12\">\n<title>Memory of a "
         "step</title>\n<style>" +
         style + "</style>\n" +
         "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
  out += drawHeader(curves, texts, limitIsAbove);
  for (auto [i, curve] : llvm::enumerate(curves)) {
    double limit = curve.space == MemorySpace::Device ? texts.limit : 0;
    out += element(
        "g",
        {{"transform", "translate(" +
                           number(panelWidth * static_cast<double>(i % inRow)) +
                           " " +
                           number(header + MemoryPanel::height *
                                               static_cast<double>(i / inRow)) +
                           ")"}},
        "\n" + MemoryPanel{width, tops[curve.space] * margin, limit,
                           curves.size() > 1}
                   .draw(curve));
  }
  return out + "</svg>\n";
}

} // namespace zcc
