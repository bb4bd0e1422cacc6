// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that are no kernels as cases: a line each, run by four ranks of the
// mesh x=2, y=2 on inputs made of a seed, and held against what the definition
// says, to the bit. A line is a kind and its fields:
//
//   all_reduce add f32 axes=x,y n=5
//   reduce_scatter maximum i32 axes=x outer=2 n=3 inner=4
//   all_to_all bf16 axes=x outer=2 n=4 inner=3 concat=2
//   all_to_all f32 axes=x n=4 source_rows=3,8 target_rows=0,5
//   bucket all_gather f32 axes=x n=5,70
//   permute f32 axes=x n=5 shift=1
//   exchange_boxes f32 axes=x shape=6,5 from=x,- to=-,x
//   exchange_boxes f32 axes=x shape=8,3 from=x,- to=x,-
//   windows=4,1,1,-1,6,0,1,1,0,3 fill f32 n=5 value=1065353216 copy f32 n=5
//   load f32 n=5 (a copy from the host's memory)
//   store f32 n=5
//   repeat f32 axes=x n=5
//
// The two numbers of rows are their begin and pitch. What lies between rows of
// a target stays as it was.
#ifndef ZCC_TEST_CONFORMANCE_STEPCASES_H
#define ZCC_TEST_CONFORMANCE_STEPCASES_H

#include "runtime/core/Backend.h"
#include "runtime/format/executable.pb.h"
#include <functional>
#include <set>

namespace zcc::conformance {

class StepCases {
public:
  /// Reads the cases. Throws an error that names the line.
  explicit StepCases(const std::string &text);

  /// The signatures of the steps (Signatures.h).
  std::set<std::string> signatures() const;
  size_t size() const { return cases.size(); }
  /// Runs all cases. Returns an error by case; empty if all are right. `breaks`
  /// changes the program of a case before it is run; it returns false if it
  /// leaves the program as it is.
  using Break =
      std::function<bool(size_t, rt::format::Step &, const rt::format::Task &)>;
  std::vector<std::string> run(const rt::Backend &backend,
                               const Break &breaks = nullptr) const;
  const std::string &line(size_t i) const { return cases[i].line; }

  struct Case {
    std::string line, kind, reduction, type;
    bool isBucket = false;
    std::vector<uint32_t> axes;
    std::vector<uint64_t> n = {1};
    uint64_t outer = 1, inner = 1, concat = 1, value = 0;
    int64_t shift = 0;
    std::vector<int64_t> shape, windows;
    std::vector<std::vector<uint32_t>> from, to;
    std::vector<uint64_t> sourceRows, targetRows; // begin and pitch, or none
    // Operands of the task.
    std::vector<uint32_t> sources, targets;
  };

private:
  void parse(const std::string &line);
  /// `ends`: where the arenas end so far.
  void addSteps(rt::format::Task &task, Case &one,
                BySpace<uint64_t> &ends) const;
  rt::format::Executable build(const std::string &target,
                               std::vector<Case> &placed,
                               const Break &breaks) const;

  std::vector<Case> cases;
};

} // namespace zcc::conformance

#endif
