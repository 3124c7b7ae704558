#include "dsm/engine/engine.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llcl/process_limits.h"

namespace dsm {

std::string NameOf(EngineKind kind) {
  switch (kind) {
    case EngineKind::kAutomatic:
      return "automatic";
    case EngineKind::kUserfaultfd:
      return "userfaultfd";
    case EngineKind::kSegv:
      return "segv";
    case EngineKind::kServer:
      return "userfaultfd-server";
  }
  return "none";
}

absl::Status CannotMap(const char* what, const void* at, std::uint64_t bytes) {
  const int error = errno;
  std::string advice;
  if (error == ENOMEM) {
    const std::string limit = llcl::WhyNoAddresses(bytes);
    advice = limit.empty() ? " (raise vm.max_map_count, or choose larger pages; or there is no"
                             " memory)"
                           : absl::StrCat(" (", limit, ", or lower SpaceOptions::bytes)");
  }
  return absl::ResourceExhaustedError(absl::StrCat("cannot ", what, " ", bytes, " bytes at 0x",
                                                   absl::Hex(reinterpret_cast<std::uintptr_t>(at)),
                                                   ": ", std::strerror(error), advice));
}

absl::StatusOr<std::unique_ptr<Engine>> MakeEngine(EngineKind kind, std::span<std::byte> view) {
  switch (kind) {
    case EngineKind::kUserfaultfd:
      return MakeUserfaultfdEngine(view);
    case EngineKind::kServer:
      return MakeServerEngine(view);
    case EngineKind::kSegv:
      return MakeSegvEngine(view);
    case EngineKind::kAutomatic:
      break;
  }
  auto engine = MakeUserfaultfdEngine(view);
  return engine.ok() ? std::move(engine) : MakeSegvEngine(view);
}

}  // namespace dsm
