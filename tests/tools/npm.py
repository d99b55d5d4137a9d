"""Packages of npm that tests run, as the package-lock.json of a folder here pins them."""
import os
import shutil
import subprocess
import tempfile

from program import TOP

# A registry that does not answer within this time is none.
INSTALL_S = 300


def modules(name):
    """The folder node_modules of what tests/tools/NAME names, installed once for all runs into build-gcc/NAME;
    or None, and why there is none."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            return None, "there is no " + program
    source, made = os.path.join(TOP, "tests", "tools", name), os.path.join(TOP, "build-gcc", name)
    with open(os.path.join(source, "package-lock.json"), "rb") as f:
        lock = f.read()
    try:
        with open(os.path.join(made, "package-lock.json"), "rb") as f:
            if f.read() == lock:
                return os.path.join(made, "node_modules"), None
    except OSError:
        pass
    os.makedirs(os.path.dirname(made), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(made), prefix=name + ".") as folder:
        for file in ("package.json", "package-lock.json"):
            shutil.copy(os.path.join(source, file), folder)
        try:
            subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True,
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=INSTALL_S,
                           env=dict(os.environ, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD="1"))
        except (OSError, subprocess.SubprocessError):
            return None, "npm cannot install what tests/tools/%s names" % name
        # Another test may install it at the same time: whole folders change places, and one of both stays.
        shutil.rmtree(made, ignore_errors=True)
        try:
            os.rename(folder, made)
        except OSError:
            pass
        os.makedirs(folder, exist_ok=True)
    return os.path.join(made, "node_modules"), None
