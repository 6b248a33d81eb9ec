/* A row of the table of results while a client measures it. The row prints itself at its end. If
 * the user stops the tool and the current batch does not end in time, the row prints itself with
 * the batches that have ended. One thread uses a row. */
#ifndef TOOLS_ROW_H
#define TOOLS_ROW_H

#include <stdint.h>

#include "endpoint.h"
#include "meter.h"

struct row {
	struct endpoint *e;
	struct table *table; /* has the columns table_default_columns */
	struct plan plan;
	struct meter meter; /* must run during a batch only */
	uint64_t finished;  /* repetitions in the batches that have ended */
	unsigned ways;	    /* messages of one repetition: 2 if the peer sends each message back */
};

/* Plans a row for messages of `size` bytes and at most `most` repetitions (plan_start()). The row
 * must stay in memory until row_end(), because endpoint_interrupted() of `e` may print it. */
void row_start(struct row *r, struct endpoint *e, struct table *table, uint32_t size, uint64_t most,
	       unsigned ways);
/* Returns the number of repetitions in the next batch, 0 after the last batch. */
uint64_t row_next(struct row *r);
/* Prints the row. Must be called after row_next() has returned 0. */
void row_end(struct row *r);

#endif
