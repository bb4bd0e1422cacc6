// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine descriptions: those that zcc knows, the reader's errors and their
// places, and a device's share of a node.
#include "planning/Machine.h"
#include "planning/CostModel.h"
#include <gtest/gtest.h>
#include <random>
#include <regex>
#include <sstream>

using namespace zcc;
using namespace zcc::planning;

static Machine get(const std::string &name) {
  Machine machine;
  EXPECT_EQ(parseMachine(getMachineText(name), name, machine), "");
  return machine;
}

TEST(Machine, AllKnownOnesReadBackAsPrinted) {
  std::vector<std::string> names = getMachineNames();
  ASSERT_GE(names.size(), 4u);
  for (const std::string &name : names) {
    Machine machine = get(name), again;
    EXPECT_EQ(machine.name, name);
    std::string text = printMachine(machine);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(parseMachine(text, "printed", again), "");
    EXPECT_EQ(printMachine(again), text);
    EXPECT_GT(machine.bytesPerDevice(64), 30e9);
    EXPECT_EQ(machine.links.size(), 2u);
  }
  EXPECT_TRUE(getMachineText("h100").empty());
}

TEST(Machine, FiguresOfH100AreTheVendors) {
  Machine machine = get("h100-dgx");
  EXPECT_EQ(machine.devicesPerNode, 8);
  EXPECT_EQ(machine.findPeak("bf16")->flops, 989.4e12);
  EXPECT_EQ(machine.findPeak("f32")->vectorFlops, 66.9e12);
  EXPECT_EQ(machine.findMemory(MemorySpace::Device)->bytes, 80e9);
  EXPECT_EQ(machine.findMemory(MemorySpace::Device)->bandwidth, 3.35e12);
  EXPECT_EQ(machine.links[0].bandwidth, 450e9);
  EXPECT_EQ(machine.links[0].latency, 3.4e-6);
  EXPECT_EQ(machine.links[1].bandwidth, 50e9);
  // Programs cannot use the memory that libraries hold; devices don't share.
  EXPECT_EQ(machine.bytesPerDevice(1), 80e9 - machine.libraryBytes);
  EXPECT_EQ(machine.bytesPerDevice(512), machine.bytesPerDevice(1));
  // They do share the host's memory and the disks.
  EXPECT_EQ(machine.bytesPerDevice(512, MemorySpace::Host), 2e12 / 8);
  EXPECT_EQ(machine.bytesPerDevice(4, MemorySpace::Disk), 30.72e12 / 4);
  EXPECT_EQ(machine.getFacts(512).deviceMemory, machine.bytesPerDevice(1));
  // A type without a figure has that of f32.
  EXPECT_EQ(get("v100-dgx2").flopsPerDevice("bf16", 1), 15.7e12);
  EXPECT_LT(machine.findPeak("bf16")->sustained, 1);
  EXPECT_GT(machine.published.rows, 0);
  EXPECT_LT(machine.published.low, machine.published.high);
}

TEST(Machine, NvmeStandsForDisk) {
  for (const char *name : {"disk", "nvme"}) {
    Machine machine;
    ASSERT_EQ(parseMachine(std::string(R"(name: "m" devices_per_node: 1
        peaks { type: "f32" flops: 1e12 }
        memories { name: "device" bytes: 8e9 bandwidth: 1e12 }
        memories { bytes: 4e12 bandwidth: 7e9 latency: 1e-4 name: ")") +
                               name + "\" }",
                           name, machine),
              "");
    const MachineMemory *disk = machine.findMemory(MemorySpace::Disk);
    ASSERT_NE(disk, nullptr);
    EXPECT_EQ(disk->bytes, 4e12);
    EXPECT_EQ(disk->bandwidth, 7e9);
    EXPECT_EQ(machine.findMemory(MemorySpace::Host), nullptr);
    std::string text = printMachine(machine);
    EXPECT_NE(text.find("name: \"disk\""), std::string::npos) << text;
    EXPECT_EQ(text.find("nvme"), std::string::npos) << text;
  }
}

TEST(Machine, RanksOnCpusShareTheNode) {
  Machine machine;
  ASSERT_EQ(parseMachine(R"(name: "cpus" ranks_share_node: true
      peaks { type: "f32" flops: 2e12 }
      memories { name: "device" bytes: 64e9 })",
                         "cpus", machine),
            "");
  EXPECT_EQ(machine.bytesPerDevice(8), 8e9);
  EXPECT_EQ(machine.flopsPerDevice("f32", 4), 0.5e12);
  machine.devicesPerNode = 2; // the rest is on other nodes
  EXPECT_EQ(machine.bytesPerDevice(8), 32e9);
  EXPECT_EQ(machine.bytesPerDevice(1), 64e9);
}

// A description with one thing wrong, and the error.
struct Wrong {
  const char *text, *error;
};

#define MULTIPROCESSOR(CLOCK, CACHE_LATENCY)                                   \
  "multiprocessor { " CLOCK " issue: 4 threads: 2048 blocks: 32\n"             \
  "registers: 65536 shared_bytes: 2e5 memory_latency: 1e-6 "                   \
  "cache_latency: " CACHE_LATENCY " }\n"

class MachineErrors : public testing::TestWithParam<Wrong> {};

TEST_P(MachineErrors, AreAtTheField) {
  const std::string good =
      "name: \"m\"\n"
      "devices_per_node: 1\n"
      "peaks { type: \"f32\" flops: 1e12 }\n"
      "memories { name: \"device\" bytes: 8e9 bandwidth: 1e12 }\n";
  Machine machine;
  ASSERT_EQ(parseMachine(good, "m", machine), "");
  EXPECT_EQ(parseMachine(good + GetParam().text, "m", machine),
            std::string("m:") + GetParam().error + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Machine, MachineErrors,
    testing::Values(
        Wrong{"peaks { type: \"bf16\" flops: -1e12 }",
              "5:22: error: peaks.flops: expected operations a second between "
              "1e+09 and 5e+17, found -1e+12"},
        Wrong{"peaks { type: \"bf16\" flops: 989.4 }", // TFLOP/s
              "5:22: error: peaks.flops: expected operations a second between "
              "1e+09 and 5e+17, found 989.4"},
        Wrong{"peaks { type: \"bf16\" }",
              "5:1: error: peaks.flops: expected operations a second between "
              "1e+09 and 5e+17, found none"},
        Wrong{"peaks { type: \"f32\" flops: 1e12 }",
              "5:9: error: peaks.type: 'f32' stands twice"},
        Wrong{"peaks { type: \"fp8\" flops: 1e12 }",
              "5:9: error: peaks.type: expected one of f64, f32, tf32, bf16, "
              "f16, f8, i8, found 'fp8'"},
        Wrong{"memories { name: \"host\" bytes: 2 bandwidth: 64e9 }",
              "5:25: error: memories.bytes: expected bytes between 1e+06 and "
              "1e+15, found 2"},
        Wrong{"memories { name: \"host\" bytes: 2e12 }",
              "5:1: error: memories.bandwidth: expected bytes a second between "
              "1e+06 and 1e+15, found none"},
        Wrong{"links { name: \"a\" latency: 3.4 bandwidth: 1e9 }",
              "5:19: error: links.latency: expected seconds between 0 and "
              "0.1, found 3.4"},
        Wrong{"links { name: \"a\" bandwidth: 1e9 latency: 0 devices: 8 }",
              "5:45: error: links.devices: expected none: the last link "
              "connects all devices"},
        Wrong{"links { name: \"a\" latency: 0 bandwidth: 1e9 efficiency: 80 }",
              "5:45: error: links.efficiency: expected a share of the figure "
              "between 0.001 and 1, found 80"},
        Wrong{"links { name: \"a\" latency: 0 bandwidth: 1e9 tree_efficiency: "
              "9 }",
              "5:45: error: links.tree_efficiency: expected a share of the "
              "ring's bandwidth between 0.01 and 1, found 9"},
        Wrong{"links { name: \"a\" latency: 0 bandwidth: 1e9 units: 70 }\n"
              "units: 132",
              "5:45: error: links.units: expected units, at most half of a "
              "device's, between 0 and 66, found 70"},
        Wrong{"links { name: \"a\" latency: 0 bandwidth: 1e9 units: 1 }",
              "5:45: error: links.units: expected units, at most half of a "
              "device's, between 0 and 0, found 1"},
        // Figures that contradict each other.
        Wrong{"peaks { type: \"f16\" flops: 2e12 vector_flops: 3e12 }",
              "5:33: error: peaks.vector_flops: expected no more operations a "
              "second than flops, which is 2e+12, found 3e+12"},
        Wrong{"peaks { type: \"f16\" flops: 2e12\n"
              "  products { m: 64 n: 64 k: 64 efficiency: 1.1 } }",
              "6:32: error: products.efficiency: expected a share of the peak "
              "between 1e-06 and 1, found 1.1"},
        Wrong{"peaks { type: \"f16\" flops: 2e12 sustained: 1.5 }",
              "5:33: error: peaks.sustained: expected a share of flops between "
              "0.05 and 1, found 1.5"},
        Wrong{"peaks { type: \"f16\" flops: 2e12 attention: 2\n"
              "  attention_backward: 0.4 }",
              "5:33: error: peaks.attention: expected a share of flops between "
              "0.001 and 1, found 2"},
        Wrong{"peaks { type: \"f16\" flops: 2e12 attention: 0.5 }",
              "5:33: error: peaks.attention: expected both attention and "
              "attention_backward, found one"},
        Wrong{"published { low: -0.1 high: 0.1 }",
              "5:1: error: published.rows: expected measured steps between 1 "
              "and 1e+06, found none"},
        Wrong{"published { rows: 0 low: -0.1 high: 0.1 }",
              "5:13: error: published.rows: expected measured steps between 1 "
              "and 1e+06, found 0"},
        Wrong{"published { rows: 3 low: -0.1 }",
              "5:1: error: published.high: expected an error relative to the "
              "measured step between -0.99 and 100, found none"},
        Wrong{"published { rows: 3 low: 0.1 high: -0.1 }",
              "5:21: error: published.low: expected no more than high, found "
              "more"},
        Wrong{"links { name: \"a\" latency: 0 bandwidth: 1e9 sharers: 0 }",
              "5:45: error: links.sharers: expected devices between 1 and "
              "65536, found 0"},
        Wrong{"links { name: \"a\" latency: 0 bandwidth: 1e9 "
              "scale_efficiency: 0.2 }",
              "5:45: error: links.scale_efficiency: expected a share of the "
              "bandwidth, a doubling, between 0.5 and 1, found 0.2"},
        Wrong{"dispatch_seconds: 70", "5:1: error: dispatch_seconds: expected "
                                      "seconds between 0 and 0.1, found 70"},
        Wrong{"skew_seconds: -1", "5:1: error: skew_seconds: expected seconds "
                                  "between 0 and 0.1, found -1"},
        Wrong{"launch_seconds: 4", "5:1: error: launch_seconds: expected "
                                   "seconds between 0 and 0.1, found 4"},
        Wrong{"library_bytes: 5e9", "5:1: error: library_bytes: expected bytes "
                                    "between 0 and 4e+09, found 5e+09"},
        Wrong{"peaks { type: \"f16\" flops: 1e12\n"
              "  products { m: 64 n: 64 efficiency: 1 } }",
              "6:3: error: products.k: expected elements between 1 and "
              "1.07374e+09, found none"},
        Wrong{"peaks { type: \"f16\" flops: 1e12 transcendentals: nan }",
              "5:33: error: peaks.transcendentals: expected functions a second "
              "between 100000 and 5e+17, found nan"},
        Wrong{"memories { name: \"host\" bytes: 2e12 bandwidth: 64e9\n"
              "  samples { bytes: 1e6 rate: 1e9 } }",
              "6:3: error: memories.samples: expected none: only 'device' has "
              "caches"},
        Wrong{"memories { name: \"tape\" bytes: 2e12 bandwidth: 64e9 }",
              "5:12: error: memories.name: expected one of device, host, disk, "
              "found 'tape'"},
        Wrong{"memories { name: \"disk\" bytes: 2e12 bandwidth: 64e9 }\n"
              "memories { name: \"nvme\" bytes: 2e12 bandwidth: 64e9 }",
              "6:12: error: memories.name: 'disk' stands twice"},
        Wrong{"memories { name: \"disk\" bytes: 2e12 bandwidth: 64e9\n"
              "  local_bandwidth: 1e9 }",
              "6:3: error: memories.local_bandwidth: expected none: only "
              "'host' has cores"},
        // More than any machine of the next ten years has.
        Wrong{"peaks { type: \"f8\" flops: 1e18 }",
              "5:20: error: peaks.flops: expected operations a second between "
              "1e+09 and 5e+17, found 1e+18"},
        Wrong{"memories { name: \"host\" bytes: 1e18 bandwidth: 64e9 }",
              "5:25: error: memories.bytes: expected bytes between 1e+06 and "
              "1e+15, found 1e+18"},
        Wrong{"memories { name: \"disk\" bytes: 1e18 bandwidth: 64e9 }",
              "5:25: error: memories.bytes: expected bytes between 1e+06 and "
              "1e+17, found 1e+18"},
        Wrong{"links { name: \"a\" latency: 1 bandwidth: 1e9 }",
              "5:19: error: links.latency: expected seconds between 0 and "
              "0.1, found 1"},
        // Less.
        Wrong{"peaks { type: \"f8\" flops: 1e6 }",
              "5:20: error: peaks.flops: expected operations a second between "
              "1e+09 and 5e+17, found 1e+06"},
        Wrong{"units: 0", "5:1: error: units: expected units between 1 and "
                          "65536, found 0"},
        Wrong{MULTIPROCESSOR("clock: 1.5e9", "0.5e-6"),
              "5:1: error: multiprocessor: expected their number, units, too, "
              "found none"},
        Wrong{MULTIPROCESSOR("clock: 1.5", "0.5e-6") "units: 2",
              "5:18: error: multiprocessor.clock: expected cycles a second "
              "between 1e+08 and 1e+11, found 1.5"}, // GHz
        Wrong{MULTIPROCESSOR("", "0.5e-6") "units: 2",
              "5:1: error: multiprocessor.clock: expected cycles a second "
              "between 1e+08 and 1e+11, found none"},
        Wrong{MULTIPROCESSOR("clock: 1.5e9", "2e-6") "units: 2",
              "6:57: error: multiprocessor.cache_latency: expected no more "
              "seconds than memory_latency, which is 1e-06, found 2e-06"},
        Wrong{MULTIPROCESSOR("clock: 1.5e9",
                             "0.5e-6") "units: 2 ranks_share_node: true",
              "5:1: error: multiprocessor: expected none: ranks on cores have "
              "no multiprocessors"},
        Wrong{"colour: 3",
              "5:7: error: \"Machine\" has no field named \"colour\""}));

TEST(Machine, DevicesOfANodeNeedALink) {
  const std::string node = "name: \"m\"\ndevices_per_node: 8\n"
                           "peaks { type: \"f32\" flops: 1e12 }\n"
                           "memories { name: \"device\" bytes: 8e9 "
                           "bandwidth: 1e12 }\n";
  Machine machine;
  EXPECT_EQ(parseMachine(node, "m", machine),
            "m:2:1: error: devices_per_node: expected a link that connects "
            "the 8 devices, found no links\n");
  EXPECT_EQ(
      parseMachine(node + "links { name: \"a\" latency: 0 bandwidth: 1e9 }",
                   "m", machine),
      "");
  // Memory does so.
  EXPECT_EQ(parseMachine(node + "ranks_share_node: true", "m", machine), "");
}

// Small kernels may find their bytes in caches, large ones may not.
TEST(Machine, MeasuredBandwidthIsNotAboveThatOfTheMemory) {
  const std::string device =
      "name: \"m\" devices_per_node: 1\n"
      "peaks { type: \"f32\" flops: 1e12 }\n"
      "memories { name: \"device\" bytes: 8e9 bandwidth: 1e12\n"
      "  samples { bytes: 1e6 rate: 4e12 }\n";
  Machine machine;
  EXPECT_EQ(parseMachine(device + "  samples { bytes: 1e9 rate: 9e11 } }", "m",
                         machine),
            "");
  EXPECT_EQ(parseMachine(device + "  samples { bytes: 1e9 rate: 2e12 } }", "m",
                         machine),
            "m:5:24: error: samples.rate: expected no more bytes a second "
            "than bandwidth, which is 1e+12, found 2e+12\n");
}

TEST(Machine, SamplesAscend) {
  Machine machine;
  EXPECT_EQ(parseMachine("name: \"m\" ranks_share_node: true\n"
                         "memories { name: \"device\" bytes: 8e9\n"
                         "  samples { bytes: 1e6 rate: 1e12 }\n"
                         "  samples { bytes: 1e6 rate: 1e11 } }",
                         "m", machine),
            "m:4:13: error: samples.bytes: expected more than those of the "
            "sample before, found no more\n");
}

// Whatever the damage: an error with a place, or a machine that gives figures.
TEST(Machine, DamagedDescriptionsGiveErrorsOrFigures) {
  const std::string measured = R"(name: "m" ranks_share_node: true units: 2
      peaks { type: "f32" flops: 3e11 vector_flops: 2e11 transcendentals: 3e9
              prologues: 1e9
              transposed_prologues { bytes: 64 rate: 1e9 }
              transposed_prologues { bytes: 4096 rate: 2e8 }
              products { m: 64 n: 64 k: 64 efficiency: 0.3 }
              products { batch: 4 m: 9 n: 6 k: 4 efficiency: 0.1 } }
      memories { name: "device" bytes: 2e10 bandwidth: 4e10
                 samples { bytes: 4e4 rate: 1e11 }
                 samples { bytes: 1e8 rate: 4e10 } }
      links { name: "memory" latency: 3e-7 bandwidth: 2e10 }
      launch_seconds: 4e-7 fork_seconds: 8e-7 switch_seconds: 4e-5)";
  const std::string texts[] = {std::string(getMachineText("h100-dgx")),
                               measured};
  const char *const pieces[] = {
      "-",   "1e300",  "nan", "inf",  "0",
      "{",   "}",      "\"",  "name", ":",
      "\n",  "1e-300", "99",  "\xff", "peaks { type: \"f8\" }",
      "k: 9"};
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    std::string text = texts[i % 2];
    for (unsigned n = random() % 3 + 1; n > 0; --n) {
      size_t at = random() % text.size();
      std::string piece = pieces[random() % std::size(pieces)];
      text.replace(at, random() % 12, random() % 3 ? piece : "");
    }
    Machine machine;
    std::string errors = parseMachine(text, "m", machine);
    refused += !errors.empty();
    std::istringstream lines(errors);
    for (std::string line; std::getline(lines, line);)
      EXPECT_TRUE(std::regex_search(line, std::regex("^m:[0-9]+:[0-9]+: "
                                                     "error: .")))
          << line << "\n"
          << text;
    if (!errors.empty())
      continue;
    CostModel model(machine, 16);
    for (double seconds :
         {model.kernelSeconds({1e6, 1e6, 1e6}),
          model.productSeconds("f32", {1, 64, 64, 64}, 1e6),
          model.collectiveSeconds({CollectiveKind::AllReduce, {{16, 1}}, 1e6})})
      EXPECT_TRUE(seconds > 0 && seconds < 1e6) << seconds << "\n" << text;
  }
  EXPECT_GE(refused, 300);
}

TEST(Machine, MissingPartsAreSaidTogether) {
  Machine machine;
  EXPECT_EQ(parseMachine("", "m", machine),
            "m:1:1: error: name: expected a name, found ''\n"
            "m:1:1: error: devices_per_node: expected devices between 1 and "
            "65536, found none\n"
            "m:1:1: error: peaks: expected one of type f32, found none\n"
            "m:1:1: error: memories: expected one named device, found none\n");
}
