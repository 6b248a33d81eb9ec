/* Makes DEFINE_GUID define constants. Without this header DEFINE_GUID only declares constants. */
#ifndef INITGUID
#define INITGUID
#endif
#include "guiddef.h"
