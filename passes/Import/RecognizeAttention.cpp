// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds softmax(scale q k + bias, masked) v and makes it one train.attention.
//
// The match goes from the second product backwards. It follows one element with
// symbolic indices (dialects/Train/ElementIndex.h), so it sees through any
// reshapes, transposes and repetitions. The weights must be a softmax along the
// contracted dim (AttentionSoftmax.cpp). The scores must be the first product
// times a number, plus any number of biases, masked. Conversions among f32,
// bf16 and f16 on the way are skipped: the op computes in f32. Dims of extent 1
// are left out. Dims that both products batch over are batches and heads. A
// further free dim of the query is the group of heads that share a key.
#include "mlir/IR/BuiltinOps.h"
#include "passes/Import/AttentionScores.h"
#include "passes/Import/AttentionSearch.h"
#include "passes/Import/AttentionSoftmax.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexContext;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {
#define GEN_PASS_DEF_RECOGNIZEATTENTION
#include "passes/Import/Passes.h.inc"

namespace {

/// Matches one second product, and replaces it.
class AttentionRecognizer {
public:
  explicit AttentionRecognizer(train::DotGeneralOp second) : second(second) {}

  /// Returns true if the product was replaced.
  bool run() {
    Side lhs{second.getLhs(), second.getLhsBatching(),
             second.getLhsContracting()},
        rhs{second.getRhs(), second.getRhsBatching(),
            second.getRhsContracting()};
    return match(lhs, rhs, true) || match(rhs, lhs, false);
  }
  /// Returns why the product is not an attention, after run() returned false.
  /// Empty if the product has nothing of an attention.
  StringRef whyLeft() const { return left; }
  /// Returns the op that is in the way; may be null.
  Operation *stoppedAt() const { return stop; }
  /// Returns true if keys are gathered over shards of the sequence, which they
  /// are not for a single query.
  bool gathersKeys() const { return hasQueries; }
  /// Returns true, after success, if weights are dropped.
  bool drops() const { return dropsWeights; }

private:
  /// One side of the product.
  struct Side {
    Value value;
    ArrayRef<int64_t> batching, contracting;
  };

  bool match(const Side &weights, const Side &value, bool weightsAreLhs);
  bool takeWeights(const Side &side, AttentionWeights &weights);
  void repeatQuery(AttentionPattern &pattern);
  bool takeValue(const Side &side, const Side &weightsSide,
                 AttentionPattern &pattern);

  train::DotGeneralOp second;
  IndexContext context;
  StringRef left;
  Operation *stop = nullptr;
  bool dropsWeights = false, hasQueries = false;
};

/// Gives each dim a variable; returns false if no key is contracted.
bool AttentionRecognizer::takeWeights(const Side &side,
                                      AttentionWeights &weights) {
  if (side.contracting.empty() ||
      !tensorType(side.value).getElementType().isIntOrFloat())
    return false;
  for (int64_t extent : shapeOf(side.value))
    weights.dims.push_back(extent == 1 ? nullptr : context.loopVar(extent));
  weights.key = weights.dims[side.contracting[0]];
  for (int64_t d : side.batching)
    if (weights.dims[d])
      weights.batching.push_back(weights.dims[d]);
  // Further dims of keys are no dims of queries. They are not read, but told.
  for (int64_t d : side.contracting.drop_front())
    if (weights.dims[d])
      weights.batching.push_back(weights.dims[d]);
  return weights.key;
}

/// Takes the value, whose dims must be the batching dims, the key, and one free
/// dim.
bool AttentionRecognizer::takeValue(const Side &side, const Side &weightsSide,
                                    AttentionPattern &pattern) {
  const IndexVars &weights = pattern.weights.dims;
  IndexVars &dims = pattern.value.dims;
  pattern.value.value = side.value;
  for (auto [d, extent] : llvm::enumerate(shapeOf(side.value))) {
    const auto *at = llvm::find(side.batching, int64_t(d));
    if (at != side.batching.end())
      dims.push_back(weights[weightsSide.batching[at - side.batching.begin()]]);
    else if (int64_t(d) == side.contracting[0])
      dims.push_back(pattern.weights.key);
    else if (extent == 1)
      dims.push_back(nullptr);
    else if (!pattern.valueDepth)
      dims.push_back(pattern.valueDepth = context.loopVar(extent));
    else
      return false;
  }
  return true;
}

/// Repeats queries that all batches share, as learned ones are.
void AttentionRecognizer::repeatQuery(AttentionPattern &pattern) {
  AttentionOperand &query = pattern.scores.query;
  OpBuilder b(second);
  for (const IndexVar *var : llvm::reverse(pattern.weights.batching)) {
    if (llvm::is_contained(query.dims, var))
      continue;
    SmallVector<int64_t> shape(shapeOf(query.value));
    auto dims = llvm::to_vector(llvm::seq<int64_t>(1, shape.size() + 1));
    shape.insert(shape.begin(), var->extent);
    query.value =
        train::broadcast(b, second.getLoc(), query.value, shape, dims);
    query.dims.insert(query.dims.begin(), var);
  }
}

bool AttentionRecognizer::match(const Side &weights, const Side &value,
                                bool weightsAreLhs) {
  AttentionPattern pattern{second, weightsAreLhs};
  if (!takeWeights(weights, pattern.weights))
    return false;
  ElementIndex index;
  for (const IndexVar *var : pattern.weights.dims)
    index.push_back(var ? IndexExpr(var) : IndexExpr(0));
  ScoreTerm element{weights.value, index};
  auto leave = [&](StringRef why, Operation *at = nullptr) {
    AttentionSearch search(context, pattern.weights);
    if (search.findsSoftmax(element)) {
      left = why;
      stop = at;
      hasQueries = !search.hasOneQuery();
    }
    return false;
  };
  if (weights.contracting.size() > 1)
    return leave("its keys have more than one dim", second);
  SoftmaxReader softmax(context, pattern.weights.key);
  std::optional<ScoreTerm> scores = softmax.read(element);
  if (!scores)
    return leave(softmax.isReadElsewhere()
                     ? "something else reads its weights"
                     : "its weights are not just a softmax of scores",
                 softmax.stoppedAt());
  ScoresReader reader(context, pattern.weights);
  std::optional<AttentionScores> read = reader.read(*scores);
  if (!read && AttentionSearch(context, pattern.weights).hasOneQuery())
    return leave("it has a single query", reader.stoppedAt());
  if (!read && isSumOfProducts(reader.stoppedAt()))
    return leave("its scores are written as a multiplication and a sum, not as "
                 "a product (matmul, einsum)",
                 reader.stoppedAt());
  if (!read)
    return leave("its scores are not a product of queries and keys times a "
                 "number, plus biases, masked",
                 reader.stoppedAt());
  pattern.scores = std::move(*read);
  pattern.scores.sink = softmax.getSink();
  repeatQuery(pattern);
  if (!softmax.takeZeros(pattern.scores))
    return leave("its zeros are not where its sums leave keys out");
  if (!takeValue(value, weights, pattern))
    return leave("its values have more than one dim beside the keys");
  if (!pattern.valueDepth || !isWorkFloat(value.value) ||
      !isWorkFloat(second.getResult()))
    return leave("its values are no floats of 16 or 32 bits",
                 value.value.getDefiningOp());
  Operation *at = nullptr;
  if (StringRef why = chooseRoles(context, pattern, at); !why.empty())
    return leave(why, at);
  dropsWeights = !pattern.scores.kept.empty();
  buildAttention(context, pattern);
  return true;
}

/// Returns a place such as "model.py:12:3".
static std::string placeOf(Location loc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    os << file.getFilename().getValue() << ":" << file.getLine() << ":"
       << file.getColumn();
  else
    os << "?";
  return text;
}

/// Returns an entry for the report.
static Attribute describe(OpBuilder &b, Location loc, StringRef why,
                          Operation *stop) {
  auto entry = [&](StringRef name, StringRef text) {
    return b.getNamedAttr(name, b.getStringAttr(text));
  };
  return b.getDictionaryAttr(
      {entry("place", placeOf(loc)), entry("why", why),
       entry("op", stop ? stop->getName().getStringRef() : ""),
       entry("at", stop ? placeOf(stop->getLoc()) : "")});
}

static void warnLeft(Operation *product, StringRef why, Operation *stop) {
  InFlightDiagnostic warning = product->emitWarning(
      "this attention is computed as products and a softmax, with keys and "
      "values gathered over context: ");
  warning << why;
  if (stop)
    warning.attachNote(stop->getLoc())
        << "'" << stop->getName() << "' is in the way";
}

struct RecognizeAttention
    : zcc::impl::RecognizeAttentionBase<RecognizeAttention> {
  using RecognizeAttentionBase::RecognizeAttentionBase;

  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry || !llvm::hasSingleElement(entry.getBody()))
      return;
    Block &block = entry.getBody().front();
    auto candidates = llvm::make_filter_range(block, [](Operation &op) {
      return isa<train::DotGeneralOp, train::ReduceOp>(op);
    });
    SmallVector<Operation *> products;
    for (Operation &op : candidates)
      products.push_back(&op);
    OpBuilder b(&getContext());
    SmallVector<Attribute> left;
    int64_t recognized = 0;
    auto leave = [&](Operation *product, StringRef why, Operation *stop,
                     bool gathersKeys) {
      left.push_back(describe(b, product->getLoc(), why, stop));
      if (warn && gathersKeys)
        warnLeft(product, why, stop);
    };
    for (Operation *op : products) {
      auto product = dyn_cast<train::DotGeneralOp>(op);
      if (!product) {
        bool hasOneQuery = false;
        if (isSumOfValues(cast<train::ReduceOp>(op), hasOneQuery))
          leave(op,
                hasOneQuery
                    ? "it has a single query"
                    : "its weights and values are multiplied and summed, not "
                      "contracted by a product (matmul, einsum)",
                op, /*gathersKeys=*/!hasOneQuery);
        continue;
      }
      AttentionRecognizer recognizer(product);
      Location loc = product.getLoc();
      if (recognizer.run()) {
        ++recognized;
        if (warn && recognizer.drops())
          emitWarning(loc, "keys and values of this attention are gathered "
                           "over context: it drops weights");
      } else if (!recognizer.whyLeft().empty()) {
        leave(product, recognizer.whyLeft(), recognizer.stoppedAt(),
              recognizer.gathersKeys());
      }
    }
    if (recognized || !left.empty())
      getOperation()->setAttr(
          attentionsAttrName,
          b.getDictionaryAttr(
              {b.getNamedAttr("recognized", b.getI64IntegerAttr(recognized)),
               b.getNamedAttr("left", b.getArrayAttr(left))}));
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};

} // namespace
} // namespace zcc
