// Compiles the tests of test_com.c as C++. The object under test is written in C (guid_names.c).
// This file defines the GUIDs of guid_names.c a second time.
#define DEFINE_GUIDS_A_SECOND_TIME
#include "test_com.c"

// An interface in the form that IDL compilers generate, and a class that implements it.
MIDL_INTERFACE("11223344-5566-7788-99AA-BBCCDDEEFF01")
IDoubleCounter : public ICounter
{
      public:
	virtual HRESULT STDMETHODCALLTYPE Twice(void) = 0;
};

class DECLSPEC_NOVTABLE Never : public IDoubleCounter
{
      public:
	IFACEMETHODIMP QueryInterface(REFIID, void **) override
	{
		return E_NOTIMPL;
	}
	IFACEMETHODIMP_(ULONG) AddRef() override
	{
		return 2;
	}
	STDMETHODIMP_(ULONG) Release() override
	{
		return 1;
	}
	STDMETHODIMP Add(ULONG, ULONG *) override
	{
		return S_FALSE;
	}
};

static_assert(sizeof(Never) == sizeof(void *), "a table and nothing else");
