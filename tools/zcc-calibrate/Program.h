// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of kernels and collectives to be timed, as text of phase
// `scheduled`. So the code that is timed is code that zcc generates and zrun
// runs.
#ifndef ZCC_TOOLS_ZCC_CALIBRATE_PROGRAM_H
#define ZCC_TOOLS_ZCC_CALIBRATE_PROGRAM_H

#include <cstdint>
#include <string>
#include <vector>

namespace zcc::calibrate {

/// Shape and element type, "64x32xf32".
using Tensor = std::string;

struct Product {
  int64_t batch, m, n, k;
  const char *layout;
};

class Program {
public:
  explicit Program(int64_t ranks) : ranks(ranks) {}

  /// A kernel of one op a line, from %arg0, %arg1, ... to %out, which is timed
  /// `times` times by its name. `cold`: its operands are not in the caches of
  /// the cores before.
  void addKernel(const std::string &name, const std::vector<Tensor> &sources,
                 const Tensor &target, const std::string &body, bool cold,
                 int times);
  /// A product of m x k by k x n, both as the layout says: NN, NT (the right
  /// operand transposed) or TN. `prologue`: the left operand is computed.
  void addProduct(const std::string &name, const std::string &type,
                  const Product &product, bool prologue = false);
  /// target = 2 a + b over `elements` f32.
  void addStream(const std::string &name, int64_t elements, int times);
  /// `count` uses of `op` (of one or two equal operands) on each of `elements`.
  void addChain(const std::string &name, const std::string &op, int operands,
                int64_t elements, int count);
  /// all_reduce or all_gather of `bytes` at its larger end, all ranks.
  void addCollective(const std::string &name, const std::string &kind,
                     int64_t bytes, int times);

  std::string text() const;

private:
  void addTask(const std::string &body);

  int64_t ranks;
  std::string kernels, tasks, runs;
  int count = 0;
};

} // namespace zcc::calibrate

#endif
