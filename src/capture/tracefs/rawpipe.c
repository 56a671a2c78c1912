// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rawpipe.c - opens a CPU's raw pipe, and sets the priority of the thread that reads it.
 *
 * feeder.c (into memory) differ in where the sub-buffers go and when they wait; this file has what
 * they share. Failing to raise the priority is no error: root may, other users who may trace often
 * may not./Several readers share this file. They differ in where the sub-buffers go and when they
 * wait. Failing to raise the priority is no error: root may raise it, other users who may trace
 * often may not./feeder.c (into memory) differ in where the sub-buffers go and when they wait; this
 * file has what they share. Failing to raise the priority is no error: root may, other users who
 * may trace often may not.
 */
#include "capture/tracefs/rawpipe.h"

#include "base/errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREAD_NICE (-10)

int rawpipe_open(const struct tracefs *t, const char *instance, unsigned cpu, bool snapshot,
		 struct errmsg *err)
{
	const char *slash = *instance ? "/" : "";
	char file[64];
	int fd;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/%s", cpu,
		 snapshot ? "snapshot_raw" : "trace_pipe_raw");
	fd = tracefs_open_file(t, instance, file, O_RDONLY | O_NONBLOCK);
	if (fd == -EBUSY)
		return errmsg_set(
			err, fd, "another program is reading the buffer of CPU %u (%s%s%s); end it",
			cpu, instance, slash, file);
	if (fd < 0)
		return errmsg_set_errno(err, fd, "cannot read %s%s%s", instance, slash, file);
	return fd;
}

void rawpipe_raise_priority(unsigned rt_priority)
{
	struct sched_param param = {.sched_priority = rt_priority};

	if (rt_priority && !pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
		return;
	(void)!setpriority(PRIO_PROCESS, syscall(SYS_gettid), THREAD_NICE);
}

void rawpipe_ring(int event_fd)
{
	uint64_t one = 1;

	if (write(event_fd, &one, sizeof(one)) < 0)
		return; /* the eventfd is full: it is readable already */
}
