"""A report's page, read by a parser that is not ours."""
import html.parser
import re

# element: the attributes that we give it
KNOWN = {
    "html": {"lang"}, "head": set(), "title": set(), "style": set(), "body": set(),
    "meta": {"charset", "http-equiv", "content", "name"}, "header": set(), "main": set(),
    "footer": set(), "section": {"id"}, "h1": set(), "h2": set(), "p": {"class"}, "b": set(),
    "br": set(), "ul": set(), "li": {"class"}, "code": set(), "span": {"class", "id"},
    "a": {"class", "href", "rel"}, "dl": {"class"}, "dt": set(), "dd": {"class"},
    "div": {"class", "tabindex", "role", "aria-label"},
    "details": {"class", "id", "open"}, "summary": set(), "table": {"class"}, "thead": set(),
    "tbody": set(), "tr": {"class"}, "th": {"class", "scope"},
    "td": {"class", "colspan", "data-name"}, "meter": {"min", "max", "value"},
    "nav": {"aria-label"}, "pre": set(), "label": {"for"},
    "input": {"class", "type", "name", "id", "checked"},
    # charts
    "figure": set(), "figcaption": set(), "svg": {"viewbox", "role", "aria-label"},
    "rect": {"class", "x", "y", "width", "height", "rx"}, "path": {"class", "d"},
    "text": {"class", "x", "y"}}
VOID = {"meta", "br", "wbr", "input"}
EMPTY = {"rect", "path"}  # of SVG; a rect may have a title
WORD = re.compile(r"[a-z0-9 -]*")


class Page(html.parser.HTMLParser):
    """faults: what no page of ours has; text: all that is shown."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.faults = []
        self.open = []
        self.ids = set()
        self.links = []
        self.text = ""
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append("left open: %s" % self.open)
        for link in self.links:
            if link.startswith("#") and link[1:] not in self.ids:
                self.faults.append("no target: %s" % link)

    def handle_starttag(self, tag, attrs):
        if tag not in KNOWN:
            self.faults.append("element %s" % tag)
            return
        for name, value in attrs:
            if name not in KNOWN[tag]:
                self.faults.append("attribute %s of %s" % (name, tag))
            elif name in ("class", "id") and not WORD.fullmatch(value):
                self.faults.append("%s=%s" % (name, value))
            elif name == "id" and value in self.ids:
                self.faults.append("twice: %s" % value)
            elif name == "id":
                self.ids.add(value)
            elif name == "href":
                self.links.append(value)
                if not re.match(r"https?://|#[a-z0-9-]+$", value):
                    self.faults.append("href=%s" % value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag in EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.faults.append("end of %s" % tag)

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data

    def handle_comment(self, data):
        self.faults.append("comment %s" % data)

    def handle_pi(self, data):
        self.faults.append("instruction %s" % data)

    def unknown_decl(self, data):
        self.faults.append("declaration %s" % data)
