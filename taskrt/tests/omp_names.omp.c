/* Names in the blocks of constructs: of functions that a block declares, of the program's function,
 * and of parameters in a definition of C89's form. */
#include <stdio.h>
#include <string.h>
static int wrong = 0;
#define CHECK(condition) \
  if (!(condition)) wrong += printf("line %d: %s\n", __LINE__, #condition)

static int old(a, b)
int a;
double* b;
{
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += a + (int)b[0];
  return sum;
}

static int add(int x) { return x + 1; }
static int declares(int x) {
  int sum = 0, ten_times(int);
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    int half(int x), (*pointer)(int x) = add;
    struct local {
      int x;
    } local = {x};
    sum += ten_times(x) + half(x) + pointer(local.x);
    CHECK(strcmp(__func__, "declares") == 0);
#pragma omp task
    CHECK(strcmp(__FUNCTION__, "declares") == 0 && half(4) == 2);
  }
  return sum;
}
int ten_times(int x) { return x * 10; }
int half(int x) { return x / 2; }

int main(void) {
  double values[] = {3};
  CHECK(old(4, values) == 14);
  CHECK(declares(6) == 2 * (60 + 3 + 7));
  int regions = 0;
#pragma \
    omp parallel num_threads(3)
  {
#pragma /* of all */ omp atomic
    regions++;
  }
  CHECK(regions == 3);
#pragma omp parallel num_threads(2)
  {
    struct {
      int regions;
      __typeof__(regions) of;
      unsigned bits : sizeof(regions);
    } its = {1, -2, 3};
    enum { kOf = sizeof(regions) };
    CHECK(its.regions + its.of + (int)its.bits == 2 && kOf == sizeof(int));
  }
  puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
