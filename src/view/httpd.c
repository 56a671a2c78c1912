// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * httpd.c - the viewer's server, on libmicrohttpd.
 *
 *	connection ─▶ a thread ─▶ request_parse ─┬─▶ asset    a row of the table made from web/
 *	                                         └─▶ api      api_answer, from the stage
 *
 * Each connection has a thread, because an answer may take a while (a search through everything)
 * and must not block others. A browser keeps up to six connections per tab, so ten tabs are served
 * at once. The ceiling is VISITORS_MAX, with few places for clients that have not shown the token
 * (visitors.c). Idle connections are closed after IDLE_SECONDS. The head of a request has at most
 * 32 KB, its body 256 KB.
 *
 * The library parses HTTP; request.c checks the result before anything else happens. request.c uses
 * the target as it was sent (from the callback for logs), because the library's own copy is
 * decoded. A refused client gets only a status.
 */
#include "base/scope.h"
#include "view/httpd.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/shortage.h"
#include "view/api/api.h"
#include "view/assets.h"
#include "view/mhd.h"
#include "view/peers.h"
#include "view/visitors.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define IDLE_SECONDS   60
#define HEAD_MAX_BYTES (32u << 10)
#define STACK_BYTES    (1u << 20)
#define BACKLOG	       4096 /* the kernel uses net.core.somaxconn if that is smaller */

struct httpd {
	struct mhd mhd;
	struct MHD_Daemon *daemon;
	struct visitors *visitors;
	struct peers peers; /* used only by the thread that accepts connections */
	int fd;
	struct request_gate gate;
	char address[96];
	pthread_rwlock_t lock; /* held for reading while an answer uses the stage */
	struct stage *stage;
};

/* A request that is being answered. */
struct exchange {
	char *target; /* the target as it was sent */
	bool is_begun;
	int refused; /* status of the refusal; 0: not refused */
	struct request req;
	char *body;
	size_t body_len;
};

static const struct header {
	const char *name, *value;
} headers[] = {
	{"Content-Security-Policy",
	 "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
	 "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"X-Frame-Options", "DENY"},
};

/* --- answers ---------------------------------------------------------------------------------- */

/* Queues and releases a response. */
static enum MHD_Result send_response(struct httpd *hd, struct MHD_Connection *c, unsigned status,
				     struct MHD_Response *r)
{
	enum MHD_Result done;

	if (!r)
		return MHD_NO; /* closes the connection */
	for (size_t i = 0; i < ARRAY_LEN(headers); i++)
		hd->mhd.add_response_header(r, headers[i].name, headers[i].value);
	done = hd->mhd.queue_response(c, status, r);
	hd->mhd.destroy_response(r);
	return done;
}

static enum MHD_Result send_status(struct httpd *hd, struct MHD_Connection *c, unsigned status)
{
	struct MHD_Response *r =
		hd->mhd.create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	char where[REQUEST_TOKEN_CHARS + 3];

	if (r && status == MHD_HTTP_PERMANENT_REDIRECT) {
		snprintf(where, sizeof(where), "/%s/", hd->gate.token);
		hd->mhd.add_response_header(r, MHD_HTTP_HEADER_LOCATION, where);
	}
	if (r && status == MHD_HTTP_METHOD_NOT_ALLOWED)
		hd->mhd.add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, POST");
	if (r)
		hd->mhd.add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	return send_response(hd, c, status, r);
}

static enum MHD_Result send_asset(struct httpd *hd, struct MHD_Connection *c, const char *path)
{
	const struct asset *a = assets;
	const char *known =
		hd->mhd.lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);
	struct MHD_Response *r;
	bool same;

	if (!*path)
		path = "index.html";
	while (a->name && strcmp(a->name, path))
		a++;
	if (!a->name)
		return send_status(hd, c, MHD_HTTP_NOT_FOUND);
	same = known && !strcmp(known, a->etag);
	r = hd->mhd.create_response_from_buffer(same ? 0 : a->n_bytes, (void *)a->data,
						MHD_RESPMEM_PERSISTENT);
	if (r) {
		hd->mhd.add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, a->type);
		hd->mhd.add_response_header(r, MHD_HTTP_HEADER_ETAG, a->etag);
		hd->mhd.add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
	}
	return send_response(hd, c, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, r);
}

/* Returns true if the browser has closed the connection. */
static bool is_gone(void *ctx)
{
	struct pollfd p = {.fd = (int)(intptr_t)ctx, .events = POLLRDHUP};

	return poll(&p, 1, 0) > 0 && p.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

static enum MHD_Result send_api(struct httpd *hd, struct MHD_Connection *c, struct exchange *x)
{
	struct MHD_Response *r;
	struct answer a;
	char attach[192], *text;
	size_t n_bytes;
	const union MHD_ConnectionInfo *info =
		hd->mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (info) {
		x->req.is_gone = is_gone;
		x->req.gone_ctx = (void *)(intptr_t)info->connect_fd;
	}
	x->req.body = x->body ? x->body : "";
	x->req.body_len = x->body_len;
	pthread_rwlock_rdlock(&hd->lock);
	api_answer(hd->stage, &x->req, x->req.path + 4, &a);
	pthread_rwlock_unlock(&hd->lock);
	/* the library takes the text without a copy, because it may have megabytes */
	n_bytes = textbuf_len(&a.body);
	text = textbuf_take(&a.body);
	r = hd->mhd.create_response_from_buffer(
		n_bytes, text, text ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
	if (!r) {
		free(text);
		return MHD_NO;
	}
	hd->mhd.add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, a.type);
	hd->mhd.add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	if (a.download[0]) {
		snprintf(attach, sizeof(attach), "attachment; filename=\"%s\"", a.download);
		hd->mhd.add_response_header(r, MHD_HTTP_HEADER_CONTENT_DISPOSITION, attach);
	}
	return send_response(hd, c, a.status, r);
}

/* --- requests --------------------------------------------------------------------------------- */

/* Stores each header that is checked, and notes a repeated one. */
static enum MHD_Result read_header(void *ctx, enum MHD_ValueKind kind, const char *name,
				   const char *value)
{
	struct request_head *h = ctx;
	const struct {
		const char *name, **to;
	} wanted[] = {{"Host", &h->host},	    {"Origin", &h->origin},
		      {"Referer", &h->referer},	    {"Sec-Fetch-Site", &h->site},
		      {"Sec-Fetch-Mode", &h->mode}, {"Sec-Fetch-Dest", &h->dest}};

	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		if (strcasecmp(wanted[i].name, name))
			continue;
		if (*wanted[i].to)
			h->is_doubtful = true;
		*wanted[i].to = value ? value : "";
	}
	return MHD_YES;
}

static void trust(struct httpd *hd, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		hd->mhd.get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	if (info && info->socket_context)
		visitor_trust(hd->visitors, info->socket_context);
}

static void begin(struct httpd *hd, struct MHD_Connection *c, const char *method,
		  struct exchange *x)
{
	struct request_head head = {.method = method, .target = x->target};

	x->is_begun = true;
	hd->mhd.get_connection_values(c, MHD_HEADER_KIND, read_header, &head);
	x->refused = request_parse(&x->req, &head, &hd->gate);
	if (!x->refused)
		trust(hd, c);
}

/* Returns the status of a refusal, or 0. */
static int take_body(struct exchange *x, const char *data, size_t n)
{
	char *more;

	if (n > REQUEST_BODY_MAX - x->body_len)
		return MHD_HTTP_CONTENT_TOO_LARGE;
	more = realloc(x->body, x->body_len + n + 1);
	if (!more) {
		shortage_settle(shortage_count()); /* the status reports the shortage */
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	}
	memcpy(more + x->body_len, data, n);
	x->body = more;
	x->body_len += n;
	return 0;
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **con_cls)
{
	struct exchange *x = *con_cls;
	struct httpd *hd = cls;

	if (!x)
		return MHD_NO;
	if (!x->is_begun) {
		begin(hd, c, method, x);
		/* a refusal before the body is read closes the connection */
		return x->refused ? send_status(hd, c, x->refused) : MHD_YES;
	}
	if (*upload_size) {
		if (!x->refused)
			x->refused = take_body(x, upload, *upload_size);
		*upload_size = 0;
		return MHD_YES;
	}
	if (x->refused)
		return send_status(hd, c, x->refused);
	if (!strncmp(x->req.path, "api/", 4))
		return send_api(hd, c, x);
	return x->req.is_post ? send_status(hd, c, MHD_HTTP_METHOD_NOT_ALLOWED)
			      : send_asset(hd, c, x->req.path);
}

/* Called with the target as it was sent. Returns the pointer that belongs to the request. */
static void *note_target(void *cls, const char *target, struct MHD_Connection *c)
{
	struct exchange *x = calloc(1, sizeof(*x));

	if (x)
		x->target = strdup(target);
	if (x && x->target)
		return x;
	shortage_settle(shortage_count()); /* the browser sees a closed connection */
	free(x);
	return NULL;
}

static void finish(void *cls, struct MHD_Connection *c, void **con_cls,
		   enum MHD_RequestTerminationCode why)
{
	struct exchange *x = *con_cls;

	if (!x)
		return;
	free(x->target);
	free(x->body);
	free(x);
	*con_cls = NULL;
}

/* Ignores the library's messages about malformed requests, because the answer is enough. */
static void ignore_log(void *cls, const char *fmt, va_list ap)
{
}

/* --- connections ------------------------------------------------------------------------------ */

static enum MHD_Result let_in(void *cls, const struct sockaddr *addr, socklen_t len)
{
	struct httpd *hd = cls;
	bool is_other =
		addr->sa_family == AF_INET && peers_is_other(&hd->peers, (const void *)addr);

	return visitors_make_room(hd->visitors, is_other) ? MHD_YES : MHD_NO;
}

static void note_connection(void *cls, struct MHD_Connection *c, void **context,
			    enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info;
	struct httpd *hd = cls;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		info = hd->mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
		*context = info ? visitor_enter(hd->visitors, info->connect_fd) : NULL;
	} else if (*context) {
		visitor_leave(hd->visitors, *context);
		*context = NULL;
	}
}

/* --- the server ------------------------------------------------------------------------------- */

static int make_token(struct request_gate *gate, const char *given, struct errmsg *err)
{
	unsigned char bytes[REQUEST_TOKEN_CHARS / 2];

	if (given) {
		if (strlen(given) != REQUEST_TOKEN_CHARS ||
		    strspn(given, "0123456789abcdef") != REQUEST_TOKEN_CHARS)
			return errmsg_set(err, -EINVAL, "a token must have %d digits of 0-9a-f",
					  REQUEST_TOKEN_CHARS);
		memcpy(gate->token, given, REQUEST_TOKEN_CHARS + 1);
		return 0;
	}
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return errmsg_set_errno(err, -EIO, "cannot get random numbers");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(gate->token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int open_socket(struct httpd *hd, uint16_t port, struct errmsg *err)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_port = htons(port),
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(addr);
	int one = 1;

	hd->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (hd->fd < 0)
		return errmsg_set_errno(err, -errno, "cannot open a socket");
	setsockopt(hd->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(hd->fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(hd->fd, BACKLOG) < 0 || getsockname(hd->fd, (struct sockaddr *)&addr, &len) < 0)
		return errmsg_set_errno(err, -errno, "cannot listen on 127.0.0.1 port %u", port);
	hd->gate.port = ntohs(addr.sin_port);
	peers_open(&hd->peers, &addr);
	return 0;
}

int httpd_listen(struct httpd **ret, uint16_t port, const char *token, struct errmsg *err)
{
	SCOPED(httpd_stop_scoped) struct httpd *hd = calloc(1, sizeof(*hd));

	if (!hd)
		return errmsg_set_errno(err, -ENOMEM, "cannot serve");
	hd->fd = -1;
	hd->peers.fd = -1;
	pthread_rwlock_init(&hd->lock, NULL);
	hd->visitors = visitors_new();
	if (!hd->visitors)
		return errmsg_set_errno(err, -ENOMEM, "cannot serve");
	TRY(mhd_load(&hd->mhd, err));
	TRY(make_token(&hd->gate, token, err));
	TRY(open_socket(hd, port, err));
	snprintf(hd->address, sizeof(hd->address), "http://127.0.0.1:%u/%s/", hd->gate.port,
		 hd->gate.token);
	*ret = TAKE(hd);
	return 0;
}

int httpd_start(struct httpd *hd, struct stage *st, struct errmsg *err)
{
	hd->stage = st;
	hd->daemon = hd->mhd.start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
			MHD_USE_ITC | MHD_USE_ERROR_LOG,
		hd->gate.port, let_in, hd, handle, hd, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
		MHD_OPTION_LISTEN_SOCKET, hd->fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)VISITORS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_MAX_BYTES,
		MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK_BYTES, MHD_OPTION_URI_LOG_CALLBACK,
		note_target, hd, MHD_OPTION_NOTIFY_COMPLETED, finish, hd,
		MHD_OPTION_NOTIFY_CONNECTION, note_connection, hd, MHD_OPTION_END);
	return hd->daemon ? 0 : errmsg_set(err, -EIO, "cannot start the server");
}

void httpd_stop(struct httpd *hd)
{
	if (!hd)
		return;
	if (hd->daemon)
		hd->mhd.stop_daemon(hd->daemon); /* closes the socket, too */
	else if (hd->fd >= 0)
		close(hd->fd);
	visitors_free(hd->visitors);
	peers_close(&hd->peers);
	pthread_rwlock_destroy(&hd->lock);
	free(hd);
}

void httpd_tick(struct httpd *hd)
{
	visitors_end_late(hd->visitors);
}

const char *httpd_address(const struct httpd *hd)
{
	return hd->address;
}
