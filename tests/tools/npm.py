"""Packages of npm that tests run, as the package-lock.json of a folder here pins them."""
import fcntl
import os
import shutil
import subprocess
import tempfile
import time

from program import TOP

# A registry that does not answer within this time is none; it is asked again later, not by each test.
INSTALL_S = 180
AGAIN_S = 900


def modules(name):
    """The folder node_modules of what tests/tools/NAME names, installed once for all runs into build-gcc/NAME;
    or None, and why there is none."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            return None, "there is no " + program
    source, made = os.path.join(TOP, "tests", "tools", name), os.path.join(TOP, "build-gcc", name)
    os.makedirs(os.path.dirname(made), exist_ok=True)
    with open(made + ".lock", "a+", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_same(os.path.join(source, "package-lock.json"), os.path.join(made, "package-lock.json")):
            return os.path.join(made, "node_modules"), None
        lock.seek(0)
        if time.time() - float(lock.read() or 0) > AGAIN_S and not install(source, made):
            lock.truncate(0)
            lock.write("%d" % time.time())  # it failed then
    if not os.path.isdir(made):
        return None, "npm cannot install what tests/tools/%s names" % name
    return os.path.join(made, "node_modules"), None


def is_same(path, other):
    try:
        with open(path, "rb") as one, open(other, "rb") as two:
            return one.read() == two.read()
    except OSError:
        return False


def install(source, made):
    """Install them as a whole, or not."""
    shutil.rmtree(made, ignore_errors=True)
    folder = tempfile.mkdtemp(dir=os.path.dirname(made), prefix=os.path.basename(made) + ".")
    for file in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(source, file), folder)
    try:
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries", "1"], cwd=folder,
                       check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=INSTALL_S,
                       env=dict(os.environ, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD="1"))
    except (OSError, subprocess.SubprocessError):
        shutil.rmtree(folder, ignore_errors=True)
        return False
    os.rename(folder, made)
    return True
