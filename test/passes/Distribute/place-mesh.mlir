// RUN: zcc-opt --zcc-place-mesh="axes=data=4" %s | FileCheck %s
// RUN: zcc-opt --zcc-place-mesh="axes=4" %s | FileCheck %s
// RUN: zcc-opt --zcc-place-mesh %s | FileCheck %s --check-prefix=ONE
// RUN: zcc-opt --zcc-place-mesh="axes=data=2,tensor=4 microbatches=3" %s | FileCheck %s --check-prefix=MICRO
// RUN: zcc-opt --zcc-place-mesh="axes=pipe=2" %s 2>&1 | FileCheck %s --check-prefix=PIPE
// RUN: not zcc-opt --zcc-place-mesh="axes=micro=2" %s 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: not zcc-opt --zcc-place-mesh="axes=data=0" %s 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not zcc-opt --zcc-place-mesh="axes=8,64" %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: zcc-opt --zcc-place-mesh="axes=4" %s | not zcc-opt --zcc-place-mesh="axes=2" 2>&1 | FileCheck %s --check-prefix=OTHER

// A number alone is the data axis; no axes are one device.
// CHECK: dist.mesh @mesh [#dist.axis<"data" = 4>]
// ONE: dist.mesh @mesh [#dist.axis<"data" = 1>]
// Microbatches come first: rows are split over time, then over devices.
// MICRO: dist.mesh @mesh [#dist.axis<"micro" = 3 temporal>, #dist.axis<"data" = 2>, #dist.axis<"tensor" = 4>]
// PIPE: dist.mesh @mesh [#dist.axis<"pipe" = 2>]
// TIME: error: mesh axis 'micro': microbatches are no devices
// ZERO: error: mesh axis 'data=0': expected NAME=SIZE with a size of at least 1
// TWICE: error: mesh axis 'data' stands twice
// OTHER: error: the text has the mesh [#dist.axis<"data" = 4>], the options ask for [#dist.axis<"data" = 2>]
module {}
