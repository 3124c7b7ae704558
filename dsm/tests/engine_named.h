// The engine that a test's argument names.
#pragma once

#include <string>

#include "dsm/engine/engine.h"

namespace dsm {

// kAutomatic for any other name.
inline EngineKind EngineNamed(const std::string& name) {
  for (const EngineKind kind : {EngineKind::kUserfaultfd, EngineKind::kSegv, EngineKind::kServer}) {
    if (name == NameOf(kind)) return kind;
  }
  return EngineKind::kAutomatic;
}

}  // namespace dsm
