// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/ListScheduler.h"

#include "dialects/Exec/Steps.h"

using namespace mlir;

namespace zcc {

TaskSteps::TaskSteps(const TaskInfo &task, std::vector<StepFacts> list)
    : task(task), steps(std::move(list)), before(steps.size()),
      after(steps.size()) {
  struct Memory {
    int written = -1;
    SmallVector<unsigned, 4> read;
  };
  std::vector<Memory> memory(task.buffers.size());
  auto comesAfter = [&](unsigned step, int other) {
    if (other < 0 || static_cast<unsigned>(other) == step ||
        llvm::is_contained(before[step], static_cast<unsigned>(other)))
      return;
    before[step].push_back(other);
    after[other].push_back(step);
  };
  int lastObserve = -1, lastSent = -1;
  for (unsigned i = 0; i < steps.size(); ++i) {
    for (auto [buffer, writes] : steps[i].accesses) {
      comesAfter(i, memory[buffer].written);
      if (writes)
        for (unsigned reader : memory[buffer].read)
          comesAfter(i, static_cast<int>(reader));
    }
    for (auto [buffer, writes] : steps[i].accesses)
      if (!writes)
        memory[buffer].read.push_back(i);
    for (auto [buffer, writes] : steps[i].accesses)
      if (writes) {
        memory[buffer].written = static_cast<int>(i);
        memory[buffer].read.clear();
      }
    // What the host sees comes in the order that it had.
    if (isa<exec::ObserveOp>(task.steps[i])) {
      comesAfter(i, lastObserve);
      lastObserve = static_cast<int>(i);
    }
    // What sends on the main stream stays in order.
    if (steps[i].stream == 0 && steps[i].link == 0 && steps[i].communicates) {
      comesAfter(i, lastSent);
      lastSent = static_cast<int>(i);
    }
  }
}

void ListScheduler::findTails() {
  for (unsigned i = count; i-- > 0;)
    for (unsigned next : task.after[i])
      tails[i] = std::max(tails[i], tails[next] + task.steps[next].seconds);
}

void ListScheduler::findReaders() {
  for (unsigned i = 0; i < count; ++i) {
    missing[i] = task.before[i].size();
    (task.steps[i].stream == 0 ? kernels : waiting).push_back(i);
  }
  for (unsigned step : llvm::reverse(waiting))
    for (unsigned next : task.after[step])
      if (task.steps[next].stream == 0)
        readers[step].push_back(next);
      else
        readers[step].append(readers[next]);
  auto wantedFirst = [&](unsigned a, unsigned b) {
    return tails[a] > tails[b];
  };
  // What no step of the task waits for goes by who reads it after the task.
  llvm::stable_sort(waiting, [&](unsigned a, unsigned b) {
    return std::pair(-tails[a], readLater(a)) <
           std::pair(-tails[b], readLater(b));
  });
  std::vector<unsigned> wanted = kernels;
  llvm::stable_sort(wanted, wantedFirst);
  for (unsigned i = 0; i < kernels.size(); ++i) {
    places[kernels[i]] = i;
    ranks[wanted[i]] = i;
    leftByPlace.add(i, task.steps[kernels[i]].seconds);
    leftByRank.add(i, task.steps[wanted[i]].seconds);
  }
}

double ListScheduler::readLater(unsigned step) const {
  if (!task.after[step].empty())
    return 0;
  double first = std::numeric_limits<double>::infinity();
  for (auto [buffer, writes] : task.steps[step].accesses)
    if (writes)
      first = std::min(first, reads[buffer]);
  return first;
}

double ListScheduler::neededIn(unsigned step) const {
  double needed = leftByPlace.before(kernels.size());
  if (readers[step].empty())
    return needed + readLater(step);
  for (unsigned reader : readers[step])
    needed = std::min({needed, leftByPlace.before(places[reader]),
                       leftByRank.before(ranks[reader])});
  return needed;
}

void ListScheduler::place(unsigned step) {
  clock.play(task.steps[step], buffers);
  if (task.steps[step].stream == 0) {
    leftByPlace.add(places[step], -task.steps[step].seconds);
    leftByRank.add(ranks[step], -task.steps[step].seconds);
  }
  placed[step] = true;
  order.push_back(step);
  for (unsigned next : task.after[step])
    --missing[next];
}

/// Collectives whose turn it is, before a kernel that takes `next` seconds.
void ListScheduler::send(double next) {
  for (bool moved = true; moved;) {
    moved = false;
    // What waits for the link already comes before what begins now.
    struct Queue {
      double seconds = 0;
      std::vector<std::pair<unsigned, double>> steps; // when they are needed
    };
    std::map<int64_t, Queue> queues;
    for (unsigned step : waiting) {
      if (placed[step] || missing[step] != 0)
        continue;
      const StepFacts &own = task.steps[step];
      Queue &queue = queues[own.stream];
      double link = std::max(clock.links[own.stream] - clock.now, 0.0);
      double ahead = link + queue.seconds, needed = neededIn(step);
      bool early = needed > ahead + (1 + lead) * own.seconds;
      // Later there may be something that is needed more.
      if (early && (own.freed < 0 || link > next)) {
        queue.seconds += own.seconds;
        queue.steps.push_back({step, needed});
        continue;
      }
      if (!early)
        for (auto [other, otherNeeded] : queue.steps)
          if (otherNeeded <= needed) {
            place(other);
            queue.seconds -= task.steps[other].seconds;
          }
      llvm::erase_if(queue.steps,
                     [&](const auto &one) { return placed[one.first]; });
      place(step);
      moved = true;
    }
  }
  llvm::erase_if(waiting, [&](unsigned step) { return placed[step]; });
}

void ListScheduler::force(unsigned step) {
  SmallVector<unsigned, 4> all(task.before[step].begin(),
                               task.before[step].end());
  llvm::sort(all);
  for (unsigned other : all)
    if (!placed[other])
      force(other);
  if (!placed[step])
    place(step);
}

/// Of the next ones that which most is behind; while it waits for a link
/// another one, if that pays.
unsigned ListScheduler::chooseKernel(size_t next) const {
  unsigned chosen = kernels[next], seen = 0;
  std::optional<unsigned> wanted, filler;
  double wait = 0;
  for (size_t k = next; k < kernels.size() && seen <= far; ++k) {
    unsigned step = kernels[k];
    if (placed[step])
      continue;
    ++seen;
    if (missing[step] != 0)
      continue;
    double late = clock.readyAt(task.steps[step], buffers) - clock.now;
    if (!wanted || tails[step] > tails[*wanted]) {
      wanted = step;
      wait = late;
    }
    if (late <= 0 && (!filler || tails[step] > tails[*filler]))
      filler = step;
  }
  if (wanted)
    chosen = *wanted;
  if (filler && wait > worthFilling * task.steps[*filler].seconds)
    chosen = *filler;
  return chosen;
}

std::vector<unsigned> ListScheduler::run() {
  findTails();
  findReaders();
  size_t next = 0;
  while (next < kernels.size()) {
    send(task.steps[kernels[next]].seconds);
    if (placed[kernels[next]])
      ++next;
    else
      force(chooseKernel(next));
  }
  for (unsigned step : waiting)
    if (!placed[step])
      force(step);
  return std::move(order);
}

} // namespace zcc
