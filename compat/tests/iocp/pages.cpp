// Which pages of the server's memory are free, and which are leased to a client? This file owns the
// memory, the memory regions and the list of free pages. Any thread may call the functions.
#include "service.h"

static CRITICAL_SECTION s_cs; // protects the list of free pages and all lists of leases
static LIST_ENTRY s_free;
static PPAGE s_aPages;
static BYTE *s_pMemory;
static DWORD s_cPages;
// Number of pending Register and Deregister requests. While PagesCreate or PagesDestroy starts such
// requests, the count is greater by 1.
static LONG volatile s_cPending;
static HANDLE s_hRegistrationsEnded;

static void OnRegistrationEnded(PIO pIo, HRESULT hrStatus)
{
	MustSucceed(hrStatus, "a registration of a page");
	if (InterlockedDecrement(&s_cPending) == 0)
		WIN32(SetEvent(s_hRegistrationsEnded));
}

static void AwaitRegistrations(void)
{
	// PagesCreate and PagesDestroy set s_cPending to 1 before their first request. The count
	// cannot reach 0 before the last request is started. All requests are started now, so
	// subtract this 1.
	if (InterlockedDecrement(&s_cPending) != 0 &&
	    WaitForSingleObject(s_hRegistrationsEnded, 30000) != WAIT_OBJECT_0)
		Fatal("pages that did not settle", s_cPending);
}

void PagesCreate(IND2Adapter *pAdapter, HANDLE hFile, DWORD cPages)
{
	InitializeCriticalSectionAndSpinCount(&s_cs, 1000);
	ListInit(&s_free);
	s_cPages = cPages;
	s_cPending = 1;
	WIN32((s_hRegistrationsEnded = CreateEvent(NULL, FALSE, FALSE, NULL)) != NULL);
	s_pMemory = (BYTE *)VirtualAlloc(NULL, (SIZE_T)cPages * PAGE_BYTES,
					 MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
	s_aPages = (PPAGE)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, cPages * sizeof(PAGE));
	WIN32(s_pMemory != NULL && s_aPages != NULL);
	for (DWORD i = 0; i < cPages; i++) {
		PPAGE pPage = &s_aPages[i];

		pPage->dwIndex = i;
		pPage->pBytes = s_pMemory + (SIZE_T)i * PAGE_BYTES;
		ListInsertTail(&s_free, &pPage->Link);
		MUST(pAdapter->CreateMemoryRegion(IID_IND2MemoryRegion, hFile,
						  (void **)&pPage->pMr));
		InterlockedIncrement(&s_cPending);
		MUST(pPage->pMr->Register(pPage->pBytes, PAGE_BYTES,
					  ND_MR_FLAG_ALLOW_LOCAL_WRITE |
						  ND_MR_FLAG_ALLOW_REMOTE_READ |
						  ND_MR_FLAG_ALLOW_REMOTE_WRITE,
					  StartIo(&pPage->Io, OnRegistrationEnded, pPage)));
	}
	AwaitRegistrations();
}

DWORD PagesDestroy(void)
{
	DWORD cFree = 0;

	for (PLIST_ENTRY p = s_free.Flink; p != &s_free; p = p->Flink)
		cFree++;
	s_cPending = 1;
	for (DWORD i = 0; i < s_cPages; i++) {
		InterlockedIncrement(&s_cPending);
		MUST(s_aPages[i].pMr->Deregister(
			StartIo(&s_aPages[i].Io, OnRegistrationEnded, &s_aPages[i])));
	}
	AwaitRegistrations();
	for (DWORD i = 0; i < s_cPages; i++) {
		if (s_aPages[i].pMr->Release() != 0)
			Fatal("a page's region is still used", i);
	}
	WIN32(HeapFree(GetProcessHeap(), 0, s_aPages));
	WIN32(VirtualFree(s_pMemory, 0, MEM_RELEASE));
	WIN32(CloseHandle(s_hRegistrationsEnded));
	DeleteCriticalSection(&s_cs);
	return s_cPages - cFree;
}

PPAGE PageLease(PLIST_ENTRY pLeases)
{
	PPAGE pPage = NULL;

	EnterCriticalSection(&s_cs);
	if (!ListIsEmpty(&s_free)) {
		pPage = CONTAINING_RECORD(s_free.Flink, PAGE, Link);
		ListRemove(&pPage->Link);
		ListInsertTail(pLeases, &pPage->Link);
	}
	LeaveCriticalSection(&s_cs);
	return pPage;
}

PPAGE PageFind(PLIST_ENTRY pLeases, DWORD dwIndex)
{
	PPAGE pFound = NULL;

	EnterCriticalSection(&s_cs);
	for (PLIST_ENTRY p = pLeases->Flink; p != pLeases && pFound == NULL; p = p->Flink) {
		PPAGE pPage = CONTAINING_RECORD(p, PAGE, Link);

		if (pPage->dwIndex == dwIndex)
			pFound = pPage;
	}
	LeaveCriticalSection(&s_cs);
	return pFound;
}

void PageReturn(PPAGE pPage)
{
	EnterCriticalSection(&s_cs);
	ListRemove(&pPage->Link);
	ListInsertTail(&s_free, &pPage->Link);
	LeaveCriticalSection(&s_cs);
}
