"""What each defence is in the source, and how it is taken out (see off).

A defence is its edits: (file, exact text, what stands there instead).  The text
must be there just once.  Where one layer stands behind another, the edits take
out all that would stop the fault.
"""
import os

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
DEFENCES = {
    # --- fetch
    "body-limit": [
        ("crawler/fetch_call.c", "\tis_too_big = bytes.len > left;\n", "\tis_too_big = false;\n"),
        ("crawler/fetch_call.c", "\treturn bytes <= most || call->stop != DIAG_OK || too_big(call);\n",
         "\treturn bytes <= UINT64_MAX || most != 0;\n"),
    ],
    "announced-length": [
        ("crawler/fetch.c", "(request->takes_any ? 0 : request->max_bytes));\n", "0);\n"),
    ],
    "two-lengths": [
        ("crawler/fetch_headers.c",
         "\tif (headers->has_length && headers->length != length)\n",
         "\tif (headers->has_length && headers->length == UINT64_MAX)\n"),
    ],

    # --- redirects and addresses

    # --- gzip

    # --- XML

    # --- URLs and dates

    # --- indexes and robots.txt

    # --- output
}


def misfits(faults):
    """What these faults name and is not here, or not in the sources, as a list."""
    wrong = []
    for name in sorted({n for f in faults for n in f.off}):
        if name not in DEFENCES:
            wrong.append("no defence '%s'" % name)
        for path, old, _ in DEFENCES.get(name, ()):
            with open(os.path.join(TOP, path), encoding="utf-8") as f:
                count = f.read().count(old)
            if count != 1:
                wrong.append("%s: %s has %d times: %s" % (name, path, count, old.strip()))
    return wrong
