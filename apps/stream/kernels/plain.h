// The kernels as plain loops, compiled at -O3.
//
// As stream.c measures them: gcc turns Copy into memcpy and vectorizes the others
// with ordinary stores. They are the baseline of this program's ratios and define
// the right results for every other way of writing the kernels.
#pragma once

#include "apps/stream/kernels/kernel.h"

namespace stream {

const Code& PlainCode();

}  // namespace stream
