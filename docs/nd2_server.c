/* A whole NetworkDirect server, the other end of nd2_client.c: takes one connection to ADDRESS
 * PORT, sends the first message back, and waits until the client disconnects.
 *	cc nd2_server.c $(pkg-config --cflags --libs softrnic) -o nd2_server */
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
	fprintf(stderr, "%s: %08x (ndstatus.h names it)\n", what, (unsigned)hr);
	exit(1);
}

/* Waits for the next completion of a Send or a Receive, and returns its number of bytes. */
static unsigned reap(IND2CompletionQueue *cq)
{
	ND2_RESULT done;

	while (cq->lpVtbl->GetResults(cq, &done, 1) == 0)
		continue; /* polling; IND2CompletionQueue::Notify would sleep */
	check("a request", done.Status);
	return done.BytesTransferred;
}

int main(int argc, char **argv)
{
	struct sockaddr_in local = {.sin_family = AF_INET};
	char buf[64];
	unsigned bytes;
	OVERLAPPED ov = {0}; /* one request at a time, so one block will do */
	IND2Adapter *adapter;
	IND2CompletionQueue *cq;
	IND2MemoryRegion *mr;
	IND2QueuePair *qp;
	IND2Listener *listener;
	IND2Connector *connector;
	HANDLE file; /* requests run under it; it could be bound to a completion port */

	if (argc != 3 || inet_pton(AF_INET, argv[1], &local.sin_addr) != 1)
		return 2;
	check("NdStartup", NdStartup());
	check("NdOpenAdapter",
	      NdOpenAdapter(&IID_IND2Adapter, (void *)&local, sizeof(local), (void **)&adapter));
	CALL(adapter, CreateOverlappedFile, &file);
	CALL(adapter, CreateCompletionQueue, &IID_IND2CompletionQueue, file, 4, 0, 0, (void **)&cq);
	/* Memory that requests name is registered first, with the rights they need. */
	CALL(adapter, CreateMemoryRegion, &IID_IND2MemoryRegion, file, (void **)&mr);
	WAIT(mr, Register, buf, sizeof(buf), ND_MR_FLAG_ALLOW_LOCAL_WRITE);
	UINT32 token = mr->lpVtbl->GetLocalToken(mr);
	CALL(adapter, CreateQueuePair, &IID_IND2QueuePair, (IUnknown *)cq, (IUnknown *)cq, NULL, 2,
	     2, 1, 1, 0, (void **)&qp);
	/* Post the receive before the peer can send: without one a message is retried, then it
	 * fails. */
	CALL(qp, Receive, NULL, &(ND2_SGE){buf, sizeof(buf), token}, 1);
	CALL(adapter, CreateConnector, &IID_IND2Connector, file, (void **)&connector);
	CALL(adapter, CreateListener, &IID_IND2Listener, file, (void **)&listener);
	local.sin_port = htons((uint16_t)atoi(argv[2]));
	CALL(listener, Bind, (void *)&local, sizeof(local));
	CALL(listener, Listen, 1);
	printf("listening on %s port %s\n", argv[1], argv[2]);
	fflush(stdout);
	WAIT(listener, GetConnectionRequest, (IUnknown *)connector);
	WAIT(connector, Accept, (IUnknown *)qp, 0, 0, NULL, 0);
	bytes = reap(cq); /* the Receive */
	printf("received %u bytes: %.64s\n", bytes, buf);
	CALL(qp, Send, NULL, &(ND2_SGE){buf, bytes, token}, 1, 0);
	reap(cq);			   /* the Send */
	WAIT(connector, NotifyDisconnect); /* ends when the client disconnects */
	WAIT(connector, Disconnect);
	WAIT(mr, Deregister);
	/* Any order will do. The last Release of an object returns 0, and its requests have ended
	 * then. */
	IUnknown *objects[] = {(IUnknown *)listener, (IUnknown *)connector, (IUnknown *)qp,
			       (IUnknown *)cq,	     (IUnknown *)mr,	    (IUnknown *)adapter};
	for (int i = 0; i < 6; i++)
		objects[i]->lpVtbl->Release(objects[i]);
	return FAILED(NdsHandleClose(file)) || FAILED(NdCleanup());
}
