// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explains to people why values of a step live where they live: their
// shardings, where these came from, what the alternatives would cost, which
// values are moved and for which ops. This class finds the values and ops that
// a name means; ExplainSubjects.h and ExplainRoles.h write the texts.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINSTEP_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINSTEP_H

#include "compiler/planner/explain/ExplainAlternatives.h"
#include "compiler/planner/explain/ExplainRoles.h"

namespace zcc::planner {

class StepExplainer {
public:
  // Explains a module of phase `step` after buildMeshPipeline().
  StepExplainer(mlir::ModuleOp module, const DistributeOptions &options)
      : step(module, options) {}
  // Decides the step's shardings. Reports errors. `peak`: the bytes of a device
  // by memory planning; 0: not known.
  mlir::LogicalResult prepare(double peak);

  // An answer: about a parameter, an input, or all ops of one line.
  struct Subject {
    std::string name; // as collectives name it
    std::string text; // lines
    // If it is about a line: the names of all its ops, and the numbers of those
    // that the glob matches.
    std::vector<std::string> ops;
    std::vector<unsigned> numbers;
  };
  // Explains everything that the glob matches, in the order of the step.
  std::vector<Subject> explain(llvm::StringRef glob);
  // Explains all parameters and inputs, and then all lines.
  std::vector<Subject> explainAll();
  // Sets how many alternatives are still tried, and returns the number before.
  size_t limitTrials(size_t count) { return alternatives->limitTrials(count); }
  bool mayTry() const { return alternatives->mayTry(); }
  // Returns the names of parameters and inputs, then those of lines.
  std::vector<std::string> getNames() const;

  // Texts for `--explain plan`: the shardings that the roles of axes decided;
  // and the estimate of the step, with those of other options.
  std::string explainRoles() const;
  std::string explainOptions(llvm::function_ref<TellSimulated> simulated);
  // The estimate of the step.
  const distribute::StepCost::Figures &figures() const { return step.figures; }

  // The effect of spending `change` more bytes (fewer, if negative) on gathered
  // parameters: bytes that are kept more, seconds that a step takes more.
  struct GatherPrice {
    double bytes = 0, seconds = 0;
  };
  GatherPrice priceGathers(double change) const;

private:
  struct Line {
    std::string name;
    llvm::SmallVector<mlir::Operation *> ops;
  };
  llvm::SmallVector<Line> getLines() const;
  // Explains the arguments whose names match.
  std::vector<Subject>
  explainArguments(llvm::function_ref<bool(llvm::StringRef)> matches);
  // Explains ops of a line, each given with its number there.
  Subject
  explainLine(const Line &line,
              llvm::ArrayRef<std::pair<mlir::Operation *, unsigned>> ops);

  ExplainedStep step;
  std::optional<StepAlternatives> alternatives; // once prepared
};

} // namespace zcc::planner

#endif
