#include "apps/program/run.h"

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

}  // namespace

std::string ErrorSentence(std::string_view program, std::string_view message) {
  std::string sentence = std::string(program) + ": ";
  for (const char c : message) {
    const char shown = c == '\n' ? ' ' : c;
    if (shown != ' ' || sentence.back() != ' ') sentence += shown;
  }
  while (sentence.back() == ' ') sentence.pop_back();
  return sentence;
}

int Run(CLI::App& app, int argc, const char* const* argv,
        const std::function<absl::Status()>& body) {
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
