// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dry run of the code generator: the ops' kinds choose the form, then the
// elements of every output are followed back with symbolic indices, which shows
// whether reductions are read where they are known and how much is repeated.
#include "compiler/codegen/KernelForm.h"
#include "compiler/codegen/ElementWalk.h"
#include "dialects/Train/OpCost.h"
#include "dialects/Train/StridedView.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace zcc::codegen {

StringRef stringifyKernelForm(KernelForm::Kind kind) {
  static const char *const names[] = {
      "loop", "row", "column", "squares", "dot", "convolution", "special"};
  return names[kind];
}

SmallVector<int64_t> reducedDims(Operation *op) {
  if (auto reduce = dyn_cast<train::ReduceOp>(op)) {
    SmallVector<int64_t> dims(reduce.getDims());
    llvm::sort(dims);
    return dims;
  }
  return {int64_t(cast<train::ArgReduceOp>(op).getDim())};
}

bool isReduction(Operation *op) {
  return isa<train::ReduceOp, train::ArgReduceOp>(op);
}

// True if the order in which elements are combined does not matter.
static bool isOrderFree(Operation *op) {
  auto reduce = dyn_cast<train::ReduceOp>(op);
  if (!reduce)
    return false;
  if (!train::isFloat(reduce.getOperand()))
    return reduce.getKind() != train::ReduceKind::replace;
  return reduce.getKind() == train::ReduceKind::maximum ||
         reduce.getKind() == train::ReduceKind::minimum;
}

namespace {
struct Extents {
  bool column;
  int64_t kept, reduced;
  int64_t lastDim;  // extent of the last dim
  int64_t trailing; // product of the reduced (row) or kept (column) last dims
  // Says how a position determines its lane (row): by the last dim alone, by
  // the whole position (the same if the last dim is a multiple of 16), or not
  // at all.
  enum { ByLastDim, ByPosition, Free } lanes;
};
} // namespace

static Extents extentsOf(Operation *op) {
  ArrayRef<int64_t> shape = train::shapeOf(op->getOperand(0));
  SmallVector<int64_t> dims = reducedDims(op);
  int64_t rank = shape.size();
  Extents e{};
  e.kept = e.reduced = e.trailing = 1;
  e.column = dims.empty() || dims.back() != rank - 1;
  for (int64_t d = 0; d < rank; ++d)
    (llvm::is_contained(dims, d) ? e.reduced : e.kept) *= shape[d];
  for (int64_t d = rank - 1; d >= 0 && llvm::is_contained(dims, d) != e.column;
       --d)
    e.trailing *= shape[d];
  e.lastDim = rank ? shape.back() : 1;
  if (isOrderFree(op))
    e.lanes = Extents::Free;
  else if (e.lastDim == e.reduced || e.lastDim % 16 == 0)
    e.lanes = Extents::ByPosition;
  else
    e.lanes = Extents::ByLastDim;
  return e;
}

train::ElementIndex ReduceDomain::operandIndex(train::IndexContext &context,
                                               Operation *op) const {
  ArrayRef<int64_t> shape = train::shapeOf(op->getOperand(0));
  SmallVector<int64_t> dims = reducedDims(op);
  SmallVector<int64_t> keptShape, reducedShape;
  for (auto [d, extent] : llvm::enumerate(shape))
    (llvm::is_contained(dims, int64_t(d)) ? reducedShape : keptShape)
        .push_back(extent);
  train::IndexExpr reducedLinear =
      column ? train::IndexExpr(outerReduced)
             : train::IndexExpr(outerReduced) * last->extent +
                   train::IndexExpr(last);
  if (!column && outerReduced->extent == 1)
    reducedLinear = train::IndexExpr(last);
  train::ElementIndex keptIndex = context.delinearize(keptLinear, keptShape);
  train::ElementIndex reducedIndex =
      context.delinearize(reducedLinear, reducedShape);
  train::ElementIndex index;
  unsigned k = 0, r = 0;
  for (int64_t d = 0, e = shape.size(); d < e; ++d)
    index.push_back(llvm::is_contained(dims, d) ? reducedIndex[r++]
                                                : keptIndex[k++]);
  return index;
}

std::optional<ReduceDomain> getReduceDomain(train::IndexContext &context,
                                            ArrayRef<Operation *> reductions) {
  if (reductions.empty())
    return std::nullopt;
  Extents first = extentsOf(reductions.front());
  if (first.kept == 0 || first.reduced == 0)
    return std::nullopt;
  int64_t last = first.trailing;
  bool byLastDim = false, byPosition = false;
  for (Operation *op : reductions) {
    Extents e = extentsOf(op);
    if (e.column != first.column || e.kept != first.kept ||
        e.reduced != first.reduced)
      return std::nullopt;
    if (e.column) {
      if (e.trailing != first.trailing)
        return std::nullopt;
      continue;
    }
    if (e.lanes == Extents::ByLastDim) {
      if (byLastDim && last != e.lastDim)
        return std::nullopt;
      byLastDim = true;
      last = e.lastDim;
    }
    byPosition |= e.lanes == Extents::ByPosition;
  }
  if (byLastDim && byPosition)
    return std::nullopt;
  ReduceDomain domain;
  domain.column = first.column;
  if (domain.column) {
    // Few columns would waste lanes: then vectors run along all kept dims.
    if (last < 8)
      last = first.kept;
    int64_t outer = first.kept / last;
    domain.kept = context.loopVar(outer);
    domain.outerReduced = context.loopVar(first.reduced);
    domain.last = context.loopVar(last);
    domain.keptLinear = train::IndexExpr(domain.last);
    if (outer > 1)
      domain.keptLinear =
          train::IndexExpr(domain.kept) * last + domain.keptLinear;
  } else {
    domain.kept = context.loopVar(first.kept);
    domain.outerReduced = context.loopVar(first.reduced / last);
    domain.last = context.loopVar(last);
    domain.keptLinear =
        first.kept == 1 ? train::IndexExpr(0) : train::IndexExpr(domain.kept);
  }
  domain.fullLinear =
      context.linearize(domain.operandIndex(context, reductions.front()),
                        train::shapeOf(reductions.front()->getOperand(0)));
  for (Operation *op : reductions)
    if (context.linearize(domain.operandIndex(context, op),
                          train::shapeOf(op->getOperand(0))) !=
        domain.fullLinear)
      return std::nullopt;
  return domain;
}

train::ElementIndex
scoreIndex(train::IndexContext &context, const train::Attention &attention,
           Value v, const train::IndexVar *batch, const train::IndexVar *head,
           const train::IndexVar *query, const train::IndexVar *key) {
  train::ElementIndex index =
      context.delinearize(train::IndexExpr(batch), attention.batch);
  for (const train::IndexVar *var : {head, query, key})
    index.push_back(train::IndexExpr(var));
  for (auto [d, extent] : llvm::enumerate(train::shapeOf(v)))
    if (extent == 1)
      index[d] = train::IndexExpr(0);
  return index;
}

namespace {

class Classifier {
public:
  Classifier(ArrayRef<Operation *> ops, ArrayRef<Value> outputs)
      : ops(ops.begin(), ops.end()), outputs(outputs) {}

  std::optional<KernelForm> run();
  std::string why;

private:
  bool inside(Value v) {
    Operation *op = v.getDefiningOp();
    return op && ops.contains(op);
  }
  /// Returns true for a constant of one value that the kernel has itself. One
  /// that is stored is an input.
  bool isSplat(Value v) {
    if (!train::getSplat(v))
      return false;
    while (inside(v) && !isa<train::ConstantOp>(v.getDefiningOp()))
      v = v.getDefiningOp()->getOperand(0);
    return inside(v);
  }
  static int64_t count(Value v) {
    return train::tensorType(v).getNumElements();
  }
  unsigned limit() const { return 8 * ops.size() + 64; }
  std::nullopt_t fail(const llvm::Twine &message) {
    why = message.str();
    return std::nullopt;
  }
  ElementWalk::Step loopStep(Value v) {
    if (!inside(v))
      return ElementWalk::Step::Leaf;
    return isLoopOp(v.getDefiningOp()) ? ElementWalk::Step::Descend
                                       : ElementWalk::Step::Illegal;
  }
  std::optional<KernelForm> loop();
  std::optional<KernelForm> reduction(ArrayRef<Operation *> reductions);
  std::optional<KernelForm> squares(Operation *op);
  std::optional<KernelForm> product(Operation *op);
  std::optional<KernelForm> special(Operation *op);
  std::optional<KernelForm> attention(Operation *op);
  bool isPlaced(Operation *root, Value output);
  bool visitAt(ElementWalk &walk, train::IndexContext &context, Value v,
               const train::IndexExpr &linear) {
    if (walk.visit(v, context.delinearize(linear, train::shapeOf(v))))
      return true;
    why = walk.why;
    return false;
  }

  llvm::SetVector<Operation *> ops;
  ArrayRef<Value> outputs;
};

std::optional<KernelForm> Classifier::loop() {
  train::IndexContext context(&ops);
  ElementWalk walk(
      context,
      [&](Value v, const train::ElementIndex &) { return loopStep(v); },
      limit());
  int64_t n = count(outputs.front());
  const train::IndexVar *k = context.loopVar(n);
  for (Value v : outputs) {
    if (count(v) != n)
      return fail("outputs differ in their number of elements");
    if (!visitAt(walk, context, v, train::IndexExpr(k)))
      return std::nullopt;
  }
  return KernelForm{KernelForm::Loop, nullptr, walk.work};
}

std::optional<KernelForm>
Classifier::reduction(ArrayRef<Operation *> reductions) {
  train::IndexContext context(&ops);
  std::optional<ReduceDomain> domain = getReduceDomain(context, reductions);
  if (!domain)
    return fail("reductions have no common iteration space");
  int64_t full = count(reductions.front()->getOperand(0));
  int64_t kept = count(reductions.front()->getResult(0));
  if (full == 0)
    return fail("a reduction over no elements");
  auto classify = [&](Value v, const train::ElementIndex &index) {
    if (!inside(v) || !isReduction(v.getDefiningOp()))
      return loopStep(v);
    // The value is known only at the current position of the kept dims.
    return context.linearize(index, train::shapeOf(v)) == domain->keptLinear
               ? ElementWalk::Step::Leaf
               : ElementWalk::Step::Illegal;
  };
  ElementWalk walk(context, classify, limit());
  for (Operation *op : reductions) {
    if (auto reduce = dyn_cast<train::ReduceOp>(op))
      if (reduce.getKind() == train::ReduceKind::replace)
        return fail("a reduction that replaces");
    walk.work += static_cast<double>(full) * train::getElementWeight(op);
    if (!walk.visit(op->getOperand(0), domain->operandIndex(context, op))) {
      why = walk.why;
      return std::nullopt;
    }
  }
  for (Value v : outputs) {
    bool isFull = count(v) == full && kept != full;
    if (!isFull && count(v) != kept)
      return fail("an output has neither the elements of the iteration space "
                  "nor of the reduced one");
    if (inside(v) && isReduction(v.getDefiningOp()))
      continue;
    if (!visitAt(walk, context, v,
                 isFull ? domain->fullLinear : domain->keptLinear))
      return std::nullopt;
  }
  return KernelForm{domain->column ? KernelForm::Column : KernelForm::Row,
                    reductions.front(), walk.work};
}

std::optional<KernelForm> Classifier::squares(Operation *op) {
  if (outputs.size() != 1 || outputs[0] != op->getResult(0))
    return fail("a sum of squares has to be the only output");
  // Several threads may work on the blocks.
  if (count(op->getResult(0)) == 1 &&
      count(op->getOperand(0)) > train::squaresBlock)
    return fail("a sum of squares of several blocks is not split into them");
  train::IndexContext context(&ops);
  ElementWalk walk(
      context,
      [&](Value v, const train::ElementIndex &) { return loopStep(v); },
      limit());
  const train::IndexVar *k = context.loopVar(count(op->getOperand(0)));
  walk.work = train::getElementWeight(op) *
              static_cast<double>(count(op->getOperand(0)));
  if (!visitAt(walk, context, op->getOperand(0), train::IndexExpr(k)))
    return std::nullopt;
  return KernelForm{KernelForm::Squares, op, walk.work};
}

std::optional<KernelForm> Classifier::product(Operation *root) {
  train::IndexContext context(&ops);
  // Prologue: loop ops from inputs.
  ElementWalk prologue(
      context,
      [&](Value v, const train::ElementIndex &) { return loopStep(v); },
      limit());
  for (Value operand : root->getOperands()) {
    train::ElementIndex index;
    for (int64_t extent : train::shapeOf(operand))
      index.push_back(extent == 1 ? train::IndexExpr(0)
                                  : train::IndexExpr(context.loopVar(extent)));
    if (!prologue.visit(operand, index)) {
      why = prologue.why;
      return std::nullopt;
    }
  }
  // Epilogue: each element of an output uses the product's element at a place
  // that is a permutation of the dims, up to reshapes: followed from the
  // product forwards, by ops that keep elements apart.
  llvm::SetVector<Value> after;
  after.insert(root->getResult(0));
  int64_t n = count(root->getResult(0));
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : ops) {
      if (op == root || llvm::none_of(op->getOperands(), [&](Value v) {
            return after.contains(v);
          }))
        continue;
      bool keeps = op->hasTrait<train::ElementwiseOp>() ||
                   isa<train::ReshapeOp, train::TransposeOp>(op);
      if (auto broadcast = dyn_cast<train::BroadcastOp>(op))
        keeps = count(broadcast.getResult()) == n;
      if (!keeps)
        return fail("the product's result goes through " +
                    op->getName().getStringRef());
      for (Value v : op->getResults())
        changed |= after.insert(v);
    }
  }
  double work = prologue.work;
  // An element of the product is known alone: x - transpose(x) reads two.
  std::optional<train::IndexExpr> place;
  bool isOnePlace = true;
  ElementWalk epilogue(
      context,
      [&](Value v, const train::ElementIndex &index) {
        if (v != root->getResult(0))
          return loopStep(v);
        train::IndexExpr linear = context.linearize(index, train::shapeOf(v));
        isOnePlace &= !place || *place == linear;
        place = linear;
        return ElementWalk::Step::Leaf;
      },
      limit());
  for (Value v : outputs) {
    if (!after.contains(v) || count(v) != n)
      return fail("an output does not come from the product");
    place.reset();
    train::ElementIndex index;
    for (int64_t extent : train::shapeOf(v))
      index.push_back(extent == 1 ? train::IndexExpr(0)
                                  : train::IndexExpr(context.loopVar(extent)));
    if (!epilogue.visit(v, index)) {
      why = epilogue.why;
      return std::nullopt;
    }
    if (!isOnePlace)
      return fail("an output reads the product at two places");
  }
  return KernelForm{isa<train::DotGeneralOp>(root) ? KernelForm::Dot
                                                   : KernelForm::Convolution,
                    root, work + epilogue.work};
}

std::optional<KernelForm> Classifier::special(Operation *root) {
  for (Value operand : root->getOperands())
    if (inside(operand) && !isSplat(operand))
      return fail(root->getName().getStringRef() +
                  " takes inputs and splat constants only");
  for (Value v : outputs)
    if (v.getDefiningOp() != root)
      return fail(root->getName().getStringRef() + " stands alone");
  double work = 0;
  for (Value v : root->getOperands())
    work += count(v);
  return KernelForm{KernelForm::Special, root, work};
}

// Returns true if the output is a result of the attention, or consists of
// results, as the gradient of queries, keys and values in one tensor does.
// Results are stored along their last dim, in units of 8 elements.
bool Classifier::isPlaced(Operation *root, Value output) {
  if (output.getDefiningOp() == root)
    return true;
  std::optional<SmallVector<train::PlacedResult>> placed =
      train::placeResults(root, output, [&](Value v) { return inside(v); });
  return placed && isa<train::AttentionOp, train::AttentionGradientOp>(root) &&
         llvm::all_of(*placed, [](const train::PlacedResult &own) {
           ArrayRef<int64_t> strides = own.view.strides;
           return strides.back() == 1 && own.view.offset % 8 == 0 &&
                  llvm::all_of(strides.drop_back(),
                               [](int64_t stride) { return stride % 8 == 0; });
         });
}

std::optional<KernelForm> Classifier::attention(Operation *root) {
  if (!llvm::all_of(outputs, [&](Value v) { return isPlaced(root, v); }))
    return fail(root->getName().getStringRef() + " stands alone");
  if (std::string lacking = findLacking(root); !lacking.empty())
    return fail(lacking);
  train::Attention a = train::Attention::of(root);
  if (auto gradient = dyn_cast<train::AttentionGradientOp>(root);
      gradient && train::shapeOf(gradient.getDelta()).size() ==
                      train::shapeOf(a.query).size())
    return fail("the attention's result stands in delta's place");
  // `kept` comes last.
  for (Value v : root->getOperands().drop_back(a.kept ? 1 : 0)) {
    std::optional<train::StridedView> view =
        train::getStridedView(v, [&](Value part) { return inside(part); });
    if (!view)
      return fail(root->getName().getStringRef() +
                  " reads inputs at constant strides only");
  }
  double work = cast<train::CostedOpInterface>(root).getFlops();
  if (a.kept) {
    train::IndexContext context(&ops);
    ElementWalk walk(
        context,
        [&](Value v, const train::ElementIndex &) { return loopStep(v); },
        limit());
    if (!walk.visit(a.kept,
                    scoreIndex(context, a, a.kept, context.loopVar(a.batches()),
                               context.loopVar(a.heads),
                               context.loopVar(a.queries),
                               context.loopVar(a.keys)))) {
      why = walk.why;
      return std::nullopt;
    }
    work += walk.work;
  }
  return KernelForm{KernelForm::Special, root, work};
}

std::optional<KernelForm> Classifier::run() {
  if (outputs.empty())
    return fail("no outputs");
  SmallVector<Operation *> reductions, roots;
  for (Operation *op : ops) {
    if (isReduction(op))
      reductions.push_back(op);
    else if (isa<train::DotGeneralOp, train::ConvolutionOp, train::ScatterOp,
                 train::CumulativeOp, train::SortOp, train::ReduceWindowOp,
                 train::SelectAndScatterOp, train::SumOfSquaresOp,
                 train::AttentionOp, train::AttentionGradientOp,
                 train::AttentionBlockOp, train::AttentionBlockGradientOp>(op))
      roots.push_back(op);
    else if (!isLoopOp(op))
      return fail(op->getName().getStringRef() + " is no part of kernels");
  }
  if (roots.size() > 1 || (!roots.empty() && !reductions.empty()))
    return fail("more than one product, reduction or special op");
  if (!reductions.empty())
    return reduction(reductions);
  if (roots.empty())
    return loop();
  if (isa<train::DotGeneralOp, train::ConvolutionOp>(roots[0]))
    return product(roots[0]);
  if (isa<train::SumOfSquaresOp>(roots[0]))
    return squares(roots[0]);
  if (train::Attention::isAttention(roots[0]))
    return attention(roots[0]);
  return special(roots[0]);
}

} // namespace

std::string findLacking(Operation *op) {
  if (train::Attention::isAttention(op) &&
      train::tensorType(op->getOperand(0)).getElementType().isF64())
    return "attention in f64";
  return "";
}

std::optional<KernelBody> getKernelBody(func::FuncOp kernel) {
  if (kernel.isExternal() || !llvm::hasSingleElement(kernel.getBody()))
    return std::nullopt;
  KernelBody out;
  Block &block = kernel.getBody().front();
  for (Operation &op : block.without_terminator())
    out.ops.push_back(&op);
  llvm::append_range(out.outputs, block.getTerminator()->getOperands());
  return out;
}

std::optional<KernelForm> classifyKernel(ArrayRef<Operation *> ops,
                                         ArrayRef<Value> outputs,
                                         std::string *why) {
  Classifier classifier(ops, outputs);
  std::optional<KernelForm> form = classifier.run();
  if (!form && why)
    *why = classifier.why;
  return form;
}

std::optional<KernelForm> classifyKernel(func::FuncOp kernel,
                                         std::string *why) {
  if (std::optional<KernelBody> body = getKernelBody(kernel))
    return classifyKernel(body->ops, body->outputs, why);
  if (why)
    *why = "not one block";
  return std::nullopt;
}

} // namespace zcc::codegen
