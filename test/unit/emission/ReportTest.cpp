// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report for people: however much a model has of something, the table stays
// a page, and its figures are those of the JSON.
#include "compiler/emission/Report.h"
#include "compiler/emission/ReportMemory.h"
#include "dialects/Dist/Dist.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <nlohmann/json.hpp>

using namespace mlir;

namespace zcc {
namespace {

std::vector<std::string> linesOf(const std::string &text) {
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  return {lines.begin(), lines.end()};
}

// A report with more of everything than a table has lines for, under names that
// are wider than it.
Report longReport() {
  Report report;
  std::string name(200, 'n');
  report.machine = "two-racks-of-a-machine-with-a-name-that-is-long";
  for (int i = 0; i < 12; ++i)
    report.mesh.push_back({"axis" + std::to_string(i), 2});
  report.devices = 4096;
  report.zero = 3;
  report.kept = 123456789;
  report.microbatches = 128;
  report.schedule = "interleaved:8";
  report.considered = 1234;
  MemoryReport &memory = report.stages.emplace_back();
  memory.atPeak = {1, 1, 1, 1, 1, 1, 1, {}};
  for (const MemorySpaceInfo &space : memorySpaces)
    if (space.space != MemorySpace::Device)
      memory.atPeak.away[space.space] = 1;
  memory.most = memory.atPeak;
  memory.peak = memory.waste = 1;
  for (const planning::NumberFormatInfo &format : planning::numberFormats)
    report.compressed.push_back({name, format.format, 1, 2});
  report.offloaded = {1, 2, 3, 4};
  report.executedFlops = report.modelFlops = 1000;
  distribute::StepWork &work = report.work.emplace();
  work.model = work.repeated = 1000;
  report.predicted.emplace().stages.resize(2);
  report.predicted->host = report.predicted->exposedCommunication = 0.5;
  for (int i = 0; i < 2000; ++i) {
    std::string axis = "axis" + std::to_string(i % 12);
    work.largest.push_back({name, name, "forward", {axis}, 1, 2, 500});
    report.attentionsLeft.push_back({name, name, name, name});
    report.waste.push_back({name, 84, 0, 5, 8, {axis}, 1000});
    CollectiveReport &one = report.collectives.emplace_back();
    one.account.bytes = i;
    one.times = 1;
    one.axes = {axis, name + axis};
    report.devicesOfKernels.push_back({name, {{}}});
  }
  report.totalSeconds = 1;
  return report;
}

TEST(ReportTable, isAPageWhateverTheModelHas) {
  std::vector<std::string> lines = linesOf(formatReport(longReport()));
  EXPECT_LE(lines.size(), 46u);
  for (const std::string &line : lines)
    EXPECT_LE(line.size(), 120u) << line;
}

TEST(ReportTable, restOfAListIsSummed) {
  Report report;
  for (int i = 0; i < 10; ++i) {
    report.waste.push_back({"w" + std::string(1, 'a' + i),
                            84,
                            0,
                            5,
                            8,
                            {"data"},
                            10000 - 1000 * i});
    CollectiveReport &one = report.collectives.emplace_back();
    one.account.bytes = 1000 * (i + 1);
    one.times = 2;
    one.axes = {"axis" + std::to_string(i)};
  }
  std::string text = formatReport(report);
  // Three lines, and 7 + 6 + ... + 1 kB, 84 dims each.
  EXPECT_NE(text.find("wc: dim 0 of 5 over data is padded to 8, 84 times, 8.00 "
                      "kB in all\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("of 588 other dims, 28.00 kB in all\n"),
            std::string::npos)
      << text;
  // Seven lines of most bytes, and twice 1 + 2 + 3 kB.
  EXPECT_NE(text.find("axis3: 8.00 kB in 2 operations\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("axis2: "), std::string::npos) << text;
  EXPECT_NE(text.find("3 other kinds: 12.00 kB in 6 operations\n"),
            std::string::npos)
      << text;
}

TEST(ReportTable, longRowsBreakAtBlanks) {
  Report report;
  for (int i = 0; i < 16; ++i)
    report.mesh.push_back({"axis" + std::to_string(i), 2});
  std::vector<std::string> lines = linesOf(formatReport(report));
  ASSERT_GE(lines.size(), 2u);
  EXPECT_TRUE(StringRef(lines[0]).ends_with("axis10=2,")) << lines[0];
  EXPECT_EQ(lines[1].find("axis11=2"), 16u) << lines[1];
}

TEST(Report, paddingOfLayersIsOneEntry) {
  MLIRContext context;
  context.loadDialect<dist::DistDialect>();
  std::string entries;
  for (int layer = 0; layer < 84; ++layer)
    for (const char *value : {"w1", "w3", "norm"})
      entries += (entries.empty() ? "" : ", ") +
                 ("{value = \"blocks." + std::to_string(layer) + "." + value +
                  "\", dim = 1, extent = 5, padded = 8, axes = [\"data\"], "
                  "bytes = " +
                  (StringRef(value) == "norm" ? "3" : "100") + "}");
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "module attributes {zcc.waste = [" + entries +
          ", \"no entry\", {value = \"w\"}]} {\n"
          "  dist.mesh @mesh [#dist.axis<\"data\" = 8>]\n}",
      &context);
  ASSERT_TRUE(module);
  Report report;
  ASSERT_TRUE(succeeded(addFacts(*module, report)));
  auto json = nlohmann::json::parse(writeReport(report));
  ASSERT_EQ(json["waste"].size(), 2u) << json["waste"];
  EXPECT_EQ(json["waste"][0], nlohmann::json::parse(R"({
    "values": "blocks.{0-83}.w{1,3}", "count": 168, "dim": 1, "extent": 5,
    "padded": 8, "axes": ["data"], "bytes": 16800})"));
  EXPECT_EQ(json["waste"][1]["values"], "blocks.{0-83}.norm");
  EXPECT_NE(formatReport(report).find(
                "padding         blocks.{0-83}.w{1,3}: dim 1 of 5 over data is "
                "padded to 8, 168 times, 16.80 kB in all\n"),
            std::string::npos);
}

TEST(Report, attentionsOfOnePlaceAreOneEntry) {
  MLIRContext context;
  context.loadDialect<dist::DistDialect>();
  std::string one = "{place = \"m.py:3\", why = \"it drops weights\"}";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "module attributes {zcc.attentions = {recognized = 1 : i64, left = [" +
          one + ", " + one + ", {place = \"m.py:4\", why = \"x\"}]}} {}",
      &context);
  ASSERT_TRUE(module);
  Report report;
  ASSERT_TRUE(succeeded(addFacts(*module, report)));
  auto json = nlohmann::json::parse(writeReport(report));
  ASSERT_EQ(json["attention"]["left"].size(), 2u);
  EXPECT_EQ(json["attention"]["left"][0]["times"], 2);
  EXPECT_NE(formatReport(report).find(
                "no kernel at m.py:3, 2 times: it drops weights\n"),
            std::string::npos);
}

TEST(Report, largestValuesThatAreAlikeAreOneEntry) {
  std::vector<LargeValue> values;
  for (int layer = 0; layer < 4; ++layer) {
    std::string number = std::to_string(layer);
    values.push_back({"blocks." + number + ".w", "parameters", 100});
    values.push_back({"backward/t" + number + " (m.py:3)", "temporary", 90});
  }
  values.push_back({"backward/t9 (m.py:4)", "temporary", 90});
  values.push_back({"wte", "parameters", 380});
  std::vector<LargeValues> alike = groupLargest(values, 3);
  ASSERT_EQ(alike.size(), 3u);
  EXPECT_EQ(formatAlike(alike[0]),
            "400 B  parameters  blocks.{0-3}.w, 4 times");
  EXPECT_EQ(formatAlike(alike[1]), "380 B  parameters  wte");
  EXPECT_EQ(formatAlike(alike[2]),
            "360 B  temporary  backward/t{0-3} (m.py:3), 4 times");
}

} // namespace
} // namespace zcc
