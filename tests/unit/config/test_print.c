/* The help text and the reference page name every key, and docs/configuration.md is the text that
 * softrnic-config --markdown prints. */
#include "snippet.h"

#include <stdlib.h>

#include "config/keys.h"

static char *printed(void (*print)(FILE *))
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print(out);
	fclose(out);
	return text;
}

static void test_help_names_every_key(void **state)
{
	char *text = printed(rn_config_print_help);

	for (const struct rn_config_key *key = rn_config_adapter_keys; key->name; key++)
		assert_non_null(strstr(text, key->name));
	for (const struct rn_config_section_info *i = rn_config_sections; i->name; i++) {
		assert_non_null(strstr(text, i->name));
		for (const struct rn_config_key *key = i->keys; key->name; key++)
			assert_non_null(strstr(text, key->name));
	}
	free(text);
}

static void test_reference_page_is_up_to_date(void **state)
{
	static char page[1 << 16];
	char *text = printed(rn_config_print_markdown);
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/docs/configuration.md", getenv("SOFTRNIC_SOURCE"));
	f = fopen(path, "r");
	assert_non_null(f);
	page[fread(page, 1, sizeof(page) - 1, f)] = '\0';
	fclose(f);
	if (strcmp(page, text))
		fail_msg("print it anew: softrnic-config --markdown > docs/configuration.md");
	free(text);
}

/* The default of a key must be a value that the key accepts. */
static void check_default(const struct rn_config_key *key)
{
	if (key->type <= RN_CONFIG_PERCENT && (key->number < key->low || key->number > key->high))
		fail_msg("%s", key->name);
	if ((key->type == RN_CONFIG_POW2 || key->type == RN_CONFIG_POW2_0) &&
	    (key->number & (key->number - 1)))
		fail_msg("%s", key->name);
}

static void test_defaults_are_within_their_ranges(void **state)
{
	for (const struct rn_config_key *key = rn_config_adapter_keys; key->name; key++)
		check_default(key);
	for (const struct rn_config_section_info *i = rn_config_sections; i->name; i++) {
		for (const struct rn_config_key *key = i->keys; key->name; key++)
			check_default(key);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_help_names_every_key),
		cmocka_unit_test(test_reference_page_is_up_to_date),
		cmocka_unit_test(test_defaults_are_within_their_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
