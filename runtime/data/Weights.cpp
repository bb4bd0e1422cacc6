// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes of tensors that come in pieces. A piece in row-major order is copied as
// it lies; one with other strides in tiles, so that a transposition reads whole
// cache lines.

#include "runtime/data/Weights.h"

#include "runtime/core/Error.h"
#include "runtime/format/Mesh.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace zcc::rt {

using Shape = std::vector<int64_t>;

Shape stridesOf(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

WeightSet weightsOf(std::shared_ptr<const SafeTensors> file) {
  WeightSet set;
  set.path = file->path();
  for (const auto &[name, view] : file->tensors()) {
    Shape zero(view.shape.size(), 0);
    set.tensors[name] = {
        view.type, view.shape, {{view.type, view.data, zero, view.shape, {}}}};
  }
  set.owner = std::move(file);
  return set;
}

std::string weightsFile(const std::string &path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored))
    return path;
  const std::filesystem::path folder(path);
  for (const char *name : {"model.safetensors", "model.safetensors.index.json",
                           "adapter_model.safetensors"})
    if (std::filesystem::exists(folder / name, ignored))
      return folder / name;
  for (const char *name : {"pytorch_model.bin", "pytorch_model.bin.index.json",
                           "adapter_model.bin"})
    if (std::filesystem::exists(folder / name, ignored))
      badInput(path, ": expected model.safetensors, found ", name,
               ", which only PyTorch reads: save the model again with "
               "save_pretrained, which writes safetensors");
  return path;
}

WeightSet openWeights(const std::string &path) {
  return weightsOf(std::make_shared<SafeTensors>(weightsFile(path)));
}

namespace {

/// One copy between a strided source and a row-major target.
struct StridedCopy {
  const char *source;
  ElementType sourceType;
  Shape sourceStrides; // elements
  char *target;
  ElementType targetType;
  Shape targetStrides;
  Shape extent;
  size_t along = 0, across = 0; // the dims that tiles span

  static constexpr int64_t tile = 64;

  bool run() {
    if (extent.empty())
      return convert(source, sourceType, target, targetType, 1);
    // Tiles span the dim that is dense in the source and the one that is dense
    // in the target.
    across = extent.size() - 1;
    along = across;
    for (size_t i = 0; i < extent.size(); ++i)
      if (extent[i] > 1 &&
          std::abs(sourceStrides[i]) < std::abs(sourceStrides[along]))
        along = i;
    return walk(0, source, target);
  }

  bool walk(size_t dim, const char *from, char *to) {
    if (dim == extent.size())
      return copyTiles(from, to);
    if (dim == along || dim == across)
      return walk(dim + 1, from, to);
    size_t width = byteSize(sourceType), targetWidth = byteSize(targetType);
    for (int64_t i = 0; i < extent[dim]; ++i)
      if (!walk(dim + 1, from + i * sourceStrides[dim] * int64_t(width),
                to + i * targetStrides[dim] * int64_t(targetWidth)))
        return false;
    return true;
  }

  bool copyTiles(const char *from, char *to) {
    int64_t width = byteSize(sourceType), targetWidth = byteSize(targetType);
    int64_t rows = along == across ? 1 : extent[along];
    alignas(8) char line[tile * 8];
    for (int64_t r0 = 0; r0 < rows; r0 += tile)
      for (int64_t c0 = 0; c0 < extent[across]; c0 += tile) {
        int64_t count = std::min(tile, extent[across] - c0);
        for (int64_t r = r0; r < std::min(rows, r0 + tile); ++r) {
          const char *element = from + (r * sourceStrides[along] * (rows > 1) +
                                        c0 * sourceStrides[across]) *
                                           width;
          for (int64_t c = 0; c < count; ++c)
            std::memcpy(line + c * width,
                        element + c * sourceStrides[across] * width, width);
          char *place = to + ((rows > 1 ? r * targetStrides[along] : 0) + c0) *
                                 targetWidth;
          if (!convert(line, sourceType, place, targetType, count))
            return false;
        }
      }
    return true;
  }
};

} // namespace

bool copyWeight(const std::string &where, const Weight &weight,
                const Shape &start, const BoxAt<void *> &target,
                const Shape &extent) {
  size_t rank = weight.shape.size();
  int64_t wanted = volume(extent), found = 0;
  if (wanted == 0)
    return true;
  Shape low(rank), size(rank), from(rank), to(rank);
  for (const Piece &piece : weight.pieces) {
    for (size_t i = 0; i < rank; ++i) {
      low[i] = std::max(start[i], piece.start[i]);
      int64_t high =
          std::min(start[i] + extent[i], piece.start[i] + piece.shape[i]);
      size[i] = std::max<int64_t>(0, high - low[i]);
      from[i] = low[i] - piece.start[i];
      to[i] = target.start[i] + low[i] - start[i];
    }
    int64_t count = volume(size);
    if (count == 0)
      continue;
    found += count;
    CopyProgress release;
    if (piece.mapped)
      release = MappedFile::release;
    if (piece.strides.empty()) {
      if (!copyBox({piece.data, piece.type, piece.shape, from},
                   {target.data, target.type, target.shape, to}, size, release))
        return false;
      continue;
    }
    if (!canConvert(piece.type, target.type))
      return false;
    Shape targetStrides = stridesOf(target.shape);
    int64_t first = 0, last = 0, place = 0;
    for (size_t i = 0; i < rank; ++i) {
      first += from[i] * piece.strides[i];
      last += (from[i] + size[i] - 1) * piece.strides[i];
      place += to[i] * targetStrides[i];
    }
    int64_t width = byteSize(piece.type);
    const char *begin = piece.data + first * width;
    StridedCopy copy{begin,
                     piece.type,
                     piece.strides,
                     static_cast<char *>(target.data) +
                         place * int64_t(byteSize(target.type)),
                     target.type,
                     targetStrides,
                     size};
    if (!copy.run())
      return false;
    if (piece.mapped)
      MappedFile::release(begin, (last - first + 1) * width);
  }
  if (found != wanted)
    badInput(where, ": ", found, " of ", wanted,
             " elements of a part are there");
  return true;
}

} // namespace zcc::rt
