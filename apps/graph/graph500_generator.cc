#include "apps/graph/graph500_generator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "apps/graph/kronecker.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace graph {
namespace {

constexpr std::uint64_t kModulus = (std::uint64_t{1} << 31) - 1;

// Of a number below 2^62, modulo kModulus.
constexpr std::uint32_t Reduced(std::uint64_t x) {
  x = (x & kModulus) + (x >> 31);
  x = (x & kModulus) + (x >> 31);
  return static_cast<std::uint32_t>(x == kModulus ? 0 : x);
}

// The last five numbers of the sequence, the latest first.
using State = std::array<std::uint32_t, 5>;
using Matrix = std::array<State, 5>;  // by row

constexpr std::uint64_t kFirst = 107374182, kFifth = 104480;

constexpr std::uint32_t DotProduct(const State& row, const State& state) {
  // Each product is below 2^62, and a sum of four below 2^64.
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += std::uint64_t{row[i]} * state[i];
  sum = (sum & kModulus) + (sum >> 31);
  return Reduced(sum % kModulus + std::uint64_t{row[4]} * state[4] % kModulus);
}

constexpr State Product(const Matrix& matrix, const State& state) {
  State result = {};
  for (std::size_t i = 0; i < 5; ++i) result[i] = DotProduct(matrix[i], state);
  return result;
}

constexpr Matrix Square(const Matrix& matrix) {
  Matrix square = {};
  for (std::size_t column = 0; column < 5; ++column) {
    State of_column = {};
    for (std::size_t i = 0; i < 5; ++i) of_column[i] = matrix[i][column];
    of_column = Product(matrix, of_column);
    for (std::size_t i = 0; i < 5; ++i) square[i][column] = of_column[i];
  }
  return square;
}

// Powers of the transition matrix: kLeaps[i] leads 2^i places on.
constexpr std::size_t kEdgeBit = 64;    // of the distance between two edges' numbers
constexpr std::size_t kGroupBit = 128;  // of that between uses of the sequence
constexpr auto kLeaps = [] {
  std::array<Matrix, kGroupBit + 6> leaps = {};
  leaps[0] = {{{kFirst, 0, 0, 0, kFifth},
               {1, 0, 0, 0, 0},
               {0, 1, 0, 0, 0},
               {0, 0, 1, 0, 0},
               {0, 0, 0, 1, 0}}};
  for (std::size_t i = 1; i < leaps.size(); ++i) leaps[i] = Square(leaps[i - 1]);
  return leaps;
}();

// A value: a place in the sequence.
class Sequence {
 public:
  explicit Sequence(const Graph500& graph) {
    constexpr std::uint64_t kLow = (std::uint64_t{1} << 30) - 1;
    const auto [one, other] = std::pair(graph.seed1, graph.seed2);
    const std::uint64_t parts[] = {one & kLow, one >> 30 & kLow, other & kLow, other >> 30 & kLow,
                                   other >> 60 << 4 | one >> 60};
    for (std::size_t i = 0; i < 5; ++i) state_[i] = static_cast<std::uint32_t>(parts[i]) + 1;
  }

  // On by times * 2^bit places.
  void Leap(std::size_t bit, std::uint64_t times) {
    for (; times != 0; times &= times - 1) {
      state_ = Product(kLeaps[bit + static_cast<std::size_t>(std::countr_zero(times))], state_);
    }
  }

  const State& state() const { return state_; }

  void LeapToNextEdge() { state_ = Product(kLeaps[kEdgeBit], state_); }

  std::uint32_t Next() {
    const std::uint32_t next = Reduced(kFirst * state_[0] + kFifth * state_[4]);
    state_ = {next, state_[0], state_[1], state_[2], state_[3]};
    return next;
  }

  // In [0, 1).
  double NextFraction() {
    // 1 / (2^31 - 1) and its square, in the digits of the reference code.
    constexpr double kUnit = 4.65661287524579692e-10, kSquare = 2.168404344990492787e-19;
    const double high = Next() * kUnit;
    return high + Next() * kSquare;
  }

 private:
  State state_;
};

constexpr std::uint32_t kB = 1900, kBc = 3800, kAbc = 9500, kAll = 10000;
constexpr std::uint32_t kLeftOut = kModulus % kAll;  // numbers below

// A number below kAll, each equally likely: the lowest numbers of the sequence are left out.
std::uint32_t Choice(Sequence& random) {
  std::uint32_t number = random.Next();
  while (number < kLeftOut) number = random.Next();
  return number % kAll;
}

Edge EdgeAt(Sequence random, int scale) {
  Edge edge = {0, 0};
  for (int level = 0; level < scale; ++level) {
    const std::uint32_t choice = Choice(random);
    const bool is_b = choice < kB, is_c = choice - kB < kBc - kB, is_d = choice >= kAbc;
    const bool lower = is_c | is_d, right = is_b | is_d, equal = edge.from == edge.to;
    edge.from = edge.from << 1 | static_cast<Vertex>(equal ? lower & right : lower);
    edge.to = edge.to << 1 | static_cast<Vertex>(equal ? lower | right : right);
  }
  return edge;
}

// Writes edges that are not renamed yet.
void GeneratePlain(Sequence random, int scale, std::span<Edge> out) {
  for (Edge& edge : out) {
    edge = EdgeAt(random, scale);
    random.LeapToNextEdge();
  }
}

#if defined(__x86_64__)
// The same by AVX2, four edges at a time: a number takes the lower half of a 64-bit lane.
constexpr std::size_t kLanes = 4, kLanesBit = 2;
using Lanes = __m256i;

[[gnu::target("avx2")]] inline Lanes All(std::uint64_t number) {
  return _mm256_set1_epi64x(static_cast<long long>(number));
}

[[gnu::target("avx2")]] inline Lanes Product(std::uint64_t factor, Lanes x) {
  return _mm256_mul_epu32(All(factor), x);
}

// Congruent modulo kModulus, and shorter by up to 31 bits.
[[gnu::target("avx2")]] inline Lanes Folded(Lanes x) {
  return _mm256_add_epi64(_mm256_and_si256(x, All(kModulus)), _mm256_srli_epi64(x, 31));
}

// Of numbers below twice kModulus: a difference below 0 is the larger one without a sign.
[[gnu::target("avx2")]] inline Lanes Lowered(Lanes x) {
  return _mm256_min_epu32(x, _mm256_sub_epi32(x, All(kModulus)));
}

struct StateOfFour {
  Lanes numbers[5];
};

[[gnu::target("avx2")]] inline Lanes Next(StateOfFour& state) {
  Lanes(&z)[5] = state.numbers;
  const Lanes sum = _mm256_add_epi64(Product(kFirst, z[0]), Product(kFifth, z[4]));
  for (std::size_t i = 4; i > 0; --i) z[i] = z[i - 1];
  return z[0] = Lowered(Folded(sum));
}

// Each lane goes on by four edges.
[[gnu::target("avx2")]] inline void LeapFourEdges(StateOfFour& state) {
  StateOfFour next;
  for (std::size_t row = 0; row < 5; ++row) {
    const State& factors = kLeaps[kEdgeBit + kLanesBit][row];
    const auto& z = state.numbers;
    const Lanes four =
        _mm256_add_epi64(_mm256_add_epi64(Product(factors[0], z[0]), Product(factors[1], z[1])),
                         _mm256_add_epi64(Product(factors[2], z[2]), Product(factors[3], z[3])));
    next.numbers[row] =
        Lowered(Folded(Folded(_mm256_add_epi64(Folded(four), Product(factors[4], z[4])))));
  }
  state = next;
}

// False where a lane's number is one of those that Choice leaves out.
[[gnu::target("avx2")]] inline bool MakeFourEdges(StateOfFour state, int scale, Edge* edges) {
  // number * kReciprocal >> 45 is number / kAll of any 32-bit number.
  constexpr std::uint64_t kReciprocal = 0xd1b71759;
  Lanes from = All(0), to = All(0), left_out = All(0);
  for (int level = 0; level < scale; ++level) {
    const Lanes number = Next(state);
    left_out = _mm256_or_si256(left_out, _mm256_cmpgt_epi32(All(kLeftOut), number));
    const Lanes quotient = _mm256_srli_epi64(Product(kReciprocal, number), 45);
    const Lanes choice = _mm256_sub_epi32(number, Product(kAll, quotient));
    const Lanes is_b = _mm256_cmpgt_epi32(All(kB), choice),
                is_bc = _mm256_cmpgt_epi32(All(kBc), choice),
                is_d = _mm256_cmpgt_epi32(choice, All(kAbc - 1));
    const Lanes lower = _mm256_or_si256(_mm256_andnot_si256(is_b, is_bc), is_d),
                right = _mm256_or_si256(is_b, is_d), equal = _mm256_cmpeq_epi32(from, to);
    // A true comparison is -1.
    from = _mm256_sub_epi32(_mm256_slli_epi32(from, 1),
                            _mm256_andnot_si256(_mm256_andnot_si256(right, equal), lower));
    to = _mm256_sub_epi32(_mm256_slli_epi32(to, 1),
                          _mm256_or_si256(right, _mm256_and_si256(lower, equal)));
  }
  // Edges are pairs of 32-bit ends, lower address first.
  _mm256_storeu_si256(reinterpret_cast<Lanes*>(edges),
                      _mm256_or_si256(from, _mm256_slli_epi64(to, 32)));
  return _mm256_testz_si256(left_out, left_out) != 0;
}

[[gnu::target("avx2")]] void GeneratePlainByFours(Sequence random, int scale, std::span<Edge> out) {
  static_assert(sizeof(Edge) == 8 && offsetof(Edge, from) == 0);
  std::array<std::array<std::uint64_t, kLanes>, 5> begin;
  Sequence lane = random;
  for (std::size_t i = 0; i < kLanes; ++i) {
    for (std::size_t j = 0; j < 5; ++j) begin[j][i] = lane.state()[j];
    lane.LeapToNextEdge();
  }
  StateOfFour state;
  for (std::size_t j = 0; j < 5; ++j) {
    state.numbers[j] = _mm256_loadu_si256(reinterpret_cast<const Lanes*>(begin[j].data()));
  }
  std::size_t first = 0;
  for (; first + kLanes <= out.size(); first += kLanes) {
    if (!MakeFourEdges(state, scale, out.data() + first)) {
      Sequence again = random;
      again.Leap(kEdgeBit, first);
      GeneratePlain(again, scale, out.subspan(first, kLanes));
    }
    LeapFourEdges(state);
  }
  random.Leap(kEdgeBit, first);
  GeneratePlain(random, scale, out.subspan(first));
}
#endif

void GeneratePlainFast(const Sequence& random, int scale, std::span<Edge> out) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return GeneratePlainByFours(random, scale, out);
#endif
  GeneratePlain(random, scale, out);
}

constexpr std::uint64_t Reversed(std::uint64_t bits) {
  constexpr std::uint64_t kOdd = 0x5555555555555555, kPairs = 0x3333333333333333,
                          kFours = 0x0f0f0f0f0f0f0f0f;
  bits = (bits >> 1 & kOdd) | (bits & kOdd) << 1;
  bits = (bits >> 2 & kPairs) | (bits & kPairs) << 2;
  bits = (bits >> 4 & kFours) | (bits & kFours) << 4;
  return __builtin_bswap64(bits);
}

// A value: the renaming of vertices.
class Renaming {
 public:
  explicit Renaming(const Graph500& graph) : shift_(64 - graph.scale) {
    Sequence random(graph);
    random.Leap(kGroupBit, 50);
    random.Leap(kEdgeBit, 7);
    const auto next = [&] {
      const std::uint64_t high = random.Next();
      return high * 0xffffffff + random.Next();
    };
    const std::uint64_t one = next(), other = next();
    summand_ = one + other;
    factors_[0] = one | 0x4519840211493211;
    factors_[1] = other | 0x3050852102c843a5;
  }

  Vertex operator()(Vertex vertex) const {
    std::uint64_t bits = vertex + summand_;
    for (const std::uint64_t factor : factors_) bits = Reversed(bits * factor) >> shift_;
    return static_cast<Vertex>(bits);
  }

 private:
  int shift_;
  std::uint64_t summand_;
  std::uint64_t factors_[2];
};

}  // namespace

absl::Status Check(const Graph500& graph) {
  return Check(Kronecker{.scale = graph.scale, .edge_factor = graph.edge_factor});
}

void Generate(const Graph500& graph, std::uint64_t first, std::span<Edge> out) {
  const Renaming renamed(graph);
  Sequence random(graph);
  random.Leap(kEdgeBit, first);
  GeneratePlainFast(random, graph.scale, out);
  for (Edge& edge : out) edge = {renamed(edge.from), renamed(edge.to)};
}

std::vector<Vertex> RootsOf(const Graph500& graph, int count,
                            const std::function<bool(Vertex)>& has_edges) {
  Sequence random(graph);
  random.Leap(kGroupBit, 2);
  std::vector<Vertex> roots;
  const std::uint64_t vertices = graph.vertices();
  for (std::uint64_t draw = 0; draw < vertices && std::ssize(roots) < count; ++draw) {
    const double one = random.NextFraction();
    const double sum = one + random.NextFraction();
    const auto root = static_cast<Vertex>(
        static_cast<std::uint64_t>(sum * static_cast<double>(vertices)) % vertices);
    if (std::find(roots.begin(), roots.end(), root) == roots.end() && has_edges(root)) {
      roots.push_back(root);
    }
  }
  return roots;
}

}  // namespace graph
