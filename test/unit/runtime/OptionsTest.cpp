// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line: every wrong value is refused, with its name.

#include "tools/zrun/Options.h"
#include "runtime/core/Error.h"
#include "runtime/cpu/CpuFeatures.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(o.beta2, 0.95);
  EXPECT_FALSE(o.dynamicScale.has_value());
  o = *parse({"--tokens", "a,b", "--token-type", "u32", "--lr=2e-4", "--decay",
              "cosine", "--loss-scale", "dynamic:1024", "--init-seed", "7"});
  EXPECT_EQ(o.tokens, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(o.tokenType, ElementType::U32);
  EXPECT_EQ(o.lr, 2e-4);
  EXPECT_EQ(o.decay, Decay::Cosine);
  EXPECT_EQ(o.dynamicScale, true);
  EXPECT_EQ(o.lossScale, 1024);
  EXPECT_EQ(o.initSeed, 7u);
  EXPECT_EQ(parse({"--batches", "-"})->batches, "-");
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
      {"--watchdog", "0"},
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

TEST(OptionsTest, WhatDoesNotWorkYetSaysSo) {
  for (std::vector<std::string> arguments :
       {std::vector<std::string>{"--checkpoint", "d"},
        {"--resume"},
        {"--nvme", "d"},
        {"--rename", "f"},
        {"--keep", "2"},
        {"--checkpoint-every", "5"}})
    try {
      parse(arguments);
      ADD_FAILURE() << "accepted " << arguments[0];
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find("not yet"), std::string::npos);
    }
}

TEST(OptionsTest, OptionsThatExcludeEachOther) {
  EXPECT_THROW(parse({"--params", "a", "--init-seed", "1"}), Error);
  EXPECT_THROW(parse({"--batches", "a", "--tokens", "b"}), Error);
  EXPECT_THROW(parse({"--lr-file", "a", "--lr", "1"}), Error);
  EXPECT_THROW(parse({"--min-lr", "1e-5"}), Error);
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
