#!/usr/bin/env python3
"""Each fault that check_layout.py is to find is found where it is, and nothing else."""

import base64
import sys

sys.path.insert(0, "tools/layout")
import check_layout  # noqa: E402

STYLE = """<style>:root{color-scheme:light dark}body{margin:16px;font:16px sans-serif}
section{position:relative;margin:20px 0;min-height:40px}</style>"""


def image(svg):
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


WIDE_PICTURE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1400 99" width="1400">
<style>text{fill:#222}.page{fill:#fff}</style><rect class="page" width="1400" height="99"/>
<text x="9" y="50" font-size="13">tiny, too</text></svg>"""

# Section -> what is in it and the faults of that, at 500 px in light.
FAULTY = {
    "beyond-a-picture": (
        '<svg width="200" height="40"><text x="-12" y="20">l seconds</text></svg>', ["clipped"]),
    "beyond-a-box": (
        '<div style="overflow:hidden;width:60px;white-space:nowrap">much too long for it</div>', ["clipped"]),
    "beyond-a-scrolled-box": (
        '<div style="overflow-x:auto;width:90px"><span style="margin-left:-30px">to the left</span></div>', ["clipped"]),
    "below-a-box": (
        '<span>hidden</span><div style="position:absolute;top:0;left:0;width:90px;height:30px;background:#ccc"></div>',
        ["covered"]),
    "below-a-bar": (
        '<svg width="200" height="40"><text x="10" y="25">12.5</text><rect width="99" height="40" fill="#07b"/></svg>',
        ["covered"]),
    "two-labels": (
        '<svg width="300" height="40"><text x="10" y="20">scatter</text><text x="40" y="20">compact</text></svg>',
        ["overlapping"]),
    "shrunk": (
        '<svg viewBox="0 0 1400 40" width="468"><text x="10" y="25" font-size="13">tiny</text></svg>', ["small"]),
    "shrunk-image": (f'<img width="468" src="{image(WIDE_PICTURE)}"/>', ["small"]),
    "gray-on-white": ('<p style="color:#888;background:#fff">3.5 to 1</p>', ["pale"]),
    "white-on-yellow": (
        '<svg width="99" height="40"><rect width="99" height="40" fill="#e69f00"/><text x="9" y="25" fill="#fff">t0</text></svg>',
        ["pale"]),
    "folded": ('<details><summary>open</summary><p style="color:#aaa">pale inside</p></details>', ["pale"]),
}

# What looks like a fault and is none.
CLEAN = {
    "scrolled": ('<div style="overflow-x:auto;white-space:nowrap">' + "a wide table " * 20 + "</div>"),
    "wide-image": ('<div style="overflow-x:auto"><img style="max-width:none" src="' + image(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 60" width="900" height="60"><style>text{fill:#222}.p{fill:#fff}'
        '@media (prefers-color-scheme:dark){text{fill:#eee}.p{fill:#181818}}</style><rect class="p" width="900" height="60"/>'
        '<text x="780" y="30" font-size="13">seen by scrolling</text></svg>') + '"/></div>'),
    "lines": ('<p style="line-height:1">two lines of a paragraph that is too long for a line of that width, so that they '
              "are close to each other</p>"),
    "label-on-bar": ('<svg width="99" height="40"><rect width="99" height="40" fill="#0072b2"/>'
                     '<text x="9" y="25" fill="#fff">12.5</text></svg>'),
    # A line has a fill of no area, which is black where nothing else is said.
    "label-on-grid": ('<svg width="99" height="40"><rect width="99" height="40" fill="#fff"/>'
                      '<line y1="20" x2="99" y2="20" stroke="#ddd" stroke-width="4"/>'
                      '<text x="9" y="24" font-size="13" fill="#222">45</text></svg>'),
    "large": '<h1 style="font-size:30px;color:#888;background:#fff">3.5 is enough</h1>',
    "hidden": '<p style="display:none">never shown</p><svg width="9" height="9"><title>a tooltip</title></svg>',
}


def page_of(sections):
    body = "".join(f'<section id="{name}">{html}</section>' for name, html in sections.items())
    return f'<!DOCTYPE html><html><head><meta charset="utf-8">{STYLE}</head><body>{body}</body></html>'


def found_in(page, width, theme):
    """Section -> the kinds that were found there."""
    found = {}
    for finding in check_layout.look(check_layout.find_browser(), page, width, theme)["findings"]:
        found.setdefault(finding["place"], []).append(finding["kind"])
    return found


def main():
    if check_layout.find_browser() is None:
        print("SKIPPED: there is no Chromium to look at pages with; install the Debian package chromium.")
        return 0
    failures = []

    def expect(what, got, wanted):
        if got != wanted:
            failures.append(f"{what}: {got}, not {wanted}")

    faulty = page_of({name: html for name, (html, _) in FAULTY.items()})
    expect("faults", found_in(faulty, 500, "light"), {name: kinds for name, (_, kinds) in FAULTY.items()})
    for theme in check_layout.THEMES:
        expect(f"a page without faults, {theme}", found_in(page_of(CLEAN), 500, theme), {})
    # The same page may be readable in light and not in the dark.
    fixed = page_of({"ink": '<p style="color:#222">black in any page</p>'})
    expect("fixed ink, light", found_in(fixed, 500, "light"), {})
    expect("fixed ink, dark", found_in(fixed, 500, "dark"), {"ink": ["pale"]})
    # Or at one width and not at another.
    wide = page_of({"wide": '<div style="width:700px;text-align:right">at the right end</div>'})
    expect("wide, 500", found_in(wide, 500, "light"), {"": ["sideways"], "wide": ["clipped"]})
    expect("wide, 820", found_in(wide, 820, "light"), {})
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
