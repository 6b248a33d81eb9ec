// Both ends of a connection in one program: the two adapters that exist without a configuration
// talk to each other.
//	c++ docs/hello.cc $(pkg-config --cflags --libs softrnic) -o hello && ./hello
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <ndsupport.h>

static void check(HRESULT hr)
{
	if (FAILED(hr)) { // ND_PENDING is a success by its sign
		std::fprintf(stderr, "failed with status %08x\n", static_cast<unsigned>(hr));
		std::exit(1);
	}
}

// An adapter with a queue pair, a connector and 64 bytes of registered memory.
struct End {
	sockaddr_in address = {};
	char text[64] = "";
	OVERLAPPED request = {}; // one request at a time
	HANDLE file = nullptr;	 // the file under which requests with an OVERLAPPED run
	IND2Adapter *adapter = nullptr;
	IND2CompletionQueue *cq = nullptr;
	IND2QueuePair *qp = nullptr;
	IND2Connector *connector = nullptr;
	IND2MemoryRegion *mr = nullptr;
	ND2_SGE sge = {text, sizeof(text), 0};

	explicit End(const char *ip)
	{
		address.sin_family = AF_INET;
		address.sin_addr.s_addr = inet_addr(ip);
		check(NdOpenAdapter(IID_IND2Adapter, reinterpret_cast<sockaddr *>(&address),
				    sizeof(address), out(adapter)));
		check(adapter->CreateOverlappedFile(&file));
		check(adapter->CreateCompletionQueue(IID_IND2CompletionQueue, file, 4, 0, 0,
						     out(cq)));
		check(adapter->CreateQueuePair(IID_IND2QueuePair, cq, cq, nullptr, 2, 2, 1, 1, 0,
					       out(qp)));
		check(adapter->CreateConnector(IID_IND2Connector, file, out(connector)));
		check(adapter->CreateMemoryRegion(IID_IND2MemoryRegion, file, out(mr)));
		finish(mr->Register(text, sizeof(text), ND_MR_FLAG_ALLOW_LOCAL_WRITE, &request));
		sge.MemoryRegionToken = mr->GetLocalToken();
	}

	~End()
	{
		finish(mr->Deregister(&request));
		connector->Release();
		qp->Release();
		cq->Release();
		mr->Release();
		adapter->Release();
		check(NdsHandleClose(file));
	}

	template <typename T> static void **out(T *&object)
	{
		return reinterpret_cast<void **>(&object);
	}

	// Waits for the end of a request that was begun with an OVERLAPPED.
	void finish(HRESULT begun)
	{
		check(begun);
		check(cq->GetOverlappedResult(&request, 1));
	}

	// Polls for a completion; IND2CompletionQueue::Notify would sleep.
	void reap()
	{
		ND2_RESULT done;

		while (cq->GetResults(&done, 1) == 0)
			continue;
		check(done.Status);
	}
};

static void talk(End &client, End &server)
{
	const sockaddr *here = reinterpret_cast<sockaddr *>(&client.address);
	const sockaddr *there = reinterpret_cast<sockaddr *>(&server.address);
	IND2Listener *listener;

	server.address.sin_port = htons(7471);
	check(server.adapter->CreateListener(IID_IND2Listener, server.file, End::out(listener)));
	check(listener->Bind(there, sizeof(sockaddr_in)));
	check(listener->Listen(0));
	check(server.qp->Receive(nullptr, &server.sge, 1)); // before the peer can send
	check(listener->GetConnectionRequest(server.connector, &server.request));

	check(client.connector->Bind(here, sizeof(sockaddr_in))); // port 0: any
	check(client.connector->Connect(client.qp, there, sizeof(sockaddr_in), 0, 0, nullptr, 0,
					&client.request));
	server.finish(ND_PENDING); // the request to connect has arrived
	check(server.connector->Accept(server.qp, 0, 0, nullptr, 0, &server.request));
	client.finish(ND_PENDING); // the server has accepted
	client.finish(client.connector->CompleteConnect(&client.request));
	server.finish(ND_PENDING); // both ends are connected

	std::snprintf(client.text, sizeof(client.text), "hello over RoCEv2");
	check(client.qp->Send(nullptr, &client.sge, 1, 0));
	client.reap(); // the peer has acknowledged
	server.reap(); // the message is in server.text
	std::printf("%s\n", server.text);
	client.finish(client.connector->Disconnect(&client.request));
	listener->Release();
}

int main()
{
	check(NdStartup());
	{
		End client("192.0.2.1"), server("192.0.2.2");

		talk(client, server);
	}
	check(NdCleanup());
}
