// The kernels as one writes them down, and as the compiler makes them at -O3.
//
// What stream.c measures: gcc turns Copy into memcpy and vectorizes the others
// with ordinary stores. The baseline of this program's ratios and, for every
// other way of writing the kernels, the definition of right.
#pragma once

#include "apps/stream/kernel.h"

namespace stream {

const Code& PlainCode();

}  // namespace stream
