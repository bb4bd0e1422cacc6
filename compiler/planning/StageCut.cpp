// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two dynamic programs over the places where one may cut: the least time of the
// slowest part, then the fewest bytes among cuts that are not much slower.
#include "compiler/planning/StageCut.h"
#include <algorithm>
#include <limits>

using namespace zcc::planning;

namespace {
constexpr size_t mostPlaces = 1024;
constexpr double never = std::numeric_limits<double>::infinity();

// Of what a part of these pieces sends and gets.
double sentSeconds(const StageCutProblem &problem, size_t begin, size_t end) {
  double sent = 0;
  for (size_t at : {begin, end})
    if (at > 0 && at < problem.pieces.size())
      sent += problem.pieces[at - 1].sentSeconds;
  return sent;
}

class Cutter {
public:
  explicit Cutter(const StageCutProblem &problem)
      : problem(problem), parts(problem.stages.size()) {
    before.push_back(0);
    for (const StageCutProblem::Piece &piece : problem.pieces)
      before.push_back(before.back() + piece.seconds);
    findPlaces();
  }

  // By part, then place: a value of the best cut of the pieces before the place
  // into the parts up to this one. `step`: the value with one more part, or
  // infinity.
  template <typename Step> StageCut solve(Step step, double &best) {
    std::vector<std::vector<double>> value(
        parts, std::vector<double>(places.size(), never));
    std::vector<std::vector<size_t>> from(
        parts, std::vector<size_t>(places.size(), 0));
    for (size_t part = 0; part < parts; ++part)
      for (size_t begin = 0; begin < places.size(); ++begin) {
        double known =
            part == 0 ? (begin == 0 ? 0 : never) : value[part - 1][begin];
        if (known == never)
          continue;
        for (size_t end = begin + 1; end < places.size(); ++end) {
          // What must be on another stage, and all behind it.
          if (std::any_of(
                  wanted[end].begin(), wanted[end].end(),
                  [&](int64_t stage) { return stage != problem.stages[part]; }))
            break;
          double own = step(known, begin, end);
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

  double seconds(size_t begin, size_t end) const {
    return before[end] - before[begin] + sentSeconds(problem, begin, end);
  }

  std::string run(double slack, StageCut &cut) {
    double slowest = never, bytes = never;
    cut = solve(
        [&](double known, size_t begin, size_t end) {
          return std::max(known, seconds(places[begin], places[end]));
        },
        slowest);
    if (slowest == never)
      return "no cut leaves every stage something to compute";
    cut = solve(
        [&](double known, size_t begin, size_t end) {
          return seconds(places[begin], places[end]) > slowest * (1 + slack)
                     ? never
                     : known + problem.pieces[places[end] - 1].sentBytes;
        },
        bytes);
    return "";
  }

private:
  void findPlaces() {
    // Of many, where least is sent of each share of the time.
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
  std::vector<double> before; // seconds of all pieces before one
  std::vector<size_t> places; // pieces before a cut; 0 and all among them
  std::vector<std::vector<int64_t>> wanted; // stages, up to a place
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

double zcc::planning::slowestPart(const StageCutProblem &problem,
                                  const StageCut &cut) {
  double slowest = 0;
  size_t begin = 0;
  for (size_t end : cut) {
    double own = sentSeconds(problem, begin, end);
    for (size_t i = begin; i < end; ++i)
      own += problem.pieces[i].seconds;
    slowest = std::max(slowest, own);
    begin = end;
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
