#include "llcl/launch/pmi_client.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "llcl/launch/key_values.h"
#include "llcl/launch/mpi_beside.h"
#include "llcl/launch/pmi_wire.h"

namespace llcl {
namespace {

// Which socket a descriptor is: after MPI has closed it, its number may be that of another file. A
// value.
struct Connection {
  int fd = -1;
  dev_t device = 0;
  ino_t inode = 0;

  static Connection Of(int fd) {
    struct stat found = {};
    if (fstat(fd, &found) != 0 || !S_ISSOCK(found.st_mode)) return {};
    return {fd, found.st_dev, found.st_ino};
  }
  bool IsOpen() const {
    const Connection now = Of(fd);
    return now.fd >= 0 && now.device == device && now.inode == inode;
  }
};

// Of a connection that was left to MPI, where MPI has not ended it.
void EndLeft(const Connection& connection) {
  if (!connection.IsOpen()) return;
  const std::string line = FormatPmi({"finalize"});
  (void)send(connection.fd, line.data(), line.size(), MSG_NOSIGNAL);
  char answer[256];
  (void)recv(connection.fd, answer, sizeof answer, 0);
}

class PmiClient final : public Launch, private KeyValueSpace {
 public:
  PmiClient(int fd, Rank rank, int size)
      : fd_(fd), connection_(Connection::Of(fd)), rank_(rank), size_(size) {}
  ~PmiClient() override {
    if (LeavesConnection(FindMpi())) {
      EndAtExit([connection = connection_] { EndLeft(connection); });
      return;
    }
    if (!kvsname_.empty()) (void)Ask({"finalize"}, "finalize_ack");
    close(fd_);
  }

  absl::Status Begin() {
    if (FindMpi() == MpiBeside::kEnded) return EndedByMpi();
    absl::StatusOr<PmiMessage> answer =
        Ask({"init", {{"pmi_version", "1"}, {"pmi_subversion", "1"}}}, "response_to_init");
    if (!answer.ok()) return answer.status();
    // Some launchers answer the rest only after it.
    answer = Ask({"get_maxes"}, "maxes");
    if (!answer.ok()) return answer.status();
    answer = Ask({"get_my_kvsname"}, "my_kvsname");
    if (!answer.ok()) return answer.status();
    kvsname_ = answer->ValueOf("kvsname");
    if (kvsname_.empty()) return absl::UnavailableError("the launcher names no key-value space");
    return absl::OkStatus();
  }

  Rank rank() const override { return rank_; }
  int size() const override { return size_; }

  absl::StatusOr<std::vector<std::string>> Allgather(std::string_view mine) override {
    return llcl::Allgather(*this, size_, rounds_++, mine);
  }

  void Abort(int exit_code, std::string_view why) override {
    std::string reason(why);
    for (char& letter : reason) {
      if (letter == ' ' || letter == '\n') letter = '_';
    }
    (void)Send({"abort", {{"exitcode", std::to_string(exit_code)}, {"error_msg", reason}}});
    _exit(exit_code);
  }

 private:
  std::string KeyOf(int rank, const std::string& key) const {
    return "llcl" + std::to_string(number_) + "-" + std::to_string(rank) + "-" + key;
  }

  std::size_t most_bytes() const override { return kMostPmiBytes; }

  absl::Status Put(const std::string& key, const std::string& value) override {
    return Ask({"put",
                {{"kvsname", kvsname_},
                 {"key", KeyOf(ToInt(rank_), key)},
                 {"value", ToPmiValue(value)}}},
               "put_result")
        .status();
  }

  absl::Status Fence() override { return Ask({"barrier_in"}, "barrier_out").status(); }

  absl::StatusOr<std::string> Get(int rank, const std::string& key) override {
    absl::StatusOr<PmiMessage> answer =
        Ask({"get", {{"kvsname", kvsname_}, {"key", KeyOf(rank, key)}}}, "get_result");
    if (!answer.ok()) return answer.status();
    return FromPmiValue(answer->ValueOf("value")).value_or("");
  }

  absl::StatusOr<PmiMessage> Ask(const PmiMessage& message, std::string_view expected) {
    absl::Status sent = Send(message);
    if (!sent.ok()) return sent;
    absl::StatusOr<std::string> line = ReadLine();
    if (!line.ok()) return line.status();
    std::optional<PmiMessage> answer = ParsePmi(*line);
    if (!answer || answer->command != expected) {
      return absl::UnavailableError("the launcher answers '" + *line + "' to '" + message.command +
                                    "'");
    }
    if (const std::string rc = answer->ValueOf("rc"); !rc.empty() && rc != "0") {
      return absl::UnavailableError("the launcher refuses '" + message.command + "': " + *line);
    }
    return *std::move(answer);
  }

  absl::Status Send(const PmiMessage& message) {
    if (FindMpi() == MpiBeside::kEnded && !connection_.IsOpen()) return EndedByMpi();
    std::string line = FormatPmi(message);
    while (!line.empty()) {
      const ssize_t sent = send(fd_, line.data(), line.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return Gone("send");
      line.erase(0, static_cast<std::size_t>(sent));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> ReadLine() {
    while (true) {
      const std::size_t end = received_.find('\n');
      if (end != std::string::npos) {
        std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      char more[4096];
      const ssize_t got = recv(fd_, more, sizeof more, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Gone("receive");
      if (got == 0) return absl::UnavailableError("the launcher is gone");
      received_.append(more, static_cast<std::size_t>(got));
    }
  }

  static absl::Status Gone(const char* what) {
    return absl::UnavailableError(std::string("cannot ") + what +
                                  " on the launcher's socket: " + std::strerror(errno));
  }

  const int fd_;
  const Connection connection_;
  const Rank rank_;
  const int size_;
  const int number_ = NumberOfLaunch();
  std::string kvsname_;
  std::string received_;
  int rounds_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Launch>> ConnectPmi(int fd, Rank rank, int size) {
  fcntl(fd, F_SETFD, FD_CLOEXEC);  // It is ours: what this program starts is no rank.
  auto client = std::make_unique<PmiClient>(fd, rank, size);
  if (const absl::Status begun = client->Begin(); !begun.ok()) return begun;
  return client;
}

}  // namespace llcl
