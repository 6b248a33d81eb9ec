/* Implementation of fixture.h, the helpers of all NetworkDirect interface tests. The helpers find
 * the adapters by the addresses of the built-in configuration. */
#include "fixture.h"

#include "ndtypes.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Returns, in ms, how long a test waits for an event before it fails: $ND2_WAIT_MS, or 20 s. */
static unsigned patience_ms(void)
{
	const char *text = getenv("ND2_WAIT_MS");

	return text != NULL ? (unsigned)atoi(text) : 20000;
}

IND2Adapter *adapters[2];
ND2_ADAPTER_INFO limits;

HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);

/* $ND2_ONLY names the one test to run, $ND2_SKIP one that is not run. */
__attribute__((constructor)) static void choose_test(void)
{
	if (getenv("ND2_SKIP") != NULL)
		cmocka_set_skip_filter(getenv("ND2_SKIP"));
	if (getenv("ND2_ONLY") != NULL)
		cmocka_set_test_filter(getenv("ND2_ONLY"));
}

struct sockaddr_in address_of(int adapter, uint16_t port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_port = htons(port)};

	sin.sin_addr.s_addr = htonl(0xc0000201u + (uint32_t)adapter); /* 192.0.2.1 or 192.0.2.2 */
	return sin;
}

struct sockaddr_in6 address6_of(int adapter, uint16_t port)
{
	struct sockaddr_in6 sin = {.sin6_family = AF_INET6, .sin6_port = htons(port)};

	inet_pton(AF_INET6, "2001:db8::1", &sin.sin6_addr);
	sin.sin6_addr.s6_addr[15] = (uint8_t)(1 + adapter);
	return sin;
}

IND2Adapter *open_adapter(int which)
{
	struct sockaddr_in sin = address_of(which, 0);
	static const GUID any;
	IND2Provider *provider;
	IND2Adapter *adapter;
	HRESULT hr;
	UINT64 id;

	HR(DllGetClassObject(&any, &IID_IND2Provider, (void **)&provider), S_OK);
	HR(CALL(provider, ResolveAddress, SA(&sin), sizeof(sin), &id), ND_SUCCESS);
	hr = CALL(provider, OpenAdapter, &IID_IND2Adapter, id, (void **)&adapter);
	/* cmocka prints nothing when the setup of a group fails, so print the status here. */
	if (hr != (HRESULT)ND_SUCCESS)
		fprintf(stderr, "adapter %d does not open: %08x\n", which, (unsigned)hr);
	HR(hr, ND_SUCCESS);
	CALL(provider, Release);
	return adapter;
}

int open_adapters(void **state)
{
	ULONG cb = sizeof(limits);

	for (int i = 0; i < 2; i++)
		adapters[i] = open_adapter(i);
	HR(CALL(adapters[0], Query, &limits, &cb), ND_SUCCESS);
	return 0;
}

int close_adapters(void **state)
{
	for (int i = 0; i < 2; i++)
		RELEASE(adapters[i]);
	return 0;
}

void check_status(uint32_t got, uint32_t expected, const char *call, const char *file, int line)
{
	/* cmocka ends the program without a message if this is not the thread of the test. */
	if (got != expected && gettid() != getpid())
		fprintf(stderr, "%s:%d: %s: status %08x instead of %08x\n", file, line, call, got,
			expected);
	_assert_int_equal(got, expected, file, line);
}

static char config[] = "/tmp/nd2-test-XXXXXX";

static void remove_config(void)
{
	unlink(config);
}

/* Writes the configuration. The section of adapters is the first one, and ends with the first ");"
 * at the end of a line. */
static void write_config(FILE *f, const char *text)
{
	const char *adapters_text = getenv("ND2_ADAPTERS"), *end = strstr(text, ");\n");

	if (adapters_text == NULL || end == NULL || strstr(text, "port = \"ring\"") == NULL) {
		fputs(text, f);
		return;
	}
	fputs(adapters_text, f);
	fputs(end + strlen(");\n"), f);
}

void use_config(const char *text)
{
	static bool made;
	FILE *f = made ? fopen(config, "w") : fdopen(mkstemp(config), "w");

	write_config(f, text);
	fclose(f);
	if (!made) {
		setenv("SOFTRNIC_CONFIG", config, 1);
		atexit(remove_config);
	}
	made = true;
}

void use_policy(const char *policy)
{
	char text[1024];

	snprintf(
		text, sizeof(text),
		"adapters = (\n"
		"{ name = \"a\"; port = \"ring\"; peer = \"b\"; mac = \"02:00:00:00:00:01\";\n"
		"  ipv4 = [ \"192.0.2.1/24\" ]; ipv6 = [ \"2001:db8::1/64\" ]; mtu = 4200; shards = 2; },\n"
		"{ name = \"b\"; port = \"ring\"; peer = \"a\"; mac = \"02:00:00:00:00:02\";\n"
		"  ipv4 = [ \"192.0.2.2/24\" ]; ipv6 = [ \"2001:db8::2/64\" ]; mtu = 4200; shards = 1; });\n"
		"eal = { hugepages = \"no\"; };\n"
		"idle = { policy = \"%s\"; };\n",
		policy);
	use_config(text);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void sleep_ms(unsigned ms)
{
	usleep(ms * 1000);
}

HRESULT status_after(OVERLAPPED *ov, unsigned ms)
{
	uint64_t end = now_ms() + ms;

	while (__atomic_load_n(&ov->Internal, __ATOMIC_ACQUIRE) == (ULONG_PTR)ND_PENDING &&
	       now_ms() < end)
		usleep(200);
	return (HRESULT)__atomic_load_n(&ov->Internal, __ATOMIC_ACQUIRE);
}

HRESULT finish(void *obj, OVERLAPPED *ov)
{
	HRESULT hr = status_after(ov, patience_ms());

	HR(CALL(OV(obj), GetOverlappedResult, ov, 0), hr);
	return hr;
}

/* ---- counts of live objects ---- */

#define KINDS 32

uint64_t live_objects(const char *kind)
{
	NDS_LIVE live[KINDS];
	ULONG n = NdsLiveObjects(live, KINDS);

	for (ULONG i = 0; i < n; i++)
		if (strcmp(live[i].Kind, kind) == 0)
			return live[i].Count;
	return 0;
}

void nothing_lives(void)
{
	uint64_t end = now_ms() + 20000;
	NDS_LIVE live[KINDS];
	ULONG n = NdsLiveObjects(live, KINDS);

	for (ULONG i = 0; i < n;) {
		if (live[i].Count == 0) {
			i++;
			continue;
		}
		if (now_ms() > end)
			fail_msg("%lu of kind %s left", (unsigned long)live[i].Count, live[i].Kind);
		usleep(1000);
		NdsLiveObjects(live, KINDS);
	}
}

/* ---- ends: the objects of one side of a connection ---- */

static ULONG or_else(ULONG value, ULONG otherwise)
{
	return value != 0 ? value : otherwise;
}

static const struct how nothing_special;

IND2CompletionQueue *new_cq(struct end *e, ULONG depth)
{
	IND2CompletionQueue *cq;

	HR(CALL(adapters[e->which], CreateCompletionQueue, &IID_IND2CompletionQueue, e->file, depth,
		0, 0, (void **)&cq),
	   ND_SUCCESS);
	return cq;
}

IND2QueuePair *new_qp(struct end *e, IND2CompletionQueue *cq, void *context, const struct how *how)
{
	ULONG depth = or_else(how ? how->depth : 0, 64), sge = or_else(how ? how->sge : 0, 4);
	IND2QueuePair *qp;

	HR(CALL(adapters[e->which], CreateQueuePair, &IID_IND2QueuePair, (IUnknown *)cq,
		(IUnknown *)cq, context, depth, depth, sge, sge, or_else(how ? how->inl : 0, 128),
		(void **)&qp),
	   ND_SUCCESS);
	return qp;
}

IND2Connector *new_connector(struct end *e)
{
	IND2Connector *c;

	HR(CALL(adapters[e->which], CreateConnector, &IID_IND2Connector, e->file, (void **)&c),
	   ND_SUCCESS);
	return c;
}

IND2Listener *new_listener(struct end *e)
{
	IND2Listener *l;

	HR(CALL(adapters[e->which], CreateListener, &IID_IND2Listener, e->file, (void **)&l),
	   ND_SUCCESS);
	return l;
}

IND2MemoryRegion *new_mr(struct end *e)
{
	IND2MemoryRegion *mr;

	HR(CALL(adapters[e->which], CreateMemoryRegion, &IID_IND2MemoryRegion, e->file,
		(void **)&mr),
	   ND_SUCCESS);
	return mr;
}

void register_mr(IND2MemoryRegion *mr, void *buf, size_t len, ULONG flags)
{
	OVERLAPPED ov = {0};

	ENDS(mr, CALL(mr, Register, buf, len, flags, &ov), &ov, ND_SUCCESS);
}

void end_open(struct end *e, int which, const struct how *how)
{
	if (how == NULL)
		how = &nothing_special;
	memset(e, 0, sizeof(*e));
	e->which = which;
	HR(CALL(adapters[which], CreateOverlappedFile, &e->file), ND_SUCCESS);
	e->cq = new_cq(e, or_else(how->cq_depth, 256));
	e->qp = new_qp(e, e->cq, e, how);
	e->connector = new_connector(e);
	e->buf = calloc(1, BUF_BYTES);
	e->mr = new_mr(e);
	register_mr(e->mr, e->buf, BUF_BYTES,
		    or_else(how->mr_flags,
			    ND_MR_FLAG_ALLOW_REMOTE_READ | ND_MR_FLAG_ALLOW_REMOTE_WRITE));
	e->local = CALL(e->mr, GetLocalToken);
	e->remote = CALL(e->mr, GetRemoteToken);
}

void end_close(struct end *e)
{
	RELEASE(e->connector);
	RELEASE(e->qp);
	RELEASE(e->cq);
	RELEASE(e->mr);
	NdsHandleClose(e->file);
	free(e->buf);
}

/* ---- connecting ---- */

void listen_on(struct end *e, IND2Listener **listener, uint16_t *port, ULONG backlog)
{
	struct sockaddr_in sin = address_of(e->which, 0);
	ULONG cb = sizeof(sin);

	*listener = new_listener(e);
	HR(CALL(*listener, Bind, SA(&sin), sizeof(sin)), ND_SUCCESS);
	HR(CALL(*listener, Listen, backlog), ND_SUCCESS);
	HR(CALL(*listener, GetLocalAddress, (struct sockaddr *)&sin, &cb), ND_SUCCESS);
	*port = ntohs(sin.sin_port);
}

void bind_any(struct end *e, IND2Connector *c)
{
	struct sockaddr_in sin = address_of(e->which, 0);

	HR(CALL(c, Bind, SA(&sin), sizeof(sin)), ND_SUCCESS);
}

void pair_open(struct pair *p, const struct how *how)
{
	end_open(&p->a, 0, how);
	end_open(&p->b, 1, how);
	listen_on(&p->b, &p->listener, &p->port, 0);
	bind_any(&p->a, p->a.connector);
}

HRESULT start_connect(struct pair *p, const struct how *how, const void *data, ULONG len,
		      OVERLAPPED *ov)
{
	struct sockaddr_in to = address_of(p->b.which, p->port);

	return CALL(p->a.connector, Connect, (IUnknown *)p->a.qp, SA(&to), sizeof(to),
		    or_else(how ? how->in : 0, 4), or_else(how ? how->out : 0, 4), data, len, ov);
}

void reach_request(struct pair *p, const struct how *how, OVERLAPPED *connect)
{
	OVERLAPPED request = {0};

	HR(CALL(p->listener, GetConnectionRequest, (IUnknown *)p->b.connector, &request),
	   ND_PENDING);
	HR(start_connect(p, how, NULL, 0, connect), ND_PENDING);
	HR(finish(p->listener, &request), ND_SUCCESS);
}

void reach_reply(struct pair *p, const struct how *how, OVERLAPPED *accept)
{
	OVERLAPPED connect = {0};

	reach_request(p, how, &connect);
	HR(CALL(p->b.connector, Accept, (IUnknown *)p->b.qp, or_else(how ? how->in : 0, 4),
		or_else(how ? how->out : 0, 4), NULL, 0, accept),
	   ND_PENDING);
	HR(finish(p->a.connector, &connect), ND_SUCCESS);
}

void pair_connect(struct pair *p, const struct how *how)
{
	OVERLAPPED accept = {0}, complete = {0};

	reach_reply(p, how, &accept);
	ENDS(p->a.connector, CALL(p->a.connector, CompleteConnect, &complete), &complete,
	     ND_SUCCESS);
	HR(finish(p->b.connector, &accept), ND_SUCCESS);
}

void pair_open_connected(struct pair *p, const struct how *how)
{
	pair_open(p, how);
	pair_connect(p, how);
}

void pair_close(struct pair *p)
{
	RELEASE(p->listener);
	end_close(&p->a);
	end_close(&p->b);
}

/* ---- traffic ---- */

static ND2_SGE sge_of(struct end *e, size_t off, ULONG len)
{
	return (ND2_SGE){e->buf + off, len, e->local};
}

HRESULT post_send(struct end *e, size_t off, ULONG len, uintptr_t ctx, ULONG flags)
{
	ND2_SGE sge = sge_of(e, off, len);

	return CALL(e->qp, Send, (void *)ctx, &sge, 1, flags);
}

HRESULT post_recv(struct end *e, size_t off, ULONG len, uintptr_t ctx)
{
	ND2_SGE sge = sge_of(e, off, len);

	return CALL(e->qp, Receive, (void *)ctx, &sge, 1);
}

HRESULT post_write(struct end *e, size_t off, ULONG len, uintptr_t ctx, ULONG flags,
		   const struct end *peer, size_t peer_off)
{
	ND2_SGE sge = sge_of(e, off, len);

	return CALL(e->qp, Write, (void *)ctx, &sge, 1, (UINT64)(uintptr_t)peer->buf + peer_off,
		    peer->remote, flags);
}

HRESULT post_read(struct end *e, size_t off, ULONG len, uintptr_t ctx, ULONG flags,
		  const struct end *peer, size_t peer_off)
{
	ND2_SGE sge = sge_of(e, off, len);

	return CALL(e->qp, Read, (void *)ctx, &sge, 1, (UINT64)(uintptr_t)peer->buf + peer_off,
		    peer->remote, flags);
}

static bool reap_within(IND2CompletionQueue *cq, ND2_RESULT *result, unsigned ms)
{
	uint64_t end = now_ms() + ms;

	do {
		if (CALL(cq, GetResults, result, 1) == 1)
			return true;
		usleep(50);
	} while (now_ms() < end);
	return false;
}

ND2_RESULT reap(IND2CompletionQueue *cq)
{
	ND2_RESULT result;

	if (!reap_within(cq, &result, patience_ms()))
		fail_msg("no completion in %u ms", patience_ms());
	return result;
}

void reap_is(IND2CompletionQueue *cq, uintptr_t ctx, HRESULT status)
{
	ND2_RESULT result = reap(cq);

	assert_int_equal((uintptr_t)result.RequestContext, ctx);
	HR(result.Status, status);
}

void reap_none(IND2CompletionQueue *cq, unsigned ms)
{
	ND2_RESULT result;

	if (reap_within(cq, &result, ms))
		fail_msg("unexpected completion: context %lx, status %08x",
			 (unsigned long)(uintptr_t)result.RequestContext, (unsigned)result.Status);
}

void exchange(struct end *e, struct end *peer)
{
	fill(e, 0, 1000, 7);
	HR(post_recv(peer, 4096, 1000, 0xf1), ND_SUCCESS);
	HR(post_send(e, 0, 1000, 0xf2, 0), ND_SUCCESS);
	reap_is(e->cq, 0xf2, ND_SUCCESS);
	reap_is(peer->cq, 0xf1, ND_SUCCESS);
	assert_true(filled(peer, 4096, 1000, 7));
}

void fill(struct end *e, size_t off, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++)
		e->buf[off + i] = (uint8_t)(seed + i * 31 + (i >> 8));
}

bool filled(const struct end *e, size_t off, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++)
		if (e->buf[off + i] != (uint8_t)(seed + i * 31 + (i >> 8)))
			return false;
	return true;
}
