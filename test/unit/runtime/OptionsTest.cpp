// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line: every wrong value is refused, with its name.

#include "tools/zrun/Options.h"
#include "runtime/core/Error.h"
#include "runtime/cpu/CpuFeatures.h"
#include "runtime/format/executable.pb.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace zcc::rt;

namespace {

std::optional<Options> parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"zrun", "m.zexe"});
  std::vector<char *> argv;
  for (std::string &a : arguments)
    argv.push_back(a.data());
  return parseOptions(int(argv.size()), argv.data());
}

TEST(OptionsTest, DefaultsAndValues) {
  Options o = *parse({});
  EXPECT_EQ(o.executable, "m.zexe");
  EXPECT_TRUE(o.settings.empty());
  EXPECT_FALSE(o.dynamicScale.has_value());
  o = *parse({"--tokens", "a,b", "--token-type", "u32", "--lr=2e-4", "--decay",
              "cosine", "--loss-scale", "dynamic:1024", "--init-seed", "7",
              "--b2", "0.99"});
  EXPECT_EQ(o.settings, (std::map<int, double>{{format::BETA2, 0.99}}));
  EXPECT_EQ(o.tokens, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(o.tokenType, ElementType::U32);
  EXPECT_EQ(o.lr, 2e-4);
  EXPECT_EQ(o.decay, Decay::Cosine);
  EXPECT_EQ(o.dynamicScale, true);
  EXPECT_EQ(o.lossScale, 1024);
  EXPECT_EQ(o.initSeed, 7u);
  EXPECT_EQ(parse({"--batches", "-"})->batches, "-");
}

TEST(OptionsTest, Gpus) {
  Options o = *parse({});
  EXPECT_EQ(o.cudaDriver, "libcuda.so.1");
  EXPECT_TRUE(o.gpus.empty());
  EXPECT_FALSE(o.noCudaGraphs);
  o = *parse({"--cuda-driver", "d.so", "--gpus", "2,0", "--no-cuda-graphs",
              "--cuda-libraries", "a:b"});
  EXPECT_EQ(o.cudaLibraries, "a:b");
  EXPECT_EQ(o.cudaDriver, "d.so");
  EXPECT_EQ(o.gpus, (std::vector<int>{2, 0}));
  EXPECT_TRUE(o.noCudaGraphs);
  EXPECT_EQ(parse({})->collectives, GpuCollectives::Default);
  EXPECT_EQ(parse({"--collectives", "nccl"})->collectives,
            GpuCollectives::Nccl);
}

TEST(OptionsTest, WrongValuesAreRefusedByName) {
  const std::vector<std::vector<std::string>> wrong = {
      {"--lr=-1"},
      {"--lr=nan"},
      {"--lr", "x"},
      {"--steps", "0"},
      {"--steps", "-1"},
      {"--steps", "1.5"},
      {"--steps", "99999999999999999999"},
      {"--b1", "1"},
      {"--b2=-0.1"},
      {"--eps=-1"},
      {"--warmup=-1"},
      {"--clip-norm=-1"},
      {"--threads", "0"},
      {"--momentum=-1"},
      {"--weight-decay=inf"},
      {"--decay", "step"},
      {"--token-type", "i8"},
      {"--on-nan", "maybe"},
      {"--loss-scale", "0"},
      {"--loss-scale", "dynamic:"},
      {"--loss-scale", "dynamicx"},
      {"--loss-scale", "dynamic:0.5"},
      {"--init-seed=-1"},
      {"--ranks", "gpu"},
      {"--gpus", ""},
      {"--gpus", "1,"},
      {"--gpus=-1"},
      {"--gpus", "0,0"},
      {"--watchdog", "0"},
      {"--link-delay", "2"},
      {"--link-delay", "1ms,0MB/s"},
      {"--eval-every", "0"},
      {"--checkpoint-every", "0"},
      {"--keep", "0"},
      {"--eval-steps", "-1"},
      {"--completion", "csh"},
      {"--bogus"}};
  for (const auto &arguments : wrong) {
    std::string name = arguments[0].substr(0, arguments[0].find('='));
    try {
      parse(arguments);
      ADD_FAILURE() << "accepted " << arguments[0];
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::BadInput);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos)
          << error.what();
    }
  }
}

TEST(OptionsTest, LinkDelays) {
  EXPECT_FALSE(parse({})->linkDelay);
  struct Row {
    const char *given;
    double latency, bandwidth;
  };
  for (Row row :
       {Row{"2ms,100MB/s", 2e-3, 1e8}, Row{"50us", 5e-5, INFINITY},
        Row{"0s,1kB/s", 0, 1e3}, Row{"1.5s,2.5GB/s", 1.5, 2.5e9},
        Row{"20ns,1e3TB/s", 2e-8, 1e15}, Row{"3600s", 3600, INFINITY},
        Row{"1us,1000B/s", 1e-6, 1e3}, Row{".5ms,1MiB/s", 5e-4, 1048576}}) {
    Options o = *parse({"--link-delay", row.given});
    ASSERT_TRUE(o.linkDelay) << row.given;
    EXPECT_DOUBLE_EQ(o.linkDelay->latency, row.latency) << row.given;
    EXPECT_DOUBLE_EQ(o.linkDelay->bandwidth, row.bandwidth) << row.given;
  }
}

TEST(OptionsTest, WrongLinkDelaysAreRefusedBySaying) {
  auto expectRefused = [](const std::string &given, const std::string &found,
                          const char *part) {
    try {
      parse({"--link-delay=" + given});
      ADD_FAILURE() << "accepted " << given;
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::BadInput);
      std::string message = error.what();
      EXPECT_EQ(message.find(text("--link-delay: expected a ", part)), 0u)
          << message;
      std::string end = text(", found '", found, "'");
      EXPECT_EQ(message.substr(message.size() - end.size()), end);
    }
  };
  for (const char *latency :
       {"",       "2",     "0",         "ms",          "2 ms",
        " 2ms",   "2ms ",  "2m",        "2min",        "2MS",
        "-1ms",   "+1ms",  "nans",      "infs",        "0x1ms",
        "1e999s", "3601s", "3600001ms", "2ms:100MB/s", "2ms/s",
        "100MB/s"}) {
    if (*latency) // else CLI11 misses it
      expectRefused(latency, latency, "latency");
    expectRefused(std::string(latency) + ",1GB/s", latency, "latency");
  }
  for (const char *bandwidth :
       {"", "100", "100MB", "MB/s", "0MB/s", "-1MB/s", "1Mb/s", "nanB/s",
        "infB/s", "999B/s", "1001TB/s", "100MB/s,", "100MB/s,1ms", " 1MB/s",
        "1MB/s ", "1MB/ss", "1ms"})
    expectRefused(std::string("2ms,") + bandwidth, bandwidth, "bandwidth");
}

TEST(OptionsTest, OptionsThatExcludeEachOther) {
  EXPECT_THROW(parse({"--params", "a", "--init-seed", "1"}), Error);
  EXPECT_THROW(parse({"--batches", "a", "--tokens", "b"}), Error);
  EXPECT_THROW(parse({"--lr-file", "a", "--lr", "1"}), Error);
  EXPECT_THROW(parse({"--min-lr", "1e-5"}), Error);
}

TEST(OptionsTest, WhatBelongsTogether) {
  EXPECT_THROW(parse({"--eval-every", "5"}), Error);
  EXPECT_THROW(parse({"--eval-tokens", "t"}), Error);
  EXPECT_THROW(parse({"--eval-executable", "e"}), Error);
  EXPECT_THROW(parse({"--eval-executable", "e", "--eval-batches", "-"}), Error);
  EXPECT_THROW(parse({"--eval-executable", "e", "--eval-batches", "b",
                      "--eval-tokens", "t"}),
               Error);
  Options o = *parse({"--eval-executable", "e", "--eval-tokens", "t,u",
                      "--eval-every", "5", "--tensorboard", "d"});
  EXPECT_EQ(o.evalTokens, (std::vector<std::string>{"t", "u"}));
  EXPECT_EQ(o.evalEvery, 5);
  EXPECT_FALSE(o.evalSteps);
  EXPECT_THROW(parse({"--checkpoint-every", "5"}), Error);
  EXPECT_THROW(parse({"--keep", "1"}), Error);
  EXPECT_THROW(parse({"--resume"}), Error);
  EXPECT_THROW(parse({"--rename", "f"}), Error);
  EXPECT_THROW(parse({"--export", "c"}), Error);
  EXPECT_THROW(parse({"--import", "f"}), Error);
  EXPECT_THROW(parse({"--with-moments"}), Error);
  EXPECT_THROW(
      parse({"--export", "c", "-o", "f", "--import", "g", "--checkpoint", "d"}),
      Error);
  o = *parse({"--checkpoint", "d", "--checkpoint-every", "5", "--keep", "3",
              "--resume"});
  EXPECT_EQ(o.checkpoint, "d");
  EXPECT_EQ(o.checkpointEvery, 5);
  EXPECT_EQ(o.keep, 3);
  EXPECT_TRUE(o.resume);
  EXPECT_THROW(parse({"-o", "x.svg"}), Error);
  EXPECT_THROW(parse({"--log-scale"}), Error);
  o = *parse({"--plot", "a,b"});
  EXPECT_EQ(o.plot, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(o.output, "loss.svg");
}

TEST(TextTest, TheNearestNameTakesTheFewestEdits) {
  std::vector<std::string> names = {"cpu", "reference", "cuda"};
  EXPECT_EQ(nearestName("refernce", names), "reference");
  EXPECT_EQ(nearestName("cudnn", names), "cuda");
  EXPECT_EQ(nearestName("gpu", names), "cpu");
  EXPECT_EQ(nearestName("ab", {"ac", "ad"}), "ac"); // the first of two
  EXPECT_EQ(nearestName("x", {}), "");
}

TEST(TextTest, ASimilarNameWasProbablyMeant) {
  std::vector<std::string> names = {"cpu", "reference", "cuda"};
  EXPECT_EQ(similarName("cup", names), "cpu");
  EXPECT_EQ(similarName("Cpu", names), "cpu");
  EXPECT_EQ(similarName("tensor", names), ""); // another word
  EXPECT_EQ(similarName("", {"ab"}), "");
  EXPECT_EQ(similarName("x", {}), "");
  EXPECT_EQ(didYouMean("cpu"), "; did you mean 'cpu'?");
  EXPECT_EQ(didYouMean(""), "");
}

TEST(CpuFeaturesTest, NamesOfLlvmAndLinuxMeet) {
  std::string flags = "fpu lm abm pni sse4_1 sse4_2 avx avx2 fma avx512_bf16 "
                      "lahf_lm bmi1 bmi2 avx512f avx_vnni";
  EXPECT_TRUE(lackingFeatures({"sse4.1", "lzcnt", "sse3", "avx2", "avx512bf16",
                               "+avx512f", "-sse4a", "64bit", "crc32", "bmi",
                               "avxvnni", "sahf", "pku"},
                              flags)
                  .empty());
  EXPECT_EQ(lackingFeatures({"avx2", "amx-tile", "vaes"}, flags),
            (std::vector<std::string>{"amx-tile", "vaes"}));
}

} // namespace
