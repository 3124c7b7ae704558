// Requests of a random program that must be refused: at once, or when the other rank finds out.
#include "llcl/strided.h"
#include "llcl/tests/random_rank.h"

namespace llcl {

Posted RandomThread::PostInvalid(const Step& step, Posting& posting) {
  Endpoint& endpoint = rank_.member_->endpoint();
  const WindowLayout& layout = rank_.program_.layout;
  RemoteAddress there = Window(step, layout.Untouched());
  LocalAddress here = posting.local;
  RemoteRegion& region = there.region;
  StepKind kind = step.wrong_kind;
  switch (step.wrong) {
    case Wrong::kOffset:
      there.offset = region.bytes - 4 + step.value % 3;
      kind = kind == StepKind::kAtomic ? StepKind::kRead : kind;
      break;
    case Wrong::kOverflow:
      there.offset = ~std::uint64_t{0} - step.value % 16;
      break;
    case Wrong::kOwner:
      region.owner = Rank{step.value % 2 == 0 ? layout.ranks : -1};
      break;
    case Wrong::kNoRegion:
      region.id.generation = 0;
      break;
    case Wrong::kLocalOffset:
      here.offset = here.region.bytes - 4;
      break;
    case Wrong::kLocalGone:
      here = {gone_, 0};
      break;
    case Wrong::kUnaligned:
      kind = StepKind::kAtomic;
      there.offset -= 4;
      break;
    case Wrong::kNoSuchAtomic:
      posting.second = nullptr;
      return endpoint.TryAtomic<double>(
          {.target = there, .op = AtomicOp::kXor, .then = posting.ending->completion()});
    case Wrong::kHandler:
      return endpoint.TrySend(
          {.to = Rank{step.peer}, .handler = HandlerId{7}, .then = posting.ending->completion()});
    case Wrong::kTooLong: {
      const std::vector<std::byte> payload(rank_.program_.large_bytes + 1);
      return endpoint.TrySend({.to = Rank{step.peer},
                               .handler = HandlerId{0},
                               .payload = payload,
                               .then = posting.ending->completion()});
    }
    case Wrong::kKey:
      for (std::uint64_t& key : region.keys) key ^= std::uint64_t{1} << step.value % 64;
      break;
    case Wrong::kBytes:
      there.offset = region.bytes + step.value % 512 * 8;
      region.bytes += 8192;
      break;
    case Wrong::kStart:
      region.start += step.value % 2 == 0 ? 8 : -std::uint64_t{16};
      break;
    case Wrong::kSlot:
      region.id.slot += static_cast<std::uint32_t>(1 + step.value % 5000);
      break;
    case Wrong::kGeneration:
      region.id.generation += step.value % 2 == 0 ? 2 : 1;
      break;
    case Wrong::kMisalignment:
      kind = StepKind::kAtomic;
      region.misalignment ^= 4;
      there.offset -= 4;
      break;
    case Wrong::kGone:
      if (rank_.all_gone_.empty()) return Posted::kBadRange;  // None yet.
      there = {rank_.all_gone_[static_cast<std::size_t>(step.peer)], 0};
      break;
  }
  if (kind != StepKind::kPutThenAtomic) posting.second = nullptr;
  const Completion then = posting.ending->completion();
  if (kind == StepKind::kRead) return endpoint.TryRead({there, here, 8, then});
  if (kind == StepKind::kWrite) return endpoint.TryWrite({here, there, 8, then});
  if (kind == StepKind::kReadStrided) {
    return TryReadStrided(
        endpoint,
        {.local = here, .remote = there, .bytes = 4, .dimensions = {{2, 4, 4}}, .then = then});
  }
  if (kind == StepKind::kAtomic) {
    AtomicParams<std::uint64_t> params = {.target = there, .operand = 1, .then = then};
    if (step.wrong == Wrong::kLocalOffset || step.wrong == Wrong::kLocalGone)
      params.fetch_to = here;
    return endpoint.TryAtomic<std::uint64_t>(params);
  }
  return endpoint.TryWriteThenAtomic<std::uint64_t>({here, there, 8, then},
                                                    {.target = Window(step, layout.Untouched()),
                                                     .operand = 1,
                                                     .then = posting.second->completion()});
}

}  // namespace llcl
