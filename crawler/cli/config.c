/*
 * The configuration file, read by inih.
 *
 * inih cuts long lines and long names of sections, takes "key: value" for a
 * pair, and ignores what follows the ']' of a section. So this file gives it
 * one line at a time, checks each line before, and takes the section from the
 * line itself.
 */
#include "crawler/cli/config.h"

#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"

struct config_reading {
	struct config *config;
	const char *path;
	struct slice left; /* lines that inih has not read yet */
	unsigned line; /* number of the last line that inih read */
	const char *site, *alert; /* of the section, as in config_item */
	unsigned section_line; /* 0: before the first section */
	bool is_bad; /* an error was printed */
};

static const char *
keep(struct config *config, struct slice text)
{
	config->kept = mem_grow(config->kept, &config->kept_cap,
	    config->kept_count + 1, sizeof(*config->kept));
	config->kept[config->kept_count] = slice_dup(text);
	return config->kept[config->kept_count++];
}

static bool
bad(struct config_reading *reading, const char *what)
{
	complain("%s:%u: %s", reading->path, reading->line, what);
	reading->is_bad = true;
	return false;
}

/* Keep what follows the word of a section, "site HOST" or "alert NAME"; NULL:
 * the section has another word. */
static const char *
take_name(
    struct config_reading *reading, struct slice section, const char *word)
{
	size_t len = strlen(word);

	if (!slice_starts(section, slice_of(word)) || section.len == len ||
	    (section.p[len] != ' ' && section.p[len] != '\t'))
		return NULL;
	return keep(reading->config, slice_trim(slice_from(section, len)));
}

/* Read "[defaults]", "[site HOST]" or "[alert NAME]". */
static bool
take_section(struct config_reading *reading, struct slice line)
{
	static const char form[] =
	    "a section is [defaults], [site HOST] or [alert NAME], with "
	    "nothing behind it";
	struct slice name = slice_from(line, 1);

	if (name.len == 0 || name.p[name.len - 1] != ']')
		return bad(reading, form);
	name.len--;
	name = slice_trim(name);
	reading->section_line = reading->line;
	reading->site = reading->alert = NULL;
	if (slice_is(name, "defaults"))
		return true;
	if (slice_is(name, "site"))
		return bad(reading, "a site needs its host: [site HOST]");
	if (slice_is(name, "alert"))
		return bad(reading, "an alert needs a name: [alert NAME]");
	reading->site = take_name(reading, name, "site");
	if (reading->site == NULL)
		reading->alert = take_name(reading, name, "alert");
	if (reading->site == NULL && reading->alert == NULL)
		return bad(reading, form);
	return true;
}

/* Returns whether inih may see the line. If not, the function prints why. */
static bool
is_fit(struct config_reading *reading, struct slice line)
{
	struct slice text = slice_trim(line);
	size_t key = 0;

	if (line.len > CONFIG_MAX_LINE)
		return bad(reading, "the line is longer than 8192 bytes");
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.p[i] < ' ' && line.p[i] != '\t')
			return bad(reading, "a control character: is it text?");
	if (text.len == 0 || text.p[0] == '#' || text.p[0] == ';')
		return true;
	if (text.p[0] == '[')
		return take_section(reading, text);
	while (key < text.len && text.p[key] != '=' && text.p[key] != ':')
		key++;
	if (key == 0 || key == text.len || text.p[key] != '=')
		return bad(
		    reading, "this is neither KEY = VALUE nor a section");
	if (reading->section_line == 0)
		return bad(reading,
		    "a key before the first section: begin with [defaults]");
	return true;
}

/* An ini_reader: the next line, in the form of fgets(); NULL after a bad
 * one. */
static char *
next_line(char *room, int size, void *arg)
{
	struct config_reading *reading = arg;
	struct slice line;

	if (reading->is_bad || reading->left.len == 0)
		return NULL;
	reading->line++;
	line = textfile_line(&reading->left);
	if (!is_fit(reading, line))
		return NULL;
	if (line.len + 2 > (size_t)size) {
		(void)bad(reading, "the line is longer than inih takes here");
		return NULL;
	}
	if (line.len > 0)
		memcpy(room, line.p, line.len);
	room[line.len] = '\n';
	room[line.len + 1] = '\0';
	return room;
}

/* An ini_handler: returns 1 for success. */
static int
on_pair(void *arg, const char *section, const char *key, const char *value)
{
	struct config_reading *reading = arg;
	struct config *config = reading->config;
	struct config_item *item;

	(void)section; /* inih may have cut it: reading->site is whole */
	config->items = mem_grow(config->items, &config->cap, config->count + 1,
	    sizeof(*config->items));
	item = &config->items[config->count++];
	item->site = reading->site;
	item->alert = reading->alert;
	item->key = keep(config, slice_of(key));
	item->value = keep(config, slice_of(value));
	item->line = reading->line;
	item->section_line = reading->section_line;
	return 1;
}

bool
config_read(struct config *config, const char *path)
{
	/* byte order mark in UTF-8 */
	static const char mark[] = "\xef\xbb\xbf";
	struct config_reading reading = {.config = config, .path = path};
	struct buf text;
	bool is_good;
	int line;

	buf_init(&text, CONFIG_MAX_BYTES);
	is_good = textfile_read(path, &text);
	if (is_good) {
		reading.left = buf_text(&text);
		if (slice_starts(reading.left, slice_of(mark)))
			reading.left = slice_from(
			    reading.left, sizeof(mark) - 1);
		/* Debian's inih keeps its settings in global variables. */
		ini_max_line = CONFIG_MAX_LINE + 3;
		ini_allow_multiline = false;
		ini_allow_inline_comments = false;
		line = ini_parse_stream(next_line, &reading, on_pair, &reading);
		if (line != 0 && !reading.is_bad)
			(void)bad(&reading, "this cannot be read");
		is_good = !reading.is_bad;
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
