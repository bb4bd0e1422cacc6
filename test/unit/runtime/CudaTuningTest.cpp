// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of products' algorithms that are damaged or come from another GPU or
// library, on the stand-in for the library.

#include "CudaStandIn.h"

#include "runtime/core/Error.h"
#include "runtime/cuda/Gpu.h"
#include "runtime/cuda/ProductChoices.h"

#include <gtest/gtest.h>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

/// The error of reading the text; empty if it is in order.
std::string readError(const std::string &words, const std::string &text) {
  StandIn standIn(words.c_str());
  cuda::Driver driver(StandIn::path());
  cuda::Gpu gpu(driver, cuda::readFacts(driver, 0));
  cuda::CublasLt library({StandIn::path()});
  cuda::ProductChoices choices("FILE", library, gpu);
  try {
    choices.read(text.empty() ? choices.toText() : text);
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::BadInput);
    return error.what();
  }
  return "";
}

TEST(CudaTuningTest, WhatWasWrittenIsRead) {
  EXPECT_EQ(readError("seed=1", ""), "");
}

TEST(CudaTuningTest, WhatIsNoFileOfAlgorithmsIsRefused) {
  const std::string damaged = "is damaged: its checksum is not that of its "
                              "lines";
  for (auto [text, says] : {std::pair<const char *, std::string>{
                                "{}", "begins otherwise than with"},
                            {"zcc-tune 2\n", "begins otherwise than with"},
                            {"zcc-tune 1\n", damaged},
                            {"zcc-tune 1\nchecksum 1\n", damaged},
                            {"zcc-tune 1\nchecksum ", damaged}})
    EXPECT_NE(readError("seed=1", text).find(says), std::string::npos)
        << text << ": " << readError("seed=1", text);
}

} // namespace
