// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The picture of a given curve: its contents, that it is small however long the
// step is, and that names cannot break it.
#include "compiler/emission/MemoryPlot.h"
#include "compiler/emission/SvgText.h"
#include "gtest/gtest.h"

using namespace zcc;

namespace {

MemoryShares makeShares(int64_t parameters, int64_t residuals,
                        int64_t temporary = 0) {
  MemoryShares shares;
  shares.parameters = parameters;
  shares.residuals = residuals;
  shares.temporary = temporary;
  return shares;
}

MemoryCurve makeCurve() {
  MemoryCurve curve;
  curve.inSeconds = true;
  curve.end = 2e-3;
  curve.levels = {{0, makeShares(1000, 0)},
                  {1e-3, makeShares(1000, 500)},
                  {1e-3, makeShares(1000, 500, 64)}, // takes no time
                  {1e-3, makeShares(1000, 400)}};
  curve.peak = 2;
  curve.planned = 1600;
  curve.actions = {{"forward 0", dist::TaskKind::Forward, 0, 1e-3},
                   {"backward 0", dist::TaskKind::Backward, 1e-3, 2e-3}};
  curve.residents = {{{"w<1>&\"q\"", "parameters", 1000}, {{0, 2e-3}}},
                     {{"h", "residuals", 500}, {{1e-3, 1e-3}}}};
  curve.families = {{"w<1>&\"q\"", "parameters", 1, 1000}};
  return curve;
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(MemoryPlot, ShowsWhatIsPlannedAndWhatIsInUse) {
  std::string svg = drawMemory({makeCurve()}, {1700, "a machine"});
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_TRUE(has(svg, "data-allocated=\"1600\" data-live=\"1564\""));
  EXPECT_TRUE(has(svg, "planned peak 1.60 kB, 36 B of it between values"));
  EXPECT_TRUE(has(svg, "limit 1.70 kB"));
  EXPECT_TRUE(has(svg, "most in use: 1.56 kB at 1.00 ms, backward 0"));
  EXPECT_TRUE(has(svg, "the 2 largest at the peak"));
  EXPECT_FALSE(has(svg, "gradients"));
  EXPECT_EQ(svg, drawMemory({makeCurve()}, {1700, "a machine"}));
}

TEST(MemoryPlot, ALimitFarAboveIsNotInTheWay) {
  std::string svg = drawMemory({makeCurve()}, {1e12, ""});
  EXPECT_TRUE(has(svg, "of 1.00 TB, which is above the picture"));
  EXPECT_FALSE(has(svg, "class=\"limit\""));
}

TEST(MemoryPlot, NamesAreEscaped) {
  std::string svg = drawMemory({makeCurve()}, {});
  EXPECT_TRUE(has(svg, "data-name=\"w&lt;1&gt;&amp;&quot;q&quot;\""));
  EXPECT_FALSE(has(svg, "w<1"));
  // Not UTF-8, a control character, no character of XML.
  EXPECT_EQ(svg::escaped("a\xff"
                         "b\x01"
                         "c\xEF\xBF\xBE"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD"
            "c\xEF\xBF\xBD");
}

TEST(MemoryPlot, WithoutTimeItSaysSo) {
  MemoryCurve curve = makeCurve();
  curve.inSeconds = false;
  EXPECT_TRUE(has(drawMemory({curve}, {}), "no time is known"));
}

TEST(MemoryPlot, StagesStandSideBySide) {
  MemoryCurve second = makeCurve();
  second.stage = 1;
  second.levels[2].bytes.residuals += 3000;
  second.planned = 5000;
  MemoryPlotTexts texts;
  texts.program = "m.mlir on pipe=2";
  std::string svg = drawMemory({makeCurve(), second}, texts);
  EXPECT_TRUE(has(svg, ">Memory of a step of m.mlir on pipe=2<"));
  EXPECT_TRUE(has(svg, "data-stage=\"0\""));
  EXPECT_TRUE(has(svg, "data-stage=\"1\""));
  EXPECT_TRUE(has(svg, ">stage 1<"));
}

TEST(MemoryPlot, ManyStagesStandInRows) {
  std::vector<MemoryCurve> curves(8, makeCurve());
  std::string svg = drawMemory(curves, {});
  EXPECT_TRUE(has(svg, "translate(1112 78)"));  // the third of the first row
  EXPECT_TRUE(has(svg, "translate(0 866)"));    // the second row
  EXPECT_TRUE(has(svg, "translate(556 1654)")); // the last
}

TEST(MemoryPlot, NoSizeLosesItsUnit) {
  MemoryCurve curve = makeCurve();
  curve.families = {{std::string(90, 'n'), "parameters", 12, 800},
                    {"other", "parameters", 1, 200}};
  std::string svg = drawMemory({curve, curve, curve}, {});
  EXPECT_TRUE(has(svg, "nnn (12) 800 B, ..."));
}

TEST(MemoryPlot, WordsStandBesideBarsThatEndEarly) {
  MemoryCurve curve = makeCurve();
  curve.residents = {{{"early", "residents", 500}, {{0, 5e-4}}},
                     {{"late", "residents", 400}, {{1.5e-3, 2e-3}}}};
  std::string svg = drawMemory({curve}, {});
  // The bar of 250 pixels begins at 76.
  EXPECT_TRUE(has(svg, "<text class=\"halo\" x=\"332\" y=\"439\">"));
  EXPECT_TRUE(has(svg, "<text class=\"halo\" x=\"82\" y=\"459\">"));
}

// However many levels, tasks and uses of a value: a column has one.
TEST(MemoryPlot, LongStepsMakeSmallFiles) {
  MemoryCurve curve = makeCurve();
  constexpr int count = 50000;
  curve.levels.clear();
  curve.actions.clear();
  curve.residents[0].live.clear();
  for (int i = 0; i < count; ++i) {
    double at = 2e-3 * i / count, next = 2e-3 * (i + 1) / count;
    curve.levels.push_back({at, makeShares(1000, 500 + i % 7)});
    curve.actions.push_back(
        {"forward " + std::to_string(i), dist::TaskKind::Forward, at, next});
    curve.residents[0].live.push_back({at, (at + next) / 2});
  }
  curve.peak = count / 2;
  curve.levels[curve.peak].bytes.residuals = 600;
  std::string svg = drawMemory({curve}, {});
  EXPECT_LT(svg.size(), 300000u);
  // The one high column is there.
  EXPECT_TRUE(has(svg, "data-bytes=\"1600\""));
  std::vector<MemoryCurve> stages(8, curve);
  EXPECT_LT(drawMemory(stages, {}).size(), 800000u);
}

TEST(MemoryPlot, NamesOfOneKindAreAFamily) {
  EXPECT_EQ(familyOf("params['blocks'][11]['mlp']['wi']#0"),
            "params['blocks'][*]['mlp']['wi']");
  EXPECT_EQ(familyOf("zoo.py:137#2#0"), "zoo.py:137");
  EXPECT_EQ(familyOf("backward/t31 (zoo.py:137)"), "backward/t* (zoo.py:137)");
  EXPECT_EQ(familyOf(""), "");
}

TEST(MemoryPlot, TicksAreRound) {
  EXPECT_EQ(svg::axisTicks(0, 25, 6),
            (std::vector<double>{0, 5, 10, 15, 20, 25}));
  EXPECT_EQ(svg::axisTicks(0, 0, 6), (std::vector<double>{0}));
}

} // namespace
