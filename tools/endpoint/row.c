/* Owns the hook endpoint.on_interrupt between row_start() and row_end(). */
#include "row.h"

static void print(const struct row *r)
{
	double each = r->meter.seconds / (double)r->finished / r->ways;
	table_default_row(r->table, r->plan.size, r->finished, each * 1e6, &r->meter,
			  r->plan.size / each);
}

static void on_interrupt(void *arg)
{
	struct row *r = arg;
	if (r->finished > 0)
		print(r);
	table_end(r->table);
}

void row_start(struct row *r, struct endpoint *e, struct table *table, uint32_t size, uint64_t most,
	       unsigned ways)
{
	*r = (struct row){.e = e, .table = table, .ways = ways};
	plan_start(&r->plan, e->o, size, most);
	e->interrupt_arg = r;
	e->on_interrupt = on_interrupt;
}

uint64_t row_next(struct row *r)
{
	r->finished = r->plan.done;
	return plan_next(&r->plan, &r->meter);
}

void row_end(struct row *r)
{
	r->e->on_interrupt = NULL;
	print(r);
}
