// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deals the rows that all-to-alls bring together and take apart again, such as
// the tokens of experts. Between two such exchanges a device has rows of all
// devices of a group, those of the first device in front. So a range of them is
// no part of what each device sends, and neither the exchanges nor what lies
// between them can run part by part. Here the rows come in blocks, and each
// block has an equal share of the rows of every device. Then an exchange of one
// block has contiguous memory on this side, and steps run block by block
// (passes/Schedule/StepParts.cpp): one block is computed while the next one
// travels.
//
// The rows of a device are either the dim that is exchanged or, where a device
// has one of those, the dim behind it: the capacity of an expert, where a
// device has one group of tokens. In the second case a row is named by both
// dims.
//
// The order of rows is a name to all that lies between the exchanges, if it
// takes rows in any order: those ops stay as they are. Where something else
// makes or reads such rows, they stay in one piece. Sums over rows (gradients
// of the experts' weights) get another order, always the same one, whether or
// not anything runs in parts.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Partition/Dealing.h"
#include "llvm/ADT/MapVector.h"

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_DEALEXCHANGES
#include "passes/Distribute/Passes.h.inc"

namespace {

/// Rows that all-to-alls bring together and take apart.
struct Rows {
  ArrayAttr axes;
  int64_t devices = 1, extent = 1; // extent: that of the joined dim of a device
  std::optional<unsigned> inner;   // the class of the dim behind it, if that is
                                   // divided
  int64_t innerExtent = 1, blocks = 1;
  SmallVector<ExchangedRows> exchanges;
  bool fits = true;
};

class ExchangeDealer {
public:
  ExchangeDealer(func::FuncOp func, MeshOp mesh)
      : func(func), block(func.getBody().front()), mesh(mesh), tied(block) {}

  void run() {
    for (auto exchange : block.getOps<AllToAllOp>()) {
      if (exchange.getWhat() != MovedKind::Activation)
        continue;
      add({exchange, true});
      add({exchange, false});
    }
    if (all.empty())
      return;
    check();
    DenseSet<Operation *> dealt; // an exchange has one side that is dealt
    for (auto &[id, rows] : all) {
      if (!rows.fits || llvm::any_of(rows.exchanges, [&](ExchangedRows own) {
            return dealt.contains(own.op);
          }))
        continue;
      for (ExchangedRows exchange : rows.exchanges) {
        dealt.insert(exchange.op);
        deal(exchange, rows);
      }
    }
  }

private:
  /// Returns the dim behind the joined one that divides one row of a device in
  /// several; nullopt if there is none.
  static std::optional<unsigned> innerDim(ExchangedRows exchange) {
    ArrayRef<int64_t> together = train::shapeOf(exchange.together());
    return firstLongDim(together, exchange.joined() + 1);
  }

  void add(ExchangedRows exchange) {
    ArrayRef<int64_t> together = train::shapeOf(exchange.together());
    unsigned joined = exchange.joined();
    ArrayAttr axes = exchange.op.getAxes();
    int64_t devices = mesh.getGroupSize(axes),
            extent = train::shapeOf(exchange.apart())[joined];
    // The rows of several shards of the other dim do not lie together.
    if (devices == 1 || firstLongDim(together, 0) != joined ||
        together[exchange.spread()] != 1)
      return;
    Rows own;
    own.axes = axes;
    own.devices = devices;
    own.extent = extent;
    own.blocks = blocksFor(extent);
    if (extent == 1) {
      std::optional<unsigned> inner = innerDim(exchange);
      if (!inner)
        return;
      own.inner = tied.classOf(exchange.together(), *inner);
      own.innerExtent = together[*inner];
      own.blocks = blocksFor(own.innerExtent);
    }
    if (own.blocks == 1)
      return;
    unsigned id = tied.classOf(exchange.together(), joined);
    Rows &known = all.insert({id, own}).first->second;
    // An exchange between dims of one class is none of these.
    known.fits &= llvm::none_of(known.exchanges, [&](ExchangedRows other) {
      return other.op == exchange.op;
    });
    known.exchanges.push_back(exchange);
    known.fits &= known.axes == axes && known.extent == extent &&
                  known.inner == own.inner && id != own.inner &&
                  known.innerExtent == own.innerExtent &&
                  isPlaced(exchange, known);
  }

  /// Returns true if both sides have shardings that say how the rows are to be
  /// placed: over the group alone on the side where they are apart.
  bool isPlaced(ExchangedRows exchange, const Rows &rows) {
    for (Value v : {exchange.together(), exchange.apart()}) {
      ShardingAttr sharding = shardingOf(func, v);
      if (!sharding || sharding.getPadded())
        return false;
      if (rows.inner && !sharding.getAxes(*innerDim(exchange)).empty())
        return false;
    }
    return true;
  }

  /// Marks rows that something makes or reads which is no exchange and does not
  /// take them in any order.
  void check() {
    llvm::DenseMap<unsigned, Rows *> ofClass; // joined and inner dims
    auto claim = [&](unsigned id, Rows &rows) {
      auto [at, isNew] = ofClass.insert({id, &rows});
      if (!isNew)
        rows.fits = at->second->fits = false;
    };
    for (auto &[id, rows] : all) {
      claim(id, rows);
      if (rows.inner)
        claim(*rows.inner, rows);
    }
    auto checkDims = [&](Value v, ExchangedRows exchange, auto isTied) {
      SmallVector<std::pair<Rows *, unsigned>, 2> joined, inner;
      for (unsigned d = 0; d < rankOf(v); ++d) {
        unsigned id = tied.classOf(v, d);
        Rows *rows = ofClass.lookup(id);
        if (!rows)
          continue;
        (id == rows->inner ? inner : joined).push_back({rows, d});
        bool own =
            exchange.op && llvm::any_of(rows->exchanges, [&](ExchangedRows e) {
              return e.op == exchange.op && e.enters == exchange.enters &&
                     (id == rows->inner || e.joined() == d);
            });
        rows->fits &= own || isTied(d);
      }
      // A row of two dims needs both of them, once.
      for (auto &list : {joined, inner})
        for (auto [rows, d] : list) {
          auto count = [&,
                        rows = rows](ArrayRef<std::pair<Rows *, unsigned>> in) {
            return llvm::count_if(
                in, [&](auto entry) { return entry.first == rows; });
          };
          rows->fits &=
              count(joined) == 1 && count(inner) == (rows->inner ? 1 : 0);
        }
    };
    auto never = [](unsigned) { return false; };
    for (BlockArgument argument : block.getArguments())
      checkDims(argument, {}, never);
    for (Operation &op : block) {
      auto exchange = dyn_cast<AllToAllOp>(&op);
      for (OpOperand &use : op.getOpOperands())
        checkDims(use.get(), {exchange, false},
                  [&](unsigned d) { return tied.isTied(use, d); });
      for (Value v : op.getResults())
        checkDims(v, {exchange, true},
                  [&](unsigned d) { return tied.isTied(v, d); });
    }
  }

  /// Replaces the divided dim of both sides by two, (block, row), of which the
  /// exchange joins or splits the second.
  void deal(ExchangedRows exchange, const Rows &rows) {
    AllToAllOp op = exchange.op;
    OpBuilder b(op);
    unsigned joined = exchange.joined(),
             divided = rows.inner ? *innerDim(exchange) : joined;
    Attribute none = b.getArrayAttr({}), group = rows.axes;
    // Each side's shape and places with the divided dim as two.
    auto view = [&](Value v, bool together) {
      SmallVector<int64_t> shape(train::shapeOf(v));
      ShardingAttr sharding = shardingOf(func, v);
      SmallVector<Attribute> places(sharding.getDims().getValue());
      Attribute second = places[joined];
      if (rows.inner) {
        // One row of the joined dim is left; the divided dim has those of the
        // devices.
        SmallVector<Attribute> left(cast<ArrayAttr>(second).getValue());
        if (!together)
          left.pop_back_n(rows.axes.size());
        shape[joined] = 1;
        places[joined] = b.getArrayAttr(left);
        second = together ? none : group;
      }
      int64_t own = (rows.inner ? rows.innerExtent : rows.extent) / rows.blocks;
      shape = replaceEntry<int64_t>(
          shape, divided, {rows.blocks, together ? own * rows.devices : own});
      places = replaceEntry<Attribute>(places, divided, {none, second});
      return std::pair(shape, places);
    };
    Value source = op.getOperand(), result = op.getResult();
    ShardingAttr from = shardingOf(func, source), to = shardingOf(func, result);
    auto [sourceShape, sourcePlaces] = view(source, !exchange.enters);
    auto [resultShape, resultPlaces] = view(result, exchange.enters);
    auto type = train::tensorType(result);
    SmallVector<Attribute> places(to.getDims().getValue());

    op->setOperand(
        0, reshapeBeside(b, op, source, sourceShape, sourcePlaces, from));
    unsigned second = divided + 1, spread = exchange.spread();
    spread += spread > divided ? 1 : 0;
    op.setSplitDim(exchange.enters ? spread : second);
    op.setConcatDim(exchange.enters ? second : spread);
    result.setType(type.clone(resultShape));
    placeResult(result, resultPlaces, to);
    b.setInsertionPointAfter(op);
    Value back = reshapeBeside(b, op, result, type.getShape(), places, to);
    result.replaceAllUsesExcept(back, back.getDefiningOp());
  }

  func::FuncOp func;
  Block &block;
  MeshOp mesh;
  TiedDims tied;
  llvm::MapVector<unsigned, Rows> all; // by the class of the joined dim
};

struct DealExchanges : impl::DealExchangesBase<DealExchanges> {
  void runOnOperation() override {
    MeshOp mesh = getMesh(getOperation());
    func::FuncOp step = getStep(getOperation());
    if (mesh && step)
      ExchangeDealer(step, mesh).run();
  }
};

} // namespace
} // namespace zcc
