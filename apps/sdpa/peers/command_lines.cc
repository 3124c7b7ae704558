#include "apps/sdpa/peers/command_lines.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sdpa {
namespace {

constexpr std::array<std::string_view, 9> kSdpaOptions = {
    "-ds", "-dd", "-is", "-id", "-o", "-p", "-pt", "-dimacs", "-numThreads"};

bool IsSdpaOption(std::string_view word) {
  for (const std::string_view option : kSdpaOptions) {
    if (word == option) return true;
  }
  return false;
}

absl::StatusOr<int> WholeNumber(std::string_view option, std::string_view word, int least,
                                int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc() && end == word.data() + word.size() && number >= least &&
      number <= most) {
    return number;
  }
  return absl::InvalidArgumentError(absl::StrCat(std::string(option), ": '", std::string(word),
                                                 "' is not a number from ", least, " to ", most));
}

absl::Status Apply(std::string_view option, const std::string& value, PeerCall& call) {
  constexpr int kMostThreads = 1 << 20;
  if (option == "-ds" || option == "-dd") {
    call.problem = value;
    call.format = option == "-ds" ? Format::kSparse : Format::kDense;
  } else if (option == "-is" || option == "-id") {
    call.initial = value;
    call.initial_format = option == "-is" ? Format::kSparse : Format::kDense;
  } else if (option == "-o") {
    call.solution = value;
  } else if (option == "-p") {
    call.parameters = value;
  } else if (option == "-pt") {
    // Which of sdpa's own settings: fast or stable. This method has one.
    return WholeNumber(option, value, 0, 2).status();
  } else {
    const auto threads = WholeNumber(option, value, 1, kMostThreads);
    if (!threads.ok()) return threads.status();
    call.threads = *threads;
  }
  return absl::OkStatus();
}

absl::StatusOr<PeerCall> ParseSdpaCall(std::span<const std::string> arguments) {
  PeerCall call;
  std::vector<std::string> files;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "-dimacs") {
      call.prints_dimacs = true;
    } else if (!word.starts_with("-")) {
      files.push_back(word);
    } else if (!IsSdpaOption(word)) {
      return absl::InvalidArgumentError(absl::StrCat("'", word, "' is none of sdpa's options"));
    } else if (i + 1 == arguments.size()) {
      return absl::InvalidArgumentError(absl::StrCat(word, ": its value is missing"));
    } else if (absl::Status status = Apply(word, arguments[++i], call); !status.ok()) {
      return status;
    }
  }
  if (!files.empty()) {
    if (!call.problem.empty() || !call.solution.empty() || !call.initial.empty() ||
        !call.parameters.empty() || files.size() > 3) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", files.back(), "' is one file too many; the form is sdpa FILE RESULT ",
                       "[INITIAL], or sdpa -ds FILE -o RESULT"));
    }
    files.resize(3);
    call.problem = files[0];
    call.solution = files[1];
    call.initial = files[2];
    call.format = FormatOf(call.problem);
    call.parameters = "param.sdpa";
    call.are_parameters_optional = true;
  }
  if (call.problem.empty() || call.solution.empty()) {
    return absl::InvalidArgumentError(
        "a problem and a result are expected, as in sdpa -ds FILE -o RESULT; this program's own "
        "flag "
        "for a problem is --problem=FILE");
  }
  return call;
}

absl::StatusOr<PeerCall> ParseCsdpCall(std::span<const std::string> arguments) {
  if (arguments.empty() || arguments.size() > 3) {
    return absl::InvalidArgumentError("the form is csdp FILE [SOLUTION [INITIAL]]");
  }
  PeerCall call;
  call.problem = arguments[0];
  if (arguments.size() > 1) call.solution = arguments[1];
  if (arguments.size() > 2) call.initial = arguments[2];
  call.parameters = "param.csdp";
  call.are_parameters_optional = true;
  return call;
}

}  // namespace

std::optional<Peer> PeerOf(std::string_view program, std::span<const std::string> arguments) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  const bool asks_for_help =
      !arguments.empty() && (arguments[0] == "--version" || arguments[0] == "--help");
  if (name == "csdp" && !asks_for_help) return Peer::kCsdp;
  if (arguments.empty() || arguments[0].empty()) return std::nullopt;
  if (!arguments[0].starts_with("-") || IsSdpaOption(arguments[0])) return Peer::kSdpa;
  return std::nullopt;
}

absl::StatusOr<PeerCall> ParseCall(Peer peer, std::span<const std::string> arguments) {
  return peer == Peer::kSdpa ? ParseSdpaCall(arguments) : ParseCsdpCall(arguments);
}

}  // namespace sdpa
