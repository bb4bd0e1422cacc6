// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves reshards to where the value is smallest. A reshard moves behind ops
// that make the value smaller (a comparison of gathered values becomes a gather
// of truth values), and before ops that make it larger. An op whose operands
// all go from one sharding to another is done before they are moved, so that
// only its result is moved. This applies to elementwise ops, and to reductions
// that have no order, over dims that no device shares: the bits stay the same.
// Sums over devices are not moved.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Sharding/Placement.h"

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_MOVEGATHERS
#include "passes/Distribute/Passes.h.inc"

namespace {
ShardingAttr shardingOf(Operation *op) {
  auto shardings = op->getAttrOfType<ArrayAttr>(shardingsAttrName);
  return shardings && shardings.size() == 1
             ? dyn_cast<ShardingAttr>(shardings[0])
             : ShardingAttr();
}

// Returns true if neither end of the reshard is partial.
bool isPlain(ReshardOp reshard) {
  return reshard.getFrom().getPartial().empty() &&
         reshard.getTo().getPartial().empty();
}

bool isSplat(Value v) {
  auto constant = v.getDefiningOp<train::ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.isSplat();
}

bool hasOrder(train::ReduceOp reduce) {
  return train::isFloat(reduce.getOperand()) &&
         (reduce.getKind() == train::ReduceKind::add ||
          reduce.getKind() == train::ReduceKind::multiply);
}

class Mover {
public:
  Mover(Block &block, const MeshAxes &mesh) : block(block), mesh(mesh) {}

  void run() {
    // Each move makes new reshards, which the other kinds of moves may move on.
    for (Operation &op : llvm::make_early_inc_range(block))
      moveBehind(&op);
    SmallVector<ReshardOp> reshards(block.getOps<ReshardOp>());
    for (ReshardOp reshard : llvm::reverse(reshards))
      moveBehindAll(reshard);
    reshards.assign(block.getOps<ReshardOp>().begin(),
                    block.getOps<ReshardOp>().end());
    for (ReshardOp reshard : reshards)
      moveBefore(reshard);
  }

private:
  // Returns the sharding of the result of `op` if its operands live as
  // `operand` says; null if the op cannot be moved.
  ShardingAttr resultOf(Operation *op, ShardingAttr operand) {
    if (op->getNumResults() != 1 || op->getNumOperands() == 0)
      return {};
    // A dim of extent 1 may be split in storage, but not by an op.
    for (auto [d, extent] : llvm::enumerate(train::shapeOf(op->getOperand(0))))
      if (extent == 1 && d < operand.getDims().size() &&
          !operand.getAxes(d).empty())
        return {};
    if (op->hasTrait<train::ElementwiseOp>()) {
      for (Value v : op->getOperands())
        if (train::shapeOf(v) != train::shapeOf(op->getResult(0)))
          return {};
      return operand;
    }
    auto reduce = dyn_cast<train::ReduceOp>(op);
    if (!reduce || hasOrder(reduce))
      return {};
    ArrayRef<int64_t> shape = train::shapeOf(reduce.getOperand());
    std::optional<Placement> from = mesh.fromAttr(operand, shape);
    if (!from)
      return {};
    Placement to(train::shapeOf(reduce.getResult()));
    unsigned kept = 0;
    for (auto [d, axes] : llvm::enumerate(from->dims)) {
      if (llvm::is_contained(reduce.getDims(), static_cast<int64_t>(d))) {
        if (!axes.empty() || from->extents[d] != shape[d])
          return {};
        continue;
      }
      to.dims[kept] = axes;
      to.extents[kept++] = from->extents[d];
    }
    return mesh.toAttr(to, train::shapeOf(reduce.getResult()));
  }

  // Returns a copy of `op` that reads `operands` and lives as `sharding` says.
  // Splats are made anew there.
  Operation *clone(OpBuilder &b, Operation *op, ArrayRef<Value> operands,
                   ShardingAttr from, ShardingAttr sharding) {
    Operation *own = b.clone(*op);
    for (auto [i, operand] : llvm::enumerate(operands)) {
      Value v = operand;
      if (!v) {
        OpBuilder before(own);
        Operation *constant = before.clone(*op->getOperand(i).getDefiningOp());
        constant->setAttr(shardingsAttrName, b.getArrayAttr({from}));
        v = constant->getResult(0);
      }
      own->setOperand(i, v);
    }
    own->setAttr(shardingsAttrName, b.getArrayAttr({sharding}));
    return own;
  }

  // Returns the operands of `op` before they are resharded, null for splats.
  // Returns none unless every operand is a splat or is resharded, all from one
  // sharding to another one.
  SmallVector<Value> movedOperands(Operation *op, ReshardOp &first) {
    SmallVector<Value> out;
    for (Value v : op->getOperands()) {
      if (isSplat(v)) {
        out.push_back({});
        continue;
      }
      auto reshard = v.getDefiningOp<ReshardOp>();
      if (!reshard || !isPlain(reshard))
        return {};
      if (!first)
        first = reshard;
      if (reshard.getFrom() != first.getFrom() ||
          reshard.getTo() != first.getTo())
        return {};
      out.push_back(reshard.getOperand());
    }
    return first ? out : SmallVector<Value>();
  }

  // Makes `op` read its operands before they are resharded; null if it cannot
  // be done there.
  Operation *doBefore(Operation *op) {
    ReshardOp first;
    SmallVector<Value> operands = movedOperands(op, first);
    ShardingAttr from = first ? resultOf(op, first.getFrom()) : ShardingAttr();
    ShardingAttr to = first ? resultOf(op, first.getTo()) : ShardingAttr();
    if (!from || !to || shardingOf(op) != to)
      return nullptr;
    OpBuilder b(op);
    Operation *own = clone(b, op, operands, first.getFrom(), from);
    auto moved = ReshardOp::create(b, first.getLoc(), own->getResult(0), from,
                                   to, first.getWhyAttr());
    moved->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    moved->setAttr(shardingsAttrName, b.getArrayAttr({to}));
    SmallVector<Operation *> sources;
    for (Value v : op->getOperands())
      sources.push_back(v.getDefiningOp());
    op->replaceAllUsesWith(moved);
    op->erase();
    for (Operation *source : sources)
      erased(source);
    return own;
  }

  // Notes a reshard that nothing reads any more.
  void erased(Operation *op) {
    if (isa<ReshardOp>(op) && op->use_empty() && !gone.contains(op)) {
      gone.insert(op);
      dead.push_back(op);
    }
  }

public:
  // Erases the noted reshards, once nothing points to them.
  void eraseDead() {
    for (Operation *op : dead)
      if (op->use_empty())
        op->erase();
  }

private:
  // Moves reshards behind an op of several resharded values that nothing else
  // reads.
  void moveBehind(Operation *op) {
    ReshardOp first;
    SmallVector<Value> operands = movedOperands(op, first);
    llvm::SmallDenseSet<Operation *> reshards;
    double before = 0;
    for (Value v : op->getOperands()) {
      auto reshard = v.getDefiningOp<ReshardOp>();
      if (!reshard || operands.empty())
        continue;
      if (!llvm::all_of(reshard->getUsers(),
                        [&](Operation *user) { return user == op; }))
        return;
      if (reshards.insert(reshard).second)
        before += bytesOf(v);
    }
    if (reshards.size() > 1 && bytesOf(op->getResult(0)) < before)
      doBefore(op);
  }

  // Moves a reshard behind all its readers if they make the value smaller.
  void moveBehindAll(ReshardOp reshard) {
    if (gone.contains(reshard) || !isPlain(reshard) || reshard->use_empty())
      return;
    SmallVector<Operation *> users;
    double after = 0;
    for (Operation *user : reshard->getUsers()) {
      if (llvm::is_contained(users, user))
        continue;
      ReshardOp first;
      if (movedOperands(user, first).empty() || first != reshard ||
          !resultOf(user, reshard.getFrom()) ||
          shardingOf(user) != resultOf(user, reshard.getTo()) ||
          llvm::any_of(user->getOperands(), [&](Value v) {
            return v != reshard.getResult() && !isSplat(v);
          }))
        return;
      users.push_back(user);
      after += bytesOf(user->getResult(0));
    }
    if (after >= bytesOf(reshard.getResult()))
      return;
    llvm::sort(users, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *user : users)
      doBefore(user);
  }

  // Moves a reshard before the op that makes its operand larger, if that has no
  // other reader.
  void moveBefore(ReshardOp reshard) {
    if (gone.contains(reshard) || !isPlain(reshard))
      return;
    Operation *op = reshard.getOperand().getDefiningOp();
    ArrayRef<int64_t> shape = train::shapeOf(reshard.getOperand());
    if (!op || !op->hasTrait<train::ElementwiseOp>() ||
        op->getNumOperands() != 1 || op->getNumResults() != 1 ||
        !op->hasOneUse() || shardingOf(op) != reshard.getFrom() ||
        train::shapeOf(op->getOperand(0)) != shape ||
        bytesOf(op->getOperand(0)) >= bytesOf(reshard.getOperand()) ||
        mesh.fromAttr(reshard.getFrom(), shape)->isWhole())
      return;
    OpBuilder b(reshard);
    Value operand = op->getOperand(0);
    auto moved =
        ReshardOp::create(b, reshard.getLoc(), operand, reshard.getFrom(),
                          reshard.getTo(), reshard.getWhyAttr());
    moved->setDiscardableAttrs(reshard->getDiscardableAttrDictionary());
    Operation *own =
        clone(b, op, {moved.getResult()}, reshard.getTo(), reshard.getTo());
    if (Attribute tag = reshard->getAttr(train::tagAttrName))
      own->setAttr(train::tagAttrName, tag);
    reshard.replaceAllUsesWith(own->getResult(0));
    reshard.erase();
    op->erase();
  }

  Block &block;
  const MeshAxes &mesh;
  llvm::SmallDenseSet<Operation *> gone;
  SmallVector<Operation *> dead;
};

struct MoveGathers : impl::MoveGathersBase<MoveGathers> {
  using MoveGathersBase::MoveGathersBase;

  void runOnOperation() override {
    MeshOp meshOp = getMesh(getOperation());
    if (!meshOp)
      return;
    MeshAxes mesh(meshOp);
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      Mover mover(func.getBody().front(), mesh);
      mover.run();
      mover.eraseDead();
    }
  }
};
} // namespace
} // namespace zcc
