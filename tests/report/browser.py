#!/usr/bin/env python3
"""What a browser makes of hostile reports; skipped where Chromium is not.

    tests/report/browser.py REPORT-SAMPLE

Its DOM, printed again, must hold no element, attribute or link that a page
without hostile text would not.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from page import Page

SKIPPED = 77
SEEDS = 4


def dom(browser, path, folder):
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--disable-background-networking", "--user-data-dir=" + os.path.join(folder, "profile"),
         "--dump-dom", "file://" + path], capture_output=True, timeout=600)
    return done.stdout.decode()


def main():
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        print("skipped: there is no chromium")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(SEEDS):
            path = os.path.join(folder, "%d.html" % seed)
            with open(path, "wb") as f:
                subprocess.run([sys.argv[1], str(seed), "html"], stdout=f, check=True)
            text = dom(browser, path, folder)
            if "</html>" not in text:
                print("skipped: '%s' prints no page here" % browser)
                return SKIPPED
            with open(path, encoding="utf-8") as f:
                written = Page(f.read())
            seen = Page(text)
            words = [re.sub(r"\s+", " ", page.text).strip() for page in (written, seen)]
            if seen.faults or words[0] != words[1]:
                print("seed %d: %s" % (seed, seen.faults or "the texts differ"))
                failed += 1
    print("%d passed, %d failed" % (SEEDS - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
