// LAPACK's factorization of the whole matrix, with as many threads in it as the others have
// workers.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include "taskrt/benches/factorization.h"

extern "C" {
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
}

namespace {

class Lapack {
 public:
  static constexpr const char* kName = "lapack";

  explicit Lapack(int workers) : workers_(workers) {}

  // By columns: its lower triangle is our upper one.
  void Factorize(factorization::Problem& problem) {
    openblas_set_num_threads(workers_);
    const int n = factorization::kN;
    int info = 0;
    if (problem.precision() == cholesky::Precision::kF32) {
      spotrf_("L", &n, problem.floats(), &n, &info);
    } else {
      dpotrf_("L", &n, problem.doubles(), &n, &info);
    }
  }

 private:
  int workers_;
};

}  // namespace

int main(int argc, char** argv) {
  factorization::Register<Lapack>();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
