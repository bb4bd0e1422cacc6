// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds random numbers that are the same in every step: dropout with a constant
// key drops the same elements all the time. Threefry and Philox (Salmon et al.,
// 2011, "Parallel random numbers: as easy as 1, 2, 3") are known by their
// rounds. Those of Philox make x of x, y and a key: (the upper half of a
// product of y) xor x xor key. Constants that UnrollLoops folded of rounds are
// marked.
#include "dialects/Train/Place.h"
#include "dialects/Train/Train.h"
#include "passes/Import/Entry.h"
#include "passes/Import/HashRounds.h"
#include "passes/Import/Import.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zcc::train::tensorType;

namespace zcc {
#define GEN_PASS_DEF_WARNFROZENRANDOM
#include "passes/Import/Passes.h.inc"

namespace {
/// Returns true for the upper word of a product.
bool isUpperHalf(Value v) {
  auto word = v.getDefiningOp<train::ConvertOp>();
  auto shift =
      word ? word.getOperand().getDefiningOp<train::ShrlOp>() : train::ShrlOp();
  return shift && shift.getLhs().getDefiningOp<train::MulOp>() &&
         tensorType(v).getElementType().isUnsignedInteger(32);
}

/// Returns true for an op of a round of a hash that all later ones depend on.
bool isHash(Operation *op) {
  if (isThreefryRound<train::XorOp, train::AddOp, train::OrOp, train::ShlOp,
                      train::ShrlOp>(op))
    return true;
  auto round = dyn_cast<train::XorOp>(op);
  return round && (isUpperHalf(round.getLhs()) || isUpperHalf(round.getRhs()));
}

struct WarnFrozenRandom : impl::WarnFrozenRandomBase<WarnFrozenRandom> {
  using WarnFrozenRandomBase::WarnFrozenRandomBase;

  void runOnOperation() override {
    if (warn)
      giveWarnings();
    getOperation().walk(
        [](train::ConstantOp op) { op->removeAttr(drawnAttrName); });
  }

private:
  void giveWarnings() {
    auto loss = getOperation().lookupSymbol<func::FuncOp>(lossFunctionName);
    if (!loss)
      return;
    Block &block = loss.getBody().front();
    // The ops that depend on an argument, and those that hashes depend on.
    DenseSet<Operation *> varying, hashed;
    for (Operation &op : block)
      if (llvm::any_of(op.getOperands(), [&](Value v) {
            return isa<BlockArgument>(v) || varying.contains(v.getDefiningOp());
          }))
        varying.insert(&op);
    for (Operation &op : llvm::reverse(block))
      if (llvm::any_of(op.getUsers(), [&](Operation *user) {
            return isHash(user) || hashed.contains(user);
          }))
        hashed.insert(&op);
    DenseSet<Attribute> places; // each line is named once
    for (Operation &op : block) {
      bool isFolded = op.hasAttr(drawnAttrName) && !op.use_empty();
      if ((!isFolded && !isHash(&op)) || varying.contains(&op) ||
          hashed.contains(&op))
        continue;
      if (FileLineColLoc place = findPlace(op.getLoc());
          place && !places.insert(place).second)
        continue;
      InFlightDiagnostic warning = op.emitWarning(
          "these random numbers depend on no input, so they are the same in "
          "every step: dropout would be frozen");
      warning.attachNote()
          << "derive them from an input: give the loss a last argument `key`, "
             "which gets a new key in each step (zrun --key-seed)";
    }
  }
};
} // namespace
} // namespace zcc
