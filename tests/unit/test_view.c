// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_view.c - the viewer's requests, its tiles on the wire, JSON of others, and its sandbox.
 *
 * covers: B02
 */
#include "base/errmsg.h"
#include "base/json/jsonreader.h"
#include "view/request.h"
#include "view/sandbox.h"
#include "view/tilewire.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define TOKEN "0123456789abcdef0123456789abcdef"

static const struct request_gate gate = {.token = TOKEN, .port = 8080};

static int parse(struct request *req, struct request_head head)
{
	if (!head.method)
		head.method = "GET";
	return request_parse(req, &head, &gate);
}

#define OPENS(where) \
	.target = where, .host = "localhost:8080", .site = "cross-site", .mode = "navigate"

static void only_our_own_page_is_let_in(void **state)
{
	static const struct {
		struct request_head head;
		int status;
	} rows[] = {
		{{.target = "/" TOKEN "/", .host = "127.0.0.1:8080"}, 0},
		{{.target = "/" TOKEN "/", .host = "localhost:8080"}, 0},
		{{.target = "/" TOKEN "/", .host = "[::1]:8080"}, 0},
		{{.target = "/" TOKEN "/app.js", .host = "localhost:8080", .site = "same-origin"},
		 0},
		{{.target = "/" TOKEN "/", .host = "localhost:8080", .site = "none"}, 0},
		{{.target = "/" TOKEN "/",
		  .host = "localhost:8080",
		  .origin = "http://localhost:8080"},
		 0},
		{{.target = "/" TOKEN "/",
		  .host = "localhost:8080",
		  .referer = "http://localhost:8080/" TOKEN "/"},
		 0},
		{{.target = "/" TOKEN, .host = "localhost:8080"}, 308},
		{{.target = "/" TOKEN "/", .host = "localhost:8080", .method = "PUT"}, 405},
		{{.target = "/" TOKEN "/", .host = "localhost:8080", .method = "POSTS"}, 405},
		/* no token, half a token, another one */
		{{.target = NULL, .host = "localhost:8080"}, 404},
		{{.target = "", .host = "localhost:8080"}, 404},
		{{.target = "/", .host = "localhost:8080"}, 404},
		{{.target = "/0123456789abcdef/", .host = "localhost:8080"}, 404},
		{{.target = "/0123456789abcdef0123456789abcdee/", .host = "localhost:8080"}, 404},
		{{.target = "/" TOKEN "x", .host = "localhost:8080"}, 404},
		{{.target = "*", .host = "localhost:8080"}, 404},
		{{.target = "http://localhost:8080/" TOKEN "/", .host = "localhost:8080"}, 404},
		/* without a token nothing is said of the method, either */
		{{.target = "/", .host = "localhost:8080", .method = "PUT"}, 404},
		/* names that are not ours: rebinding */
		{{.target = "/" TOKEN "/"}, 404},
		{{.target = "/" TOKEN "/", .host = ""}, 404},
		{{.target = "/" TOKEN "/", .host = "localhost"}, 404},
		{{.target = "/" TOKEN "/", .host = "localhost:80801"}, 404},
		{{.target = "/" TOKEN "/", .host = "localhost:8081"}, 404},
		{{.target = "/" TOKEN "/", .host = "localhost:8080/"}, 404},
		{{.target = "/" TOKEN "/", .host = "evil.example:8080"}, 404},
		{{.target = "/" TOKEN "/", .host = "127.0.0.1.evil.example:8080"}, 404},
		/* other pages */
		{{.target = "/" TOKEN "/",
		  .host = "localhost:8080",
		  .origin = "http://evil.example"},
		 404},
		{{.target = "/" TOKEN "/", .host = "localhost:8080", .origin = "null"}, 404},
		{{.target = "/" TOKEN "/",
		  .host = "localhost:8080",
		  .origin = "http://localhost:8080.evil.example"},
		 404},
		{{.target = "/" TOKEN "/",
		  .host = "localhost:8080",
		  .origin = "https://localhost:8080"},
		 404},
		{{.target = "/" TOKEN "/",
		  .host = "localhost:8080",
		  .referer = "http://evil.example/http://localhost:8080/"},
		 404},
		{{.target = "/" TOKEN "/", .host = "localhost:8080", .site = "cross-site"}, 404},
		{{.target = "/" TOKEN "/", .host = "localhost:8080", .site = "same-site"}, 404},
		{{.target = "/" TOKEN "/", .host = "localhost:8080", .is_doubtful = true}, 404},
		/* the redirect file opens the page, in a window and without more */
		{{OPENS("/" TOKEN "/"), .dest = "document"}, 0},
		{{OPENS("/" TOKEN), .dest = "document"}, 308},
		{{OPENS("/" TOKEN "/"), .dest = "iframe"}, 404},
		{{OPENS("/" TOKEN "/"), .dest = "document", .method = "POST"}, 404},
		{{OPENS("/" TOKEN "/"), .dest = "document", .origin = "null"}, 404},
		{{OPENS("/" TOKEN "/"), .dest = "document", .referer = "http://evil.example/"},
		 404},
		{{OPENS("/" TOKEN "/?x=1"), .dest = "document"}, 404},
		{{OPENS("/" TOKEN "/api/info"), .dest = "document"}, 404},
		{{OPENS("/" TOKEN "/app.js"), .dest = "document"}, 404},
		/* paths */
		{{.target = "/" TOKEN "/../etc/passwd", .host = "localhost:8080"}, 404},
		{{.target = "/" TOKEN "/%2e%2e/etc/passwd", .host = "localhost:8080"}, 404},
		{{.target = "/" TOKEN "/a\\b", .host = "localhost:8080"}, 404},
		{{.target = "/" TOKEN "/api/rows?row=%zz", .host = "localhost:8080"}, 400},
		{{.target = "/" TOKEN "/api/rows?row=%00", .host = "localhost:8080"}, 400},
		{{.target = "/" TOKEN "/api/rows?row=%4", .host = "localhost:8080"}, 400},
	};
	struct request *req = malloc(sizeof(*req));

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int status = parse(req, rows[i].head);

		if (status != rows[i].status)
			fail_msg("row %zu: %d, not %d", i, status, rows[i].status);
	}
	free(req);
}

static void port_80_may_be_left_out(void **state)
{
	struct request_gate plain = {.token = TOKEN, .port = 80};
	struct request_head head = {.method = "GET", .target = "/" TOKEN "/", .host = "localhost"};
	struct request *req = malloc(sizeof(*req));

	assert_int_equal(request_parse(req, &head, &plain), 0);
	head.host = "localhost.evil.example";
	assert_int_equal(request_parse(req, &head, &plain), 404);
	free(req);
}

static void queries_are_decoded(void **state)
{
	struct request *req = malloc(sizeof(*req));
	struct errmsg err = {0};
	uint64_t v;

	assert_int_equal(
		parse(req,
		      (struct request_head){
			      .target = "/" TOKEN "/api/span?lane=pair%3a0+x%26"
					"&t=281474976710655&&empty&e=&big=99999999999999999999"
					"&neg=-1",
			      .host = "localhost:8080"}),
		0);
	assert_string_equal(req->path, "api/span");
	assert_string_equal(request_arg(req, "lane"), "pair:0 x&");
	assert_string_equal(request_arg(req, "empty"), "");
	assert_null(request_arg(req, "none"));
	assert_int_equal(request_uint(req, "t", 0, (UINT64_C(1) << 48) - 1, &v, &err), 0);
	assert_int_equal(v, (UINT64_C(1) << 48) - 1);
	assert_int_equal(request_uint(req, "t", 0, 5, &v, &err), -EINVAL);
	assert_int_equal(request_uint(req, "none", 7, 5, &v, &err), 0);
	assert_int_equal(v, 7);
	assert_int_equal(request_uint(req, "big", 0, UINT64_MAX, &v, &err), -EINVAL);
	assert_int_equal(request_uint(req, "neg", 0, UINT64_MAX, &v, &err), -EINVAL);
	assert_int_equal(request_uint(req, "e", 0, UINT64_MAX, &v, &err), -EINVAL);
	assert_non_null(err.text[0] ? err.text : NULL);
	free(req);
}

static void ceilings_hold(void **state)
{
	struct request *req = malloc(sizeof(*req));
	char *target = malloc(REQUEST_TARGET_MAX + 100), *p;

	memset(target, 'a', REQUEST_TARGET_MAX + 50);
	memcpy(target, "/" TOKEN "/", REQUEST_TOKEN_CHARS + 2);
	target[REQUEST_TARGET_MAX + 1] = 0;
	assert_int_equal(
		parse(req, (struct request_head){.target = target, .host = "localhost:8080"}), 404);
	target[REQUEST_TARGET_MAX] = 0;
	assert_int_equal(
		parse(req, (struct request_head){.target = target, .host = "localhost:8080"}), 0);
	p = target + REQUEST_TOKEN_CHARS + 2;
	*p++ = '?';
	for (int i = 0; i <= REQUEST_ARGS_MAX; i++)
		p = mempcpy(p, "a=1&", 4);
	*p = 0;
	assert_int_equal(
		parse(req, (struct request_head){.target = target, .host = "localhost:8080"}), 400);
	free(target);
	free(req);
}

/* --- JSON -------------------------------------------------------------------------------------- */

static void json_is_read(void **state)
{
	static const char text[] =
		" {\"a\":[1,2.5,-3e2,true,false,null,{}],\"\":\"x\\u00e9\\n\\ud83d"
		"\\ude00\\ud800\",\"n\":9007199254740992} ";
	struct errmsg err = {0};
	const struct jsonnode *n;
	struct jsondoc doc;
	uint64_t v;

	assert_int_equal(jsondoc_parse(&doc, text, sizeof(text) - 1, 100, &err), 0);
	n = jsonnode_first(&doc, jsonnode_find(&doc, jsondoc_root(&doc), "a"));
	assert_true(jsonnode_uint(n, 1, &v) && v == 1);
	n = jsonnode_next(&doc, n);
	assert_false(jsonnode_uint(n, 10, &v));
	assert_true(n->number == 2.5);
	n = jsonnode_next(&doc, n);
	assert_true(n->number == -300);
	n = jsonnode_next(&doc, n);
	assert_true(n->kind == JSON_BOOL && n->number == 1);
	n = jsonnode_next(&doc, jsonnode_next(&doc, jsonnode_next(&doc, n)));
	assert_true(n->kind == JSON_OBJECT && !jsonnode_first(&doc, n));
	assert_null(jsonnode_next(&doc, n));
	n = jsonnode_find(&doc, jsondoc_root(&doc), "");
	assert_string_equal(n->text, "x\xc3\xa9\n\xf0\x9f\x98\x80\xef\xbf\xbd");
	assert_true(jsonnode_uint(jsonnode_find(&doc, jsondoc_root(&doc), "n"), UINT64_MAX, &v));
	assert_null(jsonnode_find(&doc, n, "a"));
	jsondoc_release(&doc);
}

static void json_that_is_none_is_refused(void **state)
{
	static const char *const texts[] = {
		"",	     " ",	    "{",
		"[",	     "[1",	    "[1,",
		"[1,]",	     "{\"a\"}",	    "{\"a\":}",
		"{a:1}",     "nul",	    "tru",
		"\"",	     "\"\\",	    "\"\\x\"",
		"\"\\u00\"", "\"\\u0000\"", "\"\n\"",
		"1 2",	     "+1",	    ".5",
		"1e999",     "-",	    "0x10",
		"[1}",	     "inf",	    "nan",
		"--1",	     "1e",	    "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]"};
	struct jsondoc doc;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct errmsg err = {0};

		if (jsondoc_parse(&doc, texts[i], strlen(texts[i]), 100, &err) != -EINVAL ||
		    !err.text[0])
			fail_msg("'%s' is taken", texts[i]);
	}
	for (int i = 0; i < 2; i++) { /* as many values as are allowed, and one more */
		struct errmsg err = {0};
		int r = jsondoc_parse(&doc, i ? "[1,2,3]" : "[1,2]", i ? 7 : 5, 3, &err);

		assert_int_equal(r, i ? -EINVAL : 0);
		if (!r)
			jsondoc_release(&doc);
	}
}

/* --- tiles ------------------------------------------------------------------------------------- */

static void tiles_are_as_the_page_reads_them(void **state)
{
	struct tile_record rec = {1.5f, 2.5f, 7, 65535, 3, TILE_EXACT};
	struct tile tile = {&rec, 1, true};
	struct textbuf tb;
	uint32_t w[16];
	float f;

	textbuf_init(&tb, 1 << 16);
	tilewire_add_head(&tb, 17, 2);
	tilewire_add_tile(&tb, LANE_SPANS, 300, -1, 4, &tile);
	tilewire_add_refusal(&tb, "no such lane");
	assert_int_equal(textbuf_len(&tb), 16 + 32 + 32);
	memcpy(w, tb.start, sizeof(w));
	assert_memory_equal(tb.start, "TILE", 4);
	assert_int_equal(w[1], 17);
	assert_int_equal(w[2], 2);
	assert_int_equal(w[4], 1);
	assert_memory_equal(tb.start + 20, "\x03\xff\x01\x00", 4);
	memcpy(&f, &w[6], 4);
	assert_true(f == -1);
	memcpy(&f, &w[8], 4);
	assert_true(f == 1.5f);
	assert_int_equal(w[10], 7);
	assert_memory_equal(tb.start + 44, "\xff\xff\x03\x01", 4);
	assert_int_equal(w[12], 12);
	assert_int_equal(w[13], 1 << 16);
	assert_memory_equal(tb.start + 64, "no such lane\0\0\0\0", 16);
	textbuf_release(&tb);
}

/* --- the sandbox ------------------------------------------------------------------------------- */

static void *make_file(void *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	return (void *)(intptr_t)(fd < 0 ? errno : 0);
}

/* In a child: exit status 0, or the number of the line that went wrong. */
#define NEED(x)                                      \
	do {                                         \
		if (!(x))                            \
			_exit(__LINE__ & 0xff ?: 1); \
	} while (0)

static void enter(const char *file, const char *cache)
{
	const char *read[] = {file};
	struct errmsg err = {0};
	char inside[200];
	pthread_t t;
	void *got;
	int has_paths = sandbox_paths(read, 1, cache, &err);

	NEED(has_paths >= 0);
	NEED(sandbox_calls(cache, &err) == 1);
	NEED(socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM);
	NEED(execl("/bin/true", "true", NULL) < 0 && errno == EPERM);
	NEED(fork() < 0);
	NEED(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
	     MAP_FAILED);
	NEED(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	NEED(open("/etc/hostname", O_RDWR | O_CREAT, 0600) < 0);
	snprintf(inside, sizeof(inside), "%s/index", cache ? cache : "/tmp");
	/* threads still can be made, and have the same limits */
	NEED(pthread_create(&t, NULL, make_file, inside) == 0);
	NEED(pthread_join(t, &got) == 0);
	NEED(cache ? !got : (intptr_t)got == EPERM);
	if (cache && has_paths) {
		NEED(open(file, O_RDONLY) >= 0);
		NEED(open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES);
	}
	_exit(0);
}

static void run_sandboxed(const char *file, const char *cache)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		enter(file, cache);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void sandbox_leaves_what_is_needed(void **state)
{
	char dir[] = "/tmp/sonde-view-XXXXXX", path[64];

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
	skip(); /* sanitizers need calls of their own */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
	skip();
#endif
#endif
	assert_non_null(mkdtemp(dir));
	run_sandboxed("/proc/self/exe", NULL);
	run_sandboxed("/proc/self/exe", dir);
	snprintf(path, sizeof(path), "%s/index", dir);
	assert_int_equal(unlink(path), 0);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_our_own_page_is_let_in),
		cmocka_unit_test(port_80_may_be_left_out),
		cmocka_unit_test(queries_are_decoded),
		cmocka_unit_test(ceilings_hold),
		cmocka_unit_test(json_is_read),
		cmocka_unit_test(json_that_is_none_is_refused),
		cmocka_unit_test(tiles_are_as_the_page_reads_them),
		cmocka_unit_test(sandbox_leaves_what_is_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
