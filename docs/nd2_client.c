/* A whole NetworkDirect client: connects to ADDRESS PORT, sends one message, prints the answer.
 *	cc nd2_client.c $(pkg-config --cflags --libs softrnic) -o nd2_client */
#include <arpa/inet.h>
#include <ndsupport.h>
#include <stdio.h>
#include <stdlib.h>

/* Methods are called through the object's table; in C++ objects are classes:
 * adapter->Query(...). */
#define CALL(obj, method, ...) check(#method, (obj)->lpVtbl->method((obj), ##__VA_ARGS__))
/* A call with an OVERLAPPED returns ND_PENDING when it has begun. Any object can wait for its
 * end. */
#define WAIT(obj, method, ...)                  \
	(CALL(obj, method, ##__VA_ARGS__, &ov), \
	 check(#method, cq->lpVtbl->GetOverlappedResult(cq, &ov, 1)))

static void check(const char *what, HRESULT hr)
{
	if (SUCCEEDED(hr)) /* ND_PENDING is a success by its sign */
		return;
	fprintf(stderr, "%s: %08x\n", what, (unsigned)hr);
	exit(1);
}

int main(int argc, char **argv)
{
	struct sockaddr_in peer = {.sin_family = AF_INET}, local;
	char buf[2][64] = {"hello from softrnic"};
	SIZE_T cb = sizeof(local);
	OVERLAPPED ov = {0}; /* one request at a time, so one block will do */
	IND2Adapter *adapter;
	IND2CompletionQueue *cq;
	IND2MemoryRegion *mr;
	IND2QueuePair *qp;
	IND2Connector *connector;
	ND2_RESULT done;
	HANDLE file; /* requests run under it; it could be bound to a completion port */

	if (argc != 3 || inet_pton(AF_INET, argv[1], &peer.sin_addr) != 1)
		return 2;
	peer.sin_port = htons((uint16_t)atoi(argv[2]));
	check("NdStartup", NdStartup());
	check("NdResolveAddress",
	      NdResolveAddress((void *)&peer, sizeof(peer), (void *)&local, &cb));
	check("NdOpenAdapter",
	      NdOpenAdapter(&IID_IND2Adapter, (void *)&local, sizeof(local), (void **)&adapter));
	CALL(adapter, CreateOverlappedFile, &file);
	CALL(adapter, CreateCompletionQueue, &IID_IND2CompletionQueue, file, 4, 0, 0, (void **)&cq);
	/* Memory that requests name is registered first, with the rights they need. */
	CALL(adapter, CreateMemoryRegion, &IID_IND2MemoryRegion, file, (void **)&mr);
	WAIT(mr, Register, buf, sizeof(buf), ND_MR_FLAG_ALLOW_LOCAL_WRITE);
	UINT32 token = mr->lpVtbl->GetLocalToken(mr);
	/* One queue for both directions; two requests each way, one buffer each, no inline data. */
	CALL(adapter, CreateQueuePair, &IID_IND2QueuePair, (IUnknown *)cq, (IUnknown *)cq, NULL, 2,
	     2, 1, 1, 0, (void **)&qp);
	/* Post the receive before the peer can send: without one a message is retried, then it
	 * fails. */
	CALL(qp, Receive, NULL, &(ND2_SGE){buf[1], sizeof(buf[1]), token}, 1);
	CALL(adapter, CreateConnector, &IID_IND2Connector, file, (void **)&connector);
	CALL(connector, Bind, (void *)&local, sizeof(local)); /* port 0: any */
	WAIT(connector, Connect, (IUnknown *)qp, (void *)&peer, sizeof(peer), 0, 0, NULL, 0);
	WAIT(connector, CompleteConnect); /* before it, the private data of the peer can be read */
	CALL(qp, Send, NULL, &(ND2_SGE){buf[0], sizeof(buf[0]), token}, 1, 0);
	/* the Send's completion and the Receive's, in either order */
	for (int left = 2; left > 0;) {
		if (cq->lpVtbl->GetResults(cq, &done, 1) == 0)
			continue; /* polling; IND2CompletionQueue::Notify would sleep */
		check("a request", done.Status);
		left--;
	}
	printf("%.64s\n", buf[1]);
	WAIT(connector, Disconnect);
	WAIT(mr, Deregister);
	/* Any order will do. The last Release of an object returns 0, and its requests have ended
	 * then. */
	IUnknown *objects[] = {(IUnknown *)connector, (IUnknown *)qp, (IUnknown *)cq,
			       (IUnknown *)mr, (IUnknown *)adapter};
	for (int i = 0; i < 5; i++)
		objects[i]->lpVtbl->Release(objects[i]);
	return FAILED(NdsHandleClose(file)) || FAILED(NdCleanup());
}
