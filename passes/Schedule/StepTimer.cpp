// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/StepTimer.h"
#include "dialects/Exec/Steps.h"

using namespace mlir;

namespace zcc {

std::optional<planning::Collective>
accountOfStep(const distribute::CollectiveAccounts &accounts, Operation *op) {
  std::optional<planning::Collective> all;
  auto add = [&](exec::CollectiveOp member) {
    planning::Collective one = accounts.of(member);
    if (all)
      one.bytes += all->bytes;
    all = std::move(one);
  };
  if (auto collective = dyn_cast<exec::CollectiveOp>(op))
    add(collective);
  else if (auto bucket = dyn_cast<exec::BucketOp>(op))
    for (auto member : bucket.getOps<exec::CollectiveOp>())
      add(member);
  return all;
}

StepTimer::StepTimer(ModuleOp module, dist::MeshOp mesh,
                     const planning::Machine &machine, KernelCosts kernelCosts)
    : mesh(mesh), collectives(mesh), costs(machine, mesh.getDevices()),
      kernels(std::make_shared<Kernels>(module, std::move(kernelCosts))) {}

planning::KernelCost StepTimer::Kernels::of(StringRef kernel) {
  std::lock_guard<std::mutex> lock(mutex);
  auto [at, isNew] = found.try_emplace(kernel);
  if (isNew)
    if (auto op = symbols.lookup<func::FuncOp>(kernel))
      at->second = costs(op);
  return at->second;
}

static double bytesOfStep(Operation *op) {
  double bytes = 0;
  exec::forEachAccess(op, [&](Value buffer, bool) {
    bytes += static_cast<double>(
        cast<exec::BufferType>(buffer.getType()).getBytes());
  });
  return bytes;
}

static bool isTemporary(Value buffer) {
  auto op = buffer.getDefiningOp<exec::BufferOp>();
  return op && op.getSpace() == exec::BufferSpace::Temporary;
}

double StepTimer::batchSeconds(Operation *batch) {
  SmallVector<planning::KernelTime> members;
  for (auto member : cast<exec::BatchOp>(batch).getOps<exec::LaunchOp>())
    members.push_back(launchTime(member));
  return costs.togetherSeconds(members.data(), members.size());
}

double StepTimer::launchSeconds(Operation *op) {
  planning::KernelTime time = launchTime(op);
  return costs.togetherSeconds(&time, 1);
}

planning::KernelTime StepTimer::launchTime(Operation *op) {
  planning::KernelWork work;
  work.bytes = bytesOfStep(op);
  auto launch = dyn_cast<exec::LaunchOp>(op);
  bool isOfHost = true; // copies of its buffers exist by then
  exec::forEachAccess(op, [&](Value buffer, bool) {
    isOfHost &= exec::getMemorySpace(buffer) == MemorySpace::Host;
  });
  if (isOfHost)
    return {costs.hostSeconds(work.bytes)};
  if (!launch || !kernels->known()) {
    work.distance = distanceOf(op, work.bytes);
    return {costs.kernelSeconds(work)};
  }
  planning::KernelCost cost = kernels->of(launch.getKernel());
  cost.work.distance = distanceOf(op, cost.work.bytes);
  return costs.kernelTime(cost);
}

/// Returns the mean factor of its buffers, weighted by bytes. The first write
/// to a temporary goes to memory that a dead temporary has left.
double StepTimer::distanceOf(Operation *launch, double bytes) {
  if (!touched)
    return 1;
  double sum = 0, all = 0;
  touched->bytes += bytes;
  exec::forEachAccess(launch, [&](Value buffer, bool writes) {
    double own = static_cast<double>(
        cast<exec::BufferType>(buffer.getType()).getBytes());
    auto [at, isFirst] = touched->last.try_emplace(buffer, 0);
    double since = touched->bytes - at->second;
    if (isFirst)
      since = isTemporary(buffer) ? bytes : touched->farthest;
    since = std::clamp(since, bytes, std::max(bytes, touched->farthest));
    sum += own * costs.distanceFactor(bytes, since);
    all += own;
    at->second = touched->bytes;
  });
  return all > 0 ? sum / all : 1;
}

void StepTimer::addCollective(Operation *op, planning::TimedStep &step) {
  std::optional<planning::Collective> account = accountOfStep(collectives, op);
  if (!account)
    return;
  step.communicates = true;
  step.group = account->group;
  step.seconds = costs.collectiveSeconds(*account);
  step.skew = costs.skewSeconds(*account);
  step.sent = account->bytesSent();
  step.slows = costs.slowdown(*account, bytesOfStep(op));
}

planning::TimedStep StepTimer::of(Operation *op) {
  planning::TimedStep step;
  step.stream = exec::getStream(op);
  step.waits.assign(exec::getWaits(op).begin(), exec::getWaits(op).end());
  step.event = exec::getEvent(op).value_or(-1);
  if (auto repeat = dyn_cast<exec::RepeatOp>(op)) {
    step.turns = mesh.getGroupSize(repeat.getAxes());
    step.ahead = repeat.getAhead();
    step.body = of(repeat.getBody().front());
    if (!repeat.getBetween().empty())
      step.between = of(repeat.getBetween().front());
  } else if (isa<exec::CollectiveOp, exec::BucketOp>(op)) {
    addCollective(op, step);
  } else if (exec::isTransfer(op)) {
    step.communicates = true;
    auto copy = cast<exec::CopyOp>(op);
    step.seconds =
        costs.transferSeconds(std::max(exec::getMemorySpace(copy.getSource()),
                                       exec::getMemorySpace(copy.getTarget())),
                              bytesOfStep(op) / 2);
  } else if (isa<exec::BatchOp>(op)) {
    step.seconds = batchSeconds(op);
  } else if (!isa<exec::ObserveOp>(op)) {
    step.seconds = launchSeconds(op);
  }
  return step;
}

std::vector<planning::TimedStep> StepTimer::of(Block &steps) {
  std::vector<planning::TimedStep> out;
  for (Operation &op : steps)
    if (exec::forEachAccess(&op, [](Value, bool) {}))
      out.push_back(of(&op));
  return out;
}

std::vector<planning::TimedStep> StepTimer::ofTask(Block &steps) {
  if (costs.hasOneBandwidth())
    return of(steps);
  touched.emplace();
  llvm::DenseSet<Value> seen;
  for (Operation &op : steps)
    exec::forEachAccess(&op, [&](Value buffer, bool) {
      if (seen.insert(buffer).second)
        touched->farthest += static_cast<double>(
            cast<exec::BufferType>(buffer.getType()).getBytes());
    });
  std::vector<planning::TimedStep> out = of(steps);
  touched.reset();
  return out;
}

} // namespace zcc
