// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/Arrays.h"

#include "capi/Error.h"

#include <algorithm>

namespace zcc::capi {

using rt::badInput;
using rt::ElementType;
using rt::jsonText;
using rt::text;

rt::TensorMap readArrays(const char *argument, const zcc_array *arrays,
                         size_t count) {
  need(arrays, count, argument);
  rt::TensorMap tensors;
  for (size_t i = 0; i < count; ++i) {
    const zcc_array &array = arrays[i];
    std::string where = text(argument, "[", i, "]");
    need(array.name, (where + ".name").c_str());
    where += text(" (", jsonText(array.name), ")");
    rt::TensorView view;
    view.type = static_cast<ElementType>(array.type);
    if (array.type < ZCC_I1 || array.type > ZCC_F8E4M3FN)
      badInput(where, ": expected a zcc_type, found ", array.type);
    if (array.dims < 0)
      badInput(where, ": expected a number of extents, found ", array.dims);
    need(array.shape, size_t(array.dims), (where + ".shape").c_str());
    if (array.dims)
      view.shape.assign(array.shape, array.shape + array.dims);
    uint64_t bytes = rt::byteSize(view.type);
    constexpr uint64_t most = uint64_t(1) << 60;
    for (int64_t extent : view.shape)
      if (extent < 0 || (extent > 0 && bytes > most / uint64_t(extent)))
        badInput(where, ": no array has the shape ", view.shape);
      else
        bytes *= uint64_t(extent);
    view.bytes = bytes;
    if (bytes)
      need(array.data, (where + ".data").c_str());
    view.data = static_cast<const char *>(array.data);
    if (!tensors.emplace(array.name, view).second)
      badInput(where, ": a second array of this name");
  }
  return tensors;
}

void Descriptions::add(const std::string &name, ElementType type,
                       std::vector<int64_t> shape, const void *data) {
  names.push_back(name);
  shapes.push_back(std::move(shape));
  all.push_back({names.back().c_str(), int32_t(type),
                 int32_t(shapes.back().size()), shapes.back().data(),
                 const_cast<void *>(data)});
}

void Descriptions::check(const char *argument, const char *kind,
                         const rt::TensorMap &arrays, ElementType type) const {
  for (const auto &[name, view] : arrays) {
    auto found = std::find_if(
        all.begin(), all.end(),
        [name = &name](const zcc_array &array) { return array.name == *name; });
    if (found == all.end())
      badInput(
          argument, ": no ", kind, " is called ", jsonText(name),
          rt::didYouMean(rt::similarName(name, {names.begin(), names.end()})));
    ElementType wanted = type == ElementType::Invalid
                             ? static_cast<ElementType>(found->type)
                             : type;
    const std::vector<int64_t> &shape = shapes[size_t(found - all.begin())];
    if (view.type != wanted || view.shape != shape)
      badInput(argument, ": ", jsonText(name), ": expected ",
               rt::typeName(wanted), " ", shape, ", found ",
               rt::typeName(view.type), " ", view.shape);
  }
}

} // namespace zcc::capi
