// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that come in pieces: from one file, from a set of files, from the
// slices of a checkpoint, or transposed or joined by a rename file. Only the
// boxes that are asked for are read.

#ifndef ZCC_RUNTIME_DATA_WEIGHTS_H
#define ZCC_RUNTIME_DATA_WEIGHTS_H

#include "runtime/core/Copy.h"
#include "runtime/data/SafeTensors.h"

namespace zcc::rt {

/// A box of a tensor, and the place of its elements in memory.
struct Piece {
  ElementType type = ElementType::Invalid;
  const char *data = nullptr;
  std::vector<int64_t> start;   // in the tensor
  std::vector<int64_t> shape;   // of the box
  std::vector<int64_t> strides; // in elements; empty: row-major
  /// The pages belong to a mapped file and can be released after use. Memory of
  /// a caller is not mapped: releasing it would lose its contents.
  bool mapped = true;
};

struct Weight {
  ElementType type = ElementType::Invalid; // of the first piece
  std::vector<int64_t> shape;
  std::vector<Piece> pieces; // cover the tensor, each element once
};

struct WeightSet {
  std::string path; // for messages
  std::map<std::string, Weight> tensors;
  std::shared_ptr<const void> owner; // keeps the pieces in memory
};

/// Returns the file of weights in a folder as Hugging Face writes it:
/// model.safetensors, model.safetensors.index.json or
/// adapter_model.safetensors. Returns other paths as they are. Throws bad input
/// for a folder whose only weights are in PyTorch's own format.
std::string weightsFile(const std::string &path);
/// A safetensors file, a set of files by its index, or a folder with one of
/// these.
WeightSet openWeights(const std::string &path);
WeightSet weightsOf(std::shared_ptr<const SafeTensors> file);

/// Row-major strides of a shape.
std::vector<int64_t> stridesOf(const std::vector<int64_t> &shape);

/// Copies the box of `extent` elements at `start` of the weight to a box of
/// `target`, with conversion, and releases the pages that were read. False if a
/// value cannot be converted. Throws bad input that begins with `where` if the
/// pieces do not cover the box.
[[nodiscard]] bool copyWeight(const std::string &where, const Weight &weight,
                              const std::vector<int64_t> &start,
                              const BoxAt<void *> &target,
                              const std::vector<int64_t> &extent);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_WEIGHTS_H
