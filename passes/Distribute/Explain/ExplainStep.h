// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why values of a step live where they live, as text for people: their
// shardings, where these came from, what else there was and at what cost, what
// is moved for whom and what it would cost not to. Finds what a name means; the
// texts are ExplainSubjects.h and ExplainRoles.h.
#ifndef ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINSTEP_H
#define ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINSTEP_H

#include "passes/Distribute/Explain/ExplainAlternatives.h"

namespace zcc::dist {

class StepExplainer {
public:
  // Of a module of phase `step` after buildMeshPipeline().
  StepExplainer(mlir::ModuleOp module, const DistributeOptions &options)
      : step(module, options) {}
  // Decides the step's shardings. Reports errors.
  mlir::LogicalResult prepare();

  // A parameter, an input, or all that is computed at a line.
  struct Subject {
    std::string name; // as collectives name it
    std::string text; // lines
    // Of a line: names of all its ops, and which of them the glob matches.
    std::vector<std::string> ops;
    std::vector<unsigned> numbers;
  };
  // All that the glob matches, in the order of the step.
  std::vector<Subject> explain(llvm::StringRef glob);
  // Of parameters and inputs, and of lines.
  std::vector<std::string> getNames() const;

  // What the roles of axes decided, estimates of the step, and those of other
  // options, for `--explain plan`.
  std::string explainRoles() const;
  std::string explainOptions();

  // What so many bytes more (less if negative) for gathered parameters are
  // worth: bytes that are kept more, seconds of a step more.
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

  ExplainedStep step;
  std::optional<StepAlternatives> alternatives; // once prepared
};

} // namespace zcc::dist

#endif
