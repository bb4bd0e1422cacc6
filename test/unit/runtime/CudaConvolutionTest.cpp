// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions by cuDNN and their gradients, on the stand-in for the library:
// compared with sums over the places in the format's definition.

#include "LibraryProgram.h"

#include "runtime/core/Error.h"
#include "runtime/cuda/Cudnn.h"
#include "runtime/cuda/Gpu.h"
#include "runtime/format/Validate.h"

#include <gtest/gtest.h>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

using format::Convolution;

struct Case {
  format::Type type;
  bool featuresLast;
  uint64_t groups, stride, dilation, low, high;
};

Convolution convolutionOf(const Case &one, Convolution::Kind kind) {
  Convolution c;
  c.set_kind(kind);
  c.set_type(one.type);
  c.set_features_last(one.featuresLast);
  c.set_batches(2);
  c.set_groups(one.groups);
  c.set_input_features(3);
  c.set_output_features(2);
  for (uint64_t extent : {7, 6}) {
    uint64_t filter = extent == 7 ? 3 : 2,
             window = (filter - 1) * one.dilation + 1;
    c.add_input_extents(extent);
    c.add_filter_extents(filter);
    c.add_output_extents((extent + one.low + one.high - window) / one.stride +
                         1);
    c.add_strides(one.stride);
    c.add_dilations(one.dilation);
    c.add_pad_low(one.low);
    c.add_pad_high(one.high);
  }
  uint32_t next = 0;
  if (kind != Convolution::INPUT_GRADIENT)
    c.set_input(next++);
  if (kind != Convolution::FILTER_GRADIENT)
    c.set_filter(next++);
  if (kind != Convolution::FORWARD)
    c.set_output(next++);
  if (kind == Convolution::INPUT_GRADIENT)
    c.set_input(next);
  if (kind == Convolution::FILTER_GRADIENT)
    c.set_filter(next);
  if (kind == Convolution::FORWARD)
    c.set_output(next);
  return c;
}

struct Shape {
  uint64_t first, second, height, width;
  bool secondLast;

  size_t count() const { return first * second * height * width; }
  size_t place(uint64_t a, uint64_t b, uint64_t y, uint64_t x) const {
    return secondLast ? ((a * height + y) * width + x) * second + b
                      : ((a * second + b) * height + y) * width + x;
  }
};

Shape shapeOf(const Convolution &c, uint64_t first, uint64_t second,
              const google::protobuf::RepeatedField<uint64_t> &extents) {
  return {first, second, extents[0], extents[1], c.features_last()};
}

/// Adds each product of an input's and a filter's element to what is made.
void compute(const Convolution &c, const std::vector<Shape> &shapes,
             const std::vector<std::vector<double>> &in,
             std::vector<double> &out) {
  const Shape &input = shapes[0], &filter = shapes[1], &output = shapes[2];
  for (uint64_t n = 0; n < c.batches(); ++n)
    for (uint64_t o = 0; o < output.second; ++o)
      for (uint64_t f = 0; f < c.input_features(); ++f)
        for (uint64_t y = 0; y < output.height; ++y)
          for (uint64_t x = 0; x < output.width; ++x)
            for (uint64_t i = 0; i < filter.height; ++i)
              for (uint64_t j = 0; j < filter.width; ++j) {
                uint64_t row = y * c.strides(0) + i * c.dilations(0),
                         column = x * c.strides(1) + j * c.dilations(1),
                         feature =
                             o / c.output_features() * c.input_features() + f;
                if (row < c.pad_low(0) || row - c.pad_low(0) >= input.height ||
                    column < c.pad_low(1) ||
                    column - c.pad_low(1) >= input.width)
                  continue;
                size_t a = input.place(n, feature, row - c.pad_low(0),
                                       column - c.pad_low(1)),
                       b = filter.place(o, f, i, j),
                       d = output.place(n, o, y, x);
                if (c.kind() == Convolution::FORWARD)
                  out[d] += in[0][a] * in[1][b];
                else if (c.kind() == Convolution::INPUT_GRADIENT)
                  out[a] += in[1][b] * in[2][d];
                else
                  out[b] += in[0][a] * in[2][d];
              }
}

struct Prepared {
  Convolution c;
  std::vector<Shape> shapes; // input, filter, output
  format::Executable program;
};

Prepared prepare(const Case &one, Convolution::Kind kind) {
  Prepared out{convolutionOf(one, kind), {}, {}};
  const Convolution &c = out.c;
  out.shapes = {shapeOf(c, c.batches(), c.groups() * c.input_features(),
                        c.input_extents()),
                shapeOf(c, c.groups() * c.output_features(), c.input_features(),
                        c.filter_extents()),
                shapeOf(c, c.batches(), c.groups() * c.output_features(),
                        c.output_extents())};
  uint32_t buffers[] = {c.input(), c.filter(), c.output()};
  std::vector<size_t> bytes(3);
  for (size_t i = 0; i < 3; ++i)
    bytes[buffers[i]] = out.shapes[i].count() * widthOf(one.type);
  format::Kernel kernel;
  *kernel.mutable_convolution() = c;
  kernel.set_scratch(1 << 20);
  out.program = programOf(kernel, bytes, 2);
  return out;
}

void check(const Case &one, Convolution::Kind kind) {
  Prepared made = prepare(one, kind);
  ASSERT_EQ(validate(made.program), "");
  const Convolution &c = made.c;
  uint32_t buffers[] = {c.input(), c.filter(), c.output()};
  std::vector<std::string> memory(3);
  std::vector<std::vector<double>> in(3);
  for (size_t i = 0; i < 3; ++i) {
    size_t count = made.shapes[i].count();
    std::string &own = memory[buffers[i]];
    own = drawFloats(one.type, count, unsigned(i));
    for (size_t at = 0; at < count; ++at)
      in[i].push_back(loadFloat(one.type, own, at));
  }
  size_t result = kind == Convolution::FORWARD          ? 2
                  : kind == Convolution::INPUT_GRADIENT ? 0
                                                        : 1;
  std::vector<double> expected(made.shapes[result].count());
  compute(c, made.shapes, in, expected);
  runProgram(made.program, memory);
  // Sums of these numbers are exact before they are rounded.
  for (size_t at = 0; at < expected.size(); ++at) {
    std::string rounded(4, 0);
    storeFloat(one.type, rounded, 0, float(expected[at]));
    ASSERT_EQ(loadFloat(one.type, memory[2], at),
              loadFloat(one.type, rounded, 0))
        << at;
  }
}

TEST(CudaConvolutionTest, FormsLayoutsAndWindows) {
  for (auto kind : {Convolution::FORWARD, Convolution::INPUT_GRADIENT,
                    Convolution::FILTER_GRADIENT})
    for (format::Type type : {format::F32, format::BF16, format::F16})
      for (bool last : {false, true})
        for (const Case &one :
             {Case{type, last, 1, 1, 1, 1, 1}, Case{type, last, 1, 2, 1, 0, 1},
              Case{type, last, 2, 1, 2, 2, 0},
              Case{type, last, 3, 3, 1, 0, 0}}) {
          SCOPED_TRACE(::testing::Message()
                       << kind << " " << type << " " << last << " "
                       << one.groups << " " << one.stride);
          check(one, kind);
        }
}

// Engines that take f32 as tensor cores do are another choice: 1 + 2^-11 times
// 1 is 1 there.
TEST(CudaConvolutionTest, OperandsMayBeRoundedToTf32) {
  for (bool asTf32 : {false, true}) {
    Prepared made =
        prepare({format::F32, true, 1, 1, 1, 0, 0}, Convolution::FORWARD);
    made.program.mutable_kernels(0)->mutable_convolution()->set_tf32(asTf32);
    ASSERT_EQ(validate(made.program), "");
    std::vector<std::string> memory(3);
    for (size_t i = 0; i < 3; ++i)
      memory[i].resize(made.shapes[i].count() * 4);
    storeFloat(format::F32, memory[0], 0, 1 + 0x1p-11f);
    storeFloat(format::F32, memory[1], 0, 1);
    runProgram(made.program, memory);
    EXPECT_EQ(loadFloat(format::F32, memory[2], 0), asTf32 ? 1 : 1 + 0x1p-11f);
  }
}

/// Expects that validate() refuses the program that `change` damages, with
/// these words.
template <typename Change>
void expectInvalid(const std::string &words, Change change) {
  Prepared made =
      prepare({format::F32, true, 1, 1, 1, 1, 1}, Convolution::FORWARD);
  change(made.program, *made.program.mutable_kernels(0)->mutable_convolution());
  EXPECT_NE(validate(made.program).find(words), std::string::npos)
      << words << ": " << validate(made.program);
}

TEST(CudaConvolutionTest, DamagedConvolutionsAreRefused) {
  expectInvalid("a convolution of f64",
                [](auto &, auto &c) { c.set_type(format::F64); });
  expectInvalid("a convolution of bf16 in tf32", [](auto &, auto &c) {
    c.set_type(format::BF16);
    c.set_tf32(true);
  });
  expectInvalid("a convolution of 0 batches",
                [](auto &, auto &c) { c.set_batches(0); });
  expectInvalid("expected 2 or 3 spatial dims",
                [](auto &, auto &c) { c.add_strides(1); });
  expectInvalid("dilation 0 in spatial dim 1",
                [](auto &, auto &c) { c.set_dilations(1, 0); });
  expectInvalid("padding of 4294967296 and 1 in spatial dim 0",
                [](auto &, auto &c) { c.set_pad_low(0, uint64_t(1) << 32); });
  expectInvalid("7 outputs in spatial dim 0, expected 8",
                [](auto &, auto &c) { c.set_pad_high(0, 2); });
  expectInvalid("the output is in buffer 1 of 3, expected the last",
                [](auto &, auto &c) { c.set_output(1); });
  expectInvalid("the filter is in buffer 9 of 3",
                [](auto &, auto &c) { c.set_filter(9); });
  expectInvalid("the input is too large", [](auto &, auto &c) {
    c.set_batches((uint64_t(1) << 31) - 1);
    c.set_input_features((uint64_t(1) << 31) - 1);
  });
  expectInvalid("bytes, the input of the convolution",
                [](auto &, auto &c) { c.set_batches(3); });
  expectInvalid("more than one thing that a library does",
                [](auto &program, auto &) {
                  program.mutable_kernels(0)->mutable_product();
                });
  expectInvalid("of another target than cuda", [](auto &program, auto &) {
    program.mutable_codes(0)->set_target("cpu");
    program.mutable_codes(0)->clear_images();
  });
  expectInvalid("the filter is written", [](auto &program, auto &) {
    format::Task &task = *program.mutable_stages(0)->mutable_tasks(0);
    task.mutable_steps(0)->mutable_kernel()->set_reads(1);
    task.mutable_operands(1)->set_written(true);
  });
}

TEST(CudaConvolutionTest, SaysWhichLibraryIsLacking) {
  for (auto [file, words] :
       {std::pair<const char *, const char *>{"/nowhere/lib.so", "no cuDNN: "},
        {"libc.so.6", "has no cudnnGetVersion"}})
    try {
      cuda::Cudnn library({file});
      ADD_FAILURE();
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::BadInput);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
          << error.what();
    }
  for (auto [version, words] :
       {std::pair("100000", "is cuDNN 10.0.0, expected 9.12 or a later 9"),
        {"8907", "is cuDNN 8.9.7, expected 9.12 or a later 9"}}) {
    StandIn standIn(text("cudnn=", version));
    cuda::Driver driver(StandIn::path());
    try {
      cuda::Cudnn library({StandIn::path()});
      ADD_FAILURE();
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
          << error.what();
    }
  }
  {
    StandIn standIn("cudnn=91900:13000,version=12080");
    cuda::Driver driver(StandIn::path());
    try {
      cuda::Cudnn library({StandIn::path()}, driver.version());
      ADD_FAILURE();
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what())
                    .find(" is for CUDA 13, the driver is of CUDA 12.8"),
                std::string::npos)
          << error.what();
    }
  }
  {
    StandIn standIn("fail=cudnnCreate:1:1001");
    cuda::Driver driver(StandIn::path());
    cuda::Gpu gpu(driver, cuda::readFacts(driver, 0));
    gpu.use();
    cuda::Cudnn library({StandIn::path(), StandIn::path()}, driver.version(),
                        true);
    EXPECT_EQ(standIn.countCalls("cudnnCreate"), 2);
  }
  StandIn usual("");
  cuda::Driver driver(StandIn::path());
  EXPECT_EQ(cuda::Cudnn({"/nowhere.so", StandIn::path()}).versionText(),
            "9.19.0");
}

} // namespace
