// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lays out what all-to-alls write and read if a device has several shards of
// the dim that they spread, such as several experts. An all-to-all joins the
// blocks that it gets along one dim, so the rows of an expert lie in as many
// places as there are devices. Here they lie together: the dim of the experts
// is outermost on both sides, and the exchange sees it as two, the devices and
// the experts of a device. Products, which run once for each expert, read and
// write their rows so, and one expert's rows are computed while those of the
// next one travel (passes/Schedule/StepParts.cpp). No element is in another
// place for what lies between the exchanges, so no bits change.
//
// Parameters tell which side has the experts: they are shards of the same dim,
// and products there run once for each of its entries.
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Partition/Dealing.h"
#include "passes/Train/DotTransposes.h"
#include "llvm/ADT/SetVector.h"

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_LAYOUTEXCHANGES
#include "passes/Distribute/Passes.h.inc"

namespace {

class Layouts {
public:
  Layouts(func::FuncOp step, MeshOp mesh)
      : step(step), mesh(mesh), tied(step.getBody().front()) {
    for (BlockArgument argument : step.getArguments())
      if (step.getArgAttr(argument.getArgNumber(), parameterAttrName))
        for (unsigned d = 0; d < rankOf(argument); ++d)
          parameterDims.insert(tied.classOf(argument, d));
    // Parameters may be gathered first.
    for (auto gather : step.getBody().front().getOps<AllGatherOp>())
      if (auto d = static_cast<unsigned>(gather.getDim());
          parameterDims.contains(tied.classOf(gather.getOperand(), d)))
        parameterDims.insert(tied.classOf(gather.getResult(), d));
  }

  void run() {
    // The ties are those of the step as it is.
    SmallVector<ExchangedRows> fits;
    for (auto op : step.getBody().front().getOps<AllToAllOp>())
      for (bool enters : {true, false})
        if (ExchangedRows exchange{op, enters}; isFit(exchange)) {
          fits.push_back(exchange);
          break;
        }
    for (ExchangedRows exchange : fits)
      layOut(exchange);
    // Erases conversions and transposes that nothing reads any more.
    while (!unused.empty()) {
      Operation *op = unused.pop_back_val();
      if (!op->use_empty() || !isa<train::ConvertOp, train::TransposeOp>(op))
        continue;
      if (Operation *before = op->getOperand(0).getDefiningOp())
        unused.insert(before);
      op->erase();
    }
  }

private:
  bool isFit(ExchangedRows exchange) {
    unsigned joined = exchange.joined(), spread = exchange.spread();
    Value together = exchange.together(), apart = exchange.apart();
    DenseSet<Value> seen;
    for (Value v : {together, apart})
      if (ShardingAttr sharding = shardingOf(step, v);
          !sharding || sharding.getPadded())
        return false;
    return exchange.op.getWhat() == MovedKind::Activation &&
           mesh.getGroupSize(exchange.op.getAxes()) > 1 &&
           train::shapeOf(together)[spread] > 1 &&
           parameterDims.contains(tied.classOf(together, spread)) &&
           isBatchOfProduct(together, spread, exchange.enters, seen) &&
           areOutermost(together, joined, spread) &&
           (train::shapeOf(apart)[joined] == 1 ||
            areOutermost(apart, joined, spread));
  }

  /// Returns true if a product that reads the value, or that makes it, runs
  /// once for each entry of its dim. Elementwise ops and transposes may stand
  /// between. `seen`: the values that were asked about before.
  static bool isBatchOfProduct(Value v, unsigned d, bool reads,
                               DenseSet<Value> &seen) {
    if (!seen.insert(v).second)
      return false;
    if (!reads) {
      Operation *op = v.getDefiningOp();
      if (auto dot = dyn_cast_or_null<train::DotGeneralOp>(op))
        return d < dot.getLhsBatching().size();
      if (auto moved = dyn_cast_or_null<train::TransposeOp>(op))
        return isBatchOfProduct(moved.getOperand(), moved.getPermutation()[d],
                                false, seen);
      return op && op->hasTrait<train::ElementwiseOp>() &&
             llvm::any_of(op->getOperands(), [&](Value operand) {
               return rankOf(operand) == rankOf(v) &&
                      isBatchOfProduct(operand, d, false, seen);
             });
    }
    return llvm::any_of(v.getUses(), [&](OpOperand &use) {
      Operation *op = use.getOwner();
      if (auto dot = dyn_cast<train::DotGeneralOp>(op))
        return llvm::is_contained(use.getOperandNumber() == 0
                                      ? dot.getLhsBatching()
                                      : dot.getRhsBatching(),
                                  static_cast<int64_t>(d));
      if (auto moved = dyn_cast<train::TransposeOp>(op))
        return isBatchOfProduct(
            moved.getResult(),
            llvm::find(moved.getPermutation(), static_cast<int64_t>(d)) -
                moved.getPermutation().begin(),
            true, seen);
      return op->hasTrait<train::ElementwiseOp>() &&
             rankOf(op->getResult(0)) == rankOf(v) &&
             isBatchOfProduct(op->getResult(0), d, true, seen);
    });
  }

  /// Returns true if those dims have the first two extents above 1.
  static bool areOutermost(Value v, unsigned a, unsigned b) {
    ArrayRef<int64_t> shape = train::shapeOf(v);
    std::optional<unsigned> outer = firstLongDim(shape, 0);
    std::optional<unsigned> inner =
        outer ? firstLongDim(shape, *outer + 1) : std::nullopt;
    return inner && std::minmax(*outer, *inner) == std::minmax(a, b);
  }

  void layOut(ExchangedRows exchange) {
    AllToAllOp op = exchange.op;
    OpBuilder b(op);
    const int64_t devices = mesh.getGroupSize(op.getAxes());
    const unsigned joined = exchange.joined(), spread = exchange.spread(),
                   place = std::min(joined, spread);
    Attribute none = b.getArrayAttr({});
    struct Side {
      ShardingAttr sharding;
      SmallVector<int64_t> shape, view; // view: as (device, shard, joined dim)
      SmallVector<Attribute> places, viewPlaces;
      bool isSwapped; // true if the joined dim is in front of the spread one
    };
    auto look = [&](Value v, bool together) {
      Side side{shardingOf(step, v), {}, {}, {}, {}, false};
      side.shape.assign(train::shapeOf(v).begin(), train::shapeOf(v).end());
      side.places.assign(side.sharding.getDims().begin(),
                         side.sharding.getDims().end());
      side.isSwapped = joined < spread && side.shape[joined] > 1;
      for (unsigned d = 0; d < side.shape.size(); ++d) {
        if (d == place) {
          int64_t members = together ? 1 : devices;
          side.view.append(
              {members, side.shape[spread] / members, side.shape[joined]});
          side.viewPlaces.append(
              {side.places[spread], none, side.places[joined]});
        }
        if (d != joined && d != spread) {
          side.view.push_back(side.shape[d]);
          side.viewPlaces.push_back(side.places[d]);
        }
      }
      return side;
    };
    Value source = op.getOperand(), result = op.getResult();
    Side from = look(source, !exchange.enters),
         to = look(result, exchange.enters);
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, from.shape.size()));
    std::swap(order[joined], order[spread]);
    auto transpose = [&](Value v, ArrayRef<Attribute> places,
                         ShardingAttr sharding) -> Value {
      // Two swaps of the same dims are none, also with a conversion between.
      auto convert = v.getDefiningOp<train::ConvertOp>();
      Value from = convert ? convert.getOperand() : v;
      auto before = from.getDefiningOp<train::TransposeOp>();
      Value out;
      if (before && before.getPermutation() == ArrayRef<int64_t>(order)) {
        if (!convert)
          return before.getOperand();
        out = train::convert(b, convert.getLoc(), before.getOperand(),
                             train::tensorType(v).getElementType());
        out.getDefiningOp()->setAttrs(convert->getAttrs());
      } else {
        out = train::transpose(b, op.getLoc(), v, order);
        putBeside(out.getDefiningOp(), op);
      }
      placeResult(out, places, sharding);
      return out;
    };
    if (from.isSwapped) {
      std::swap(from.places[joined], from.places[spread]);
      Value swapped = transpose(source, from.places, from.sharding);
      if (Operation *before = source.getDefiningOp())
        unused.insert(before);
      source = swapped;
    }
    op->setOperand(0, reshapeBeside(b, op, source, from.view, from.viewPlaces,
                                    from.sharding));
    op.setSplitDim(exchange.enters ? place : place + 2);
    op.setConcatDim(exchange.enters ? place + 2 : place);
    result.setType(train::tensorType(result).clone(to.view));
    placeResult(result, to.viewPlaces, to.sharding);
    b.setInsertionPointAfter(op);
    SmallVector<int64_t> shape = to.shape;
    SmallVector<Attribute> places = to.places;
    if (to.isSwapped) {
      std::swap(shape[joined], shape[spread]);
      std::swap(places[joined], places[spread]);
    }
    Value back = reshapeBeside(b, op, result, shape, places, to.sharding);
    Operation *first = back.getDefiningOp();
    if (to.isSwapped)
      back = transpose(back, to.places, to.sharding);
    result.replaceAllUsesExcept(back, first);
    if (auto swapped = back.getDefiningOp<train::TransposeOp>())
      readAsItLies(swapped);
  }

  /// Lets products read the operand of a transpose in place of its result.
  static void readAsItLies(train::TransposeOp transpose) {
    for (Operation *user : llvm::make_early_inc_range(transpose->getUsers())) {
      auto dot = dyn_cast<train::DotGeneralOp>(user);
      if (!dot)
        continue;
      std::optional<train::DotOperands> own = train::takeTransposes(
          dot, [&](train::TransposeOp before) { return before == transpose; });
      if (!own)
        continue;
      for (unsigned side : {0u, 1u})
        dot->setOperand(side, own->values[side]);
      dot.setLhsBatching(own->batching[0]);
      dot.setRhsBatching(own->batching[1]);
      dot.setLhsContracting(own->contracting[0]);
      dot.setRhsContracting(own->contracting[1]);
    }
    if (transpose->use_empty())
      transpose->erase();
  }

  func::FuncOp step;
  MeshOp mesh;
  TiedDims tied;
  llvm::DenseSet<unsigned> parameterDims; // classes
  llvm::SetVector<Operation *> unused;    // may have lost their last reader
};

struct LayOutExchanges : impl::LayOutExchangesBase<LayOutExchanges> {
  void runOnOperation() override {
    MeshOp mesh = getMesh(getOperation());
    func::FuncOp step = getStep(getOperation());
    if (mesh && step)
      Layouts(step, mesh).run();
  }
};

} // namespace
} // namespace zcc
