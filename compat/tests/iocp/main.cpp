// Does the user want to run the server or the load generator? Reads the arguments, and starts
// Winsock and NetworkDirect. The functions run on the main thread.
#include "service.h"

static int Usage(void)
{
	_fputts(_T("usage: iocp_service -s ADDRESS:PORT [-w WORKERS] [-p PAGES]\n")
		_T("       iocp_service -c ADDRESS:PORT [-t THREADS] [-n CONNECTIONS] [-r ROUNDS]\n"),
		stderr);
	return 2;
}

DECLSPEC_NORETURN void Fatal(PCSTR pszWhat, ULONGLONG ullCode)
{
	_ftprintf(stderr, _T("%hs: %I64x\n"), pszWhat, ullCode);
	fflush(NULL);
	ExitProcess(1);
}

int __cdecl _tmain(int argc, TCHAR *argv[])
{
	DWORD cWorkers = 4, cPages = 2000, cThreads = 2, cConnections = 200, cRounds = 10;
	const struct {
		PCTSTR pszName;
		DWORD *pdwValue;
	} options[] = {
		{_T("-w"), &cWorkers},	   {_T("-p"), &cPages},	 {_T("-t"), &cThreads},
		{_T("-n"), &cConnections}, {_T("-r"), &cRounds},
	};
	SOCKADDR_IN address = {0};
	INT cbAddress = sizeof(address);
	WSADATA wsaData;
	int ret;

	if (argc < 3 || argc % 2 == 0)
		return Usage();
	for (int i = 3; i < argc; i += 2) {
		BOOL fKnown = FALSE;

		for (SIZE_T j = 0; j < ARRAYSIZE(options); j++) {
			if (_tcsicmp(argv[i], options[j].pszName) == 0) {
				*options[j].pdwValue = _tcstoul(argv[i + 1], NULL, 10);
				fKnown = *options[j].pdwValue > 0;
			}
		}
		if (!fKnown)
			return Usage();
	}
	if ((ret = WSAStartup(MAKEWORD(2, 2), &wsaData)) != 0)
		Fatal("WSAStartup", ret);
	if (WSAStringToAddress(argv[2], AF_INET, NULL, (LPSOCKADDR)&address, &cbAddress) ==
	    SOCKET_ERROR)
		Fatal("WSAStringToAddress", WSAGetLastError());
	MUST(NdStartup());
	if (_tcscmp(argv[1], _T("-s")) == 0)
		ret = ServerMain(&address, min(cWorkers, MAX_WORKERS), cPages);
	else if (_tcscmp(argv[1], _T("-c")) == 0)
		ret = LoadMain(&address, cThreads, cConnections, cRounds);
	else
		ret = Usage();
	MUST(NdCleanup());
	WSACleanup();
	return ret;
}
