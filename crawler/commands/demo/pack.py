#!/usr/bin/env python3
"""Make the demonstration's site part of the program.

    pack.py OUTPUT.c FOLDER FILE...

FILE is FOLDER/GENERATION/PATH; one that ends in .xml and is no index is
served gzipped, as PATH.gz.  Prints the C source of demo_site.h.
"""
import hashlib
import os
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


def array(name, data):
    lines = ["static const unsigned char %s[] = {" % name]
    for i in range(0, len(data), 16):
        lines.append("    " + ", ".join("%d" % b for b in data[i:i + 16]) + ",")
    return lines + ["};"]


def main():
    output, folder = sys.argv[1:3]
    files = sorted(read(folder, path) for path in sys.argv[3:])
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
              "\treturn i < sizeof(files) / sizeof(files[0]) ? &files[i] : NULL;", "}"]
    with open(output, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
