/* The tool softrnic-config checks configuration files, prints the configuration keys, and lists the
 * network cards that an adapter may have. Single-threaded. */
#include <string.h>
#include <sys/resource.h>

#include "config/config.h"
#include "config/pci_device.h"
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

static void print_card(void *arg, const struct rn_pci_device *d)
{
	char text[512];

	if (d->state != RN_PCI_ABSENT)
		printf("%s [%04x:%04x] driver %s", d->address, d->vendor, d->product,
		       d->driver[0] ? d->driver : "none");
	if (d->interface[0])
		printf(", interface %s (%s)", d->interface, d->link);
	if (d->numa_node >= 0)
		printf(", NUMA node %d", d->numa_node);
	if (d->group >= 0)
		printf(", IOMMU group %d", d->group);
	rn_pci_explain(d, text, sizeof(text));
	printf("%s    %s\n", d->state != RN_PCI_ABSENT ? "\n" : "", text);
	if (d->state == RN_PCI_READY)
		printf("    port = \"pci\"; pci = \"%s\";\n", d->address);
}

/* A card that is looked for in the list of network cards. */
struct wanted_card {
	char address[RN_PCI_ADDR_LEN];
	bool listed;
};

static void note_if_wanted(void *arg, const struct rn_pci_device *d)
{
	struct wanted_card *wanted = arg;

	wanted->listed |= strcmp(d->address, wanted->address) == 0;
}

/* Prints one card. Returns false if it cannot be used now. Prints no command
 * for a device that is not a network card, so that nobody takes a disk away from its driver. A low
 * limit of locked memory is printed and not an error, because it may be enough with hugepages. */
static bool check_device(const struct rn_pci_addr *addr)
{
	struct wanted_card wanted = {0};
	struct rn_pci_device d;

	rn_pci_addr_print(addr, wanted.address);
	rn_pci_look(&rn_pci_machine, wanted.address, true, &d);
	rn_pci_list(&rn_pci_machine, note_if_wanted, &wanted);
	if (d.state != RN_PCI_ABSENT && !wanted.listed) {
		printf("    %s is no network card\n", wanted.address);
		return false;
	}
	print_card(NULL, &d);
	return d.state == RN_PCI_READY || d.state == RN_PCI_LOCKED;
}

/* Prints the named cards. Returns 1 if one of them cannot be used now, or else 0. */
static int check_devices(char **address, int n)
{
	struct rn_pci_addr parsed;
	int bad = 0;

	for (int i = 0; i < n; i++) {
		if (rn_pci_addr_parse(address[i], &parsed)) {
			bad |= !check_device(&parsed);
			continue;
		}
		printf("    \"%s\" is no address of a PCI device, such as 0000:04:00.0\n",
		       address[i]);
		bad = 1;
	}
	return bad;
}

/* Prints a number from a file of the kernel. */
static void print_number(const char *what, const char *file)
{
	unsigned long n;
	FILE *f = fopen(file, "re");

	if (f && fscanf(f, "%lu", &n) == 1)
		printf("%s: %lu\n", what, n);
	if (f)
		fclose(f);
}

/* Prints the cards of this machine, and the limits that decide about memory: VFIO locks the memory
 * that a card may access. */
static int list_devices(void)
{
	struct rlimit locked;

	if (!rn_pci_list(&rn_pci_machine, print_card, NULL))
		printf("no network cards\n");
	print_number("hugepages of 2 MB, free",
		     "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
	print_number("hugepages of 1 GB, free",
		     "/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages");
	if (getrlimit(RLIMIT_MEMLOCK, &locked) != 0 || locked.rlim_cur == RLIM_INFINITY)
		printf("memory that this user may lock: unlimited\n");
	else
		printf("memory that this user may lock: %llu MB; without hugepages VFIO locks all memory of an "
		       "adapter, 384 MB and more (\"ulimit -l\")\n",
		       (unsigned long long)locked.rlim_cur >> 20);
	return 0;
}

static int usage(FILE *out, int status)
{
	fputs("usage: softrnic-config FILE...      check configurations\n"
	      "       softrnic-config --devices    list network cards and say what is missing\n"
	      "       softrnic-config --devices ADDRESS...    the same for these cards; fails if one cannot be used\n"
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
	else if (argc == 2 && !strcmp(argv[1], "--devices"))
		return list_devices();
	else if (argc > 2 && !strcmp(argv[1], "--devices"))
		return check_devices(argv + 2, argc - 2);
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
