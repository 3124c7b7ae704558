/* shmem.h's functions of each type, and C11's of any type, as tables of macros. shmem.h includes
 * this file; programs do not. */
#ifndef LLCL_EXAMPLES_SHMEM_TYPES_H_
#define LLCL_EXAMPLES_SHMEM_TYPES_H_

/* clang-format off */
/* Values of any type, by pointers to them. */
#define SHMEMI_T(p) __typeof__((__typeof__(*(p)))*(p))
#define SHMEMI_P(to, x, pe) ({ SHMEMI_T(to) x_ = (x); shmemi_copy(SHMEMI_PUT, to, &x_, sizeof x_, pe); })
#define SHMEMI_G(from, pe) ({ SHMEMI_T(from) x_ = 0; shmemi_copy(SHMEMI_GET, from, &x_, sizeof x_, pe); x_; })
#define SHMEMI_ATOMIC(op, word, x, c, pe) ({ SHMEMI_T(word) x_ = (x), c_ = (c), b_; \
    shmemi_update(op, word, &x_, &c_, &b_, sizeof x_, pe); b_; })
#define SHMEMI_IS(p, cmp, x) ({ SHMEMI_T(p) a_ = *(volatile SHMEMI_T(p)*)(p), y_ = (x); \
    (cmp) == SHMEM_CMP_EQ ? a_ == y_ : (cmp) == SHMEM_CMP_NE ? a_ != y_ : (cmp) == SHMEM_CMP_GT ? a_ > y_ : \
    (cmp) == SHMEM_CMP_LE ? a_ <= y_ : (cmp) == SHMEM_CMP_LT ? a_ < y_ : a_ >= y_; })
/* The first value from `at` that is not masked and whose comparison with x, which may name i_, is `is`. */
#define SHMEMI_NEXT(at, p, n, mask, cmp, x, is) ({ size_t i_ = (at); const int* m_ = (mask); \
    while (i_ < (n) && ((m_ && m_[i_]) || SHMEMI_IS(&(p)[i_], cmp, x) != (is))) ++i_; i_ < (n) ? i_ : SIZE_MAX; })
#define SHMEMI_SOME(p, n, to, mask, cmp, x) ({ size_t f_ = 0, j_ = 0; \
    while ((j_ = SHMEMI_NEXT(j_, p, n, mask, cmp, x, 1)) != SIZE_MAX) (to)[f_++] = j_++; f_; })
#define SHMEMI_MASKED(n, mask) ({ size_t k_ = 0; const int* n_ = (mask); while (k_ < (n) && n_ && n_[k_]) ++k_; k_ == (n); })
#define SHMEMI_UNTIL(T, result, done) ({ T r_; while (r_ = (result), !(done)) shmemi_poll(); r_; })
#define SHMEMI_TEST(result) (shmemi_poll(), result)
#define SHMEMI_ALL(p, n, m, cmp, x) (SHMEMI_NEXT(0, p, n, m, cmp, x, 0) == SIZE_MAX)
/* Any value has its turn to be looked at first. */
#define SHMEMI_ANY(p, n, m, cmp, x) ({ size_t f_ = SHMEMI_NEXT((n) ? shmemi_turn() % (n) : 0, p, n, m, cmp, x, 1); \
    f_ != SIZE_MAX ? f_ : SHMEMI_NEXT(0, p, n, m, cmp, x, 1); })
#define SHMEMI_WAIT_ANY(p, n, m, cmp, x) SHMEMI_UNTIL(size_t, SHMEMI_ANY(p, n, m, cmp, x), r_ != SIZE_MAX || SHMEMI_MASKED(n, m))
#define SHMEMI_WAIT_SOME(p, n, to, m, cmp, x) SHMEMI_UNTIL(size_t, SHMEMI_SOME(p, n, to, m, cmp, x), r_ != 0 || SHMEMI_MASKED(n, m))
#define shmem_wait_until(p, cmp, x) ((void)SHMEMI_UNTIL(int, SHMEMI_IS(p, cmp, x), r_))
#define shmem_wait_until_all(p, n, m, cmp, x) ((void)SHMEMI_UNTIL(int, SHMEMI_ALL(p, n, m, cmp, x), r_))
#define shmem_wait_until_all_vector(p, n, m, cmp, x) ((void)SHMEMI_UNTIL(int, SHMEMI_ALL(p, n, m, cmp, (x)[i_]), r_))
#define shmem_wait_until_any SHMEMI_WAIT_ANY
#define shmem_wait_until_any_vector(p, n, m, cmp, x) SHMEMI_WAIT_ANY(p, n, m, cmp, (x)[i_])
#define shmem_wait_until_some SHMEMI_WAIT_SOME
#define shmem_wait_until_some_vector(p, n, to, m, cmp, x) SHMEMI_WAIT_SOME(p, n, to, m, cmp, (x)[i_])
#define shmem_test(p, cmp, x) SHMEMI_TEST(SHMEMI_IS(p, cmp, x))
#define shmem_test_all(p, n, m, cmp, x) SHMEMI_TEST(SHMEMI_ALL(p, n, m, cmp, x))
#define shmem_test_all_vector(p, n, m, cmp, x) SHMEMI_TEST(SHMEMI_ALL(p, n, m, cmp, (x)[i_]))
#define shmem_test_any(p, n, m, cmp, x) SHMEMI_TEST(SHMEMI_ANY(p, n, m, cmp, x))
#define shmem_test_any_vector(p, n, m, cmp, x) SHMEMI_TEST(SHMEMI_ANY(p, n, m, cmp, (x)[i_]))
#define shmem_test_some(p, n, to, m, cmp, x) SHMEMI_TEST(SHMEMI_SOME(p, n, to, m, cmp, x))
#define shmem_test_some_vector(p, n, to, m, cmp, x) SHMEMI_TEST(SHMEMI_SOME(p, n, to, m, cmp, (x)[i_]))

/* A function, and the same for a context. */
#define SHMEMI_ARGS(...) __VA_ARGS__
#define SHMEMI_BOTH(R, NAME, ARGS, ...) \
  static inline R shmem_##NAME ARGS { __VA_ARGS__; } \
  static inline R shmem_ctx_##NAME(shmem_ctx_t ctx, SHMEMI_ARGS ARGS) { shmemi_use(ctx); __VA_ARGS__; }
#define SHMEMI_COPY(NAME, T, HOW, SYM, LOC, BYTES) \
  SHMEMI_BOTH(void, NAME, (T* to, const T* from, size_t n, int pe), shmemi_copy(HOW, SYM, LOC, BYTES, pe))
#define SHMEMI_STRIDES(NAME, T, HOW, SYM, LOC, S1, S2, B) \
  SHMEMI_BOTH(void, NAME, (T* to, const T* from, ptrdiff_t ts, ptrdiff_t fs, size_t n, int pe), \
              shmemi_strided(HOW, SYM, LOC, S1, S2, n, B, pe))
#define SHMEMI_SIGNAL(NAME, T, BYTES) \
  SHMEMI_BOTH(void, NAME, (T* to, const T* from, size_t n, uint64_t* word, uint64_t x, int op, int pe), \
              pe = shmemi_pe(pe); shmemi_copy(SHMEMI_PUT, to, from, BYTES, pe); shmemi_signal(word, x, op, pe))
#define SHMEMI_RMA(P, S, T, B) \
  SHMEMI_COPY(P##put##S, T, SHMEMI_PUT, to, from, n * B) SHMEMI_COPY(P##get##S, T, SHMEMI_GET, from, to, n * B) \
  SHMEMI_COPY(P##put##S##_nbi, T, SHMEMI_PUT_NBI, to, from, n * B) \
  SHMEMI_COPY(P##get##S##_nbi, T, SHMEMI_GET_NBI, from, to, n * B) \
  SHMEMI_STRIDES(P##iput##S, T, SHMEMI_PUT_NBI, to, from, ts, fs, B) \
  SHMEMI_STRIDES(P##iget##S, T, SHMEMI_GET_NBI, from, to, fs, ts, B) \
  SHMEMI_SIGNAL(P##put##S##_signal, T, n * B) SHMEMI_SIGNAL(P##put##S##_signal_nbi, T, n * B)
#define SHMEMI_ATOMIC_OP(N, T, F, OP) \
  SHMEMI_BOTH(T, N##_atomic_fetch_##F, (T* p, T x, int pe), return SHMEMI_ATOMIC(OP, p, x, 0, pe)) \
  SHMEMI_BOTH(void, N##_atomic_fetch_##F##_nbi, (T* to, T* p, T x, int pe), *to = SHMEMI_ATOMIC(OP, p, x, 0, pe)) \
  SHMEMI_BOTH(void, N##_atomic_##F, (T* p, T x, int pe), SHMEMI_ATOMIC(OP, p, x, 0, pe))
#define SHMEMI_SWAPS(N, T) \
  SHMEMI_BOTH(T, N##_atomic_fetch, (const T* p, int pe), return SHMEMI_ATOMIC(SHMEMI_FETCH, p, 0, 0, pe)) \
  SHMEMI_BOTH(void, N##_atomic_set, (T* p, T x, int pe), SHMEMI_ATOMIC(SHMEMI_SWAP, p, x, 0, pe)) \
  SHMEMI_BOTH(T, N##_atomic_swap, (T* p, T x, int pe), return SHMEMI_ATOMIC(SHMEMI_SWAP, p, x, 0, pe)) \
  SHMEMI_BOTH(T, N##_swap, (T* p, T x, int pe), return SHMEMI_ATOMIC(SHMEMI_SWAP, p, x, 0, pe)) \
  SHMEMI_BOTH(void, N##_atomic_swap_nbi, (T* to, T* p, T x, int pe), *to = SHMEMI_ATOMIC(SHMEMI_SWAP, p, x, 0, pe))
#define SHMEMI_ATOMICS(N, T) SHMEMI_SWAPS(N, T) \
  SHMEMI_BOTH(T, N##_atomic_compare_swap, (T* p, T c, T x, int pe), return SHMEMI_ATOMIC(SHMEMI_CAS, p, x, c, pe)) \
  SHMEMI_BOTH(T, N##_cswap, (T* p, T c, T x, int pe), return SHMEMI_ATOMIC(SHMEMI_CAS, p, x, c, pe)) \
  SHMEMI_BOTH(void, N##_atomic_compare_swap_nbi, (T* to, T* p, T c, T x, int pe), *to = SHMEMI_ATOMIC(SHMEMI_CAS, p, x, c, pe)) \
  SHMEMI_BOTH(T, N##_atomic_fetch_inc, (T* p, int pe), return SHMEMI_ATOMIC(SHMEMI_ADD, p, 1, 0, pe)) \
  SHMEMI_BOTH(T, N##_finc, (T* p, int pe), return SHMEMI_ATOMIC(SHMEMI_ADD, p, 1, 0, pe)) \
  SHMEMI_BOTH(T, N##_fadd, (T* p, T x, int pe), return SHMEMI_ATOMIC(SHMEMI_ADD, p, x, 0, pe)) \
  SHMEMI_BOTH(void, N##_atomic_inc, (T* p, int pe), SHMEMI_ATOMIC(SHMEMI_ADD, p, 1, 0, pe)) \
  SHMEMI_ATOMIC_OP(N, T, add, SHMEMI_ADD) SHMEMI_ATOMIC_OP(N, T, and, SHMEMI_AND) \
  SHMEMI_ATOMIC_OP(N, T, or, SHMEMI_OR) SHMEMI_ATOMIC_OP(N, T, xor, SHMEMI_XOR)
#define SHMEMI_INLINE(R, NAME, ARGS, CALL) static inline R shmem_##NAME ARGS { return CALL; }
#define SHMEMI_WAIT(N, T, NAME, X) \
  SHMEMI_INLINE(int, N##_test_all##NAME, (T* p, size_t n, const int* m, int cmp, X x), shmem_test_all##NAME(p, n, m, cmp, x)) \
  SHMEMI_INLINE(size_t, N##_test_any##NAME, (T* p, size_t n, const int* m, int cmp, X x), shmem_test_any##NAME(p, n, m, cmp, x)) \
  SHMEMI_INLINE(size_t, N##_test_some##NAME, (T* p, size_t n, size_t* to, const int* m, int cmp, X x), shmem_test_some##NAME(p, n, to, m, cmp, x)) \
  SHMEMI_INLINE(void, N##_wait_until_all##NAME, (T* p, size_t n, const int* m, int cmp, X x), shmem_wait_until_all##NAME(p, n, m, cmp, x)) \
  SHMEMI_INLINE(size_t, N##_wait_until_any##NAME, (T* p, size_t n, const int* m, int cmp, X x), shmem_wait_until_any##NAME(p, n, m, cmp, x)) \
  SHMEMI_INLINE(size_t, N##_wait_until_some##NAME, (T* p, size_t n, size_t* to, const int* m, int cmp, X x), shmem_wait_until_some##NAME(p, n, to, m, cmp, x))
#define SHMEMI_WAITS(N, T) SHMEMI_WAIT(N, T, , T) SHMEMI_WAIT(N, T, _vector, const T*) \
  SHMEMI_INLINE(void, N##_wait, (T* p, T x), shmem_wait_until(p, SHMEM_CMP_NE, x)) \
  SHMEMI_INLINE(void, N##_wait_until, (T* p, int cmp, T x), shmem_wait_until(p, cmp, x)) \
  SHMEMI_INLINE(int, N##_test, (T* p, int cmp, T x), shmem_test(p, cmp, x))
/* Collective operations of a team (P: a type, S: nothing, or P: nothing, S: mem), and of an active set. */
#define SHMEMI_TEAM(P, S, T, B) \
  SHMEMI_INLINE(int, P##broadcast##S, (shmem_team_t t, T* to, const T* from, size_t n, int root), shmemi_broadcast(t, to, from, n * B, root, 1)) \
  SHMEMI_INLINE(int, P##collect##S, (shmem_team_t t, T* to, const T* from, size_t n), shmemi_collect(t, to, from, n * B)) \
  SHMEMI_INLINE(int, P##fcollect##S, (shmem_team_t t, T* to, const T* from, size_t n), shmemi_fcollect(t, to, from, n * B)) \
  SHMEMI_INLINE(int, P##alltoall##S, (shmem_team_t t, T* to, const T* from, size_t n), shmemi_alltoall(t, to, from, 1, 1, n, B)) \
  SHMEMI_INLINE(int, P##alltoalls##S, (shmem_team_t t, T* to, const T* from, ptrdiff_t ts, ptrdiff_t fs, size_t n), shmemi_alltoall(t, to, from, ts, fs, n, B))
#define SHMEMI_ON(NAME, ARGS, ...) \
  static inline void shmem_##NAME(SHMEMI_ARGS ARGS, int start, int log2_stride, int size, long* sync) { \
    shmem_team_t t = shmemi_set(start, log2_stride, size); (void)sync; __VA_ARGS__; }
#define SHMEMI_SET(S, B) \
  SHMEMI_ON(broadcast##S, (void* to, const void* from, size_t n, int root), shmemi_broadcast(t, to, from, n * B, root, 0)) \
  SHMEMI_ON(collect##S, (void* to, const void* from, size_t n), shmemi_collect(t, to, from, n * B)) \
  SHMEMI_ON(fcollect##S, (void* to, const void* from, size_t n), shmemi_fcollect(t, to, from, n * B)) \
  SHMEMI_ON(alltoall##S, (void* to, const void* from, size_t n), shmemi_alltoall(t, to, from, 1, 1, n, B)) \
  SHMEMI_ON(alltoalls##S, (void* to, const void* from, ptrdiff_t ts, ptrdiff_t fs, size_t n), shmemi_alltoall(t, to, from, ts, fs, n, B))
#define SHMEMI_REDUCE(N, T, OP, RESULT) \
  static inline void shmemi_##N##_##OP(void* to, const void* from) { T a = *(T*)to, b = *(const T*)from; *(T*)to = RESULT; } \
  SHMEMI_INLINE(int, N##_##OP##_reduce, (shmem_team_t t, T* to, const T* from, size_t n), shmemi_reduce(t, to, from, n, sizeof(T), shmemi_##N##_##OP)) \
  static inline void shmem_##N##_##OP##_to_all(T* to, const T* from, int n, int start, int log2_stride, int size, T* work, long* sync) { \
    (void)work, (void)sync, shmemi_reduce(shmemi_set(start, log2_stride, size), to, from, (size_t)n, sizeof(T), shmemi_##N##_##OP); }
#define SHMEMI_SUMS(N, T) SHMEMI_REDUCE(N, T, sum, (T)(a + b)) SHMEMI_REDUCE(N, T, prod, (T)(a * b))
#define SHMEMI_TYPE(N, T) \
  SHMEMI_RMA(N##_, , T, sizeof(T)) SHMEMI_TEAM(N##_, , T, sizeof(T)) SHMEMI_WAITS(N, T) SHMEMI_SUMS(N, T) \
  SHMEMI_BOTH(void, N##_p, (T* to, T x, int pe), SHMEMI_P(to, x, pe)) \
  SHMEMI_BOTH(T, N##_g, (const T* from, int pe), return SHMEMI_G(from, pe)) \
  SHMEMI_REDUCE(N, T, min, a < b ? a : b) SHMEMI_REDUCE(N, T, max, a > b ? a : b)
#define SHMEMI_INTEGER(N, T) SHMEMI_TYPE(N, T) \
  SHMEMI_REDUCE(N, T, and, a & b) SHMEMI_REDUCE(N, T, or, a | b) SHMEMI_REDUCE(N, T, xor, a ^ b)
#define SHMEMI_WORD(N, T) SHMEMI_INTEGER(N, T) SHMEMI_ATOMICS(N, T)
SHMEMI_INTEGER(char, char) SHMEMI_INTEGER(schar, signed char) SHMEMI_INTEGER(uchar, unsigned char)
SHMEMI_INTEGER(short, short) SHMEMI_INTEGER(ushort, unsigned short) SHMEMI_INTEGER(int8, int8_t)
SHMEMI_INTEGER(uint8, uint8_t) SHMEMI_INTEGER(int16, int16_t) SHMEMI_INTEGER(uint16, uint16_t)
SHMEMI_WORD(int, int) SHMEMI_WORD(uint, unsigned) SHMEMI_WORD(long, long) SHMEMI_WORD(ulong, unsigned long)
SHMEMI_WORD(longlong, long long) SHMEMI_WORD(ulonglong, unsigned long long) SHMEMI_WORD(int32, int32_t)
SHMEMI_WORD(uint32, uint32_t) SHMEMI_WORD(int64, int64_t) SHMEMI_WORD(uint64, uint64_t)
SHMEMI_WORD(size, size_t) SHMEMI_WORD(ptrdiff, ptrdiff_t) SHMEMI_TYPE(longdouble, long double)
SHMEMI_TYPE(float, float) SHMEMI_SWAPS(float, float) SHMEMI_TYPE(double, double) SHMEMI_SWAPS(double, double)
SHMEMI_SUMS(complexf, float _Complex) SHMEMI_SUMS(complexd, double _Complex)
SHMEMI_RMA(, 8, void, 1) SHMEMI_RMA(, 16, void, 2) SHMEMI_RMA(, 32, void, 4) SHMEMI_RMA(, 64, void, 8)
SHMEMI_RMA(, 128, void, 16) SHMEMI_RMA(, mem, void, 1) SHMEMI_TEAM(, mem, void, 1) SHMEMI_SET(32, 4) SHMEMI_SET(64, 8)
SHMEMI_INLINE(uint64_t, signal_fetch, (const uint64_t* word), *(const volatile uint64_t*)word)
SHMEMI_INLINE(uint64_t, signal_wait_until, (uint64_t* p, int cmp, uint64_t x), (shmem_wait_until(p, cmp, x), *p))
SHMEMI_INLINE(void, clear_cache_inv, (void), (void)0) SHMEMI_INLINE(void, set_cache_inv, (void), (void)0)
SHMEMI_INLINE(void, clear_cache_line_inv, (void* p), (void)p) SHMEMI_INLINE(void, set_cache_line_inv, (void* p), (void)p)
SHMEMI_INLINE(void, udcflush, (void), (void)0) SHMEMI_INLINE(void, udcflush_line, (void* p), (void)p)
static inline void shmem_barrier(int start, int log2_stride, int size, long* sync) {
  (void)sync, shmem_quiet(), (void)shmem_team_sync(shmemi_set(start, log2_stride, size));
}

/* C11's functions of any type: with N arguments, or a context before them. */
#define SHMEMI_OF(a1, a2, a3, a4, a5, a6, a7, a8, NAME, ...) NAME
#define SHMEMI_SAME(f, ...) f(__VA_ARGS__)
#define SHMEMI_CTX(f, ctx, ...) (shmemi_use(ctx), f(__VA_ARGS__))
#define SHMEMI_2(f, ...) SHMEMI_OF(__VA_ARGS__, , , , , , SHMEMI_CTX, SHMEMI_SAME, , )(f, __VA_ARGS__)
#define SHMEMI_3(f, ...) SHMEMI_OF(__VA_ARGS__, , , , , SHMEMI_CTX, SHMEMI_SAME, , , )(f, __VA_ARGS__)
#define SHMEMI_4(f, ...) SHMEMI_OF(__VA_ARGS__, , , , SHMEMI_CTX, SHMEMI_SAME, , , , )(f, __VA_ARGS__)
#define SHMEMI_5(f, ...) SHMEMI_OF(__VA_ARGS__, , , SHMEMI_CTX, SHMEMI_SAME, , , , , )(f, __VA_ARGS__)
#define SHMEMI_6(f, ...) SHMEMI_OF(__VA_ARGS__, , SHMEMI_CTX, SHMEMI_SAME, , , , , , )(f, __VA_ARGS__)
#define SHMEMI_7(f, ...) SHMEMI_OF(__VA_ARGS__, SHMEMI_CTX, SHMEMI_SAME, , , , , , , )(f, __VA_ARGS__)
#define SHMEMI_ADDED(op, word, x, pe) SHMEMI_ATOMIC(op, word, x, 0, pe)
#define shmem_put(...) SHMEMI_4(SHMEMI_PUT_N, __VA_ARGS__)
#define shmem_get(...) SHMEMI_4(SHMEMI_GET_N, __VA_ARGS__)
#define shmem_put_nbi(...) SHMEMI_4(SHMEMI_PUT_NBI_N, __VA_ARGS__)
#define shmem_get_nbi(...) SHMEMI_4(SHMEMI_GET_NBI_N, __VA_ARGS__)
#define SHMEMI_PUT_N(to, from, n, pe) shmemi_copy(SHMEMI_PUT, to, from, (n) * sizeof *(to), pe)
#define SHMEMI_GET_N(to, from, n, pe) shmemi_copy(SHMEMI_GET, from, to, (n) * sizeof *(to), pe)
#define SHMEMI_PUT_NBI_N(to, from, n, pe) shmemi_copy(SHMEMI_PUT_NBI, to, from, (n) * sizeof *(to), pe)
#define SHMEMI_GET_NBI_N(to, from, n, pe) shmemi_copy(SHMEMI_GET_NBI, from, to, (n) * sizeof *(to), pe)
#define shmem_p(...) SHMEMI_3(SHMEMI_P, __VA_ARGS__)
#define shmem_g(...) SHMEMI_2(SHMEMI_G, __VA_ARGS__)
#define shmem_iput(...) SHMEMI_6(SHMEMI_IPUT_N, __VA_ARGS__)
#define shmem_iget(...) SHMEMI_6(SHMEMI_IGET_N, __VA_ARGS__)
#define SHMEMI_IPUT_N(to, from, ts, fs, n, pe) shmemi_strided(SHMEMI_PUT_NBI, to, from, ts, fs, n, sizeof *(to), pe)
#define SHMEMI_IGET_N(to, from, ts, fs, n, pe) shmemi_strided(SHMEMI_GET_NBI, from, to, fs, ts, n, sizeof *(to), pe)
#define shmem_put_signal(...) SHMEMI_7(SHMEMI_PUT_SIGNAL_N, __VA_ARGS__)
#define shmem_put_signal_nbi shmem_put_signal
#define SHMEMI_PUT_SIGNAL_N(to, from, n, w, x, op, pe) shmem_putmem_signal(to, from, (n) * sizeof *(to), w, x, op, pe)
#define shmem_atomic_fetch(...) SHMEMI_2(SHMEMI_FETCH_, __VA_ARGS__)
#define shmem_atomic_set(...) ((void)shmem_atomic_swap(__VA_ARGS__))
#define shmem_atomic_swap(...) SHMEMI_3(SHMEMI_SWAP_, __VA_ARGS__)
#define shmem_atomic_compare_swap(...) SHMEMI_4(SHMEMI_CAS_, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...) SHMEMI_2(SHMEMI_INC_, __VA_ARGS__)
#define shmem_atomic_fetch_add(...) SHMEMI_3(SHMEMI_ADD_, __VA_ARGS__)
#define shmem_atomic_fetch_and(...) SHMEMI_3(SHMEMI_AND_, __VA_ARGS__)
#define shmem_atomic_fetch_or(...) SHMEMI_3(SHMEMI_OR_, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...) SHMEMI_3(SHMEMI_XOR_, __VA_ARGS__)
#define SHMEMI_FETCH_(p, pe) SHMEMI_ATOMIC(SHMEMI_FETCH, p, 0, 0, pe)
#define SHMEMI_SWAP_(p, x, pe) SHMEMI_ATOMIC(SHMEMI_SWAP, p, x, 0, pe)
#define SHMEMI_CAS_(p, c, x, pe) SHMEMI_ATOMIC(SHMEMI_CAS, p, x, c, pe)
#define SHMEMI_INC_(p, pe) SHMEMI_ATOMIC(SHMEMI_ADD, p, 1, 0, pe)
#define SHMEMI_ADD_(p, x, pe) SHMEMI_ATOMIC(SHMEMI_ADD, p, x, 0, pe)
#define SHMEMI_AND_(p, x, pe) SHMEMI_ATOMIC(SHMEMI_AND, p, x, 0, pe)
#define SHMEMI_OR_(p, x, pe) SHMEMI_ATOMIC(SHMEMI_OR, p, x, 0, pe)
#define SHMEMI_XOR_(p, x, pe) SHMEMI_ATOMIC(SHMEMI_XOR, p, x, 0, pe)
#define shmem_atomic_inc(...) ((void)shmem_atomic_fetch_inc(__VA_ARGS__))
#define shmem_atomic_add(...) ((void)shmem_atomic_fetch_add(__VA_ARGS__))
#define shmem_atomic_and(...) ((void)shmem_atomic_fetch_and(__VA_ARGS__))
#define shmem_atomic_or(...) ((void)shmem_atomic_fetch_or(__VA_ARGS__))
#define shmem_atomic_xor(...) ((void)shmem_atomic_fetch_xor(__VA_ARGS__))
#define shmem_atomic_fetch_nbi(...) SHMEMI_3(SHMEMI_FETCH_NBI, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...) SHMEMI_3(SHMEMI_INC_NBI, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...) SHMEMI_4(SHMEMI_SWAP_NBI, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) SHMEMI_5(SHMEMI_CAS_NBI, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...) SHMEMI_4(SHMEMI_ADD_NBI, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...) SHMEMI_4(SHMEMI_AND_NBI, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...) SHMEMI_4(SHMEMI_OR_NBI, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...) SHMEMI_4(SHMEMI_XOR_NBI, __VA_ARGS__)
#define SHMEMI_FETCH_NBI(to, ...) ((void)(*(to) = SHMEMI_FETCH_(__VA_ARGS__)))
#define SHMEMI_INC_NBI(to, ...) ((void)(*(to) = SHMEMI_INC_(__VA_ARGS__)))
#define SHMEMI_SWAP_NBI(to, ...) ((void)(*(to) = SHMEMI_SWAP_(__VA_ARGS__)))
#define SHMEMI_CAS_NBI(to, ...) ((void)(*(to) = SHMEMI_CAS_(__VA_ARGS__)))
#define SHMEMI_ADD_NBI(to, ...) ((void)(*(to) = SHMEMI_ADD_(__VA_ARGS__)))
#define SHMEMI_AND_NBI(to, ...) ((void)(*(to) = SHMEMI_AND_(__VA_ARGS__)))
#define SHMEMI_OR_NBI(to, ...) ((void)(*(to) = SHMEMI_OR_(__VA_ARGS__)))
#define SHMEMI_XOR_NBI(to, ...) ((void)(*(to) = SHMEMI_XOR_(__VA_ARGS__)))
#define shmem_broadcast(t, to, from, n, root) shmem_broadcastmem(t, to, from, (n) * sizeof *(to), root)
#define shmem_collect(t, to, from, n) shmem_collectmem(t, to, from, (n) * sizeof *(to))
#define shmem_fcollect(t, to, from, n) shmem_fcollectmem(t, to, from, (n) * sizeof *(to))
#define shmem_alltoall(t, to, from, n) shmemi_alltoall(t, to, from, 1, 1, n, sizeof *(to))
#define shmem_alltoalls(t, to, from, ts, fs, n) shmemi_alltoall(t, to, from, ts, fs, n, sizeof *(to))
#define SHMEMI_I(N, T, OP) T*: shmem_##N##_##OP##_reduce
#define SHMEMI_IS_(OP) SHMEMI_I(char, char, OP), SHMEMI_I(schar, signed char, OP), SHMEMI_I(uchar, unsigned char, OP), \
  SHMEMI_I(short, short, OP), SHMEMI_I(ushort, unsigned short, OP), SHMEMI_I(int, int, OP), SHMEMI_I(uint, unsigned, OP), \
  SHMEMI_I(long, long, OP), SHMEMI_I(ulong, unsigned long, OP), SHMEMI_I(longlong, long long, OP), SHMEMI_I(ulonglong, unsigned long long, OP)
#define SHMEMI_FS_(OP) SHMEMI_IS_(OP), SHMEMI_I(float, float, OP), SHMEMI_I(double, double, OP), SHMEMI_I(longdouble, long double, OP)
#define SHMEMI_CS_(OP) SHMEMI_FS_(OP), SHMEMI_I(complexf, float _Complex, OP), SHMEMI_I(complexd, double _Complex, OP)
#define shmem_and_reduce(t, to, from, n) _Generic((to), SHMEMI_IS_(and))(t, to, from, n)
#define shmem_or_reduce(t, to, from, n) _Generic((to), SHMEMI_IS_(or))(t, to, from, n)
#define shmem_xor_reduce(t, to, from, n) _Generic((to), SHMEMI_IS_(xor))(t, to, from, n)
#define shmem_min_reduce(t, to, from, n) _Generic((to), SHMEMI_FS_(min))(t, to, from, n)
#define shmem_max_reduce(t, to, from, n) _Generic((to), SHMEMI_FS_(max))(t, to, from, n)
#define shmem_sum_reduce(t, to, from, n) _Generic((to), SHMEMI_CS_(sum))(t, to, from, n)
#define shmem_prod_reduce(t, to, from, n) _Generic((to), SHMEMI_CS_(prod))(t, to, from, n)
#define SHMEMI_SYNC_SET(start, stride, size, sync) ((void)shmem_team_sync(shmemi_set(start, stride, size)))
#define shmem_sync(...) SHMEMI_OF(__VA_ARGS__, , , , , SHMEMI_SYNC_SET, , , shmem_team_sync, )(__VA_ARGS__)
/* clang-format on */

#endif /* LLCL_EXAMPLES_SHMEM_TYPES_H_ */
