/* The policy and the fetcher of a command, made from its options. */
#include "crawler/control/network.h"

#include <sys/random.h>

#include "crawler/cli/out.h"
#include "crawler/event/exit.h"

typedef bool policy_fn(struct policy *, struct slice text);

/* add_all(policy, words, add, form): add the values of one option; a value of
 * another form is named on stderr. */
static bool
add_all(struct policy *policy, const struct string_list *words, policy_fn *add,
    const char *form)
{
	for (size_t i = 0; i < words->count; i++)
		if (!add(policy, slice_of(words->items[i]))) {
			complain("'%s': is not %s", words->items[i], form);
			return false;
		}
	return true;
}

int
network_policy(struct network *network, const struct options *options)
{
	network->policy = policy_new();
	if (options->network.proxy != NULL)
		policy_keep_targets(network->policy, network_key());
	if (!add_all(network->policy, &options->network.allow_address,
		policy_allow, "an address range") ||
	    !add_all(network->policy, &options->network.connect_to,
		policy_connect_to, "HOST1:PORT1:HOST2:PORT2") ||
	    !add_all(network->policy, &options->network.resolve, policy_resolve,
		"HOST:PORT:ADDRESS"))
		return EXIT_USAGE;
	return EXIT_DONE;
}

int
network_open(
    struct network *network, struct loop *loop, const struct options *options)
{
	struct fetcher_options how;

	fetcher_options_default(&how);
	buf_init(&network->agent, SIZE_MAX);
	(void)buf_print(&network->agent, "freshet/%s%s%s%s", FRESHET_VERSION,
	    options->network.contact == NULL ? "" : " (+",
	    options->network.contact == NULL ? "" : options->network.contact,
	    options->network.contact == NULL ? "" : ")");
	how.user_agent = options->network.user_agent != NULL
	    ? options->network.user_agent
	    : buf_str(&network->agent);
	how.ca_file = options->network.ca_file;
	how.proxy = options->network.proxy;
	how.connect_to = options->network.connect_to.items;
	how.resolve = options->network.resolve.items;
	how.policy = network->policy;
	how.hash_key = network_key();
	if (options->network.connect_timeout_ms > 0)
		how.connect_timeout_ms = options->network.connect_timeout_ms;
	if (options->network.max_time_ms > 0)
		how.max_time_ms = options->network.max_time_ms;
	if (options->network.low_speed_time_s > 0)
		how.low_speed_time_s = options->network.low_speed_time_s;
	network->fetcher = fetcher_new(loop, &how);
	if (network->fetcher != NULL)
		return EXIT_DONE;
	complain("libcurl cannot be had");
	return EXIT_RESOURCES;
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
