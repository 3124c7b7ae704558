# shellcheck shell=bash
# For tests to source: the fenced blocks of a page in Markdown, which show users what to type, and what they see then.

# page_block PAGE SECTION NUMBER: prints the block of that number, from 1 on, behind the heading `## SECTION`. Fails where
# there is none.
page_block() {
  awk -v heading="## $2" -v wanted="$3" '
    /^```/ {
      in_block = !in_block
      if (in_block && is_here) ++number
      next
    }
    !in_block && /^## / { is_here = $0 == heading }
    in_block && is_here && number == wanted { print; ++lines }
    END { exit lines == 0 }' "$1" || { echo "FAILED: $1 has no block $3 in the section $2" >&2 && return 1; }
}
