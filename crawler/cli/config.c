/* The configuration file, line by line. */
#include "crawler/cli/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"

struct config_reading {
	struct config *config;
	const char *path;
	unsigned line; /* number of the line at hand */
	const char *site, *alert; /* of the section, as in config_item */
	unsigned section_line; /* 0: before the first section */
};

static const char *
config_keep(struct config *config, struct slice text)
{
	config->kept = mem_grow(config->kept, &config->kept_cap,
	    config->kept_count + 1, sizeof(*config->kept));
	config->kept[config->kept_count] = slice_dup(text);
	return config->kept[config->kept_count++];
}

static bool
config_bad(struct config_reading *reading, const char *what)
{
	complain("%s:%u: %s", reading->path, reading->line, what);
	return false;
}

/* Keep what follows the word of a section, "site HOST" or "alert NAME"; NULL:
 * the section has another word. */
static const char *
config_name(
    struct config_reading *reading, struct slice section, const char *word)
{
	size_t len = strlen(word);

	if (!slice_starts(section, slice_of(word)) || section.len == len ||
	    (section.p[len] != ' ' && section.p[len] != '\t'))
		return NULL;
	return config_keep(
	    reading->config, slice_trim(slice_from(section, len)));
}

/* Read one line; false, after saying why, if it is not of this form. */
static bool
config_line(struct config_reading *reading, struct slice line)
{
	struct slice text = slice_trim(line);
	struct config *config = reading->config;
	struct config_item *item;
	size_t key = 0;

	if (line.len > CONFIG_MAX_LINE)
		return config_bad(
		    reading, "the line is longer than 8192 bytes");
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.p[i] < ' ' && line.p[i] != '\t')
			return config_bad(
			    reading, "a control character: is it text?");
	if (text.len == 0 || text.p[0] == '#' || text.p[0] == ';')
		return true;
	if (text.p[0] == '[') {
		/* Read "[defaults]", "[site HOST]" or "[alert NAME]". */
		static const char form[] =
		    "a section is [defaults], [site HOST] or [alert NAME], "
		    "with nothing behind it";
		struct slice name = slice_from(text, 1);

		if (name.len == 0 || name.p[name.len - 1] != ']')
			return config_bad(reading, form);
		name.len--;
		name = slice_trim(name);
		reading->section_line = reading->line;
		reading->site = reading->alert = NULL;
		if (slice_is(name, "defaults"))
			return true;
		if (slice_is(name, "site"))
			return config_bad(
			    reading, "a site needs its host: [site HOST]");
		if (slice_is(name, "alert"))
			return config_bad(
			    reading, "an alert needs a name: [alert NAME]");
		reading->site = config_name(reading, name, "site");
		if (reading->site == NULL)
			reading->alert = config_name(reading, name, "alert");
		if (reading->site == NULL && reading->alert == NULL)
			return config_bad(reading, form);
		return true;
	}
	/* Some write "KEY: VALUE", which may have a '=' in its value. */
	while (key < text.len && text.p[key] != '=' && text.p[key] != ':')
		key++;
	if (key == 0 || key == text.len || text.p[key] != '=')
		return config_bad(
		    reading, "this is neither KEY = VALUE nor a section");
	if (reading->section_line == 0)
		return config_bad(reading,
		    "a key before the first section: begin with [defaults]");
	config->items = mem_grow(config->items, &config->cap, config->count + 1,
	    sizeof(*config->items));
	item = &config->items[config->count++];
	item->site = reading->site;
	item->alert = reading->alert;
	item->key = config_keep(config, slice_trim(slice_make(text.p, key)));
	item->value = config_keep(
	    config, slice_trim(slice_from(text, key + 1)));
	item->line = reading->line;
	item->section_line = reading->section_line;
	return true;
}

bool
config_read(struct config *config, const char *path)
{
	/* byte order mark in UTF-8 */
	static const char mark[] = "\xef\xbb\xbf";
	struct config_reading reading = {.config = config, .path = path};
	struct slice left;
	struct buf text;
	bool is_good;

	buf_init(&text, CONFIG_MAX_BYTES);
	is_good = textfile_read(path, &text);
	left = buf_text(&text);
	if (slice_starts(left, slice_of(mark)))
		left = slice_from(left, sizeof(mark) - 1);
	while (is_good && left.len > 0) {
		reading.line++;
		is_good = config_line(&reading, textfile_line(&left));
	}
	buf_release(&text);
	return is_good;
}

void
config_release(struct config *config)
{
	for (size_t i = 0; i < config->kept_count; i++)
		free(config->kept[i]);
	free(config->kept);
	free(config->items);
	*config = (struct config){0};
}
