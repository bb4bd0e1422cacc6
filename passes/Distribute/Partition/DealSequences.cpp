// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deals the rows of sequences to the devices of a group, as cards are dealt.
// Between its all-gathers and reduce-scatters a sequence is sharded, and a
// device has its rows in one piece: rows 0 to n-1 of the first device come
// before all rows of the second. So the first rows of all devices are not
// neighbors in the gathered value, and the collective cannot run part by part,
// each part contiguous on both sides. Here the sequence has `blocks` blocks,
// and each device has an equal piece of each block. Then a collective of one
// block reads and writes contiguous rows, and steps that lie between
// collectives run block by block (passes/Schedule/StepParts.cpp).
//
// Where rows lie matters only to ops that know places. All dims that other ops
// tie to each other are dealt together: their ops stay as they are, and their
// collectives gather and scatter the second of two dims, (block, row). Where
// other ops make or read a dealt dim, as state does, the value is dealt or
// collected again. A sequence with too much of that stays as it is. Sums over a
// device's rows (gradients of norms) get another order, always the same one,
// whether or not anything runs in parts.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Partition/Dealing.h"
#include "planning/AxisRole.h"
#include <map>

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_DEALSEQUENCES
#include "passes/Distribute/Passes.h.inc"

namespace {

// Bytes that are gathered to deal and to collect values are at most this share
// of those that dealt collectives move.
constexpr double mostExtra = 0.125;

class Dealer {
public:
  Dealer(func::FuncOp func, MeshOp mesh)
      : func(func), block(func.getBody().front()), mesh(mesh), tied(block) {}

  void run() {
    findSequences();
    if (sequences.empty())
      return;
    measure();
    rewrite();
  }

private:
  // Dims that are dealt together, or not at all.
  struct Sequence {
    ArrayAttr axes;
    int64_t rows, devices, blocks; // rows: those of a device
    double moved = 0; // bytes of gathered values that would be in parts
    double other = 0; // bytes of gathered values that would not
    double extra = 0; // bytes that are gathered to deal and collect
    bool fits = true;
  };

  // Returns the side of a gather or scatter on which a device has a shard.
  static Value shardOf(Operation *op) {
    return isa<AllGatherOp>(op) ? op->getOperand(0) : op->getResult(0);
  }

  // ---- which of them are sequences

  ShardingAttr shardingOf(Value v) { return distribute::shardingOf(func, v); }

  // Returns true if an axis shards the batch: its rows are no sequence, and
  // inputs and labels have them in one order.
  static bool shardBatch(ArrayAttr axes) {
    return llvm::any_of(axes.getAsRange<StringAttr>(), [](StringAttr axis) {
      planning::AxisRole role = planning::roleOf(axis.getValue());
      return role == planning::AxisRole::Data ||
             role == planning::AxisRole::Expert;
    });
  }

  void findSequences() {
    for (Operation &op : block) {
      std::optional<unsigned> d = movedDim(&op);
      if (!d ||
          cast<CollectiveOpInterface>(op).getWhat() != MovedKind::Activation)
        continue;
      Value shard = shardOf(&op);
      auto axes = op.getAttrOfType<ArrayAttr>("axes");
      ArrayRef<int64_t> shape = train::shapeOf(shard);
      // If a batch has several rows, each of them is a part already.
      bool isOutermost = llvm::all_of(
          shape.take_front(*d), [](int64_t extent) { return extent == 1; });
      int64_t rows = shape[*d], devices = mesh.getGroupSize(axes);
      auto it = sequences.find(tied.classOf(shard, *d));
      if (it == sequences.end()) {
        if (!isOutermost || blocksFor(rows) == 1 || devices == 1 ||
            shardBatch(axes))
          continue;
        it = sequences
                 .insert({tied.classOf(shard, *d),
                          {axes, rows, devices, blocksFor(rows)}})
                 .first;
      }
      Sequence &own = it->second;
      double bytes = bytesOf(shard) * static_cast<double>(devices);
      (isOutermost ? own.moved : own.other) += bytes;
      own.fits &= own.axes == axes && own.rows == rows;
    }
  }

  Sequence *sequenceOf(Value v, unsigned d) {
    auto it = sequences.find(tied.classOf(v, d));
    return it == sequences.end() ? nullptr : &it->second;
  }
  // Returns true if the op that makes the value, or the one that reads it,
  // takes its dim in any order.
  bool isTied(Value v, unsigned d, const Sequence &sequence) const {
    Operation *op = v.getDefiningOp();
    if (!op)
      return false;
    if (isa<ReduceScatterOp>(op) && movedDim(op) == d)
      return op->getAttr("axes") == sequence.axes;
    return tied.isTied(v, d);
  }
  bool isTied(OpOperand &use, unsigned d, const Sequence &sequence) const {
    Operation *op = use.getOwner();
    if (isa<AllGatherOp>(op) && movedDim(op) == d)
      return op->getAttr("axes") == sequence.axes;
    return tied.isTied(use, d);
  }

  // Returns true if `v` is the device's index among those of the sequence,
  // times `number`.
  static bool isOrigin(Value v, const Sequence &sequence, int64_t number) {
    auto product = v.getDefiningOp<train::MulOp>();
    if (!product)
      return false;
    auto coordinate = product->getOperand(0).getDefiningOp<CoordinateOp>();
    return coordinate && coordinate.getAxes() == sequence.axes &&
           train::getSplat(product->getOperand(1)) ==
               static_cast<double>(number);
  }
  // Returns true if whole() needs no collective.
  static bool isCut(Value v, unsigned d, const Sequence &sequence) {
    if (auto iota = v.getDefiningOp<train::IotaOp>())
      return iota.getDim() == d && iota.getOrigin() &&
             isOrigin(iota.getOrigin(), sequence, sequence.rows);
    auto slice = v.getDefiningOp<train::DynamicSliceOp>();
    return slice &&
           train::shapeOf(slice.getOperand())[d] ==
               sequence.rows * sequence.devices &&
           isOrigin(slice.getStarts()[d], sequence, sequence.rows);
  }

  // Returns the dims of sequences that exactly one of the op that makes the
  // value and the one that reads it takes in any order.
  SmallVector<unsigned> dimsAtBorder(OpOperand &use) {
    Value v = use.get();
    SmallVector<unsigned> out;
    for (unsigned d = 0; d < rankOf(v); ++d)
      if (Sequence *own = sequenceOf(v, d);
          own && isTied(v, d, *own) != isTied(use, d, *own))
        out.push_back(d);
    return out;
  }

  // Adds up what it costs to bring the dim into the other order.
  void measureBorder(Value v, unsigned d) {
    Sequence &own = *sequenceOf(v, d);
    if (isCut(v, d, own))
      return;
    ShardingAttr sharding = shardingOf(v);
    SmallVector<StringRef> axes;
    if (sharding)
      axes = sharding.getAxes(d);
    ArrayRef<Attribute> group = own.axes.getValue();
    // Only a shard over the group, and over nothing in it, is gathered.
    own.fits &=
        axes.size() >= group.size() &&
        llvm::all_of(llvm::zip(ArrayRef(axes).take_back(group.size()), group),
                     [](auto pair) {
                       auto [name, attr] = pair;
                       return name == cast<StringAttr>(attr).getValue();
                     });
    own.extra += bytesOf(v) * static_cast<double>(own.devices);
  }

  void measure() {
    DenseSet<std::pair<Value, unsigned>> seen;
    for (Operation &op : block) {
      if (std::optional<unsigned> d = movedDim(&op))
        if (Sequence *own = sequenceOf(shardOf(&op), *d))
          for (Value v : {op.getOperand(0), Value(op.getResult(0))}) {
            own->fits &= bool(shardingOf(v));
          }
      // The totals of the devices before a device are added to its rows as they
      // lie (passes/Distribute/Partition/LocalizeWindows.cpp).
      if (auto scan = dyn_cast<train::CumulativeOp>(op))
        for (Value v : {op.getOperand(0), Value(op.getResult(0))})
          if (Sequence *own = sequenceOf(v, scan.getDim()))
            own->fits = false;
      for (OpOperand &use : op.getOpOperands()) {
        SmallVector<unsigned> dims = dimsAtBorder(use);
        for (unsigned d : dims) {
          // An op that moves one dim does not know where the other is.
          if (dims.size() > 1)
            sequenceOf(use.get(), d)->fits = false;
          if (seen.insert({use.get(), d}).second)
            measureBorder(use.get(), d);
        }
      }
    }
    for (auto at = sequences.begin(); at != sequences.end();) {
      const Sequence &own = at->second;
      bool good = own.fits && own.other <= own.moved &&
                  own.extra <= mostExtra * own.moved;
      at = good ? std::next(at) : sequences.erase(at);
    }
  }

  // ---- the new ops

  // Notes where a value lives that differs from one of `sharding` in this: dim
  // `d` is replaced by dims of these lists of axes; of two, the first one has
  // the blocks.
  static Value place(Value v, ShardingAttr sharding, unsigned d,
                     ArrayRef<Attribute> lists) {
    Builder b(v.getContext());
    SmallVector<Attribute> dims =
        replaceEntry(sharding.getDims().getValue(), d, lists);
    DenseI64ArrayAttr padded = sharding.getPadded();
    if (padded && lists.size() == 2) {
      int64_t blocks = train::shapeOf(v)[d];
      padded = b.getDenseI64ArrayAttr(replaceEntry<int64_t>(
          padded.asArrayRef(), d, {blocks, padded.asArrayRef()[d] / blocks}));
    }
    v.getDefiningOp()->setAttr(
        shardingsAttrName,
        b.getArrayAttr({ShardingAttr::get(
            v.getContext(), sharding.getMesh(), b.getArrayAttr(dims),
            sharding.getPartial(), sharding.getReduction(), padded)}));
    return v;
  }

  /// Builds ops in front of an op, as parts of the same part of the step.
  struct Maker {
    Maker(Operation *at) : at(at), b(at), loc(at->getLoc()) {}
    Value put(Value v) {
      putBeside(v.getDefiningOp(), at);
      return v;
    }
    Value reshape(Value v, ArrayRef<int64_t> shape) {
      return put(train::reshape(b, loc, v, shape));
    }
    Value number(int64_t value) {
      return put(train::splat(b, loc, RankedTensorType::get({}, b.getI32Type()),
                              static_cast<double>(value)));
    }
    // Returns the entry of dim `d` that has the device's index in `axes`.
    Value pick(Value v, unsigned d, ArrayAttr axes) {
      SmallVector<int64_t> sizes(train::shapeOf(v));
      sizes[d] = 1;
      SmallVector<Value> starts(sizes.size(), number(0));
      starts[d] = put(CoordinateOp::create(
          b, loc, RankedTensorType::get({}, b.getI32Type()), axes));
      return put(train::DynamicSliceOp::create(
          b, loc, train::tensorType(v).clone(sizes), v, starts,
          b.getDenseI64ArrayAttr(sizes)));
    }

    Operation *at;
    OpBuilder b;
    Location loc;
  };

  // Returns the whole of a value whose dim `d` has a device's rows, in the
  // order of places.
  Value whole(Maker &make, Value v, unsigned d, const Sequence &sequence,
              bool isDealt) {
    SmallVector<int64_t> shape(train::shapeOf(v));
    shape[d] *= sequence.devices;
    auto type = train::tensorType(v).clone(shape);
    if (!isDealt && isCut(v, d, sequence)) {
      if (isa<train::IotaOp>(v.getDefiningOp()))
        return make.put(train::IotaOp::create(make.b, make.loc, type, Value(),
                                              make.b.getI64IntegerAttr(d)));
      auto slice = v.getDefiningOp<train::DynamicSliceOp>();
      if (slice.getOperand().getType() == type)
        return slice.getOperand();
      SmallVector<Value> starts(slice.getStarts());
      starts[d] = make.number(0);
      return make.put(train::DynamicSliceOp::create(
          make.b, make.loc, type, slice.getOperand(), starts,
          make.b.getDenseI64ArrayAttr(shape)));
    }
    unsigned dim = d;
    ShardingAttr sharding = shardingOf(v);
    SmallVector<Attribute> list(
        cast<ArrayAttr>(sharding.getDims()[d]).getValue());
    Attribute before = make.b.getArrayAttr(list),
              none = make.b.getArrayAttr({}),
              after = make.b.getArrayAttr(
                  ArrayRef(list).drop_back(sequence.axes.size()));
    if (isDealt) {
      v = place(make.reshape(
                    v, replaceEntry<int64_t>(
                           train::shapeOf(v), d,
                           {sequence.blocks, sequence.rows / sequence.blocks})),
                sharding, d, {none, before});
      ++dim;
    }
    SmallVector<int64_t> gathered(train::shapeOf(v));
    gathered[dim] *= sequence.devices;
    StringAttr text = make.b.getStringAttr("");
    v = make.put(AllGatherOp::create(
        make.b, make.loc, train::tensorType(v).clone(gathered), v,
        sequence.axes, make.b.getI64IntegerAttr(dim),
        makeMovedKind(make.b.getContext(), MovedKind::Activation), text,
        make.b.getStringAttr(
            "the sequence is dealt to devices, which these rows are not")));
    if (!isDealt)
      return place(v, sharding, d, {after});
    place(v, sharding, d, {none, after});
    return place(make.reshape(v, shape), sharding, d, {after});
  }

  // Returns a value in the order of places as it is dealt, or the reverse.
  Value reorder(Operation *at, Value v, unsigned d, const Sequence &sequence,
                bool isDealt) {
    Maker make(at);
    SmallVector<int64_t> shape(train::shapeOf(v));
    ShardingAttr sharding = shardingOf(v);
    Value all = whole(make, v, d, sequence, isDealt);
    int64_t part = sequence.rows / sequence.blocks;
    Value own =
        isDealt ? make.pick(
                      make.reshape(all, replaceEntry<int64_t>(
                                            train::shapeOf(all), d,
                                            {sequence.devices, sequence.rows})),
                      d, sequence.axes)
                : make.pick(make.reshape(all, replaceEntry<int64_t>(
                                                  train::shapeOf(all), d,
                                                  {sequence.blocks,
                                                   sequence.devices, part})),
                            d + 1, sequence.axes);
    own = make.reshape(own, shape);
    if (sharding)
      place(own, sharding, d, {sharding.getDims()[d]});
    return own;
  }

  void deal(Operation *op, unsigned d, const Sequence &sequence) {
    Maker make(op);
    Value source = op->getOperand(0), result = op->getResult(0);
    auto divided = [&](Value v) {
      int64_t extent = train::shapeOf(v)[d];
      return replaceEntry<int64_t>(train::shapeOf(v), d,
                                   {sequence.blocks, extent / sequence.blocks});
    };
    Attribute none = make.b.getArrayAttr({});
    ShardingAttr from = shardingOf(source), to = shardingOf(result);
    SmallVector<int64_t> shape(train::shapeOf(result)),
        blocks = divided(result);
    op->setOperand(0, place(make.reshape(source, divided(source)), from, d,
                            {none, from.getDims()[d]}));
    op->setAttr("dim", make.b.getI64IntegerAttr(d + 1));
    result.setType(train::tensorType(result).clone(blocks));
    place(result, to, d, {none, to.getDims()[d]});
    make.b.setInsertionPointAfter(op);
    Value joined = place(make.reshape(result, shape), to, d, {to.getDims()[d]});
    result.replaceAllUsesExcept(joined, joined.getDefiningOp());
  }

  void rewrite() {
    if (sequences.empty())
      return;
    // The values in the other order, by value, dim, and part of the step.
    std::map<std::tuple<void *, unsigned, void *>, Value> made;
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    SmallVector<std::pair<Operation *, unsigned>> collectives;
    for (Operation *op : ops) {
      for (OpOperand &use : op->getOpOperands()) {
        SmallVector<unsigned> dims = dimsAtBorder(use);
        if (dims.empty())
          continue;
        Value v = use.get();
        unsigned d = dims.front();
        Attribute tag = op->getAttr(train::tagAttrName);
        Value &known = made[{v.getAsOpaquePointer(), d,
                             const_cast<void *>(tag.getAsOpaquePointer())}];
        if (!known) {
          Sequence &own = *sequenceOf(v, d);
          known = reorder(op, v, d, own, isTied(v, d, own));
        }
        replaced.push_back({&use, known});
      }
      if (std::optional<unsigned> d = movedDim(op))
        if (Sequence *own = sequenceOf(shardOf(op), *d);
            own && op->getAttr("axes") == own->axes)
          collectives.push_back({op, *d});
    }
    SmallVector<const Sequence *> owns;
    for (auto [op, d] : collectives)
      owns.push_back(sequenceOf(shardOf(op), d));
    for (auto [use, v] : replaced)
      use->set(v);
    for (auto [collective, own] : llvm::zip_equal(collectives, owns))
      deal(collective.first, collective.second, *own);
    for (Operation *op : llvm::reverse(ops))
      if (isa<train::IotaOp, train::DynamicSliceOp>(op) && op->use_empty())
        op->erase();
  }

  func::FuncOp func;
  Block &block;
  MeshOp mesh;
  TiedDims tied;
  std::map<unsigned, Sequence> sequences; // by class
  SmallVector<std::pair<OpOperand *, Value>> replaced;
};

struct DealSequences : impl::DealSequencesBase<DealSequences> {
  void runOnOperation() override {
    MeshOp mesh = getMesh(getOperation());
    func::FuncOp step = getStep(getOperation());
    if (mesh && step)
      Dealer(step, mesh).run();
  }
};
} // namespace
} // namespace zcc
