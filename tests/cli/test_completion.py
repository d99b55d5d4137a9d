"""Completions load in their shells, complete, and agree with the options."""
import os
import pty
import select
import shutil
import signal
import subprocess
import time
import unittest

from case import Case
from program import BINARY


class Shell(Case):
    def setUp(self):
        super().setUp()
        self.commands = self.program.run("help", "--json").records()
        os.symlink(BINARY, os.path.join(self.program.folder, "freshet"))

    def environment(self):
        """One in whose path the program is."""
        environment = self.program.environment()
        return dict(environment, PATH=self.program.folder + ":" + environment.get("PATH", os.environ["PATH"]))

    def script(self, shell):
        result = self.program.run("completion", shell)
        self.assertEqual((result.status, result.err), (0, ""), str(result))
        path = os.path.join(self.program.folder, "_freshet" if shell == "zsh" else shell)
        with open(path, "w", encoding="utf-8") as f:
            f.write(result.out)
        return path

    def shell(self, *words):
        if shutil.which(words[0]) is None:
            self.skipTest("no %s" % words[0])
        done = subprocess.run(words, env=self.environment(), cwd=self.program.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def long_options(self, command):
        return {"--" + o["name"].replace("_", "-") for o in command["options"]}

    def letters(self, command):
        return {"-" + o["letter"] for o in command["options"] if "letter" in o}


class Others(Shell):
    def test_no_such_shell(self):
        result = self.program.run("completion", "bsh")
        self.assertEqual((result.status, result.out), (2, ""))
        self.assertIn("did you mean 'bash'?", result.err)
        self.assertEqual(self.program.run("completion").status, 2)


class Bash(Shell):
    def complete(self, *lines):
        """Returns what bash offers for each list of words, of which the last is
        being completed."""
        script = ["source %s" % self.script("bash")]
        for words in lines:
            script.append("COMP_LINE='%s'; COMP_POINT=${#COMP_LINE}; _freshet; "
                          'printf "%%s\\037" "${COMPREPLY[@]}"; echo' % " ".join(words))
        out = self.shell("bash", "--norc", "-u", "-c", "\n".join(script))
        return [[w for w in line.split("\x1f") if w] for line in out.splitlines()]

    def test_words(self):
        with open(os.path.join(self.program.folder, "some file"), "w", encoding="utf-8"):
            pass
        rows = [
            (["freshet", "cr"], ["crawl"]),
            (["freshet", "crawl", "--pro"], ["--profile", "--proxy", "--progress",
                                             "--proof-inherit", "--proof-authority"]),
            (["freshet", "crawl", "--profile", "st"], ["strict"]),
            (["freshet", "crawl", "--profile=st"], ["strict"]),
            (["freshet", "crawl", "--profile="], ["strict", "google", "lenient"]),
            (["freshet", "crawl", "--dir-rule", ""], ["enforce", "warn"]),
            (["freshet", "--store", "x", "le", "cr"], []),
            (["freshet", "--store", "x", "cr"], ["crawl"]),
            (["freshet", "--store=x", "cr"], ["crawl"]),
            (["freshet", "export", "-f", "j"], ["jsonl"]),
            (["freshet", "crawl", "--delay", ""], []),
            (["freshet", "crawl", "--cacert", "so"], ["some file"]),
            (["freshet", "crawl", "--cacert=so"], ["some file"]),
            (["freshet", "help", "expo"], ["export"]),
            (["freshet", "help", "parse-e"], ["parse-error"]),
            (["freshet", "completion", ""], ["bash", "zsh", "fish"]),
            (["freshet", "db", "inf"], ["info"]),
            (["freshet", "nonsense", "--x"], []),
            (["freshet", "help", "swi"], ["switches"]),
            # what belongs to one action is not offered behind another
            (["freshet", "db", "info", "--o"], []),
            (["freshet", "db", "prune", "--o"], ["--older"]),
            (["freshet", "db", "fsck", "--re"], ["--repair"]),
            (["freshet", "db", "--re"], ["--repair"]),
            (["freshet", "crawl", "--dir-rule", ""], ["enforce", "warn"]),
            (["freshet", "export", "--columns", "la"], ["lastmod"]),
            (["freshet", "export", "--columns", "loc,la"], ["loc,lastmod"]),
        ]
        for (words, wanted), got in zip(rows, self.complete(*[r[0] for r in rows]), strict=True):
            with self.subTest(words=words):
                self.assertEqual(sorted(got), sorted(wanted))

    def test_agrees(self):
        found = self.complete(*[["freshet", c["name"], "-"] for c in self.commands])
        for command, got in zip(self.commands, found, strict=True):
            with self.subTest(command=command["name"]):
                self.assertEqual(set(got), self.long_options(command) | self.letters(command))
        names = self.complete(["freshet", ""])[0]
        self.assertEqual(names, [c["name"] for c in self.commands])


class Fish(Shell):
    def complete(self, *lines):
        script = ["source %s" % self.script("fish")]
        for line in lines:
            script += ["complete -C '%s'" % line, "echo END"]
        out = self.shell("fish", "--no-config", "-c", "\n".join(script))
        return [[row.split("\t")[0] for row in part.splitlines()]
                for part in out.split("END\n")[:-1]]

    def test_words(self):
        rows = [("freshet cr", "crawl"), ("freshet crawl --profile st", "strict"),
                ("freshet crawl --pro", "--profile"), ("freshet export -f j", "jsonl"),
                ("freshet help parse-e", "parse-error"), ("freshet db inf", "info"),
                ("freshet completion f", "fish"), ("freshet crawl --dir-rule w", "warn"),
                ("freshet crawl --dir-rule=w", "--dir-rule=warn"),
                ("freshet db prune --ol", "--older"),
                ("freshet export --columns la", "lastmod"),
                ("freshet export --columns loc,la", "loc,lastmod")]
        for (line, wanted), got in zip(rows, self.complete(*[r[0] for r in rows]), strict=True):
            with self.subTest(line=line):
                self.assertIn(wanted, got)

    def test_actions(self):
        self.assertEqual(self.complete("freshet db info --ol"), [[]])

    def test_values_have_no_description(self):
        """Else the description of the option would stand behind each value."""
        out = self.shell("fish", "--no-config", "-c", "source %s; complete -C "
                         "'freshet crawl --profile '" % self.script("fish"))
        self.assertEqual(sorted(line.rstrip("\t") for line in out.splitlines()),
                         ["google", "lenient", "strict"])

    def test_agrees(self):
        lines = ["freshet %s -" % c["name"] for c in self.commands] + ["freshet "]
        found = self.complete(*lines)
        for command, got in zip(self.commands, found):
            with self.subTest(command=command["name"]):
                self.assertEqual(set(got), self.long_options(command) | self.letters(command))
        self.assertEqual(set(found[-1]), {c["name"] for c in self.commands})


class Zsh(Shell):
    def type(self, *lines):
        """Returns the line of an interactive zsh after a tab."""
        if shutil.which("zsh") is None:
            self.skipTest("no zsh")
        self.script("zsh")
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.program.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"],
                       dict(self.environment(), TERM="dumb", PS1="> "))
        try:
            # a key writes the line into a file, and empties it
            os.write(terminal, b"fpath=($PWD $fpath); autoload -Uz compinit; "
                     b"compinit -u -d $PWD/dump; keep() { print -r -- $BUFFER >>out; BUFFER= }; "
                     b"zle -N keep; bindkey '^X' keep\n")
            for line in lines:
                os.write(terminal, line.encode() + b"\t\x18")
            return self.wait(terminal, len(lines))
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(terminal)

    def wait(self, terminal, count):
        """Wait for the first lines of the file, and return them."""
        shown = b""
        until = time.monotonic() + 600
        while time.monotonic() < until:
            if select.select([terminal], [], [], 0.05)[0]:
                shown += os.read(terminal, 65536)
            try:
                with open(os.path.join(self.program.folder, "out"), encoding="utf-8") as f:
                    found = f.read().split("\n")[:-1]
            except FileNotFoundError:
                continue
            if len(found) >= count:
                return found
        raise TimeoutError("zsh is silent: %r" % shown[-2000:])

    def test_words(self):
        rows = [("freshet cr", "freshet crawl "),
                ("freshet crawl --profi", "freshet crawl --profile "),
                ("freshet ls --lo", "freshet ls --long "),
                ("freshet crawl --profile st", "freshet crawl --profile strict "),
                ("freshet crawl --profile=l", "freshet crawl --profile=lenient "),
                ("freshet export -f j", "freshet export -f jsonl "),
                ("freshet db inf", "freshet db info "),
                ("freshet help parse-e", "freshet help parse-error "),
                ("freshet completion z", "freshet completion zsh "),
                ("freshet db prune --ol", "freshet db prune --older "),
                ("freshet db info --ol", "freshet db info --ol"),
                ("freshet crawl --www-rule f", "freshet crawl --www-rule fold "),
                ("freshet export --columns loc,la", "freshet export --columns loc,lastmod ")]
        for (line, wanted), got in zip(rows, self.type(*[r[0] for r in rows]), strict=True):
            with self.subTest(line=line):
                self.assertEqual(got, wanted)


if __name__ == "__main__":
    unittest.main()
