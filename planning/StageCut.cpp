// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic programs over the possible places of cuts: first for the least time
// of the slowest part, then for the fewest bytes among cuts that are not much
// slower. Memory is considered only if the parts of the first cut do not fit
// without recomputation.
#include "planning/StageCut.h"
#include <algorithm>
#include <limits>

using namespace zcc::planning;

namespace {
constexpr size_t mostPlaces = 1024;
constexpr double impossible = std::numeric_limits<double>::infinity();

// Returns the seconds of the transfers of a part with pieces [begin, end).
double sentSeconds(const StageCutProblem &problem, size_t begin, size_t end) {
  double sent = 0;
  for (size_t at : {begin, end})
    if (at > 0 && at < problem.pieces.size())
      sent += problem.pieces[at - 1].sentSeconds;
  return sent;
}

double secondsAgain(const StageCutProblem &problem, double share) {
  StageCutProblem::AgainPoint before;
  for (const StageCutProblem::AgainPoint &point : problem.again) {
    if (share <= point.bytes)
      return point.bytes > before.bytes
                 ? before.seconds + (share - before.bytes) /
                                        (point.bytes - before.bytes) *
                                        (point.seconds - before.seconds)
                 : before.seconds;
    before = point;
  }
  return before.seconds;
}

// The bytes by which a part exceeds the memory even with full recomputation,
// and the share of its recomputable bytes that it must compute again.
struct Fit {
  double excess, again;
};
Fit fitInto(const PartMemory &needs, double memory) {
  double over = needs.least - memory;
  if (over > 0)
    return {over, 1};
  return {0, needs.again > 0
                 ? std::clamp(1 + over / needs.again, 0.0, 1.0)
                 : 0.0};
}

// Computes the memory of pieces [begin, end) incrementally, as the end grows.
class MemoryOf {
public:
  explicit MemoryOf(const StageCutProblem &problem)
      : problem(problem), first(problem.pieces.size()),
        later(problem.pieces.size()) {
    for (const StageCutProblem::Held &own : problem.held)
      for (size_t i = 0; i < own.pieces.size(); ++i)
        if (i == 0)
          first[own.pieces[i]].bytes[own.time] += own.bytes;
        else
          later[own.pieces[i]].push_back(
              {own.pieces[i - 1], own.bytes, own.time});
  }

  struct Sums {
    double bytes[3] = {0, 0, 0}; // by StageCutProblem::Held::Time
    double temporary = 0;

    PartMemory needs(double microbatches) const {
      return {bytes[StageCutProblem::Held::Step] + temporary +
                  microbatches * bytes[StageCutProblem::Held::Microbatch],
              microbatches * bytes[StageCutProblem::Held::Again]};
    }
  };
  // Adds a piece to the sums of a part that begins at `begin`.
  void add(Sums &sums, size_t begin, size_t piece) const {
    for (size_t time = 0; time < 3; ++time)
      sums.bytes[time] += first[piece].bytes[time];
    for (const Later &own : later[piece])
      if (own.before < begin) // if not, the part holds it already
        sums.bytes[own.time] += own.bytes;
    sums.temporary =
        std::max(sums.temporary, problem.pieces[piece].temporaryBytes);
  }

private:
  struct Later {
    size_t before; // the previous piece that has it, too
    double bytes;
    StageCutProblem::Held::Time time;
  };

  const StageCutProblem &problem;
  std::vector<Sums> first;
  std::vector<std::vector<Later>> later;
};

// Returns a part's share of the memory of its stage, in bytes.
double partMemory(const StageCutProblem &problem, size_t part) {
  auto parts = std::count(problem.stages.begin(), problem.stages.end(),
                          problem.stages[part]);
  return problem.memory / static_cast<double>(parts);
}

double microbatchesOf(const StageCutProblem &problem, size_t part) {
  return part < problem.microbatches.size() ? problem.microbatches[part] : 1;
}

class Cutter {
public:
  explicit Cutter(const StageCutProblem &problem)
      : problem(problem), parts(problem.stages.size()) {
    before.push_back(0);
    again.push_back(0);
    for (const StageCutProblem::Piece &piece : problem.pieces) {
      before.push_back(before.back() + piece.seconds);
      again.push_back(again.back() + piece.againSeconds);
    }
    findPlaces();
  }

  // Finds the cut with the least value, which is in `best`. `step` returns the
  // value of a cut that gets one more part, or infinity; no part takes longer
  // than `longest`. `value` is by part and place: the value of the best cut of
  // the pieces before the place into the parts up to this one.
  template <typename Step>
  StageCut solve(Step step, double &best, double longest = impossible) {
    std::vector<std::vector<double>> value(
        parts, std::vector<double>(places.size(), impossible));
    std::vector<std::vector<size_t>> from(
        parts, std::vector<size_t>(places.size(), 0));
    for (size_t part = 0; part < parts; ++part)
      for (size_t begin = 0; begin < places.size(); ++begin) {
        double known =
            part == 0 ? (begin == 0 ? 0 : impossible) : value[part - 1][begin];
        if (known == impossible)
          continue;
        for (size_t end = begin + 1; end < places.size(); ++end) {
          if (before[places[end]] - before[places[begin]] > longest)
            break;
          // The part cannot have a piece that must be on another stage, nor any
          // behind it.
          if (std::any_of(
                  wanted[end].begin(), wanted[end].end(),
                  [&](int64_t stage) { return stage != problem.stages[part]; }))
            break;
          double own = step(known, part, begin, end);
          if (own < value[part][end]) {
            value[part][end] = own;
            from[part][end] = begin;
          }
        }
      }
    best = value[parts - 1].back();
    StageCut cut(parts);
    for (size_t part = parts, end = places.size() - 1; part-- > 0;) {
      cut[part] = places[end];
      end = from[part][end];
    }
    return cut;
  }

  std::string run(double slack, StageCut &cut) {
    double slowest = impossible, bytes = impossible, excess = 0;
    auto findSlowest = [&] {
      cut = solve(
          [&](double known, size_t part, size_t begin, size_t end) {
            return std::max(known, seconds(part, begin, end, excess));
          },
          slowest, slowestOfEven());
    };
    findSlowest();
    if (slowest == impossible)
      return "no cut leaves every stage something to compute";
    if (!fitsAsItIs(problem, cut)) {
      measure();
      solve(
          [&](double known, size_t part, size_t begin, size_t end) {
            return std::max(known, fitOf(part, begin, end).excess);
          },
          excess);
      findSlowest();
    }
    // If memory is short, many cuts send equally many bytes. A tie breaker of
    // less than a byte prefers the most even of them, because the memory that
    // parts have to spare is only an estimate.
    double even = sums.empty() || slowest <= 0
                      ? 0
                      : 0.4 / (static_cast<double>(parts) * slowest * slowest);
    cut = solve(
        [&](double known, size_t part, size_t begin, size_t end) {
          double own = seconds(part, begin, end, excess);
          return own > slowest * (1 + slack)
                     ? impossible
                     : known + problem.pieces[places[end] - 1].sentBytes +
                           even * own * own;
        },
        bytes, slowest * (1 + slack));
    return "";
  }

private:
  // Returns the time of the slowest part of an even cut, an upper bound;
  // `impossible` if the ends of parts, or their memory, are constrained.
  double slowestOfEven() const {
    size_t last = places.size() - 1;
    if (!sums.empty() || last < parts ||
        std::any_of(wanted.begin(), wanted.end(),
                    [](const auto &own) { return !own.empty(); }))
      return impossible;
    double slowest = 0;
    size_t begin = 0;
    for (size_t part = 0; part < parts; ++part) {
      size_t end = begin + 1, most = last - (parts - part - 1);
      double share = before.back() * static_cast<double>(part + 1) /
                     static_cast<double>(parts);
      while (end < most && (before[places[end]] < share || part + 1 == parts))
        ++end;
      slowest = std::max(slowest, seconds(part, begin, end, 0));
      begin = end;
    }
    return slowest;
  }

  // Returns the seconds of a part between two places; `impossible` if it
  // exceeds the memory by more than `excess` bytes.
  double seconds(size_t part, size_t begin, size_t end, double excess) const {
    size_t from = places[begin], to = places[end];
    double own =
        before[to] - before[from] + sentSeconds(problem, from, to);
    if (sums.empty())
      return own;
    Fit fit = fitOf(part, begin, end);
    return fit.excess > excess ? impossible
                               : own + secondsAgain(problem, fit.again) *
                                           (again[to] - again[from]);
  }

  void measure() {
    MemoryOf memory(problem);
    sums.resize(places.size() * places.size());
    for (size_t begin = 0; begin < places.size(); ++begin) {
      MemoryOf::Sums now;
      for (size_t end = begin + 1; end < places.size(); ++end) {
        for (size_t piece = places[end - 1]; piece < places[end]; ++piece)
          memory.add(now, places[begin], piece);
        sums[begin * places.size() + end] = now;
      }
    }
    for (size_t part = 0; part < parts; ++part)
      shares.push_back(partMemory(problem, part));
  }

  Fit fitOf(size_t part, size_t begin, size_t end) const {
    return fitInto(sums[begin * places.size() + end].needs(
                       microbatchesOf(problem, part)),
                   shares[part]);
  }

  void findPlaces() {
    // If there are many places, one remains in each window of the time: the one
    // that sends the fewest bytes.
    std::vector<size_t> all;
    size_t window = 0;
    for (size_t i = 1; i < problem.pieces.size(); ++i) {
      auto own = static_cast<size_t>(before[i] / before.back() * mostPlaces);
      bool joins =
          !all.empty() && own == window && problem.pieces.size() > mostPlaces;
      window = own;
      if (!joins)
        all.push_back(i);
      else if (problem.pieces[i - 1].sentBytes <
               problem.pieces[all.back() - 1].sentBytes)
        all.back() = i;
    }
    places.push_back(0);
    places.insert(places.end(), all.begin(), all.end());
    places.push_back(problem.pieces.size());
    wanted.push_back({});
    for (size_t i = 1; i < places.size(); ++i) {
      std::vector<int64_t> &own = wanted.emplace_back();
      for (size_t piece = places[i - 1]; piece < places[i]; ++piece)
        if (problem.pieces[piece].stage >= 0)
          own.push_back(problem.pieces[piece].stage);
    }
  }

  const StageCutProblem &problem;
  const size_t parts;
  std::vector<double> before; // seconds of all pieces before a piece
  std::vector<double> again;  // likewise, seconds of recomputation
  std::vector<size_t> places; // pieces before a cut; 0 and all among them
  // stages of pieces since the place before
  std::vector<std::vector<int64_t>> wanted;
  // The memory between any two places, and each part's share of the memory;
  // both are empty unless memory is short.
  std::vector<MemoryOf::Sums> sums;
  std::vector<double> shares;
};
} // namespace

std::vector<int64_t> zcc::planning::listParts(int64_t stages, int64_t chunks,
                                              bool goesBack) {
  std::vector<int64_t> parts;
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    for (int64_t i = 0; i < stages; ++i)
      parts.push_back(goesBack && chunk % 2 == 1 ? stages - 1 - i : i);
  return parts;
}

PartMemory zcc::planning::findMemory(const StageCutProblem &problem,
                                     const StageCut &cut, size_t part) {
  MemoryOf memory(problem);
  MemoryOf::Sums sums;
  size_t begin = part == 0 ? 0 : cut[part - 1];
  for (size_t piece = begin; piece < cut[part]; ++piece)
    memory.add(sums, begin, piece);
  return sums.needs(microbatchesOf(problem, part));
}

bool zcc::planning::fitsAsItIs(const StageCutProblem &problem,
                               const StageCut &cut) {
  for (size_t part = 0; problem.memory > 0 && part < cut.size(); ++part) {
    PartMemory needs = findMemory(problem, cut, part);
    if (needs.least + needs.again > partMemory(problem, part))
      return false;
  }
  return true;
}

double zcc::planning::slowestPart(const StageCutProblem &problem,
                                  const StageCut &cut) {
  double slowest = 0;
  size_t begin = 0;
  for (size_t part = 0; part < cut.size(); ++part) {
    double own = sentSeconds(problem, begin, cut[part]), again = 0;
    for (; begin < cut[part]; ++begin) {
      own += problem.pieces[begin].seconds;
      again += problem.pieces[begin].againSeconds;
    }
    if (problem.memory > 0)
      own +=
          again * secondsAgain(problem, fitInto(findMemory(problem, cut, part),
                                                partMemory(problem, part))
                                            .again);
    slowest = std::max(slowest, own);
  }
  return slowest;
}

std::string zcc::planning::cutStages(const StageCutProblem &problem,
                                     StageCut &cut, double slack) {
  if (problem.pieces.size() < problem.stages.size())
    return "expected at least " + std::to_string(problem.stages.size()) +
           " pieces, one a part, found " +
           std::to_string(problem.pieces.size());
  return Cutter(problem).run(slack, cut);
}

std::string zcc::planning::verifyStageCut(const StageCutProblem &problem,
                                          const StageCut &cut) {
  if (cut.size() != problem.stages.size())
    return "expected " + std::to_string(problem.stages.size()) +
           " parts, found " + std::to_string(cut.size());
  size_t begin = 0;
  for (size_t part = 0; part < cut.size(); ++part) {
    if (cut[part] <= begin || cut[part] > problem.pieces.size())
      return "part " + std::to_string(part) + " ends behind piece " +
             std::to_string(cut[part]) + ", expected more than " +
             std::to_string(begin) + " and at most " +
             std::to_string(problem.pieces.size());
    for (; begin < cut[part]; ++begin)
      if (int64_t stage = problem.pieces[begin].stage;
          stage >= 0 && stage != problem.stages[part])
        return "piece " + std::to_string(begin) + " must be on stage " +
               std::to_string(stage) + ", part " + std::to_string(part) +
               " is on " + std::to_string(problem.stages[part]);
  }
  if (begin != problem.pieces.size())
    return "the last part ends behind piece " + std::to_string(begin) +
           ", expected " + std::to_string(problem.pieces.size());
  return "";
}
