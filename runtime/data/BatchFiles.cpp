// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches from files. All files are checked when they are opened, but only the
// current one stays mapped, and nothing of it is copied.

#include "runtime/core/Copy.h"
#include "runtime/core/Error.h"
#include "runtime/data/BatchSource.h"
#include "runtime/data/Limits.h"

#include <algorithm>
#include <dirent.h>
#include <sys/stat.h>

namespace zcc::rt {

std::vector<TensorView> matchInputs(const std::string &name,
                                    const TensorMap &tensors,
                                    const std::vector<InputSpec> &inputs,
                                    int64_t *steps,
                                    std::vector<std::string> &surplus) {
  std::vector<TensorView> matched;
  std::vector<std::string> problems;
  std::optional<int64_t> count;
  for (const InputSpec &input : inputs) {
    std::string wanted =
        text("\"", input.name, "\": expected ", typeName(input.type), " ",
             steps ? "[steps" : "", steps && input.shape.empty() ? "]" : "");
    std::string shape = shapeText(input.shape);
    if (steps && !input.shape.empty())
      wanted += ", " + shape.substr(1);
    else if (!steps)
      wanted += shape;
    auto at = tensors.find(input.name);
    if (at == tensors.end() && input.isKey) {
      matched.push_back({input.type, input.shape, nullptr, 0});
      continue;
    }
    if (at == tensors.end()) {
      problems.push_back(wanted + ", not found");
      continue;
    }
    const TensorView &view = at->second;
    std::vector<int64_t> found = view.shape;
    bool fits = canConvert(view.type, input.type);
    if (steps) {
      fits &= !found.empty();
      if (!found.empty())
        found.erase(found.begin());
    }
    fits &= found == input.shape;
    if (!fits) {
      problems.push_back(
          text(wanted, ", found ", typeName(view.type), " ", view.shape));
      continue;
    }
    if (steps) {
      if (count && *count != view.shape[0])
        problems.push_back(text("\"", input.name, "\": ", view.shape[0],
                                " steps, the inputs before it have ", *count));
      count = view.shape[0];
    }
    matched.push_back(view);
  }
  if (!problems.empty())
    badInput(name, ": inputs do not fit: ", listText(problems));
  if (steps) {
    *steps = count.value_or(INT64_MAX);
    if (*steps == 0)
      badInput(name, ": holds no step");
  }
  for (const auto &entry : tensors)
    if (std::none_of(inputs.begin(), inputs.end(), [&](const InputSpec &input) {
          return input.name == entry.first;
        }))
      surplus.push_back(entry.first);
  return matched;
}

namespace {

class BatchFiles : public BatchSource {
public:
  BatchFiles(const std::string &path, const std::vector<InputSpec> &inputs,
             const std::function<void(const std::string &)> &note)
      : inputs(inputs) {
    std::vector<std::string> names = list(path);
    std::vector<std::string> surplus;
    for (const std::string &name : names) {
      SafeTensors file(name);
      std::vector<std::string> unused;
      int64_t steps;
      matchInputs(name, file.tensors(), inputs, &steps, unused);
      files.push_back({name, steps});
      total = steps > INT64_MAX - total ? INT64_MAX : total + steps;
      for (std::string &tensor : unused)
        if (std::find(surplus.begin(), surplus.end(), tensor) == surplus.end())
          surplus.push_back(std::move(tensor));
    }
    if (!surplus.empty() && note)
      note(text(path, ": left out, since the executable does not read it: ",
                listText(surplus)));
  }

  std::optional<int64_t> steps() const override {
    if (total == INT64_MAX) // no input is read from the files
      return std::nullopt;
    return total;
  }

  Batch read(int64_t step) override {
    Batch batch;
    if (inputs.empty())
      return batch;
    step %= total;
    size_t index = 0;
    while (step >= files[index].steps)
      step -= files[index++].steps;
    if (!current || index != currentIndex) {
      current = std::make_shared<SafeTensors>(files[index].name);
      currentIndex = index;
      std::vector<std::string> unused;
      int64_t steps;
      tensors = matchInputs(files[index].name, current->tensors(), inputs,
                            &steps, unused);
      if (steps != files[index].steps)
        badInput(files[index].name, ": has changed while it was in use");
    }
    for (const TensorView &all : tensors) {
      TensorView view = all;
      if (!all.data) {
        batch.inputs.push_back(std::move(view));
        continue;
      }
      view.bytes = all.bytes / files[index].steps;
      view.data = all.data + step * view.bytes;
      view.shape.erase(view.shape.begin());
      MappedFile::prefetch(view.data, view.bytes);
      batch.inputs.push_back(std::move(view));
    }
    checkLimits(text(files[index].name, ": step ", step + 1), inputs, batch);
    batch.owner = current;
    batch.mapped = true;
    return batch;
  }

private:
  static std::vector<std::string> list(const std::string &path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
      return {path};
    DIR *folder = opendir(path.c_str());
    if (!folder)
      badInput(path, ": cannot read the folder");
    std::vector<std::string> names;
    while (dirent *entry = readdir(folder)) {
      std::string name = entry->d_name;
      if (name.size() > 12 && name[0] != '.' &&
          name.compare(name.size() - 12, 12, ".safetensors") == 0)
        names.push_back(path + "/" + name);
    }
    closedir(folder);
    if (names.empty())
      badInput(path, ": no *.safetensors file in this folder");
    std::sort(names.begin(), names.end());
    return names;
  }

  struct File {
    std::string name;
    int64_t steps;
  };
  std::vector<InputSpec> inputs;
  std::vector<File> files;
  int64_t total = 0;
  std::shared_ptr<SafeTensors> current;
  size_t currentIndex = 0;
  std::vector<TensorView> tensors;
};

} // namespace

std::unique_ptr<BatchSource>
openBatchFiles(const std::string &path, const std::vector<InputSpec> &inputs,
               const std::function<void(const std::string &)> &note) {
  return std::make_unique<BatchFiles>(path, inputs, note);
}

} // namespace zcc::rt
