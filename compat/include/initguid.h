/* Makes DEFINE_GUID define constants. Without this header DEFINE_GUID only declares them. */
#ifndef INITGUID
#define INITGUID
#endif
#include "guiddef.h"
