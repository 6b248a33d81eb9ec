/* The same results for programs: perftest's keys, as JSON that parses. Owns the rows until they are
 * written. One thread. */
#include "print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 32u /* sizes of -a, and more */

static char rows[ROWS][320];
static unsigned nrows;

void pt_json_rates(const struct pt_options *o, const struct pt_rates *r)
{
	if (!o->json || nrows == ROWS)
		return;
	snprintf(rows[nrows++], sizeof(rows[0]),
		 "\"MsgSize\": %lu, \"n_iterations\": %lu, \"BW_peak\": %.2f, \"BW_average\": %.2f, "
		 "\"MsgRate\": %.6f",
		 r->size, r->iters, r->peak, r->average, r->mpps);
}

void pt_json_latency(const struct pt_options *o, uint64_t size, const struct pt_lat_result *r)
{
	const struct pt_latency *l = &r->lat;

	if (!o->json || nrows == ROWS)
		return;
	if (o->secs)
		snprintf(rows[nrows++], sizeof(rows[0]),
			 "\"MsgSize\": %lu, \"n_iterations\": %lu, \"t_avg\": %.2f, \"tps_average\": %.2f",
			 size, r->n, r->average, r->tps);
	else
		snprintf(rows[nrows++], sizeof(rows[0]),
			 "\"MsgSize\": %lu, \"n_iterations\": %lu, \"t_min\": %.2f, \"t_max\": %.2f, "
			 "\"t_typical\": %.2f, \"t_avg\": %.2f, \"t_stdev\": %.2f, \"percentile_99\": %.2f, "
			 "\"percentile_99.9\": %.2f",
			 size, r->n, l->min, l->max, l->typical, l->average, l->stdev, l->p99, l->p999);
}

static void write_test(FILE *f, const struct pt_end *e)
{
	const struct pt_options *o = e->o;
	char name[80];

	pt_test_name(o, '_', name, sizeof(name));
	fprintf(f, "\"test\": \"%s\", \"Dual_port\": \"OFF\", \"Device\": \"%s\",\n", name, e->info->name);
	fprintf(f, "\"Number_of_qps\": %u, \"Transport_type\": \"IB\", \"Connection_type\": \"%s\",\n",
		o->qps, pt_connection_name(o));
	fprintf(f, "\"Using_SRQ\": \"OFF\", \"PCIe_relax_order\": \"OFF\", \"ibv_wr_API\": \"OFF\",\n");
	if (pt_asks(o))
		fprintf(f, "\"TX_depth\": %u,\n", o->tx);
	if (o->tool->verb == PT_SEND && (pt_is_server(o) || o->bidi))
		fprintf(f, "\"RX_depth\": %u,\n", o->rx);
	if (!o->tool->lat)
		fprintf(f, "\"CQ_Moderation\": %u,\n", o->cq_mod);
	fprintf(f, "\"Mtu\": %u, \"Link_type\": \"Ethernet\", \"GID_index\": %u,\n", 128u << e->mtu,
		e->gid_index);
	if (o->tool->verb >= PT_READ)
		fprintf(f, "\"Outstand_reads\": %u,\n", e->qp[0].mine.outs);
	else
		fprintf(f, "\"Max_inline_data\": %u,\n", o->inline_bytes);
	fprintf(f, "\"rdma_cm_QPs\": \"%s\", \"Data_ex_method\": \"%s\"\n", o->cm ? "ON" : "OFF",
		o->cm ? "rdma_cm" : "Ethernet");
}

int pt_json_write(const struct pt_end *e)
{
	const struct pt_options *o = e->o;
	bool several = nrows != 1;
	FILE *f;

	if (!o->json)
		return 0;
	f = fopen(o->json_file, "w");
	if (f) {
		fprintf(f, "{\n\"test_info\": {\n");
		write_test(f, e);
		fprintf(f, "},\n\"results\": %s", several ? "[\n" : "");
		for (unsigned i = 0; i < nrows; i++)
			fprintf(f, "{ %s }%s\n", rows[i], i + 1 < nrows ? "," : "");
		fprintf(f, "%s}\n", several ? "]\n" : "");
	}
	if (!f || ferror(f) | fclose(f)) {
		fprintf(stderr, "%s: %s: %s\n", o->tool->name, o->json_file, strerror(errno));
		return -1;
	}
	return 0;
}
