#!/usr/bin/env python3
"""Make the demonstration's site and its stories part of the program.

    pack.py OUTPUT.c FOLDER STORIES SCRIPT FILE...

FILE is FOLDER/GENERATION/PATH; one that ends in .xml and is no index is
served gzipped, as PATH.gz.  STORIES says in its head what it holds, SCRIPT is that of `demo machines`.  Writes the
C source of demo_site.h.
"""
import hashlib
import os
import re
import shlex
import sys
import zlib

GENERATIONS = {"one": (1, "Thu, 20 Mar 2025 06:00:00 GMT"),
               "two": (2, "Thu, 27 Mar 2025 06:00:00 GMT")}


def gzipped(data):
    # wbits 31: a gzip wrapper, whose time is 0, so that builds are alike
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def read(folder, path):
    """(generation, target, type, date, bytes)"""
    generation, name = os.path.relpath(path, folder).split(os.sep, 1)
    number, date = GENERATIONS[generation]
    with open(path, "rb") as f:
        data = f.read()
    target = "/" + name.replace(os.sep, "/")
    if target.endswith(".txt"):
        return number, target, "text/plain; charset=utf-8", date, data
    if os.path.basename(target) == "index.xml":
        return number, target, "application/xml", date, data
    return number, target + ".gz", "application/gzip", date, gzipped(data)


def array(name, data, kind="static const unsigned char"):
    lines = ["%s %s[] = {" % (kind, name)]
    for i in range(0, len(data), 16):
        lines.append("    " + ", ".join("%d" % b for b in data[i:i + 16]) + ",")
    return lines + ["};"]


def quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def stories(path):
    """[(name, [(text, generation, words)])]; the first has the introduction alone."""
    found, text = [(None, [])], [""]
    with open(path, encoding="utf-8") as f:
        for line in (line.rstrip("\n") for line in f if not line.startswith("#")):
            begin = re.match(r"story ?(\w*)$", line)
            step = re.match(r"(\d)\$ (.*)", line)
            if begin or step:
                told = "".join(part + "\n" for part in text if part)
                text = [""]
                if step:
                    found[-1][1].append((told, int(step.group(1)), shlex.split(step.group(2))))
                    continue
                if told:
                    found[-1][1].append((told, 0, []))
                found.append((begin.group(1), []))
            elif not line:
                text.append("")
            else:
                text[-1] += (" " if text[-1] else "") + line
    return found


def story_lines(path):
    (_, ((introduction, _, _),)), *told = stories(path)
    lines = ["const char demo_introduction[] = %s;" % quoted(introduction), ""]
    for name, steps in told:
        lines.append("static const struct demo_step steps_%s[] = {" % (name or "all"))
        for text, generation, words in steps:
            lines.append("    {%s, %d, {%s}}," % (
                quoted(text), generation, ", ".join(map(quoted, words))))
        lines += ["};", ""]
    lines.append("static const struct demo_story stories[] = {")
    lines += ["    {%s, steps_%s, %d}," % (quoted(name), name or "all", len(steps))
              for name, steps in told]
    return lines + ["};", "", "const struct demo_story *", "demo_story(size_t i)", "{",
                    "\treturn i < sizeof(stories) / sizeof(stories[0]) ? &stories[i] : NULL;",
                    "}"]


def main():
    output, folder, told, script = sys.argv[1:5]
    files = sorted(read(folder, path) for path in sys.argv[5:])
    lines = ["/* Made by pack.py. */", '#include "crawler/commands/demo_site.h"', ""]
    rows = []
    for i, (generation, target, kind, date, data) in enumerate(files):
        name = "file_%d" % i
        lines += array(name, data)
        rows.append('    {%d, "%s", "%s", "\\"%s\\"", "%s", (const char *)%s, sizeof(%s)},'
                    % (generation, target, kind, hashlib.sha256(data).hexdigest()[:16],
                       date, name, name))
    lines += ["", "static const struct demo_file files[] = {"] + rows + ["};", ""]
    lines += ["const struct demo_file *", "demo_site_file(size_t i)", "{",
              "\treturn i < sizeof(files) / sizeof(files[0]) ? &files[i] : NULL;", "}", ""]
    lines += story_lines(told)
    with open(script, "rb") as f:
        lines += [""] + array("demo_machines_script", f.read() + b"\0", "const char")
    with open(output, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
