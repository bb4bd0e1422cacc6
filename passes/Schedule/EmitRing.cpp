// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits a dist.ring as an exec.repeat of one kernel. Kept and moved values are
// updated in place. A moved value alternates between two buffers, and begins in
// the one that makes it end in the buffer of the result. A passed block is
// never written to its first buffer, which others may read: it goes to one more
// buffer, and alternates between two from the third device on.
#include "dialects/Train/Train.h"
#include "passes/Schedule/TaskEmitter.h"
#include <set>

using namespace mlir;

namespace zcc {

Value TaskEmitter::temporary(Type type) { return buffer(newTemporary(), type); }

LogicalResult TaskEmitter::emitRing(OpBuilder &builder, dist::RingOp ring) {
  Location loc = ring.getLoc();
  int64_t turns = ring.getTurns();
  Block &inner = ring.getBody().front();
  DenseMap<Value, Value> bufferOf; // by argument of the body
  SmallVector<Value> held, next, spare;
  auto arguments = inner.getArguments();
  Value member = temporary(arguments[0].getType());
  bufferOf[arguments[0]] = member;
  unsigned argument = 1, operands = ring.getNumOperands(),
           results = ring.getNumResults();
  std::set<std::pair<exec::BufferSpace, StringRef>> named;
  for (auto [i, v] : llvm::enumerate(ring.getOperands())) {
    Value own = buffer(v);
    auto memory = own.getDefiningOp<exec::BufferOp>();
    bool isNew = named.insert({memory.getSpace(), memory.getName()}).second;
    bool passes = i + ring.getPassed() >= operands && turns > 1;
    if (passes && !isNew) {
      // The buffer is another operand, too, so it must not change: this operand
      // moves in a copy.
      Value copy = temporary(v.getType());
      exec::CopyOp::create(builder, loc, own, copy, /*stream=*/0);
      own = copy;
    }
    bufferOf[arguments[argument++]] = own;
    if (!passes)
      continue;
    held.push_back(own);
    next.push_back(temporary(v.getType()));
    spare.push_back(turns == 2 ? next.back() : temporary(v.getType()));
  }
  size_t passed = held.size();
  for (auto [i, v] : llvm::enumerate(ring.getResults())) {
    Value own = buffer(v);
    if (i + ring.getMoved() >= results) {
      Value other = temporary(v.getType());
      if (turns % 2)
        std::swap(own, other);
      held.push_back(own);
      next.push_back(other);
      spare.push_back(own);
    }
    bufferOf[arguments[argument++]] = own;
    APFloat start(cast<FloatAttr>(ring.getStarts()[i]).getValue());
    bool ignored;
    start.convert(cast<FloatType>(train::tensorType(v).getElementType())
                      .getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &ignored);
    exec::FillOp::create(builder, loc, own,
                         start.bitcastToAPInt().getZExtValue(), /*stream=*/0);
  }
  auto repeat = exec::RepeatOp::create(builder, loc, member, held, next, spare,
                                       ring.getAxes(), ring.getValue());
  KernelBody body;
  for (Operation &op : inner.without_terminator())
    body.ops.push_back(&op);
  body.outputs.assign(inner.getTerminator()->operand_begin(),
                      inner.getTerminator()->operand_end());
  std::string why;
  std::optional<exec::KernelForm> form =
      backend.classify(body.ops, body.outputs, &why);
  if (!form)
    return ring.emitError() << "no kernel can be made of a turn: " << why;
  KernelTable::Entry entry = kernels.get(body, *form);
  SmallVector<Value> sources, targets;
  for (Value input : entry.inputs)
    sources.push_back(bufferOf.lookup(input));
  for (Value v : inner.getArguments().take_back(results))
    targets.push_back(bufferOf.lookup(v));
  OpBuilder inside = OpBuilder::atBlockEnd(&repeat.getBody().emplaceBlock());
  exec::LaunchOp::create(inside, loc, entry.kernel.getSymName(), sources,
                         targets, /*stream=*/0);
  OpBuilder between =
      OpBuilder::atBlockEnd(&repeat.getBetween().emplaceBlock());
  for (size_t i = 0; i < held.size(); ++i) {
    auto permute = exec::CollectiveOp::create(
        i < passed ? between : inside, loc, held[i], next[i],
        dist::CollectiveKind::permute, ring.getAxes(),
        /*reduction=*/"", /*split_dim=*/0, /*concat_dim=*/0,
        /*shift=*/builder.getI64IntegerAttr(1), DenseI64ArrayAttr(),
        dist::ShardingAttr(), dist::ShardingAttr(),
        /*windows=*/DenseI64ArrayAttr(), /*source_part=*/DenseI64ArrayAttr(),
        /*target_part=*/DenseI64ArrayAttr(), ring.getWhat(), ring.getValue(),
        ring.getWhy(), /*stream=*/0);
    if (Attribute tag = ring->getDiscardableAttr(train::tagAttrName))
      permute->setDiscardableAttr(train::tagAttrName, tag);
  }
  return success();
}

} // namespace zcc
