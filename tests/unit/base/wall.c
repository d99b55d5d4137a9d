/* base/wall.c: which wall a failure shows. */
#include "base/wall.h"

#include "tests/fixtures/fixture.h"

static const struct {
	const char *rule;
	enum diag_code code;
	const char *text;
	const char *name; /* NULL: none */
} rows[] = {
    {"R-141", DIAG_SIGNATURE_WANTED, "", "signature-wanted"},
    {"R-141", DIAG_SIGNATURE_REFUSED, "status 403 from the bot wall of X",
	"signature-refused"},
    {"R-141", DIAG_SIGNATURE_CLOCK, "status 401", "clock"},
    {"R-141", DIAG_ROBOTS_UNREACHABLE,
	"status 429, and the host wants signed requests: sign is never",
	"signature-wanted"},
    {"R-141", DIAG_FETCH_RATE_LIMITED,
	"status 429 although signed with the key X", "signature-refused"},
    {"R-141", DIAG_FETCH_RATE_LIMITED, "status 429", NULL},
    {"R-141", DIAG_FETCH_UNAUTHORIZED, "status 401", "login"},
    {"R-141", DIAG_FETCH_UNAUTHORIZED, "status 403", NULL},
    {"R-141", DIAG_FETCH_UNAUTHORIZED, "status 403 from the bot wall of X",
	"bots"},
    {"R-141", DIAG_HTML_NOT_SITEMAP, "a page of the bot wall of X", "bots"},
    {"R-141", DIAG_FETCH_REDIRECT_LOOP, "/a, until the cookie 'b' comes back",
	"cookie"},
    {"R-141", DIAG_FETCH_REDIRECT_LOOP, "/a", NULL},
    {"R-141", DIAG_FETCH_HTTP_ERROR, "status 451", "region"},
    {"R-141", DIAG_FETCH_HTTP_ERROR, "status 400", NULL},
    {"R-141", DIAG_FETCH_NOT_FOUND, "status 451", NULL},
    {"R-141", DIAG_FETCH_NETWORK_ERROR, "connection refused", "network"},
    {"R-141", DIAG_FETCH_NETWORK_ERROR, "connection reset", "network"},
    {"R-141", DIAG_FETCH_NETWORK_ERROR, "TLS handshake failed", "network"},
    {"R-141", DIAG_FETCH_NETWORK_ERROR, "could not resolve host", NULL},
    {"R-141", DIAG_OK, "the bot wall of X", NULL},
    {"R-141", DIAG_FETCH_HTTP_ERROR, NULL, NULL},
};

static void
test_walls(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct wall *wall = wall_of(
		    rows[i].code, slice_of(rows[i].text));

		if ((wall == NULL) != (rows[i].name == NULL) ||
		    (wall != NULL && strcmp(wall->name, rows[i].name) != 0))
			fail_msg("row %zu: %s", i,
			    wall == NULL ? "none" : wall->name);
	}
}

UNIT_TESTS(wall, cmocka_unit_test(test_walls));
