/*
 * The assertion macros of the Windows debug library, implemented by assert(): NDEBUG removes them.
 * Leak checks and other heap reports do not exist here.
 */
#ifndef COMPAT_CRTDBG_H
#define COMPAT_CRTDBG_H

#include <assert.h>

#define _ASSERT(condition)		 assert(condition)
#define _ASSERTE(condition)		 assert(condition)
#define _ASSERT_EXPR(condition, message) assert(condition)

#define _CRTDBG_ALLOC_MEM_DF	   0x01
#define _CRTDBG_CHECK_ALWAYS_DF	   0x04
#define _CRTDBG_LEAK_CHECK_DF	   0x20
#define _CRTDBG_REPORT_FLAG	   (-1)
#define _CRTDBG_MODE_FILE	   0x1
#define _CRTDBG_MODE_DEBUG	   0x2
#define _CRTDBG_MODE_WNDW	   0x4
#define _CRT_WARN		   0
#define _CRT_ERROR		   1
#define _CRT_ASSERT		   2
#define _CrtSetDbgFlag(flags)	   ((void)(flags), 0)
#define _CrtSetReportMode(t, mode) ((void)(t), (void)(mode), 0)
#define _CrtSetReportFile(t, file) ((void)(t), (void)(file), (void *)0)
#define _CrtDumpMemoryLeaks()	   0
#define _CrtCheckMemory()	   1

#endif
