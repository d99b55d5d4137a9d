#!/usr/bin/env python3
"""Which sitemaps of an index may be fetched?  robots.txt and the rules decide.

    children.py INDEX_URL INDEX_FILE ROBOTS_FILE

Prints a line for each child: "fetch URL", or why not.
"""
import sys
import urllib.parse

import freshet


def main() -> int:
    url, index_file, robots_file = sys.argv[1:]
    robots_url = urllib.parse.urljoin(url, "/robots.txt")
    with freshet.Freshet() as reader, open(robots_file, "rb") as robots_body, \
            open(index_file, "rb") as body:
        robots = reader.robots(robots_body.read(), "examplebot")
        # robots.txt proves that its site is behind the documents it names.
        names_index = any(url == named for named, _ in robots.sitemaps)
        place = freshet.Place(url, proofs=[robots_url] if names_index else [])
        reading = reader.read(body.read(), freshet.Document(place))
        if reading.failure is not None:
            print(f"cannot read the index: {reading.failure}")
            return 1
        # The list is taken whole, because robots.ask() ends the reading.
        for entry in list(reading.entries()):
            if entry.refusal is not None:
                print(f"refused by {entry.refusal}: {entry.url}")
            elif not robots.ask(entry.url).is_allowed:
                print(f"forbidden by robots.txt: {entry.url}")
            else:
                print(f"fetch {entry.url}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
