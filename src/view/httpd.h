/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * httpd.h - the viewer's server: one page and its api, on loopback, for clients with the token.
 *
 *	httpd_listen ─▶ (drop rights, sandbox) ─▶ httpd_start ─▶ httpd_stop
 */
#ifndef SONDE_VIEW_HTTPD_H
#define SONDE_VIEW_HTTPD_H

#include "base/scope.h"
#include "view/request.h"

struct httpd;
struct stage;

/*
 * Opens the socket. port 0 means any port. Creates the token, unless one is given (32 hex digits).
 */
int httpd_listen(struct httpd **ret, uint16_t port, const char *token, struct errmsg *err);
/* Starts to answer, in its own threads. */
int httpd_start(struct httpd *hd, struct stage *st, struct errmsg *err);
/* Closes connections that have not shown the token in time. Call it from time to time. */
void httpd_tick(struct httpd *hd);
/* Closes all connections. hd may be NULL. */
void httpd_stop(struct httpd *hd);
SCOPED_POINTER(struct httpd, httpd_stop)

/* Returns "http://127.0.0.1:PORT/TOKEN/". */
const char *httpd_address(const struct httpd *hd);

#endif
