// The shortest client written for Windows: like client.cc, but with a wide main function, wide
// text, and an event.
#include <winsock2.h>
#include <windows.h>
#include <tchar.h>
#include <ndsupport.h>

int __cdecl _tmain(int argc, TCHAR *argv[])
{
	WSADATA wsaData;
	SOCKADDR_IN local = {0};
	INT cb = sizeof(local);
	ND2_ADAPTER_INFO info = {0};
	ULONG cbInfo = sizeof(info);
	IND2Adapter *pAdapter;
	HANDLE hEvent = CreateEvent(NULL, TRUE, TRUE, NULL);

	UNREFERENCED_PARAMETER(argv);
	if (argc != 1 || WSAStartup(MAKEWORD(2, 2), &wsaData) != 0 ||
	    WSAStringToAddress((LPTSTR) _T("192.0.2.1"), AF_INET, NULL, (LPSOCKADDR)&local, &cb) !=
		    0 ||
	    WaitForSingleObject(hEvent, 0) != WAIT_OBJECT_0 || !CloseHandle(hEvent))
		return 1;
	info.InfoVersion = ND_VERSION_2;
	if (FAILED(NdStartup()) ||
	    FAILED(NdOpenAdapter(IID_IND2Adapter, (const struct sockaddr *)&local, sizeof(local),
				 (void **)&pAdapter)) ||
	    FAILED(pAdapter->Query(&info, &cbInfo)))
		return 1;
	_tprintf(_T("MaxInlineDataSize %lu\n"), info.MaxInlineDataSize);
	pAdapter->Release();
	return FAILED(NdCleanup()) || WSACleanup() != 0;
}
