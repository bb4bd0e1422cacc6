// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Among the next kernels, the one with the longest way to the end comes first
// (Jackson, 1955). Kernels that nothing waits for (the gradients of weights)
// fill the time in which that one waits for a link. A collective that frees
// memory is sent as soon as its operand and the link are ready. One that takes
// memory is sent just early enough to arrive in time. Among several that wait
// for a link, the one that is needed first comes first. So one that only later
// tasks need is not queued behind others: its operand is there, but one that is
// needed before it may still come. If links are the
// bottleneck, data that waits for them must not pile up: steps that make more
// of it wait until a window has room.
#include "passes/Schedule/ListScheduler.h"
#include "dialects/Exec/Steps.h"

#include <set>

using namespace mlir;

namespace zcc {

TaskSteps::TaskSteps(const TaskInfo &task, unsigned pieces,
                     std::vector<StepFacts> list)
    : task(task), steps(std::move(list)), before(steps.size()),
      after(steps.size()) {
  struct Memory {
    int written = -1;
    SmallVector<unsigned, 4> read;
  };
  std::vector<Memory> memory(pieces);
  auto comesAfter = [&](unsigned step, int other) {
    if (other < 0 || static_cast<unsigned>(other) == step ||
        llvm::is_contained(before[step], static_cast<unsigned>(other)))
      return;
    before[step].push_back(other);
    after[other].push_back(step);
  };
  int lastObserve = -1, lastSent = -1;
  for (unsigned i = 0; i < steps.size(); ++i) {
    for (auto [piece, writes] : steps[i].accesses) {
      comesAfter(i, memory[piece].written);
      if (writes)
        for (unsigned reader : memory[piece].read)
          comesAfter(i, static_cast<int>(reader));
    }
    for (auto [piece, writes] : steps[i].accesses)
      if (!writes)
        memory[piece].read.push_back(i);
    for (auto [piece, writes] : steps[i].accesses)
      if (writes) {
        memory[piece].written = static_cast<int>(i);
        memory[piece].read.clear();
      }
    // The host must see observations in their old order.
    if (isa<exec::ObserveOp>(task.steps[i])) {
      comesAfter(i, lastObserve);
      lastObserve = static_cast<int>(i);
    }
    // Rings that send on the main stream stay in order.
    if (isa<exec::RepeatOp>(task.steps[i]) && steps[i].link == 0 &&
        steps[i].communicates) {
      comesAfter(i, lastSent);
      lastSent = static_cast<int>(i);
    }
  }
}

double DeviceClock::readyAt(const StepFacts &step,
                            ArrayRef<unsigned> pieces) const {
  double ready = 0;
  for (auto [piece, writes] : step.accesses) {
    ready = std::max(ready, written[pieces[piece]]);
    if (writes)
      ready = std::max(ready, read[pieces[piece]]);
  }
  return ready;
}

double DeviceClock::play(const StepFacts &step, ArrayRef<unsigned> pieces) {
  double ready = readyAt(step, pieces), end;
  if (step.stream == 0) {
    waited += std::max(ready - now, 0.0);
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
  for (auto [piece, writes] : step.accesses) {
    double &own = (writes ? written : read)[pieces[piece]];
    own = std::max(own, end);
  }
  return end;
}

void DeviceClock::waitUntil(double time) {
  waited += std::max(time - now, 0.0);
  now = std::max(now, time);
}

double DeviceClock::end() const {
  double last = now;
  for (auto &[stream, link] : links)
    last = std::max(last, link);
  return last;
}

void DeviceClock::repeat(double seconds) {
  now += seconds;
  for (auto &[stream, link] : links)
    link += seconds;
  for (std::vector<double> *times : {&written, &read})
    for (double &time : *times)
      time += seconds;
}

namespace {

/// Prefix sums over a row of figures, for more queries than changes: the sums
/// of whole blocks, and the sums within each block.
class PrefixSums {
public:
  explicit PrefixSums(size_t count)
      : blocks(count / length + 1, 0), within(count + 1, 0) {}
  void add(size_t at, double figure) {
    size_t block = at / length;
    for (size_t i = at + 1; i < std::min(within.size(), (block + 1) * length);
         ++i)
      within[i] += figure;
    for (size_t i = block + 1; i < blocks.size(); ++i)
      blocks[i] += figure;
  }
  double before(size_t end) const { return blocks[end / length] + within[end]; }

private:
  static constexpr size_t length = 128;
  std::vector<double> blocks, within;
};

class ListScheduler {
public:
  ListScheduler(const TaskSteps &task, ArrayRef<unsigned> pieces,
                ArrayRef<double> reads, DeviceClock &clock,
                const OrderChoice &choice)
      : task(task), pieces(pieces), reads(reads), clock(clock), choice(choice),
        count(task.steps.size()), missing(count), placed(count, false),
        tails(count, 0), places(count, 0), ranks(count, 0), readLater(count, 0),
        leftByPlace(count), leftByRank(count) {}

  StepsOrder run();

private:
  void findTails();
  void findReaders();
  void place(unsigned step);
  void becomesReady(unsigned step);
  void send(double next);
  /// Waits for collectives before a step of computation that makes more data
  /// for links, until the window has room.
  void makeRoom(unsigned step);
  /// Returns true if collectives that hold their operands wait for the step.
  bool feedsLinks(unsigned step) const;
  /// Makes the step wait for the first `sent` collectives on links.
  void join(unsigned step, size_t sent);
  /// Places all steps that `step` needs and that have no place yet, then the
  /// step.
  void force(unsigned step);
  /// Returns the first place from `from` on of a kernel that is not placed.
  unsigned nextLeft(unsigned from);
  unsigned chooseKernel(unsigned next);
  double findReadLater(unsigned step) const;
  /// Returns the seconds of kernels before the first that needs a collective.
  /// It takes the earlier of the old order and the order by tails.
  double neededIn(unsigned step) const;

  // A kernel does not fill a wait that is a smaller share of its duration.
  static constexpr double worthFilling = 0.1;

  const TaskSteps &task;
  ArrayRef<unsigned> pieces;
  ArrayRef<double> reads;
  DeviceClock &clock;
  const OrderChoice choice;
  const size_t count;
  std::vector<unsigned> missing; // unplaced steps that must come before it
  std::vector<bool> placed;
  // The least seconds from a step's end to the task's end. On one resource the
  // step with the longest tail goes first (Jackson, 1955).
  std::vector<double> tails;
  std::vector<unsigned> kernels; // in their old order
  std::vector<unsigned> waiting; // collectives, longest tail first
  std::set<unsigned> ready;      // places in `waiting` that may begin
  // For a kernel, its place in the old order and in the order by tails. For a
  // collective, its place in `waiting`. `readers` has the first kernel that
  // reads a collective, in both orders.
  std::vector<unsigned> places, ranks;
  struct Readers {
    unsigned place, rank; // the number of kernels: none
  };
  std::vector<Readers> readers;
  // Seconds of computation between the task and the next reader of a
  // collective's result; 0 if a step of the task waits for it.
  std::vector<double> readLater;
  std::vector<unsigned> left; // next hops to an unplaced kernel's place
  PrefixSums leftByPlace, leftByRank;            // seconds of kernels
  // Collectives that hold their operands and that computation has not waited
  // for, in the order of their ends. `held`: bytes that these hold, and those
  // that could begin.
  struct Sent {
    unsigned step;
    double end;
  };
  std::vector<Sent> sent;
  int64_t held = 0;
  StepsOrder order;
};

void ListScheduler::findTails() {
  for (unsigned i = count; i-- > 0;)
    for (unsigned next : task.after[i])
      tails[i] = std::max(tails[i], tails[next] + task.steps[next].seconds);
}

void ListScheduler::findReaders() {
  for (unsigned i = 0; i < count; ++i)
    (task.steps[i].stream == 0 ? kernels : waiting).push_back(i);
  // A collective that no step of the task waits for goes by its reader after
  // the task.
  for (unsigned step : waiting)
    readLater[step] = findReadLater(step);
  std::vector<unsigned> wanted = kernels;
  llvm::stable_sort(
      wanted, [&](unsigned a, unsigned b) { return tails[a] > tails[b]; });
  for (unsigned i = 0; i < kernels.size(); ++i) {
    places[kernels[i]] = i;
    ranks[wanted[i]] = i;
    leftByPlace.add(i, task.steps[kernels[i]].seconds);
    leftByRank.add(i, task.steps[wanted[i]].seconds);
    left.push_back(i);
  }
  left.push_back(kernels.size());
  auto none = static_cast<unsigned>(kernels.size());
  readers.assign(count, {none, none});
  for (unsigned step : llvm::reverse(waiting))
    for (unsigned next : task.after[step]) {
      Readers own = task.steps[next].stream == 0
                        ? Readers{places[next], ranks[next]}
                        : readers[next];
      readers[step].place = std::min(readers[step].place, own.place);
      readers[step].rank = std::min(readers[step].rank, own.rank);
    }
  llvm::stable_sort(waiting, [&](unsigned a, unsigned b) {
    return std::pair(-tails[a], readLater[a]) <
           std::pair(-tails[b], readLater[b]);
  });
  for (unsigned i = 0; i < waiting.size(); ++i)
    places[waiting[i]] = i;
  for (unsigned i = 0; i < count; ++i) {
    missing[i] = task.before[i].size();
    if (missing[i] == 0)
      becomesReady(i);
  }
}

double ListScheduler::findReadLater(unsigned step) const {
  if (!task.after[step].empty())
    return 0;
  double first = std::numeric_limits<double>::infinity();
  for (auto [piece, writes] : task.steps[step].accesses)
    if (writes)
      first = std::min(first, reads[piece]);
  return first;
}

double ListScheduler::neededIn(unsigned step) const {
  const Readers &own = readers[step];
  if (own.place == kernels.size())
    return leftByPlace.before(kernels.size()) + readLater[step];
  return std::min(leftByPlace.before(own.place), leftByRank.before(own.rank));
}

bool ListScheduler::feedsLinks(unsigned step) const {
  return llvm::any_of(task.after[step],
                      [&](unsigned next) { return task.steps[next].held > 0; });
}

void ListScheduler::join(unsigned step, size_t first) {
  clock.waitUntil(sent[first - 1].end);
  order.joins.push_back({step, sent[first - 1].step});
  for (size_t i = 0; i < first; ++i)
    held -= task.steps[sent[i].step].held;
  sent.erase(sent.begin(), sent.begin() + first);
}

void ListScheduler::makeRoom(unsigned step) {
  // Joining a collective that is done costs no wait; it only tells the runtime.
  size_t done = 0;
  while (done < sent.size() && sent[done].end <= clock.now)
    ++done;
  if (done > 0 && held > choice.window / 2)
    join(step, done);
  while (held > choice.window) {
    for (auto at = ready.begin(); sent.empty() && at != ready.end();) {
      unsigned turn = *at;
      if (task.steps[waiting[turn]].held > 0)
        place(waiting[turn]);
      at = ready.upper_bound(turn);
    }
    if (sent.empty())
      return;
    join(step, 1);
  }
}

void ListScheduler::place(unsigned step) {
  if (task.steps[step].stream == 0 && held > choice.window / 2 &&
      feedsLinks(step))
    makeRoom(step);
  double end = clock.play(task.steps[step], pieces);
  if (task.steps[step].held > 0) {
    auto after = llvm::upper_bound(
        sent, end, [](double end, const Sent &own) { return end < own.end; });
    sent.insert(after, {step, end});
  }
  if (task.steps[step].stream == 0) {
    leftByPlace.add(places[step], -task.steps[step].seconds);
    leftByRank.add(ranks[step], -task.steps[step].seconds);
    left[places[step]] = places[step] + 1;
  } else {
    ready.erase(places[step]);
  }
  placed[step] = true;
  order.steps.push_back(step);
  for (unsigned next : task.after[step])
    if (--missing[next] == 0)
      becomesReady(next);
}

void ListScheduler::becomesReady(unsigned step) {
  held += task.steps[step].held;
  if (task.steps[step].stream != 0)
    ready.insert(places[step]);
}

/// Starts the collectives whose turn it is, before a kernel that takes `next`
/// seconds.
void ListScheduler::send(double next) {
  for (bool moved = true; moved;) {
    moved = false;
    // Collectives that wait for the link already come before those that begin
    // now.
    struct Queue {
      double seconds = 0;
      std::vector<std::pair<unsigned, double>> steps; // when they are needed
    };
    std::map<int64_t, Queue> queues;
    for (auto at = ready.begin(); at != ready.end();) {
      unsigned turn = *at, step = waiting[turn];
      const StepFacts &own = task.steps[step];
      Queue &queue = queues[own.stream];
      double link = std::max(clock.links[own.stream] - clock.now, 0.0);
      double ahead = link + queue.seconds, needed = neededIn(step);
      bool early = needed > ahead + (1 + choice.lead) * own.seconds;
      bool isForLater = readers[step].place == kernels.size();
      // A collective that is needed more may come later.
      if ((early && own.freed < 0) || ((early || isForLater) && link > next)) {
        queue.seconds += own.seconds;
        queue.steps.push_back({step, needed});
        ++at;
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
      at = ready.upper_bound(turn);
    }
  }
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

unsigned ListScheduler::nextLeft(unsigned from) {
  while (left[from] != from) {
    left[from] = left[left[from]];
    from = left[from];
  }
  return from;
}

/// Returns the ready kernel with the longest tail, or the first one. If it
/// waits for a link, returns another kernel that fills the wait, if that pays.
unsigned ListScheduler::chooseKernel(unsigned next) {
  auto isBefore = [&](unsigned step, unsigned other) {
    return !choice.inOrder && tails[step] > tails[other];
  };
  unsigned chosen = kernels[next], seen = 0;
  std::optional<unsigned> wanted, filler;
  double wait = 0;
  for (unsigned k = nextLeft(next); k < kernels.size() && seen <= choice.far;
       k = nextLeft(k + 1)) {
    unsigned step = kernels[k];
    ++seen;
    if (missing[step] != 0)
      continue;
    double late = clock.readyAt(task.steps[step], pieces) - clock.now;
    if (!wanted || isBefore(step, *wanted)) {
      wanted = step;
      wait = late;
    }
    if (late <= 0 && (!filler || isBefore(step, *filler)))
      filler = step;
  }
  if (wanted)
    chosen = *wanted;
  if (filler && wait > worthFilling * task.steps[*filler].seconds)
    chosen = *filler;
  return chosen;
}

StepsOrder ListScheduler::run() {
  findTails();
  findReaders();
  unsigned next = 0;
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

} // namespace

StepsOrder orderSteps(const TaskSteps &task, ArrayRef<unsigned> pieces,
                      ArrayRef<double> reads, DeviceClock &clock,
                      const OrderChoice &choice) {
  return ListScheduler(task, pieces, reads, clock, choice).run();
}

void playOrder(const TaskSteps &task, ArrayRef<unsigned> pieces,
               const StepsOrder &order, DeviceClock &clock) {
  std::vector<double> ends(task.steps.size());
  auto next = order.joins.begin();
  for (unsigned step : order.steps) {
    for (; next != order.joins.end() && next->first == step; ++next)
      clock.waitUntil(ends[next->second]);
    ends[step] = clock.play(task.steps[step], pieces);
  }
}

} // namespace zcc
