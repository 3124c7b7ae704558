// An array with an element for each page of a space, which takes memory only where it is touched.
#pragma once

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "dsm/engine/reserved.h"
#include "dsm/layout/pages.h"

namespace dsm {

// A resource; its elements begin as zeros, and no destructor of theirs runs.
template <typename T>
class PageArray {
 public:
  // Errors: ResourceExhausted where the system has no addresses left.
  static absl::StatusOr<PageArray> Make(PageCount pages) {
    auto elements = Reserved::Zeros(pages.value() * sizeof(T));
    if (!elements.ok()) return elements.status();
    PageArray array;
    array.elements_ = *std::move(elements);
    return array;
  }
  PageArray() = default;

  // Elements of these pages are zeros again.
  void Clear(PageRange pages) {
    elements_.Clear(pages.first.value() * sizeof(T), pages.last.value() * sizeof(T));
  }

  T& operator[](PageNumber page) const { return elements_.as<T>()[page.value()]; }

 private:
  Reserved elements_;
};

}  // namespace dsm
