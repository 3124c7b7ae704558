// topo: look at a machine, its mapping tables, and whether placement took hold.
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "topo/cli/commands.h"

int main(int argc, char** argv) { return topo::cli::Run(argc, argv, std::cout, std::cerr); }
