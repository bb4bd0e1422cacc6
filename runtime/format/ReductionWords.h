/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The argument of a kernel that reduces for collectives of GPUs (see
 * format.ReductionKernel): words of 64 bits in the device's memory, whose
 * address is its one parameter. Element e of the target is the reduction, in
 * the order of the sources, of element e / row * pitch + e % row of each. In C,
 * so that tests can write kernels by hand. */

#ifndef ZCC_RUNTIME_FORMAT_REDUCTIONWORDS_H
#define ZCC_RUNTIME_FORMAT_REDUCTIONWORDS_H

enum ZccReductionWord {
  zccReductionTarget,  /* its address */
  zccReductionCount,   /* elements of the target */
  zccReductionVectors, /* vectors of 16 bytes at the target's begin; if there
                          are any, rows are whole vectors, and target and
                          sources begin at multiples of 16 bytes */
  zccReductionRow,     /* elements */
  zccReductionPitch,   /* elements of a source from row to row */
  zccReductionThreads, /* of the whole launch */
  zccReductionSources, /* how many, at least one; their addresses follow */
  zccReductionWords
};

enum { zccReductionVectorBytes = 16 };

#endif /* ZCC_RUNTIME_FORMAT_REDUCTIONWORDS_H */
