/* Prints results in perftest's layout, for programs that read perftest's output. One thread calls
 * these functions. */
#include "print.h"

#include "common/surroundings.h"

#include <sched.h>
#include <stdio.h>

#define LINE \
	"---------------------------------------------------------------------------------------"

void pt_print_line(const struct pt_options *o)
{
	if (o->output != PT_OUT_ALL)
		return;
	puts(LINE);
}

void pt_print_waiting(const struct pt_options *o)
{
	if (o->output != PT_OUT_ALL)
		return;
	printf("\n************************************\n"
	       "* Waiting for client to connect... *\n"
	       "************************************\n");
	fflush(stdout);
}

const char *pt_connection_name(const struct pt_options *o)
{
	return o->type == RN_QPT_RC ? "RC" : o->type == RN_QPT_UC ? "UC" : "UD";
}

void pt_test_name(const struct pt_options *o, char gap, char *out, size_t bytes)
{
	const char *operation = o->tool->verb != PT_ATOMIC ? ""
				: o->cas		   ? " CMP_AND_SWAP"
							   : " FETCH_AND_ADD";

	snprintf(out, bytes, "%s%s%s %s Test", o->tool->title, operation,
		 o->bidi ? " Bidirectional" : "", o->tool->lat ? "Latency" : "BW");
	for (; *out; out++)
		if (*out == ' ')
			*out = gap;
}

/* Prints what the figures mean, so that they can be compared with others. */
static void print_method(const struct pt_options *o)
{
	static const char *const names[] = {[PT_SEND] = "SENDs",
					    [PT_WRITE] = "WRITEs",
					    [PT_READ] = "READs",
					    [PT_ATOMIC] = "atomics"};
	const char *name = names[o->tool->verb];

	if (o->tool->lat && o->tool->verb >= PT_READ)
		printf(" Measured        : %s, from posting to the completion, one at a time\n",
		       name);
	else if (o->tool->lat)
		printf(" Measured        : half a round trip of %s, one at a time\n", name);
	else if (pt_posts_requests(o))
		printf(" Measured        : %s completed here; posted %u at a time, up to %u outstanding, 1 in %u signaled\n",
		       name, o->list, o->tx, o->cq_mod);
	else
		printf(" Measured        : %s\n",
		       o->tool->verb == PT_SEND ? "SENDs received here" : "by the client");
	printf(" Checked         : ICRC of every packet, in software; this thread is on CPU %d\n",
	       sched_getcpu());
}

void pt_print_test(const struct pt_end *e)
{
	const struct pt_options *o = e->o;
	char name[80];

	if (o->output != PT_OUT_ALL)
		return;
	pt_test_name(o, ' ', name, sizeof(name));
	puts(LINE);
	printf("                    %s\n", name);
	printf(" Dual-port       : OFF\t\tDevice         : %s\n", e->info->name);
	printf(" Number of qps   : %u\t\tTransport type : IB\n", o->qps);
	printf(" Connection type : %s\t\tUsing SRQ      : %s\n", pt_connection_name(o),
	       o->srq ? "ON" : "OFF");
	printf(" PCIe relax order: OFF\n ibv_wr* API     : OFF\n");
	if (pt_posts_requests(o))
		printf(" TX depth        : %u\n", o->tx);
	if (o->tool->verb == PT_SEND && (pt_is_server(o) || o->bidi))
		printf(" RX depth        : %u\n", o->rx);
	if (!o->tool->lat)
		printf(" CQ Moderation   : %u\n", o->cq_mod);
	printf(" Mtu             : %u[B]\n", 128u << e->mtu);
	printf(" Link type       : Ethernet\n GID index       : %u\n", e->gid_index);
	if (o->tool->verb >= PT_READ)
		printf(" Outstand reads  : %u\n", e->qp[0].mine.outs);
	else
		printf(" Max inline data : %u[B]\n", o->inline_bytes);
	printf(" rdma_cm QPs\t : %s\n", o->cm ? "ON" : "OFF");
	printf(" Data ex. method : %s\n", o->cm_talk ? "rdma_cm" : "Ethernet");
	print_method(o);
	surroundings_print(e->info, " Runs on         : ", stdout);
	puts(LINE);
}

void pt_print_cards(const struct pt_end *e, bool remote)
{
	for (unsigned i = 0; i < e->o->qps && e->o->output == PT_OUT_ALL; i++) {
		const struct pt_card *c = remote ? &e->qp[i].theirs : &e->qp[i].mine;

		printf(" %s address: LID %#04x QPN %#06x PSN %#06x", remote ? "remote" : "local",
		       c->lid, c->qpn, c->psn);
		if (e->o->tool->verb == PT_READ)
			printf(" OUT %#04x", c->outs);
		if (e->o->tool->verb == PT_READ || e->o->tool->verb == PT_WRITE)
			printf(" RKey %#08x VAddr %#016llx", c->rkey, (unsigned long long)c->va);
		printf("\n GID");
		for (unsigned b = 0; b < 16; b++)
			printf("%s%02d", b ? ":" : ": ", c->gid.b[b]);
		putchar('\n');
	}
}

void pt_print_head(const struct pt_options *o)
{
	const char *unit = o->gbits ? "Gb/sec" : "MB/sec";
	const char *time = o->cycles ? "cycles" : "usec";

	if (o->output != PT_OUT_ALL)
		return;
	puts(LINE);
	if (o->tool->lat && o->secs)
		printf(" #bytes        #iterations       t_avg[%s]    tps average\n", time);
	else if (o->tool->lat)
		printf(" #bytes #iterations    t_min[%s]    t_max[%s]  t_typical[%s]    t_avg[%s]    "
		       "t_stdev[%s]   99%% percentile[%s]   99.9%% percentile[%s] \n",
		       time, time, time, time, time, time, time);
	else
		printf(" #bytes     #iterations    BW peak[%s]    BW average[%s]   MsgRate[Mpps]%s\n",
		       unit, unit, o->cpu_util ? "    CPU_Util[%]" : "");
	fflush(stdout);
}

void pt_print_rates(const struct pt_options *o, const struct pt_rates *r,
		    const struct pt_usage *usage)
{
	if (o->output != PT_OUT_ALL) {
		printf("%f\n", o->output == PT_OUT_RATE ? r->mpps : r->average);
		fflush(stdout);
		return;
	}
	printf(" %-7lu    %-10lu       %-7.2f            %-7.2f\t\t   %-7.6f", r->size, r->iters,
	       r->peak, r->average, r->mpps);
	if (o->cpu_util && usage)
		printf("\t    %-3.2f", pt_usage_cpu_percent(usage));
	putchar('\n');
	fflush(stdout);
}

void pt_print_usage(const struct pt_options *o, const struct pt_usage *usage, uint64_t n)
{
	bool any = false;

	if (o->output != PT_OUT_ALL)
		return;
	if (o->cycles && !o->tool->lat && n > 0)
		printf(" CPU cycles      : %.1f of this process per message, at %.0f MHz\n",
		       pt_usage_cycles(usage) / (double)n, pt_usage_cycles_per_us(usage));
	for (unsigned i = usage->nalways; i < usage->n; i++)
		printf(" %-15s : %lu\n", usage->names[i], usage->values[i]);
	for (unsigned i = 0; i < usage->nalways; i++) {
		if (!usage->values[i])
			continue;
		printf("%s%s %lu", any ? ", " : " Lost or slowed  : ", usage->names[i],
		       usage->values[i]);
		any = true;
	}
	if (any)
		putchar('\n');
	fflush(stdout);
}

void pt_print_progress(const struct pt_options *o, unsigned second, const struct pt_rates *r)
{
	printf(" second %u: %.2f %s, %.6f Mpps\n", second, r->average,
	       o->gbits ? "Gb/sec" : "MB/sec", r->mpps);
	fflush(stdout);
}

void pt_print_both(const struct pt_options *o, const struct pt_rates *mine,
		   const struct pt_rates *theirs)
{
	puts(LINE);
	printf("\n Local results: \n");
	pt_print_head(o);
	pt_print_rates(o, mine, NULL);
	puts(LINE);
	printf("\n Remote results: \n");
	pt_print_head(o);
	pt_print_rates(o, theirs, NULL);
}

static void dump(const double *deltas, uint64_t n, const char *unit)
{
	printf("#, %s\n", unit);
	for (uint64_t i = 0; i < n; i++)
		printf("%lu, %g\n", i + 1, deltas[i]);
	puts(LINE);
}

void pt_print_lat_progress(unsigned second, double average, uint64_t messages)
{
	printf(" second %u: t_avg %.2f usec, %lu messages\n", second, average, messages);
	fflush(stdout);
}

void pt_print_percentiles(const struct pt_lat_result *r)
{
	static const double shares[] = {50, 90, 99, 99.9, 99.99, 99.999};

	for (unsigned i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		printf(" %7g%% : %.2f usec\n", shares[i],
		       (double)pt_hist_at(&r->hist, shares[i] / 100) / 1e3);
	printf("     max : %.2f usec\n", (double)r->hist.max / 1e3);
	for (uint64_t to = 64, from = 0; from <= r->hist.max && to; from = to, to *= 2) {
		uint64_t n = pt_hist_between(&r->hist, from, to);

		if (n > 0)
			printf(" %10.2f - %10.2f usec : %lu (%.3f%%)\n", (double)from / 1e3,
			       (double)to / 1e3, n, 100.0 * (double)n / (double)r->hist.count);
	}
	fflush(stdout);
}

void pt_print_latency(const struct pt_options *o, uint64_t size, const struct pt_lat_result *r)
{
	const struct pt_latency *l = &r->lat;

	if (o->output != PT_OUT_ALL) {
		printf("%f\n", o->secs ? r->average : l->average);
		fflush(stdout);
		return;
	}
	if (o->secs) {
		printf(" %-7lu       %lu            %-7.2f        %-7.2f\n", size, r->n, r->average,
		       r->tps);
		return;
	}
	if (o->sorted || o->unsorted) {
		dump(o->unsorted ? r->unsorted : r->deltas, r->n - 1,
		     o->cycles ? "cycles" : "usec");
		pt_print_head(o);
	}
	printf(" %-7lu %lu          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f "
	       "\t\t%-7.2f\n",
	       size, r->n, l->min, l->max, l->typical, l->average, l->stdev, l->p99, l->p999);
	fflush(stdout);
}
