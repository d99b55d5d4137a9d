/* What `sim` can be asked for. */
#include <string.h>

#include "base/out_json.h"
#include "base/vis.h"
#include "crawler/sim/sim_parts.h"

#define NAME_WIDTH 24
#define VALUE_MAX 64
#define STANDARD "W2" /* whose parameters are shown */

static void
put_line(struct out *out, const char *name, const char *value, const char *text)
{
	struct buf first;

	buf_init(&first, 256);
	(void)buf_print(&first, "  %-*s ", NAME_WIDTH, name);
	if (value != NULL)
		(void)buf_print(&first, "%-10s ", value);
	out_wrapped(&out->text, buf_str(&first), text);
	(void)out_line(out);
	buf_release(&first);
}

static void
put_object(struct out *out, const char *of, const char *name, const char *text,
    const struct world_setting *setting)
{
	char value[VALUE_MAX] = "";

	if (setting != NULL)
		world_get(
		    world_preset(STANDARD), setting, value, sizeof(value));
	(void)buf_print(&out->text, "{\"v\":1");
	out_json_word(&out->text, "type", slice_of("choice"));
	out_json_word(&out->text, "of", slice_of(of));
	out_json_word(&out->text, "name", slice_of(name));
	out_json_word(&out->text, "standard", slice_of(value));
	out_json_word(&out->text, "text", slice_of(text));
	if (setting != NULL)
		(void)buf_print(&out->text, ",\"low\":%.9g,\"high\":%.9g",
		    setting->low, setting->high);
	(void)buf_print(&out->text, "}\n");
	(void)out_line(out);
}

static void
put_head(struct out *out, bool is_json, const char *text)
{
	if (!is_json)
		(void)buf_print(&out->text, "%s\n", text);
}

static void
list_policies(struct out *out, bool is_json)
{
	size_t count;
	const struct sim_policy *const *policies = sim_policies(&count);

	put_head(out, is_json, "policies (--policy)");
	for (size_t i = 0; i < count; i++)
		if (is_json)
			put_object(out, "policy", policies[i]->name,
			    policies[i]->text, NULL);
		else
			put_line(
			    out, policies[i]->name, NULL, policies[i]->text);
}

static void
list_worlds(struct out *out, bool is_json)
{
	size_t count;
	const struct world_options *worlds = world_presets(&count);

	put_head(out, is_json, "\nworlds (--world)");
	for (size_t i = 0; i < count; i++)
		if (is_json)
			put_object(
			    out, "world", worlds[i].name, worlds[i].text, NULL);
		else
			put_line(out, worlds[i].name, NULL, worlds[i].text);
}

static void
list_settings(struct out *out, bool is_json)
{
	size_t count;
	const struct world_setting *settings = world_settings(&count);
	char value[VALUE_MAX];

	put_head(
	    out, is_json, "\nparameters of " STANDARD " (--with KEY=VALUE)");
	for (size_t i = 0; i < count; i++) {
		world_get(
		    world_preset(STANDARD), &settings[i], value, sizeof(value));
		if (is_json)
			put_object(out, "parameter", settings[i].key,
			    settings[i].text, &settings[i]);
		else
			put_line(out, settings[i].key, value, settings[i].text);
	}
}

void
sim_list(struct out *out, bool is_json)
{
	list_policies(out, is_json);
	list_worlds(out, is_json);
	list_settings(out, is_json);
}
