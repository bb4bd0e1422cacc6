// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of a given program: it stays below 5 MB however much there is, and
// says what it leaves out.
#include "compiler/emission/Page.h"
#include "compiler/emission/PageTimeline.h"
#include "gtest/gtest.h"
#include <nlohmann/json.hpp>

using namespace zcc;

namespace {

/// Returns the JSON of an element of the page.
nlohmann::json readElement(const std::string &page, const std::string &id) {
  std::string begin = "<script type=\"application/json\" id=\"" + id + "\">";
  size_t at = page.find(begin);
  EXPECT_NE(at, std::string::npos) << id;
  at += begin.size();
  return nlohmann::json::parse(
      page.substr(at, page.find("</script>", at) - at));
}

std::vector<PredictedSpan> makeSpans(int count, int stages) {
  std::vector<PredictedSpan> spans;
  for (int stage = 0; stage < stages; ++stage)
    for (int i = 0; i < count; ++i) {
      PredictedSpan &own = spans.emplace_back();
      own.rank = own.stage = stage;
      own.chunk = 0;
      own.microbatch = i / 10;
      own.name = "forward: kernel " + std::to_string(i % 500);
      own.begin = i * 1e-3;
      own.seconds = i % 100 == 0 ? 1e-3 : 0.9e-4;
    }
  return spans;
}

MemoryCurve makeCurve(int64_t stage) {
  MemoryCurve curve;
  curve.stage = stage;
  curve.inSeconds = true;
  curve.end = 1;
  curve.planned = 1000 + stage;
  for (int i = 0; i < 5000; ++i) {
    MemoryShares shares;
    shares.parameters = 500;
    shares.residuals = i % 400;
    curve.levels.push_back({i * 2e-4, shares});
    curve.families.push_back({"v" + std::to_string(i), "residuals", 1, 1});
  }
  curve.peak = 399;
  return curve;
}

TEST(Page, StaysSmallAndSaysWhatIsLeftOut) {
  Report report;
  report.mesh = {{"data", 8}, {"pipe", 64}};
  report.devices = 512;
  for (int i = 0; i < 40000; ++i) {
    CollectiveReport &one = report.collectives.emplace_back();
    one.account.bytes = i;
    one.times = 1;
    one.axes = {"data"};
    one.value = "blocks." + std::to_string(i) + ".attn.wqkv";
    one.why = std::string(200, 'w');
  }
  report.predicted.emplace();
  report.predicted->stages.resize(64);
  ExplainedValues explained;
  for (size_t i = 0; i < 3000; ++i) {
    explained.texts.push_back("v" + std::to_string(i) +
                              std::string(2000, '\n'));
    explained.names.emplace_back("v" + std::to_string(i), i);
  }
  PageContents contents;
  contents.model = "m.mlir";
  contents.explained = &explained;
  std::vector<PredictedSpan> spans = makeSpans(5000, 64);
  contents.spans = spans;
  for (int64_t stage = 0; stage < 64; ++stage)
    contents.curves.push_back(makeCurve(stage));
  std::string page = writePage(report, contents);
  EXPECT_LT(page.size(), 5'000'000u);
  nlohmann::json all = readElement(page, "report")["collectives"],
                 left = readElement(page, "page")["left_out"];
  EXPECT_GT(all.size(), 1000u);
  EXPECT_EQ(all.size() + left["collectives"].get<size_t>(), 40000u);
  EXPECT_EQ(all.back()["bytes"], 39999); // the largest stay
  size_t told = readElement(page, "explained")["texts"].size();
  EXPECT_GT(told, 100u);
  EXPECT_EQ(told + left["explanations"].get<size_t>(), 3000u);
  nlohmann::json memory = readElement(page, "memory");
  ASSERT_EQ(memory.size(), 8u);
  EXPECT_EQ(memory[0]["stage"], 56); // those that need most
  EXPECT_EQ(memory[0]["more"], 4700);
  EXPECT_EQ(left["curves"], 56);
  EXPECT_GT(readElement(page, "timeline")["shortest"], 0);
}

TEST(PageTimeline, JoinsShortSpansOnly) {
  std::vector<PredictedSpan> spans = makeSpans(5000, 2);
  Lanes whole = gatherLanes(spans, 10000);
  ASSERT_EQ(whole.lanes.size(), 2u);
  EXPECT_EQ(whole.shortest, 0);
  EXPECT_EQ(whole.lanes[0].spans.size(), 5000u);
  Lanes joined = gatherLanes(spans, 1000);
  EXPECT_GT(joined.shortest, 0);
  for (const Lane &lane : joined.lanes) {
    EXPECT_LE(lane.spans.size(), 500u);
    int64_t count = 0;
    double busy = 0, end = 0;
    for (const LaneSpan &span : lane.spans) {
      EXPECT_GE(span.begin, end - 1e-12);
      end = span.end;
      count += span.count;
      busy += span.busy;
    }
    EXPECT_EQ(count, 5000);
    EXPECT_NEAR(busy, 50 * 1e-3 + 4950 * 0.9e-4, 1e-9);
  }
}

} // namespace
