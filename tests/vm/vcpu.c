// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpu.c - the smallest virtual machine: one CPU in real mode, in a thread that is named as QEMU names it.
 *
 *	vcpu exits N       N exits to us by an output instruction, then it halts
 *	vcpu wake N        it halts, is woken by an interrupt that we raise, N times, 10 ms apart
 *	vcpu spin MS       a loop of two bytes for so long: nothing leaves the machine but what the host's
 *	                   own interrupts take out
 *
 * More words are for who looks at the command line, as guest-cid=1: a recorder takes it for the machine that has
 * this number on its vsock.
 *
 * For tests of what the host sees of a machine. It needs /dev/kvm and nothing else.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#define MEMORY_BYTES 0x2000
#define CODE_AT	     0x1000
#define HANDLER_AT   0x1800
#define VECTOR	     9

static const unsigned char exits_code[] = {
	0xe6, 0x80, /* 1: out %al, $0x80 */
	0x49,	    /*    dec %cx */
	0x75, 0xfb, /*    jnz 1b */
	0xf4,	    /*    hlt */
};
static const unsigned char spin_code[] = {0xeb, 0xfe}; /* 1: jmp 1b */

/* The interrupt controller as a PC's firmware leaves it: interrupt 1 is vector 9, and alone is let through. */
static const unsigned char wake_code[] = {
	0x31, 0xc0, 0x8e, 0xd0, /*    xor %ax, %ax; mov %ax, %ss */
	0xbc, 0x00, 0x10,	/*    mov $0x1000, %sp */
	0xb0, 0x11, 0xe6, 0x20, /*    first word */
	0xb0, 0x08, 0xe6, 0x21, /*    vectors from 8 on */
	0xb0, 0x04, 0xe6, 0x21, 0xb0, 0x01,
	0xe6, 0x21, 0xb0, 0xfd, 0xe6, 0x21, /*    all but 1 are masked */
	0xfb,				    /*    sti */
	0xf4, 0xeb, 0xfd,		    /* 1: hlt; jmp 1b */
};
static const unsigned char wake_handler[] = {0xb0, 0x20, 0xe6, 0x20,
					     0xcf}; /* end of interrupt; iret */

static volatile sig_atomic_t is_over;

static void end(int sig)
{
	is_over = 1;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* The vectors of real mode: two bytes offset, two bytes segment. */
static void add_handler(unsigned char *memory)
{
	memory[4 * VECTOR] = HANDLER_AT & 0xff;
	memory[4 * VECTOR + 1] = HANDLER_AT >> 8;
	memcpy(memory + HANDLER_AT, wake_handler, sizeof(wake_handler));
}

static int make_machine(const void *code, size_t n_bytes)
{
	int kvm = open("/dev/kvm", O_RDWR), vm;
	void *memory =
		mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = {.memory_size = MEMORY_BYTES,
						     .userspace_addr = (unsigned long)memory};

	if (kvm < 0 || memory == MAP_FAILED)
		die("/dev/kvm");
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	memcpy((char *)memory + CODE_AT, code, n_bytes);
	add_handler(memory);
	if (vm < 0 || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region) ||
	    (code == wake_code && ioctl(vm, KVM_CREATE_IRQCHIP, 0)))
		die("a machine");
	return vm;
}

static int make_cpu(int vm, unsigned count)
{
	int cpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	struct kvm_sregs sregs;
	struct kvm_regs regs = {.rip = CODE_AT, .rcx = count, .rflags = 2};

	if (cpu < 0 || ioctl(cpu, KVM_GET_SREGS, &sregs))
		die("a CPU");
	sregs.cs.base = sregs.cs.selector = 0;
	if (ioctl(cpu, KVM_SET_SREGS, &sregs) || ioctl(cpu, KVM_SET_REGS, &regs))
		die("registers");
	return cpu;
}

struct job {
	int cpu, n_exits;
};

static void *run(void *arg)
{
	struct job *job = arg;
	struct kvm_run *state = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, job->cpu, 0);

	prctl(PR_SET_NAME, "CPU 0/KVM");
	/* The kernel notes the name when the thread leaves a CPU, but not if it is busy with another one. */
	for (int i = 0; i < 5; i++)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	if (state == MAP_FAILED)
		die("the state of a CPU");
	while (!is_over) {
		if (ioctl(job->cpu, KVM_RUN, 0))
			continue; /* a signal */
		if (state->exit_reason != KVM_EXIT_IO)
			break;
		job->n_exits++;
	}
	printf("exits %d reason %u\n", job->n_exits, state->exit_reason);
	return NULL;
}

static void wake(int vm, int n)
{
	for (int i = 0; i < n; i++) {
		struct kvm_irq_level line = {.irq = 1};

		nanosleep(&(struct timespec){0, 10000000}, NULL);
		for (line.level = 1; line.level <= 1; line.level--)
			if (ioctl(vm, KVM_IRQ_LINE, &line))
				die("an interrupt");
	}
}

static const struct {
	const char *name;
	const unsigned char *code;
	size_t n_bytes;
} modes[] = {
	{"exits", exits_code, sizeof(exits_code)},
	{"spin", spin_code, sizeof(spin_code)},
	{"wake", wake_code, sizeof(wake_code)},
};

int main(int argc, char **argv)
{
	int mode = 0, n = argc >= 3 ? atoi(argv[2]) : 0, vm;
	struct sigaction action = {.sa_handler = end};
	struct timespec nap = {n / 1000, n % 1000 * 1000000L};
	struct job job = {0};
	pthread_t thread;

	while (argc >= 3 && mode < 3 && strcmp(argv[1], modes[mode].name))
		mode++;
	if (argc < 3 || mode == 3)
		return 2;
	sigaction(SIGUSR1, &action, NULL);
	vm = make_machine(modes[mode].code, modes[mode].n_bytes);
	job.cpu = make_cpu(vm, n);
	if (pthread_create(&thread, NULL, run, &job))
		die("a thread");
	if (mode == 1)
		nanosleep(&nap, NULL);
	if (mode == 2)
		wake(vm, n);
	if (mode)
		pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	return 0;
}
