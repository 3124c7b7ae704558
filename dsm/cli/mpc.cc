// mpc: translates an MpC program (a C file with shared arrays) to C.
#include "dsm/mpc/translate.h"
#include "tools/translator/main.h"

int main(int argc, char** argv) {
  return translator::Main(
      {"mpc", "Translates C with shared arrays to C over dsm/sms.h.", dsm::TranslateMpc}, argc,
      argv);
}
