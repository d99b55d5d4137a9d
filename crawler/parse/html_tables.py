#!/usr/bin/env python3
"""Write what HTML names, as tables in C, to stdout.

    crawler/parse/html_tables.py references|charsets

`references`: the names of the standard's character references, sorted as bytes,
each with a NUL, and then its characters in UTF-8 with a NUL; and where each begins.
`charsets`: of the encodings of one byte the characters of 0x80 to 0xff (U+FFFD:
none); and the labels of the Encoding Standard in lower case, without punctuation and
what stands behind a colon, each with its encoding.
"""
import html.entities
import sys

# encoding of charset.h, or codec of one byte -> labels
LABELS = {
    "ENCODING_UTF8": "utf8 unicode11utf8 unicode20utf8 xunicode20utf8",
    "ENCODING_UTF16LE": "utf16le utf16 csunicode iso10646ucs2 ucs2 unicode unicodefeff",
    "ENCODING_UTF16BE": "utf16be unicodefffe",
    "ENCODING_WINDOWS1252": "windows1252 iso88591 latin1 l1 cp1252 cp819 ibm819 csisolatin1 "
                            "isoir100 ascii usascii ansix341968 xcp1252 xuserdefined",
    "ENCODING_GB18030": "gbk gb2312 gb18030 chinese csgb2312 csiso58gb231280 gb231280 isoir58 xgbk",
    "ENCODING_BIG5": "big5 big5hkscs cnbig5 csbig5 xxbig5",
    "ENCODING_EUC_JP": "eucjp cseucpkdfmtjapanese xeucjp",
    "ENCODING_ISO2022JP": "iso2022jp csiso2022jp",
    "ENCODING_SHIFT_JIS": "shiftjis csshiftjis ms932 mskanji sjis windows31j xsjis",
    "ENCODING_EUC_KR": "euckr cseuckr csksc56011987 isoir149 korean ksc56011987 ksc56011989 "
                       "ksc5601 windows949",
    "cp866": "ibm866 866 cp866 csibm866",
    "cp874": "windows874 iso885911 dos874 tis620",
    "cp1250": "windows1250 cp1250 xcp1250",
    "cp1251": "windows1251 cp1251 xcp1251",
    "cp1253": "windows1253 cp1253 xcp1253",
    "cp1254": "windows1254 iso88599 latin5 l5 cp1254 csisolatin5 isoir148 xcp1254",
    "cp1255": "windows1255 cp1255 xcp1255",
    "cp1256": "windows1256 cp1256 xcp1256",
    "cp1257": "windows1257 cp1257 xcp1257",
    "cp1258": "windows1258 cp1258 xcp1258",
    "iso8859_2": "iso88592 latin2 l2 csisolatin2 isoir101",
    "iso8859_3": "iso88593 latin3 l3 csisolatin3 isoir109",
    "iso8859_4": "iso88594 latin4 l4 csisolatin4 isoir110",
    "iso8859_5": "iso88595 cyrillic csisolatincyrillic isoir144",
    "iso8859_6": "iso88596 arabic asmo708 csiso88596e csiso88596i csisolatinarabic ecma114 "
                 "iso88596e iso88596i isoir127",
    "iso8859_7": "iso88597 greek greek8 csisolatingreek ecma118 elot928 isoir126 suneugreek",
    "iso8859_8": "iso88598 hebrew csiso88598e csisolatinhebrew iso88598e isoir138 visual "
                 "csiso88598i iso88598i logical",
    "iso8859_10": "iso885910 latin6 l6 csisolatin6 isoir157",
    "iso8859_13": "iso885913",
    "iso8859_14": "iso885914",
    "iso8859_15": "iso885915 csisolatin9 l9",
    "iso8859_16": "iso885916",
    "koi8_r": "koi8r cskoi8r koi koi8",
    "koi8_u": "koi8u koi8ru",
    "mac_cyrillic": "xmaccyrillic xmacukrainian",
    "mac_roman": "macintosh csmacintosh mac xmacroman",
}


def write(kind, name, rows):
    print("static const %s %s = {%s};" % (kind, name, ",".join(map(str, rows))))


def references():
    text, at = b"", []
    for name in sorted(html.entities.html5):
        at.append(len(text))
        text += name.encode() + b"\0" + html.entities.html5[name].encode() + b"\0"
    write("unsigned char", "references[]", text)
    write("uint16_t", "reference_at[]", at)


def charsets():
    tables, labels = [], []
    for name, its in LABELS.items():
        code = name
        if not name.startswith("ENCODING_"):
            code = "ENCODING_TABLES + %d" % len(tables)
            high = bytes(range(128, 256))
            tables.append("{%s}" % ",".join(
                str(ord(high[i:i + 1].decode(name, "replace"))) for i in range(128)))
        labels += ['{"%s",%s}' % (label, code) for label in its.split()]
    write("uint16_t", "encoding_tables[][128]", tables)
    write("struct { const char *label; unsigned encoding; }", "encoding_labels[]", labels)


if __name__ == "__main__":
    {"references": references, "charsets": charsets}[sys.argv[1]]()
