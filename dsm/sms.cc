#include "dsm/sms.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "dsm/layout/pages.h"
#include "dsm/sms/memory_config.h"
#include "dsm/space.h"

extern "C" {
int sms_pid = 0;
int sms_nprocs = 1;
}

namespace {

std::unique_ptr<dsm::Space> space;

[[noreturn]] void End(const char* what, const absl::Status& why) {
  std::fprintf(stderr, "%s: %s\n", what, std::string(why.message()).c_str());
  std::_Exit(absl::IsUnavailable(why) ? 75 : 2);
}
void Require(const char* what, const absl::Status& status) {
  if (space == nullptr) End(what, absl::FailedPreconditionError("sms_startup was not called"));
  if (!status.ok()) End(what, status);
}

void ReadNumber(const char* name, std::uint64_t& number) {
  const char* const text = std::getenv(name);
  if (text == nullptr || absl::SimpleAtoi(text, &number)) return;
  End("sms_startup",
      absl::InvalidArgumentError(std::string(name) + " is " + text + ", not a number of bytes"));
}

dsm::MemoryConfig ReadMemoryConfig(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) {
    End("sms_startup", absl::NotFoundError("SMS_MEMORY is " + file + ", which cannot be read"));
  }
  const auto config = dsm::ParseMemoryConfig(text.str(), file);
  if (!config.ok()) End("sms_startup", config.status());
  return *config;
}

dsm::SpaceOptions OptionsFromEnvironment() {
  dsm::SpaceOptions options;
  ReadNumber("SMS_PAGE_BYTES", options.page_bytes);
  ReadNumber("SMS_BYTES", options.bytes);
  if (options.page_bytes == 0) {
    End("sms_startup", absl::InvalidArgumentError("SMS_PAGE_BYTES is 0"));
  }
  if (const char* const file = std::getenv("SMS_MEMORY"); file != nullptr) {
    const dsm::MemoryConfig config = ReadMemoryConfig(file);
    const dsm::PageSize size(options.page_bytes);
    options.home_bytes = size.BytesOf(size.WholePagesIn(config.home));
    options.cache_bytes = size.BytesOf(size.WholePagesIn(config.cache));
    // Rounded down to nothing it would be no bound.
    if ((config.home > 0 && options.home_bytes == 0) ||
        (config.cache > 0 && options.cache_bytes == 0)) {
      End("sms_startup", absl::InvalidArgumentError(std::string(file) +
                                                    ": home and cache have room for a page each"));
    }
  }
  const char* const engine = std::getenv("SMS_ENGINE");
  if (engine == nullptr) return options;
  for (const auto kind : {dsm::EngineKind::kUserfaultfd, dsm::EngineKind::kSegv}) {
    if (engine != dsm::NameOf(kind)) continue;
    options.engine = kind;
    return options;
  }
  End("sms_startup", absl::InvalidArgumentError(std::string("SMS_ENGINE is ") + engine +
                                                ", but there are userfaultfd and segv"));
}

void* Allocate(const char* what, const dsm::ArrayShape& shape, const dsm::Mapping& mapping) {
  Require(what, absl::OkStatus());
  const auto memory = space->Allocate(shape, mapping);
  Require(what, memory.status());
  return memory->data();
}

void Barrier(const char* what, dsm::Consistency consistency) {
  Require(what, absl::OkStatus());
  Require(what, space->Barrier(consistency));
}

dsm::Access AccessOf(const char* what, int access) {
  switch (access) {
    case SMS_READ:
      return dsm::Access::kRead;
    case SMS_WRITE:
      return dsm::Access::kWrite;
    case SMS_OVERWRITE:
      return dsm::Access::kOverwrite;
  }
  End(what, absl::InvalidArgumentError("an access is SMS_READ, SMS_WRITE or SMS_OVERWRITE, not " +
                                       std::to_string(access)));
}

std::span<const std::uint64_t> Sizes(const char* what, int dims, const size_t* sizes) {
  static_assert(sizeof(size_t) == sizeof(std::uint64_t));
  if (dims < 1) {
    End(what,
        absl::InvalidArgumentError(std::to_string(dims) + " dimensions: there is no such array"));
  }
  return {sizes, static_cast<std::size_t>(dims)};
}

}  // namespace

void sms_startup(int* /*argc*/, char*** /*argv*/) {
  if (space != nullptr) {
    End("sms_startup", absl::FailedPreconditionError("it was called before"));
  }
  auto joined = dsm::Space::Join(OptionsFromEnvironment());
  if (!joined.ok()) End("sms_startup", joined.status());
  space = *std::move(joined);
  sms_pid = space->rank();
  sms_nprocs = space->ranks();
}

void sms_shutdown(void) {
  Barrier("sms_shutdown", dsm::Consistency::kKeep);
  space.reset();
}

void* sms_alloc(size_t bytes, int node) {
  return Allocate("sms_alloc", {{bytes}, 1}, dsm::OnRank{node});
}

void* sms_mapalloc(int dims, const size_t* extents, size_t element_bytes, const int* divisions,
                   int first, int count) {
  const std::span<const std::uint64_t> sizes = Sizes("sms_mapalloc", dims, extents);
  std::vector<std::uint64_t> blocks;
  for (int d = 0; d < dims; ++d) {
    // What is negative is refused with 0.
    blocks.push_back(divisions[d] < 0 ? 0 : static_cast<std::uint64_t>(divisions[d]));
  }
  return Allocate("sms_mapalloc", {dsm::Extents(sizes), element_bytes},
                  dsm::BlockMapping{dsm::Extents(blocks), first, count});
}

void sms_barrier(void) { Barrier("sms_barrier", dsm::Consistency::kFlush); }
void sms_sync(void) { Barrier("sms_sync", dsm::Consistency::kKeep); }
void sms_sync_drop(void) { Barrier("sms_sync_drop", dsm::Consistency::kDiscard); }

void sms_preload(const void* at, size_t bytes, int access) {
  Require("sms_preload", absl::OkStatus());
  Require("sms_preload", space->Preload({static_cast<const std::byte*>(at), bytes},
                                        AccessOf("sms_preload", access)));
}

void sms_preload_array(const void* array, int dims, const size_t* extents, size_t element_bytes,
                       const size_t* from, const size_t* to, int access) {
  Require("sms_preload_array", absl::OkStatus());
  const auto sizes = [&](const size_t* of) {
    return dsm::Extents(Sizes("sms_preload_array", dims, of));
  };
  const dsm::ArrayShape shape = {sizes(extents), element_bytes};
  const dsm::Bounds part = {sizes(from), sizes(to)};
  Require("sms_preload_array",
          space->PreloadArray(array, shape, part, AccessOf("sms_preload_array", access)));
}

void sms_overload(void* at, size_t bytes) { sms_preload(at, bytes, SMS_OVERWRITE); }
void sms_overload_array(void* array, int dims, const size_t* extents, size_t element_bytes,
                        const size_t* from, const size_t* to) {
  sms_preload_array(array, dims, extents, element_bytes, from, to, SMS_OVERWRITE);
}
