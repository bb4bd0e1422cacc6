// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A descriptor of the stand-in for cuDNN, and the check and execution of graphs
// of descriptors.

#ifndef ZCC_TEST_CUDASTANDIN_CUDNN_H
#define ZCC_TEST_CUDASTANDIN_CUDNN_H

#include "runtime/cuda/Cudnn.h"
#include "test/cuda-stand-in/Order.h"

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace zcc::standin {

namespace dnn = rt::cuda::dnn;

struct DnnRecord {
  int kind;
  bool isFinal = false;
  struct Value {
    int type;
    std::vector<char> bytes;
  };
  std::map<int, Value> attributes = {};
  // Only for an engine, or a configuration of one.
  int engine = 0;
  const DnnRecord *graph = nullptr;

  bool has(int attribute) const { return attributes.count(attribute) != 0; }
  template <typename T> std::vector<T> list(int attribute) const {
    auto found = attributes.find(attribute);
    if (found == attributes.end())
      return {};
    std::vector<T> out(found->second.bytes.size() / sizeof(T));
    std::memcpy(static_cast<void *>(out.data()), found->second.bytes.data(),
                out.size() * sizeof(T));
    return out;
  }
  /// The first; zero if it is not set.
  template <typename T> T one(int attribute) const {
    T value = {};
    auto found = attributes.find(attribute);
    if (found != attributes.end() && found->second.bytes.size() >= sizeof(T))
      std::memcpy(&value, found->second.bytes.data(), sizeof(T));
    return value;
  }
  /// Null if it is not set.
  const DnnRecord *part(int attribute) const {
    return static_cast<const DnnRecord *>(one<void *>(attribute));
  }
};

/// The attribute of the factor alpha of a convolution's operation.
int firstAttribute(int kind);

/// Checks the operations of a graph. Returns an error, or an empty text.
std::string checkGraph(const DnnRecord &graph);
/// The bytes of workspace of a graph's plan: as in cuDNN, the largest of the
/// tensors that it reshapes and does not keep in memory.
uint64_t workspaceOf(const DnnRecord &graph);

struct DnnExecution {
  std::vector<Order::Use> uses;
  std::function<void()> work;
};
/// Checks the memory of tensors, by their numbers, and makes the execution.
/// Returns an error, or an empty text. `asTf32`: convolutions round their
/// operands.
std::string prepareGraph(const DnnRecord &graph,
                         const std::map<int64_t, void *> &memory, bool asTf32,
                         DnnExecution &out);

} // namespace zcc::standin

#endif // ZCC_TEST_CUDASTANDIN_CUDNN_H
