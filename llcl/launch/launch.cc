// The one file of llcl that reads the environment.
#include "llcl/launch/launch.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>

#include "llcl/launch/launcher.h"
#include "llcl/launch/pmi_client.h"
#include "llcl/launch/pmix_client.h"
#include "llcl/launch/rendezvous.h"
#include "llcl/launch/rendezvous_rules.h"

namespace llcl {
namespace {

class Singleton final : public Launch {
 public:
  Rank rank() const override { return Rank{0}; }
  int size() const override { return 1; }
  absl::StatusOr<std::vector<std::string>> Allgather(std::string_view mine) override {
    return std::vector<std::string>{std::string(mine)};
  }
  void Abort(int exit_code, std::string_view /*why*/) override { _exit(exit_code); }
};

class UserLaunch final : public Launch {
 public:
  UserLaunch(Rank rank, int size, AllgatherFunction allgather)
      : rank_(rank), size_(size), allgather_(std::move(allgather)) {}
  Rank rank() const override { return rank_; }
  int size() const override { return size_; }
  absl::StatusOr<std::vector<std::string>> Allgather(std::string_view mine) override {
    auto all = allgather_(mine);
    if (all.ok() && all->size() != static_cast<std::size_t>(size_)) {
      return absl::InvalidArgumentError("an allgather brings something from each rank");
    }
    return all;
  }
  void Abort(int exit_code, std::string_view /*why*/) override { _exit(exit_code); }

 private:
  const Rank rank_;
  const int size_;
  const AllgatherFunction allgather_;
};

std::optional<int> NumberIn(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  if (*end != '\0' || number < 0 || number > 1 << 30) return std::nullopt;
  return static_cast<int>(number);
}

std::string TextIn(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? "" : text;
}

const char* Environment(const char* variable) { return std::getenv(variable); }

absl::StatusOr<std::unique_ptr<Launch>> FindRendezvous() {
  const ByHand found = ReadByHand(Environment);
  if (!found.error.ok()) return found.error;
  return Meet({.address = found.address,
               .secret = found.secret,
               .rank = Rank{found.rank},
               .size = found.size,
               .deadline = std::chrono::seconds(found.timeout_s)});
}

absl::StatusOr<std::unique_ptr<Launch>> FindPmi() {
  const auto fd = NumberIn("PMI_FD"), rank = NumberIn("PMI_RANK"), size = NumberIn("PMI_SIZE");
  if (!fd || !rank || !size || *rank >= *size) {
    return absl::UnavailableError(
        "the launcher set PMI_FD, but PMI_RANK and PMI_SIZE do not say which rank of how many "
        "this is");
  }
  return ConnectPmi(*fd, Rank{*rank}, *size);
}

}  // namespace

ConduitChoice FindConduitChoice() {
  return {TextIn("LLCL_CONDUIT"), TextIn("LLCL_PROVIDER"),   TextIn("LLCL_ADDRESS"),
          TextIn("LLCL_DEVICES"), TextIn("LLCL_OWN_MEMORY"), TextIn("LLCL_RANKS_PER_HOST")};
}

bool AsksForCounts() {
  const std::string value = TextIn("LLCL_STATS");
  return !value.empty() && value != "0";
}

std::unique_ptr<Launch> MakeSingleton() { return std::make_unique<Singleton>(); }

std::unique_ptr<Launch> MakeUserLaunch(Rank rank, int size, AllgatherFunction allgather) {
  return std::make_unique<UserLaunch>(rank, size, std::move(allgather));
}

absl::StatusOr<std::unique_ptr<Launch>> FindLaunch() {
  const LauncherFound found = FindLauncher(Environment);
  switch (found.launcher) {
    case Launcher::kRendezvous:
      return FindRendezvous();
    case Launcher::kPmi:
      return FindPmi();
    case Launcher::kPmix:
      return ConnectPmix();
    case Launcher::kNone:
      return MakeSingleton();
    case Launcher::kUnknown:
      break;
  }
  return absl::UnavailableError(found.refusal);
}

}  // namespace llcl
