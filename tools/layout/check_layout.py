#!/usr/bin/env python3
"""Finds text of a page that a reader cannot read, in a real browser.

usage: tools/layout/check_layout.py [--widths=500,820,1280] [--themes=light,dark] PAGE...

Loads each HTML file in headless Chromium at each width, light and dark, and prints a line for each
text that is clipped, covered, on another text, smaller than 9 pixels or too pale (layout.js says how
that is decided). Exits 1 if there is one, 2 if it could not look. As a test, without Chromium (the
Debian package chromium), it prints `SKIPPED: reason` and exits 0. No network is used.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.parse

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = (500, 820, 1280)
THEMES = ("light", "dark")
# A page of 4,000 texts takes a few seconds on an idle machine.
LIMIT_SECONDS = 120
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "layout.js")


class NoAnswer(Exception):
    """The browser did not do what it was asked."""


def find_browser():
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def with_script(page, script):
    """The page's text with the script as its last element."""
    at = page.rfind("</body>")
    at = len(page) if at < 0 else at
    return f"{page[:at]}<script>{script}</script>{page[at:]}"


def dump(browser, path, width, theme, folder):
    """What the page at `path` has become after its scripts ran."""
    profile = tempfile.mkdtemp(dir=folder)
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", f"--user-data-dir={profile}",
        f"--window-size={width},1000", "--hide-scrollbars", "--virtual-time-budget=60000", "--dump-dom",
    ]
    if theme == "dark":
        command.append("--force-dark-mode")
    with subprocess.Popen(command + [f"file://{path}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", env={**os.environ, "HOME": folder}, start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise NoAnswer(f"{browser} had no answer after {LIMIT_SECONDS} s") from None
    if process.returncode != 0:
        raise NoAnswer(f"{browser} ended with {process.returncode}: {errors[-500:]}")
    return output


def look(browser, page, width, theme):
    """The answer of layout.js: {"texts": how many were looked at, "findings": [...]}."""
    with open(SCRIPT, encoding="utf-8") as file:
        script = file.read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(with_script(page, script))
        output = dump(browser, path, width, theme, folder)
    found = re.search(r'data-layout="([^"]*)"', output)
    if not found:
        raise NoAnswer("the page was loaded, but the script left no answer")
    answer = json.loads(urllib.parse.unquote(found.group(1)))
    if "error" in answer:
        raise NoAnswer(answer["error"])
    # What was asked for is what was looked at.
    if (answer["width"], answer["theme"]) != (width, theme):
        raise NoAnswer(f"asked for {width} px, {theme}; got {answer['width']} px, {answer['theme']}")
    return answer


def refuse(sentence):
    print(f"tools/layout/check_layout.py: {sentence}.", file=sys.stderr)
    return 2


def main(arguments):
    widths, themes, pages = WIDTHS, THEMES, []
    for argument in arguments:
        if argument in ("-h", "--help"):
            print(__doc__.strip())
            return 0
        if argument.startswith("--widths="):
            widths = argument.split("=", 1)[1].split(",")
            if not all(re.fullmatch(r"[1-9]\d{1,4}", width) for width in widths):
                return refuse(f"{argument}: a width is a number of pixels")
            widths = [int(width) for width in widths]
        elif argument.startswith("--themes="):
            themes = argument.split("=", 1)[1].split(",")
            if not set(themes) <= set(THEMES):
                return refuse(f"{argument}: a theme is light or dark")
        elif argument.startswith("-"):
            return refuse(f"unknown argument '{argument}'; see --help")
        else:
            pages.append(argument)
    if not pages:
        return refuse("no page was given; see --help")
    browser = find_browser()
    if browser is None:
        reason = "there is no Chromium to look at pages with; install the Debian package chromium"
        if "TEST_TARGET" not in os.environ:
            return refuse(reason)
        print(f"SKIPPED: {reason}.")
        return 0
    count = 0
    for path in pages:
        try:
            with open(path, encoding="utf-8") as file:
                page = file.read()
        except (OSError, UnicodeDecodeError) as error:
            return refuse(f"cannot read {path}: {error}")
        for theme in themes:
            for width in widths:
                try:
                    answer = look(browser, page, width, theme)
                except NoAnswer as error:
                    return refuse(f"{path}: {' '.join(str(error).split())}")
                print(f"{path} at {width} px, {theme}: {answer['texts']} texts, {len(answer['findings'])} faults")
                for finding in answer["findings"]:
                    print(f"  {finding['kind']}: \"{finding['text']}\" in {finding['place'] or 'the page'}: {finding['detail']}")
                count += len(answer["findings"])
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
