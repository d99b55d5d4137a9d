"""A copy of the sources with a build of its own, to be changed at will."""
import contextlib
import filecmp
import os
import shutil
import subprocess

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))


def copy_sources(folder):
    """All that git knows of or would take.  What is there already, and the same, stays: its
    objects are newer than a change that was taken back would seem."""
    files = subprocess.run(["git", "-C", TOP, "ls-files", "-z", "-co", "--exclude-standard"],
                           check=True, capture_output=True).stdout.decode().split("\0")
    for name in filter(None, files):
        if os.path.exists(os.path.join(TOP, name)):
            to = os.path.join(folder, name)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            if not os.path.exists(to):
                shutil.copy2(os.path.join(TOP, name), to)
            elif not filecmp.cmp(os.path.join(TOP, name), to, shallow=False):
                shutil.copy(os.path.join(TOP, name), to)


class Copy:
    """One target of the build, or a few, in .build."""

    def __init__(self, folder, targets, options):
        self.folder = folder
        self.build = os.path.join(folder, "out")
        self.targets = [targets] if isinstance(targets, str) else targets
        copy_sources(folder)
        self.quiet("meson", "setup", self.build, folder, *options)
        wrong = self.make()
        if wrong:
            raise SystemExit("the sources do not build: " + wrong)

    @staticmethod
    def quiet(*args):
        return subprocess.run(args, check=True, stdin=subprocess.DEVNULL, capture_output=True)

    def make(self):
        """"", or the first error."""
        done = subprocess.run(["ninja", "-j2", "-C", self.build, *self.targets],
                              stdin=subprocess.DEVNULL, capture_output=True)
        errors = [line for line in done.stdout.decode("utf-8", "replace").split("\n")
                  if "error" in line]
        return "" if done.returncode == 0 else (errors or ["ninja fails"])[0]

    @contextlib.contextmanager
    def edited(self, edits):
        """Built with those edits, (file, text that is there once, new text), and
        put back afterwards.  Gives "", or what is wrong."""
        sound = {}
        try:
            yield self.edit(edits, sound) or self.make()
        finally:
            for path, text in sound.items():
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)

    def edit(self, edits, sound):
        for name, old, new in edits:
            path = os.path.join(self.folder, name)
            with open(path, encoding="utf-8") as f:
                text = f.read()
            if text.count(old) != 1:
                return "'%s' has %d times: %s" % (name, text.count(old), old.strip())
            sound.setdefault(path, text)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new))
        return ""
