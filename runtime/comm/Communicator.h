// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a transport to a rank: a communicator for each subset of
// mesh axes, and messages to single ranks. A transport only moves bytes;
// reductions are an exchange and a local sum in the group's order (Reduce.h),
// so that every transport gives the same bits.

#ifndef ZCC_RUNTIME_COMM_COMMUNICATOR_H
#define ZCC_RUNTIME_COMM_COMMUNICATOR_H

#include "runtime/comm/Reduce.h"
#include "runtime/core/Transfers.h"

#include <memory>
#include <vector>

namespace zcc::rt {

/// Bytes that go to, or come from, one member of a group.
struct Message {
  char *data = nullptr;
  size_t bytes = 0;
};

/// The places of equal rows in an operand, in elements; see
/// format.CollectiveStep.Rows.
struct PortionRows {
  int64_t begin = 0;
  int64_t pitch = 0; // 0: the rows follow each other
};

/// The source and target of one rank in a collective, as views of elements; see
/// format.CollectiveStep.
struct Portion {
  const void *source = nullptr;
  void *target = nullptr;
  int64_t outer = 1, n = 0, inner = 1;
  // Only for an all-to-all.
  int64_t concat = 1;
  PortionRows sourceRows = {}, targetRows = {};

  /// The number of elements that move, without those between rows.
  int64_t elements() const { return outer * n * inner; }
};

/// Portions that move together: one rendezvous, and one message to each peer if
/// they fit. No target overlaps another portion's source or target.
class Portions {
public:
  Portions(const Portion &one) : first(&one), count(1) {}
  Portions(const std::vector<Portion> &all)
      : first(all.data()), count(all.size()) {}
  const Portion *begin() const { return first; }
  const Portion *end() const { return first + count; }
  size_t size() const { return count; }
  const Portion &operator[](size_t i) const { return first[i]; }

private:
  const Portion *first;
  size_t count;
};

/// One rank's end of a group. All ranks of the group make the same calls in the
/// same order. Counts are of elements.
class Communicator {
public:
  virtual ~Communicator() = default;
  virtual int size() const = 0;

  /// n elements; `target` may be `source`.
  virtual void allReduce(ElementType type, Reduction reduction,
                         Portions portions) = 0;
  /// [outer, n, inner] -> [outer, n * size, inner].
  virtual void allGather(ElementType type, Portions portions) = 0;
  /// [outer, n * size, inner] -> [outer, n, inner].
  virtual void reduceScatter(ElementType type, Reduction reduction,
                             Portions portions) = 0;
  /// Cuts [outer, n, inner] along n into `size` blocks, one for each rank, and
  /// joins those received: `concat` rows, in each the rows of all blocks. Only
  /// the rows of a portion are read and written.
  virtual void allToAll(ElementType type, Portions portions) = 0;
  /// Two numbers that a rank tells its group with its next collective.
  struct Note {
    int64_t values[2] = {};
  };
  /// Called by all ranks of the group, or by none. This implementation is a
  /// rendezvous of its own; a transport may do without.
  virtual void tell(const Note &mine) {
    allReduce(ElementType::I64, Reduction::Max, mine.values, latest.values, 2);
  }
  /// Returns, after that collective, the largest value that any rank told, for
  /// each number.
  const Note &told() const { return latest; }

  // The same collectives for one portion.
  void allReduce(ElementType type, Reduction reduction, const void *source,
                 void *target, int64_t count) {
    allReduce(type, reduction, Portion{source, target, 1, count, 1, 1});
  }
  void allGather(ElementType type, const void *source, void *target,
                 int64_t outer, int64_t n, int64_t inner) {
    allGather(type, Portion{source, target, outer, n, inner, 1});
  }
  void reduceScatter(ElementType type, Reduction reduction, const void *source,
                     void *target, int64_t outer, int64_t n, int64_t inner) {
    reduceScatter(type, reduction, Portion{source, target, outer, n, inner, 1});
  }
  void allToAll(ElementType type, const void *source, void *target,
                int64_t outer, int64_t n, int64_t inner, int64_t concat) {
    allToAll(type, Portion{source, target, outer, n, inner, concat});
  }

  /// Sends the whole source to member (own + shift) mod size, and receives from
  /// member (own - shift) mod size.
  virtual void permute(ElementType type, const void *source, void *target,
                       int64_t count, int64_t shift) = 0;
  /// Sends sends[m] to member m, whose receives[own] has the same size. No
  /// receive overlaps another message.
  virtual void exchange(const std::vector<Message> &sends,
                        const std::vector<Message> &receives) = 0;

protected:
  Note latest;
};

/// One rank's access to all others.
class Transport : public Transfers {
public:
  /// Returns the communicator of a group that this rank belongs to. A group is
  /// opened only once.
  virtual std::shared_ptr<Communicator> open(const std::vector<int> &ranks) = 0;
  /// The ranks that this one waits for now; called by any thread.
  virtual std::vector<int> awaited() const = 0;
  /// Waits until all sent messages have left. Called before this rank stops
  /// making calls, since a transport may move bytes only within calls.
  virtual void settle() = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_COMMUNICATOR_H
