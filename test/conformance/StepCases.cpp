// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/StepCases.h"
#include "runtime/core/Spaces.h"
#include "runtime/format/KernelTables.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/Validate.h"
#include "runtime/launch/RankHost.h"
#include "runtime/reference/Combiner.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <sstream>

namespace zcc::conformance {

namespace format = rt::format;
namespace reference = rt::reference;

namespace {

constexpr const char *kinds[] = {"all_reduce", "all_gather", "reduce_scatter",
                                 "all_to_all", "permute",    "exchange_boxes"};
constexpr const char *reductions[] = {"add",         "maximum",    "minimum",
                                      "logical_and", "logical_or", "multiply"};
constexpr reference::ReduceKind combiners[] = {
    reference::ReduceKind::Add, reference::ReduceKind::Maximum,
    reference::ReduceKind::Minimum, reference::ReduceKind::And,
    reference::ReduceKind::Or, reference::ReduceKind::Multiply};
constexpr const char *axisNames = "xy";
constexpr int ranks = 4;

template <size_t N>
int indexOf(const char *const (&names)[N], const std::string &name) {
  for (size_t i = 0; i < N; ++i)
    if (name == names[i])
      return int(i);
  return -1;
}

// Parses a type as MLIR prints it: ui8.
rt::ElementType typeOf(const std::string &name) {
  for (int i = 1; i <= 13; ++i) {
    auto type = static_cast<rt::ElementType>(i);
    std::string own = rt::typeName(type);
    if ((own[0] == 'u' ? "ui" + own.substr(1) : own) == name)
      return type;
  }
  rt::badInput("unknown type '", name, "'");
}

uint32_t axisOf(const std::string &name) {
  if (name == "x" || name == "y")
    return name == "y";
  rt::badInput("unknown axis '", name, "'");
}

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);)
    parts.push_back(part);
  return parts;
}

rt::Sharding shardingOf(const std::vector<std::vector<uint32_t>> &dims) {
  rt::Sharding out;
  for (const auto &axes : dims)
    out.push_back({axes, 0});
  return out;
}

std::string makeBytes(rt::ElementType type, uint64_t count,
                      std::mt19937_64 &random) {
  std::string bytes(count * rt::byteSize(type), 0);
  reference::dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    auto *out = reinterpret_cast<T *>(bytes.data());
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t draw = random();
      if constexpr (reference::isFloatElement<T>)
        out[i] = reference::store<T>(double(draw >> 11) * 0x1p-50 - 4);
      else
        out[i] = reference::store<T>(int64_t(draw >> 7));
    }
  });
  return bytes;
}

// sources[0] + sources[1] + ..., in order, rounded once.
std::string combine(rt::ElementType type, reference::ReduceKind kind,
                    const std::vector<std::string> &sources) {
  std::string out = sources[0];
  reference::dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    reference::Combiner<T> combiner{kind};
    auto *result = reinterpret_cast<T *>(out.data());
    for (size_t i = 0; i < out.size() / sizeof(T); ++i) {
      auto sum = reference::load(result[i]);
      for (size_t k = 1; k < sources.size(); ++k)
        sum = combiner(sum, reference::load(
                                reinterpret_cast<const T *>(sources[k].data())[i]));
      result[i] = reference::store<T>(sum);
    }
  });
  return out;
}

// Cuts rows of `bytes`, at `first`, out of each row of `rowBytes`.
std::string cut(const std::string &rows, uint64_t outer, uint64_t rowBytes,
                uint64_t first, uint64_t bytes) {
  std::string out;
  for (uint64_t i = 0; i < outer; ++i)
    out += rows.substr(i * rowBytes + first, bytes);
  return out;
}

// Joins parts: each of `outer` rows gets the rows of all parts.
std::string join(const std::vector<std::string> &parts, uint64_t outer) {
  std::string out;
  for (uint64_t i = 0; i < outer; ++i)
    for (const std::string &part : parts)
      out += part.substr(i * (part.size() / outer), part.size() / outer);
  return out;
}

// Collects rows of `length` elements that lie at begin + i * pitch.
std::string gather(const std::string &bytes, const std::vector<uint64_t> &rows,
                   uint64_t length, uint64_t count, size_t width) {
  std::string out;
  for (uint64_t i = 0; i < count; ++i)
    out += bytes.substr((rows[0] + i * rows[1]) * width, length * width);
  return out;
}

// Lays rows of `length` elements at begin + i * pitch into `bytes`.
void scatter(const std::string &dense, const std::vector<uint64_t> &rows,
             uint64_t length, size_t width, std::string &bytes) {
  for (uint64_t i = 0; i * length * width < dense.size(); ++i)
    bytes.replace((rows[0] + i * rows[1]) * width, length * width, dense,
                  i * length * width, length * width);
}

// Returns true for copies between any two memories.
bool isCopy(const std::string &kind) {
  return kind == "copy" || kind == "load" || kind == "store";
}

} // namespace

StepCases::StepCases(const std::string &text) {
  for (const std::string &line : split(text, '\n'))
    if (!line.empty() && line[0] != '#')
      parse(line);
}

void StepCases::parse(const std::string &line) {
  Case one;
  one.line = line;
  std::vector<std::string> words = split(line, ' ');
  size_t next = 0;
  auto word = [&]() -> std::string {
    return next < words.size() ? words[next++] : "";
  };
  one.kind = word();
  if (one.kind == "bucket") {
    one.isBucket = true;
    one.kind = word();
  }
  if (one.kind == "all_reduce" || one.kind == "reduce_scatter")
    one.reduction = word();
  one.type = word();
  typeOf(one.type);
  for (; next < words.size(); ++next) {
    size_t equals = words[next].find('=');
    std::string name = words[next].substr(0, equals);
    std::vector<std::string> values =
        split(equals == std::string::npos ? "" : words[next].substr(equals + 1),
              ',');
    if (values.empty())
      rt::badInput(line, ": expected NAME=VALUE, found '", words[next], "'");
    auto number = [&](const std::string &value) {
      return std::stoll(value);
    };
    auto sharding = [&](std::vector<std::vector<uint32_t>> &dims) {
      for (const std::string &value : values)
        dims.push_back(value == "-" ? std::vector<uint32_t>()
                                    : std::vector<uint32_t>{axisOf(value)});
    };
    if (name == "axes")
      for (const std::string &value : values)
        one.axes.push_back(axisOf(value));
    else if (name == "n") {
      one.n.clear();
      for (const std::string &value : values)
        one.n.push_back(uint64_t(number(value)));
    } else if (name == "outer")
      one.outer = uint64_t(number(values[0]));
    else if (name == "inner")
      one.inner = uint64_t(number(values[0]));
    else if (name == "concat")
      one.concat = uint64_t(number(values[0]));
    else if (name == "value")
      one.value = uint64_t(number(values[0]));
    else if (name == "shift")
      one.shift = number(values[0]);
    else if (name == "shape")
      for (const std::string &value : values)
        one.shape.push_back(number(value));
    else if (name == "windows")
      for (const std::string &value : values)
        one.windows.push_back(number(value));
    else if (name == "source_rows" || name == "target_rows") {
      if (values.size() != 2)
        rt::badInput(line, ": expected ", name, "=BEGIN,PITCH, found '",
                     words[next], "'");
      for (const std::string &value : values)
        (name == "source_rows" ? one.sourceRows : one.targetRows)
            .push_back(uint64_t(number(value)));
    } else if (name == "from")
      sharding(one.from);
    else if (name == "to")
      sharding(one.to);
    else
      rt::badInput(line, ": unknown field '", name, "'");
  }
  cases.push_back(std::move(one));
}

std::set<std::string> StepCases::signatures() const {
  std::set<std::string> out;
  for (const Case &one : cases) {
    std::string line = one.isBucket ? "step bucket " : "step ";
    line += one.kind;
    if (!one.reduction.empty())
      line += " " + one.reduction;
    if (!one.windows.empty())
      line += " windows";
    if (!one.sourceRows.empty() || !one.targetRows.empty())
      line += " rows";
    if (!isCopy(one.kind) && one.kind != "repeat")
      line += " " + one.type;
    out.insert(line);
  }
  return out;
}

// The steps of a case, on operands of their own.
void StepCases::addSteps(format::Task &task, Case &one,
                         BySpace<uint64_t> &ends) const {
  rt::Mesh mesh({{"x", 2, false}, {"y", 2, false}}, -1);
  size_t width = rt::byteSize(typeOf(one.type));
  auto addOperand = [&](uint64_t bytes,
                        MemorySpace space = MemorySpace::Device) {
    format::Operand &operand = *task.add_operands();
    uint64_t &end = ends[space];
    operand.set_memory(rt::memoryOf(space));
    operand.set_offset(end);
    operand.set_size(bytes);
    operand.set_written(true);
    operand.set_name(one.line);
    end += (bytes + 63) / 64 * 64;
    return uint32_t(task.operands_size() - 1);
  };
  // Returns the space of an operand that is in the host's memory if the case is
  // a copy of kind `away`.
  auto spaceOf = [&](const char *away) {
    return one.kind == away ? MemorySpace::Host : MemorySpace::Device;
  };
  uint64_t group = uint64_t(1) << one.axes.size();
  format::Step &step = *task.add_steps();
  step.set_name(one.line);
  std::vector<format::CollectiveStep *> members;
  for (uint64_t n : one.n) {
    uint64_t bytes = one.outer * n * one.inner * width;
    if (int kind = indexOf(kinds, one.kind); kind >= 0) {
      format::CollectiveStep &collective = one.isBucket
                                               ? *step.mutable_bucket()->add_members()
                                               : *step.mutable_collective();
      collective.set_kind(static_cast<format::CollectiveStep::Kind>(kind));
      collective.set_type(static_cast<format::Type>(typeOf(one.type)));
      if (!one.reduction.empty())
        collective.set_reduction(static_cast<format::CollectiveStep::Reduction>(
            indexOf(reductions, one.reduction)));
      for (uint32_t axis : one.axes)
        collective.add_axes(axis);
      bool isReduce = one.kind == "all_reduce" || one.kind == "permute";
      collective.set_outer(isReduce ? 1 : one.outer);
      collective.set_n(isReduce ? one.outer * n * one.inner : n);
      collective.set_inner(isReduce ? 1 : one.inner);
      if (one.kind == "all_to_all")
        collective.set_concat(one.concat);
      collective.set_shift(one.shift);
      for (int64_t extent : one.shape)
        collective.add_shape(extent);
      for (int64_t window : one.windows)
        collective.add_windows(window);
      for (const auto &dim : one.from) {
        auto *entry = collective.add_from();
        for (uint32_t axis : dim)
          entry->add_axes(axis);
      }
      for (const auto &dim : one.to) {
        auto *entry = collective.add_to();
        for (uint32_t axis : dim)
          entry->add_axes(axis);
      }
      auto setRows = [](const std::vector<uint64_t> &numbers, auto *rows) {
        rows->set_begin(numbers[0]);
        rows->set_pitch(numbers[1]);
      };
      if (!one.sourceRows.empty())
        setRows(one.sourceRows, collective.mutable_source_rows());
      if (!one.targetRows.empty())
        setRows(one.targetRows, collective.mutable_target_rows());
      rt::CollectiveSizes sizes = rt::extentsOf(collective, group, mesh);
      one.sources.push_back(addOperand(sizes.source));
      one.targets.push_back(addOperand(sizes.target));
      collective.set_source(one.sources.back());
      collective.set_target(one.targets.back());
      continue;
    }
    one.sources.push_back(addOperand(bytes, spaceOf("load")));
    if (isCopy(one.kind)) {
      one.targets.push_back(addOperand(bytes, spaceOf("store")));
      step.mutable_copy()->set_source(one.sources.back());
      step.mutable_copy()->set_target(one.targets.back());
    } else if (one.kind == "fill") {
      one.targets.push_back(one.sources.back());
      step.mutable_fill()->set_target(one.targets.back());
      step.mutable_fill()->set_value(one.value);
      step.mutable_fill()->set_width(uint32_t(width));
    } else if (one.kind == "repeat") {
      // A block goes round. Each turn writes the block it held to the same
      // target, so the last turn's stays.
      uint32_t held = one.sources.back(), next = addOperand(bytes),
               spare = addOperand(bytes), member = addOperand(4);
      one.targets = {addOperand(bytes), member};
      format::RepeatStep &repeat = *step.mutable_repeat();
      for (uint32_t axis : one.axes)
        repeat.add_axes(axis);
      repeat.set_member(member);
      format::RepeatStep::Rotation &rotation = *repeat.add_rotations();
      rotation.set_held(held);
      rotation.set_next(next);
      rotation.set_spare(spare);
      format::Step &copy = *repeat.add_body();
      copy.mutable_copy()->set_source(held);
      copy.mutable_copy()->set_target(one.targets[0]);
      format::Step &permute = *repeat.add_between();
      format::CollectiveStep &moves = *permute.mutable_collective();
      moves.set_kind(format::CollectiveStep::PERMUTE);
      moves.set_type(static_cast<format::Type>(typeOf(one.type)));
      for (uint32_t axis : one.axes)
        moves.add_axes(axis);
      moves.set_outer(1);
      moves.set_n(bytes / width);
      moves.set_inner(1);
      moves.set_shift(1);
      moves.set_source(held);
      moves.set_target(next);
    } else {
      rt::badInput(one.line, ": unknown kind '", one.kind, "'");
    }
  }
}

format::Executable StepCases::build(const std::string &target,
                                    std::vector<Case> &placed,
                                    const Break &breaks) const {
  format::Executable out;
  out.set_producer("conformance");
  out.set_target(target);
  out.set_pipe_axis(-1);
  out.set_optimizer("forward");
  out.set_precision("f32");
  for (int i = 0; i < 2; ++i) {
    out.add_mesh()->set_name(std::string(1, axisNames[i]));
    out.mutable_mesh(i)->set_size(2);
  }
  format::Stage &stage = *out.add_stages();
  stage.add_actions()->mutable_run()->set_task(0);
  format::Task &task = *stage.add_tasks();
  task.set_kind(format::Task::FORWARD);
  BySpace<uint64_t> ends;
  ends[MemorySpace::Device] = 64; // the coordinates are first
  for (Case &one : placed) {
    int step = task.steps_size();
    addSteps(task, one, ends);
    if (breaks)
      breaks(size_t(&one - placed.data()), *task.mutable_steps(step), task);
  }
  for (int i = task.steps_size(); i-- > 0;)
    if (task.steps(i).what_case() == format::Step::WHAT_NOT_SET)
      task.mutable_steps()->DeleteSubrange(i, 1);
  for (const MemorySpaceInfo &row : memorySpaces)
    rt::setArenaBytes(stage, ends[row.space], row.space);
  if (out.target() == "cuda")
    rt::addWorkspaces(out);
  return out;
}

std::vector<std::string> StepCases::run(const rt::Backend &backend,
                                        const Break &breaks) const {
  std::vector<Case> placed = cases;
  format::Executable executable = build(backend.name(), placed, breaks);
  if (std::string wrong = rt::validate(executable); !wrong.empty())
    rt::fail("the cases' executable is not valid: ", wrong);
  const format::Task &task = executable.stages(0).tasks(0);
  auto sizeOf = [&](uint32_t operand) {
    return task.operands(int(operand)).size();
  };
  // By case, source and rank; by case, target and rank.
  using Values = std::vector<std::vector<std::vector<std::string>>>;
  Values inputs, found;
  std::mt19937_64 random(7);
  for (const Case &one : placed) {
    inputs.emplace_back();
    found.emplace_back(one.targets.size(), std::vector<std::string>(ranks));
    rt::ElementType type = typeOf(one.type);
    for (uint32_t source : one.sources) {
      inputs.back().emplace_back();
      for (int rank = 0; rank < ranks; ++rank)
        inputs.back().back().push_back(
            makeBytes(type, sizeOf(source) / rt::byteSize(type), random));
    }
  }
  rt::RankHost host(executable, backend, {});
  host.onAllRanks([&](int rank) {
    rt::Device &device = host.device(rank);
    rt::Stream &stream = device.mainStream();
    auto at = [&](uint32_t operand) {
      const format::Operand &own = task.operands(int(operand));
      return device.at(own.offset(), rt::spaceOf(own.memory()));
    };
    // Workspaces come last, and the tables among them are not ours to write.
    const format::Stage &stage = executable.stages(0);
    uint64_t end = stage.workspaces_size() ? stage.workspaces(0).offset()
                   : stage.has_tables()    ? stage.tables().offset()
                                           : rt::arenaBytes(stage);
    device.fill(stream, device.at(64), 0xff, 1, end - 64);
    for (size_t i = 0; i < placed.size(); ++i)
      for (size_t k = 0; k < placed[i].sources.size(); ++k)
        device.copyIn(stream, at(placed[i].sources[k]),
                      inputs[i][k][size_t(rank)].data(),
                      inputs[i][k][size_t(rank)].size());
    host.runStep(rank, false);
    for (size_t i = 0; i < placed.size(); ++i)
      for (size_t k = 0; k < placed[i].targets.size(); ++k) {
        std::string &bytes = found[i][k][size_t(rank)];
        bytes.resize(sizeOf(placed[i].targets[k]));
        device.copyOut(stream, bytes.data(), at(placed[i].targets[k]),
                       bytes.size());
      }
    device.wait(stream);
  });

  const rt::Mesh &mesh = host.mesh();
  std::vector<std::string> wrong(placed.size());
  for (size_t i = 0; i < placed.size(); ++i) {
    const Case &one = placed[i];
    rt::ElementType type = typeOf(one.type);
    size_t width = rt::byteSize(type);
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<int> group = mesh.group(rank, one.axes);
      auto own = size_t(std::find(group.begin(), group.end(), rank) -
                        group.begin());
      size_t k = group.size();
      for (size_t part = 0; part < one.n.size(); ++part) {
        std::vector<std::string> sources;
        for (int member : group)
          sources.push_back(inputs[i][part][size_t(member)]);
        uint64_t row = one.n[part] * one.inner * width; // of [outer, n, inner]
        std::vector<std::string> expected;
        if (one.kind == "all_reduce") {
          expected = {combine(type, combiners[indexOf(reductions, one.reduction)],
                              sources)};
        } else if (one.kind == "all_gather") {
          expected = {join(sources, one.outer)};
        } else if (one.kind == "reduce_scatter") {
          std::string sum =
              combine(type, combiners[indexOf(reductions, one.reduction)],
                      sources);
          expected = {cut(sum, one.outer, row * k, own * row, row)};
        } else if (one.kind == "all_to_all") {
          std::vector<std::string> blocks;
          uint64_t length = one.n[part] / k * one.inner,
                   run = one.outer * length / one.concat;
          for (const std::string &source : sources)
            blocks.push_back(cut(one.sourceRows.empty()
                                     ? source
                                     : gather(source, one.sourceRows, length,
                                              one.outer * k, width),
                                 one.outer, row, own * (row / k), row / k));
          expected = {join(blocks, one.concat)};
          if (!one.targetRows.empty()) {
            std::string whole(sizeOf(one.targets[part]), char(0xff));
            scatter(expected[0], one.targetRows, run, width, whole);
            expected = {whole};
          }
        } else if (one.kind == "permute") {
          int64_t from = (int64_t(own) - one.shift) % int64_t(k);
          expected = {sources[size_t(from < 0 ? from + int64_t(k) : from)]};
        } else if (isCopy(one.kind)) {
          expected = {inputs[i][0][size_t(rank)]};
        } else if (one.kind == "fill") {
          std::string bytes;
          for (uint64_t e = 0; e < one.n[0]; ++e)
            bytes.append(reinterpret_cast<const char *>(&one.value), width);
          expected = {bytes};
        } else if (one.kind == "repeat") {
          // In the last turn the block of the next one of the group.
          size_t last = (own + 1) % k;
          int32_t member = int32_t(last);
          expected = {sources[last],
                      std::string(reinterpret_cast<const char *>(&member), 4)};
        } else { // exchange_boxes
          rt::Sharding from = shardingOf(one.from), to = shardingOf(one.to);
          rt::Shard box =
              one.windows.empty()
                  ? rt::shardAt(mesh, to, one.shape, mesh.coordinates(rank))
                  : rt::windowAt(mesh, to, one.windows, one.shape,
                                 mesh.coordinates(rank));
          std::string bytes;
          reference::forEachIndex(box.shape, [&](const reference::Shape &at) {
            std::string element(width, 0); // padding
            for (size_t m = 0; m < k; ++m) {
              rt::Shard held = rt::shardAt(mesh, from, one.shape,
                                           mesh.coordinates(group[m]));
              uint64_t place = 0;
              bool isHere = true;
              for (size_t d = 0; d < at.size(); ++d) {
                int64_t index = at[d] + box.start[d] - held.start[d];
                isHere &= at[d] < box.extent[d] && index >= 0 &&
                          index < held.extent[d];
                place = place * uint64_t(held.shape[d]) + uint64_t(index);
              }
              if (isHere)
                element = sources[m].substr(place * width, width);
            }
            bytes += element;
          });
          expected = {bytes};
        }
        for (size_t e = 0; e < expected.size(); ++e)
          if (found[i][expected.size() > 1 ? e : part][size_t(rank)] !=
              expected[e])
            wrong[i] = rt::text(one.line, ": other bits on rank ", rank);
      }
    }
  }
  return wrong;
}

} // namespace zcc::conformance
