#include "llcl/launch/pmi_client.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "llcl/launch/key_values.h"
#include "llcl/launch/pmi_wire.h"

namespace llcl {
namespace {

class PmiClient final : public Launch, private KeyValueSpace {
 public:
  PmiClient(int fd, Rank rank, int size) : fd_(fd), rank_(rank), size_(size) {}
  ~PmiClient() override {
    if (!kvsname_.empty()) (void)Ask({"finalize"}, "finalize_ack");
    close(fd_);
  }

  absl::Status Begin() {
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
  static std::string KeyOf(int rank, const std::string& key) {
    return "llcl-" + std::to_string(rank) + "-" + key;
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
  const Rank rank_;
  const int size_;
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
