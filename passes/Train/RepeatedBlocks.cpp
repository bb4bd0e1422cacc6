// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops, as a text of hashes, have a period if blocks repeat. The search
// finds the longest stretch in which every op equals the one a period later.
// Blocks begin at the offset into the period at which the fewest bytes are
// alive. Among equal offsets it takes the one where most ops were computed only
// for the live values (the product before a sum: its own result is read by
// nobody else). The parts before and after the stretch are searched in the same
// way (an encoder and its decoder, the stages of a convolutional network).
#include "passes/Train/RepeatedBlocks.h"
#include "dialects/Train/OpCost.h"
#include "dialects/Train/Train.h"
#include "llvm/ADT/Hashing.h"
#include <cmath>
#include <map>
#include <unordered_map>

using namespace mlir;
using namespace zcc;

namespace {
// The most periods that are tried, by the distances between equal ops.
constexpr size_t maxPeriods = 24;
// Numbers of bytes count as equal up to this factor.
constexpr double equalBytes = 1.01;

struct Stretch {
  size_t begin = 0, end = 0, period = 0;
  size_t length() const { return end - begin; }
};

class Blocks {
public:
  Blocks(ArrayRef<Operation *> list, function_ref<bool(Value)> isFree,
         function_ref<double(Value)> bytes, unsigned together)
      : together(together), all(list.begin(), list.end()) {
    for (Operation *op : list)
      if (op->getNumResults() != 0 && !llvm::all_of(op->getResults(), isFree)) {
        ops.push_back(op);
        hashes.push_back(hash(op));
      }
    findLives(isFree, bytes);
  }

  DenseSet<Value> run() {
    std::vector<size_t> cuts;
    if (!cutStretches(0, ops.size(), cuts))
      cutEvenly(cuts);
    std::sort(cuts.begin(), cuts.end());
    DenseSet<Value> out;
    for (const Life &life : lives) {
      auto cut = std::upper_bound(cuts.begin(), cuts.end(), life.made);
      if (cut != cuts.end() && *cut <= life.lastUse)
        out.insert(life.value);
    }
    return out;
  }

private:
  struct Life {
    Value value;
    size_t made, lastUse;
  };

  static uint64_t hash(Operation *op) {
    auto types = [](TypeRange range) {
      return llvm::hash_combine_range(range.begin(), range.end());
    };
    // The names and reasons of collectives differ between layers, so only their
    // axes count.
    Attribute properties = isa<train::TrainDialect>(op->getDialect())
                               ? op->getPropertiesAsAttribute()
                               : op->getAttr("axes");
    return static_cast<size_t>(llvm::hash_combine(op->getName(), properties,
                                                  types(op->getOperandTypes()),
                                                  types(op->getResultTypes())));
  }

  // Returns the value that a view shows.
  static Value base(Value v) {
    while (Operation *op = v.getDefiningOp()) {
      if (!isa<train::ReshapeOp, train::BroadcastOp>(op))
        break;
      v = op->getOperand(0);
    }
    return v;
  }

  // Computes alive[i], the bytes made before the i-th op that it or later ones
  // read.
  void findLives(function_ref<bool(Value)> isFree,
                 function_ref<double(Value)> bytes) {
    DenseMap<Value, size_t> index;
    for (auto [i, op] : llvm::enumerate(ops)) {
      for (Value operand : op->getOperands())
        if (auto at = index.find(base(operand)); at != index.end())
          lives[at->second].lastUse = i;
      for (Value result : op->getResults())
        if (base(result) == result && !isFree(result)) {
          index[result] = lives.size();
          lives.push_back({result, i, i});
        }
    }
    std::vector<double> change(ops.size() + 2, 0);
    for (const Life &life : lives) {
      change[life.made + 1] += bytes(life.value);
      change[life.lastUse + 1] -= bytes(life.value);
    }
    double sum = 0;
    for (size_t i = 0; i <= ops.size(); ++i)
      alive.push_back(sum += change[i]);
  }

  static bool isProduct(Operation *op) {
    return isa<train::DotGeneralOp, train::ConvolutionOp>(op);
  }

  // Returns the longest stretch of that period in [begin, end).
  Stretch findStretch(size_t begin, size_t end, size_t period) const {
    Stretch best;
    for (size_t i = begin; i + period < end;) {
      size_t start = i;
      bool products = false;
      while (i + period < end && hashes[i] == hashes[i + period])
        products |= isProduct(ops[i++]);
      if (products && i - start >= period && i - start + period > best.length())
        best = {start, i + period, period};
      if (i == start)
        ++i;
    }
    return best;
  }

  Stretch findStretch(size_t begin, size_t end) const {
    std::unordered_map<uint64_t, size_t> last;
    std::map<size_t, size_t> distances;
    for (size_t i = begin; i < end; ++i) {
      auto [at, isNew] = last.insert({hashes[i], i});
      if (!isNew) {
        ++distances[i - at->second];
        at->second = i;
      }
    }
    // Number of occurrences, period.
    std::vector<std::pair<size_t, size_t>> common;
    for (auto [period, times] : distances)
      common.push_back({times, period});
    std::sort(common.begin(), common.end(), [](const auto &a, const auto &b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    if (common.size() > maxPeriods)
      common.resize(maxPeriods);
    Stretch best;
    for (auto [times, period] : common) {
      Stretch found = findStretch(begin, end, period);
      // Multiples of a period cover nearly as much.
      double more = found.period < best.period ? 0.95 : 1.05;
      if (found.length() > more * best.length())
        best = found;
    }
    return best;
  }

  static double weight(Operation *op) {
    train::OpCost cost = train::getCost(op);
    double sum = cost.additions + cost.functions * train::functionWeight;
    for (const train::OpCost::Product &product : cost.products)
      sum += product.share * double(product.batch) * double(product.m) *
             double(product.n) * double(product.k);
    return sum;
  }

  // Returns the cost of ops that need not run again if the values alive at the
  // i-th op are kept: those that lead only to these values.
  double findSpared(size_t i) const {
    DenseSet<Operation *> spared;
    SmallVector<Operation *> open;
    for (const Life &life : lives)
      if (life.made < i && i <= life.lastUse)
        open.push_back(life.value.getDefiningOp());
    double sum = 0;
    while (!open.empty()) {
      Operation *op = open.pop_back_val();
      if (!spared.insert(op).second)
        continue;
      sum += weight(op);
      for (Value operand : op->getOperands())
        if (Operation *from = operand.getDefiningOp();
            from && all.contains(from) &&
            llvm::all_of(from->getUsers(), [&](Operation *user) {
              return spared.contains(user);
            }))
          open.push_back(from);
    }
    return sum;
  }

  size_t findOffset(const Stretch &stretch) const {
    // Blocks are alike, except for the neighbors of the outermost ones.
    size_t middle =
        stretch.begin + stretch.length() / stretch.period / 2 * stretch.period;
    ArrayRef<double> bytes =
        ArrayRef<double>(alive).slice(middle, stretch.period);
    double least = *llvm::min_element(bytes), most = -1;
    size_t best = 0;
    for (size_t o = 0; o < stretch.period; ++o)
      if (bytes[o] <= equalBytes * least)
        if (double spared = findSpared(middle + o); spared > most) {
          most = spared;
          best = o;
        }
    return best;
  }

  bool cutStretches(size_t begin, size_t end, std::vector<size_t> &cuts) const {
    Stretch stretch = findStretch(begin, end);
    if (stretch.period == 0)
      return false;
    size_t offset = findOffset(stretch);
    size_t first = stretch.begin + offset,
           blocks = (stretch.end - first) / stretch.period,
           last = first + blocks * stretch.period;
    for (size_t block = 0; block < blocks; block += together)
      cuts.push_back(first + block * stretch.period);
    cuts.push_back(last);
    cutStretches(begin, first, cuts);
    cutStretches(last, end, cuts);
    return true;
  }

  // Makes one cut in each of sqrt N parts, where the fewest bytes are alive.
  void cutEvenly(std::vector<size_t> &cuts) const {
    size_t parts = static_cast<size_t>(std::sqrt(double(ops.size())));
    for (size_t k = 1; k < parts; ++k) {
      size_t size = ops.size() / parts;
      size_t from = k * ops.size() / parts - size / 2;
      size_t best = from;
      for (size_t i = from; i < from + size && i < ops.size(); ++i)
        if (alive[i] < alive[best])
          best = i;
      cuts.push_back(best);
    }
  }

  size_t together;              // blocks from one cut to the next
  DenseSet<Operation *> all;    // the forward pass
  std::vector<Operation *> ops; // those that are not free
  std::vector<uint64_t> hashes;
  std::vector<Life> lives; // ascending in `made`
  std::vector<double> alive;
};
} // namespace

DenseSet<Value> zcc::valuesBetweenBlocks(ArrayRef<Operation *> ops,
                                         function_ref<bool(Value)> isFree,
                                         function_ref<double(Value)> bytes,
                                         unsigned together) {
  return Blocks(ops, isFree, bytes, together).run();
}
