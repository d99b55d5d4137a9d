/* The driver: what it knows of origins and their hosts, see run_internal.h. */
#ifndef FRESHET_RUN_HOSTS_H
#define FRESHET_RUN_HOSTS_H

#include "base/robots.h"
#include "base/site_rules.h"
#include "store/request_log.h"

enum origin_state { ORIGIN_NEW, ORIGIN_ASKED, ORIGIN_KNOWN };

/* What it has used today of its owner's budget, see run_owner.h. */
struct origin_use {
	uint32_t robots_bytes, sitemaps;
	bool is_asked;
};

struct origin {
	const char *text; /* of origin_names: "https://host:port"; NULL: a free
			     number */
	uint32_t host; /* in the frontier */
	uint64_t serial; /* of the crawl for which it was asked last */
	uint32_t seed_site; /* to be sown: its Sitemap lines are seeds of it */
	int64_t named_by; /* id of the site whose target it is, and whose
			     headers may go there; 0: none */
	uint8_t state;
	enum diag_code closed_by; /* SPEC R-102: why all is; or DIAG_OK */
	uint32_t crawl_delay_ms; /* of its robots.txt, 0: none */
	int64_t used_ms; /* when it was looked for last */
	int64_t fresh_until_s; /* its robots.txt (SPEC R-104) */
	bool is_seeded; /* it is a target: its Sitemap lines are wanted */
	bool is_unsown; /* it is in run.unsown */
	bool may_be_http; /* a bare host: try http when https fails */
	bool is_of_host; /* of a bare host: robots_fact */
	unsigned probes; /* default locations tried */
	uint32_t *gates; /* owned: crawls whose documents wait for it */
	size_t dns_queue_count, dns_queue_cap;
	struct robots *robots; /* owned; see run_rules.h */
	bool has_rules; /* false: all is allowed */
	bool repairs; /* its rules are read so (SPEC R-97) */
	uint64_t rules_stamp; /* of the rules that hold, of no others */
	struct origin_use used;
	uint32_t *waiting; /* owned: visits */
	size_t waiting_count, waiting_cap;
};

/* Beside the frontier's host of the same number. */
struct host_state {
	const struct site_rules *rules;
	unsigned failures, throttles; /* in a row: of the network; 429, 503 */
	uint32_t crawl_delay_ms; /* the largest of its origins', 0: none */
	int64_t parked_until_ms; /* asked to be left alone for long */
	int64_t failed_ms; /* the last failure */
	int64_t asked_ms, ended_ms; /* the last request; 0: never */
	struct request_log_note
	    noted; /* not in the store yet; no requests: none */
	uint64_t work; /* that its rules have cost today */
	bool is_named; /* by the operator, see run_owner.h */
	bool is_local, is_file; /* a file: nobody is asked, see local.h */
	bool is_left; /* it was said that nobody is asked for its documents */
};

#endif
