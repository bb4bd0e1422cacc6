// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output for watching a run: TensorBoard events, pictures, progress, waits.

#include "Files.h"

#include "runtime/core/Error.h"
#include "tools/zrun/EventFile.h"
#include "tools/zrun/LogLine.h"
#include "tools/zrun/Plot.h"
#include "tools/zrun/Progress.h"
#include "tools/zrun/events.pb.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

TEST(EventFileTest, ChecksumsAreThoseOfRfc3720) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  EXPECT_EQ(crc32c(""), 0u);
}

/// Takes the records apart, their checksums compared.
std::vector<events::Event> readEvents(const std::string &path) {
  std::vector<events::Event> out;
  std::string bytes = readFile(path);
  for (size_t at = 0; at < bytes.size();) {
    uint64_t length;
    std::memcpy(&length, bytes.data() + at, 8);
    std::string data = bytes.substr(at + 12, length);
    EXPECT_EQ(bytes.substr(at, length + 16), tfRecord(data));
    out.emplace_back();
    EXPECT_TRUE(out.back().ParseFromString(data));
    at += length + 16;
  }
  return out;
}

TEST(EventFileTest, LinesOfTheLogBecomeScalars) {
  TemporaryFolder folder;
  EventFile file(folder / "a/b", 1);
  file.add(R"({"ranks": 2, "planned_bytes": [1, 2]})");
  file.add(R"({"step": 7, "loss": 2.5, "overflow": true, "accuracy": 1})");
  file.add(R"({"step": 8, "loss": "NaN", "name": "text"})");
  std::vector<events::Event> got = readEvents(file.path());
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].file_version(), "brain.Event:2");
  EXPECT_GT(got[0].wall_time(), 1.7e9);
  EXPECT_EQ(got[1].step(), 7);
  ASSERT_EQ(got[1].summary().value_size(), 3);
  EXPECT_EQ(got[1].summary().value(0).tag(), "loss");
  EXPECT_EQ(got[1].summary().value(0).simple_value(), 2.5f);
  EXPECT_EQ(got[1].summary().value(1).simple_value(), 1.0f);
  EXPECT_EQ(got[1].summary().value(2).tag(), "accuracy");
  ASSERT_EQ(got[2].summary().value_size(), 1);
  EXPECT_TRUE(std::isnan(got[2].summary().value(0).simple_value()));
}

TEST(EventFileTest, AResumedRunAddsAFileThatVoidsLaterSteps) {
  TemporaryFolder folder;
  EventFile first(folder.path(), 1), second(folder.path(), 21);
  EXPECT_LT(first.path(), second.path());
  std::vector<events::Event> got = readEvents(second.path());
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[1].session_log().status(), events::SessionLog::START);
  EXPECT_EQ(got[1].step(), 21);
}

TEST(EventFileTest, AFolderThatCannotBeMadeIsNamed) {
  TemporaryFolder folder;
  writeFile(folder / "file", "");
  try {
    EventFile file(folder / "file/events", 1);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::BadInput);
    EXPECT_NE(std::string(error.what()).find("file/events"), std::string::npos);
  }
  EventFile nothing("", 1);
  nothing.add(R"({"step": 7, "loss": 2.5})");
  EXPECT_EQ(nothing.path(), "");
}

TEST(LogLineTest, WordsForNumbersAndTornLines) {
  LogLine line = parseLogLine(R"({"step": 3, "a": "-Infinity", "b": "x"})");
  EXPECT_EQ(line.step, 3);
  ASSERT_EQ(line.values.size(), 1u);
  EXPECT_EQ(line.values[0].second, -HUGE_VAL);
  EXPECT_FALSE(parseLogLine(R"({"step": 3, "a": "-Inf)").step);
  EXPECT_FALSE(parseLogLine("").step);
}

int count(const std::string &text, const std::string &part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(PlotTest, TicksAreRoundAndInside) {
  EXPECT_EQ(axisTicks(0.3, 4.1, 6, false), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(axisTicks(0, 1000, 5, false),
            (std::vector<double>{0, 200, 400, 600, 800, 1000}));
  std::vector<double> decades = axisTicks(0.05, 20, 6, true);
  ASSERT_EQ(decades.size(), 9u);
  EXPECT_NEAR(decades.front(), 0.05, 1e-12);
  EXPECT_NEAR(decades.back(), 20, 1e-12);
  EXPECT_LE(axisTicks(1e-12, 1, 6, true).size(), 7u);
}

TEST(PlotTest, CurvesGapsAndHeldOutPoints) {
  TemporaryFolder folder;
  writeFile(folder / "run<1>.jsonl",
            "{\"ranks\": 1}\n"
            "{\"step\": 1, \"loss\": 4}\n{\"step\": 2, \"loss\": 3}\n"
            "{\"step\": 3, \"loss\": \"NaN\"}\n"
            "{\"step\": 4, \"loss\": 2, \"eval_loss\": 2.5}\n"
            "{\"step\": 5, \"loss\": 1}\n{\"step\": 6, \"lo");
  LossCurve curve = readCurve(folder / "run<1>.jsonl");
  EXPECT_EQ(curve.losses.size(), 5u);
  for (bool logarithmic : {false, true}) {
    std::string svg = drawCurves({curve}, logarithmic);
    EXPECT_EQ(count(svg, "<polyline"), 2);
    EXPECT_EQ(count(svg, "<circle"), 2); // the point and its legend
    EXPECT_EQ(count(svg, "run&lt;1&gt;.jsonl, held out"), 1);
    EXPECT_EQ(count(svg, ">step<"), 1);
    EXPECT_EQ(count(svg, ">loss<"), 1);
    EXPECT_EQ(count(svg, "nan"), 0);
    EXPECT_EQ(count(svg, "inf"), 0);
  }
  // The lowest loss lies lowest, within the frame.
  std::string svg = drawCurves({curve, curve}, false);
  EXPECT_EQ(count(svg, "<polyline"), 4);
  EXPECT_NE(svg.find("points=\"70.0,"), std::string::npos);
}

TEST(PlotTest, ALongLogKeepsItsSpikesAndStaysSmall) {
  LossCurve curve{"long", {}, {}};
  for (int i = 1; i <= 200000; ++i)
    curve.losses.push_back({double(i), i == 123456 ? 100.0 : 1 + 1.0 / i});
  std::string svg = drawCurves({curve}, false);
  EXPECT_LT(svg.size(), 60000u);
  // The spike reaches the top of the frame, but for the margin.
  EXPECT_NE(svg.find(",31."), std::string::npos) << svg.substr(0, 3000);
}

TEST(PlotTest, WhatCannotBeDrawnIsRefused) {
  TemporaryFolder folder;
  writeFile(folder / "empty", "{\"ranks\": 1}\n");
  EXPECT_THROW(readCurve(folder / "empty"), Error);
  EXPECT_THROW(readCurve(folder / "none"), Error);
  LossCurve negative{"n", {{1, -1.0}, {2, 0.0}}, {}};
  EXPECT_THROW(drawCurves({negative}, true), Error);
  EXPECT_NE(drawCurves({negative}, false), "");
  // One step, one value.
  EXPECT_EQ(count(drawCurves({{"one", {{1, 0.0}}, {}}}, false), "<circle"), 1);
}

TEST(ProgressTest, OneLineThatFits) {
  ProgressState state;
  state.step = 120;
  state.steps = 1000;
  state.loss = 5.59123;
  state.tokensPerSecond = 12345;
  state.secondsLeft = 3723.2;
  EXPECT_EQ(progressText(state, 80),
            "step 120/1000  loss 5.5912  12.3k tokens/s  1:02:04 left");
  state.evaluationLoss = 5.6;
  EXPECT_EQ(progressText(state, 40),
            "step 120/1000  loss 5.5912  eval 5.6  12");
  state = {1000, 1000, {}, {}, 0.5, 0};
  EXPECT_EQ(progressText(state, 80), "step 1000/1000  0.50 tokens/s");
}

TEST(DataWaitTest, WarnsOnceWhenMostOfTheTimeIsWaiting) {
  DataWait wait;
  int64_t step = 0;
  // The first step opens files.
  EXPECT_FALSE(wait.add(++step, 100, 100));
  for (int i = 0; i < 40; ++i)
    EXPECT_FALSE(wait.add(++step, 0.1, 0.04));
  for (int i = 0; i < 19; ++i)
    EXPECT_FALSE(wait.add(++step, 0.1, 0.08));
  auto warning = wait.add(++step, 0.1, 0.08);
  ASSERT_TRUE(warning);
  EXPECT_NE(warning->find("steps 42 to 61 waited for their data 80 % of"),
            std::string::npos)
      << *warning;
  for (int i = 0; i < 100; ++i)
    EXPECT_FALSE(wait.add(++step, 0.1, 0.08));
  // A run of microseconds is not worth words.
  DataWait fast;
  for (int i = 1; i < 1000; ++i)
    EXPECT_FALSE(fast.add(i, 1e-4, 9e-5));
}

} // namespace
