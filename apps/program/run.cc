#include "apps/program/run.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

namespace program {
namespace {

int Fail(const CLI::App& app, std::string_view message) {
  std::cout.flush();
  std::cerr << ErrorSentence(app.get_name(), message) << std::endl;
  return kExitError;
}

// Bazel's variable names the folder where `bazel run` was typed. A folder that is
// gone since is no reason to fail: absolute names still work.
// As a POSIX shell reads it back.
std::string Quoted(std::string_view word) {
  constexpr std::string_view kHarmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
  if (!word.empty() && word.find_first_not_of(kHarmless) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// CLI11 takes "-1", and what is too large, for the largest unsigned number.
std::string ProblemOfUnsigned(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.starts_with('-')) return '"' + text + "\" is less than 0";
  if (error == std::errc::result_out_of_range) {
    return '"' + text + "\" is more than " + std::to_string(UINT64_MAX);
  }
  return "";
}
void CheckUnsigned(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    if (option->get_type_name().find("UINT") == std::string::npos) continue;
    option->check(CLI::Validator([](std::string& text) { return ProblemOfUnsigned(text); }, ""));
  }
}

}  // namespace

std::shared_ptr<CLI::App> MakeApp(const std::string& description, const std::string& name,
                                  std::string_view commit) {
  auto app = std::make_shared<CLI::App>(description, name);
  AddVersion(*app, commit);
  return app;
}

void AddVersion(CLI::App& app, std::string_view commit) {
  app.set_version_flag("--version",
                       app.get_name() + " " + kVersion + " (commit " + std::string(commit) + ")",
                       "Print version and commit and exit");
}

std::string CommandOf(std::string_view target, int argc, const char* const* argv) {
  std::string command = "bazel run -c opt " + std::string(target);
  std::string separator = " -- ";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--json=") || word.starts_with("--svg=") || word.starts_with("--trace=") ||
        word.starts_with("--output=")) {
      continue;
    }
    if (word == "--json" || word == "--svg" || word == "--trace" || word == "--output") {
      ++i;  // Its value is a word of its own.
      continue;
    }
    command += separator + Quoted(word);
    separator = " ";
  }
  return command;
}

std::string ErrorSentence(std::string_view program, std::string_view message) {
  std::string sentence = std::string(program) + ": ";
  for (const char c : message) {
    const char shown = c == '\n' ? ' ' : c;
    if (shown != ' ' || sentence.back() != ' ') sentence += shown;
  }
  while (sentence.back() == ' ') sentence.pop_back();
  return sentence;
}

void GoToCallersFolder() {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder != nullptr && chdir(folder) != 0) {
    std::cerr << "going on in another folder than " << folder << std::endl;
  }
}

int Run(CLI::App& app, int argc, const char* const* argv,
        const std::function<absl::Status()>& body) {
  GoToCallersFolder();
  CheckUnsigned(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    return Fail(app, std::string(error.what()) + " (--help lists the flags)");
  }

  try {
    const absl::Status status = body();
    if (!status.ok()) return Fail(app, std::string(status.message()));
  } catch (const std::bad_alloc&) {
    return Fail(app, "there is not enough memory");
  } catch (const std::exception& error) {
    return Fail(app, error.what());
  }
  // A table that did not reach its reader is no answer.
  if (!std::cout.flush()) return Fail(app, "cannot write to standard output");
  return kExitVerified;
}

}  // namespace program
