"""The content of a site and its history: a seeded plan that knows what each build changes.

A page is a title and blocks, (kind, text or rows); md(), rst(), adoc() and html()
write them.  plan() yields the states of a site, one a build.  What key() of a page
is, is its content: a page changed where its key did.
"""
import copy
import html as markup
import random

BASE = "https://www.example.org/"
DAY = 86400
SECTIONS = ("guide", "notes", "reference")
WORDS = (
    "tea leaf water kettle cup garden hill morning shade harvest steam oven bamboo basket clay pot market road "
    "river cloud rain wind root branch flower seed soil stone wood smoke fire copper silver salt sugar milk lemon "
    "ginger mint honey bread butter table chair window door house city harbour ship trader farmer worker family "
    "village school letter book paper ink colour green black white yellow dark light sweet bitter sour fresh dry "
    "warm cold slow quick long short old young first last early late pour wait turn press roll fold stir rest open "
    "close carry bring keep sell buy taste smell look listen learn teach write read count weigh measure").split()


class Page:
    def __init__(self, section, slug, title, blocks, changed_s):
        self.section, self.slug, self.title, self.blocks = section, slug, title, blocks
        self.made_s = self.changed_s = self.mtime_s = changed_s

    @property
    def path(self):
        return "/".join(filter(None, (self.section, self.slug)))

    @property
    def key(self):
        return repr((self.title, self.blocks))


class Site:
    """One state: pages by name, and what is around them."""

    def __init__(self):
        self.pages, self.menu, self.version, self.css, self.tagline = {}, ["Home", "Contact"], [4, 1, 0], 1, "All about tea"
        self.time_s = 0     # of the build
        self.step = "first"

    def of(self, *sections):
        return [p for p in sorted(self.pages.values(), key=lambda p: p.path) if p.section in sections]

    @property
    def docs(self):
        return self.of(*SECTIONS)

    @property
    def name(self):
        return "Tea House %d.%d.%d" % tuple(self.version)


def sentence(r):
    words = [r.choice(WORDS) for _ in range(r.randint(6, 14))]
    return " ".join(words).capitalize() + "."


def paragraph(r):
    extra = r.choice(["", "", " It costs %d.%d0 euros." % (r.randint(2, 40), r.randint(1, 9)),
                      " Since %d May 2019 this needs version %d.%d.1." % (r.randint(1, 28), r.randint(1, 9), r.randint(1, 9))])
    return ("p", " ".join(sentence(r) for _ in range(r.randint(2, 5))) + extra)


def title(r, used):
    while True:
        words = [r.choice(WORDS).capitalize() for _ in range(r.randint(2, 3))]
        if len(set(words)) == len(words) and " ".join(words) not in used:
            used.add(" ".join(words))
            return " ".join(words)


def blocks(r):
    """At least three paragraphs, and one block of each other kind."""
    made = [paragraph(r), paragraph(r), ("h", sentence(r)[:-1]), paragraph(r),
            ("list", [sentence(r) for _ in range(3)]),
            ("code", "brew --leaf %s --minutes %d\nbrew --stop" % (r.choice(WORDS), r.randint(2, 9))),
            ("h", sentence(r)[:-1]), ("table", [[r.choice(WORDS), str(r.randint(2, 90))] for _ in range(3)])]
    return made + [paragraph(r) for _ in range(r.randint(0, 4))]


def edit(r, page, kind):
    """One change of the text."""
    at = {k: [n for n, (had, _) in enumerate(page.blocks) if had == k] for k in ("p", "h", "list", "code", "table")}
    if kind == "title":
        page.title += " and " + r.choice(WORDS)
    elif kind == "add":
        page.blocks.insert(r.choice(at["p"]) + 1, paragraph(r))
    elif kind == "cut":
        page.blocks.pop(at["p"][-1])
    elif kind in ("sentence", "typo", "price"):
        n = r.choice(at["p"])
        text = page.blocks[n][1]
        if kind == "sentence":
            text = sentence(r) + text[text.index(".") + 1:]
        elif kind == "price":
            text = "%s It now costs %d.%d0 euros." % (text, r.randint(2, 40), r.randint(1, 9))
        else:
            spot = r.choice([i for i, c in enumerate(text[:text.index(".")]) if c.islower()])
            text = text[:spot] + ("x" if text[spot] != "x" else "y") + text[spot + 1:]
        page.blocks[n] = ("p", text)
    elif kind == "heading":
        page.blocks[at["h"][0]] = ("h", sentence(r)[:-1])
    elif kind == "list":
        page.blocks[at["list"][0]][1][r.randrange(3)] = sentence(r)
    elif kind == "code":
        page.blocks[at["code"][0]] = ("code", page.blocks[at["code"][0]][1] + " --" + r.choice(WORDS))
    else:
        row = r.choice(page.blocks[at["table"][0]][1])
        row[1] = str(int(row[1]) + 1)


EDITS = ("title", "add", "cut", "sentence", "typo", "price", "heading", "list", "code", "table")
STEPS = ("nothing", "layout", "edit", "new", "remove", "rename", "move", "touch", "version", "typo")


def plan(seed, start_s):
    """Yield the states of a site: 6 to 10 builds."""
    r = random.Random(seed)
    site, used = Site(), set()
    names = ["index"] + ["%s%d" % (s, n) for s in SECTIONS for n in range(r.randint(5, 9))]
    site.pages = {n: Page("" if n == "index" else n.rstrip("0123456789"), n, title(r, used), blocks(r),
                          int(start_s - r.uniform(20, 300) * DAY)) for n in names}
    for page in site.docs:
        page.slug = page.title.lower().replace(" ", "-")
    steps = r.sample(STEPS, len(STEPS))
    for skip in range(r.randint(1, 4)):
        steps.remove(r.choice([s for s in steps if s not in ("edit", "typo", "layout", "new", "touch")]))
    for number, step in enumerate(["first"] + steps):
        site.time_s, site.step = int(start_s + number * 2.3 * DAY), step
        changed = []
        docs = sorted(n for n in site.pages if n != "index")
        if step in ("edit", "remove", "rename"):
            changed = r.sample(docs, 4 if step == "edit" else 1)
            for name in changed:
                edit(r, site.pages[name], r.choice(EDITS))
        if step == "typo":
            changed = r.sample(docs + ["index"], 1)
            edit(r, site.pages[changed[0]], "typo")
        if step == "new":
            name = "%s%d" % (r.choice(SECTIONS), 50 + number)
            page = Page(name.rstrip("0123456789"), "", title(r, used), blocks(r), site.time_s - 3600)
            page.slug = page.title.lower().replace(" ", "-")
            site.pages[name] = page
        if step == "remove":
            del site.pages[r.choice([n for n in docs if n not in changed])]
        if step in ("rename", "move"):
            page = site.pages[r.choice([n for n in docs if n not in changed])]
            page.slug += "-" + r.choice(WORDS)
            if step == "rename":
                page.title += " " + r.choice(WORDS)
                page.changed_s = page.mtime_s = page.made_s = site.time_s - 3600
        if step == "touch":
            for name in r.sample(docs, 5):
                site.pages[name].mtime_s = site.time_s - 1800
        if step in ("layout", "version"):
            site.version[1 if step == "version" else 2] += 1
        if step == "layout":
            site.menu.append(r.choice(WORDS).capitalize())
            site.css += 1
            site.tagline = sentence(r)[:-1]
        for name in changed:
            site.pages[name].changed_s = site.pages[name].mtime_s = site.time_s - 3600
        yield copy.deepcopy(site)


def md(page):
    form = {"h": lambda t: "## " + t, "p": str, "list": lambda t: "\n".join("- " + i for i in t),
            "code": lambda t: "```\n%s\n```" % t,
            "table": lambda t: "| what | how many |\n| --- | --- |\n" + "\n".join("| %s | %s |" % tuple(row) for row in t)}
    return "\n\n".join(form[kind](text) for kind, text in page.blocks) + "\n"


def rst(page):
    form = {"h": lambda t: t + "\n" + "-" * len(t), "p": str, "list": lambda t: "\n".join("* " + i for i in t),
            "code": lambda t: "::\n\n    " + t.replace("\n", "\n    "),
            "table": lambda t: ".. list-table::\n\n" + "\n".join("   * - %s\n     - %s" % tuple(row) for row in t)}
    return "%s\n%s\n\n" % (page.title, "=" * len(page.title)) + \
        "\n\n".join(form[kind](text) for kind, text in page.blocks) + "\n"


def adoc(page):
    form = {"h": lambda t: "== " + t, "p": str, "list": lambda t: "\n".join("* " + i for i in t),
            "code": lambda t: "----\n%s\n----" % t,
            "table": lambda t: "|===\n" + "\n".join("|%s |%s" % tuple(row) for row in t) + "\n|==="}
    return "= %s\n\n" % page.title + "\n\n".join(form[kind](text) for kind, text in page.blocks) + "\n"


def html(page):
    e = markup.escape
    form = {"h": lambda t: "<h2>%s</h2>" % e(t), "p": lambda t: "<p>%s</p>" % e(t),
            "list": lambda t: "<ul>%s</ul>" % "".join("<li>%s</li>" % e(i) for i in t),
            "code": lambda t: "<pre><code>%s</code></pre>" % e(t),
            "table": lambda t: "<table>%s</table>" % "".join("<tr><td>%s<td>%s</tr>" % tuple(row) for row in t)}
    return "<h1>%s</h1>\n" % e(page.title) + "\n".join(form[kind](text) for kind, text in page.blocks) + "\n"


def links(site, form="/%s"):
    return "".join('<li><a href="%s">%s</a></li>' % (form % p.path, p.title) for p in site.docs)


def frame(site, title, body, time, main="main", css="/style.css", link="/%s/"):
    """A template: navigation, header and footer around what the generator fills in."""
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>%s - %s</title>\n'
            '<link rel="stylesheet" href="%s"></head>\n<body class="v%d"><header><p>%s</p><nav><ul>%s</ul></nav></header>\n'
            '<aside class="menu"><ul>%s</ul></aside>\n<%s>%s</%s>\n<footer>%s, built %s. %d pages.</footer></body></html>\n') % (
                title, site.name, css, site.css, site.tagline, "".join('<li><a href="/">%s</a></li>' % m for m in site.menu),
                links(site, link), main, body, main.split()[0], site.name, time, len(site.pages))
