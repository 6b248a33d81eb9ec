/* The tool softrnic-config checks configuration files and prints the configuration keys.
 * Single-threaded. */
#include <string.h>

#include "config/config.h"
#include "common/version.h"

static int check_file(const char *path)
{
	static struct rn_config cfg;
	char err[1024];

	if (rn_config_load(path, &cfg, err, sizeof(err))) {
		fprintf(stderr, "%s\n", err);
		return 1;
	}
	for (unsigned i = 0; i < cfg.nadapters; i++)
		printf("%s: %s on %s, %u shard%s\n", path, cfg.adapter[i].name,
		       rn_config_port_word(cfg.adapter[i].port), cfg.adapter[i].shards,
		       cfg.adapter[i].shards > 1 ? "s" : "");
	for (unsigned i = 0; i < cfg.nadapters; i++) {
		rn_config_note(&cfg, i, err, sizeof(err));
		if (*err)
			printf("%s: %s: note: %s\n", path, cfg.adapter[i].name, err);
	}
	return 0;
}

static int usage(FILE *out, int status)
{
	fputs("usage: softrnic-config FILE...      check configurations\n"
	      "       softrnic-config --default    print the built-in configuration\n"
	      "       softrnic-config --keys       explain every key\n"
	      "       softrnic-config --markdown   the same as docs/configuration.md\n"
	      "       softrnic-config --version    print softrnic's version\n",
	      out);
	return status;
}

int main(int argc, char **argv)
{
	int bad = 0;

	version_if_asked(argc, argv);
	if (argc == 2 && !strcmp(argv[1], "--default"))
		fputs(rn_config_builtin(), stdout);
	else if (argc == 2 && !strcmp(argv[1], "--keys"))
		rn_config_print_help(stdout);
	else if (argc == 2 && !strcmp(argv[1], "--markdown"))
		rn_config_print_markdown(stdout);
	else if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return usage(stdout, 0);
	else if (argc < 2 || argv[1][0] == '-')
		return usage(stderr, 2);
	else
		for (int i = 1; i < argc; i++)
			bad |= check_file(argv[i]);
	return bad;
}
