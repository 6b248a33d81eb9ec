/* Writes the results as JSON with perftest's keys. Owns the rows and the open file until
 * pt_json_write(). One thread calls these functions. */
#include "print.h"

#include "common/jsonfile.h"

static json_t *rows;
static FILE *file;

int pt_json_open(const struct pt_options *o)
{
	if (!o->json)
		return 0;
	file = jsonfile_open(o->tool->name, o->json_file);
	rows = json_array();
	return file ? 0 : -1;
}

static void put(json_t *row, const char *key, double value, int decimals)
{
	json_object_set_new(row, key, jsonfile_number(value, decimals));
}

/* Adds how much the watched counters grew, and what else the run cost. */
static void put_usage(json_t *row, const struct pt_options *o, const struct pt_usage *usage)
{
	json_t *counters = json_object();

	for (unsigned i = 0; i < usage->n; i++)
		json_object_set_new(counters, usage->names[i],
				    json_integer((json_int_t)usage->values[i]));
	json_object_set_new(row, "counters", counters);
	if (o->cpu_util)
		put(row, "CPU_util", pt_usage_cpu_percent(usage), 2);
}

static json_t *new_row(uint64_t size, uint64_t iterations)
{
	json_t *row = json_pack("{s:I, s:I}", "MsgSize", (json_int_t)size, "n_iterations",
				(json_int_t)iterations);

	json_array_append_new(rows, row);
	return row;
}

void pt_json_rates(const struct pt_options *o, const struct pt_rates *r,
		   const struct pt_usage *usage, uint64_t all)
{
	json_t *row;

	if (!o->json)
		return;
	row = new_row(r->size, r->iters);
	put(row, "BW_peak", r->peak, 2);
	put(row, "BW_average", r->average, 2);
	put(row, "MsgRate", r->mpps, 6);
	put_usage(row, o, usage);
	if (o->cycles && all > 0)
		put(row, "CPU_cycles", pt_usage_cycles(usage) / (double)all, 1);
}

void pt_json_latency(const struct pt_options *o, uint64_t size, const struct pt_lat_result *r,
		     const struct pt_usage *usage)
{
	/* the keys of --percentiles; the exact percentiles of perftest's table have other keys */
	static const struct {
		const char *key;
		double share;
	} shares[] = {{"p50", 0.5},	  {"p90", 0.9},		{"p99", 0.99}, {"p99.9", 0.999},
		      {"p99.99", 0.9999}, {"p99.999", 0.99999}, {"max", 1}};
	const struct pt_latency *l = &r->lat;
	json_t *row;

	if (!o->json)
		return;
	row = new_row(size, r->n);
	put_usage(row, o, usage);
	for (unsigned i = 0; o->percentiles && i < sizeof(shares) / sizeof(shares[0]); i++)
		put(row, shares[i].key, (double)pt_hist_at(&r->hist, shares[i].share) / 1e3, 2);
	if (o->secs) {
		put(row, "t_avg", r->average, 2);
		put(row, "tps_average", r->tps, 2);
		return;
	}
	put(row, "t_min", l->min, 2);
	put(row, "t_max", l->max, 2);
	put(row, "t_typical", l->typical, 2);
	put(row, "t_avg", l->average, 2);
	put(row, "t_stdev", l->stdev, 2);
	put(row, "percentile_99", l->p99, 2);
	put(row, "percentile_99.9", l->p999, 2);
}

static json_t *test_info(const struct pt_end *e)
{
	const struct pt_options *o = e->o;
	char name[80];
	json_t *t;

	pt_test_name(o, '_', name, sizeof(name));
	t = json_pack("{s:s, s:s, s:o, s:i, s:s, s:s, s:s, s:s, s:s}", "test", name, "Dual_port",
		      "OFF", "Device", jsonfile_text(e->info->name), "Number_of_qps", (int)o->qps,
		      "Transport_type", "IB", "Connection_type", pt_connection_name(o), "Using_SRQ",
		      o->srq ? "ON" : "OFF", "PCIe_relax_order", "OFF", "ibv_wr_API", "OFF");
	if (pt_posts_requests(o))
		json_object_set_new(t, "TX_depth", json_integer(o->tx));
	if (o->tool->verb == PT_SEND && (pt_is_server(o) || o->bidi))
		json_object_set_new(t, "RX_depth", json_integer(o->rx));
	if (!o->tool->lat)
		json_object_set_new(t, "CQ_Moderation", json_integer(o->cq_mod));
	json_object_set_new(t, "Mtu", json_integer(128u << e->mtu));
	json_object_set_new(t, "Link_type", json_string("Ethernet"));
	json_object_set_new(t, "GID_index", json_integer(e->gid_index));
	if (o->tool->verb >= PT_READ)
		json_object_set_new(t, "Outstand_reads",
				    json_integer(e->qp ? e->qp[0].mine.outs : 0));
	else
		json_object_set_new(t, "Max_inline_data", json_integer(o->inline_bytes));
	json_object_set_new(t, "rdma_cm_QPs", json_string(o->cm ? "ON" : "OFF"));
	json_object_set_new(t, "Data_ex_method", json_string(o->cm_talk ? "rdma_cm" : "Ethernet"));
	return t;
}

int pt_json_write(const struct pt_end *e)
{
	json_t *results;

	if (!file)
		return 0;
	/* perftest prints a single result as an object, and several results as a list. */
	results = json_array_size(rows) == 1 ? json_incref(json_array_get(rows, 0))
					     : json_incref(rows);
	json_decref(rows);
	if (jsonfile_finish(file,
			    json_pack("{s:o, s:o}", "test_info", test_info(e), "results", results)))
		return 0;
	fprintf(stderr, "%s: %s cannot be written\n", e->o->tool->name, e->o->json_file);
	return -1;
}
