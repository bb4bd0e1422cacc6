// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets small collectives cross the network together. In program order, each one
// joins the open bucket of its kind, group, type and reduction. Either the
// bucket waits for it, with all readers of the bucket's results, or the
// collective moves forward, with all that it needs. The pass takes the choice
// that leaves less memory in use (StepOrder). A bucket is closed if it would
// exceed the step's peak or grow beyond a few times the size of a small
// collective. Sums are still taken element by element in the order of ranks, so
// the bits stay. PyTorch's DDP buckets gradients for the same reason (Li et
// al., PyTorch Distributed, VLDB 2020, section 3.2.3).
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/CollectiveAccount.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Schedule/StepOrder.h"
#include "planning/AxisRole.h"
#include "planning/CostModel.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

#define GEN_PASS_DEF_BUCKETCOLLECTIVES
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;
using planning::Buckets;

// The most steps between two members of a bucket.
constexpr unsigned maxBucketDistance = 2048;

class TaskBuckets {
public:
  /// `small`: returns the most bytes of a collective of that group that is
  /// small.
  TaskBuckets(StepOrder &order, const distribute::CollectiveAccounts &accounts,
              function_ref<double(const planning::Collective &)> small)
      : order(order), accounts(accounts), small(small) {}

  void run() {
    // Steps move meanwhile, so ask each for its place.
    for (Operation *op : order.operations()) {
      auto collective = dyn_cast<exec::CollectiveOp>(op);
      if (!collective || isBetweenStages(collective) ||
          !mayRunTogether(collective.getKind()))
        continue;
      planning::Collective account = accounts.of(collective);
      double most = small(account), bytes = account.bytes;
      if (bytes > most)
        continue;
      Open &open = buckets[keyOf(collective)];
      unsigned own = order.stepOf(op);
      if (open.members == 0 || open.members == Buckets::mostMembers ||
          open.bytes + bytes > Buckets::mostSmall * most ||
          !order.join(open.step, own, maxBucketDistance)) {
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
    double bytes = 0;
  };

  // Groups between stages are left alone: each has an order of its own.
  static bool isBetweenStages(exec::CollectiveOp op) {
    return llvm::any_of(op.getAxes(), [](Attribute axis) {
      return planning::roleOf(cast<StringAttr>(axis).getValue()) ==
             planning::AxisRole::Pipe;
    });
  }

  static std::string keyOf(exec::CollectiveOp op) {
    std::string key;
    llvm::raw_string_ostream os(key);
    os << dist::stringifyCollectiveKind(op.getKind()) << " " << op.getAxes()
       << " " << op.getReduction() << " " << op.getStream() << " "
       << op.getSource().getType().getTensor().getElementType() << " "
       << op->getDiscardableAttr(train::tagAttrName);
    return key;
  }

  StepOrder &order;
  const distribute::CollectiveAccounts &accounts;
  function_ref<double(const planning::Collective &)> small;
  llvm::StringMap<Open> buckets;
};

struct BucketCollectives : impl::BucketCollectivesBase<BucketCollectives> {
  using Base::Base;
  BucketCollectives(const planning::Machine &machine) : machine(machine) {}
  planning::Machine machine;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    dist::MeshOp mesh = dist::getMesh(module);
    if (!mesh)
      return;
    distribute::CollectiveAccounts accounts(mesh);
    planning::CostModel model(machine, mesh.getDevices());
    auto bucketTasks = [&](StageTimeline &timeline) {
      StepPeaks peaks(timeline);
      for (const TaskInfo &task : timeline.tasks) {
        StepOrder order(task, peaks);
        TaskBuckets(order, accounts, [&](const planning::Collective &one) {
          return bytes > 0 ? static_cast<double>(bytes)
                           : model.smallBytes(one.group);
        }).run();
        order.write();
      }
      return success();
    };
    if (failed(forEachTimeline(module, bucketTasks)))
      signalPassFailure();
  }
};

} // namespace

bool mayRunTogether(dist::CollectiveKind kind) {
  switch (kind) {
  case dist::CollectiveKind::all_reduce:
  case dist::CollectiveKind::all_gather:
  case dist::CollectiveKind::reduce_scatter:
  case dist::CollectiveKind::all_to_all:
    return true;
  case dist::CollectiveKind::permute:
  case dist::CollectiveKind::exchange_boxes:
    return false;
  }
  return false;
}

std::unique_ptr<mlir::Pass>
createBucketCollectives(const planning::Machine &machine) {
  return std::make_unique<BucketCollectives>(machine);
}

} // namespace zcc
