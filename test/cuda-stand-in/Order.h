// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who has used which bytes last, by clocks of streams: what one call knows of
// another is what streams, events and the waits of the thread that makes it
// say. How long things take does not matter, so that one run finds what any
// could.

#ifndef ZCC_TEST_CUDASTANDIN_ORDER_H
#define ZCC_TEST_CUDASTANDIN_ORDER_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace zcc::standin {

/// By stream: so many of its calls come before.
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

/// The calling thread's: what it has waited for.
Clock &threadClock();

/// What a kernel does with its buffers.
struct KernelFacts {
  uint32_t reads = 0;          // the first; the rest is written
  std::vector<uint64_t> sizes; // of buffers; the least of all uses
  uint64_t scratch = 0;
  std::vector<std::string> parts; // not empty: kernels that it does by a table
  uint64_t reduced = 0; // of a reduction: bytes of an element; else 0
};
/// By symbol, of a file of KernelFacts.h's.
std::map<std::string, KernelFacts> readKernelFacts(const std::string &file);

class Order {
public:
  struct Use {
    uint64_t begin, bytes;
    bool isWritten;
  };
  /// The latest call of a stream, whose clock has it: empty, or whom it does
  /// not wait for.
  std::string use(uint32_t stream, const Clock &clock, const std::string &what,
                  const std::vector<Use> &uses);
  /// Memory that is given back.
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
  /// Makes cells begin at `at` if one has it within.
  void split(uint64_t at);
  std::map<uint64_t, Cell> cells; // by where they begin
};

} // namespace zcc::standin

#endif // ZCC_TEST_CUDASTANDIN_ORDER_H
