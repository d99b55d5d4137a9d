/* Leases: which pages are out, and until when; and the hosts of which each
 * consumer has pages, so that the number of these hosts can be limited. */
#ifndef FRESHET_LEASE_TABLE_H
#define FRESHET_LEASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The hosts of one consumer; owned by the table. */
struct consumer_hosts;
struct lease_table;

struct lease_table *lease_table_new(void);
void lease_table_free(struct lease_table *);

/* lease_put(table, page, until_s): the page is leased until until_s.
 * lease_remove: the page is not leased any more.  lease_first: the page whose
 * lease ends first; NONE: no page is leased.  lease_until_s: the end of the
 * lease of a page that is leased; FRONTIER_NEVER for NONE.  lease_running: how
 * many leases end after now_s; the others end when the frontier is asked. */
void lease_put(struct lease_table *, uint32_t page, int64_t until_s);
void lease_remove(struct lease_table *, uint32_t page);
uint32_t lease_first(const struct lease_table *);
int64_t lease_until_s(const struct lease_table *, uint32_t page);
uint64_t lease_running(const struct lease_table *, int64_t now_s);

/*
 * consumer_add_page(table, hosts, host): the consumer has one more page of
 * that host.  *hosts is NULL before its first page and is set then.
 *
 * Returns the slot of the consumer, for consumer_remove_page; 0: the table is
 * full, and the consumer stays without a limit.
 */
uint16_t consumer_add_page(
    struct lease_table *, struct consumer_hosts **, uint32_t host);

/* consumer_remove_page(table, slot, host): one page less.  A slot of 0 is
 * ignored. */
void consumer_remove_page(struct lease_table *, uint16_t slot, uint32_t host);

/* consumer_may_add(hosts, host, most): may the consumer have a page of that
 * host without having pages of more than most hosts?  0: no limit. */
bool consumer_may_add(
    const struct consumer_hosts *, uint32_t host, uint32_t most);

/* consumer_leaves(table, hosts): the consumer takes no more pages; its slot
 * becomes free when its last page has come back.  NULL is ignored. */
void consumer_leaves(struct lease_table *, struct consumer_hosts *);

#endif
