/* The policy and the fetcher of a command, made from its options. */
#include "crawler/cli/network.h"

#include <sys/random.h>

#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "crawler/event/spool.h"

#define OWN_MS 15000
#define ANSWER_BYTES 65536

typedef bool policy_fn(struct policy *, struct slice text);

/* Add the values of one option; a value of another form is named on stderr. */
static bool
add_all(struct policy *policy, const struct strings *words, policy_fn *add,
    const char *form)
{
	for (size_t i = 0; i < words->count; i++)
		if (!add(policy, slice_of(words->items[i])))
			return refuse("'%s': is not %s", words->items[i], form);
	return true;
}

int
network_policy(struct network *network, const struct options_network *asked)
{
	network->policy = policy_new();
	/* A proxy looks up the names: only the targets that were typed are
	 * known to be meant (HOSTILE E47). */
	if (asked->proxy != NULL)
		policy_keep_targets(network->policy, network_key());
	if (!add_all(network->policy, &asked->allow_address, policy_allow,
		"an address range") ||
	    !add_all(network->policy, &asked->connect_to, policy_connect_to,
		"HOST1:PORT1:HOST2:PORT2") ||
	    !add_all(network->policy, &asked->resolve, policy_resolve,
		"HOST:PORT:ADDRESS"))
		return EXIT_USAGE;
	return EXIT_DONE;
}

void
network_put_agent(struct buf *out, const struct options_network *asked)
{
	if (asked->user_agent != NULL)
		(void)buf_print(out, "%s", asked->user_agent);
	else if (asked->contact != NULL)
		(void)buf_print(
		    out, "freshet/%s (+%s)", FRESHET_VERSION, asked->contact);
	else
		(void)buf_print(out, "freshet/%s", FRESHET_VERSION);
}

int
network_open(struct network *network, struct loop *loop,
    const struct options_network *asked)
{
	struct fetcher_options how = fetcher_defaults;

	network_put_agent(&network->agent, asked);
	how.user_agent = buf_str(&network->agent);
	how.ca_file = asked->ca_file;
	how.proxy = asked->proxy;
	how.connect_to = (const char *const *)asked->connect_to.items;
	how.resolve = (const char *const *)asked->resolve.items;
	how.policy = network->policy;
	how.hash_key = network_key();
	if (asked->connect_timeout_ms > 0)
		how.connect_timeout_ms = asked->connect_timeout_ms;
	if (asked->max_time_ms > 0)
		how.max_time_ms = asked->max_time_ms;
	if (asked->low_speed_time_s > 0)
		how.low_speed_time_s = asked->low_speed_time_s;
	network->fetcher = fetcher_new(loop, &how);
	if (network->fetcher != NULL)
		return EXIT_DONE;
	return complain_with(EXIT_RESOURCES, "libcurl cannot be had");
}

int
network_open_own(struct network *network, const struct options_network *asked)
{
	struct options_network how = *asked;
	int status;

	how.proxy = how.user_agent = how.contact = NULL;
	how.connect_to = (struct strings){0};
	how.max_time_ms = OWN_MS;
	network->loop = loop_new();
	if (network->loop == NULL)
		return complain_with(
		    EXIT_RESOURCES, "there are no descriptors");
	status = network_policy(network, &how);
	return status == EXIT_DONE ? network_open(network, network->loop, &how)
				   : status;
}

struct network_asking {
	struct loop *loop;
	fetch_done_fn *answered;
	void *arg;
};

static void
network_on_answer(void *arg, const struct fetch_result *result)
{
	struct network_asking *asking = arg;

	asking->answered(asking->arg, result);
	loop_stop(asking->loop);
}

bool
network_ask(struct network *network, struct fetch_request *request,
    fetch_done_fn *answered, void *arg)
{
	struct network_asking asking = {network->loop, answered, arg};
	struct spool *spool = spool_new(NULL);

	request->spool = spool_get(spool);
	request->max_bytes = ANSWER_BYTES;
	request->is_single = true;
	request->is_identity = true;
	if (request->spool != NULL) {
		/* the operator names the port, too */
		policy_allow_port(network->policy, request->url->port);
		fetch_start(
		    network->fetcher, request, network_on_answer, &asking);
		loop_run(network->loop);
		spool_put(request->spool);
	}
	spool_free(spool);
	return request->spool != NULL;
}

void
network_release(struct network *network)
{
	fetcher_free(network->fetcher);
	policy_free(network->policy);
	buf_release(&network->agent);
	loop_free(network->loop);
	*network = (struct network){0};
}

uint64_t
network_key(void)
{
	uint64_t key = 0;

	/* For so few bytes getrandom() never fails once the system is up. */
	(void)!getrandom(&key, sizeof(key), 0);
	return key;
}
