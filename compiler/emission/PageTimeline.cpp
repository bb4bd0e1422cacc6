// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emission/PageTimeline.h"
#include "compiler/emission/NameGroup.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace zcc {

using Json = nlohmann::ordered_json;

/// Returns the spans with short ones joined to spans of about that length.
static std::vector<LaneSpan> joinShort(llvm::ArrayRef<LaneSpan> spans,
                                       double shortest) {
  std::vector<LaneSpan> out;
  auto length = [](const LaneSpan &span) { return span.end - span.begin; };
  for (const LaneSpan &span : spans) {
    bool joins = !out.empty() && length(span) < shortest &&
                 length(out.back()) < shortest &&
                 span.begin - out.back().end < shortest;
    if (!joins) {
      out.push_back(span);
      continue;
    }
    LaneSpan &last = out.back();
    if (span.longest->seconds > last.longest->seconds)
      last.longest = span.longest;
    last.end = std::max(last.end, span.end);
    last.busy += span.busy;
    last.count += span.count;
  }
  return out;
}

Lanes gatherLanes(llvm::ArrayRef<PredictedSpan> spans, size_t most) {
  std::map<std::pair<int64_t, int64_t>, std::vector<LaneSpan>> byStream;
  double end = 0;
  for (const PredictedSpan &span : spans) {
    double until = span.begin + span.seconds;
    byStream[{span.rank, span.stream}].push_back(
        {&span, span.begin, until, span.seconds, 1});
    end = std::max(end, until);
  }
  Lanes out;
  for (auto &[place, own] : byStream) {
    llvm::stable_sort(own, [](const LaneSpan &a, const LaneSpan &b) {
      return a.begin < b.begin;
    });
    out.lanes.push_back({place.first, place.second, std::move(own)});
  }
  auto count = [&] {
    size_t sum = 0;
    for (const Lane &lane : out.lanes)
      sum += lane.spans.size();
    return sum;
  };
  // Doubling ends: at the length of the step a lane is a single span.
  constexpr double first = 1e-6;
  for (double part = first; count() > most && part < 4; part *= 2) {
    out.shortest = end * part;
    for (Lane &lane : out.lanes)
      lane.spans = joinShort(lane.spans, out.shortest);
  }
  return out;
}

std::string writeLanes(const Lanes &lanes) {
  constexpr size_t mostOfName = 120;
  std::map<std::string, int64_t> numbers;
  Json names = Json::array();
  auto numberOf = [&](const std::string &name) {
    std::string text = shorten(name, mostOfName);
    auto [at, isNew] =
        numbers.insert({text, static_cast<int64_t>(names.size())});
    if (isNew)
      names.push_back(text);
    return at->second;
  };
  Json list = Json::array();
  for (const Lane &lane : lanes.lanes) {
    Json begins = Json::array(), lengths = Json::array(),
         labels = Json::array(), places = Json::array(),
         microbatches = Json::array(), joined = Json::object();
    int64_t at = 0;
    bool hasMicrobatches = false;
    for (auto [i, span] : llvm::enumerate(lane.spans)) {
      int64_t begin = std::llround(span.begin * 1e9),
              length = std::llround((span.end - span.begin) * 1e9);
      begins.push_back(begin - at);
      lengths.push_back(length);
      at = begin + length;
      labels.push_back(numberOf(span.longest->name));
      places.push_back(
          span.longest->value.empty() ? -1 : numberOf(span.longest->value));
      microbatches.push_back(span.longest->microbatch);
      hasMicrobatches |= span.longest->microbatch >= 0;
      if (span.count > 1)
        joined[std::to_string(i)] = {span.count, std::llround(span.busy * 1e9)};
    }
    Json &own = list.emplace_back(Json{{"rank", lane.rank},
                                       {"stream", lane.stream},
                                       {"begin", std::move(begins)},
                                       {"length", std::move(lengths)},
                                       {"name", std::move(labels)},
                                       {"value", std::move(places)},
                                       {"joined", std::move(joined)}});
    if (hasMicrobatches)
      own["microbatch"] = std::move(microbatches);
  }
  Json out = {{"names", std::move(names)},
              {"shortest", std::llround(lanes.shortest * 1e9)},
              {"lanes", std::move(list)}};
  // Names come from files and may not be UTF-8.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace zcc
