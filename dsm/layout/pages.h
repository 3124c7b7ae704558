// Page numbers, page counts and bytes: three units that do not mix. Only PageSize, which knows how
// large a page is, converts one into another, and this is the only file of the library that
// multiplies or divides by the size of a page.
//
//   const PageSize size(4096);
//   const PageNumber page = size.PageAt(offset);
//   const PageRange pages = {page, page + PageCount(3)};
//   for (const PageNumber each : pages) ...
//   memory.subspan(size.OffsetOf(pages.first), size.BytesOf(pages.count()))
//
// Pages are numbered from the beginning of a space, or, in a Distribution, from the beginning of an
// allocation; an AddressMap alone converts between the two.
//
// Pure; any thread may call. The types and their names follow tcmalloc's pages.h.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsm/language.h"

namespace dsm {

// A value: so many pages.
class PageCount {
 public:
  constexpr PageCount() = default;
  constexpr explicit PageCount(std::uint64_t pages) : pages_(pages) {}
  constexpr std::uint64_t value() const { return pages_; }

  constexpr PageCount& operator+=(PageCount more) {
    pages_ += more.pages_;
    return *this;
  }
  // Precondition: not more than there are.
  constexpr PageCount& operator-=(PageCount less) {
    pages_ -= less.pages_;
    return *this;
  }
  friend constexpr PageCount operator+(PageCount a, PageCount b) { return a += b; }
  friend constexpr PageCount operator-(PageCount a, PageCount b) { return a -= b; }
  friend constexpr auto operator<=>(PageCount, PageCount) = default;

 private:
  std::uint64_t pages_ = 0;
};

// A value: the number of a page; the first is 0.
class PageNumber {
 public:
  constexpr PageNumber() = default;
  constexpr explicit PageNumber(std::uint64_t number) : number_(number) {}
  constexpr std::uint64_t value() const { return number_; }

  constexpr PageNumber& operator++() {
    ++number_;
    return *this;
  }
  friend constexpr PageNumber operator+(PageNumber page, PageCount count) {
    return PageNumber(page.number_ + count.value());
  }
  // Precondition: `before` is not behind `page`.
  friend constexpr PageCount operator-(PageNumber page, PageNumber before) {
    return PageCount(page.number_ - before.number_);
  }
  friend constexpr auto operator<=>(PageNumber, PageNumber) = default;

 private:
  std::uint64_t number_ = 0;
};

// A value: pages first, first + 1, ..., last - 1.
struct PageRange {
  PageNumber first;
  PageNumber last;

  static constexpr PageRange Of(std::uint64_t first, std::uint64_t last) {
    return {PageNumber(first), PageNumber(last)};
  }
  static constexpr PageRange Only(PageNumber page) { return {page, page + PageCount(1)}; }

  constexpr bool empty() const { return first == last; }
  constexpr PageCount count() const { return last - first; }
  constexpr bool Contains(PageNumber page) const { return first <= page && page < last; }
  friend constexpr bool operator==(const PageRange&, const PageRange&) = default;

  struct Iterator {
    PageNumber page;
    constexpr PageNumber operator*() const { return page; }
    constexpr Iterator& operator++() {
      ++page;
      return *this;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;
  };
  constexpr Iterator begin() const { return {first}; }
  constexpr Iterator end() const { return {last}; }
};

// Ascending pages as ranges.
std::vector<PageRange> AsRanges(std::span<const PageNumber> pages);

// f(part) for parts of the range, `most` pages each but for the last. Precondition: most > 0.
template <typename F>
constexpr void ForEachPart(PageRange pages, PageCount most, F f) {
  while (!pages.empty()) {
    const PageNumber last = pages.first + std::min(most, pages.count());
    f(PageRange{pages.first, last});
    pages.first = last;
  }
}

// A value: bytes first, ..., last - 1 from the beginning of a space or of an array.
struct ByteRange {
  std::uint64_t first = 0, last = 0;

  constexpr std::uint64_t bytes() const { return last - first; }
  friend constexpr bool operator==(const ByteRange&, const ByteRange&) = default;
};

// A value: how large a page is. Offsets are bytes from the beginning of page 0.
class PageSize {
 public:
  constexpr explicit PageSize(std::uint64_t bytes) : bytes_(bytes) {}
  constexpr std::uint64_t bytes() const { return bytes_; }

  constexpr std::uint64_t OffsetOf(PageNumber page) const { return page.value() * bytes_; }
  constexpr std::uint64_t BytesOf(PageCount pages) const { return pages.value() * bytes_; }
  constexpr ByteRange BytesOf(PageRange pages) const {
    return {OffsetOf(pages.first), OffsetOf(pages.last)};
  }

  // The page that the byte lies in; the first page that begins there or behind.
  constexpr PageNumber PageAt(std::uint64_t offset) const { return PageNumber(offset / bytes_); }
  constexpr PageNumber PageFrom(std::uint64_t offset) const {
    return PageNumber(offset / bytes_ + (offset % bytes_ != 0 ? 1 : 0));
  }
  // So many have room in so many bytes; so many take room for so many bytes.
  constexpr PageCount WholePagesIn(std::uint64_t bytes) const { return PageCount(bytes / bytes_); }
  constexpr PageCount PagesFor(std::uint64_t bytes) const {
    return PageFrom(bytes) - PageNumber(0);
  }
  // All pages that the bytes lie in, of which there is one at least; those that they fill.
  constexpr PageRange PagesTouchedBy(ByteRange bytes) const {
    return {PageAt(bytes.first), PageFrom(bytes.last)};
  }
  constexpr PageRange PagesFilledBy(ByteRange bytes) const {
    return {PageFrom(bytes.first), PageAt(bytes.last)};
  }
  // The largest number of pages, one at least, that take no more than so many bytes.
  constexpr PageCount PagesAtOnce(std::uint64_t most_bytes) const {
    return std::max(PageCount(1), WholePagesIn(most_bytes));
  }
  constexpr bool Divides(std::uint64_t bytes) const { return bytes % bytes_ == 0; }

 private:
  std::uint64_t bytes_;
};

// A value: the memory of a space, or as much, by its pages.
class PageMemory {
 public:
  PageMemory() : size_(1) {}
  PageMemory(std::span<std::byte> memory, PageSize size) : memory_(memory), size_(size) {}

  std::span<std::byte> all() const { return memory_; }
  PageSize page_size() const { return size_; }
  PageCount pages() const { return size_.WholePagesIn(memory_.size()); }
  std::span<std::byte> BytesOf(PageNumber page) const {
    return memory_.subspan(size_.OffsetOf(page), size_.bytes());
  }
  std::span<std::byte> BytesOf(PageRange pages) const {
    return memory_.subspan(size_.OffsetOf(pages.first), size_.BytesOf(pages.count()));
  }

 private:
  std::span<std::byte> memory_;
  PageSize size_;
};

}  // namespace dsm
