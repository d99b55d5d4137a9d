"""Small faults in C, one at a time.

mutants(text) are (kind, line, what, text with the fault): an operator, a
constant, a negated condition, or a statement that is gone.  Comments, strings,
directives, declarations at file level and assertions are left alone.
"""
import re

SWAPS = {"==": "!=", "!=": "==", "<=": "<", ">=": ">", "<": "<=", ">": ">=", "&&": "||",
         "||": "&&", "+": "-", "-": "+", "++": "--", "--": "++", "+=": "-=", "-=": "+=",
         "<<": ">>", ">>": "<<", "|=": "&=", "&=": "|="}
TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<word>[A-Za-z_]\w*)|(?P<number>0[xX][0-9a-fA-F]+|\d+)"
    r"|(?P<operator>->|<<=|>>=|\+\+|--|&&|\|\||[=!<>+\-*/%&|^]=|<<|>>|[^\s\w])")
BLANK = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
                   r"|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
ASSERTION = re.compile(r"\bassert\s*\((?:[^;])*\);", re.S)
# a statement on a line of its own: a call or an assignment, no declaration
STATEMENT = re.compile(r"^\t+(?:\(void\))?[A-Za-z_*(][\w>.\[\]()*+-]*(?: [+\-|&]?= |\()[^;{}]*;$"
                       r"|^\t+[A-Za-z_][\w>.\[\]-]*(?:\+\+|--);$", re.M)
CONDITION = re.compile(r"\b(?:if|while) \(")
KEYWORDS = ("return", "if", "while", "for", "switch", "case", "assert", "goto", "sizeof", "else",
            "do")


def hidden(text):
    """The text with what is no code blanked out, of the same length."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return ASSERTION.sub(blank, BLANK.sub(blank, text))


def bodies(code):
    """Spans of functions: from a brace in the first column to its end."""
    return [(m.start(), m.end()) for m in re.finditer(r"^\{\n.*?^\}", code, re.S | re.M)]


def closing(code, at):
    """Where the bracket at that place ends."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            return i
    raise ValueError("a bracket without end")


def tokens(code, begin, end):
    """(kind, text, place) of each token, with the one before it."""
    before = ""
    for match in TOKEN.finditer(code, begin, end):
        if match.lastgroup == "space":
            continue
        yield match.lastgroup, match.group(), match.start(), before
        before = match.group()


def is_binary(before):
    """Does an operator after that token stand between two values?"""
    return bool(re.match(r"[\w)\]]", before[-1:])) and before not in KEYWORDS


def find(code, begin, end):
    """(kind, place, length, new text) within one function."""
    for kind, text, at, before in tokens(code, begin, end):
        if kind == "number" and before != "%":
            yield "constant", at, len(text), str(int(text, 0) + 1 if text[:1] != "0" or
                                                 len(text) == 1 or text[1] in "xX"
                                                 else int(text, 8) + 1)
        elif kind == "operator" and text in SWAPS:
            if text in ("+", "-", "<", ">", "&&") and not is_binary(before):
                continue
            yield "operator", at, len(text), SWAPS[text]
    for match in CONDITION.finditer(code, begin, end):
        opening = match.end() - 1
        stop = closing(code, opening)
        yield "condition", opening, stop + 1 - opening, "(!%s)" % code[opening:stop + 1]
    for match in STATEMENT.finditer(code, begin, end):
        words = match.group().split()
        if words[0].split("(")[0] not in KEYWORDS and "{" not in match.group():
            yield "statement", match.start(), match.end() - match.start(), "\t;"


def mutants(text):
    code = hidden(text)
    for begin, end in bodies(code):
        for kind, at, length, new in find(code, begin, end):
            old = text[at:at + length]
            if kind == "condition":
                new = "(!%s)" % old
            line = text.count("\n", 0, at) + 1
            # a removed statement keeps its lines, so that numbers stay true
            new += "\n" * (old.count("\n") - new.count("\n"))
            yield kind, line, "%s -> %s" % (" ".join(old.split()), " ".join(new.split())), \
                text[:at] + new + text[at + length:]
