// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which values of a forward pass are kept for a backward pass and which
// are computed again: the problem, its frontier of bytes against seconds, and a
// verifier that is independent of the algorithm.
//
// For a fixed price of a byte the best choice is a minimum cut: a needed value
// is either kept, or the op that makes it runs again, which needs all that the
// op reads (Stone, 1977; used like this in torch.compile's min-cut
// partitioner). Parts of the graph that share no droppable value are solved on
// their own, and equal parts (the layers of a model) once. A value of very few
// bytes that would join many parts (a table of positions that all layers read)
// is kept, or made again, whatever the parts choose. For each part the solver
// finds the choices that are best for some price (Eisner and Severance, 1976),
// and some between them. The frontier moves one part after the other from
// choice to choice, first where a byte costs the fewest seconds.

#ifndef ZCC_PLANNING_RECOMPUTATION_H
#define ZCC_PLANNING_RECOMPUTATION_H

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace zcc::planning {

struct RecomputationProblem {
  struct Value {
    double bytes = 0;
    /// The op that makes it; -1 if it is always available.
    int op = -1;
    /// True if the backward pass itself reads it.
    bool needed = false;
  };
  /// Ops stand in an order in which each reads values of earlier ones.
  struct Op {
    double seconds = 0;
    /// If false, its needed results are kept.
    bool mayRunAgain = true;
    std::vector<size_t> reads; // values
  };
  std::vector<Value> values;
  std::vector<Op> ops;
};

/// An answer: the ops that run again. Needed results of all other ops are kept.
struct Recomputation {
  std::vector<bool> again; // by op
  double bytes = 0;        // of kept values
  double seconds = 0;      // of the ops that run again
};

/// The points go from the most bytes that are worth keeping to the fewest, with
/// ascending `seconds`; the first one costs no seconds. If a byte costs the
/// same in several parts, these change in the order of their ops.
class RecomputationFrontier {
  /// A choice for a part; `again` is by the part's ops.
  struct Choice {
    double bytes = 0, seconds = 0;
    std::vector<bool> again;
    double price = 0; // seconds per byte, relative to the best one before it
  };
  using Choices = std::shared_ptr<const std::vector<Choice>>;

public:
  /// Solved parts by a description of them, so that equal parts of several
  /// problems are solved once.
  using Solved = std::map<std::vector<double>, Choices>;

  explicit RecomputationFrontier(const RecomputationProblem &problem);
  RecomputationFrontier(const RecomputationProblem &problem, Solved &known);

  struct Point {
    /// As in get(), except that the values that would join parts (see above)
    /// count even if no part reads them again.
    double bytes = 0, seconds = 0;
    /// The most bytes that are computed again in one part: they are live while
    /// the backward pass is in it.
    double returning = 0;
  };
  /// Returns the points; there is at least one.
  const std::vector<Point> &getPoints() const { return points; }
  /// Returns the first point that keeps at most `bytes`; the last one if all
  /// keep more.
  size_t findWithin(double bytes) const;
  /// Returns the answer of a point. `problem` must be the one that this
  /// frontier was made of.
  Recomputation get(const RecomputationProblem &problem, size_t point) const;

private:
  /// A part moves on to a choice.
  struct Change {
    size_t part = 0, choice = 0;
  };
  struct Part {
    std::vector<size_t> ops;
    Choices choices; // shared by equal parts
  };
  class PartSolver;

  size_t numOps = 0;
  std::vector<Part> parts;
  std::vector<Change> changes; // one between a point and the next
  std::vector<Point> points;
};

/// Returns "" if every needed value is kept or made by an op that runs again,
/// such ops may run again and have all that they read, and bytes and seconds
/// are right; else what is wrong.
std::string verifyRecomputation(const RecomputationProblem &problem,
                                const Recomputation &answer);

} // namespace zcc::planning

#endif // ZCC_PLANNING_RECOMPUTATION_H
