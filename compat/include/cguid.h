/* Provides the GUIDs that consist of zeros: GUID_NULL, IID_NULL and CLSID_NULL. */
#include "guiddef.h"
