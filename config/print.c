/* How are the configuration keys shown on a terminal and in docs/configuration.md? The functions
 * print the tables of keys.c, so the texts always match the code. The functions keep no state. Any
 * thread may call the functions. */
#include "config/keys.h"

static void print_keys_plain(FILE *out, const struct rn_config_key *keys)
{
	char allowed[192], def[64];

	for (; keys->name; keys++) {
		rn_config_key_allowed(keys, allowed, sizeof(allowed));
		rn_config_key_default(keys, def, sizeof(def));
		fprintf(out, "  %-18s %s\n", keys->name, keys->help);
		fprintf(out, "  %-18s   %s; default %s\n", "", allowed, def);
	}
}

void rn_config_print_help(FILE *out)
{
	fprintf(out,
		"A configuration is text in libconfig syntax: key = value; groups in { }, lists in ( ), arrays in [ ].\n"
		"\nadapters = ({ ... }, ...): 1..%d adapters\n",
		RN_CONFIG_MAX_ADAPTERS);
	print_keys_plain(out, rn_config_adapter_keys);
	for (const struct rn_config_section_info *i = rn_config_sections; i->name; i++) {
		fprintf(out, "\n%s = { ... }: %s\n", i->name, i->help);
		print_keys_plain(out, i->keys);
	}
}

/* Prints a table cell. Escapes '|', because that character would end the cell. */
static void print_cell(FILE *out, const char *text)
{
	fputs(" ", out);
	for (; *text; text++)
		fprintf(out, *text == '|' ? "\\%c" : "%c", *text);
	fputs(" |", out);
}

static void print_keys_markdown(FILE *out, const struct rn_config_key *keys)
{
	char allowed[192], def[64];

	fputs("| key | type | allowed | default | meaning |\n|---|---|---|---|---|\n", out);
	for (; keys->name; keys++) {
		rn_config_key_allowed(keys, allowed, sizeof(allowed));
		rn_config_key_default(keys, def, sizeof(def));
		fprintf(out, "| `%s` |", keys->name);
		print_cell(out, rn_config_key_type(keys));
		print_cell(out, allowed);
		print_cell(out, def);
		print_cell(out, keys->help);
		fputs("\n", out);
	}
}

void rn_config_print_markdown(FILE *out)
{
	fprintf(out,
		"# Configuration\n\n"
		"This page is printed by `softrnic-config --markdown` from `config/schema.h`; a test compares them.\n\n"
		"softrnic reads the file its caller names, else the one `$SOFTRNIC_CONFIG` names. Without either it has one\n"
		"adapter with `port = \"daemon\"`, if softrnicd answers at `" RN_CONFIG_DAEMON_SOCKET
		"`, else two adapters\n"
		"joined inside the process (`config/loopback.conf`); a log message says which. Files are in libconfig\n"
		"syntax: `key = value;`, groups in `{ }`, lists in `( )`, arrays in `[ ]`, comments after `#`. A key that is\n"
		"not listed here is an error. `softrnic-config FILE` checks a file.\n\n"
		"## adapters\n\n`adapters = ({ ... }, ...);` 1..%d adapters, each a group of these keys.\n\n",
		RN_CONFIG_MAX_ADAPTERS);
	print_keys_markdown(out, rn_config_adapter_keys);
	for (const struct rn_config_section_info *i = rn_config_sections; i->name; i++) {
		fprintf(out, "\n## %s\n\n`%s = { ... };` %s.\n\n", i->name, i->name, i->help);
		print_keys_markdown(out, i->keys);
	}
}
