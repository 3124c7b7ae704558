// What programs of other workspaces include: a problem and options in, an outcome out.
#pragma once

#include "apps/sdpa/solve/solve.h"
