#!/usr/bin/env python3
"""Makes tables for the program from the documents, so that both say the same.

    docs/tables.py examples docs/reference/diagnostics.txt base/diag.def
    docs/tables.py rules docs/internals/SPEC.md docs/internals/HOSTILE.md
    docs/tables.py commands docs/reference/commands.txt crawler/cli/command.def
    docs/tables.py options docs/reference/options.txt crawler/cli/command.def
    docs/tables.py generators docs/reference/generators.txt page|table
    docs/tables.py text NAME FILE
    docs/tables.py steps NAME FILE

`examples` writes one initializer for each code of the catalogue, of the type
struct reference_example; `rules` writes one for each rule of SPEC and each
numbered row of HOSTILE, of the type struct reference_rule; crawler/cli/reference.c
includes them.  `commands` writes one for each command, of the type struct
command, for crawler/cli/command.c, and `options` one for each option, of the type
struct option, for options_table.c, and one for each switch of base/profile.c, behind
them.  `generators` writes the initializers of
base/generator.c, or the page generators.md.  `text` writes the text of a file as an array NAME, and
`steps` the steps of store/schema.sql, without comments, as an array of texts.  All go to
stdout.
"""
import os
import re
import sys


class Fault(Exception):
    """A mistake in a document."""


def examples(path):
    """The file diagnostics.txt: (sources by key, code -> its parts).

    Its head describes the format.  A part is before, after, note or with:
    text; or sources: a list of keys.
    """
    sources, codes, part, code = {}, {}, None, None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line.startswith("\t") or not line:
                if part is not None:
                    part.append(line[1:])
                elif line:
                    raise Fault("%s:%d: text belongs to nothing" % (path, number))
                continue
            part = None
            if line.startswith("#"):
                continue
            word, _, rest = line.partition(" ")
            if word == "define":
                key, title, link = rest.split(" | ")
                sources[key] = (title, link)
            elif word == "code":
                if rest in codes:
                    raise Fault("%s:%d: '%s' is there twice" % (path, number, rest))
                code = codes[rest] = {"sources": []}
            elif code is None or word in code:
                if word != "sources" or code is None or code["sources"]:
                    raise Fault("%s:%d: '%s' has no place here" % (path, number, word))
                code["sources"] = rest.split()
            elif word == "with":
                code["with"] = rest
            elif word in ("before", "after", "note"):
                part = code[word] = []
            else:
                raise Fault("%s:%d: what is '%s'?" % (path, number, word))
    for name, parts in codes.items():
        for word in ("before", "after", "note"):
            if word in parts:
                parts[word] = "\n".join(parts[word]).strip("\n")
        for key in parts["sources"]:
            if key not in sources:
                raise Fault("%s: %s: there is no source '%s'" % (path, name, key))
        if ("before" in parts) != ("after" in parts):
            raise Fault("%s: %s has only one of before and after" % (path, name))
    return sources, codes


def pieces(text):
    """An example's text: [(name, text)].  One that names no file is of the sitemap."""
    found = []
    for line in text.split("\n"):
        head = re.fullmatch(r"-- (.+) --", line)
        if head:
            found.append((head.group(1), []))
        elif not found:
            found.append(("", [line]))
        else:
            found[-1][1].append(line)
    return [(name, "\n".join(lines).strip("\n")) for name, lines in found]


def rules(path, document):
    """Rules of SPEC or numbered facts and faults of HOSTILE: [(id, where it stands, text)].

    A row of HOSTILE may hold several, each behind a semicolon or a full stop;
    so may a paragraph.
    """
    found, place, heads, prose = [], "", [], ""

    def take(name, text):
        for more in re.split(r"(?<=[;.:]) (?=%s\d+ )" % name[0], text):
            head = re.match(r"([A-Z]{1,2}\d+) (.*)", more)
            found.append((head.group(1), place, head.group(2)) if head else (name, place, more))

    with open(path, encoding="utf-8") as f:
        for line in list(f) + ["\n"]:
            line = line.rstrip("\n").replace("**", "")
            rule = re.match(r"(R-\d+|\d+)[:.] (.*)", line)
            row = re.match(r"\| ?([A-Z]{1,2}\d+) ?\| ?(.*?) ?\|$", line)
            if line.startswith("#"):
                place, heads = "%s, section %s" % (document, line.lstrip("# ")), []
            elif document == "SPEC" and rule:
                number = rule.group(1)
                if number.startswith("R-"):
                    found.append((number, place, rule.group(2)))
                elif "section 15." in place:
                    found.append(("15." + number, place, rule.group(2)))
            elif row:
                cells = re.split(r"(?<!\\) ?\| ?", row.group(2))
                take(row.group(1), cells[0] if len(cells) == 1 else "; ".join(
                    "%s: %s" % pair for pair in zip(heads[1:], cells) if pair[1]))
            elif line.startswith("|"):
                heads = heads or [cell.strip() for cell in line.strip("|").split("|")]
            elif line and document == "HOSTILE":
                prose += " " + line
            elif prose:
                for more in re.split(r"(?<=[.:]) (?=F\d+ )", prose)[1:]:
                    take(*more.split(" ", 1))
                prose = ""
    return found


def quoted(text):
    """A C literal."""
    if text is None:
        return "NULL"
    return '"%s"' % (text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
                     .replace("\t", "\\t").replace("?", "\\?"))


def print_examples(path, catalogue):
    with open(catalogue, encoding="utf-8") as f:
        names = re.findall(r'^DIAG\((\w+), "([a-z0-9-]+)"', f.read(), re.M)
    sources, codes = examples(path)
    strangers = sorted(set(codes) - {code for _, code in names})
    if strangers:
        raise Fault("%s: there is no code '%s'" % (path, strangers[0]))
    print("/* Made by docs/tables.py from docs/reference/diagnostics.txt. */")
    for name, code in names:
        parts = codes.get(code)
        if parts is None:
            continue
        print("[DIAG_%s] = {.before = %s, .after = %s, .note = %s, .with = %s, .sources = {%s}}," % (
            name, quoted(parts.get("before")), quoted(parts.get("after")),
            quoted(parts.get("note")), quoted(parts.get("with")),
            ", ".join("{%s, %s}" % tuple(map(quoted, sources[key]))
                      for key in parts["sources"]) or "{NULL, NULL}"))


def print_rules(spec, hostile):
    print("/* Made by docs/tables.py from SPEC.md and HOSTILE.md. */")
    seen = set()
    for name, place, text in rules(spec, "SPEC") + rules(hostile, "HOSTILE"):
        if name in seen:
            raise Fault("'%s' is there twice" % name)
        seen.add(name)
        print("{%s, %s, %s}," % (quoted(name), quoted(place), quoted(text.rstrip(" ;"))))


def commands(path):
    """The file commands.txt, whose head describes the format: [{word: text}].

    Lines of a part that begin with a tab are one paragraph of `synopsis` and
    `text`, up to an empty line, but each is a line of its own in the others.
    """
    found, part, is_prose = [], None, False
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line.startswith("\t") and part is not None:
                if is_prose and part and part[-1]:
                    part[-1] += " " + line[1:]
                elif is_prose and part:
                    part[-1] = line[1:]
                else:
                    part.append(line[1:])
            elif not line:
                if part and is_prose:
                    part.append("")
            elif not line.startswith("#"):
                word, _, rest = line.partition(" ")
                if word == "command":
                    found.append({"command": rest})
                elif not found or word in found[-1] or word not in (
                        "group", "summary", "arguments", "stdin", "actions", "synopsis",
                        "examples", "text", "exits"):
                    raise Fault("%s:%d: '%s' has no place here" % (path, number, word))
                is_prose = word in ("synopsis", "text")
                part = found[-1][word] = [] if is_prose or word in ("examples", "exits") else rest
                if isinstance(part, str):
                    part = None
    return found


def command_numbers(path):
    """The numbers of command.def, in their order."""
    with open(path, encoding="utf-8") as f:
        return re.findall(r"^[A-Z]+\((\w+), \w+\)$", f.read(), re.M)


def print_commands(path, rows):
    numbers = command_numbers(rows)
    print("/* Made by docs/tables.py from docs/reference/commands.txt. */")
    for command in commands(path):
        number = command["command"].upper()
        if number not in numbers:
            raise Fault("%s has no number for '%s'" % (rows, command["command"]))
        numbers.remove(number)
        least, most, operand = re.fullmatch(
            r"(\d+)\.\.(\d+|any) (.+)", command["arguments"]).groups()
        fields = [("name", command["command"]), ("group", command["group"]),
                  ("summary", command["summary"]), ("operand", operand)]
        if "actions" in command:
            fields.append(("actions", command["actions"]))
        for word in ("synopsis", "examples", "text", "exits"):
            lines = [line for line in command.get(word, []) if line]
            fields.append((word, "".join(line + "\n" for line in lines)
                           if word != "synopsis" else " ".join(lines)))
        print("[COMMAND_%s] = {%s, .min_args = %s, .max_args = %s%s}," % (
            number, ", ".join(".%s = %s" % (name, quoted(text)) for name, text in fields),
            least, "UINT32_MAX" if most == "any" else most,
            {None: "", "pipe": ", .reads_stdin = true",
             "dash": ", .reads_stdin = true, .wants_dash = true"}[command.get("stdin")]))
    if numbers:
        raise Fault("%s has no '%s'" % (path, numbers[0]))


OPTION_MARKS = {"positive": ".is_positive = true", "site": ".place = IN_SITE",
                "line": ".place = ON_LINE", "own": ".is_own = true", "off": ".has_off = true"}
OPTION_WORDS = {"has": "has", "typed": "typed", "pick": "pick", "choices": "choices",
                "members": "members", "max": "max", "shape": "shape", "form": "form",
                "default": "standard", "for": "commands", "configured": "configured",
                "action": "action", "not-with": "not_with"}


def options(path, sets):
    """The file options.txt, whose head describes the format: [{word: text}].

    sets has a C expression for each command, and gets one for each set of them.
    """
    def commands_of(words):
        kept = " | ".join(sets[word] for word in words.split() if word[0] != "-")
        for word in re.findall(r"-(\w+)", words):
            kept = "(%s) & ~%s" % (kept, sets[word])
        return kept

    found = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            word, _, rest = line.rstrip("\n").partition(" ")
            if line.startswith("\t") and found:
                found[-1]["help"] = (found[-1].get("help", "") + " " + line.strip()).strip()
            elif word == "option":
                found.append({"option": rest})
            elif word == "set":
                name, _, rest = rest.partition(" ")
                sets[name] = "(%s)" % commands_of(rest)
            elif word in OPTION_WORDS or word == "type":
                if not found or word in found[-1]:
                    raise Fault("%s:%d: '%s' has no place here" % (path, number, word))
                found[-1][word] = commands_of(rest) if word in ("for", "configured") else rest
            elif word and not line.startswith("#"):
                raise Fault("%s:%d: what is '%s'?" % (path, number, word))
    return found


def switches(path):
    """The switches of the profile, as base/profile.c has them: [(name, values, help)], C texts."""
    with open(path, encoding="utf-8") as f:
        table = re.search(r"profile_switches\[\w+\] = \{\n(.*?)\n\};", f.read(), re.S).group(1)
    return re.findall(r'\{("\w+"), ("[^"]*"|NULL), AT\(\w+\),\s*\{[^}]*\},\s*((?:"[^"]*"\s*)+)\}',
                      table)


def print_options(path, rows):
    sets = {name.lower(): "COMMAND_BIT(COMMAND_%s)" % name for name in command_numbers(rows)}
    sets.update(all="FOR_ALL", configured="FOR_CONFIGURED")
    print("/* Made by docs/tables.py from docs/reference/options.txt. */")
    for option in options(path, sets):
        letter, name, argument = re.fullmatch(
            r"(?:-(\w) )?(\S+)(?: (\S+))?", option["option"]).groups()
        kind, member, *marks = option["type"].split()
        fields = [".name = %s, .argument = %s, .help = %s, .type = OPTION_%s, .target = AT(%s)" % (
            quoted(name), quoted(argument), quoted(option["help"]), kind.upper(), member)]
        fields += [".letter = '%s'" % letter for _ in (letter or "")[:1]]
        fields += [OPTION_MARKS[mark] for mark in marks]
        for word, field in OPTION_WORDS.items():
            text = option.get(word)
            if text is None:
                continue
            if word in ("has", "typed"):
                text = "AT(%s)" % text
            elif word == "shape":
                text = "SHAPE_" + text.upper().replace("-", "_")
            elif word == "default":
                text = quoted(re.sub(r" \(.*\)$", "", text))
            elif word not in ("for", "configured", "max", "pick") and not re.fullmatch(r"[A-Z]+_[A-Z]+", text):
                text = quoted(text)
            fields.append(".%s = %s" % (field, text))
        print("{%s}," % ", ".join(fields))
    for name, values, text in switches(os.path.join(os.path.dirname(rows), "../../base/profile.c")):
        print('{.name = %s, .argument = "VALUE", .help = %s, .type = OPTION_SWITCH, .choices = %s, '
              ".target = AT(rules.switches), .place = IN_SITE, .commands = %s, .configured = %s}," % (
                  name, text, values, sets["rules"], sets["fetch"]))


GENERATOR_WORDS = ("version", "source", "dates", "moves", "loc", "split", "index", "switch",
                   "tried", "pages", "library", "prior")
CHANGEFREQS = ("-", "always", "hourly", "daily", "weekly", "monthly", "yearly", "never")


def generators(path):
    """The file generators.txt, whose head describes the format: [{word: text, "rules": [...]}]."""
    defines, found = {}, []

    def expanded(text):
        while re.search(r"\{\w+\}", text):
            text = re.sub(r"\{(\w+)\}", lambda match: defines[match.group(1)], text)
        return text.replace("\\n", "\n").replace("\\t", "\t")

    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            word, _, rest = line.partition(" ")
            rules = found[-1]["rules"] if found else []
            if not line or line.startswith("#"):
                continue
            if word == "define":
                name, _, defines[name] = rest.partition(" ")
            elif word == "generator":
                found.append({"generator": rest, "rules": []})
            elif found and word == "mends":
                found[-1].setdefault("mends", []).append(rest.split(" ", 1))
            elif found and word == "rule":
                rules.append({"rule": rest})
            elif rules and word in ("name", "begins", "has", "hints") and word not in rules[-1]:
                rules[-1][word] = expanded(rest)
            elif rules and word == "is" and rest in ("html", "moment"):
                rules[-1]["is_" + rest] = "true"
            elif found and not rules and word in GENERATOR_WORDS and word not in found[-1]:
                found[-1][word] = rest
            else:
                raise Fault("%s:%d: '%s' has no place here" % (path, number, word))
    for one in found:
        missing = set(GENERATOR_WORDS) - set(one) - {"pages", "library"}
        if missing:
            raise Fault("%s: '%s' has no '%s'" % (path, one["generator"], sorted(missing)[0]))
    return found


def print_generators(path, form):
    found = generators(path)
    if form == "page":
        print_generators_page(found)
        return
    print("/* Made by docs/tables.py from docs/reference/generators.txt. */")
    print("const struct generator generator_rows[] = {")
    for one in found:
        precision, recall = one["prior"].split()
        print("{.name = %s, .source = DATES_%s, .precision = %s, .recall = %s, %s}," % (
            quoted(one["generator"]), one["source"].upper(), precision, recall, ", ".join(
                [".is_library = true"] * ("library" in one) +
                [".%s = %s" % (field, quoted(one.get(word))) for field, word in (
                    ("version", "version"), ("dates", "dates"), ("moves", "moves"),
                    ("loc", "loc"), ("split", "split"), ("index", "index"),
                    ("advice", "switch"), ("tried", "tried"), ("pages", "pages"))] +
                [".mends = {%s}" % ", ".join("{%s, %s}" % tuple(map(quoted, mend)) for mend in one["mends"])
                 for _ in one.get("mends", ())[:1]])))
    print("{0}};\nstatic const struct generator_rule rules[] = {{0},")
    for number, one in enumerate(found):
        for rule in one["rules"]:
            flags = [".%s = true" % word for word in ("is_html", "is_moment") if word in rule]
            if "hints" in rule:
                often, priority = rule["hints"].split()
                hints = CHANGEFREQS.index(often)
                if priority != "-":
                    hints |= round(float(priority) * 10 + 1) << 4
                flags += [".has_hints = true", ".hints = %d" % hints]
            print("{.generator = %d, .reason = %s, .name = %s, .begins = %s, .has = %s%s}," % (
                number, *(quoted(rule.get(word)) for word in ("rule", "name", "begins", "has")),
                "".join(", " + flag for flag in flags)))
    print("};")


def print_generators_page(found):
    sources = {"build": "the build", "mtime": "the time of the file", "birth": "when the file was made",
               "author": "git, author date", "committer": "git, committer date", "page": "the page",
               "database": "the database", "given": "who calls it", "none": "none"}
    print("""# Generators: whose dates are true, and the switch that makes them so

This page is made from `generators.txt` beside it by `ninja -C build generators-md`; a test holds it to that.
`freshet check` names the generator of a sitemap where the bytes show it; `freshet help NAME` prints what stands here.
All were run on the same small site, twice, with nothing changed between the builds, and so was each switch.

Search engines ignore all dates of a site whose dates lie. So no date is better than a false one, and `freshet stamp`
writes true ones into the sitemaps of a folder, whatever made them.

| generator | its dates | what moves them without a change, or with one | what stands in loc | splits at | dates of its index | the switch that makes dates true |
| --- | --- | --- | --- | --- | --- | --- |""")
    for one in found:
        print("| " + " | ".join((
            "**%s**: %s" % (one["generator"], one["version"]),
            "%s: %s" % (sources[one["source"]], one["dates"]),
            one["moves"], one["loc"], one["split"], one["index"],
            one["switch"] + ". Tried: " + one["tried"] +
            "".join(". Against `%s`: %s" % tuple(mend) for mend in one.get("mends", ())),
        )).replace("<", "&lt;") + " |")
    print("""
How each is recognised, where the bytes are enough. Pages that name their generator
(`<meta name="generator">`) count where the library `sitemap` wrote the sitemap, which many of them use.

| generator | recognised by |
| --- | --- |""")
    for one in found:
        signs = [rule["rule"] for rule in one["rules"]]
        if "pages" in one:
            signs.append("the library `sitemap`, and pages of %s" % one["pages"])
        print("| %s | %s |" % (one["generator"], "; or ".join(signs)))


def print_text(name, path):
    print("/* Made by docs/tables.py from %s. */\nstatic const char %s[] =" % (
        os.path.basename(path), name))
    with open(path, encoding="utf-8") as f:
        print("\n".join("    " + quoted(line) for line in f) + ";")


def print_steps(name, path):
    print("/* Made by docs/tables.py from %s. */\nstatic const char *const %s[] = {" % (
        os.path.basename(path), name))
    with open(path, encoding="utf-8") as f:
        for line in f:
            sql = re.sub(r"\s*--( .*)?$", "", line.rstrip("\n")).replace("\t", "  ")
            if sql:
                print("    " + quoted(sql) + ("," if sql.startswith("PRAGMA user_version") else ""))
    print("};")


def main(argv):
    makers = {"examples": print_examples, "rules": print_rules, "commands": print_commands,
              "options": print_options, "generators": print_generators,
              "text": print_text, "steps": print_steps}
    if len(argv) != 4 or argv[1] not in makers:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        makers[argv[1]](*argv[2:])
    except Fault as fault:
        print(fault, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main(sys.argv))
