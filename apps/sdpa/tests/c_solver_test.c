/* The solver from C. Returns 0 where all is as it should be. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/sdpa/c/sdpa.h"

static int failures = 0;

static void Expect(int is_so, const char* what, int line) {
  if (is_so) return;
  printf("c_solver_test.c:%d: %s; last error: %s\n", line, what, sdpa_last_error());
  ++failures;
}
#define EXPECT(condition) Expect(condition, #condition, __LINE__)

/* The largest eigenvalue of a matrix A of 2 rows: the least x with x I - A positive semidefinite.
 * Of 2 3 / 3 2 it is 5, with the dual solution vv' of the vector v = (1, 1) / sqrt 2. */
static sdpa_problem* LargestEigenvalue(void) {
  const int sizes[] = {2};
  sdpa_problem* const problem = sdpa_problem_new(1, 1, sizes);
  EXPECT(problem != NULL);
  EXPECT(sdpa_problem_set_cost(problem, 1, 1) == 0);
  EXPECT(sdpa_problem_add(problem, 0, 1, 1, 1, 2) == 0);
  EXPECT(sdpa_problem_add(problem, 0, 1, 2, 2, 2) == 0);
  /* Added up, whichever side of the diagonal they are on. */
  EXPECT(sdpa_problem_add(problem, 0, 1, 2, 1, 1) == 0);
  EXPECT(sdpa_problem_add(problem, 0, 1, 1, 2, 2) == 0);
  EXPECT(sdpa_problem_add(problem, 1, 1, 1, 1, 1) == 0);
  EXPECT(sdpa_problem_add(problem, 1, 1, 2, 2, 1) == 0);
  return problem;
}

static int Count(const sdpa_iteration* iteration, void* data) {
  int* const most = data;
  EXPECT(iteration->number >= 1);
  return --*most == 0;
}

static void TestSolves(void) {
  sdpa_problem* const problem = LargestEigenvalue();
  EXPECT(sdpa_problem_constraints(problem) == 1);
  EXPECT(sdpa_problem_blocks(problem) == 1);
  EXPECT(sdpa_problem_block_size(problem, 1) == 2);
  EXPECT(sdpa_problem_block_size(problem, 2) == 0);
  sdpa_solution* const solution = sdpa_solve(problem, NULL);
  EXPECT(solution != NULL);
  EXPECT(sdpa_solution_status(solution) == SDPA_OPTIMAL);
  EXPECT(strcmp(sdpa_status_name(sdpa_solution_status(solution)), "optimal") == 0);
  EXPECT(fabs(sdpa_solution_primal(solution) - 5) < 1e-6);
  EXPECT(fabs(sdpa_solution_dual(solution) - 5) < 1e-6);
  EXPECT(fabs(sdpa_solution_x(solution)[0] - 5) < 1e-6);
  EXPECT(sdpa_solution_iterations(solution) > 0);
  EXPECT(sdpa_solution_seconds(solution) > 0);
  for (int i = 0; i < 6; ++i) EXPECT(fabs(sdpa_solution_errors(solution)[i]) <= 1.01e-7);
  const double* const dual = sdpa_solution_dual_block(solution, 1);
  for (int i = 0; i < 4; ++i) EXPECT(fabs(dual[i] - 0.5) < 1e-5);
  EXPECT(fabs(sdpa_solution_primal_block(solution, 1)[1] + 3) < 1e-6);
  EXPECT(sdpa_solution_primal_block(solution, 2) == NULL);
  EXPECT(strcmp(sdpa_last_error(), "block 2: expected 1 to 1") == 0);

  /* Its own solution is the best to begin with. */
  sdpa_options options = {0};
  options.initial = solution;
  options.threads = 1;
  sdpa_solution* const again = sdpa_solve(problem, &options);
  EXPECT(sdpa_solution_iterations(again) == 0);
  EXPECT(sdpa_solution_status(again) == SDPA_OPTIMAL);
  sdpa_solution_free(again);
  sdpa_solution_free(solution);
  sdpa_problem_free(problem);
}

static void TestStopsAndGoesOnInPairs(void) {
  sdpa_problem* const problem = LargestEigenvalue();
  int most = 2;
  sdpa_options options = {0};
  options.progress = Count;
  options.progress_data = &most;
  options.tolerance = 1e-9;
  sdpa_solution* const stopped = sdpa_solve(problem, &options);
  EXPECT(stopped != NULL && most == 0);
  EXPECT(sdpa_solution_status(stopped) == SDPA_INTERRUPTED);
  EXPECT(sdpa_solution_iterations(stopped) == 2);

  options.progress = NULL;
  options.precision = SDPA_DOUBLE_DOUBLE;
  options.tolerance = 1e-20;
  options.initial = stopped;
  sdpa_solution* const solution = sdpa_solve(problem, &options);
  EXPECT(sdpa_solution_status(solution) == SDPA_OPTIMAL);
  EXPECT(fabs(sdpa_solution_errors(solution)[4]) <= 1e-20);
  sdpa_solution_free(solution);
  sdpa_solution_free(stopped);
  sdpa_problem_free(problem);
}

static void TestCertifiesAndKeepsInAFile(const char* file) {
  sdpa_problem* const problem = LargestEigenvalue();
  sdpa_solution* const solution = sdpa_solution_new(problem);
  EXPECT(isnan(sdpa_solution_errors(solution)[0]));
  const double x[] = {5}, slack[] = {3, -3, -3, 3}, dual[] = {0.5, 0.5, 0.5, 0.5};
  EXPECT(sdpa_solution_set_x(solution, x) == 0);
  EXPECT(sdpa_solution_set_primal_block(solution, 1, slack) == 0);
  EXPECT(sdpa_solution_set_dual_block(solution, 1, dual) == 0);
  EXPECT(sdpa_solution_set_dual_block(solution, 2, dual) != 0);
  EXPECT(sdpa_certify(problem, 1e-7, solution) == 0);
  EXPECT(sdpa_solution_status(solution) == SDPA_OPTIMAL);
  EXPECT(sdpa_solution_primal(solution) == 5 && sdpa_solution_dual(solution) == 5);
  EXPECT(sdpa_solution_write(solution, problem, file) == 0);
  sdpa_solution* const read = sdpa_solution_read(problem, file);
  EXPECT(read != NULL && sdpa_solution_x(read)[0] == 5);
  EXPECT(sdpa_solution_dual_block(read, 1)[1] == 0.5);
  sdpa_solution_free(read);

  const double wrong[] = {4};
  sdpa_solution_set_x(solution, wrong);
  EXPECT(sdpa_certify(problem, 1e-7, solution) == 0);
  EXPECT(sdpa_solution_status(solution) == SDPA_STALLED);
  sdpa_solution_free(solution);
  sdpa_problem_free(problem);
}

/* x >= 1 and -x >= 0. */
static void TestProvesInfeasibility(void) {
  const int sizes[] = {-2};
  sdpa_problem* const problem = sdpa_problem_new(1, 1, sizes);
  sdpa_problem_set_cost(problem, 1, 1);
  sdpa_problem_add(problem, 0, 1, 1, 1, 1);
  sdpa_problem_add(problem, 1, 1, 1, 1, 1);
  sdpa_problem_add(problem, 1, 1, 2, 2, -1);
  sdpa_solution* const solution = sdpa_solve(problem, NULL);
  EXPECT(sdpa_solution_status(solution) == SDPA_PRIMAL_INFEASIBLE);
  sdpa_solution_free(solution);
  sdpa_problem_free(problem);
}

static void TestRefusesBySentence(void) {
  const int sizes[] = {2, -3}, none[] = {0};
  EXPECT(sdpa_problem_new(1, 1, none) == NULL);
  EXPECT(strcmp(sdpa_last_error(), "block 1 has no rows") == 0);
  EXPECT(sdpa_problem_new(0, 2, sizes) == NULL);
  EXPECT(sdpa_problem_read("none.dat-s") == NULL);
  EXPECT(strncmp(sdpa_last_error(), "none.dat-s: cannot be read", 26) == 0);
  sdpa_problem* const problem = sdpa_problem_new(1, 2, sizes);
  EXPECT(sdpa_problem_block_size(problem, 2) == -3);
  EXPECT(sdpa_problem_set_cost(problem, 2, 1) != 0);
  EXPECT(sdpa_problem_set_cost(problem, 1, NAN) != 0);
  EXPECT(sdpa_problem_add(problem, 2, 1, 1, 1, 1) != 0);
  EXPECT(sdpa_problem_add(problem, 1, 3, 1, 1, 1) != 0);
  EXPECT(sdpa_problem_add(problem, 1, 1, 0, 1, 1) != 0);
  EXPECT(sdpa_problem_add(problem, 1, 1, 1, 3, 1) != 0);
  EXPECT(sdpa_problem_add(problem, 1, 2, 1, 2, 1) != 0);
  EXPECT(strcmp(sdpa_last_error(), "row 1, column 2: block 2 is diagonal") == 0);
  EXPECT(sdpa_problem_add(problem, 1, 1, 1, 1, INFINITY) != 0);
  sdpa_options options = {0};
  options.tolerance = 2;
  EXPECT(sdpa_solve(problem, &options) == NULL);
  EXPECT(strcmp(sdpa_last_error(), "the tolerance is 2, expected 1e-28 to 1") == 0);
  options.tolerance = 0;
  options.threads = -1;
  EXPECT(sdpa_solve(problem, &options) == NULL);
  options.threads = 0;
  sdpa_problem* const other = LargestEigenvalue();
  sdpa_solution* const point = sdpa_solution_new(other);
  options.initial = point;
  EXPECT(sdpa_solve(problem, &options) == NULL);
  EXPECT(strncmp(sdpa_last_error(), "the initial point has", 21) == 0);
  /* Nothing there, a point of other sizes, and half a matrix. */
  EXPECT(sdpa_solve(NULL, NULL) == NULL);
  EXPECT(strcmp(sdpa_last_error(), "problem is a null pointer") == 0);
  EXPECT(sdpa_problem_new(1, 1, NULL) == NULL && sdpa_problem_read(NULL) == NULL);
  EXPECT(sdpa_problem_set_cost(NULL, 1, 1) != 0);
  EXPECT(sdpa_problem_add(NULL, 1, 1, 1, 1, 1) != 0);
  EXPECT(sdpa_solution_new(NULL) == NULL && sdpa_solution_read(NULL, "x") == NULL);
  EXPECT(sdpa_certify(problem, 1e-7, NULL) != 0 && sdpa_solution_set_x(NULL, NULL) != 0);
  sdpa_problem* const small = LargestEigenvalue();
  sdpa_solution* const of_small = sdpa_solution_new(small);
  EXPECT(sdpa_certify(problem, 1e-7, of_small) != 0);
  EXPECT(strcmp(sdpa_last_error(), "the solution is one of a problem of other sizes") == 0);
  EXPECT(sdpa_solution_write(of_small, problem, "it.sol") != 0);
  EXPECT(sdpa_certify(small, 1e300, of_small) != 0);
  const double half[] = {0.5, 5, 0, 0.5};
  EXPECT(sdpa_solution_set_dual_block(of_small, 1, half) != 0);
  EXPECT(strcmp(sdpa_last_error(), "row 2, column 1 is 0, and its mirror image is 5") == 0);
  sdpa_solution_free(of_small);
  sdpa_problem_free(small);
  sdpa_solution_free(point);
  sdpa_problem_free(other);
  sdpa_problem_free(problem);
  sdpa_problem_free(NULL);
  sdpa_solution_free(NULL);
}

int main(void) {
  const char* const folder = getenv("TEST_TMPDIR");
  char file[4096];
  snprintf(file, sizeof file, "%s/it.sol", folder == NULL ? "." : folder);
  TestSolves();
  TestStopsAndGoesOnInPairs();
  TestCertifiesAndKeepsInAFile(file);
  TestProvesInfeasibility();
  TestRefusesBySentence();
  return failures != 0;
}
