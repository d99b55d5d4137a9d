/*
 * The service of the desk.
 *
 *	a line -> frontier, out -> COMMIT -> said
 *
 * What customers are told waits in `out` until the COMMIT.  One that is over
 * ends after that.
 */
#include "crawler/control/frontier_service.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vis.h"
#include "crawler/control/frontier_service_import.h"
#include "crawler/control/frontier_service_internal.h"
#include "crawler/event/exit.h"
#include "crawler/event/loop.h"
#include "crawler/event/ndjson.h"
#include "crawler/frontier/frontier_pace.h"

#define COMMIT_MS 20 /* DESIGN section 7 */

int64_t
service_now_s(const struct frontier_service *service)
{
	return loop_now_s(service->options.loop);
}

int64_t
service_now_ms(const struct frontier_service *service)
{
	return loop_now_ms(service->options.loop);
}

void
service_mark(struct frontier_service *service)
{
	if (service->is_marked)
		return;
	service->is_marked = true;
	loop_timer_set(service->commit,
	    service->committed_ms + COMMIT_MS - service_now_ms(service));
}

void
service_mark_now(struct frontier_service *service)
{
	service->is_marked = true;
	loop_timer_set(service->commit, 0);
}

static bool
is_waited(const struct frontier_service *service)
{
	for (const struct frontier_client *c = service->customers; c != NULL;
	     c = c->next)
		if (c->wanted > 0)
			return true;
	return false;
}

void
frontier_service_wake(struct frontier_service *service)
{
	if (is_waited(service))
		loop_timer_set(service->wait, 0);
}

void
service_finish(
    struct frontier_client *customer, int status, enum diag_code code)
{
	(void)buf_print(&customer->out,
	    "{\"v\":1,\"type\":\"end\",\"exit\":%d,\"code\":\"%s\"", status,
	    code == DIAG_OK ? "" : diag_name(code));
	if (code == DIAG_STORE_DAMAGED) {
		(void)buf_print(&customer->out, ",\"text\":");
		json_put(&customer->out,
		    slice_of(store_trouble(customer->service->options.store)));
	}
	(void)buf_print(&customer->out, "}\n");
	customer->is_over = true;
	service_mark(customer->service);
}

static void
take_list(const struct ndjson *request, const char *key, struct strings *to)
{
	struct slice item;

	for (size_t i = 0; item = ndjson_item(request, key, i), item.p != NULL;
	     i++)
		strings_add(to, item);
}

static void
begin(struct frontier_client *customer, const struct ndjson *request)
{
	struct slice command = ndjson_text(request, "command");
	int64_t line = ndjson_number(request, "line", 1);

	customer->kind = slice_is(command, "due") ? CUSTOMER_TAKES
	    : slice_is(command, "done")           ? CUSTOMER_TELLS
	    : slice_is(command, "import")         ? CUSTOMER_IMPORTS
						  : CUSTOMER_CALLS;
	customer->line = line < 1 ? 1 : (uint64_t)line;
	if (customer->kind == CUSTOMER_IMPORTS)
		customer->import = service_import_new(
		    customer->service, ndjson_flag(request, "json"));
	take_list(request, "sites", &customer->sites);
	take_list(request, "tags", &customer->tags);
	customer->consumer = (struct frontier_consumer){
	    .per_host = (uint32_t)ndjson_number(request, "per_host", 0),
	    .hosts = (uint32_t)ndjson_number(request, "hosts", 0),
	    .lease_s = ndjson_number(request, "lease_s", 0),
	    .is_spaced = ndjson_flag(request, "spaced"),
	    .sites = &customer->sites,
	    .tags = &customer->tags};
	if (customer->kind == CUSTOMER_TAKES &&
	    (customer->consumer.lease_s < 1 ||
		customer->consumer.lease_s > FRONTIER_LEASE_MAX_S))
		service_finish(customer, EXIT_USAGE, DIAG_OK);
	else if (customer->kind == CUSTOMER_TAKES)
		service_greet(customer, request);
	else if (slice_is(command, "hold"))
		service_hold(customer, request);
	else if (slice_is(command, "release"))
		service_release(customer, request);
}

bool
frontier_service_takes(const struct ndjson *request)
{
	static const char *const commands[] = {
	    "due", "done", "import", "hold", "release"};
	struct slice command = slice_of(NULL);

	if (request != NULL)
		command = ndjson_text(request, "command");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (slice_is(command, commands[i]))
			return true;
	return false;
}

struct frontier_client *
frontier_service_client(struct frontier_service *service,
    const struct ndjson *request, const struct frontier_caller *caller)
{
	struct frontier_client *customer;

	if (!frontier_service_takes(request))
		return NULL;
	customer = mem_zero(sizeof(*customer));
	customer->service = service;
	customer->caller = *caller;
	buf_init(&customer->out, SIZE_MAX);
	buf_init(&customer->in, SIZE_MAX);
	begin(customer, request);
	caller->say(caller->arg, slice_of("{\"v\":1,\"type\":\"hello\"}\n"));
	customer->next = service->customers;
	service->customers = customer;
	return customer;
}

void
frontier_client_line(struct frontier_client *customer, struct slice line)
{
	struct ndjson *object;

	if (customer->is_over)
		return;
	if (customer->kind == CUSTOMER_TELLS) {
		service_result(customer, line);
		return;
	}
	if (customer->kind == CUSTOMER_IMPORTS) {
		service_import(customer, line);
		return;
	}
	object = ndjson_parse(line);
	if (object == NULL)
		return;
	if (ndjson_type(object, "release") != NDJSON_NONE) {
		service_give_back(customer, object);
	} else {
		service_take(customer, object);
	}
	ndjson_free(object);
}

void
frontier_client_free(struct frontier_client *customer)
{
	struct frontier_client **at;

	if (customer == NULL)
		return;
	for (at = &customer->service->customers; *at != customer;)
		at = &(*at)->next;
	*at = customer->next;
	if (customer->kind == CUSTOMER_TAKES)
		frontier_consumer_release(
		    customer->service->options.frontier, &customer->consumer);
	service_import_free(customer->import);
	buf_release(&customer->in);
	buf_release(&customer->out);
	strings_release(&customer->sites);
	strings_release(&customer->tags);
	free(customer);
}

/* COMMIT. */

/* answer(customer, code): what it may hear now. */
static void
answer(struct frontier_client *customer, enum diag_code code)
{
	struct frontier_caller caller = customer->caller;

	if (code != DIAG_OK) {
		buf_clear(&customer->out);
		service_finish(customer, exit_of_store(code), code);
	}
	if (customer->out.len > 0)
		caller.say(caller.arg, buf_text(&customer->out));
	buf_clear(&customer->out);
	if (!customer->is_over)
		return;
	frontier_client_free(customer);
	caller.end(caller.arg);
}

static void
on_commit(void *arg)
{
	struct frontier_service *service = arg;
	struct loop *loop = service->options.loop;
	struct frontier_client *customer;
	struct frontier_client *next;
	enum diag_code code;

	frontier_save(service->options.frontier);
	loop_commit_begin(loop);
	code = store_flush(service->options.store);
	loop_commit_end(loop);
	if (code == DIAG_OK)
		code = store_failed(service->options.store);
	service->committed_ms = service_now_ms(service);
	service->is_marked = false;
	for (customer = service->customers; customer != NULL; customer = next) {
		next = customer->next;
		answer(customer, code);
	}
	if (code != DIAG_OK && service->options.failed != NULL)
		service->options.failed(service->options.failed_arg);
	frontier_service_wake(service);
}

void
frontier_service_settle(struct frontier_service *service)
{
	if (service != NULL && service->is_marked)
		on_commit(service);
}

static int64_t
now_ms(void *loop)
{
	return loop_now_ms(loop);
}

struct frontier_service *
frontier_service_new(const struct frontier_service_options *options)
{
	struct frontier_service *service = mem_zero(sizeof(*service));

	service->options = *options;
	frontier_set_clock(options->frontier, now_ms, options->loop);
	service->commit = loop_timer_new(options->loop, on_commit, service);
	service->wait = loop_timer_new(options->loop, service_wait, service);
	service->bite = loop_timer_new(options->loop, service_bite, service);
	service->committed_ms = loop_now_ms(options->loop) - COMMIT_MS;
	return service;
}

void
frontier_service_free(struct frontier_service *service)
{
	if (service == NULL)
		return;
	while (service->customers != NULL)
		frontier_client_free(service->customers);
	loop_timer_free(service->commit);
	loop_timer_free(service->wait);
	loop_timer_free(service->bite);
	free(service);
}

struct frontier_counts
frontier_service_counts(const struct frontier_service *service)
{
	return service->counts;
}
