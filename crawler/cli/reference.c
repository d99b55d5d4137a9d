/* Examples of diagnostics and the text of rules, from the documents. */
#include "crawler/cli/reference.h"

const struct reference_example reference_examples[DIAG_COUNT] = {
#include "reference_examples.inc"
};

static const struct reference_rule rules[] = {
#include "reference_rules.inc"
};

const struct reference_rule *
reference_rule(struct slice name)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (slice_equal_nocase(name, slice_of(rules[i].name)))
			return &rules[i];
	return NULL;
}
