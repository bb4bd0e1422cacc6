// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a forward pass are kept for a backward pass, and which are
// computed again: the problem, its frontier of bytes against seconds, and a
// verifier that knows nothing of how that was found.
//
// For a price of a byte the best choice is a minimum cut: a value that must be
// there is kept, or the op that makes it runs again, and then all that the op
// reads must be there (Stone, 1977; as torch.compile's min-cut partitioner has
// it). Parts of the graph that share no value that may be dropped are solved on
// their own, equal ones (the layers of a model) once; a value of next to no
// bytes that would join many (a table of positions that all layers read) is
// kept, or made again, whatever they choose. For each part the choices
// that are best for some price are found (Eisner and Severance, 1976), and some
// between them. The frontier takes one part after the other from choice to
// choice, where a byte costs fewest seconds first.

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
    /// That makes it; -1: it is there in any case.
    int op = -1;
    /// By the backward pass itself.
    bool needed = false;
  };
  /// In an order in which each reads values of earlier ones.
  struct Op {
    double seconds = 0;
    /// If not, its results that must be there are kept.
    bool mayRunAgain = true;
    std::vector<size_t> reads; // values
  };
  std::vector<Value> values;
  std::vector<Op> ops;
};

/// What runs again; results that must be there are of ops that do, or kept.
struct Recomputation {
  std::vector<bool> again; // by op
  double bytes = 0;        // that are kept
  double seconds = 0;      // of what runs again
};

/// From the most bytes that it pays to keep to the fewest, `seconds` ascending.
/// The first takes no second. Parts of the graph leave their choices in the
/// order of their ops where a byte costs the same.
class RecomputationFrontier {
  /// Of a part, by its ops.
  struct Choice {
    double bytes = 0, seconds = 0;
    std::vector<bool> again;
    double price = 0; // seconds of a byte, from the best one before it on
  };
  using Choices = std::shared_ptr<const std::vector<Choice>>;

public:
  /// Parts by their texts, so that those of several problems are solved once.
  using Solved = std::map<std::vector<double>, Choices>;

  explicit RecomputationFrontier(const RecomputationProblem &problem);
  RecomputationFrontier(const RecomputationProblem &problem, Solved &known);

  struct Point {
    /// As in get(), but that values which would join parts count though none
    /// reads them again.
    double bytes = 0, seconds = 0;
    /// The most bytes of one part that are not kept: they are there again
    /// while the backward pass is in it.
    double returning = 0;
  };
  /// At least one.
  const std::vector<Point> &getPoints() const { return points; }
  /// The first that keeps no more; the last if all keep more.
  size_t findWithin(double bytes) const;
  /// `problem`: that this was made of.
  Recomputation get(const RecomputationProblem &problem, size_t point) const;

private:
  /// Of a part, one choice to the next.
  struct Change {
    size_t part = 0, choice = 0;
  };
  struct Part {
    std::vector<size_t> ops;
    Choices choices; // of this part or an equal one
  };
  class PartSolver;

  size_t numOps = 0;
  std::vector<Part> parts;
  std::vector<Change> changes; // one from a point to the next
  std::vector<Point> points;
};

/// Empty if everything that must be there is kept or made by an op that runs
/// again, which may and has all that it reads, and bytes and seconds are right;
/// else what is wrong.
std::string verifyRecomputation(const RecomputationProblem &problem,
                                const Recomputation &answer);

} // namespace zcc::planning

#endif // ZCC_PLANNING_RECOMPUTATION_H
