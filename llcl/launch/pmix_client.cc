#include "llcl/launch/pmix_client.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "llcl/launch/key_values.h"
#include "llcl/launch/mpi_beside.h"

namespace llcl {
namespace {

// What we need of the ABI of libpmix.so.2, which PMIx 3 and 4 share.
struct Process {
  char name_space[256];
  std::uint32_t rank;
};
struct ByteObject {
  char* bytes;
  std::size_t size;
};
struct Value {
  std::uint16_t type;
  union {
    bool flag;
    std::uint32_t uint32;
    ByteObject byte_object;
    char room[24];  // of the largest kind, which we never use
  } data;
};
struct Info {
  char key[512];
  std::uint32_t directives;
  Value value;
};
static_assert(sizeof(void*) == 8, "PMIx is declared here for 64 bits");
static_assert(sizeof(Process) == 260 && offsetof(Process, rank) == 256);
static_assert(sizeof(Value) == 32 && offsetof(Value, data) == 8);
static_assert(sizeof(Info) == 552 && offsetof(Info, directives) == 512);
static_assert(offsetof(Info, value) == 520 && std::is_trivially_copyable_v<Info>);

constexpr std::uint16_t kBool = 1, kUint32 = 14, kByteObject = 27;  // Value::type
constexpr std::uint8_t kGlobal = 3;                                 // the scope of a value
constexpr std::uint32_t kWholeJob = UINT32_MAX - 1;                 // for a rank
constexpr int kSuccess = 0;

struct Library {
  int (*init)(Process* self, Info* info, std::size_t infos);
  int (*finalize)(const Info* info, std::size_t infos);
  int (*abort)(int exit_code, const char* why, Process* whom, std::size_t processes);
  int (*put)(std::uint8_t scope, const char* key, Value* value);
  int (*commit)();
  int (*fence)(const Process* whom, std::size_t processes, const Info* info, std::size_t infos);
  int (*get)(const Process* whose, const char* key, const Info* info, std::size_t infos,
             Value** value);
  const char* (*error_string)(int status);
  int (*initialized)();
};

absl::StatusOr<Library> OpenLibrary() {
  // Never closed: it has threads.
  void* const opened = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    return absl::UnavailableError(
        std::string("the launcher speaks PMIx, but libpmix.so.2 cannot be opened (") + dlerror() +
        "): install the Debian package libpmix2, or start the job by llclrun");
  }
  Library library = {};
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(opened, name));
    if (function == nullptr) missing += std::string(" ") + name;
  };
  find(library.init, "PMIx_Init");
  find(library.finalize, "PMIx_Finalize");
  find(library.abort, "PMIx_Abort");
  find(library.put, "PMIx_Put");
  find(library.commit, "PMIx_Commit");
  find(library.fence, "PMIx_Fence");
  find(library.initialized, "PMIx_Initialized");
  find(library.get, "PMIx_Get");
  find(library.error_string, "PMIx_Error_string");
  if (!missing.empty()) return absl::UnavailableError("libpmix.so.2 does not have" + missing);
  return library;
}

// A launcher may keep each value in a buffer of some pages.
constexpr std::size_t kMostBytes = 16384;

class PmixClient final : public Launch, private KeyValueSpace {
 public:
  explicit PmixClient(const Library& pmix) : pmix_(pmix) {}
  ~PmixClient() override {
    if (!is_user_) return;
    if (FindMpi() == MpiBeside::kNotBegun) {
      EndAtExit([finalize = pmix_.finalize] { finalize(nullptr, 0); });
    } else {
      pmix_.finalize(nullptr, 0);
    }
  }

  absl::Status Begin() {
    const bool is_mpis = FindMpi() == MpiBeside::kRuns && pmix_.initialized() != 0;
    if (const int got = pmix_.init(&self_, nullptr, 0); got != kSuccess)
      return Refused("init", got);
    is_user_ = true;
    // Where PMIx has another user left at the end of MPI_Finalize, its thread may call functions of
    // Open MPI 4.1 that are no longer loaded. So MPI's PMIx is used as long as MPI has it.
    if (is_mpis) {
      pmix_.finalize(nullptr, 0);
      is_user_ = false;
    }
    Process job = self_;
    job.rank = kWholeJob;
    Value* size = nullptr;
    const int got = pmix_.get(&job, "pmix.job.size", nullptr, 0, &size);
    if (got != kSuccess) return Refused("get the job's size", got);
    const bool is_sound =
        size->type == kUint32 && size->data.uint32 > self_.rank && size->data.uint32 <= (1u << 30);
    if (is_sound) size_ = static_cast<int>(size->data.uint32);
    std::free(size);
    if (!is_sound)
      return absl::UnavailableError("PMIx does not say which rank of how many this is");
    return absl::OkStatus();
  }

  Rank rank() const override { return Rank{static_cast<std::int32_t>(self_.rank)}; }
  int size() const override { return size_; }

  absl::StatusOr<std::vector<std::string>> Allgather(std::string_view mine) override {
    if (!is_user_ && FindMpi() == MpiBeside::kEnded) return EndedByMpi();
    return llcl::Allgather(*this, size_, rounds_++, mine);
  }

  void Abort(int exit_code, std::string_view why) override {
    pmix_.abort(exit_code, std::string(why).c_str(), nullptr, 0);
    _exit(exit_code);
  }

 private:
  std::string KeyOf(const std::string& key) const {
    return "llcl" + std::to_string(number_) + "-" + key;
  }

  std::size_t most_bytes() const override { return kMostBytes; }

  absl::Status Put(const std::string& key, const std::string& bytes) override {
    std::string copied = bytes;
    Value value = {};
    value.type = kByteObject;
    value.data.byte_object = {copied.data(), copied.size()};
    const int got = pmix_.put(kGlobal, KeyOf(key).c_str(), &value);  // It copies.
    return got == kSuccess ? absl::OkStatus() : Refused("put", got);
  }

  absl::Status Fence() override {
    if (const int got = pmix_.commit(); got != kSuccess) return Refused("commit", got);
    Info collect = {};
    std::strcpy(collect.key, "pmix.collect");
    collect.value.type = kBool;
    collect.value.data.flag = true;
    const int got = pmix_.fence(nullptr, 0, &collect, 1);
    return got == kSuccess ? absl::OkStatus() : Refused("fence", got);
  }

  absl::StatusOr<std::string> Get(int rank, const std::string& key) override {
    Process whose = self_;
    whose.rank = static_cast<std::uint32_t>(rank);
    Value* value = nullptr;
    const int got = pmix_.get(&whose, KeyOf(key).c_str(), nullptr, 0, &value);
    if (got != kSuccess) return Refused("get what rank " + std::to_string(rank) + " put", got);
    std::string bytes;
    if (value->type == kByteObject) {
      bytes.assign(value->data.byte_object.bytes, value->data.byte_object.size);
      std::free(value->data.byte_object.bytes);
    }
    std::free(value);
    return bytes;
  }

  absl::Status Refused(const std::string& what, int status) const {
    const char* const why = pmix_.error_string(status);
    return absl::UnavailableError("PMIx cannot " + what + ": " + (why ? why : "") + " (" +
                                  std::to_string(status) + ")");
  }

  const Library pmix_;
  const int number_ = NumberOfLaunch();
  Process self_ = {};
  int size_ = 1;
  bool is_user_ = false;  // of PMIx, which counts its users
  int rounds_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Launch>> ConnectPmix() {
  const absl::StatusOr<Library> library = OpenLibrary();
  if (!library.ok()) return library.status();
  auto client = std::make_unique<PmixClient>(*library);
  if (const absl::Status begun = client->Begin(); !begun.ok()) return begun;
  return client;
}

}  // namespace llcl
