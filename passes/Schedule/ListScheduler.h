// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list scheduler of zcc-overlap-collectives (OverlapCollectives.cpp): an
// order for the steps of a task that begins on a clock of computation and
// links.
#ifndef ZCC_PASSES_SCHEDULE_LISTSCHEDULER_H
#define ZCC_PASSES_SCHEDULE_LISTSCHEDULER_H

#include "passes/Memory/TaskInfo.h"
#include <map>

namespace zcc {

/// What a step takes, and does to memory.
struct StepFacts {
  double seconds = 0;
  int64_t stream = 0; // of a collective, if it runs beside computation
  double moving = 0;  // seconds that computation beside it is slower by
  int64_t freed = 0;  // bytes: those of sources less those of targets
  bool communicates = false;
  // Of a ring that sends beside its own kernels: the stream of its links, and
  // the seconds that they carry.
  int64_t link = 0;
  double linkSeconds = 0;
  llvm::SmallVector<std::pair<unsigned, bool>, 4>
      accesses; // buffer of the task
};

/// The steps of a task, and what must come before what.
struct TaskSteps {
  TaskSteps(const TaskInfo &task, std::vector<StepFacts> steps);

  const TaskInfo &task;
  std::vector<StepFacts> steps;
  std::vector<llvm::SmallVector<unsigned, 4>> before, after; // by step
};

/// The clock of the device, while its table is played.
struct LinkClock {
  explicit LinkClock(size_t buffers) : written(buffers, 0), read(buffers, 0) {}

  double now = 0;                    // of computation
  std::map<int64_t, double> links;   // when they are free
  std::vector<double> written, read; // when that is over, by buffer

  double readyAt(const StepFacts &step,
                 llvm::ArrayRef<unsigned> buffers) const {
    double ready = 0;
    for (auto [buffer, writes] : step.accesses) {
      ready = std::max(ready, written[buffers[buffer]]);
      if (writes)
        ready = std::max(ready, read[buffers[buffer]]);
    }
    return ready;
  }
  void play(const StepFacts &step, llvm::ArrayRef<unsigned> buffers) {
    double ready = readyAt(step, buffers), end;
    if (step.stream == 0) {
      end = std::max(now, ready) + step.seconds;
      if (step.link != 0) {
        double &link = links[step.link];
        end = link = std::max(end, link + step.linkSeconds);
      }
      now = end;
    } else {
      double &link = links[step.stream];
      end = link = std::max({link, now, ready}) + step.seconds;
      now += step.moving;
    }
    for (auto [buffer, writes] : step.accesses) {
      double &own = (writes ? written : read)[buffers[buffer]];
      own = std::max(own, end);
    }
  }
  /// When all that runs is done.
  double end() const {
    double last = now;
    for (auto &[stream, link] : links)
      last = std::max(last, link);
    return last;
  }
  /// What was played since `before` took, is taken again.
  void repeat(double seconds) {
    now += seconds;
    for (auto &[stream, link] : links)
      link += seconds;
    for (std::vector<double> *times : {&written, &read})
      for (double &time : *times)
        time += seconds;
  }
};

/// Sums of the first so many of a row of figures (Fenwick, 1994).
class PrefixSums {
public:
  explicit PrefixSums(size_t count) : sums(count + 1, 0) {}
  void add(size_t at, double figure) {
    for (++at; at < sums.size(); at += at & -at)
      sums[at] += figure;
  }
  double before(size_t end) const {
    double sum = 0;
    for (; end > 0; end -= end & -end)
      sum += sums[end];
    return sum;
  }

private:
  std::vector<double> sums;
};

/// Chooses an order for a task that begins on a clock, and plays it.
class ListScheduler {
public:
  /// `far`: how many steps a kernel may overtake; `lead`: how many times its
  /// own duration a collective that takes memory may begin before it is needed.
  /// `reads`: seconds of computation after the task until its buffers are read
  /// again.
  ListScheduler(const TaskSteps &task, llvm::ArrayRef<unsigned> buffers,
                llvm::ArrayRef<double> reads, LinkClock &clock, unsigned far,
                double lead)
      : task(task), buffers(buffers), reads(reads), clock(clock), far(far),
        lead(lead), count(task.steps.size()), missing(count),
        placed(count, false), tails(count, 0), places(count, 0),
        ranks(count, 0), readers(count), leftByPlace(count), leftByRank(count) {
  }

  std::vector<unsigned> run();

private:
  void findTails();
  void findReaders();
  void place(unsigned step);
  void send(double next);
  /// All that a step needs and that has no place yet, then the step.
  void force(unsigned step);
  unsigned chooseKernel(size_t next) const;
  /// Seconds of computation between the task and who reads what a step makes;
  /// 0 if a step of the task waits for it.
  double readLater(unsigned step) const;
  /// Seconds of kernels before the first that needs a collective, if they go
  /// on as they stood or as they are wanted.
  double neededIn(unsigned step) const;

  // A kernel is not begun for a wait that is a smaller share of it.
  static constexpr double worthFilling = 0.1;

  const TaskSteps &task;
  llvm::ArrayRef<unsigned> buffers;
  llvm::ArrayRef<double> reads;
  LinkClock &clock;
  const unsigned far;
  const double lead;
  const size_t count;
  std::vector<unsigned> missing; // steps before it that have no place
  std::vector<bool> placed;
  // Seconds from its end to that of the task at least: on one resource what has
  // most behind it goes first (Jackson, 1955).
  std::vector<double> tails;
  std::vector<unsigned> kernels; // in the order that they had
  std::vector<unsigned> waiting; // collectives, those first with most behind
  // Of kernels: where they stood, and where by tails.
  std::vector<unsigned> places, ranks;
  std::vector<llvm::SmallVector<unsigned, 2>> readers; // kernels, by collective
  PrefixSums leftByPlace, leftByRank;                  // seconds of kernels
  std::vector<unsigned> order;
};

} // namespace zcc

#endif
