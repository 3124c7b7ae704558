/* Reductions of tasks and own types, events, teams, and regions in regions. */
#include <omp.h>
#include <stdio.h>
static int wrong = 0;
#define CHECK(condition) \
  if (!(condition)) wrong += printf("line %d: %s\n", __LINE__, #condition)
typedef struct { double re, im; } cplx;
#pragma omp declare reduction(add : cplx : omp_out.re += omp_in.re, omp_out.im += omp_in.im) initializer(omp_priv = {0, 0})
#pragma omp declare reduction(+ : cplx : omp_out.re += omp_in.re, omp_out.im += omp_in.im) initializer(omp_priv = {0, 0})
static int next(void) { static int n; 
#pragma omp threadprivate(n)
  return ++n; }
int main(void) {
  int sum = 0, a[100];
  for (int i = 0; i < 100; i++) a[i] = i;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 100; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += a[i];
    }
    CHECK(sum == 4950);
#pragma omp taskloop reduction(+ : sum) grainsize(7)
    for (int i = 0; i < 100; i++) sum += a[i];
    CHECK(sum == 9900);
#pragma omp taskloop collapse(2)
    for (int i = 0; i < 10; i++)
      for (int j = 9; j >= 0; j--) a[i * 10 + j] *= 2;
    for (int i = 0; i < 100; i++) CHECK(a[i] == 2 * i);
  }
  int ts = 0;
#pragma omp parallel reduction(task, + : ts)
#pragma omp for
  for (int i = 0; i < 50; i++) {
#pragma omp task in_reduction(+ : ts)
    ts += i;
  }
  CHECK(ts == 1225);
  cplx plus = {1, 1};
#pragma omp parallel for reduction(+ : plus)
  for (int i = 0; i < 10; i++) {
    plus.re += i;
    plus.im -= 1;
  }
  CHECK(plus.re == 46 && plus.im == -9);
  cplx c = {1, 1};
#pragma omp parallel for reduction(add : c)
  for (int i = 0; i < 10; i++) { c.re += i; c.im -= i; }
  CHECK(c.re == 46 && c.im == -44);
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t ev;
#pragma omp task detach(ev) shared(done)
    { done = 1; 
#pragma omp task firstprivate(ev) shared(done)
      { done = 2; omp_fulfill_event(ev); }
    }
#pragma omp taskwait
    CHECK(done == 2);
  }
  int t[64] = {0};
#pragma omp teams num_teams(4)
  {
#pragma omp distribute
    for (int i = 0; i < 64; i++) t[i] += 10 * omp_get_team_num() + omp_get_num_teams();
  }
  for (int i = 0; i < 64; i++) CHECK(t[i] == 10 * (i / 16) + 4);
#pragma omp teams distribute parallel for num_teams(3)
  for (int i = 0; i < 64; i++) t[i] = i;
  for (int i = 0; i < 64; i++) CHECK(t[i] == i);
  int m = 0;
#pragma omp parallel num_threads(3) reduction(max : m)
  { next(); next(); m = next(); }
  CHECK(m == 3);
#pragma omp parallel num_threads(4)
  {
    int mine = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    CHECK(omp_get_num_threads() == 1 && omp_get_ancestor_thread_num(1) == mine && omp_get_level() == 2);
  }
  omp_set_max_active_levels(2);
  int inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
#pragma omp parallel num_threads(3) reduction(+ : inner)
  inner += omp_get_num_threads();
  CHECK(inner == 18);
  puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
