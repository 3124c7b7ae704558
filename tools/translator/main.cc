#include "tools/translator/main.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

#include "CLI/CLI.hpp"

namespace translator {
namespace {

// A device, as /dev/null, is no file that another could take the place of.
bool Write(const std::string& text, const std::string& path) {
  std::error_code error;
  const bool is_special =
      std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
  const std::string written = is_special ? path : path + "." + std::to_string(getpid());
  std::ofstream out(written);
  out << text;
  out.close();
  if (out && (is_special || std::rename(written.c_str(), path.c_str()) == 0)) return true;
  if (!is_special) std::remove(written.c_str());
  return false;
}

}  // namespace

int Main(const Translator& translator, int argc, char** argv) {
  // `bazel run` begins in a folder of its own: paths are of the folder where it was called.
  if (const char* const called_in = std::getenv("BUILD_WORKING_DIRECTORY")) {
    (void)!chdir(called_in);
  }
  std::string input, output;
  CLI::App app(translator.description, translator.name);
  app.add_option("file", input, "the program")->required()->check(CLI::ExistingFile);
  app.add_option("-o,--output", output, "where the translation goes (default: standard output)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  std::ifstream file(input);
  std::stringstream text;
  text << file.rdbuf();
  const absl::StatusOr<std::string> translated = translator.translate(text.str(), input);
  if (!translated.ok()) {
    std::cerr << translator.name << ": " << translated.status().message() << "\n";
    return 2;
  }
  if (output.empty()) {
    std::cout << *translated;
    return std::cout.flush() ? 0 : 2;
  }
  if (Write(*translated, output)) return 0;
  std::cerr << translator.name << ": cannot write " << output << "\n";
  return 2;
}

}  // namespace translator
