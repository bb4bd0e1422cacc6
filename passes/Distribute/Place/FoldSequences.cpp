// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds the sequences of causal rings. Under a causal mask, the device
// with the end of the sequence works in every turn of a ring, and the one with
// its beginning only in the first. In a folded sequence (SequenceFolder.h) each
// device has two stripes, of which every turn leaves the same half of the
// scores to each device. Dubey et al., The Llama 3 Herd of Models
// (2024), 3.3.2.
//
// To all ops that pass a dim or sum over it, the global order of the dim is
// only a name for its elements. So the dims that such ops tie to those of a
// ring are all folded together, and the ring is marked. Where other ops make or
// read these dims, the value is folded or unfolded: inputs and iotas at the
// beginning, and at the end gradients that have a row for each position. A
// sequence is left as it is if that would move more than the ring does.
#include "dialects/Train/Attention.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Place/DimClasses.h"
#include "passes/Distribute/Sharding/FreeFactors.h"
#include "passes/Distribute/Sharding/SequenceFolder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include <map>

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_FOLDSEQUENCES
#include "passes/Distribute/Passes.h.inc"

namespace {
using llvm::SmallBitVector;
using train::Attention;
using train::FactorRule;

class Folder {
public:
  Folder(func::FuncOp func, const MeshAxes &mesh)
      : func(func), block(func.getBody().front()), mesh(mesh) {}

  void run() {
    if (!findRings())
      return;
    join();
    measure();
    mark();
    rewrite();
  }

private:
  // The dims that must be folded together, or not at all.
  struct Sequence {
    int64_t devices;
    SmallVector<Operation *> rings;
    double moved = 0, passed = 0; // bytes a device: to fold; around the rings
    std::string obstacle;
  };

  Placement placementOf(Value v) {
    ShardingAttr attr;
    if (auto argument = dyn_cast<BlockArgument>(v))
      attr = func.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(),
                                                 shardingAttrName);
    else if (auto all =
                 v.getDefiningOp()->getAttrOfType<ArrayAttr>(shardingsAttrName))
      attr = dyn_cast<ShardingAttr>(all[cast<OpResult>(v).getResultNumber()]);
    std::optional<Placement> placement =
        attr ? mesh.fromAttr(attr, train::shapeOf(v)) : std::nullopt;
    return placement.value_or(Placement(train::shapeOf(v)));
  }

  static bool isAttention(Operation *op) {
    return isa<train::AttentionOp, train::AttentionGradientOp>(op);
  }
  static unsigned sequenceDim(const Attention &a) { return a.batch.size(); }

  // ---- which rings are folded

  void refuse(Operation *ring, const Twine &why) {
    ring->setAttr(unfoldedAttrName, StringAttr::get(ring->getContext(), why));
  }

  // Finds the rings half of whose work a mask hides, and the numbers of their
  // devices. Returns true if there are any.
  bool findRings() {
    for (Operation &op : block) {
      if (!isAttention(&op) || !op.hasAttr(ringAttrName))
        continue;
      Attention a = Attention::of(&op);
      unsigned d = sequenceDim(a);
      Placement query = placementOf(a.query);
      int64_t devices = mesh.shards(query.dims[d]);
      if (devices == 1 || query.dims[d] != placementOf(a.key).dims[d] ||
          !a.after || a.before || *a.after >= a.keys)
        continue;
      if (a.bias || a.mask)
        refuse(&op, "its bias or mask goes by positions");
      else if (a.queries % (2 * devices) != 0)
        refuse(&op, "its " + Twine(a.queries) + " elements are no " +
                        Twine(2 * devices) + " equal stripes");
      else
        rings[&op] = devices;
    }
    return !rings.empty();
  }

  // ---- which dims are tied to them

  DimTies tiesOf(Operation *op) const {
    DimTies ties(op);
    if (isa<ReshardOp, train::ConvertOp>(op)) {
      // A value that is moved or converted is folded after that, where it is
      // read.
      Operation *source = op->getOperand(0).getDefiningOp();
      if (source)
        ties.operands[0] = ties.results[0] =
            isa<ReshardOp, train::ConvertOp>(source)
                ? tiesOfOp.find(source)->second.results[0]
                : SmallBitVector(rankOf(op->getResult(0)), true);
      return ties;
    }
    ties.tieFreeFactors(op, rings.contains(op));
    return ties;
  }

  unsigned idOf(Value v, unsigned d) const { return first.lookup(v) + d; }
  // Returns true if the op that makes `v` ties dim `d` to dims of other values.
  bool isTied(Value v, unsigned d) const {
    Operation *op = v.getDefiningOp();
    return op && tiesOfOp.find(op)
                     ->second.results[cast<OpResult>(v).getResultNumber()]
                     .test(d);
  }

  void join() {
    classes.grow(numberDims(block, first));
    for (Operation &op : block) {
      DimTies ties = tiesOf(&op);
      ties.join(
          &op, isa<ReshardOp, train::ConvertOp>(op),
          [&](Value v, unsigned d) { return idOf(v, d); }, classes);
      tiesOfOp.try_emplace(&op, std::move(ties));
    }
    classes.compress();
    for (Operation &op : block) {
      auto it = rings.find(&op);
      if (it == rings.end())
        continue;
      Attention a = Attention::of(&op);
      auto [known, isNew] =
          sequences.try_emplace(classes[idOf(a.query, sequenceDim(a))],
                                Sequence{it->second, {}, 0, 0, ""});
      Sequence &sequence = known->second;
      if (sequence.devices != it->second)
        sequence.obstacle =
            "other attention of the sequence is on other devices";
      sequence.rings.push_back(&op);
      for (Value v : {a.key, a.value})
        sequence.passed += ownBytes(v) * static_cast<double>(it->second - 1);
    }
  }

  // ---- what folding would cost

  // Returns the bytes that a device has of `v`, with dim `whole`, if given, not
  // split.
  double ownBytes(Value v, std::optional<unsigned> whole = {}) {
    Placement placement = placementOf(v);
    double bytes = bytesOf(v);
    for (auto [d, axes] : llvm::enumerate(placement.dims))
      if (d != whole)
        bytes /= static_cast<double>(mesh.shards(axes));
    return bytes;
  }

  // Returns the sequence that dim `d` of the operand belongs to, if exactly one
  // of the op and the operand's maker has the dim in the sequence's order. Null
  // otherwise.
  Sequence *atBorder(Operation *op, unsigned operand, unsigned d) {
    Value v = op->getOperand(operand);
    if (isTied(v, d) == tiesOfOp.find(op)->second.operands[operand].test(d))
      return nullptr;
    auto it = sequences.find(classes[idOf(v, d)]);
    return it == sequences.end() ? nullptr : &it->second;
  }

  void measure() {
    DenseSet<std::pair<Value, unsigned>> seen;
    for (Operation &op : block)
      for (auto [i, v] : llvm::enumerate(op.getOperands()))
        for (unsigned d = 0; d < rankOf(v); ++d) {
          Sequence *sequence = atBorder(&op, i, d);
          if (!sequence || !seen.insert({v, d}).second || isIota(v, d))
            continue;
          Placement placement = placementOf(v);
          if (!placement.partial.empty())
            sequence->obstacle =
                "parts of a sum over devices would have to be moved";
          if (!placement.dims[d].empty())
            sequence->moved += ownBytes(v, d);
        }
  }

  void mark() {
    Builder b(func.getContext());
    for (auto &[id, sequence] : sequences) {
      if (sequence.obstacle.empty() && sequence.moved > sequence.passed)
        sequence.obstacle = "to give each device two stripes would move more "
                            "than the ring does";
      for (Operation *ring : sequence.rings)
        if (!sequence.obstacle.empty())
          refuse(ring, sequence.obstacle);
        else
          ring->setAttr(foldedAttrName, b.getI64IntegerAttr(sequence.devices));
    }
  }

  static bool isIota(Value v, unsigned d) {
    auto iota = v.getDefiningOp<train::IotaOp>();
    return iota && iota.getDim() == d;
  }

  void rewrite() {
    // The folded or unfolded values, by the value and the changes to its dims.
    std::map<std::pair<void *, std::vector<unsigned>>, Value> made;
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    for (Operation *op : ops)
      for (OpOperand &use : op->getOpOperands()) {
        Value v = use.get(), out = v;
        std::vector<unsigned> dims;
        for (unsigned d = 0; d < rankOf(v); ++d)
          if (Sequence *sequence = atBorder(op, use.getOperandNumber(), d);
              sequence && sequence->obstacle.empty())
            dims.push_back(d);
        if (dims.empty())
          continue;
        Value &known = made[{v.getAsOpaquePointer(), dims}];
        if (!known) {
          Placement placement = placementOf(v);
          SequenceFolder folds(op, mesh);
          for (unsigned d : dims) {
            int64_t devices = atBorder(op, use.getOperandNumber(), d)->devices;
            out = isTied(v, d) ? folds.unfold(out, d, devices, placement)
                  : isIota(v, d)
                      ? folds.foldIota(v.getDefiningOp<train::IotaOp>(),
                                       devices, placement)
                      : folds.fold(out, d, devices, placement);
          }
          known = out;
        }
        use.set(known);
      }
    for (Operation *op : llvm::reverse(ops))
      if (isa<train::IotaOp>(op) && op->use_empty())
        op->erase();
  }

  func::FuncOp func;
  Block &block;
  const MeshAxes &mesh;
  llvm::MapVector<Operation *, int64_t> rings;
  DenseMap<Value, unsigned> first; // by numberDims()
  llvm::IntEqClasses classes;
  DenseMap<Operation *, DimTies> tiesOfOp;
  std::map<unsigned, Sequence> sequences; // by class
};

struct FoldSequences : impl::FoldSequencesBase<FoldSequences> {
  void runOnOperation() override {
    MeshOp meshOp = getMesh(getOperation());
    func::FuncOp step = getStep(getOperation());
    if (!meshOp || !step)
      return;
    MeshAxes mesh(meshOp);
    Folder(step, mesh).run();
  }
};
} // namespace
} // namespace zcc
