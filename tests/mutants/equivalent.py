"""Planted faults that nobody could notice, each with the reason.

(file, what, the line as it stands) -> why nothing changes.
"""

EQUIVALENT = {
    ("base/robots.c", "1 -> 2",
     "&robots->line_cap, count + 1,"):
        "room for one line that is not used",
    ("base/robots.c", "< -> <=",
     "target.len < sizeof(head) ? target.len : sizeof(head));"):
        "both numbers are equal",
    ("base/robots.c", "< -> <=",
     "size_t head_len = literal.len < sizeof(rule->head) ? literal.len"):
        "both numbers are equal",
    ("base/robots.c", ">= -> >",
     "if (text->len - n >= 2 && text->p[n] == '\\r' && text->p[n + 1] == '\\n')"):
        "an empty line more follows the last one",
    ("base/slice.c", "1 -> 2", "return high < 0 || low < 0 ? -1 : high * 16 + low;"):
        "any negative number means: no escape",
    ("store/location.c", "1 -> 2",
     "set->items, &set->cap, set->count + 1, sizeof(*set->items));"):
        "room for one string that is not used",
    ("store/location.c", "0 -> 1", ": 0);"):
        "any number will do that is always the same",
    ("store/location.c", "+ -> -", "return hash + (hash == 0);"):
        "one hash in 2^64 is 0",
    ("base/w3cdate.c", "<= -> <", "if (date->epoch_s <= now_s)"):
        "what is no second ahead is not too far ahead",
    ("base/url.c", "65535 -> 65536",
     "while (*p >= '0' && *p <= '9' && port <= 65535)"):
        "the loop only has to end before the number overflows",
    ("base/url.c", "<= -> <", "while (*p >= '0' && *p <= '9' && port <= 65535)"):
        "the slow way reads what the fast one gives up",
    ("base/url.c", "< -> <=", "if (raw.len < 8 || raw.len > (size_t)profile->max_loc_chars ||"):
        "eight characters have no path, so that the slow way reads them",
    ("base/url.c", "8 -> 9", "if (raw.len < 8 || raw.len > (size_t)profile->max_loc_chars ||"):
        "eight characters have no path, so that the slow way reads them",
    ("base/url.c", "< -> <=", "if (known == 0 || raw.len < known ||"):
        "the origin of an equal text is read again",
    ("base/url.c", "> -> >=", "if (len == 0 || (*p > ' ' && *p <= '~'))"):
        "no white space that is meant here begins with a space",
    ("base/url.c", "<= -> <", "if (len == 0 || (*p > ' ' && *p <= '~'))"):
        "no white space begins with a tilde",
    ("base/host.c", "0 -> 1",
     "if (host.len == 0 || host.len > HOST_MAX || host.p[0] == '[' ||"):
        "no registrable domain has one character",
    ("base/robots.c", "0 -> 1",
     "const char *end = text.len > 0 ? text.p + text.len : NULL;"):
        "only a text that is as long as the limit is cut",
    ("base/robots.c", "0 -> 1", "if (line.len == 0)"):
        "no record has one character",
    ("base/robots.c", "> -> >=", "if (*end != '\\0' || !(seconds > 0))"):
        "a delay of 0 is none",
    ("base/robots.c", "> -> >=",
     "const char *end = text.len > 0 ? text.p + text.len : NULL;"):
        "an empty text has no line",
    ("base/robots.c", "> -> >=", "if (literal.len > 0) {"):
        "an empty text is found at once",
    ("base/w3cdate.c", "3 -> 4", "if (in->len < 3)"):
        "no date ends with a word",
    ("base/w3cdate.c", "< -> <=", "if (in->len < 3)"):
        "no date ends with a word",
    ("base/w3cdate.c", "1 -> 2", "return -1;"):
        "any negative number means: no word",
    ("base/w3cdate.c", "12 -> 13", "if (date->precision == DATE_YEAR || next.month == 12) {"):
        "civil_epoch_s() reads month 13 as the next January",
    ("base/host.c", "1 -> 2", "char name[HOST_MAX + 1];"):
        "room for one byte that is not used",
    ("base/slice.c", "1 -> 2", "return -1;"):
        "any negative number means: no digit",
    ("base/url.c", "3 -> 4", "char escape[3] = {'%'};"):
        "room for one byte that is not used",
    ("base/w3cdate.c", "> -> >=",
     "end.epoch_s = date->epoch_s > INT64_MAX - length_s"):
        "the sum is the ceiling",
    ("base/w3cdate.c", "< -> <=", "return a->epoch_s < b->epoch_s ? -1 : 1;"):
        "they are known to differ",
    ("base/w3cdate.c", "< -> <=", "return a->nanos < b->nanos ? -1 : 1;"):
        "they are known to differ",
}
