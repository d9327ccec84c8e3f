//go:build asan

package asan

/*
#define _GNU_SOURCE // for the names of registers
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

// The sanitizer's report names functions and lines only if the program has debugging information,
// which go test leaves out, and it never names callers. But it knows the pc of the Go code, and
// Go's own handler of SIGABRT prints the stack from the place where the signal seems to come from.

#if defined(__linux__) && defined(__x86_64__)
#define PC(uc) (*(uintptr_t *)&(uc)->uc_mcontext.gregs[REG_RIP])
#define SP(uc) (*(uintptr_t *)&(uc)->uc_mcontext.gregs[REG_RSP])
#elif defined(__linux__) && defined(__aarch64__)
#define PC(uc) (*(uintptr_t *)&(uc)->uc_mcontext.pc)
#define SP(uc) (*(uintptr_t *)&(uc)->uc_mcontext.sp)
#endif

#ifdef PC

static struct sigaction go_handler;

// from_report makes the signal seem to come from the pc in the report. That pc is the
// return address of the call into the sanitizer, which may belong to the next line.
static void from_report(int sig, siginfo_t *info, void *context) {
	ucontext_t *uc = context;
	uintptr_t pc = PC(uc), sp = SP(uc);
	PC(uc) = (uintptr_t)__asan_get_report_pc() - 1;
	SP(uc) = (uintptr_t)__asan_get_report_sp();
	go_handler.sa_sigaction(sig, info, context);
	// We get here if the program handles SIGABRT itself and doesn't die of it.
	PC(uc) = pc;
	SP(uc) = sp;
}

// on_death is called when the sanitizer has written its report. Those of Go code
// have no base pointer.
static void on_death(void) {
	if (!__asan_report_present() || __asan_get_report_bp() != NULL)
		return;
	sigaction(SIGABRT, NULL, &go_handler);
	if (go_handler.sa_handler == SIG_DFL || go_handler.sa_handler == SIG_IGN)
		return;
	struct sigaction ours = go_handler;
	ours.sa_sigaction = from_report;
	sigaction(SIGABRT, &ours, NULL);
	raise(SIGABRT);
	sigaction(SIGABRT, &go_handler, NULL);
}

static void trace_reports(void) { __sanitizer_set_death_callback(on_death); }

#else

static void trace_reports(void) {}

#endif
*/
import "C"

func init() { C.trace_reports() }
