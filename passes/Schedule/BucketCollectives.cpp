// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets small collectives cross the network together. In program order, each
// one joins the open bucket of its kind, group, type and reduction: either the
// bucket waits for it, with all that reads the bucket's results, or it comes
// forward, with all that it needs; whichever leaves less memory in use
// (StepOrder). A bucket that would take more than the step's peak, or grow
// beyond a few times what is small, is closed. Sums are still taken element by
// element in the order of ranks, so the bits stay. PyTorch's DDP buckets
// gradients for the same reason (Li et al., PyTorch Distributed, VLDB 2020,
// section 3.2.3).
#include "compiler/planning/CostModel.h"
#include "dialects/Train/Train.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Schedule/StepOrder.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

#define GEN_PASS_DEF_BUCKETCOLLECTIVES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

// Where the machine says nothing of its links: ranks that share a node's memory
// meet in some ten microseconds, in which they copy about this much.
constexpr int64_t defaultBytes = 64 << 10;
// Steps that a bucket looks over: what is farther apart stays apart.
constexpr unsigned maxDistance = 2048;

int64_t largerEnd(exec::CollectiveOp op) {
  return std::max(op.getSource().getType().getBytes(),
                  op.getTarget().getType().getBytes());
}

class TaskBuckets {
public:
  /// `small`: bytes up to which a collective of these axes is.
  TaskBuckets(StepOrder &order, function_ref<int64_t(ArrayAttr)> small)
      : order(order), small(small) {}

  void run() {
    // Steps move meanwhile, so that each is asked where it is.
    for (Operation *op : order.operations()) {
      auto collective = dyn_cast<exec::CollectiveOp>(op);
      if (!collective || !canJoin(collective))
        continue;
      Open &open = buckets[keyOf(collective)];
      int64_t bytes = largerEnd(collective);
      unsigned own = order.stepOf(op);
      if (open.members == 0 || open.members == planning::bucketMembers ||
          open.bytes + bytes >
              planning::bucketFactor * small(collective.getAxes()) ||
          !order.join(open.step, own, maxDistance)) {
        open = {own, 1, bytes};
        continue;
      }
      ++open.members;
      open.bytes += bytes;
    }
  }

private:
  struct Open {
    unsigned step = 0, members = 0;
    int64_t bytes = 0;
  };

  bool canJoin(exec::CollectiveOp op) {
    // Between stages each has an order of its own.
    bool pipe = llvm::any_of(op.getAxes(), [](Attribute axis) {
      StringRef name = cast<StringAttr>(axis).getValue();
      return name == "pipe" || name.starts_with("pipe:");
    });
    return !pipe && mayRunTogether(op.getKind()) &&
           largerEnd(op) <= small(op.getAxes());
  }

  static std::string keyOf(exec::CollectiveOp op) {
    std::string key;
    llvm::raw_string_ostream os(key);
    os << op.getKind() << " " << op.getAxes() << " " << op.getReduction() << " "
       << op.getStream() << " "
       << op.getSource().getType().getTensor().getElementType() << " "
       << op->getDiscardableAttr(train::tagAttrName);
    return key;
  }

  StepOrder &order;
  function_ref<int64_t(ArrayAttr)> small;
  llvm::StringMap<Open> buckets;
};

struct BucketCollectives : impl::BucketCollectivesBase<BucketCollectives> {
  using Base::Base;
  BucketCollectives(const planning::MachineFacts &machine) : machine(machine) {}
  planning::MachineFacts machine;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    dist::MeshOp mesh = dist::getMesh(module);
    for (auto table : module.getOps<dist::ScheduleOp>()) {
      FailureOr<StageTimeline> timeline = StageTimeline::build(module, table);
      if (failed(timeline))
        return signalPassFailure();
      StepPeaks peaks(*timeline);
      for (const TaskInfo &task : timeline->tasks) {
        StepOrder order(task, peaks);
        TaskBuckets(order, [&](ArrayAttr axes) {
          return bytes > 0 ? bytes : smallBytes(mesh, axes);
        }).run();
        order.write();
      }
    }
  }

  /// What the links of a group carry in the time of one message's latency: a
  /// smaller collective is mostly waiting.
  int64_t smallBytes(dist::MeshOp mesh, ArrayAttr axes) const {
    // Ranks from the first of a group to its last, in the row-major order.
    int64_t stride = 1, span = 1;
    for (Attribute attribute : llvm::reverse(mesh.getAxes())) {
      auto axis = cast<dist::AxisAttr>(attribute);
      if (axis.getTemporal())
        continue;
      stride *= axis.getSize();
      for (Attribute name : axes)
        if (cast<StringAttr>(name).getValue() == axis.getName())
          span = stride;
    }
    for (const planning::LinkFacts &link : machine.links)
      if (link.devices == 0 || link.devices >= span)
        if (double size = link.latency * link.bandwidth; size > 0)
          return static_cast<int64_t>(size);
    return defaultBytes;
  }
};

} // namespace

bool mayRunTogether(llvm::StringRef kind) {
  return llvm::is_contained(
      {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}, kind);
}

std::unique_ptr<mlir::Pass>
createBucketCollectives(const planning::MachineFacts &machine) {
  return std::make_unique<BucketCollectives>(machine);
}

} // namespace zcc
