// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes all that is known of a compilation as one page of HTML (--page), which
// a browser opens without a network: the report, the memory at the peak, the
// schedule, the predicted timeline, the collectives and the explanations. The
// template is page.html; it has a place for each of the data, which are JSON.
#ifndef ZCC_COMPILER_EMISSION_PAGE_H
#define ZCC_COMPILER_EMISSION_PAGE_H

#include "compiler/emission/MemoryPlot.h"
#include "compiler/emission/Report.h"

namespace zcc {

/// The texts of --explain for the plan and for all values.
struct ExplainedValues {
  std::string plan;
  /// Values that are alike in all layers have one text.
  std::vector<std::string> texts;
  /// The names of values, each with the index of its text.
  std::vector<std::pair<std::string, size_t>> names;
};

struct PageContents {
  std::string model;    // the file of the text
  std::string messages; // warnings and notes of the compilation
  /// Null if the text that was resumed is of a phase after the decisions.
  const ExplainedValues *explained = nullptr;
  std::vector<MemoryCurve> curves;
  MemoryPlotTexts memory;
  llvm::ArrayRef<PredictedSpan> spans;
};

/// Returns the page, of less than 5 MB. Where a program has more than fits, the
/// page says what it leaves out: the smallest collectives, explanations, curves
/// of the stages that need least, and short spans, which are joined.
/// The element `<script type="application/json" id="measured"></script>` is
/// empty. Who has a trace of zrun may write it there (with `<` as \u003c): the
/// page then shows both timelines.
std::string writePage(const Report &report, const PageContents &contents);

} // namespace zcc

#endif
