// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scatter kernels against the evaluator: forms by hand and forms at random.

#include "test/unit/codegen/DotText.h"
#include "test/unit/codegen/RunCompiled.h"

using namespace zcc;
using namespace zcc::test;

namespace {

struct ScatterForm {
  std::vector<int64_t> operand, indices, updates;
  std::vector<int64_t> windowDims, inserted, operandBatch, indicesBatch, map;
  int64_t vectorDim;
};

std::string text(const ScatterForm &f, const std::string &element,
                 const std::string &index, const std::string &kind, bool clamp,
                 bool zero = false) {
  std::string operand = tensorText(f.operand, element);
  std::string indices = tensorText(f.indices, index);
  std::string updates = tensorText(f.updates, element);
  std::string types =
      "(" + operand + ", " + indices + ", " + updates + ") -> " + operand;
  std::string value = element[0] == 'f' || element[0] == 'b' ? "0.0" : "0";
  return "func.func @k(" + (zero ? "" : "%a: " + operand + ", ") +
         "%i: " + indices + ", %u: " + updates + ") -> " + operand + " { " +
         (zero ? "%a = train.constant dense<" + value + "> : " + operand + " "
               : "") +
         "%0 = train.scatter %a, %i, %u {update_window_dims = " +
         arrayText(f.windowDims) +
         ", inserted_window_dims = " + arrayText(f.inserted) +
         ", operand_batching_dims = " + arrayText(f.operandBatch) +
         ", indices_batching_dims = " + arrayText(f.indicesBatch) +
         ", operand_dims_map = " + arrayText(f.map) +
         ", index_vector_dim = " + std::to_string(f.vectorDim) +
         " : i64, kind = #train<reduce_kind " + kind + ">" +
         (clamp ? ", clamp_starts = true" : "") + "} : " + types +
         " return %0 : " + operand + " }";
}

TEST_F(RunCompiled, ScattersRowsOfEveryType) {
  ScatterForm rows{{37, 20}, {2, 25}, {2, 25, 20}, {2}, {0}, {}, {}, {0}, 2};
  for (const char *element : {"f32", "bf16", "f16", "f64", "i8", "ui8", "i16",
                              "ui16", "i32", "ui32", "i64", "ui64"})
    for (const char *kind :
         {"add", "multiply", "maximum", "minimum", "replace"})
      check(text(rows, element, "i32", kind, false), -3, 40);
  check(text(rows, "i1", "i32", "logical_or", false), -3, 40);
  check(text(rows, "i1", "ui8", "logical_and", true), 0, 90);
}

TEST_F(RunCompiled, ScattersOntoOneValue) {
  ScatterForm rows{{200, 130}, {64}, {64, 130}, {1}, {0}, {}, {}, {0}, 1};
  for (const char *element : {"f32", "bf16", "i64"})
    for (bool clamp : {false, true})
      check(text(rows, element, "i64", "add", clamp, true), -10, 220);
  ScatterForm picks{{4, 20, 130}, {4, 20, 3, 1}, {4, 20, 3}, {}, {2},
                    {0, 1},       {0, 1},        {2},        3};
  for (const char *element : {"f32", "bf16"})
    check(text(picks, element, "i32", "add", false, true), -10, 140);
}

TEST_F(RunCompiled, ScattersInManyForms) {
  std::vector<ScatterForm> forms = {
      // One number at a time, into a line and into a matrix.
      {{50}, {80}, {80}, {}, {0}, {}, {}, {0}, 1},
      {{9, 11}, {30, 2}, {30}, {}, {0, 1}, {}, {}, {0, 1}, 1},
      {{9, 11}, {2, 30}, {30}, {}, {0, 1}, {}, {}, {1, 0}, 0},
      // Along batching dims, as take_along_axis.
      {{6, 13}, {6, 5, 1}, {6, 5}, {}, {1}, {0}, {0}, {1}, 2},
      {{4, 6, 13}, {6, 4, 5}, {6, 4, 5, 13}, {3}, {}, {0, 1}, {1, 0}, {2}, 3},
      // One of each row, as the gradient of a loss that picks by label; several
      // of more rows than ranges; a row dim that is one; places computed within
      // a row; batching dims behind another dim.
      {{4, 6, 13}, {4, 6, 1}, {4, 6}, {}, {2}, {0, 1}, {0, 1}, {2}, 2},
      {{20, 9, 7}, {9, 5, 20, 1}, {9, 5, 20}, {}, {2}, {0, 1}, {2, 0}, {2}, 3},
      {{3, 1, 5, 7},
       {3, 1, 5, 4},
       {3, 1, 5, 4},
       {},
       {3},
       {0, 1, 2},
       {0, 1, 2},
       {3},
       4},
      {{5, 6, 18}, {5, 6, 4, 1}, {5, 6, 4, 9}, {3}, {}, {0, 1}, {0, 1}, {2}, 3},
      {{5, 6, 3}, {6, 3, 1}, {6, 3}, {}, {0}, {1, 2}, {0, 1}, {0}, 2},
      // Columns; windows that start at computed places; overlapping windows.
      {{7, 40}, {12}, {7, 12}, {0}, {1}, {}, {}, {1}, 1},
      {{20, 33}, {9, 1}, {9, 4, 33}, {1, 2}, {}, {}, {}, {0}, 1},
      {{20, 33}, {9, 2}, {9, 4, 17}, {1, 2}, {}, {}, {}, {0, 1}, 1},
      {{20, 33}, {9, 2}, {4, 9, 17}, {0, 2}, {}, {}, {}, {0, 1}, 1},
      {{20, 33}, {9, 2}, {4, 17, 9}, {0, 1}, {}, {}, {}, {1, 0}, 1},
      // Partly covered, and a single index vector.
      {{12, 19}, {5}, {5, 3}, {1}, {1}, {}, {}, {1}, 1},
      {{12, 5, 19}, {2}, {3, 2, 19}, {0, 1, 2}, {}, {}, {}, {0, 1}, 0},
      {{1, 300}, {7}, {7, 300}, {1}, {0}, {}, {}, {0}, 1},
      {{3, 4, 300}, {5}, {5, 4, 300}, {1, 2}, {0}, {}, {}, {0}, 1},
      {{}, {3, 0}, {3}, {}, {}, {}, {}, {}, 1},
      {{5, 8}, {0}, {0, 8}, {1}, {0}, {}, {}, {0}, 1},
  };
  int i = 0;
  for (const ScatterForm &f : forms)
    for (const char *element : {"f32", "bf16", "i16"}) {
      bool clamp = ++i % 2;
      check(text(f, element, "i32", "add", clamp), -2, 21);
      check(text(f, element, "i32", "replace", !clamp), -2, 21);
    }
}

// On GPUs a block lists the updates of a range of rows. These have vectors of
// 16 bytes and columns that are none; rows of several blocks, and of several
// vectors a thread; rows of a few threads; leading dims of one element; windows
// of one row; more ranges than updates; updates and rows that are no multiples.
TEST_F(RunCompiled, ScattersWholeRows) {
  std::vector<ScatterForm> forms = {
      {{90, 512}, {7, 30}, {7, 30, 512}, {2}, {0}, {}, {}, {0}, 2},
      {{3, 5001}, {41, 1}, {41, 5001}, {1}, {0}, {}, {}, {0}, 1},
      {{2, 2, 4096}, {40}, {40, 2, 4096}, {1, 2}, {0}, {}, {}, {0}, 1},
      {{1, 700, 9}, {1, 5}, {1, 5, 1, 9}, {0, 2, 3}, {}, {}, {}, {1}, 0},
      {{1000, 3, 4}, {303}, {303, 3, 4}, {1, 2}, {0}, {}, {}, {0}, 1},
      {{3000}, {10, 120}, {10, 120}, {}, {0}, {}, {}, {0}, 2},
  };
  int i = 0;
  for (const ScatterForm &f : forms)
    for (const char *element : {"f32", "bf16"}) {
      bool clamp = ++i % 2;
      check(text(f, element, "i64", "add", clamp, i % 3 == 0), -3, 105);
      check(text(f, element, "i16", "replace", !clamp), -3, 105);
    }
}

// The updates are as many as do not fit into a block's list. They are spread
// over all rows, or are nearly all of one row.
TEST_F(RunCompiled, ScattersMoreUpdatesThanAListHolds) {
  for (int64_t count : {6000, 5003}) {
    ScatterForm rows{{20, 6}, {count, 1}, {count, 6}, {1}, {0}, {}, {}, {0}, 1};
    for (const char *index : {"i32", "ui64"})
      for (int64_t high : {25, 4})
        check(text(rows, "f16", index, "add", false), 3, high);
    check(text(rows, "bf16", "i32", "replace", false), 3, 5);
    check(text(rows, "f32", "i8", "maximum", true), -9, -1);
  }
}

TEST_F(RunCompiled, HugeUnsignedIndicesAreOutside) {
  ScatterForm rows{{5}, {3}, {3}, {}, {0}, {}, {}, {0}, 1};
  auto type = [&](const char *text) {
    return mlir::cast<mlir::RankedTensorType>(mlir::parseType(text, &context));
  };
  std::vector<train::Tensor> inputs = {
      {type("tensor<5xf32>"), {1, 2, 3, 4, 5}, {}},
      {type("tensor<3xui64>"), {}, {-1, 4, INT64_MIN}},
      {type("tensor<3xf32>"), {10, 20, 30}, {}}};
  for (bool clamp : {false, true})
    check(text(rows, "f32", "ui64", "add", clamp), inputs);
}

} // namespace
