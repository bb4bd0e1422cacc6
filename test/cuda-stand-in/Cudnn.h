// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the stand-in for cuDNN knows of a descriptor, and what it does with
// graphs of them.

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
  // Of an engine, or a configuration of one.
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

/// Of a convolution's operation: its factor alpha.
int firstAttribute(int kind);

/// What is wrong with the operations of a graph, or empty.
std::string checkGraph(const DnnRecord &graph);
/// What its plan wants: the largest of what it reshapes and does not keep in
/// memory, as cuDNN does.
uint64_t workspaceOf(const DnnRecord &graph);

struct DnnExecution {
  std::vector<Order::Use> uses;
  std::function<void()> work;
};
/// What is wrong with the memory of tensors, by their numbers, or empty.
/// `asTf32`: convolutions round what they read.
std::string prepareGraph(const DnnRecord &graph,
                         const std::map<int64_t, void *> &memory, bool asTf32,
                         DnnExecution &out);

} // namespace zcc::standin

#endif // ZCC_TEST_CUDASTANDIN_CUDNN_H
