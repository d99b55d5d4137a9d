"""A sitemap reader of its own, on expat, that tells what ours should.

Written from the specification, it resolves prefixes itself (SPEC R-113) and
knows nothing of charsets: documents are UTF-8.  read(document) gives the list
of events as tests/twin/events.c prints them, and whether the document is
well-formed to its end.
"""
import re
import xml.parsers.expat as expat

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
LEGACY = {"http://www.google.com/schemas/sitemap/" + v for v in ("0.84", "0.90", "0.9")}
FIELDS = {"loc": "l", "lastmod": "d", "changefreq": "f", "priority": "p"}
BLANK = " \t\r\n"
QNAME = re.compile(r"([^\W\d][\w.-]*:)?[^\W\d][\w.-]*\Z")
TAG = re.compile(rb"<(?:[^'\">]|'[^']*'|\"[^\"]*\")*")
XMLNS = {"xml": "http://www.w3.org/XML/1998/namespace"}


class Unsure(Exception):
    """The two parsers may differ here: this is no matter of sitemaps."""


class Stop(Exception):
    """Nothing more is read, for a reason that has been told."""


def blank(text):
    return not text.strip(BLANK)


class Element:
    def __init__(self, line, local, uri, is_undeclared, attributes):
        self.line, self.local, self.uri = line, local, uri
        self.is_undeclared, self.attributes = is_undeclared, attributes


class Twin:
    """What a document tells, from its root on."""

    def __init__(self, document):
        self.document = document
        self.events = []
        self.scopes = [XMLNS]
        self.path = []  # a handler for each open element
        self.empties = []  # and whether it is written <a/>
        self.parser = expat.ParserCreate("UTF-8")
        self.parser.ordered_attributes = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartDoctypeDeclHandler = self.doctype

    def finding(self, line, code):
        self.events.append("finding %d %s" % (line, code))

    def doctype(self, *_):
        self.finding(self.parser.CurrentLineNumber, "doctype-present")
        raise Stop

    def line_of_end(self):
        """The line on which the tag that begins here ends, and is it <a/>?"""
        tag = TAG.match(self.document, self.parser.CurrentByteIndex).group()
        ends = len(re.findall(rb"\r\n|\n|\r", tag))
        return self.parser.CurrentLineNumber + ends, tag.endswith(b"/")

    def resolve(self, line, name, scope):
        if not QNAME.match(name):
            raise Unsure  # XML has names that namespaces have not
        prefix, colon, local = name.rpartition(":")
        uri = scope.get(prefix) or None
        if colon and uri is None:
            self.finding(line, "undeclared-prefix")
            return local, None, True
        return local, uri, False

    def start(self, name, flat):
        line, is_empty = self.line_of_end()
        pairs = list(zip(flat[::2], flat[1::2]))
        if len(self.scopes) > 100 or len(pairs) > 64:
            self.finding(line, "xml-limit")
            raise Stop
        scope = dict(self.scopes[-1])
        for key, value in pairs:
            if key == "xmlns":
                scope[""] = value
            elif key.startswith("xmlns:"):
                if value == "" or key in ("xmlns:", "xmlns:xml"):
                    raise Unsure
                scope[key[6:]] = value
        self.scopes.append(scope)
        local, uri, is_undeclared = self.resolve(line, name, scope)
        attributes = {}
        for key, value in pairs:
            if ":" not in key:
                attributes[key] = value
            elif not key.startswith("xmlns:"):
                self.resolve(line, key, scope)
        element = Element(line, local, uri, is_undeclared, attributes)
        if self.path:
            handler = self.path[-1].child(element)
        else:
            handler = self.root(element)
        self.path.append(handler)
        self.empties.append(is_empty)

    def end(self, _):
        self.scopes.pop()
        handler = self.path.pop()
        # Of <a/> the end is where the tag was.
        line = self.parser.CurrentLineNumber if self.empties.pop() else self.line_of_end()[0]
        handler.end(line)
        if self.path:
            self.path[-1].tag_passed()

    def text(self, text):
        self.path[-1].text(self.parser.CurrentLineNumber, text)

    def root(self, element):
        if element.is_undeclared:
            kind = None
        else:
            kind = {"urlset": Root, "sitemapindex": Root, "rss": Feed, "RDF": Feed,
                    "feed": Feed}.get(element.local)
        if kind is None:
            self.finding(element.line, "unsupported-format")
            raise Stop
        return kind(self, element)


class Skip:
    """An element that nobody looks into."""

    def __init__(self, twin):
        self.twin = twin

    def child(self, _):
        return self

    def text(self, line, text):
        pass

    def tag_passed(self):
        pass

    def end(self, line):
        pass


class Loose(Skip):
    """An element in which text is out of place."""

    is_told = False

    def text(self, line, text):
        if not blank(text) and not self.is_told:
            self.twin.finding(line, "unexpected-text")
            self.is_told = True

    def tag_passed(self):
        self.is_told = False

    def child(self, element):
        self.is_told = False
        return self.open(element)


class Root(Loose):
    def __init__(self, twin, element):
        super().__init__(twin)
        self.uri = element.uri
        self.is_index = element.local == "sitemapindex"
        if self.uri is None:
            twin.finding(element.line, "missing-namespace")
        elif self.uri in LEGACY:
            twin.finding(element.line, "legacy-namespace")
        elif self.uri != SITEMAP:
            twin.finding(element.line, "incorrect-namespace")
        twin.events.append("root " + element.local)

    def is_ours(self, element):
        return not element.is_undeclared and element.uri == self.uri

    def open(self, element):
        if not self.is_ours(element):
            return Skip(self.twin)
        if element.local == ("sitemap" if self.is_index else "url"):
            return Entry(self, element)
        self.twin.finding(element.line, "wrong-root" if element.local in ("url", "sitemap")
                          else "unknown-tag")
        return Skip(self.twin)


class Entry(Loose):
    def __init__(self, root, element):
        super().__init__(root.twin)
        self.root, self.line = root, element.line
        self.values = {}

    def open(self, element):
        if not self.root.is_ours(element):
            return Skip(self.twin)
        name = element.local
        if name not in FIELDS or (self.root.is_index and name not in ("loc", "lastmod")):
            self.twin.finding(element.line, "unknown-tag")
            return Skip(self.twin)
        if name in self.values:
            self.twin.finding(element.line, "duplicate-tag")
            return Skip(self.twin)
        if name == "loc":
            self.line = element.line
        self.values[name] = Value(self.twin)
        return self.values[name]

    def end(self, line):
        if "loc" not in self.values:
            self.twin.finding(self.line, "missing-tag")
        self.twin.events.append(entry(self.line, [
            (short, self.values[name].value) for name, short in FIELDS.items()
            if name in self.values]))


def entry(line, values):
    return "entry %d" % line + "".join(
        " %s=%s" % (name, value.encode().hex()) for name, value in values if value is not None)


class Value(Skip):
    """Text, unless there is an element in it."""

    def __init__(self, twin, tells_blank=True):
        super().__init__(twin)
        self.value = ""
        self.is_void = False
        self.tells_blank = tells_blank

    def child(self, element):
        if not self.is_void:
            self.twin.finding(element.line, "nested-markup")
        self.is_void = True
        return Skip(self.twin)

    def text(self, line, text):
        self.value += text

    def end(self, line):
        if not self.is_void and blank(self.value):
            self.is_void = True
            if self.tells_blank:
                self.twin.finding(line, "empty-tag")
        if self.is_void:
            self.value = None


class Feed(Skip):
    """The root, and the channel."""

    def __init__(self, twin, element):
        super().__init__(twin)
        self.is_atom = element.local == "feed"
        self.uri = [element.uri] if self.is_atom else []
        self.is_outer = True
        twin.events.append("root " + ("atom" if self.is_atom else "rss"))

    def is_ours(self, element):
        if element.is_undeclared:
            return False
        if not self.uri:
            self.uri.append(element.uri)
        return self.uri[0] == element.uri

    def child(self, element):
        if element.local == "channel" and not self.is_atom and self.is_outer:
            if not self.is_ours(element):
                return Skip(self.twin)
            channel = Feed.__new__(Feed)
            Skip.__init__(channel, self.twin)
            channel.is_atom, channel.uri, channel.is_outer = False, self.uri, False
            return channel
        if element.local == ("entry" if self.is_atom else "item") and self.is_ours(element):
            return Item(self, element)
        return Skip(self.twin)


class Item(Skip):
    def __init__(self, feed, element):
        super().__init__(feed.twin)
        self.feed, self.line = feed, element.line
        self.values = {}

    def child(self, element):
        if not self.feed.is_ours(element):
            return Skip(self.twin)
        part = (self.atom_part if self.feed.is_atom else self.rss_part)(element)
        if part is None or part in self.values:
            return Skip(self.twin)
        if part != "date":
            self.line = element.line
        self.values[part] = Value(self.twin, tells_blank=part == "date")
        return self.values[part]

    def atom_part(self, element):
        if element.local in ("updated", "modified"):
            return "date"
        href = element.attributes.get("href")
        if (element.local == "link" and href is not None and "link" not in self.values and
                element.attributes.get("rel", "alternate") == "alternate"):
            self.line = element.line
            self.values["link"] = Value(self.twin)
            self.values["link"].value = None if blank(href) else href
        return None

    @staticmethod
    def rss_part(element):
        if element.local == "guid":
            says = element.attributes.get("isPermaLink", "true").strip(BLANK).lower()
            return None if says == "false" else "guid"
        return {"link": "link", "pubDate": "date"}.get(element.local)

    def end(self, line):
        values = {name: value.value for name, value in self.values.items()}
        loc = values.get("link")
        if loc is None:
            loc = values.get("guid")
        if loc is None:
            self.twin.finding(self.line, "missing-tag")
        self.twin.events.append(entry(self.line, [("l", loc), ("d", values.get("date"))]))


def read(document):
    twin = Twin(document)
    try:
        twin.parser.Parse(document, True)
    except Stop:
        return twin.events, False
    except expat.ExpatError:
        return twin.events, False
    return twin.events, True
