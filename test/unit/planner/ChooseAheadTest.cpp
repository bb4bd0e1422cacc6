// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measuring plans ahead on other threads does not change the choice.
#include "compiler/planner/search/ChoosePlan.h"
#include "test/unit/planner/Plans.h"

using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

namespace {

class ChooseAhead : public Plans {
protected:
  // All plans that were looked at, with their estimates and what is known of
  // other plans.
  std::vector<std::string> choose(int64_t devices, double memory,
                                  size_t &known) {
    DistributeOptions options;
    options.plan.mesh = {{"", devices}};
    options.model = machine;
    options.machine.deviceMemory = memory;
    PlanFigures figures;
    mlir::FailureOr<PlanChoice> choice = choosePlans(*module, options, figures);
    std::vector<std::string> out;
    if (mlir::failed(choice))
      return out;
    for (const Candidate &plan : choice->considered)
      out.push_back(plan.label() + " " + plan.plan.schedule.print() + " " +
                    std::to_string(plan.figures.overlapped() * 1e9) + " " +
                    std::to_string(plan.figures.bytes()));
    for (const Candidate &plan : choice->best)
      out.push_back("best " + plan.label());
    known = figures.figures.size();
    return out;
  }
};

TEST_F(ChooseAhead, ThreadsDoNotChangeTheChoice) {
  for (int64_t devices : {4, 8, 64})
    for (double memory : {1e9, 4e5}) {
      parse(4096, 512);
      std::vector<std::string> found[2];
      size_t known[2];
      for (bool threads : {false, true}) {
        context.enableMultithreading(threads);
        found[threads] = choose(devices, memory, known[threads]);
      }
      ASSERT_GT(found[0].size(), 2u) << devices << " " << memory;
      EXPECT_EQ(found[0], found[1]) << devices << " " << memory;
      EXPECT_EQ(known[0], known[1]) << devices << " " << memory;
    }
}

} // namespace
