/* GUID_NULL, IID_NULL, CLSID_NULL. */
#include "guiddef.h"
