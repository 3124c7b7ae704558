// The engine's primitives by pages: each of them succeeds, or the process ends.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "dsm/engine/engine.h"
#include "dsm/layout/pages.h"

namespace dsm {

// Is called where the system refuses what the engine asked for; ends the process.
class RefusalListener {
 public:
  virtual ~RefusalListener() = default;
  // `what`: "map", of the pages. In signal handlers too, with errno.
  [[noreturn]] virtual void OnRefused(const char* what, PageRange pages) = 0;
};

// A value; the engine and the listener outlive it. Threads: any, in signal handlers too.
class PageMapper {
 public:
  PageMapper(Engine& engine, PageSize page_size, RefusalListener& refusals)
      : engine_(&engine), page_size_(page_size), refusals_(&refusals) {}
  PageSize page_size() const { return page_size_; }

  using Mode = PageMode;
  void Install(PageRange pages, Mode mode) const {
    Require(engine_->Install(At(pages), Bytes(pages), mode), "map", pages);
  }
  // The same for pages of which all, some or none of the system's pages are mapped: those that are
  // stay as they are.
  void InstallAgain(PageRange pages, Mode mode) const {
    // With mprotect a page that the system has taken comes back by itself, and Install would make
    // a writable page read-only for a moment.
    if (engine_->kind() == EngineKind::kSegv) return;
    const auto system_page = static_cast<std::uint64_t>(getpagesize());
    for (std::uint64_t done = 0; done < Bytes(pages); done += system_page) {
      const bool is_done = engine_->Install(At(pages) + done, system_page, mode);
      Require(is_done || errno == EEXIST, "map", pages);
    }
  }
  void AllowWrites(PageRange pages) const {
    Require(engine_->AllowWrites(At(pages), Bytes(pages)), "let write", pages);
  }
  void Protect(PageRange pages) const { Require(TryProtect(pages), "protect", pages); }
  // False: the system refuses, and the pages may be written as before.
  [[nodiscard]] bool TryProtect(PageRange pages) const {
    return engine_->Protect(At(pages), Bytes(pages));
  }
  void Invalidate(PageRange pages) const {
    Require(engine_->Invalidate(At(pages), Bytes(pages)), "invalidate", pages);
  }
  // For what else must be done to the pages.
  void Require(bool done, const char* what, PageRange pages) const {
    if (!done) refusals_->OnRefused(what, pages);
  }

 private:
  std::uint64_t At(PageRange pages) const { return page_size_.OffsetOf(pages.first); }
  std::uint64_t Bytes(PageRange pages) const { return page_size_.BytesOf(pages.count()); }

  Engine* engine_;
  PageSize page_size_;
  RefusalListener* refusals_;
};

}  // namespace dsm
