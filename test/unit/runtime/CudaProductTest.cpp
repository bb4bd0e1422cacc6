// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by cuBLASLt, on the stand-in for the library: matrices in any order
// in memory, of all types, batched or not, compared with plain sums.

#include "CudaStandIn.h"
#include "Files.h"
#include "LibraryProgram.h"

#include "runtime/core/Error.h"
#include "runtime/core/Float.h"
#include "runtime/cuda/CublasLt.h"
#include "runtime/format/KernelTables.h"
#include "runtime/format/Validate.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/RankHost.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

using Matrix = format::Product::Matrix;

size_t widthOf(const Matrix &matrix) {
  return matrix.type() == format::F64   ? 8
         : matrix.type() == format::F32 ? 4
                                        : 2;
}

double load(const Matrix &matrix, const std::string &bytes, size_t at) {
  const char *place = bytes.data() + at * widthOf(matrix);
  if (matrix.type() == format::F64) {
    double value;
    return std::memcpy(&value, place, 8), value;
  }
  if (matrix.type() == format::F32) {
    float value;
    return std::memcpy(&value, place, 4), value;
  }
  uint16_t half;
  std::memcpy(&half, place, 2);
  return matrix.type() == format::F16 ? f16ToFloat(half) : bf16ToFloat(half);
}

void store(const Matrix &matrix, std::string &bytes, size_t at, double value) {
  char *place = bytes.data() + at * widthOf(matrix);
  auto single = float(value);
  if (matrix.type() == format::F64) {
    std::memcpy(place, &value, 8);
  } else if (matrix.type() == format::F32) {
    std::memcpy(place, &single, 4);
  } else {
    uint16_t half =
        matrix.type() == format::F16 ? floatToF16(single) : floatToBf16(single);
    std::memcpy(place, &half, 2);
  }
}

size_t placeOf(const Matrix &matrix, uint64_t batch, uint64_t row,
               uint64_t column) {
  return batch * matrix.batch_stride() + row * matrix.row_stride() +
         column * matrix.column_stride();
}

size_t elementsOf(const format::Product &product, const Matrix &matrix,
                  uint64_t rows, uint64_t columns) {
  return placeOf(matrix, product.batches() - 1, rows - 1, columns - 1) + 1;
}

/// A program of one product: its operands one behind the other.
format::Executable programOf(const format::Product &product) {
  std::vector<size_t> sizes = {
      elementsOf(product, product.left(), product.rows(), product.steps()) *
          widthOf(product.left()),
      elementsOf(product, product.right(), product.steps(), product.columns()) *
          widthOf(product.right()),
      elementsOf(product, product.result(), product.rows(), product.columns()) *
          widthOf(product.result())};
  if (product.has_bias())
    sizes.insert(sizes.begin() + 2,
                 product.columns() * widthOf(product.result()));
  format::Kernel kernel;
  kernel.set_scratch(1 << 20);
  *kernel.mutable_product() = product;
  format::Executable out =
      test::programOf(kernel, sizes, uint32_t(sizes.size()) - 1);
  out.mutable_kernels(0)->set_symbol("product");
  out.mutable_stages(0)->mutable_tasks(0)->mutable_steps(0)->set_name(
      "the product");
  return out;
}

struct Case {
  format::Type from, to;
  uint64_t batches, rows, columns, steps;
  bool leftByColumns, rightByColumns;
  uint64_t gap; // elements between one row, or column, and the next
};

format::Product productOf(const Case &one) {
  format::Product product;
  product.set_batches(one.batches);
  product.set_rows(one.rows);
  product.set_columns(one.columns);
  product.set_steps(one.steps);
  auto set = [&](Matrix &matrix, uint32_t buffer, format::Type type,
                 uint64_t rows, uint64_t columns, bool byColumns,
                 uint64_t gap) {
    matrix.set_buffer(buffer);
    matrix.set_type(type);
    matrix.set_row_stride(byColumns ? 1 : columns + gap);
    matrix.set_column_stride(byColumns ? rows + gap : 1);
    matrix.set_batch_stride(byColumns ? columns * (rows + gap)
                                      : rows * (columns + gap));
  };
  set(*product.mutable_left(), 0, one.from, one.rows, one.steps,
      one.leftByColumns, one.gap);
  set(*product.mutable_right(), 1, one.from, one.steps, one.columns,
      one.rightByColumns, one.gap);
  set(*product.mutable_result(), 2, one.to, one.rows, one.columns, false, 0);
  return product;
}

void check(const Case &one) {
  format::Product product = productOf(one);
  format::Executable program = programOf(product);
  ASSERT_EQ(validate(program), "");
  const format::Task &task = program.stages(0).tasks(0);
  std::string memory[3];
  std::mt19937 random(7);
  for (int i = 0; i < 2; ++i) {
    const Matrix &matrix = i == 0 ? product.left() : product.right();
    memory[i].resize(task.operands(i).size());
    for (size_t at = 0; at < memory[i].size() / widthOf(matrix); ++at)
      store(matrix, memory[i], at, double(int(random() % 33) - 16) / 8);
  }
  memory[2].resize(task.operands(2).size());

  StandIn standIn("seed=3");
  auto backend = standIn.backend();
  RankHost host(program, *backend, {});
  host.onAllRanks([&](int rank) {
    Device &device = host.device(rank);
    Stream &stream = device.mainStream();
    for (int i = 0; i < 2; ++i)
      device.copyIn(stream, device.at(task.operands(i).offset()),
                    memory[i].data(), memory[i].size());
    host.runStep(rank, false);
    device.copyOut(stream, memory[2].data(),
                   device.at(task.operands(2).offset()), memory[2].size());
    device.wait(stream);
  });
  // Sums of these numbers are exact in all types that they are held in.
  for (uint64_t b = 0; b < one.batches; ++b)
    for (uint64_t i = 0; i < one.rows; ++i)
      for (uint64_t j = 0; j < one.columns; ++j) {
        double sum = 0;
        for (uint64_t k = 0; k < one.steps; ++k)
          sum += load(product.left(), memory[0],
                      placeOf(product.left(), b, i, k)) *
                 load(product.right(), memory[1],
                      placeOf(product.right(), b, k, j));
        std::string expected(8, 0);
        store(product.result(), expected, 0, sum);
        ASSERT_EQ(load(product.result(), memory[2],
                       placeOf(product.result(), b, i, j)),
                  load(product.result(), expected, 0))
            << b << " " << i << " " << j;
      }
}

TEST(CudaProductTest, MatricesInAnyOrder) {
  for (auto [from, to] : {std::pair{format::F32, format::F32},
                          {format::F64, format::F64},
                          {format::BF16, format::BF16},
                          {format::BF16, format::F32},
                          {format::F16, format::F16}})
    for (bool left : {false, true})
      for (bool right : {false, true})
        for (uint64_t batches : {1, 3})
          for (uint64_t gap : {0, 5}) {
            SCOPED_TRACE(::testing::Message()
                         << from << " " << to << " " << left << right << " "
                         << batches << " " << gap);
            check({from, to, batches, 7, 5, 11, left, right, gap});
            check({from, to, batches, 1, 6, 4, left, right, gap});
            check({from, to, batches, 6, 1, 1, left, right, gap});
          }
}

/// The product of [[a]] and [[b]] in f32 by a program, and `bias` added.
std::vector<float> multiply(format::Product product, std::vector<float> left,
                            std::vector<float> right, std::vector<float> bias) {
  if (!bias.empty()) {
    product.mutable_bias()->set_buffer(2);
    product.mutable_result()->set_buffer(3);
  }
  auto bytesOf = [](const std::vector<float> &values) {
    return std::string(reinterpret_cast<const char *>(values.data()),
                       values.size() * sizeof(float));
  };
  std::vector<std::string> memory = {bytesOf(left), bytesOf(right)};
  if (!bias.empty())
    memory.push_back(bytesOf(bias));
  memory.emplace_back(product.rows() * product.columns() * 4, 0);
  format::Executable program = programOf(product);
  EXPECT_EQ(validate(program), "");
  runProgram(program, memory);
  std::vector<float> out(product.rows() * product.columns());
  std::memcpy(out.data(), memory.back().data(), memory.back().size());
  return out;
}

TEST(CudaProductTest, ABiasIsAddedToEachRow) {
  format::Product product =
      productOf({format::F32, format::F32, 1, 2, 3, 2, false, false, 0});
  EXPECT_EQ(multiply(product, {1, 2, 3, 4}, {1, 0, 2, 0, 1, 3}, {10, 20, 30}),
            std::vector<float>({11, 22, 38, 13, 24, 48}));
}

// 1 + 2^-8 is half a step of bf16's above 1: the product alone would be rounded
// to 1, and the sum with the bias, 2^-8, is a number in bf16.
TEST(CudaProductTest, ABiasIsAddedBeforeRounding) {
  format::Product product =
      productOf({format::BF16, format::BF16, 1, 2, 1, 2, false, false, 0});
  product.mutable_bias()->set_buffer(2);
  product.mutable_result()->set_buffer(3);
  auto bytesOf = [](const std::vector<float> &values) {
    std::string bytes;
    for (float value : values) {
      uint16_t narrow = floatToBf16(value);
      bytes.append(reinterpret_cast<const char *>(&narrow), sizeof narrow);
    }
    return bytes;
  };
  std::vector<std::string> memory = {bytesOf({1, 0x1p-8f, 2, 4}),
                                     bytesOf({1, 1}), bytesOf({0x1p-8f}),
                                     std::string(4, 0)};
  format::Executable program = programOf(product);
  EXPECT_EQ(validate(program), "");
  runProgram(program, memory);
  EXPECT_EQ(memory.back(), bytesOf({1 + 0x1p-7f, 6}));
}

// 1 + 2^-11 is half a step of tf32's above 1, and goes to the even side; what
// is beyond goes up. Sums are of f32.
TEST(CudaProductTest, OperandsMayBeRoundedToTf32) {
  format::Product product =
      productOf({format::F32, format::F32, 1, 2, 2, 1, false, false, 0});
  const float half = 1 + 0x1p-11f, more = 1 + 0x1.8p-11f;
  EXPECT_EQ(multiply(product, {half, more}, {1, 3}, {}),
            std::vector<float>({half, 3 * half, more, 3 * more}));
  product.set_tf32(true);
  EXPECT_EQ(multiply(product, {half, more}, {1, 3}, {}),
            std::vector<float>({1, 3, 1 + 0x1p-10f, 3 * (1 + 0x1p-10f)}));
}

/// Expects that validate() refuses the program that `change` damages, with
/// these words.
template <typename Change>
void expectInvalid(const std::string &words, Change change) {
  format::Executable program = programOf(
      productOf({format::F32, format::F32, 2, 3, 4, 5, false, false, 0}));
  change(program, *program.mutable_kernels(0)->mutable_product());
  EXPECT_NE(validate(program).find(words), std::string::npos)
      << words << ": " << validate(program);
}

TEST(CudaProductTest, DamagedProductsAreRefused) {
  expectInvalid("a product of 0 rows",
                [](auto &, auto &product) { product.set_rows(0); });
  expectInvalid("a product of f32 and f64", [](auto &, auto &product) {
    product.mutable_right()->set_type(format::F64);
  });
  expectInvalid("a product of i8", [](auto &, auto &product) {
    product.mutable_left()->set_type(format::I8);
  });
  expectInvalid(
      "in buffer 1 of 3, expected the last",
      [](auto &, auto &product) { product.mutable_result()->set_buffer(1); });
  expectInvalid("the left matrix is in buffer 9", [](auto &, auto &product) {
    product.mutable_left()->set_buffer(9);
  });
  expectInvalid("has strides 2 and 2", [](auto &, auto &product) {
    product.mutable_left()->set_row_stride(2);
    product.mutable_left()->set_column_stride(2);
  });
  expectInvalid("the left matrices of the product have",
                [](auto &, auto &product) {
                  product.mutable_left()->set_row_stride(50);
                });
  expectInvalid("reach beyond memory", [](auto &, auto &product) {
    product.mutable_left()->set_batch_stride(UINT64_MAX);
  });
  expectInvalid("two batches overlap", [](auto &, auto &product) {
    product.mutable_result()->set_batch_stride(3);
  });
  expectInvalid("of the result have stride", [](auto &, auto &product) {
    product.mutable_result()->set_row_stride(1);
    product.mutable_result()->set_column_stride(3);
  });
  expectInvalid("a bias in buffer 2 of 3", [](auto &, auto &product) {
    product.set_batches(1);
    product.mutable_bias()->set_buffer(2);
  });
  expectInvalid(
      "of 2 batches in f32, expected one batch, not in f64",
      [](auto &, auto &product) { product.mutable_bias()->set_buffer(1); });
  expectInvalid("a product of bf16 in tf32", [](auto &, auto &product) {
    product.mutable_left()->set_type(format::BF16);
    product.mutable_right()->set_type(format::BF16);
    product.set_tf32(true);
  });
  expectInvalid("the right matrix is written", [](auto &program, auto &) {
    program.mutable_stages(0)
        ->mutable_tasks(0)
        ->mutable_steps(0)
        ->mutable_kernel()
        ->set_reads(1);
    program.mutable_stages(0)
        ->mutable_tasks(0)
        ->mutable_operands(1)
        ->set_written(true);
  });
}

TEST(CudaProductTest, ABiasThatIsTooShortIsRefused) {
  format::Product product =
      productOf({format::F32, format::F32, 1, 2, 3, 2, false, false, 0});
  product.mutable_bias()->set_buffer(2);
  product.mutable_result()->set_buffer(3);
  format::Executable program = programOf(product);
  program.mutable_stages(0)->mutable_tasks(0)->mutable_operands(2)->set_size(8);
  EXPECT_NE(validate(program).find("operand \"c\" has 8 bytes, the bias of the "
                                   "product has 3 elements of 4"),
            std::string::npos)
      << validate(program);
}

TEST(CudaProductTest, SaysWhichLibraryIsLacking) {
  for (auto [file, words] : {std::pair<const char *, const char *>{
                                 "/nowhere/lib.so", "no cuBLASLt: "},
                             {"libc.so.6", "has no cublasLtGetVersion"}})
    try {
      cuda::CublasLt library({file});
      ADD_FAILURE();
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::BadInput);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
          << error.what();
    }
  {
    StandIn standIn("cublaslt=140100");
    cuda::Driver driver(StandIn::path());
    try {
      cuda::CublasLt library({StandIn::path()});
      ADD_FAILURE();
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what())
                    .find("is cuBLASLt 14.1.0, expected 12 or 13"),
                std::string::npos)
          << error.what();
    }
  }
  StandIn usual("");
  cuda::Driver driver(StandIn::path());
  EXPECT_EQ(cuda::CublasLt({"/nowhere.so", StandIn::path()}).versionText(),
            "13.0.0");
}

TEST(CudaProductTest, RunsOnceWhenTheProgramIsLoaded) {
  format::Executable program = programOf(
      productOf({format::F32, format::F32, 1, 2, 3, 2, false, false, 0}));
  // The same kernel in two steps.
  format::Task &task = *program.mutable_stages(0)->mutable_tasks(0);
  *task.add_steps() = task.steps(0);
  ASSERT_EQ(validate(program), "");
  StandIn standIn("");
  auto backend = standIn.backend();
  RankHost host(program, *backend, {});
  EXPECT_EQ(standIn.countCalls("cublasLtMatmul"), 1);
  host.onAllRanks([&](int rank) { host.runStep(rank, false); });
  EXPECT_EQ(standIn.countCalls("cublasLtMatmul"), 3);
}

/// The error of a run of one product with cuBLASLt from these places.
std::string errorOf(const std::string &words,
                    const std::vector<std::string> &folders) {
  StandIn standIn(words);
  CudaOptions options{StandIn::path(), {}};
  options.folders = folders;
  try {
    auto backend = makeCudaBackend(options);
    format::Executable program = programOf(
        productOf({format::F32, format::F32, 1, 2, 3, 2, false, false, 0}));
    RankHost(program, *backend, {});
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::BadInput);
    return error.what();
  }
  return "";
}

TEST(CudaProductTest, ALibraryThatDoesNotBeginIsPassedOver) {
  TemporaryFolder folder, empty;
  for (const char *name : {"libcublasLt.so.12", "libcublasLt.so.13"})
    std::filesystem::create_symlink(StandIn::path(), folder / name);
  std::vector<std::string> folders = {empty / "", folder / ""};
  EXPECT_EQ(errorOf("", folders), "");
  // The next file is taken, if it begins.
  EXPECT_EQ(errorOf("fail=cublasLtCreate:1:1", folders), "");
  // Its version must be one that the driver's goes with, although it opens.
  std::string older = errorOf("version=12080", folders);
  for (const char *words :
       {"no cuBLASLt: ", "/libcublasLt.so.13 is for CUDA 13, the driver is of "
                         "CUDA 12.8; expected a newer driver, or the library "
                         "for CUDA 12; "})
    EXPECT_NE(older.find(words), std::string::npos) << older;
  EXPECT_EQ(errorOf("version=12080,cublaslt=120800", folders), "");
  // The driver takes it as new enough, the library itself does not.
  try {
    StandIn standIn("fail=cublasLtCreate:1:1");
    auto backend = makeCudaBackend({StandIn::path(), {}, StandIn::path()});
    RankHost(programOf(productOf(
                 {format::F32, format::F32, 1, 2, 3, 2, false, false, 0})),
             *backend, {});
    ADD_FAILURE();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what())
                  .find(", cuBLASLt 13.0.0: CUBLAS_STATUS_NOT_INITIALIZED"),
              std::string::npos)
        << error.what();
  }
}

} // namespace
