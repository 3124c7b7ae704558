// The solver for programs of other workspaces: a problem and options in, an outcome out.
#pragma once

#include "apps/sdpa/solve/solve.h"
