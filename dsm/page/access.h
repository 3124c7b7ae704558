// What a page is accessed for.
#pragma once

#include "dsm/language.h"

namespace dsm {

enum class Access {
  kRead,
  kWrite,      // and reading
  kOverwrite,  // every byte of it: what it was does not come
};

}  // namespace dsm
