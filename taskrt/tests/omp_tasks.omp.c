/* Tasks in tasks, in functions, in groups and in loops, and what is around them: each result is
 * what serial execution has. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0;
#define CHECK(condition) \
  if (!(condition)) wrong += printf("line %d: %s\n", __LINE__, #condition)

static long fib(int n) {
  long x, y;
  if (n < 2) return n;
#pragma omp task shared(x) firstprivate(n)
  x = fib(n - 1);
#pragma omp task shared(y) if (n > 5) untied
  { y = fib(n - 2); }
#pragma omp taskwait
  return x + y;
}

/* With a copy of the board for each task. */
static int is_free(const char* board, int row) {
  for (int i = 0; i < row; i++) {
    const int distance = row - i, difference = board[i] - board[row];
    if (difference == 0 || difference == distance || difference == -distance) return 0;
  }
  return 1;
}
static int queens(int n, int row, const char* board) {
  int sum = 0;
  if (row == n) return 1;
  int found[16] = {0};
  for (int column = 0; column < n; column++) {
#pragma omp task shared(found) final(row > 3) mergeable
    {
      char its[16];
      memcpy(its, board, (size_t)row);
      its[row] = (char)column;
      if (is_free(its, row)) found[column] = queens(n, row + 1, its);
    }
  }
#pragma omp taskwait
  for (int column = 0; column < n; column++) sum += found[column];
  return sum;
}

/* A group waits for the tasks of its tasks, which taskwait does not. */
struct node {
  struct node *left, *right;
  int value;
};
static struct node* tree_of(int depth) {
  struct node* const node = malloc(sizeof *node);
  node->value = depth;
  node->left = depth == 0 ? NULL : tree_of(depth - 1);
  node->right = depth == 0 ? NULL : tree_of(depth - 1);
  return node;
}
static void double_all(struct node* node) {
  if (node == NULL) return;
#pragma omp task
  double_all(node->left);
#pragma omp task
  double_all(node->right);
  node->value *= 2;
}
static int sum_of(struct node* node) {
  if (node == NULL) return 0;
  const int sum = node->value + sum_of(node->left) + sum_of(node->right);
  free(node);
  return sum;
}

static void groups(void) {
  struct node* const tree = tree_of(7);
  int expected = 0;
  for (int depth = 0; depth <= 7; depth++) expected += 2 * depth << (7 - depth);
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    { double_all(tree); }
    CHECK(sum_of(tree) == expected);
  }
}

/* Dependencies order the tasks of one task among themselves: here on memory of which the task above
 * has a dependency, too. */
static void nested_dependencies(void) {
  int value = 1, other = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(inout : value)
    {
      for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : value)
        value = (value * 3 + 1) % 10007;
#pragma omp task depend(in : value) depend(inout : other)
        other += value % 7;
      }
#pragma omp taskwait
    }
#pragma omp task depend(inout : value) depend(in : other)
    value += other;
  }
  int serial = 1, serial_other = 0;
  for (int i = 0; i < 20; i++) {
    serial = (serial * 3 + 1) % 10007;
    serial_other += serial % 7;
  }
  CHECK(value == serial + serial_other);
}

static void loops(void) {
  int values[100], seen[100] = {0}, sum = 0;
  for (int i = 0; i < 100; i++) values[i] = i;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(7)
    for (int i = 0; i < 100; i++) seen[i] += values[i];
    for (int i = 0; i < 100; i++) CHECK(seen[i] == i);
#pragma omp taskloop num_tasks(5) firstprivate(sum) shared(seen)
    for (int* p = values + 99; p >= values; p -= 3) {
      if (*p == 0) continue;
      sum = *p;
      seen[*p] += sum;
    }
    for (int i = 0; i < 100; i++) CHECK(seen[i] == (i > 0 && i % 3 == 0 ? 2 : 1) * i);
    unsigned long k;
#pragma omp taskloop nogroup default(shared) private(sum) priority(2)
    for (k = 10; k < 10; k++) seen[0] = 1;
#pragma omp taskwait
    CHECK(seen[0] == 0);
  }
}

static void sections(void) {
  int count = 0, in_critical = 0, one = 0, copied = 5, per_thread[4] = {0}, sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel firstprivate(copied) shared(count) num_threads(4)
#pragma omp single
  {
    for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(copied) shared(count, in_critical, one, lock, per_thread)
      {
#pragma omp critical(name)
        in_critical += copied;
#pragma omp taskyield
#pragma omp atomic
        count += 1;
        /* A number that no other task has at the same time. */
        per_thread[omp_get_thread_num()]++;
        omp_set_lock(&lock);
        one++;
        omp_unset_lock(&lock);
      }
      copied = 5;
    }
#pragma omp taskwait depend(in : count)
#pragma omp taskwait
    copied = 0;
  }
  CHECK(count == 100 && in_critical == 500 && one == 100 && copied == 5);
  for (int i = 0; i < 4; i++) sum += per_thread[i];
  CHECK(sum == 100);
  CHECK(omp_get_num_threads() == 1 && omp_get_thread_num() == 0 && omp_get_wtime() > 0);
  omp_destroy_lock(&lock);
}

/* Sections of one name at several places exclude each other, and those of other names inside. */
static int inside = 0, met = 0, entered = 0;
static void enter_section(int place) {
  if (place == 0) {
#pragma omp critical(shared_name)
    {
      met += inside++ != 0;
#pragma omp taskyield
#pragma omp critical(other_name)
      entered++;
      inside--;
    }
  } else {
#pragma omp critical(shared_name)
    {
      met += inside++ != 0;
#pragma omp taskyield
      entered++;
      inside--;
    }
  }
}
/* A function that is inline and not static may have no static variables. */
int entered_inline = 0;
inline void enter_inline_section(void) {
#pragma omp critical(shared_name)
  entered_inline++;
}
extern inline void enter_inline_section(void);
static void sections_of_one_name(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; i++) {
#pragma omp task firstprivate(i)
    {
      enter_section(i % 2);
      enter_inline_section();
    }
  }
  CHECK(entered == 200 && inside == 0 && met == 0 && entered_inline == 200);
}

static int in_final = 0;
static void count_final(int depth) {
  if (depth == 0) return;
#pragma omp task final(depth == 2)
  {
#pragma omp atomic
    in_final += omp_in_final();
    count_final(depth - 1);
  }
#pragma omp taskwait
}

typedef int pair[2];
static void types(pair by_name, int n, const double matrix[n][n]) {
  struct local {
    int a[3];
    double d;
  } const local = {{1, 2, 3}, 0.5};
  enum { kSeven = 7 };
  int lengths[n];
  for (int i = 0; i < n; i++) lengths[i] = i;
  int (*const pointer)[n] = &lengths;
  static int kept = 0;
#pragma omp task
  { kept = local.a[2] + kSeven + by_name[1] + lengths[n - 1] + (*pointer)[1] + (int)matrix[1][0]; }
#pragma omp taskwait
  CHECK(kept == 3 + 7 + 20 + n - 1 + 1 + 4);
}

static void dependencies_that_wait(void) {
  int first = 0, second = 0;
#pragma omp parallel
#pragma omp master
  {
#pragma omp task depend(out : first)
    first = 1;
#pragma omp task depend(out : second) priority(3)
    second = 2;
#pragma omp taskwait depend(in : first)
    CHECK(first == 1);
#pragma omp task if (0) depend(in : second)
    CHECK(second == 2);
  }
}

/* A task whose `if` says no has ended with its construct: its children need not have, but for a
 * taskwait of its own. */
static void undeferred(void) {
  int asked = 0, children = 0, finals = 0;
  int ended[100] = {0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
    int copy = i;
#pragma omp task if (asked++ < 50 && i % 2 == 0) firstprivate(copy) shared(ended) final(i % 4 == 3)
    {
#pragma omp taskwait
      copy++;
#pragma omp task
#pragma omp atomic
      children++;
      if (i % 2 == 1) {
        if (omp_in_final()) finals++;
#pragma omp taskwait
        int so_far;
#pragma omp atomic read
        so_far = children;
        CHECK(so_far > i / 2);
      }
      ended[i] = 1;
    }
    CHECK(copy == i && (i % 2 == 0 || ended[i]));
  }
  for (int i = 0; i < 100; i++) CHECK(ended[i]);
  CHECK(asked == 100 && children == 100 && finals == 25);
}

int main(void) {
  long twenty = 0;
  int eight = 0;
#pragma omp parallel default(none) shared(twenty, eight)
#pragma omp single nowait
  {
    twenty = fib(20);
    eight = queens(8, 0, "");
  }
  CHECK(twenty == 6765);
  CHECK(eight == 92);
  groups();
  nested_dependencies();
  loops();
  sections();
  sections_of_one_name();
  count_final(3);
  CHECK(in_final == 2);
  pair by_name = {10, 20};
  const double matrix[4][4] = {{0}, {4}};
  types(by_name, 4, matrix);
  dependencies_that_wait();
  undeferred();
  puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
