// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/StepOrder.h"

#include "dialects/Exec/Steps.h"

using namespace mlir;

namespace zcc {

// The peak of the whole step may grow by 1/peakShare.
static constexpr int64_t peakShare = 256;

StepPeaks::StepPeaks(const StageTimeline &timeline)
    : timeline(timeline), used(timeline.length + 1) {
  for (const TimelineBuffer &buffer : timeline.buffers)
    for (const planning::Interval &live : buffer.live) {
      if (buffer.memory != MemorySpace::Device)
        continue;
      used[live.lower] += buffer.size;
      used[live.upper] -= buffer.size;
    }
  for (size_t t = 1; t < used.size(); ++t)
    used[t] += used[t - 1];
  peak = *std::max_element(used.begin(), used.end());
}

const TimelineAction *StepPeaks::worstRun(exec::TaskOp task) const {
  const TimelineAction *worst = nullptr;
  int64_t most = -1;
  for (auto [i, action] : llvm::enumerate(timeline.actions)) {
    auto run = dyn_cast<dist::RunOp>(action.op);
    if (!run || run.getTask() != task.getSymName())
      continue;
    int64_t end = i + 1 < timeline.actions.size()
                      ? timeline.actions[i + 1].start
                      : timeline.length;
    for (int64_t t = action.start; t < end; ++t)
      if (used[t] > most) {
        most = used[t];
        worst = &action;
      }
  }
  return worst;
}

StepOrder::StepOrder(const TaskInfo &task, const StepPeaks &peaks)
    : task(task), lives(task.buffers.size()) {
  DenseMap<Value, unsigned> buffers;
  for (auto [i, buffer] : llvm::enumerate(task.buffers))
    for (exec::BufferOp each : buffer.ops)
      buffers[each.getResult()] = i;
  exec::TaskOp op = task.op;
  for (Operation &step : op.getBody().front())
    if (!isa<exec::BufferOp>(step))
      addStep(&step, buffers);
  readLives(peaks);
}

void StepOrder::addStep(Operation *op,
                        const DenseMap<Value, unsigned> &buffers) {
  unsigned index = all.size();
  Step step;
  step.ops.push_back(op);
  auto add = [&](Value value, SmallVectorImpl<unsigned> &out) {
    if (unsigned index = buffers.lookup(value); !llvm::is_contained(out, index))
      out.push_back(index);
  };
  if (isa<exec::RepeatOp>(op)) {
    // Buffers that it passes around may be written in any turn.
    op->walk([&](Operation *inner) {
      for (Value value : inner->getOperands()) {
        add(value, step.reads);
        add(value, step.writes);
      }
    });
  } else if (isa<exec::BucketOp>(op) ||
             !exec::forEachAccess(op, [&](Value value, bool writes) {
               add(value, writes ? step.writes : step.reads);
             })) {
    step.opaque = true;
  }
  all.push_back(std::move(step));
  first.push_back(op);
  steps[op] = index;
  order.push_back(index);
  position.push_back(static_cast<int>(index));
}

/// Computes the bytes of the task's buffers, and the bytes of others meanwhile,
/// which do not change during a run.
void StepOrder::readLives(const StepPeaks &peaks) {
  const TimelineAction *run = peaks.worstRun(task.op);
  for (auto [i, buffer] : llvm::enumerate(task.buffers)) {
    if (!run || buffer.first < 0)
      continue;
    const StageTimeline &timeline = peaks.timeline;
    const TimelineBuffer &own =
        timeline.buffers[StageTimeline::indexOf(buffer, *run)];
    if (own.fixed || own.memory != MemorySpace::Device)
      continue;
    Life &life = lives[i];
    life.size = own.size;
    life.first = static_cast<int>(buffer.first);
    life.last = static_cast<int>(buffer.last);
    for (const planning::Interval &live : own.live)
      if (live.lower <= run->start + buffer.first &&
          live.upper > run->start + buffer.first) {
        life.before = live.lower < run->start + buffer.first;
        life.after = live.upper > run->start + buffer.last + 1;
      }
  }
  use.resize(order.size());
  countUse(0, static_cast<int>(order.size()));
  if (!run)
    return;
  int64_t others = 0;
  for (auto [k, own] : llvm::enumerate(use))
    others = std::max(others, peaks.used[run->start + k] - own);
  budget = peaks.peak + peaks.peak / peakShare - others;
}

void StepOrder::countUse(int from, int to) {
  std::vector<int64_t> change(to - from + 1);
  for (const Life &life : lives) {
    int begin = life.before ? from : std::max(from, life.first);
    int end = life.after ? to : std::min(to, life.last + 1);
    if (life.size == 0 || begin >= end)
      continue;
    change[begin - from] += life.size;
    change[end - from] -= life.size;
  }
  int64_t now = 0;
  for (int k = from; k < to; ++k)
    use[k] = now += change[k - from];
}

void StepOrder::Touched::add(const Step &step) {
  reads.insert(step.reads.begin(), step.reads.end());
  writes.insert(step.writes.begin(), step.writes.end());
  opaque |= step.opaque;
}

bool StepOrder::Touched::conflicts(const Step &step) const {
  auto in = [](const DenseSet<unsigned> &set, ArrayRef<unsigned> list) {
    return llvm::any_of(list, [&](unsigned i) { return set.contains(i); });
  };
  return opaque || step.opaque || in(writes, step.reads) ||
         in(writes, step.writes) || in(reads, step.writes);
}

template <typename Visit>
void StepOrder::forEachBuffer(unsigned step, Visit visit) const {
  for (unsigned buffer : all[step].reads)
    visit(buffer);
  for (unsigned buffer : all[step].writes)
    visit(buffer);
}

StepOrder::Life StepOrder::lifeIn(unsigned buffer, int begin, int end, int low,
                                  int high) const {
  Life life = lives[buffer];
  if (life.first >= begin)
    life.first = low;
  if (life.last < end)
    life.last = high;
  return life;
}

StepOrder::Use StepOrder::useOf(ArrayRef<unsigned> window, int begin) const {
  // The replaced window has one step more, the one that joined.
  int end = begin + static_cast<int>(window.size()) + 1;
  llvm::DenseMap<unsigned, std::pair<int, int>> touched;
  for (auto [i, step] : llvm::enumerate(window))
    forEachBuffer(step, [&, at = begin + static_cast<int>(i)](unsigned buffer) {
      auto [entry, isNew] = touched.insert({buffer, {at, at}});
      entry->second.second = at;
    });
  // The use starts with buffers in use throughout; the loop adds those that
  // begin or end here.
  SmallVector<int64_t> change(window.size() + 1);
  int64_t throughout = use[begin];
  int last = end - 1;
  for (auto [buffer, range] : touched) {
    const Life &old = lives[buffer];
    if (old.size == 0)
      continue;
    if ((old.before || old.first <= begin) && (old.after || old.last >= begin))
      throughout -= old.size;
    Life life = lifeIn(buffer, begin, end, range.first, range.second);
    int from = life.before ? begin : std::max(begin, life.first);
    int to =
        life.after || old.last >= end ? last : std::min(last, life.last + 1);
    if (from >= to)
      continue;
    change[from - begin] += life.size;
    change[to - begin] -= life.size;
  }
  Use out;
  for (size_t k = 0; k < window.size(); ++k) {
    throughout += change[k];
    out.peak = std::max(out.peak, throughout);
    out.sum += throughout;
  }
  return out;
}

bool StepOrder::join(unsigned earlier, unsigned later, unsigned farthest) {
  int begin = position[earlier], end = position[later] + 1;
  if (end - begin > static_cast<int>(farthest))
    return false;
  ArrayRef<unsigned> old(order.data() + begin, end - begin);
  Step joined = all[earlier];
  llvm::append_range(joined.ops, all[later].ops);
  for (unsigned buffer : all[later].reads)
    if (!llvm::is_contained(joined.reads, buffer))
      joined.reads.push_back(buffer);
  for (unsigned buffer : all[later].writes)
    if (!llvm::is_contained(joined.writes, buffer))
      joined.writes.push_back(buffer);

  // The earlier collective waits, with the steps that depend on it.
  SmallVector<unsigned> delayed, waiting;
  Touched after;
  after.add(all[earlier]);
  for (unsigned step : old.slice(1, old.size() - 2))
    if (after.conflicts(all[step])) {
      after.add(all[step]);
      waiting.push_back(step);
    } else {
      delayed.push_back(step);
    }
  if (after.conflicts(all[later]))
    return false;
  delayed.push_back(earlier);
  llvm::append_range(delayed, waiting);

  // The later collective moves forward, with the steps that it depends on.
  SmallVector<unsigned> hoisted, needed;
  Touched before;
  before.add(all[later]);
  for (unsigned step : llvm::reverse(old.slice(1, old.size() - 2)))
    if (before.conflicts(all[step])) {
      before.add(all[step]);
      needed.push_back(step);
    } else {
      hoisted.push_back(step);
    }
  std::reverse(needed.begin(), needed.end());
  std::reverse(hoisted.begin(), hoisted.end());
  needed.push_back(earlier);
  llvm::append_range(needed, hoisted);

  Step kept = std::move(all[earlier]);
  all[earlier] = std::move(joined);
  Use wait = useOf(delayed, begin), hoist = useOf(needed, begin);
  bool waits =
      std::pair(wait.peak, wait.sum) <= std::pair(hoist.peak, hoist.sum);
  int64_t peak = 0;
  for (int k = begin; k < end; ++k)
    peak = std::max(peak, use[k]);
  if ((waits ? wait : hoist).peak > std::max(budget, peak)) {
    all[earlier] = std::move(kept);
    return false;
  }
  place(waits ? delayed : needed, begin, end);
  for (Operation *op : all[later].ops)
    steps[op] = earlier;
  return true;
}

void StepOrder::place(ArrayRef<unsigned> window, int begin, int end) {
  llvm::DenseMap<unsigned, std::pair<int, int>> touched;
  for (auto [i, step] : llvm::enumerate(window))
    forEachBuffer(step, [&, at = begin + static_cast<int>(i)](unsigned buffer) {
      auto [entry, isNew] = touched.insert({buffer, {at, at}});
      entry->second.second = at;
    });
  for (auto [buffer, range] : touched)
    lives[buffer] = lifeIn(buffer, begin, end, range.first, range.second);
  // Positions after the window move up by one.
  for (Life &life : lives) {
    if (life.first >= end && life.first != INT_MAX)
      --life.first;
    if (life.last >= end)
      --life.last;
  }
  std::vector<unsigned> next(order.begin(), order.begin() + begin);
  next.insert(next.end(), window.begin(), window.end());
  next.insert(next.end(), order.begin() + end, order.end());
  order = std::move(next);
  for (size_t i = begin; i < order.size(); ++i)
    position[order[i]] = static_cast<int>(i);
  use.resize(order.size());
  countUse(0, static_cast<int>(order.size()));
}

void StepOrder::write() {
  if (first.empty() || order.size() == first.size())
    return; // nothing was joined
  exec::TaskOp op = task.op;
  Block &body = op.getBody().front();
  OpBuilder builder(op.getContext());
  for (unsigned step : order) {
    Block *block = &body;
    if (all[step].ops.size() > 1) {
      builder.setInsertionPointToEnd(&body);
      auto bucket =
          exec::BucketOp::create(builder, all[step].ops.front()->getLoc());
      if (bucket.getRegion().empty())
        bucket.getRegion().emplaceBlock();
      block = &bucket.getBody().front();
    }
    for (Operation *own : all[step].ops)
      own->moveBefore(block, block->end());
  }
}

} // namespace zcc
