// ompc: translates a C file with OpenMP to C.
#include <iostream>
#include <string_view>

#include "taskrt/ompc/translate/directives/constructs.h"
#include "taskrt/ompc/translate/translate.h"
#include "tools/translator/main.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--constructs") {
    std::cout << taskrt::ConstructsPage();
    return std::cout.flush() ? 0 : 2;
  }
  return translator::Main(
      {"ompc",
       "Translates C with OpenMP to C over taskrt/ompc.h. With --constructs alone: "
       "writes a page of what it does with each construct.",
       taskrt::TranslateOpenMp},
      argc, argv);
}
