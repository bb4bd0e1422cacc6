// The report and the table have the work that devices repeat; if it is much, a warning says how to divide it.
// RUN: zcc %s --quiet --mesh=data=4 -o %t.zexe --report %t.json 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: zcc %s --mesh=data=4 -o %t.zexe 2>/dev/null | FileCheck %s --check-prefix=TABLE
// RUN: zcc %s --mesh=data=4 --explain plan 2>/dev/null | FileCheck %s --check-prefix=EXPLAIN

// The options are as --shard takes them, and do what they are said to.
// RUN: zcc %s --mesh=data=4 --shard 'cloud=data,-' -o %t.zexe 2>&1 | FileCheck %s --check-prefix=DIVIDED --implicit-check-not=warning: --implicit-check-not=repeated

// A bare mesh does so by itself.
// RUN: zcc %s --mesh=4 -o %t.zexe --explain plan 2>&1 | FileCheck %s --check-prefix=BARE --implicit-check-not=warning:

// A single device repeats no work.
// RUN: zcc %s -o %t.zexe 2>&1 | FileCheck %s --check-prefix=DIVIDED --implicit-check-not=warning: --implicit-check-not=repeated

// WARN: cloud.py:3:7: warning: devices execute 3.9{{[0-9]}} times the model's operations: repeated are 4.{{[0-9]+}} Mflop over data: train.dot_general at cloud.py:3
// WARN: note: what is repeated is divided by --shard 'cloud=data,-': 1.0{{[0-9]}} times, by estimate {{.*}} a step
// WARN-NOT: warning:
// JSON: "flops": {
// JSON-NEXT: "model": {{[0-9.]+}},
// JSON-NEXT: "executed": {{[0-9.]+}},
// JSON-NEXT: "repeated": {{[0-9.]+}},
// JSON-NEXT: "padding": 0.0,
// JSON-NEXT: "added": {{[-0-9.e]+}},
// JSON-NEXT: "recomputed": {{[-0-9.e]+}},
// JSON-NEXT: "repeated_by": [
// JSON-NEXT: {
// JSON-NEXT: "op": "train.dot_general",
// JSON-NEXT: "value": "cloud.py:3",
// JSON-NEXT: "tasks": "{{forward|backward}}",
// JSON-NEXT: "ops": {{[0-9]+}},
// JSON-NEXT: "axes": [
// JSON-NEXT: "data"
// JSON-NEXT: ],
// JSON-NEXT: "times": 4,
// JSON-NEXT: "flops": {{[0-9.]+}}
// TABLE: arithmetic
// TABLE-NEXT: repeated {{ *}}{{.*}}flop over data: train.dot_general at cloud.py:3
// EXPLAIN: repeated: {{.*}}flop, 2{{[0-9.]+}} % of the model's work
// EXPLAIN-NEXT: {{.*}}flop over data: train.dot_general at cloud.py:3
// DIVIDED: arithmetic
// BARE: repeats work: 3.{{[0-9]+}} times the model's
// BARE: data=4, other dims split {{.*}}{{k?}}B
// BARE: {{^ *}}repeated: {{.*}}, 0.{{[0-9]}} % of the model's work

#file = loc("cloud.py":3:7)
func.func @main(%w: tensor<3x64xf32> loc("params['w']"), %w2: tensor<64x16xf32> loc("params['w2']"), %v: tensor<16xf32> loc("params['v']"), %cloud: tensor<200x3xf32> loc("batch['cloud']"), %weight: tensor<8x16xf32> loc("batch['weight']"), %y: tensor<8xf32> loc("batch['y']")) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %cloud, %w, contracting_dims = [1] x [0] : (tensor<200x3xf32>, tensor<3x64xf32>) -> tensor<200x64xf32> loc(#file)
  %1 = stablehlo.tanh %0 : tensor<200x64xf32> loc(#file)
  %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<200x64xf32>, tensor<64x16xf32>) -> tensor<200x16xf32> loc(#file)
  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<200x16xf32>, tensor<f32>) -> tensor<16xf32>
  %4 = stablehlo.multiply %3, %v : tensor<16xf32>
  %5 = stablehlo.dot_general %weight, %4, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8xf32>
  %6 = stablehlo.subtract %5, %y : tensor<8xf32>
  %7 = stablehlo.multiply %6, %6 : tensor<8xf32>
  %8 = stablehlo.reduce(%7 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %8 : tensor<f32>
}
