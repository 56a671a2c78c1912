// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_userimage.c - how functions are hooked, one rule after the other, in programs made up of bytes;
 * which functions are chosen; where areas go.
 *
 *	0x1000   the text of the made-up program: functions and padding, as the test wrote them
 *	0x3000   the end of the image
 */
#include "base/errmsg.h"
#include "capture/user/area.h"
#include "capture/user/choice.h"
#include "capture/user/image.h"
#include "runtime/snrt.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#define TEXT	  0x1000u
#define FILE_MAX  0x3000u
#define BIAS	  0x400000u
#define AREA	  0x800000u
#define SYMS_MAX  8
#define PATCH_MAX 16

/* A program in the making: text as hex digits, in which NAME: begins a function and ; ends it. */
struct maker {
	uint8_t file[FILE_MAX + 4096];
	size_t n_text, n_syms, n_names;
	Elf64_Sym syms[SYMS_MAX + 1];
	char names[256];
};

static uint64_t begin_function(struct maker *m, const char *name, size_t len)
{
	Elf64_Sym *s = &m->syms[++m->n_syms];

	assert_true(m->n_syms <= SYMS_MAX);
	*s = (Elf64_Sym){.st_name = m->n_names,
			 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			 .st_shndx = 1,
			 .st_value = TEXT + m->n_text};
	memcpy(m->names + m->n_names, name, len);
	m->n_names += len + 1;
	return s->st_value;
}

static void parse_text(struct maker *m, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, " ");

		if (len > 1 && text[len - 1] == ':')
			begin_function(m, text, len - 1);
		else if (*text == ';')
			m->syms[m->n_syms].st_size = TEXT + m->n_text - m->syms[m->n_syms].st_value;
		else if (len)
			m->file[TEXT + m->n_text++] = strtoul(text, NULL, 16);
		text += len + (text[len] == ' ');
	}
}

static void put_head(struct maker *m, size_t at)
{
	Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_DYN,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_phoff = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 1,
			   .e_shoff = at,
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = 4};
	Elf64_Phdr load = {.p_type = PT_LOAD,
			   .p_flags = PF_R | PF_X,
			   .p_filesz = FILE_MAX,
			   .p_memsz = FILE_MAX};

	memcpy(m->file, &head, sizeof(head));
	memcpy(m->file + sizeof(head), &load, sizeof(load));
}

/* A descriptor of the file. */
static int make(struct maker *m, const char *text)
{
	Elf64_Shdr sections[4] = {{0},
				  {.sh_type = SHT_PROGBITS,
				   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				   .sh_addr = TEXT,
				   .sh_offset = TEXT},
				  {.sh_type = SHT_SYMTAB, .sh_offset = FILE_MAX, .sh_link = 3},
				  {.sh_type = SHT_STRTAB, .sh_offset = FILE_MAX + 1024}};
	int fd = memfd_create("made", 0);

	*m = (struct maker){.n_names = 1};
	parse_text(m, text);
	sections[1].sh_size = m->n_text;
	sections[2].sh_size = (m->n_syms + 1) * sizeof(Elf64_Sym);
	sections[3].sh_size = m->n_names;
	put_head(m, FILE_MAX + 2048);
	memcpy(m->file + FILE_MAX, m->syms, sizeof(m->syms));
	memcpy(m->file + FILE_MAX + 1024, m->names, sizeof(m->names));
	memcpy(m->file + FILE_MAX + 2048, sections, sizeof(sections));
	assert_true(fd >= 0);
	assert_int_equal(write(fd, m->file, sizeof(m->file)), sizeof(m->file));
	return fd;
}

/* A program with its plan, and everything built. */
struct planned {
	struct userimage *img;
	uint8_t *area;
	struct snrt_patch patches[PATCH_MAX];
	size_t n_patches, bodies_at;
};

static void plan(struct planned *p, const char *text)
{
	struct userchoice choice = {.is_program = true};
	struct userimage_place place = {.bias = BIAS, .area = AREA, .first_id = 7};
	struct errmsg err = {0};
	struct maker m;
	int fd = make(&m, text), r = userimage_open(&p->img, "made", fd, &choice, &err);

	close(fd);
	assert_string_equal(err.text, "");
	assert_int_equal(r, 0);
	p->n_patches = userimage_n_patches(p->img);
	assert_true(p->n_patches <= PATCH_MAX);
	p->bodies_at = SNRT_HOOK_BYTES + userimage_n_hooks(p->img) * SNRT_THUNK_BYTES;
	p->area = calloc(1, userimage_area_bytes(p->img));
	assert_int_equal(userimage_build(p->img, &place, p->area, p->patches), 0);
}

static void end(struct planned *p)
{
	userimage_close(p->img);
	free(p->area);
}

static void expect_bytes(const uint8_t *bytes, const char *hex)
{
	size_t n = (strlen(hex) + 1) / 3;
	char got[256] = "";

	for (size_t i = 0; i < n; i++)
		snprintf(got + strlen(got), 4, i ? " %02x" : "%02x", bytes[i]);
	assert_string_equal(got, hex);
}

static uint64_t jump_target(const uint8_t *jump, uint64_t address)
{
	int32_t distance;

	memcpy(&distance, jump + 1, sizeof(distance));
	return address + 5 + distance;
}

static void expect_jump(const uint8_t *jump, uint64_t address, uint64_t target)
{
	assert_int_equal(*jump, 0xe9);
	assert_int_equal(jump_target(jump, address), target);
}

static uint64_t thunk_address(size_t hook)
{
	return AREA + SNRT_HOOK_BYTES + hook * SNRT_THUNK_BYTES;
}

/* What the thunk calls. */
static uint64_t called(const struct planned *p, size_t hook)
{
	size_t at = SNRT_HOOK_BYTES + hook * SNRT_THUNK_BYTES + SNRT_THUNK_CALL;

	assert_int_equal(p->area[at], 0xe8);
	return jump_target(p->area + at, AREA + at);
}

static enum userimage_why why(const struct planned *p, size_t function)
{
	assert_true(function < userimage_n_functions(p->img));
	return userimage_function(p->img, function)->why;
}

/* One function, hooked by a jump of 5 bytes at `at`; its body is `hex`, then a jump to `resume`. */
static void expect_moved(const char *text, uint64_t at, const char *hex, uint64_t resume)
{
	size_t n = (strlen(hex) + 1) / 3;
	struct planned p;

	plan(&p, text);
	assert_int_equal(why(&p, 0), USERIMAGE_HOOKED);
	assert_true(p.n_patches >= 1);
	assert_int_equal(p.patches[0].addr, BIAS + at);
	assert_int_equal(p.patches[0].n_bytes, 5);
	expect_jump(p.patches[0].new_, BIAS + at, thunk_address(0));
	expect_bytes(p.area + p.bodies_at, hex);
	assert_int_equal(called(&p, 0), n ? AREA + p.bodies_at : BIAS + resume);
	if (n && resume)
		expect_jump(p.area + p.bodies_at + n, AREA + p.bodies_at + n, BIAS + resume);
	end(&p);
}

static void expect_refused(const char *text, enum userimage_why expected)
{
	struct planned p;

	plan(&p, text);
	assert_int_equal(why(&p, 0), expected);
	end(&p);
}

/*
 * --- where the patch goes, what moves ------------------------------------------------------------
 */

#define REST " 89 d8 5b 5d c3 ; "

static void thunk_is_as_agreed(void **state)
{
	struct planned p;
	uint64_t thunk = thunk_address(0);
	uint32_t id;

	plan(&p, "f: 55 48 89 e5 53" REST);
	expect_bytes(p.area + SNRT_HOOK_BYTES + 5, "48 8d 64 24 08");
	assert_int_equal(p.area[SNRT_HOOK_BYTES], 0xe8);
	assert_int_equal(jump_target(p.area + SNRT_HOOK_BYTES, thunk), AREA + SNRT_ENTER);
	expect_jump(p.area + SNRT_HOOK_BYTES + SNRT_THUNK_BACK, thunk + SNRT_THUNK_BACK,
		    AREA + SNRT_LEAVE);
	memcpy(&id, p.area + SNRT_HOOK_BYTES + SNRT_THUNK_ID, sizeof(id));
	assert_int_equal(id, 7);
	expect_bytes(p.patches[0].old, "55 48 89 e5 53");
	end(&p);
}

static void plain_beginning_moves(void **state)
{
	expect_moved("f: 55 48 89 e5 53" REST, 0x1000, "55 48 89 e5 53", 0x1005);
	/* an instruction that the patch only touches moves whole */
	expect_moved("f: 55 48 83 ec 10 41 54" REST, 0x1000, "55 48 83 ec 10", 0x1005);
	expect_moved("f: 55 48 81 ec 00 01 00 00" REST, 0x1000, "55 48 81 ec 00 01 00 00", 0x1008);
}

static void endbr64_stays(void **state)
{
	expect_moved("f: f3 0f 1e fa 55 48 89 e5 53" REST, 0x1004, "55 48 89 e5 53", 0x1009);
}

static void operand_relative_to_rip_follows(void **state)
{
	struct planned p;
	int32_t distance;

	/* mov 0x10(%rip),%rax: 0x1007 + 0x10; cmpl $1,0x10(%rip): the distance is not at the end */
	plan(&p, "f: 48 8b 05 10 00 00 00" REST "g: 83 3d 10 00 00 00 01" REST);
	expect_bytes(p.area + p.bodies_at, "48 8b 05");
	memcpy(&distance, p.area + p.bodies_at + 3, 4);
	assert_int_equal(AREA + p.bodies_at + 7 + distance, BIAS + 0x1017);
	expect_bytes(p.area + p.bodies_at + 12, "83 3d");
	memcpy(&distance, p.area + p.bodies_at + 14, 4);
	assert_int_equal(AREA + p.bodies_at + 12 + 7 + distance, BIAS + 0x100c + 7 + 0x10);
	end(&p);
}

static void short_branches_become_long(void **state)
{
	struct planned p;

	/* test %edi,%edi; je +2; xor %eax,%eax: the target is behind the patch */
	plan(&p, "f: 85 ff 74 02 31 c0 c3 90 c3 ; ");
	expect_bytes(p.area + p.bodies_at, "85 ff 0f 84");
	assert_int_equal(jump_target(p.area + p.bodies_at + 3, AREA + p.bodies_at + 3),
			 BIAS + 0x1006);
	end(&p);
	/* jmp over an instruction that moves, too: to its copy */
	plan(&p, "f: eb 01 90 89 f8 c3 ; ");
	expect_bytes(p.area + p.bodies_at, "e9 00 00 00 00 89 f8");
	end(&p);
}

static void sleds_are_overwritten(void **state)
{
	expect_moved("f: 90 90 90 90 90 90 90 53" REST, 0x1000, "", 0x1007);
	expect_moved("f: 0f 1f 44 00 00 53" REST, 0x1000, "", 0x1005);
	expect_moved("f: f3 0f 1e fa 66 90 0f 1f 40 00 53" REST, 0x1004, "", 0x100a);
	/* XRay */
	expect_moved("f: eb 09 66 0f 1f 84 00 00 02 00 00 53" REST, 0x1000, "", 0x100b);
	/* a sled that is too short moves, but nops need not */
	expect_moved("f: 90 90 55 48 89 e5" REST, 0x1000, "55 48 89 e5", 0x1006);
}

static void calls_of_counters_disappear(void **state)
{
	struct planned p;

	/* call __fentry__; functions are in the order of their addresses */
	expect_moved("f: e8 06 00 00 00 53" REST "__fentry__: c3 90 90 90 90 ; ", 0x1000, "",
		     0x1005);
	/* push; mov; call mcount: the call is touched by the patch */
	expect_moved("f: 55 48 89 e5 e8 06 00 00 00 53" REST "mcount: c3 90 90 90 90 ; ", 0x1000,
		     "55 48 89 e5", 0x1009);
	/* push; mov; push; call mcount: not touched */
	plan(&p, "f: 55 48 89 e5 53 e8 05 00 00 00" REST "mcount: c3 90 90 90 90 ; ");
	assert_int_equal(why(&p, 0), USERIMAGE_HOOKED);
	assert_int_equal(why(&p, 1), USERIMAGE_RETURNS);
	assert_int_equal(p.n_patches, 2);
	assert_int_equal(p.patches[1].addr, BIAS + 0x1005);
	expect_bytes(p.patches[1].old, "e8 05 00 00 00");
	expect_bytes(p.patches[1].new_, "0f 1f 44 00 00");
	end(&p);
}

static void call_stays_if_there_is_a_hole(void **state)
{
	struct planned p;

	/* sub $8,%rsp; call g; add; ret; padding of 6 bytes */
	plan(&p, "f: 48 83 ec 08 e8 0b 00 00 00 48 83 c4 08 c3 ; 66 0f 1f 44 00 00 g: c3 90 90 90 "
		 "90 ; ");
	assert_int_equal(why(&p, 0), USERIMAGE_HOOKED);
	assert_int_equal(p.patches[0].addr, BIAS + 0x100f);
	expect_jump(p.patches[0].new_, BIAS + 0x100f, thunk_address(0));
	assert_int_equal(p.patches[1].n_bytes, 2);
	expect_bytes(p.patches[1].new_, "eb 0d");
	expect_bytes(p.area + p.bodies_at, "48 83 ec 08");
	end(&p);
}

static void call_moves_with_the_old_return_address(void **state)
{
	struct planned p;
	size_t at;

	/* the same without padding */
	plan(&p, "f: 48 83 ec 08 e8 05 00 00 00 48 83 c4 08 c3 ; g: c3 90 90 90 90 ; ");
	at = p.bodies_at;
	assert_int_equal(why(&p, 0), USERIMAGE_HOOKED);
	assert_int_equal(p.patches[0].n_bytes, 5);
	expect_bytes(p.area + at, "48 83 ec 08 68 09 10 40 00 c7 44 24 04 00 00 00 00");
	expect_jump(p.area + at + 17, AREA + at + 17, BIAS + 0x100e);
	end(&p);
	/* call *%rax, as the first of 5 bytes: it would return into the patch */
	expect_refused("f: ff d0 31 c0 85 c0" REST, USERIMAGE_FIXED);
}

static void short_function_takes_padding(void **state)
{
	struct planned p;

	plan(&p, "f: 31 c0 c3 ; 66 90 g: 55 48 89 e5 53" REST);
	assert_int_equal(why(&p, 0), USERIMAGE_HOOKED);
	assert_int_equal(p.patches[0].n_bytes, 5);
	expect_bytes(p.area + p.bodies_at, "31 c0 c3");
	end(&p);
	/* not what follows, if that is code */
	expect_refused("f: 31 c0 c3 ; 31 c0 g: 55 48 89 e5 53" REST, USERIMAGE_SHORT);
	expect_refused("f: 31 c0 c3 ; g: 55 48 89 e5 53" REST, USERIMAGE_SHORT);
}

static void padding_that_is_executed_is_not_free(void **state)
{
	struct planned p;

	/* g runs through its padding into f, which needs a hole; there is another one behind f */
	plan(&p, "g: 48 39 d1 0f 82 10 00 00 00 ; 0f 1f 80 00 00 00 00 f: 31 c0 c3 ; h: 55 48 89 "
		 "e5 53" REST);
	assert_int_equal(why(&p, 1), USERIMAGE_SHORT);
	end(&p);
}

/*
 * --- branches into the patch ---------------------------------------------------------------------
 */

static void loop_to_the_beginning_moves_whole(void **state)
{
	/* dec %edi; inc %eax; test; jne f; ret */
	expect_moved("f: ff cf ff c0 85 ff 75 f8 c3 ; ", 0x1000,
		     "ff cf ff c0 85 ff 0f 85 f4 ff ff ff c3", 0);
	/* with a call it stays, and the loop prevents the hook */
	expect_refused("f: ff cf ff c0 e8 05 00 00 00 75 f5 c3 90 90 ; g: c3 ; ", USERIMAGE_LOOP);
}

static void long_loop_is_redirected(void **state)
{
	struct planned p;
	int32_t distance;

	/* push; dec; …; call g; jne f (6 bytes); ret */
	plan(&p, "f: 53 ff cf ff c0 89 c3 e8 0a 00 00 00 0f 85 ee ff ff ff c3 ; 90 90 90 g: c3 90 "
		 "90 90 90 ; ");
	assert_int_equal(why(&p, 0), USERIMAGE_HOOKED);
	assert_int_equal(p.n_patches, 3);
	assert_int_equal(p.patches[1].addr, BIAS + 0x100e);
	assert_int_equal(p.patches[1].n_bytes, 4);
	memcpy(&distance, p.patches[1].new_, 4);
	assert_int_equal(BIAS + 0x1012 + distance, AREA + p.bodies_at);
	end(&p);
}

static void jump_into_the_patch_prevents_it(void **state)
{
	struct planned p;

	/* g jumps to f+3, which is the middle of the patch, but not of a patch of 2 bytes */
	plan(&p, "f: 31 c0 50 89 f8 58 c3 ; g: 55 48 89 e5 53 eb f5 c3 ; cc cc cc cc cc ");
	assert_int_equal(why(&p, 0), USERIMAGE_HOOKED);
	assert_int_equal(p.patches[1].n_bytes, 2);
	end(&p);
	expect_refused("f: 31 c0 50 89 f8 58 c3 ; g: 55 48 89 e5 53 eb f5 c3 ; ", USERIMAGE_TARGET);
	/* the same bytes, but as an operand: mov $0x00c3f5eb,%eax */
	plan(&p, "f: 31 c0 50 89 f8 58 c3 ; g: 55 48 89 e5 b8 eb f5 c3 00 c3 ; ");
	assert_int_equal(why(&p, 0), USERIMAGE_HOOKED);
	assert_int_equal(p.patches[0].n_bytes, 5);
	end(&p);
}

static void what_cannot_move_is_refused(void **state)
{
	expect_refused("f: 06 55 48 89 e5" REST, USERIMAGE_UNKNOWN);
	expect_refused("f: e3 02 31 c0 c3 90 90 90 ; ", USERIMAGE_FIXED);  /* jrcxz */
	expect_refused("f: 48 8b 05 00 00 00 40" REST, USERIMAGE_DISTANT); /* beyond the image */
}

/*
 * --- names ---------------------------------------------------------------------------------------
 */

static bool chosen(const struct userchoice *c, const char *file, const char *symbol)
{
	return userchoice_has(c, file, symbol, 100);
}

static bool chosen_from(const char *rule, const char *file, const char *source)
{
	struct userchoice c = {.is_program = true};
	struct errmsg err = {0};
	bool has;

	assert_int_equal(userchoice_add(&c, rule, false, &err), 0);
	assert_true(userchoice_names_sources(&c));
	c.is_program = !strcmp(file, "prog");
	has = userchoice_has_from(&c, file, "work", source, 100);
	userchoice_release(&c);
	return has;
}

/* As many last parts of the path as the rule has. */
static void rules_name_source_files(void **state)
{
	static const char path[] = "/home/me/src/net/parse.c";

	assert_true(chosen_from("*@parse.c", "prog", path));
	assert_true(chosen_from("wo*@net/parse.c", "prog", path));
	assert_true(chosen_from("work@@parse.c", "prog", path));
	assert_true(chosen_from("/^wo/@src/*/p*.c", "prog", path));
	assert_true(chosen_from("*@/home/me/src/net/parse.c", "prog", path));
	assert_true(chosen_from("*@src/", "prog", path));
	assert_true(chosen_from("*@src/net/", "prog", path));
	assert_true(chosen_from("*@libz@parse.c", "libz.so.1", path));
	assert_false(chosen_from("*@libz@parse.c", "libm.so.6", path));
	assert_false(chosen_from("*@arse.c", "prog", path));
	assert_false(chosen_from("*@src/parse.c", "prog", path));
	assert_false(chosen_from("rest@parse.c", "prog", path));
	assert_false(chosen_from("*@sr/", "prog", path));
	assert_false(chosen_from("*@parse.c", "prog", NULL));
	assert_true(chosen_from("*@parse.c", "prog", "parse.c"));
	assert_false(chosen_from("*@net/parse.c", "prog", "parse.c"));
}

static void last_rule_decides(void **state)
{
	struct userchoice c = {.is_program = true, .min_bytes = 50};
	struct errmsg err = {0};

	assert_true(chosen(&c, "prog", "work"));
	assert_false(userchoice_has(&c, "prog", "work", 49));
	c.is_program = false;
	assert_false(chosen(&c, "libz.so.1", "inflate"));
	assert_false(userchoice_wants(&c, "/lib/libz.so.1"));
	assert_int_equal(userchoice_add(&c, "w*", false, &err), 0);
	assert_int_equal(userchoice_add(&c, "work_slow", true, &err), 0);
	assert_int_equal(userchoice_add(&c, "/^in(fla|st)/@libz", false, &err), 0);
	assert_int_equal(userchoice_add(&c, "@libm.so*", false, &err), 0);
	assert_true(userchoice_wants(&c, "/lib/libz.so.1"));
	assert_false(userchoice_wants(&c, "/lib/libc.so.6"));
	assert_true(chosen(&c, "libz.so.1", "inflate"));
	assert_false(chosen(&c, "libz.so.1", "deflate"));
	assert_false(chosen(&c, "libzstd.so.1", "inflate"));
	assert_true(chosen(&c, "libm.so.6", "sin"));
	c.is_program = true;
	assert_true(chosen(&c, "prog", "work"));
	assert_false(chosen(&c, "prog", "work_slow"));
	assert_false(chosen(&c, "prog", "rest"));
	userchoice_release(&c);
	assert_int_equal(userchoice_add(&c, "ns::Box::*", false, &err), 0);
	c.is_program = true;
	assert_true(chosen(&c, "prog", "_ZN2ns3Box3getEv"));
	assert_false(chosen(&c, "prog", "_ZN2ns3Bag3getEv"));
	assert_int_equal(userchoice_add(&c, "/a(/", false, &err), -EINVAL);
	assert_int_equal(userchoice_add(&c, "a@", false, &(struct errmsg){0}), -EINVAL);
	assert_int_equal(userchoice_add(&c, "", false, &(struct errmsg){0}), -EINVAL);
	assert_int_equal(userchoice_add(&c, "a[b", false, &(struct errmsg){0}), -EINVAL);
	assert_int_equal(userchoice_add(&c, "operator\\[]", false, &(struct errmsg){0}), 0);
	assert_int_equal(userchoice_add(&c, "a[]b]", false, &(struct errmsg){0}), 0);
	assert_false(chosen(&c, "prog", "rest"));
	c.has_program = true;
	assert_true(chosen(&c, "prog", "rest"));
	userchoice_release(&c);
}

static void some_are_never_hooked(void **state)
{
	struct planned p;

	plan(&p, "_start: 55 48 89 e5 53" REST "setjmp: 55 48 89 e5 53" REST
		 "work.cold: 55 48 89 e5 53" REST "_Unwind_Resume: 55 48 89 e5 53" REST
		 "_ZN2ns3Box3getEv: 55 48 89 e5 53" REST);
	assert_int_equal(why(&p, 0), USERIMAGE_STARTUP);
	assert_int_equal(why(&p, 1), USERIMAGE_RETURNS);
	assert_int_equal(why(&p, 2), USERIMAGE_FRAGMENT);
	assert_int_equal(why(&p, 3), USERIMAGE_UNWINDER);
	assert_int_equal(why(&p, 4), USERIMAGE_HOOKED);
	assert_string_equal(userimage_name(p.img, 4), "ns::Box::get");
	assert_int_equal(userimage_n_hooks(p.img), 1);
	assert_int_equal(userimage_hooked(p.img, 0), 4);
	for (size_t i = 0; i < USERIMAGE_N_WHY; i++)
		assert_true(strlen(userimage_reason(i)) > 10);
	end(&p);
	plan(&p, "_ZN2v84base3getEv: 55 48 89 e5 53" REST "Builtins_Add: 55 48 89 e5 53" REST
		 "_Z4callRKN2v85ValueE: 55 48 89 e5 53" REST "__asan_init: 55 48 89 e5 53" REST
		 "uv_run: 55 48 89 e5 53" REST);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(why(&p, i), USERIMAGE_V8);
	assert_int_equal(why(&p, 3), USERIMAGE_SANITIZER);
	assert_int_equal(why(&p, 4), USERIMAGE_HOOKED);
	end(&p);
}

/*
 * --- areas ---------------------------------------------------------------------------------------
 */

static int find_area(const char *maps, uint64_t low, uint64_t high, size_t n_bytes, uint64_t *ret)
{
	return userarea_find(maps, strlen(maps), low, high, n_bytes, NULL, 0, ret);
}

static void area_is_near_and_free(void **state)
{
	static const char maps[] =
		"555555554000-555555600000 r-xp 00000000 08:01 1 /bin/prog\n"
		"555555600000-555595700000 rw-p 00000000 00:00 0 [heap]\n"
		"7ffff7d00000-7ffff7f00000 r-xp 00000000 08:01 2 /lib/libc.so.6\n"
		"7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0 [stack]\n";
	static const char full[] = "10000-7ffffffff000 r-xp 00000000 08:01 1 /bin/prog\n";
	struct userarea taken = {0};
	uint64_t at;

	assert_int_equal(find_area(maps, 0x555555554000, 0x555555600000, 0x10000, &at), 0);
	assert_true(at >= 0x555595700000 || at + 0x10000 <= 0x555555554000);
	assert_true(at + 0x10000 - 0x555555554000 < 0x7fffffff);
	taken = (struct userarea){at, at + 0x10000};
	assert_int_equal(userarea_find(maps, strlen(maps), 0x555555554000, 0x555555600000, 0x10000,
				       &taken, 1, &at),
			 0);
	assert_true(at >= taken.end || at + 0x10000 <= taken.begin);
	/* not below the stack, where it grows */
	assert_int_equal(find_area(maps, 0x7ffff7d00000, 0x7ffff7f00000, 0x10000, &at), 0);
	assert_true(at + 0x10000 <= 0x7ffffffde000 - 0x100000);
	assert_true(at >= 0x7ffff7f00000 || at + 0x10000 <= 0x7ffff7d00000);
	/* a program at a fixed low address */
	assert_int_equal(find_area("400000-500000 r-xp 0 0:0 1 /bin/prog\n", 0x400000, 0x500000,
				   0x1000, &at),
			 0);
	assert_true(at >= 0x500000 && at < 0x7fffffff);
	assert_int_equal(find_area(full, 0x400000, 0x500000, 0x1000, &at), -ENOSPC);
	assert_int_equal(find_area(maps, 0x10000, 0x90000000, 0x1000, &at), -ENOSPC);
}

static void area_that_is_too_far_is_refused(void **state)
{
	struct userimage_place place = {.bias = BIAS, .area = 0x7fffffff0000, .first_id = 1};
	struct planned p;

	plan(&p, "f: 55 48 89 e5 53" REST);
	assert_int_equal(userimage_build(p.img, &place, p.area, p.patches), -ERANGE);
	place = (struct userimage_place){.bias = BIAS, .area = AREA, .first_id = SNRT_FUNC_MAX + 1};
	assert_int_equal(userimage_build(p.img, &place, p.area, p.patches), -ERANGE);
	end(&p);
}

/*
 * --- hostile files -------------------------------------------------------------------------------
 */

static void any_bytes_are_survived(void **state)
{
	static struct maker m;
	struct userchoice choice = {.is_program = true};
	uint32_t seed = 1;
	int fd = make(&m, "f: f3 0f 1e fa 48 8b 05 10 00 00 00" REST
			  "g: ff cf ff c0 85 ff 75 f8 c3 ; 66 90 mcount: c3 ; ");

	for (unsigned round = 0; round < 3000; round++) {
		struct userimage *img;
		struct errmsg err = {0};
		uint8_t byte;
		off_t at;

		seed = seed * 1103515245 + 12345;
		at = seed >> 8;
		at = at & 1   ? at / 2 % 128
		     : at & 2 ? TEXT + at / 4 % m.n_text
			      : FILE_MAX + at / 4 % 2400;
		byte = seed >> 3 & 4 ? 0xff : seed >> 24;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		if (!userimage_open(&img, "made", fd, &choice, &err)) {
			struct userimage_place place = {.bias = BIAS, .area = AREA, .first_id = 1};
			uint8_t *area = malloc(userimage_area_bytes(img));
			struct snrt_patch *patches =
				malloc((userimage_n_patches(img) + 1) * sizeof(*patches));

			userimage_build(img, &place, area, patches);
			free(area);
			free(patches);
			userimage_close(img);
		} else {
			assert_true(*err.text);
		}
		if (round % 4 == 3)
			assert_int_equal(pwrite(fd, m.file, sizeof(m.file), 0), sizeof(m.file));
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thunk_is_as_agreed),
		cmocka_unit_test(plain_beginning_moves),
		cmocka_unit_test(endbr64_stays),
		cmocka_unit_test(operand_relative_to_rip_follows),
		cmocka_unit_test(short_branches_become_long),
		cmocka_unit_test(sleds_are_overwritten),
		cmocka_unit_test(calls_of_counters_disappear),
		cmocka_unit_test(call_stays_if_there_is_a_hole),
		cmocka_unit_test(call_moves_with_the_old_return_address),
		cmocka_unit_test(short_function_takes_padding),
		cmocka_unit_test(padding_that_is_executed_is_not_free),
		cmocka_unit_test(loop_to_the_beginning_moves_whole),
		cmocka_unit_test(long_loop_is_redirected),
		cmocka_unit_test(jump_into_the_patch_prevents_it),
		cmocka_unit_test(what_cannot_move_is_refused),
		cmocka_unit_test(rules_name_source_files),
		cmocka_unit_test(last_rule_decides),
		cmocka_unit_test(some_are_never_hooked),
		cmocka_unit_test(area_is_near_and_free),
		cmocka_unit_test(area_that_is_too_far_is_refused),
		cmocka_unit_test(any_bytes_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
