/* Host names: IDNA by ICU, registrable domains by libpsl. */
#include "base/host.h"

#include <arpa/inet.h>
#include <assert.h>
#include <libpsl.h>
#include <string.h>
#include <unicode/uidna.h>
#include <unicode/uversion.h>

#include "base/ascii.h"
#include "base/url.h"

#define HOST_MAX 1024 /* the longest raw host that is read, with escapes */

/* The functions of ICU: its library of C++ is a third of the symbols that a
 * start would seek, so it is loaded before the first of them is called.  Macros
 * add its version to their names. */
/* clang-format off */
#define FUNCTIONS(F) \
	F(uidna_openUTS46) F(uidna_nameToASCII_UTF8) F(u_getVersion) \
	F(u_versionToString)
/* clang-format on */

static struct {
	FUNCTIONS(LATE_POINTER)
} icu;

/* The handle of ICU, which is opened before the first name that needs it is
 * read; no input changes it. */
static UIDNA *idna;

static void
host_open_icu(void)
{
	UErrorCode error = U_ZERO_ERROR;

	if (idna != NULL)
		return;
	late_load(
	    "libicuuc.so." U_ICU_VERSION_SHORT, LATE_NAMES(FUNCTIONS), &icu);
	idna = icu.uidna_openUTS46(UIDNA_NONTRANSITIONAL_TO_ASCII |
		UIDNA_NONTRANSITIONAL_TO_UNICODE | UIDNA_CHECK_BIDI |
		UIDNA_CHECK_CONTEXTJ,
	    &error);
	assert(idna != NULL); /* always so: the data is part of ICU's library */
}

/* to_ascii(host, out, len): write the host as A-labels in lower case. */
static bool
to_ascii(struct slice host, char *out, size_t *len)
{
	/* The URL Standard checks neither hyphens nor lengths here;
	 * host_put_name() refuses empty labels. */
	const uint32_t harmless = UIDNA_ERROR_LEADING_HYPHEN |
	    UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4 |
	    UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
	    UIDNA_ERROR_DOMAIN_NAME_TOO_LONG;
	UIDNAInfo info = UIDNA_INFO_INITIALIZER;
	UErrorCode error = U_ZERO_ERROR;
	bool needs_idna = false;
	int32_t n;

	/* Only names with other characters, or with a label that begins with
	 * "xn--" in any case, need ICU. */
	for (size_t i = 0; i < host.len; i++)
		needs_idna |= (unsigned char)host.p[i] >= 0x80 ||
		    ((i == 0 || host.p[i - 1] == '.') && host.len - i >= 4 &&
			slice_equal_nocase(
			    slice_make(host.p + i, 4), slice_of("xn--")));
	if (!needs_idna) {
		for (size_t i = 0; i < host.len; i++)
			out[i] = ascii_lower(host.p[i]);
		*len = host.len;
		return true;
	}
	host_open_icu();
	n = icu.uidna_nameToASCII_UTF8(
	    idna, host.p, (int32_t)host.len, out, HOST_MAX, &info, &error);
	*len = (size_t)n;
	/* A host longer than HOST_MAX fails here, too. */
	return !U_FAILURE(error) && (info.errors & ~harmless) == 0;
}

/* ends_in_number(host): is the last label a number, too large ones included?
 * The URL Standard reads such a host as an IPv4 address or refuses it. */
static bool
ends_in_number(struct slice host)
{
	const char *dot = memrchr(host.p, '.', host.len);
	struct slice label = dot == NULL
	    ? host
	    : slice_from(host, (size_t)(dot + 1 - host.p));
	bool is_digits = label.len > 0;
	bool is_hex = slice_starts(label, slice_of("0x"));

	for (size_t i = 0; i < label.len; i++) {
		is_digits &= label.p[i] >= '0' && label.p[i] <= '9';
		is_hex &= i < 2 || slice_hex(label.p[i]) >= 0;
	}
	return is_digits || is_hex;
}

static enum diag_code
put_ipv6(struct buf *out, struct slice raw)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr address;

	raw = slice_make(raw.p + 1, raw.len - 2);
	if (raw.len >= sizeof(text))
		return DIAG_INVALID_URL;
	memcpy(text, raw.p, raw.len);
	text[raw.len] = '\0';
	if (strlen(text) != raw.len || inet_pton(AF_INET6, text, &address) != 1)
		return DIAG_INVALID_URL;
	/* The result needs no test: text has room for any address. */
	(void)inet_ntop(AF_INET6, &address, text, sizeof(text));
	/* inet_ntop() may write a dotted tail, unknown to the URL Standard. */
	if (strchr(text, '.') != NULL) {
		const uint8_t *last = address.s6_addr + 12;

		return buf_print(out, "[%.*s%x:%x]",
			   (int)(strrchr(text, ':') + 1 - text), text,
			   last[0] << 8 | last[1], last[2] << 8 | last[3])
		    ? DIAG_OK
		    : DIAG_INVALID_URL;
	}
	return buf_print(out, "[%s]", text) ? DIAG_OK : DIAG_INVALID_URL;
}

/* host_put_name(out, host, kind): validate a host in ASCII, and append it. */
static enum diag_code
host_put_name(struct buf *out, struct slice host, uint8_t *kind)
{
	char text[HOST_NAME_BYTES + 1];
	struct in_addr address;
	char before = '.';

	if (host.len > 0 && host.p[host.len - 1] == '.')
		host.len--;
	/* DNS has no longer names. */
	if (host.len == 0 || host.len > HOST_NAME_BYTES)
		return DIAG_INVALID_URL;
	for (size_t i = 0; i < host.len; i++) {
		/* No host has the characters that the URL Standard lists, nor
		 * those that libcurl refuses in names, so that no request could
		 * be made (SPEC R-44). */
		unsigned char c = (unsigned char)host.p[i];

		if ((c <= ' ' || c >= 0x7f ||
			strchr("#/:<>?@[\\]^|%\"`{}!$&'()*+,;=", c) != NULL) ||
		    (host.p[i] == '.' && before == '.'))
			return DIAG_INVALID_URL;
		before = host.p[i];
	}
	if (before == '.')
		return DIAG_INVALID_URL;
	*kind = HOST_NAME;
	if (!ends_in_number(host))
		return buf_put_slice(out, host) ? DIAG_OK : DIAG_INVALID_URL;
	*kind = HOST_IPV4;
	/* As in the URL Standard, inet_aton() reads numbers in base 8, 10 and
	 * 16, and the last one stands for all bytes that the others leave.  It
	 * does not take "0x" for 0, so that is written as "00". */
	memcpy(text, host.p, host.len);
	text[host.len] = '\0';
	for (size_t i = 1; i < host.len; i++)
		if (ascii_lower(text[i]) == 'x' && text[i - 1] == '0' &&
		    (i == 1 || text[i - 2] == '.') &&
		    (text[i + 1] == '.' || text[i + 1] == '\0'))
			text[i] = '0';
	if (inet_aton(text, &address) == 0)
		return DIAG_INVALID_URL;
	(void)inet_ntop(AF_INET, &address, text, sizeof(text));
	return buf_put_slice(out, slice_of(text)) ? DIAG_OK : DIAG_INVALID_URL;
}

enum diag_code
host_normalise(struct buf *out, struct slice raw, uint8_t *kind, bool *was_idn)
{
	char plain[HOST_MAX];
	char ascii[HOST_MAX + 1];
	size_t len = 0;

	*was_idn = false;
	if (raw.len == 0 || raw.len > HOST_MAX)
		return DIAG_INVALID_URL;
	if (raw.p[0] == '[') {
		*kind = HOST_IPV6;
		if (raw.len < 4 || raw.p[raw.len - 1] != ']')
			return DIAG_INVALID_URL;
		return put_ipv6(out, raw);
	}
	/* Undo percent-escapes; a % that stands alone is in no host. */
	for (size_t i = 0; i < raw.len; i++) {
		int value = (unsigned char)raw.p[i];

		if (value == '%') {
			value = slice_escape(raw, i);
			if (value < 0)
				return DIAG_INVALID_URL;
			i += 2;
		}
		*was_idn |= value >= 0x80;
		plain[len++] = (char)value;
	}
	if (!to_ascii(slice_make(plain, len), ascii, &len))
		return DIAG_INVALID_URL;
	return host_put_name(out, slice_make(ascii, len), kind);
}

void
host_warm(void)
{
	struct buf out = BUF_UP_TO(HOST_MAX);
	uint8_t kind;
	bool is_idn;

	/* Normalising these names loads all data of ICU and libpsl. */
	(void)host_normalise(&out,
	    slice_of("b\xc3\xbc"
		     "cher.example"),
	    &kind, &is_idn);
	(void)host_registrable(slice_of("www.example.co.uk"));
	buf_release(&out);
}

struct slice
host_registrable(struct slice host)
{
	char name[HOST_MAX + 1];
	const char *found;

	if (host.len == 0 || host.len > HOST_MAX || host.p[0] == '[' ||
	    ends_in_number(host))
		return slice_make(NULL, 0);
	memcpy(name, host.p, host.len);
	name[host.len] = '\0';
	found = psl_registrable_domain(psl_builtin(), name);
	if (found == NULL)
		return slice_make(NULL, 0);
	return slice_from(host, (size_t)(found - name));
}

bool
host_is_kin(struct slice a, struct slice b)
{
	struct slice mine = host_registrable(a);

	return slice_equal(a, b) ||
	    (mine.len > 0 && slice_equal(mine, host_registrable(b)));
}

bool
host_is_www_of(struct slice a, struct slice b)
{
	return a.len == b.len + 4 && memcmp(a.p, "www.", 4) == 0 &&
	    slice_equal(slice_from(a, 4), b);
}

void
host_libraries(struct library libraries[HOST_LIBRARIES])
{
	char running[U_MAX_VERSION_STRING_LENGTH];
	UVersionInfo version;

	host_open_icu();
	icu.u_getVersion(version);
	icu.u_versionToString(version, running);
	libraries[0] = library_make("ICU", U_ICU_VERSION, running);
	libraries[1] = library_make("libpsl", PSL_VERSION, psl_get_version());
}
