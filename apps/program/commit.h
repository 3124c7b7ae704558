// The commit this program was built from.
#pragma once

#include <string_view>

namespace program {

// Twelve hex digits, "-modified" after them where files were changed since;
// "unknown" outside a git checkout.
std::string_view Commit();

}  // namespace program
