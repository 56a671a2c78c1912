/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uftsend.h - sends a uftrace.data directory to `uftrace recv`, ours or uftrace's.
 */
#ifndef SONDE_WIRE_UFTRACE_UFTSEND_H
#define SONDE_WIRE_UFTRACE_UFTSEND_H

struct errmsg;

/* Connects. Returns the socket, or negative with a message. */
int uftsend_connect(const char *host, int port, struct errmsg *err);
/* Sends all files of the directory; name: what the receiver shall call it. */
int uftsend_directory(int sock, const char *dir, const char *name, struct errmsg *err);

#endif
