// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of a resumed run: lines of an earlier run about steps that are done
// again are cut off.

#include "Files.h"

#include "runtime/core/Error.h"
#include "tools/zrun/Log.h"

#include <gtest/gtest.h>

#include <csignal>
#include <random>
#include <sys/resource.h>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

TEST(LogTest, TheLogIsCutWhereTheRunGoesOn) {
  TemporaryFolder folder;
  const std::string head = "{\"ranks\": 1}\n";
  auto line = [](int step) {
    return text("{\"step\": ", step, ", \"x\": 1}\n");
  };
  auto after = [&](const std::string &content, int64_t resumed) {
    writeFile(folder / "log", content);
    LogFile(folder / "log", resumed).line("new");
    return readFile(folder / "log");
  };
  std::string whole = head + line(1) + line(2) + line(3);
  EXPECT_EQ(after(whole, 0), "new\n");
  EXPECT_EQ(after(whole, 2), head + line(1) + line(2) + "new\n");
  EXPECT_EQ(after(whole, 9), whole + "new\n");
  EXPECT_EQ(after(whole + "{\"step\": 4, \"x", 9), whole + "new\n");
  EXPECT_EQ(after(whole + std::string(100, '\0'), 9), whole + "new\n");
  EXPECT_EQ(after(whole + head + line(4), 9), whole + head + line(4) + "new\n");
  EXPECT_EQ(after("", 9), "new\n");
  EXPECT_EQ(after("{\"ra", 9), "new\n");
  for (const char *other : {"a novel", "{\"weight_map\": 1}\n", "\n"}) {
    try {
      after(other, 9);
      ADD_FAILURE() << "accepted";
    } catch (const Error &error) {
      EXPECT_EQ(error.what(), folder / "log" + ": not a log of zrun, which "
                                               "--resume would go on");
    }
    EXPECT_EQ(readFile(folder / "log"), other);
  }
}

/// Lines of all lengths over the blocks in which a log is read, the torn end
/// longer than one.
TEST(LogTest, ALongLogIsCutFromItsEnd) {
  TemporaryFolder folder;
  std::mt19937 random(3);
  std::string whole = "{\"ranks\": 1}\n";
  std::vector<size_t> ends = {whole.size()};
  for (int step = 1; step <= 600; ++step) {
    size_t length = random() % 50 ? random() % 900 : random() % 90000;
    whole += text("{\"step\": ", step, ", \"x\": \"", std::string(length, 'x'),
                  "\"}\n");
    ends.push_back(whole.size());
    if (step == 300)
      whole += "{\"ranks\": 1, \"resumed\": 300}\n";
  }
  std::string torn = std::string(200000, '\0') + "\n{\"step\": 601";
  for (int64_t resumed : {1, 2, 17, 299, 300, 301, 598, 599, 600, 601}) {
    writeFile(folder / "log", whole + torn);
    LogFile(folder / "log", resumed).line("new");
    size_t keep = ends[std::min<int64_t>(resumed, 600)];
    if (resumed == 300) // the next line is no step, and kept
      keep = whole.find("{\"step\": 301");
    EXPECT_EQ(readFile(folder / "log"), whole.substr(0, keep) + "new\n")
        << resumed;
  }
}

TEST(LogTest, ALogThatIsNoFileHasNoPast) {
  LogFile log("/dev/null", 7);
  log.line("new");
}

/// No file of this process may become longer; what would be cut off there is
/// not written at all.
class SizeLimit {
public:
  explicit SizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit limit{bytes, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before); }

private:
  rlimit before;
};

TEST(LogTest, WhatDoesNotFitIsLeftOutWhole) {
  TemporaryFolder folder;
  LogFile log(folder / "log");
  std::string problem;
  {
    SizeLimit limit(10);
    log.line("first");
    EXPECT_EQ(log.destination().takeProblem(), "");
    log.destination().check();
    log.line("second"); // 4 of its bytes fit
    problem = log.destination().takeProblem();
    EXPECT_EQ(problem, folder / "log" + ": cannot write: File too large");
    log.line("third");
    EXPECT_EQ(log.destination().takeProblem(), "") << "told once";
    log.line("4th");
  }
  log.line("fifth");
  EXPECT_EQ(log.destination().takeProblem(), "");
  EXPECT_EQ(readFile(folder / "log"), "first\n4th\nfifth\n");
  try {
    log.destination().check();
    ADD_FAILURE() << "nothing is missing";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("; 2 records are missing"),
              std::string::npos)
        << error.what();
  }
}

TEST(LogTest, TheDiskMayFillMoreThanOnce) {
  TemporaryFolder folder;
  LogFile log(folder / "log");
  for (int i = 0; i < 2; ++i) {
    log.line("goes");
    EXPECT_EQ(log.destination().takeProblem(), "");
    SizeLimit limit(1);
    log.line("lost");
    EXPECT_NE(log.destination().takeProblem(), "");
  }
  EXPECT_EQ(readFile(folder / "log"), "goes\ngoes\n");
}

} // namespace
