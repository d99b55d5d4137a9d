/* Which hosts a consumer has leased pages of, so that their number can be
 * limited. */
#ifndef FRESHET_CONSUMER_TABLE_H
#define FRESHET_CONSUMER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The hosts of one consumer; owned by the table. */
struct consumer_hosts;
struct consumer_table;

struct consumer_table *consumer_table_new(void);
void consumer_table_free(struct consumer_table *);

/*
 * consumer_add_page(table, hosts, host): the consumer has one page more of that
 * host.  *hosts is NULL before its first page and is set then.
 *
 * Returns the slot of the consumer, for consumer_remove_page; 0: the table is
 * full, and the consumer stays without a limit.
 */
uint16_t consumer_add_page(
    struct consumer_table *, struct consumer_hosts **, uint32_t host);

/* consumer_remove_page(table, slot, host): one page less.  A slot of 0 is
 * ignored. */
void consumer_remove_page(
    struct consumer_table *, uint16_t slot, uint32_t host);

/* consumer_may_add(hosts, host, most): may the consumer have a page of that
 * host without having pages of more than most hosts?  0: no limit. */
bool consumer_may_add(
    const struct consumer_hosts *, uint32_t host, uint32_t most);

/* consumer_leaves(table, hosts): the consumer takes no more; its slot is free
 * once its last page has come back.  NULL is fine. */
void consumer_leaves(struct consumer_table *, struct consumer_hosts *);

#endif
