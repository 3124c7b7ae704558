#include "apps/simpath/frontier/join.h"

// Sanitizers fail with functions chosen at load time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SIMPATH_FOR_EACH_PROCESSOR \
  __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define SIMPATH_FOR_EACH_PROCESSOR
#endif

namespace simpath {
namespace {

// Vector registers hold several states, with mates of one or two words.
template <int words>
[[gnu::always_inline]] inline void LeaveOutEach(const Layout& layout, std::span<const Joint> joints,
                                                Columns<words>& columns) {
  const std::uint64_t mask = layout.mask();
  const std::size_t size = columns.size;
  for (std::size_t i = 0; i < size; ++i) {
    columns.without.Set(i, columns.mates.Get(i));
    columns.must[i] = 0;
  }
  for (const Joint& each : joints) {
    const Joint joint = each;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t mate = columns.mates.Get(i).Get(joint.bit, mask);
      const std::uint64_t is_untouched = mate == kUntouched ? 1 : 0;
      Mates<words> without = columns.without.Get(i);
      without.Flip(joint.bit, joint.is_inner & is_untouched);
      columns.without.Set(i, without);
      columns.must[i] += mate > kInner ? joint.leaves : 0;
      columns.must[i] += is_untouched != 0 ? joint.needs_edge + 3 * joint.is_lost : 0;
    }
  }
}

// `plain`: paths close, and no joint needs an edge.
template <int words, bool plain>
[[gnu::always_inline]] inline void JoinEach(const Layout& layout, Shape shape, const Joint& joint_a,
                                            const Joint& joint_b, const Mates<words>& stays_there,
                                            Columns<words>& columns) {
  // Copies: stores cannot change them.
  const Joint a = joint_a, b = joint_b;
  const Mates<words> stays = stays_there;
  const std::uint64_t mask = layout.mask();
  const Places<words> places(layout);
  const std::size_t size = columns.size;
  for (std::size_t i = 0; i < size; ++i) {
    const Mates<words> mates = columns.mates.Get(i);
    const std::uint64_t of_a = mates.Get(a.bit, mask), of_b = mates.Get(b.bit, mask);
    const std::uint64_t a_is_new = of_a == kUntouched ? 1 : 0,
                        b_is_new = of_b == kUntouched ? 1 : 0;
    // The ends of the joined path.
    const std::uint64_t end_a = a_is_new != 0 ? a.slot : of_a,
                        end_b = b_is_new != 0 ? b.slot : of_b;
    const std::uint64_t then_a = a_is_new != 0 ? end_b : kInner,
                        then_b = b_is_new != 0 ? end_a : kInner;
    Mates<words> joined = columns.without.Get(i);
    joined.Flip(a.bit, of_a ^ (a_is_new & a.is_inner) ^ then_a);
    joined.Flip(b.bit, of_b ^ (b_is_new & b.is_inner) ^ then_b);
    joined.Flip(places.bit(of_a), of_a > kOutside ? a.slot ^ end_b : 0);
    joined.Flip(places.bit(of_b), of_b > kOutside ? b.slot ^ end_a : 0);
    columns.joined.Set(i, joined & stays);
    const std::uint64_t both_outside = ((of_a ^ kOutside) | (of_b ^ kOutside)) == 0 ? 1 : 0;
    std::uint64_t must = (of_a > kInner ? a.leaves : 0) + (of_b > kInner ? b.leaves : 0);
    if constexpr (!plain) must += (a_is_new & a.needs_edge) + (b_is_new & b.needs_edge);
    const std::uint64_t is_own = of_a == b.slot ? 1 : 0;
    std::uint64_t cannot = both_outside | is_own | (a.leaves & a_is_new) | (b.leaves & b_is_new);
    cannot |= of_a == kInner ? 1 : 0;
    cannot |= of_b == kInner ? 1 : 0;
    cannot |= columns.must[i] == must ? 0 : 1;
    columns.goes_on[i] = cannot ^ 1;
    columns.closes[i] = plain || shape == Shape::kPaths ? both_outside : is_own;
  }
}

bool IsPlain(Shape shape, const Joint& a, const Joint& b) {
  return shape == Shape::kPaths && (a.needs_edge | b.needs_edge) == 0;
}

}  // namespace

template <>
SIMPATH_FOR_EACH_PROCESSOR void LeaveOut<1>(const Layout& layout, std::span<const Joint> joints,
                                            Columns<1>& columns) {
  LeaveOutEach<1>(layout, joints, columns);
}
template <>
SIMPATH_FOR_EACH_PROCESSOR void Join<1>(const Layout& layout, Shape shape, const Joint& a,
                                        const Joint& b, const Mates<1>& stays,
                                        Columns<1>& columns) {
  if (IsPlain(shape, a, b)) {
    JoinEach<1, true>(layout, shape, a, b, stays, columns);
  } else {
    JoinEach<1, false>(layout, shape, a, b, stays, columns);
  }
}

template <>
SIMPATH_FOR_EACH_PROCESSOR void LeaveOut<2>(const Layout& layout, std::span<const Joint> joints,
                                            Columns<2>& columns) {
  LeaveOutEach<2>(layout, joints, columns);
}
template <>
SIMPATH_FOR_EACH_PROCESSOR void Join<2>(const Layout& layout, Shape shape, const Joint& a,
                                        const Joint& b, const Mates<2>& stays,
                                        Columns<2>& columns) {
  if (IsPlain(shape, a, b)) {
    JoinEach<2, true>(layout, shape, a, b, stays, columns);
  } else {
    JoinEach<2, false>(layout, shape, a, b, stays, columns);
  }
}

template <int words>
void LeaveOut(const Layout& layout, std::span<const Joint> joints, Columns<words>& columns) {
  LeaveOutEach<words>(layout, joints, columns);
}
template <int words>
void Join(const Layout& layout, Shape shape, const Joint& a, const Joint& b,
          const Mates<words>& stays, Columns<words>& columns) {
  JoinEach<words, false>(layout, shape, a, b, stays, columns);
}
template void LeaveOut(const Layout&, std::span<const Joint>, Columns<4>&);
template void LeaveOut(const Layout&, std::span<const Joint>, Columns<8>&);
template void Join(const Layout&, Shape, const Joint&, const Joint&, const Mates<4>&, Columns<4>&);
template void Join(const Layout&, Shape, const Joint&, const Joint&, const Mates<8>&, Columns<8>&);

}  // namespace simpath
