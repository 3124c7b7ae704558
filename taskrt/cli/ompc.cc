// ompc: translates a C file with the tasks and targets of OpenMP to C.
#include "taskrt/ompc/translate/translate.h"
#include "tools/translator/main.h"

int main(int argc, char** argv) {
  return translator::Main(
      {"ompc", "Translates C with tasks and targets of OpenMP to C over taskrt/ompc.h.",
       taskrt::TranslateOpenMp},
      argc, argv);
}
