/* The policy and the fetcher of a command, made from its options. */
#include "crawler/control/network.h"

#include <sys/random.h>

#include "crawler/cli/out.h"
#include "crawler/event/exit.h"

#define POST_MS 15000

typedef bool policy_fn(struct policy *, struct slice text);

/* add_all(policy, words, add, form): add the values of one option; a value of
 * another form is named on stderr. */
static bool
add_all(struct policy *policy, const struct string_list *words, policy_fn *add,
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

	buf_init(&network->agent, SIZE_MAX);
	network_put_agent(&network->agent, asked);
	how.user_agent = buf_str(&network->agent);
	how.ca_file = asked->ca_file;
	how.proxy = asked->proxy;
	how.connect_to = asked->connect_to.items;
	how.resolve = asked->resolve.items;
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
network_open_posts(struct network *network, struct loop *loop,
    const struct options_network *asked)
{
	struct options_network how = *asked;
	int status;

	how.proxy = how.user_agent = how.contact = NULL;
	how.connect_to = how.resolve = (struct string_list){0};
	how.max_time_ms = POST_MS;
	status = network_policy(network, &how);
	return status == EXIT_DONE ? network_open(network, loop, &how) : status;
}

void
network_release(struct network *network)
{
	fetcher_free(network->fetcher);
	policy_free(network->policy);
	buf_release(&network->agent);
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
