/* A NetworkDirect client inside a library that test_load.c loads and unloads. The library's one
 * function connects two queue pairs, sends a message and releases everything. The function returns
 * 0 on success. */
#include "fixture.h"

__attribute__((visibility("default"))) int plugin_run(void);

int plugin_run(void)
{
	struct pair p;

	open_adapters(NULL);
	pair_open_connected(&p, NULL);
	exchange(&p.a, &p.b);
	pair_close(&p);
	close_adapters(NULL);
	nothing_lives();
	return 0;
}
