// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the order of uses of bytes by vector clocks of streams. A call only
// counts as ordered after another if streams, events and the waits of the
// calling thread say so. Time does not matter, so one run finds the errors of
// any run.

#ifndef ZCC_TEST_CUDASTANDIN_ORDER_H
#define ZCC_TEST_CUDASTANDIN_ORDER_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace zcc::standin {

/// By stream, the number of its calls that come before.
class Clock {
public:
  uint32_t of(uint32_t stream) const {
    return stream < counts.size() ? counts[stream] : 0;
  }
  uint32_t advance(uint32_t stream);
  void join(const Clock &other);

private:
  std::vector<uint32_t> counts;
};

/// The clock of the calling thread: all that it has waited for.
Clock &threadClock();

/// Says how a kernel uses its buffers.
struct KernelFacts {
  uint32_t reads = 0;          // the first; the rest is written
  std::vector<uint64_t> sizes; // of buffers; the least of all uses
  uint64_t scratch = 0;
  std::vector<std::string> parts; // not empty: kernels that it runs by a table
  uint64_t reduced = 0; // for a reduction: bytes of an element; else 0
};
/// Reads a file that KernelFacts.h describes; by symbol.
std::map<std::string, KernelFacts> readKernelFacts(const std::string &file);

class Order {
public:
  struct Use {
    uint64_t begin, bytes;
    bool isWritten;
  };
  /// Adds the latest call of a stream, whose clock includes it. Returns an
  /// empty text, or a call that it should have waited for.
  std::string use(uint32_t stream, const Clock &clock, const std::string &what,
                  const std::vector<Use> &uses);
  /// Forgets the uses of memory that is freed.
  void forget(uint64_t begin, uint64_t bytes);

  std::map<std::string, KernelFacts> kernels;

private:
  struct Call {
    uint32_t stream, count;
    std::shared_ptr<const std::string> what;
  };
  struct Cell {
    uint64_t end;
    std::vector<Call> writers; // one, or none
    std::vector<Call> readers; // since; one a stream
  };
  /// Splits the cell that contains `at`, so that one begins there.
  void split(uint64_t at);
  std::map<uint64_t, Cell> cells; // by where they begin
};

} // namespace zcc::standin

#endif // ZCC_TEST_CUDASTANDIN_ORDER_H
