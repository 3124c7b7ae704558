#include "apps/graph/files/decompress.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apps/graph/files/descriptor.h"

extern char** environ;

namespace graph {
namespace {

struct Compression {
  std::string_view mark;  // the first bytes
  const char* program;
};

constexpr Compression kCompressions[] = {
    {"\x1f\x8b", "gzip"},
    {"\x28\xb5\x2f\xfd", "zstd"},
    {{"\xfd"
      "7zXZ\0",
      6},
     "xz"},
    {"BZh", "bzip2"},
};

constexpr std::string_view kOptions[] = {"GZIP=", "BZIP=", "BZIP2=", "XZ_OPT=", "XZ_DEFAULTS="};

// Both ends of a pipe.
struct Pipe {
  Descriptor read, write;

  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
    return true;
  }
};

// The program with these ends as its standard input and output; its errors go nowhere. The error,
// or 0.
int Start(const std::string& program, const Descriptor& in, const Descriptor& out, pid_t* child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.value(), 0);
  posix_spawn_file_actions_adddup2(&actions, out.value(), 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::string name = program, option = "-dc";
  char* const arguments[] = {name.data(), option.data(), nullptr};
  // Without the options that users have set for their own calls.
  std::vector<char*> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const bool is_option = std::any_of(
        std::begin(kOptions), std::end(kOptions),
        [&](std::string_view option_of) { return text.substr(0, option_of.size()) == option_of; });
    if (!is_option) environment.push_back(*variable);
  }
  environment.push_back(nullptr);
  const int error =
      posix_spawnp(child, program.c_str(), &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Up to the end, or up to where the program does not read any more.
void WriteAll(int descriptor, std::string_view bytes) {
  sigset_t broken;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken, nullptr);  // of this thread, which ends with it
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

std::optional<std::string> CompressionOf(std::string_view bytes) {
  for (const Compression& each : kCompressions) {
    if (bytes.substr(0, each.mark.size()) == each.mark) return each.program;
  }
  return std::nullopt;
}

absl::StatusOr<std::string> Decompress(const std::string& program, std::string_view file,
                                       std::string_view bytes, std::uint64_t most_bytes) {
  const std::string name(file);
  Pipe in, out;
  if (!in.Open() || !out.Open()) return absl::ErrnoToStatus(errno, name + ": no pipe");
  pid_t child = 0;
  if (const int error = Start(program, in.read, out.write, &child); error != 0) {
    return absl::FailedPreconditionError(name + ": it is compressed, and the program " + program +
                                         " that unpacks it is not there");
  }
  in.read = Descriptor();
  out.write = Descriptor();
  std::thread writer([&] {
    WriteAll(in.write.value(), bytes);
    in.write = Descriptor();
  });
  std::string unpacked;
  int error = 0;
  try {
    error = ReadToEnd(out.read.value(), &unpacked, most_bytes);
  } catch (...) {
    out.read = Descriptor();  // The program ends, and then the writer.
    writer.join();
    waitpid(child, nullptr, 0);
    throw;
  }
  out.read = Descriptor();
  writer.join();
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (unpacked.size() > most_bytes) {
    return absl::ResourceExhaustedError(name + ": it unpacks to more than " +
                                        std::to_string(most_bytes) + " bytes, the limit");
  }
  if (ended < 0) {
    return absl::FailedPreconditionError(
        name + ": whether " + program +
        " could unpack it is not known, as this process does not wait for its children (SIGCHLD)");
  }
  if (error != 0) return absl::ErrnoToStatus(error, "cannot read " + name);
  if (!WIFEXITED(status) || WEXITSTATUS(status) == 127) {
    return absl::FailedPreconditionError(name + ": the program " + program +
                                         " that unpacks it could not run to its end");
  }
  // gzip's 2 is a warning, as of bytes behind the last member.
  const bool is_warning = program == "gzip" && WEXITSTATUS(status) == 2;
  if (WEXITSTATUS(status) != 0 && !is_warning) {
    return absl::InvalidArgumentError(name + ": " + program +
                                      " says that the compressed bytes are damaged or incomplete");
  }
  return unpacked;
}

}  // namespace graph
