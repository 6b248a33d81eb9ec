/* The GUIDs that are all zero: GUID_NULL, IID_NULL, CLSID_NULL. */
#include "guiddef.h"
