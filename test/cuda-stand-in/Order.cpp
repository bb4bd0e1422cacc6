// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda-stand-in/Order.h"

#include "runtime/format/Text.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace zcc::standin {

uint32_t Clock::advance(uint32_t stream) {
  if (counts.size() <= stream)
    counts.resize(stream + 1);
  return ++counts[stream];
}

void Clock::join(const Clock &other) {
  if (counts.size() < other.counts.size())
    counts.resize(other.counts.size());
  for (size_t i = 0; i < other.counts.size(); ++i)
    counts[i] = std::max(counts[i], other.counts[i]);
}

Clock &threadClock() {
  static thread_local Clock clock;
  return clock;
}

std::map<std::string, KernelFacts> readKernelFacts(const std::string &file) {
  std::map<std::string, KernelFacts> all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string symbol, first;
    KernelFacts facts;
    words >> symbol >> first;
    if (first == ":") {
      for (std::string part; words >> part;)
        facts.parts.push_back(part);
      all[symbol] = facts;
      continue;
    }
    if (first == "reduces")
      words >> facts.reduced;
    else
      words >> facts.scratch;
    facts.reads = uint32_t(std::strtoul(first.c_str(), nullptr, 10));
    for (uint64_t size; words >> size;)
      facts.sizes.push_back(size);
    all[symbol] = facts;
  }
  return all;
}

void Order::split(uint64_t at) {
  auto after = cells.upper_bound(at);
  if (after == cells.begin())
    return;
  auto cell = std::prev(after);
  if (cell->first == at || cell->second.end <= at)
    return;
  Cell rest = cell->second;
  cell->second.end = at;
  cells.emplace(at, std::move(rest));
}

void Order::forget(uint64_t begin, uint64_t bytes) {
  split(begin);
  split(begin + bytes);
  cells.erase(cells.lower_bound(begin), cells.lower_bound(begin + bytes));
}

std::string Order::use(uint32_t stream, const Clock &clock,
                       const std::string &what, const std::vector<Use> &uses) {
  auto name = std::make_shared<const std::string>(what);
  Call call{stream, clock.of(stream), name};
  std::string wrong;
  auto check = [&](const Call &before, uint64_t at, const char *does,
                   const char *did) {
    // A call does not conflict with its own other operands.
    if (before.count > clock.of(before.stream) && wrong.empty())
      wrong = rt::text(what, " on stream ", stream, " ", does, " byte ", at,
                       ", which ", *before.what, " on stream ", before.stream,
                       " ", did, ", and does not come after it");
  };
  for (const Use &one : uses) {
    uint64_t begin = one.begin, end = begin + one.bytes;
    if (one.bytes == 0)
      continue;
    split(begin);
    split(end);
    // Bytes that nobody has used yet.
    uint64_t at = begin;
    for (auto it = cells.lower_bound(begin); at < end; ++it) {
      uint64_t next = it == cells.end() ? end : std::min(it->first, end);
      if (at < next)
        it = cells.emplace(at, Cell{next, {}, {}}).first;
      at = it->second.end;
    }
    for (auto it = cells.lower_bound(begin);
         it != cells.end() && it->first < end; ++it) {
      Cell &cell = it->second;
      for (const Call &writer : cell.writers)
        check(writer, it->first, one.isWritten ? "writes" : "reads", "writes");
      if (one.isWritten) {
        for (const Call &reader : cell.readers)
          check(reader, it->first, "writes", "reads");
        cell.readers.clear();
        cell.writers = {call};
        continue;
      }
      auto same = std::find_if(
          cell.readers.begin(), cell.readers.end(),
          [&](const Call &reader) { return reader.stream == stream; });
      if (same == cell.readers.end())
        cell.readers.push_back(call);
      else
        *same = call;
    }
  }
  return wrong;
}

} // namespace zcc::standin
