// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a toy program with parameters and a batch into a folder, for tests of
// the zrun program itself: write_toy FOLDER DATA MICROBATCHES STAGES [forward]
// [shard] [streams] [cuda]

#include "Files.h"
#include "Toy.h"

#include "runtime/format/ExecutableFile.h"

#include <cstdio>

using namespace zcc::rt;
using namespace zcc::rt::test;

int main(int argc, char **argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: write_toy FOLDER DATA MICROBATCHES STAGES\n");
    return 2;
  }
  std::string folder = argv[1];
  ToyOptions toy;
  toy.data = std::atoi(argv[2]);
  toy.microbatches = std::atoi(argv[3]);
  toy.stages = std::atoi(argv[4]);
  for (int i = 5; i < argc; ++i) {
    toy.forward |= argv[i] == std::string("forward");
    toy.shardWeights |= argv[i] == std::string("shard");
    toy.streams |= argv[i] == std::string("streams");
    toy.cuda |= argv[i] == std::string("cuda");
  }
  std::string bytes, error = serializeExecutable(makeToy(toy), bytes);
  if (!error.empty()) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    return 1;
  }
  writeFile(folder + "/toy.zexe", bytes);
  std::vector<float> w(16), x(2 * 32);
  for (size_t i = 0; i < w.size(); ++i)
    w[i] = float(i) / 16 - 0.5f;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i * 7 % 32) / 16 - 1;
  std::vector<NamedTensor> parameters;
  for (int s = 1; s <= toy.stages; ++s)
    parameters.push_back(
        tensor("w" + std::to_string(s), ElementType::F32, {4, 4}, w));
  writeTensors(folder + "/params.safetensors", parameters);
  writeTensors(folder + "/batches.safetensors",
               {tensor("x", ElementType::F32, {2, 8, 4}, x),
                tensor("t", ElementType::F32, {2, 8, 4}, x)});
  return 0;
}
