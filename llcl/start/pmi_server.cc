#include "llcl/start/pmi_server.h"

#include <cstdlib>

namespace llcl {
namespace {

constexpr const char* kKvsName = "llcl";

}  // namespace

std::vector<PmiServer::Reply> PmiServer::Handle(int rank, std::string_view line) {
  const auto answer = [&](PmiMessage message) {
    return std::vector<Reply>{{rank, FormatPmi(message)}};
  };
  const std::optional<PmiMessage> asked = ParsePmi(line);
  const std::string command = asked ? asked->command : "";
  if (command == "init") {
    return answer(
        {"response_to_init", {{"rc", "0"}, {"pmi_version", "1"}, {"pmi_subversion", "1"}}});
  }
  if (command == "get_maxes") {
    return answer({"maxes", {{"kvsname_max", "64"}, {"keylen_max", "64"}, {"vallen_max", "1024"}}});
  }
  if (command == "get_my_kvsname") return answer({"my_kvsname", {{"kvsname", kKvsName}}});
  if (command == "get_appnum") return answer({"appnum", {{"appnum", "0"}}});
  if (command == "get_universe_size") {
    return answer({"universe_size", {{"size", std::to_string(waits_.size())}}});
  }
  if (command == "put") {
    const bool is_new = values_.emplace(asked->ValueOf("key"), asked->ValueOf("value")).second;
    return answer({"put_result",
                   {{"rc", is_new ? "0" : "-1"}, {"msg", is_new ? "success" : "duplicate_key"}}});
  }
  if (command == "get") {
    const auto found = values_.find(asked->ValueOf("key"));
    if (found == values_.end()) {
      return answer({"get_result", {{"rc", "-1"}, {"msg", "key_not_found"}}});
    }
    return answer({"get_result", {{"rc", "0"}, {"value", found->second}}});
  }
  if (command == "barrier_in") return Barrier(rank);
  if (command == "finalize") return answer({"finalize_ack", {{"rc", "0"}}});
  if (command == "abort") {
    is_aborted_ = true;
    const int code = std::atoi(asked->ValueOf("exitcode").c_str());
    exit_code_ = code >= 1 && code <= 255 ? code : 1;  // Else it could look like success.
    reason_ = asked->ValueOf("error_msg");
    return {};
  }
  return answer({"error", {{"rc", "-1"}, {"msg", "unknown_command"}}});
}

std::vector<PmiServer::Reply> PmiServer::Barrier(int rank) {
  std::vector<Reply> replies;
  const auto index = static_cast<std::size_t>(rank);
  if (waits_[index]) return {{rank, FormatPmi({"error", {{"rc", "-1"}}})}};
  waits_[index] = true;
  if (++waiting_ < static_cast<int>(waits_.size())) return {};
  waiting_ = 0;
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    waits_[i] = false;
    replies.push_back({static_cast<int>(i), FormatPmi({"barrier_out", {{"rc", "0"}}})});
  }
  return replies;
}

}  // namespace llcl
