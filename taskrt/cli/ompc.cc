// ompc: translates a C file with the tasks and targets of OpenMP to C.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "CLI/CLI.hpp"
#include "taskrt/ompc/translate.h"

int main(int argc, char** argv) {
  std::string input, output;
  CLI::App app("Translates C with tasks and targets of OpenMP to C over taskrt/ompc.h.", "ompc");
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
  const auto translated = taskrt::TranslateOpenMp(text.str(), input);
  if (!translated.ok()) {
    std::cerr << "ompc: " << translated.status().message() << "\n";
    return 2;
  }
  if (output.empty()) {
    std::cout << *translated;
    return std::cout.flush() ? 0 : 2;
  }
  std::ofstream out(output);
  out << *translated;
  out.close();
  if (out) return 0;
  std::cerr << "ompc: cannot write " << output << "\n";
  return 2;
}
