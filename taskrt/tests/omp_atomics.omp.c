/* Atomic statements of all forms, on variables of all kinds: none is lost, and each captured value
 * is one that the variable had. */
#include <omp.h>
#include <stdio.h>

static int wrong = 0;
#define CHECK(condition) \
  if (!(condition)) wrong += printf("line %d: %s\n", __LINE__, #condition)

enum { N = 10000, THREADS = 4 };

struct parts {
  int n;
  double of[3];
  struct {
    long l;
  } in;
};

static void integers(void) {
  int steps = 0, quarters[4] = {0}, mask = ~0;
  unsigned char bytes = 0;
  short bits = 0;
  _Bool flag = 0;
  volatile long sum = 0;
#pragma omp parallel for num_threads(THREADS)
  for (int i = 0; i < N; i++) {
#pragma omp atomic
    steps++;
#pragma omp atomic update
    ++bytes;
#pragma omp atomic
    flag ^= 1;
#pragma omp atomic
    sum += 3;
#pragma omp atomic
    quarters[i % 4] -= 1;
#pragma omp atomic hint(omp_sync_hint_contended)
    bits |= 1 << (i % 15);
#pragma omp atomic seq_cst
    mask = mask & ~(1 << (i % 31));
  }
  CHECK(steps == N && bytes == (unsigned char)N && flag == 0 && sum == 3 * N);
  CHECK(quarters[0] == -N / 4 && quarters[3] == -N / 4);
  CHECK(bits == 0x7fff && mask == (int)0x80000000);
}

static void others(void) {
  double real = 0;
  float half = 1;
  long double wide = 0;  // no machine word
  struct parts parts = {0};
  struct parts* const all = &parts;
  int places[8], *place = places;
#pragma omp parallel for num_threads(THREADS)
  for (int i = 0; i < N; i++) {
#pragma omp atomic
    real += 0.5 * i - 0.5 * i + 1;
#pragma omp atomic
    half = 1 * half;
#pragma omp atomic
    wide += 1;
#pragma omp atomic
    all->in.l = all->in.l + i * 2;
#pragma omp atomic
    parts.of[1] = parts.of[1] - 2;
#pragma omp atomic write
    place = places + i % 8;
  }
  CHECK(real == N && half == 1 && wide == N);
  CHECK(parts.in.l == (long)N * (N - 1) && parts.of[1] == -2.0 * N);
  CHECK(place >= places && place < places + 8);
}

static void values(void) {
  int order = 0, last = -1, most = 0, least = N, seen = 0, twos = 0, first = -1, tries = 0;
  long sum = 0, changes = 0;
  static char had[N];
#pragma omp parallel for num_threads(THREADS)
  for (int i = 0; i < N; i++) {
    int before, now, is_first;
#pragma omp atomic capture
    before = order++;
    had[before]++;
#pragma omp atomic
    sum += before;
#pragma omp atomic capture
    {
      before = last;
      last = i;
    }
#pragma omp atomic
    changes = changes + (before - i);
#pragma omp atomic capture
    {
      twos += 2;
      now = twos;
    }
    CHECK(now % 2 == 0 && now > 0);
#pragma omp atomic read
    now = order;
    CHECK(now > 0);
#pragma omp atomic compare
    if (most < i) {
      most = i;
    }
#pragma omp atomic compare
    least = i < least ? i : least;
#pragma omp atomic compare capture
    {
      is_first = first == -1;
      if (is_first) {
        first = i;
      }
    }
#pragma omp atomic
    tries += is_first;
#pragma omp atomic capture
    now = seen = seen + 1;
    CHECK(now > 0);
  }
  for (int i = 0; i < N; i++) CHECK(had[i] == 1);
  CHECK(order == N && sum == (long)N * (N - 1) / 2 && twos == 2 * N && seen == N);
  CHECK(most == N - 1 && least == 0 && first >= 0 && tries == 1);
  // Each value but the last comes back once, and the first one.
  CHECK(changes == -1 - last);
}

/* It may be a task's result, and is asked for once. */
static int calls = 0;
static int called(int value) {
#pragma omp atomic
  calls++;
  return value;
}
static void expressions(void) {
  int sum = 0, product = 1;
#pragma omp parallel for num_threads(THREADS)
  for (int i = 0; i < N; i++) {
#pragma omp atomic
    sum += called(i) % 2;
#pragma omp atomic
    sum = sum + called(2);
#pragma omp atomic
    product = called(1) * product;
  }
  CHECK(sum == N / 2 + 2 * N && product == 1 && calls == 3 * N);
}

static int twice(int value) { return 2 * value; }

/* Each changes one variable, once, however it is written. */
static void forms(void) {
  int x = 0, sum = 0, steps = 0, *q = &x;
  static int ends[N];
  const char* text = "none";
  int (*function)(int) = NULL;
  int numbers[4] = {0}, *place = NULL;
  struct {
    unsigned bits : 5;
  } five = {5};
#pragma omp parallel for num_threads(THREADS) reduction(+ : sum, steps)
  for (int i = 0; i < N; i++) {
    int v, at = i;
    const char* seen;
#pragma omp atomic
    (*q) = *q + 1;
#pragma omp atomic capture
    {
      v = (x);
      x = 0;
    }
    sum += v;
#pragma omp atomic capture
    ends[at++] = numbers[0]++;
    steps += at - i;
#pragma omp atomic
    numbers[1] += i >= 0 ? (at++, 1) : 0;
    steps += at - i;
#pragma omp atomic
    numbers[i > N / 2 ? 2 : 3] += twice(i % 2);
#pragma omp atomic
    numbers[0] = numbers[0] + (int)sizeof(int) - (int)sizeof(int);
#pragma omp atomic
    numbers[1] += five.bits - 5;
#pragma omp atomic write
    text = "some";
#pragma omp atomic read
    seen = text;
    steps += seen[0] == 's' ? 0 : 100;
#pragma omp atomic write
    place = numbers;
#pragma omp atomic write
    function = twice;
  }
  CHECK(sum + x == N && steps == 3 * N);
  long all = 0;
  for (int i = 0; i < N; i++) all += ends[i];
  CHECK(all == (long)N * (N - 1) / 2 && numbers[0] == N && numbers[1] == N);
  CHECK(numbers[2] + numbers[3] == N && place == numbers && function(2) == 4);
}

int main(void) {
  integers();
  others();
  values();
  expressions();
  forms();
  puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
