/* The tables of commands and options. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <string.h>

#include "crawler/cli/options_table.h"

/* What the texts for people and programs are made from is all there. */
static void
rows_are_whole(void **state)
{
	const struct command *command;

	for (command = command_rows; command->name != NULL; command++) {
		assert_true(command->examples[0] != '\0');
		if (command->exits == NULL || command->exits[0] != '0')
			fail_msg("'%s' does not say its .exits: lines "
				 "\"0|done\\n\"",
			    command->name);
		for (const char *p = command->exits; *p != '\0';
		     p += strcspn(p, "\n") + 1) {
			size_t digits = strspn(p, "0123456789");

			if (digits == 0 || p[digits] != '|' ||
			    strchr(p, '\n') == NULL)
				fail_msg("'%s': .exits: %s", command->name, p);
		}
		if (strstr(command->text, "Exit status") != NULL)
			fail_msg("'%s': exit statuses stand in .exits",
			    command->name);
	}
}

/* An option that excludes another names one that its command takes. */
static void
rows_name_their_rivals(void **state)
{
	const struct option *option;

	(void)state;
	for (option = option_rows; option->name != NULL; option++)
		for (const char *p = option->not_with; p != NULL && *p != '\0';
		     p += strspn(p, " ")) {
			struct slice name = slice_make(p, strcspn(p, ": "));
			const struct option *rival = option_find(name);

			if (rival == NULL ||
			    (option_of(rival, option->commands)->commands &
				option->commands) == 0)
				fail_msg(
				    "'%s': .not_with: %s", option->name, p);
			p += strcspn(p, " ");
		}
}

/* The command may stand behind its options: whether one takes a value must be
 * known before. */
static void
rows_of_one_name_agree(void **state)
{
	const struct option *a;
	const struct option *b;

	for (a = option_rows; a->name != NULL; a++)
		for (b = option_rows; b < a; b++) {
			if (strcmp(a->name, b->name) != 0) {
				if (a->letter != 0 && a->letter == b->letter)
					fail_msg("-%c: --%s, --%s", a->letter,
					    a->name, b->name);
				continue;
			}
			if (a->letter != b->letter ||
			    (a->argument == NULL) != (b->argument == NULL))
				fail_msg("two rows of --%s differ", a->name);
			if (a->commands & b->commands)
				fail_msg("one command, two --%s", a->name);
		}
}

UNIT(options_table)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_whole),
	    cmocka_unit_test(rows_name_their_rivals),
	    cmocka_unit_test(rows_of_one_name_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
