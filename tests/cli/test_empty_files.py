"""An empty file in each place where a file may stand: a secret that is being replaced, a disk
that was full.  The command says what is wrong, or takes it for nothing; it never dies."""
import os
import unittest

from case import Case, urlset


class Empty(Case):
    SITE = "SITE"
    # the option, and for each command that has it the words that make it read the file
    OPTIONS = (
        ("--config", ("list",), ("crawl", SITE), ("check", SITE), ("alert", "list")),
        ("--input-file", ("add",), ("crawl",), ("check",), ("rm",), ("robots",), ("explain",), ("ls",), ("compare",)),
        ("--cacert", ("crawl", SITE), ("check", SITE), ("doctor",)),
        ("--user-file", ("crawl", SITE), ("check", SITE)),
        ("--baseline", ("check", SITE)),
        ("--file", ("robots", SITE)),
        ("--token-file", ("serve", "--listen", "127.0.0.1:0"), ("run", "--once", "--listen", "127.0.0.1:0")))
    ARGUMENTS = (("check", "FILE"), ("compare", "FILE"), ("import", "FILE"), ("import", "-f", "jsonl", "FILE"),
                 ("crawl", "FILE"), ("list", "--store", "FILE"), ("crawl", "--store", "FILE", SITE),
                 ("db", "fsck", "--store", "FILE"), ("serve", "--listen", "127.0.0.1:0", "--store", "FILE"),
                 ("diff", "--store", "FILE"), ("done",), ("check", "FOLDER"))

    def test_all(self):
        server = self.site()
        server.put("/robots.txt", "Sitemap: %s\n" % server.url("/s.xml"))
        server.put("/s.xml", urlset([server.url("/1")]))
        self.program.run("crawl", server.url("/"))
        folder = os.path.join(self.program.folder, "empty")
        os.mkdir(folder)
        name = os.path.join(folder, "sitemap.xml")
        calls = [words + (option, "FILE") for option, *commands in self.OPTIONS for words in commands]
        for words in calls + list(self.ARGUMENTS):
            with open(name, "w", encoding="ascii"):
                pass
            with self.subTest(command=words):
                names = {"FILE": name, "FOLDER": folder, self.SITE: server.url("/")}
                run = self.program.run(*[names.get(w, w) for w in words], input="", timeout=600)
                self.assertIn(run.status, range(8), str(run))
                if run.status > 1:
                    self.assertRegex(run.err + run.out, r"\w{3}", str(run))
        run = self.program.run("list")
        self.assertEqual(run.status, 0, str(run))


if __name__ == "__main__":
    unittest.main()
