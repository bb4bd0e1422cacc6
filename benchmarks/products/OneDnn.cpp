// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmarks/products/OneDnn.h"

#include <algorithm>
#include <memory>
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

namespace zcc::benchmark {

std::function<void()>
makeOneDnnProduct(const StridedMatrix &lhs, const StridedMatrix &rhs,
                  const StridedMatrix &result, Epilogue epilogue, int threads,
                  void *lhsData, void *rhsData, void *resultData, void *extra,
                  bool useGemm) {
  using namespace dnnl;
  using Type = memory::data_type;
  // oneDNN chooses its blocking by the number of threads.
  omp_set_num_threads(threads);
#ifdef KMP_VERSION_MAJOR
  // Its threads would spin on, for 200 ms, on the cores that ours need.
  kmp_set_blocktime(10);
#endif
  engine cpu(engine::kind::cpu, 0);
  auto describe = [](const StridedMatrix &m) {
    return memory::desc(memory::dims(m.shape.begin(), m.shape.end()), Type::f32,
                        memory::dims(m.strides.begin(), m.strides.end()));
  };
  memory::desc a = describe(lhs), b = describe(rhs), c = describe(result);
  memory::dims biasShape(result.shape.size(), 1),
      biasStrides(result.shape.size(), result.shape.back());
  biasShape.back() = result.shape.back();
  biasStrides.back() = 1;
  memory::desc bias(biasShape, Type::f32, biasStrides);
  bool hasBias = epilogue == Epilogue::Bias || epilogue == Epilogue::Gelu;

  post_ops post;
  if (epilogue == Epilogue::Residual)
    post.append_binary(algorithm::binary_add, c);
  if (epilogue == Epilogue::Accumulate)
    post.append_sum(1.0f);
  if (epilogue == Epilogue::Gelu)
    post.append_eltwise(1.0f, algorithm::eltwise_gelu_tanh, 0, 0);
  primitive_attr attributes;
  attributes.set_post_ops(post);
  matmul product(matmul::primitive_desc(hasBias ? matmul::desc(a, b, bias, c)
                                                : matmul::desc(a, b, c),
                                        attributes, cpu));

  std::unordered_map<int, memory> arguments{
      {DNNL_ARG_SRC, memory(a, cpu, lhsData)},
      {DNNL_ARG_WEIGHTS, memory(b, cpu, rhsData)},
      {DNNL_ARG_DST, memory(c, cpu, resultData)}};
  if (hasBias)
    arguments[DNNL_ARG_BIAS] = memory(bias, cpu, extra);
  if (epilogue == Epilogue::Residual)
    arguments[DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1] =
        memory(c, cpu, extra);
  auto queue = std::make_shared<stream>(cpu);
  // sgemm packs where matmul does not.
  if (useGemm) {
    auto leading = [](const StridedMatrix &m) {
      return std::max(m.strides[0], m.strides[1]);
    };
    char transposeLhs = lhs.strides[1] == 1 ? 'N' : 'T',
         transposeRhs = rhs.strides[1] == 1 ? 'N' : 'T';
    float beta = epilogue == Epilogue::Accumulate ? 1.0f : 0.0f;
    auto run = [=] {
      omp_set_num_threads(threads);
      return dnnl_sgemm(transposeLhs, transposeRhs, result.shape[0],
                        result.shape[1], lhs.shape[1], 1.0f,
                        static_cast<float *>(lhsData), leading(lhs),
                        static_cast<float *>(rhsData), leading(rhs), beta,
                        static_cast<float *>(resultData), leading(result));
    };
    // It takes no rows of length one.
    if (run() != dnnl_success)
      return {};
    return run;
  }
  return [=] {
    omp_set_num_threads(threads);
    product.execute(*queue, arguments);
    queue->wait();
  };
}

} // namespace zcc::benchmark
