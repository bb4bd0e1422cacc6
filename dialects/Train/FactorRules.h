// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds factor rules from the pieces that the rules of all ops share. A dim of
// extent 1 has no factor, so nothing is ever sharded over it.
#ifndef ZCC_DIALECTS_TRAIN_FACTORRULES_H
#define ZCC_DIALECTS_TRAIN_FACTORRULES_H

#include "dialects/Train/Train.h"

namespace zcc::train {

class FactorRuleBuilder;

/// Returns the rule of an op whose operands and results every device has whole.
FactorRule wholeRule(mlir::Operation *op);

class FactorRuleBuilder {
public:
  using Dim = FactorRule::Dim;
  using Tensor = FactorRule::Tensor;
  using Kind = FactorRule::Kind;

  // Returns a dim that is one new factor; without factors if the extent is 1.
  Dim dim(int64_t extent, Kind kind = Kind::Pass,
          ReduceKind reduction = ReduceKind::add) {
    if (extent == 1)
      return {};
    rule.factors.push_back({extent, kind, reduction});
    return {static_cast<unsigned>(rule.factors.size() - 1)};
  }
  Dim replicated(int64_t extent) { return dim(extent, Kind::Replicate); }
  // Returns a dim of which the op picks positions (FactorRule::Factor::picked).
  Dim picked(int64_t extent, Kind kind,
             ReduceKind reduction = ReduceKind::add) {
    Dim own = dim(extent, kind, reduction);
    for (unsigned factor : own)
      rule.factors[factor].picked = true;
    return own;
  }

  // Returns one new factor for each dim.
  Tensor tensor(llvm::ArrayRef<int64_t> shape, Kind kind = Kind::Pass) {
    Tensor dims;
    for (int64_t extent : shape)
      dims.push_back(dim(extent, kind));
    return dims;
  }

  // Returns a dim that is read by windows. It is a factor whatever its extent.
  // `leader`: at most one factor.
  Dim windowed(int64_t extent, llvm::ArrayRef<unsigned> leader, int64_t stride,
               int64_t low, int64_t window = 1, int64_t dilation = 1) {
    rule.factors.push_back({extent, Kind::Window, ReduceKind::add});
    Dim own = {static_cast<unsigned>(rule.factors.size() - 1)};
    read(own, leader, stride, low, window, dilation);
    return own;
  }
  // Adds another leader to a dim that is read by windows.
  void read(llvm::ArrayRef<unsigned> factor, llvm::ArrayRef<unsigned> leader,
            int64_t stride, int64_t low, int64_t window, int64_t dilation) {
    FactorRule::Window entry{factor.front(), std::nullopt, stride, low,
                             window,         dilation};
    if (!leader.empty())
      entry.leader = leader.front();
    rule.windows.push_back(entry);
  }

  void addOperand(Tensor dims) { rule.operands.push_back(std::move(dims)); }
  void addResult(Tensor dims) { rule.results.push_back(std::move(dims)); }
  FactorRule take() { return std::move(rule); }

private:
  FactorRule rule;
};

} // namespace zcc::train

#endif
