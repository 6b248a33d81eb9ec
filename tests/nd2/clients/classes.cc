// A client and a server for one RDMA connection. Both hold the conversation of conversation.h.
//
//	classes -s ADDRESS PORT    serves one client, prints "listening on port N" (PORT 0: any)
//	classes -c ADDRESS PORT    connects as the client
//
// Written in C++: interfaces are classes, references release themselves, failures are exceptions.
// The program has one thread. An End owns all objects of its side of the connection. They are
// released in the reverse order of their declaration.
#include <arpa/inet.h>
#include <ndsupport.h>
#include <netinet/in.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "conversation.h"

namespace
{

constexpr ULONG wait_ms = 20000;
constexpr ULONG_PTR port_key = 0x5eed;

struct Unexpected : std::runtime_error {
	Unexpected(const std::string &what, unsigned long long got)
	    : std::runtime_error(what + ": " + std::to_string(got))
	{
	}
};

void demand(bool is, const char *what, unsigned long long got = 0)
{
	if (!is)
		throw Unexpected(what, got);
}

HRESULT must(const char *what, HRESULT hr)
{
	demand(SUCCEEDED(hr), what, static_cast<unsigned>(hr));
	return hr;
}

/* Holds one reference to a COM object; the destructor releases it. */
template <class T> class Ref
{
      public:
	Ref() = default;
	Ref(const Ref &) = delete;
	Ref &operator=(const Ref &) = delete;
	~Ref()
	{
		if (p != nullptr)
			p->Release();
	}
	T *operator->() const
	{
		return p;
	}
	T *get() const
	{
		return p;
	}
	void **out()
	{
		return reinterpret_cast<void **>(&p);
	}
	/* Releases the reference, which must be the last reference on the object. */
	void let_go(const char *what)
	{
		T *last = p;

		p = nullptr;
		demand(last->Release() == 0, what);
	}

      private:
	T *p = nullptr;
};

class Handle
{
      public:
	Handle() = default;
	Handle(const Handle &) = delete;
	Handle &operator=(const Handle &) = delete;
	~Handle()
	{
		NdsHandleClose(h);
	}
	HANDLE h = nullptr;
};

/* An auto-reset event. */
class Event : public Handle
{
      public:
	Event()
	{
		must("NdsEventCreate", NdsEventCreate(0, 0, &h));
	}
	/* The event handle with its low bit set. A request with this hEvent queues no packet at the
	 * completion port of its file when the request ends. */
	HANDLE without_port() const
	{
		return reinterpret_cast<HANDLE>(reinterpret_cast<ULONG_PTR>(h) | 1);
	}
	void wait(const char *what) const
	{
		demand(NdsEventWait(h, wait_ms) == ND_SUCCESS, what, wait_ms);
	}
};

class Port : public Handle
{
      public:
	Port()
	{
		must("NdsPortCreate", NdsPortCreate(&h));
	}
	/* Takes at most one packet from the completion port and returns the number taken. Waits at
	 * most timeout_ms. */
	ULONG take(NDS_PORT_ENTRY &entry, ULONG timeout_ms) const
	{
		ULONG n = 0;

		must("NdsPortGet", NdsPortGet(h, &entry, 1, timeout_ms, &n));
		return n;
	}
};

template <class Sin> const sockaddr *generic(const Sin &address)
{
	return reinterpret_cast<const sockaddr *>(&address);
}

class End
{
      public:
	End(const sockaddr_in &local, unsigned peer_says);

	sockaddr_in listen();
	void accept();
	void connect(const sockaddr_in &peer);
	void serve();
	void converse();
	void disconnect();
	void close();

      private:
	void done(const char *what, IND2Overlapped *object,
		  const std::function<HRESULT(OVERLAPPED *)> &start);
	message *slot(unsigned i);
	ND2_SGE sge(void *bytes, ULONG n);
	void expect_messages();
	void check_private_data(ULONG n, ULONG field, UINT32 seed);
	void notified();
	void take(const ND2_RESULT &result);
	void until(unsigned requests, unsigned messages);
	void say(UINT32 what, UINT32 remote_token, const void *address, unsigned n);
	const message &hear(UINT32 what, unsigned n);

	const sockaddr_in local;
	/* Number of messages that the peer sends. All other receives complete with ND_CANCELED. */
	const unsigned peer_says;
	Event event;	/* set at the end of a request that done() waits for */
	Event departed; /* set at the end of NotifyDisconnect */
	/* The provider uses these OVERLAPPEDs while a request is pending. So they are declared
	 * before the objects below and destroyed after these objects. */
	OVERLAPPED request{}, asking{}, departure{};
	Port port;
	Handle file;
	std::vector<UINT8> region;
	Ref<IND2Adapter> adapter;
	Ref<IND2CompletionQueue> cq;
	Ref<IND2MemoryRegion> mr;
	Ref<IND2QueuePair> qp;
	Ref<IND2Connector> connector;
	Ref<IND2Listener> listener;
	/* Number of Notify calls so far. Odd calls (first, third, ...) report their end by the
	 * event. Even calls report their end by the completion port. */
	unsigned asked = 0;
	/* Number of completions so far: of requests other than receives, and of receives. Cancelled
	 * receives count too. */
	unsigned requests = 0, messages = 0;
};

/* Starts a request, waits for its end, and requires that the request succeeds. */
void End::done(const char *what, IND2Overlapped *object,
	       const std::function<HRESULT(OVERLAPPED *)> &start)
{
	request.hEvent = event.without_port();
	must(what, start(&request));
	event.wait(what);
	must(what, object->GetOverlappedResult(&request, 0));
}

End::End(const sockaddr_in &local, unsigned peer_says)
    : local(local), peer_says(peer_says), region(REGION_BYTES)
{
	ND2_ADAPTER_INFO info{};
	ULONG cb = sizeof(info);

	must("NdOpenAdapter",
	     NdOpenAdapter(IID_IND2Adapter, generic(local), sizeof(local), adapter.out()));
	info.InfoVersion = ND_VERSION_2;
	must("Query", adapter->Query(&info, &cb));
	demand(info.MaxCallerData >= CALLER_BYTES && info.MaxCalleeData >= CALLEE_BYTES,
	       "private data");
	must("CreateOverlappedFile", adapter->CreateOverlappedFile(&file.h));
	must("NdsPortBind", NdsPortBind(port.h, file.h, port_key));
	must("CreateCompletionQueue",
	     adapter->CreateCompletionQueue(IID_IND2CompletionQueue, file.h, 32, 0, 0, cq.out()));
	must("CreateMemoryRegion",
	     adapter->CreateMemoryRegion(IID_IND2MemoryRegion, file.h, mr.out()));
	done("Register", mr.get(), [&](OVERLAPPED *ov) {
		return mr->Register(region.data(), region.size(),
				    ND_MR_FLAG_ALLOW_LOCAL_WRITE | ND_MR_FLAG_ALLOW_REMOTE_READ |
					    ND_MR_FLAG_ALLOW_REMOTE_WRITE,
				    ov);
	});
	must("CreateQueuePair", adapter->CreateQueuePair(IID_IND2QueuePair, cq.get(), cq.get(),
							 this, SLOTS, 8, 1, 1, 0, qp.out()));
	must("CreateConnector",
	     adapter->CreateConnector(IID_IND2Connector, file.h, connector.out()));
	departure.hEvent = departed.without_port();
}

void End::close()
{
	done("Deregister", mr.get(), [&](OVERLAPPED *ov) { return mr->Deregister(ov); });
	connector.let_go("connector is still used");
	qp.let_go("queue pair is still used");
	cq.let_go("completion queue is still used");
	mr.let_go("region is still used");
}

/* ---- completions ---- */

message *End::slot(unsigned i)
{
	return reinterpret_cast<message *>(region.data() + AT_SLOTS) + i;
}

/* Calls Notify and waits for its end: by the event in odd calls, by a packet at the completion port
 * in even calls. */
void End::notified()
{
	const bool by_event = ++asked % 2 != 0;
	NDS_PORT_ENTRY entry{};

	asking.hEvent = by_event ? event.without_port() : nullptr;
	must("Notify", cq->Notify(ND_CQ_NOTIFY_ANY, &asking));
	if (by_event) {
		event.wait("Notify by event");
		demand(port.take(entry, 0) == 0, "an entry at the port");
	} else {
		demand(port.take(entry, wait_ms) == 1, "no entry at the port");
		demand(entry.lpOverlapped == &asking && entry.lpCompletionKey == port_key &&
			       !NdsPortEntryFailed(&entry),
		       "the entry at the port", entry.Internal);
	}
	must("Notify", cq->GetOverlappedResult(&asking, 0));
}

/* Checks one result. The request context of a receive is the address of its message slot. Other
 * requests have the request context NULL. */
void End::take(const ND2_RESULT &result)
{
	const bool receive = result.RequestType == Nd2RequestTypeReceive;
	const bool unanswered = receive && messages >= peer_says;

	demand(result.Status == (unanswered ? ND_CANCELED : ND_SUCCESS), "a completion's status",
	       static_cast<unsigned>(result.Status));
	demand(result.QueuePairContext == this, "a completion's queue pair");
	if (!receive) {
		requests++;
		return;
	}
	demand(result.RequestContext == slot(messages), "receives out of order", messages);
	demand(unanswered || result.BytesTransferred == sizeof(message), "a message's length",
	       result.BytesTransferred);
	messages++;
}

/* Waits until this side has completed of_the_peer receives, and of_ours requests of other kinds.
 * Both numbers count from the start. Cancelled receives count too. */
void End::until(unsigned of_ours, unsigned of_the_peer)
{
	while (requests < of_ours || messages < of_the_peer) {
		ND2_RESULT results[4];

		notified();
		while (ULONG n = cq->GetResults(results, 4))
			for (ULONG i = 0; i < n; i++)
				take(results[i]);
	}
}

/* ---- messages ---- */

ND2_SGE End::sge(void *bytes, ULONG n)
{
	return {bytes, n, mr->GetLocalToken()};
}

void End::expect_messages()
{
	for (unsigned i = 0; i < SLOTS; i++) {
		const ND2_SGE place = sge(slot(i), sizeof(message));

		must("Receive", qp->Receive(slot(i), &place, 1));
	}
}

/* Sends a message and waits until this side has completed n requests, counted from the start. */
void End::say(UINT32 what, UINT32 remote_token, const void *address, unsigned n)
{
	message *m = slot(SLOTS);
	const ND2_SGE place = sge(m, sizeof(*m));

	m->says = what;
	m->token = remote_token;
	m->address = reinterpret_cast<UINT64>(address);
	fill(m->text, sizeof(m->text), what);
	must("Send", qp->Send(nullptr, &place, 1, 0));
	until(n, 0);
}

/* Waits for the n-th message of the peer, counted from 1, and checks its type and text. */
const message &End::hear(UINT32 what, unsigned n)
{
	const message &m = *slot(n - 1);

	until(0, n);
	demand(m.says == what, "another message", m.says);
	demand(first_wrong(m.text, sizeof(m.text), what) == sizeof(m.text), "a message's text",
	       what);
	return m;
}

void check_bytes(const UINT8 *bytes, UINT32 n, UINT32 seed, const char *what)
{
	demand(first_wrong(bytes, n, seed) == n, what, first_wrong(bytes, n, seed));
}

void End::check_private_data(ULONG n, ULONG field, UINT32 seed)
{
	std::vector<UINT8> bytes(256);
	ULONG cb = static_cast<ULONG>(bytes.size());

	must("GetPrivateData", connector->GetPrivateData(bytes.data(), &cb));
	demand(cb == field, "length of private data", cb);
	check_bytes(bytes.data(), n, seed, "private data");
	demand(first_set(bytes.data() + n, cb - n) == cb - n, "what follows private data", cb);
}

/* ---- client ---- */

void End::connect(const sockaddr_in &peer)
{
	UINT8 data[CALLER_BYTES];

	fill(data, sizeof(data), SEED_CALLER);
	must("Bind", connector->Bind(generic(local), sizeof(local)));
	expect_messages();
	done("Connect", connector.get(), [&](OVERLAPPED *ov) {
		return connector->Connect(qp.get(), generic(peer), sizeof(peer), 1, 1, data,
					  sizeof(data), ov);
	});
	check_private_data(CALLEE_BYTES, CALLEE_FIELD, SEED_CALLEE);
	done("CompleteConnect", connector.get(),
	     [&](OVERLAPPED *ov) { return connector->CompleteConnect(ov); });
}

void End::converse()
{
	const ND2_SGE out = sge(region.data() + AT_WRITTEN, BULK_BYTES);
	const ND2_SGE in = sge(region.data() + AT_READ, BULK_BYTES);
	const ND2_SGE part = sge(region.data() + AT_WINDOW, WINDOW_BYTES);

	say(SAY_HELLO, 0, nullptr, 1);
	const message &lent = hear(SAY_LENT, 1);
	fill(region.data() + AT_WRITTEN, BULK_BYTES, SEED_WRITTEN);
	must("Write", qp->Write(nullptr, &out, 1, lent.address + AT_WRITTEN, lent.token, 0));
	say(SAY_WRITTEN, 0, nullptr, 3);
	must("Read", qp->Read(nullptr, &in, 1, lent.address + AT_READ, lent.token, 0));
	until(4, 0);
	check_bytes(region.data() + AT_READ, BULK_BYTES, SEED_READ, "what was read");
	say(SAY_READ, 0, nullptr, 5);
	const message &window = hear(SAY_WINDOW, 2);
	fill(region.data() + AT_WINDOW, WINDOW_BYTES, SEED_WINDOW);
	must("Write", qp->Write(nullptr, &part, 1, window.address, window.token, 0));
	say(SAY_FILLED, 0, nullptr, 7);
	hear(SAY_BYE, 3);
}

/* Disconnects, and checks that the unused receives are cancelled. */
void End::disconnect()
{
	/* The peer of the server sends 4 messages, the peer of the client 3. So this side is the
	 * server, which first waits until the client has disconnected. */
	if (peer_says == 4) {
		departed.wait("NotifyDisconnect");
		must("NotifyDisconnect", connector->GetOverlappedResult(&departure, 0));
		until(0, SLOTS);
	}
	done("Disconnect", connector.get(),
	     [&](OVERLAPPED *ov) { return connector->Disconnect(ov); });
	until(0, SLOTS);
	demand(messages == SLOTS, "receives", messages);
}

void be_client(const sockaddr_in &peer)
{
	sockaddr_in local{};
	SIZE_T cb = sizeof(local);

	must("NdResolveAddress", NdResolveAddress(generic(peer), sizeof(peer),
						  reinterpret_cast<sockaddr *>(&local), &cb));
	End end(local, 3);
	end.connect(peer);
	end.converse();
	end.disconnect();
	end.close();
}

/* ---- server ---- */

sockaddr_in End::listen()
{
	sockaddr_in bound{};
	ULONG cb = sizeof(bound);

	must("CreateListener", adapter->CreateListener(IID_IND2Listener, file.h, listener.out()));
	must("Bind", listener->Bind(generic(local), sizeof(local)));
	must("Listen", listener->Listen(0));
	must("GetLocalAddress",
	     listener->GetLocalAddress(reinterpret_cast<sockaddr *>(&bound), &cb));
	return bound;
}

void End::accept()
{
	UINT8 data[CALLEE_BYTES];

	done("GetConnectionRequest", listener.get(),
	     [&](OVERLAPPED *ov) { return listener->GetConnectionRequest(connector.get(), ov); });
	check_private_data(CALLER_BYTES, CALLER_FIELD, SEED_CALLER);
	expect_messages();
	fill(data, sizeof(data), SEED_CALLEE);
	done("Accept", connector.get(), [&](OVERLAPPED *ov) {
		return connector->Accept(qp.get(), 1, 1, data, sizeof(data), ov);
	});
	must("NotifyDisconnect", connector->NotifyDisconnect(&departure));
	listener.let_go("listener is still used");
}

void End::serve()
{
	UINT8 *lent = region.data() + AT_WINDOW;
	const ULONG behind = BULK_BYTES - WINDOW_BYTES;
	Ref<IND2MemoryWindow> window;

	fill(region.data() + AT_READ, BULK_BYTES, SEED_READ);
	hear(SAY_HELLO, 1);
	say(SAY_LENT, mr->GetRemoteToken(), region.data(), 1);
	hear(SAY_WRITTEN, 2);
	check_bytes(region.data() + AT_WRITTEN, BULK_BYTES, SEED_WRITTEN, "what was written");
	hear(SAY_READ, 3);
	check_bytes(region.data() + AT_READ, BULK_BYTES, SEED_READ, "what was lent for reading");
	must("CreateMemoryWindow", adapter->CreateMemoryWindow(IID_IND2MemoryWindow, window.out()));
	must("Bind",
	     qp->Bind(nullptr, mr.get(), window.get(), lent, WINDOW_BYTES, ND_OP_FLAG_ALLOW_WRITE));
	until(2, 0);
	say(SAY_WINDOW, window->GetRemoteToken(), lent, 3);
	hear(SAY_FILLED, 4);
	check_bytes(lent, WINDOW_BYTES, SEED_WINDOW, "what was written through the window");
	demand(first_set(lent + WINDOW_BYTES, behind) == behind, "what is behind the window");
	must("Invalidate", qp->Invalidate(nullptr, window.get(), 0));
	until(4, 0);
	say(SAY_BYE, 0, nullptr, 5);
	window.let_go("window is still used");
}

void be_server(const sockaddr_in &local)
{
	End end(local, 4);

	std::printf("listening on port %u\n", ntohs(end.listen().sin_port));
	std::fflush(stdout);
	end.accept();
	end.serve();
	end.disconnect();
	end.close();
}

} // namespace

int main(int argc, char **argv)
{
	sockaddr_in address{};

	if (argc != 4 || inet_pton(AF_INET, argv[2], &address.sin_addr) != 1) {
		std::fprintf(stderr, "usage: %s -s|-c ADDRESS PORT\n", argv[0]);
		return 2;
	}
	address.sin_family = AF_INET;
	address.sin_port = htons(static_cast<uint16_t>(std::atoi(argv[3])));
	try {
		must("NdStartup", NdStartup());
		if (std::strcmp(argv[1], "-s") == 0)
			be_server(address);
		else
			be_client(address);
		must("NdCleanup", NdCleanup());
	} catch (const std::exception &e) {
		std::fprintf(stderr, "%s\n", e.what());
		return 1;
	}
	std::printf("all is well\n");
	return 0;
}
