// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reason.c - why functions have no hook: the sentences, and the names that never get one.
 *
 * A hook replaces the return address. So a function must have no hook if it reads its return
 * address, returns twice, or gets no return address. Such functions are known only by their names.
 * Helpers of the compiler and the C library could have hooks, but users do not want to see them.
 *
 * Unwinders begin at their own return address, so they have no hook in any image. Hooks need the
 * loader, so it has none, either. V8 finds the JavaScript frames below a C++ function by the return
 * address of that function. So functions that JavaScript calls have no hook: those of V8, and those
 * of the program that have V8's types as parameters. Generated code (Builtins_) is not a function.
 */
#include "capture/user/image_int.h"
#include "base/array.h"
#include "format/bytes.h"

#include <string.h>

static const char *const sentences[USERIMAGE_N_WHY] = {
	[USERIMAGE_HOOKED] = "it is hooked",
	[USERIMAGE_STARTUP] = "it is a helper that starts or ends programs",
	[USERIMAGE_RETURNS] = "it returns more than once, or depends on its return address",
	[USERIMAGE_RESOLVER] = "it only selects an implementation (IFUNC)",
	[USERIMAGE_FRAGMENT] = "it is a part of another function, reached by a jump",
	[USERIMAGE_UNCALLED] =
		"it has no name and no calls, so it may be a part of another function",
	[USERIMAGE_OUTSIDE] = "its code is not in the file, or outside the program's main code",
	[USERIMAGE_SHORT] = "it is shorter than a jump, and there is no padding near",
	[USERIMAGE_UNKNOWN] = "it begins with an instruction that sonde does not know",
	[USERIMAGE_FIXED] = "an instruction at its beginning works only where it is",
	[USERIMAGE_DISTANT] = "it begins with an operand outside the image",
	[USERIMAGE_LOOP] = "it jumps back to its own beginning",
	[USERIMAGE_TARGET] = "there is a jump into its first bytes",
	[USERIMAGE_TABLE] = "a table of addresses leads into its first bytes",
	[USERIMAGE_GO] = "the program is written in Go, which moves stacks",
	[USERIMAGE_V8] =
		"it belongs to V8 or is called by JavaScript, which needs its return address",
	[USERIMAGE_UNWINDER] = "it is, or may be, a part of what unwinds stacks or loads libraries",
	[USERIMAGE_SANITIZER] = "it belongs to a sanitizer, which shows its return address",
	[USERIMAGE_EMPTY] = "it only returns: one place for its call and its return",
	[USERIMAGE_MANY] = "there are more functions than a recording can number",
};

const char *userimage_reason(enum userimage_why why)
{
	return (size_t)why < USERIMAGE_N_WHY ? sentences[why] : "unknown";
}

struct special {
	const char *name;
	enum userimage_why why;
};

/* By their first letters. */
static const struct special names[] = {
	{"_Fork", USERIMAGE_RETURNS},
	{"__do_global_ctors_aux", USERIMAGE_STARTUP},
	{"__do_global_dtors_aux", USERIMAGE_STARTUP},
	{"__fentry__", USERIMAGE_RETURNS},
	{"__fork", USERIMAGE_RETURNS},
	{"__getcontext", USERIMAGE_RETURNS},
	{"__gmon_start__", USERIMAGE_STARTUP},
	{"__libc_csu_fini", USERIMAGE_STARTUP},
	{"__libc_csu_init", USERIMAGE_STARTUP},
	{"__libc_fork", USERIMAGE_RETURNS},
	{"__libc_vfork", USERIMAGE_RETURNS},
	{"__morestack", USERIMAGE_RETURNS},
	{"__restore_rt", USERIMAGE_RETURNS},
	{"__setcontext", USERIMAGE_RETURNS},
	{"__sigsetjmp", USERIMAGE_RETURNS},
	{"__start_context", USERIMAGE_RETURNS},
	{"__swapcontext", USERIMAGE_RETURNS},
	{"__tls_get_addr", USERIMAGE_RETURNS},
	{"__tls_get_addr_slow", USERIMAGE_RETURNS},
	{"__vfork", USERIMAGE_RETURNS},
	{"_dl_relocate_static_pie", USERIMAGE_STARTUP},
	{"_fini", USERIMAGE_STARTUP},
	{"_init", USERIMAGE_STARTUP},
	{"_mcount", USERIMAGE_RETURNS},
	{"_setjmp", USERIMAGE_RETURNS},
	{"_start", USERIMAGE_STARTUP},
	{"add_fdes", USERIMAGE_UNWINDER},
	{"base_of_encoded_value", USERIMAGE_UNWINDER},
	{"classify_object_over_fdes", USERIMAGE_UNWINDER},
	{"clone", USERIMAGE_RETURNS},
	{"clone3", USERIMAGE_RETURNS},
	{"deregister_tm_clones", USERIMAGE_STARTUP},
	{"dlmopen", USERIMAGE_RETURNS},
	{"dlopen", USERIMAGE_RETURNS},
	{"dlsym", USERIMAGE_RETURNS},
	{"dlvsym", USERIMAGE_RETURNS},
	{"execute_cfa_program", USERIMAGE_UNWINDER},
	{"execute_stack_op", USERIMAGE_UNWINDER},
	{"fork", USERIMAGE_RETURNS},
	{"frame_dummy", USERIMAGE_STARTUP},
	{"get_cie_encoding", USERIMAGE_UNWINDER},
	{"getcontext", USERIMAGE_RETURNS},
	{"init_dwarf_reg_size_table", USERIMAGE_UNWINDER},
	{"linear_search_fdes", USERIMAGE_UNWINDER},
	{"mcount", USERIMAGE_RETURNS},
	{"read_encoded_value", USERIMAGE_UNWINDER},
	{"read_encoded_value_with_base", USERIMAGE_UNWINDER},
	{"register_tm_clones", USERIMAGE_STARTUP},
	{"search_object", USERIMAGE_UNWINDER},
	{"setcontext", USERIMAGE_RETURNS},
	{"setjmp", USERIMAGE_RETURNS},
	{"sigsetjmp", USERIMAGE_RETURNS},
	{"swapcontext", USERIMAGE_RETURNS},
	{"vfork", USERIMAGE_RETURNS},
};

static const struct special beginnings[] = {
	{"_ULx86_64_", USERIMAGE_UNWINDER},
	{"_U_dyn_", USERIMAGE_UNWINDER},
	{"_Unwind_", USERIMAGE_UNWINDER},
	{"_Ux86_64_", USERIMAGE_UNWINDER},
	{"_ZN11__sanitizer", USERIMAGE_SANITIZER},
	{"_ZN14__interception", USERIMAGE_SANITIZER},
	{"_ZN6__asan", USERIMAGE_SANITIZER},
	{"_ZN6__lsan", USERIMAGE_SANITIZER},
	{"_ZN6__msan", USERIMAGE_SANITIZER},
	{"_ZN6__tsan", USERIMAGE_SANITIZER},
	{"_ZN7__ubsan", USERIMAGE_SANITIZER},
	{"_ZN9libunwind", USERIMAGE_UNWINDER},
	{"_ZNK9libunwind", USERIMAGE_UNWINDER},
	{"___interceptor_", USERIMAGE_SANITIZER},
	{"__asan_", USERIMAGE_SANITIZER},
	{"__clone", USERIMAGE_RETURNS},
	{"__cyg_profile_func_", USERIMAGE_RETURNS},
	{"__deregister_frame", USERIMAGE_UNWINDER},
	{"__frame_state_for", USERIMAGE_UNWINDER},
	{"__gcc_personality_", USERIMAGE_UNWINDER},
	{"__gxx_personality_", USERIMAGE_UNWINDER},
	{"__interceptor_", USERIMAGE_SANITIZER},
	{"__libc_start_", USERIMAGE_STARTUP},
	{"__llvm_retpoline_", USERIMAGE_RETURNS},
	{"__lsan_", USERIMAGE_SANITIZER},
	{"__msan_", USERIMAGE_SANITIZER},
	{"__register_frame", USERIMAGE_UNWINDER},
	{"__sancov_", USERIMAGE_SANITIZER},
	{"__sanitizer_", USERIMAGE_SANITIZER},
	{"__tsan_", USERIMAGE_SANITIZER},
	{"__ubsan_", USERIMAGE_SANITIZER},
	{"__unw_", USERIMAGE_UNWINDER},
	{"__x86.get_pc_thunk.", USERIMAGE_RETURNS},
	{"__x86_indirect_", USERIMAGE_RETURNS},
	{"__x86_return_thunk", USERIMAGE_RETURNS},
	{"__xray_", USERIMAGE_RETURNS},
	{"_dl_runtime_", USERIMAGE_RETURNS},
	{"_dl_tlsdesc_", USERIMAGE_RETURNS},
	{"unw_", USERIMAGE_UNWINDER},
	{"uw_frame_state_for", USERIMAGE_UNWINDER},
	{"uw_init_context", USERIMAGE_UNWINDER},
	{"uw_install_context", USERIMAGE_UNWINDER},
	{"uw_update_context", USERIMAGE_UNWINDER},
};

/* The rows whose names begin with the letter are together, and few. */
static const struct special *find_name(const char *symbol)
{
	size_t low = 0, high = ARRAY_LEN(names);

	while (low < high) { /* the first one with that letter */
		size_t mid = low + (high - low) / 2;

		if (names[mid].name[0] < symbol[0])
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < ARRAY_LEN(names) && names[low].name[0] == symbol[0]; low++)
		if (!strcmp(names[low].name, symbol))
			return &names[low];
	return NULL;
}

/* "work.cold", "work.cold.3", "work.__part.2". */
static bool is_cold(const char *name)
{
	const char *dot = *name ? strchr(name + 1, '.') : NULL;

	for (; dot; dot = strchr(dot + 1, '.'))
		if ((!strncmp(dot, ".cold", 5) && (!dot[5] || dot[5] == '.')) ||
		    !strncmp(dot, ".__part.", 8))
			return true;
	return false;
}

enum userimage_why userimage_special(const char *symbol)
{
	const struct special *s = find_name(symbol);

	if (s)
		return s->why;
	if (*symbol == '_' || *symbol == 'u')
		for (size_t i = 0; i < ARRAY_LEN(beginnings); i++)
			if (!strncmp(symbol, beginnings[i].name, strlen(beginnings[i].name)))
				return beginnings[i].why;
	return is_cold(symbol) ? USERIMAGE_FRAGMENT : USERIMAGE_HOOKED;
}

/* By their names up to a dot or hyphen. */
static const struct special files[] = {
	{"ld", USERIMAGE_UNWINDER},	      {"libasan", USERIMAGE_SANITIZER},
	{"libclang_rt", USERIMAGE_SANITIZER}, {"libgcc_s", USERIMAGE_UNWINDER},
	{"liblsan", USERIMAGE_SANITIZER},     {"libsonde-rt", USERIMAGE_UNWINDER},
	{"libtsan", USERIMAGE_SANITIZER},     {"libubsan", USERIMAGE_SANITIZER},
	{"libunwind", USERIMAGE_UNWINDER},
};

enum userimage_why userimage_file_why(const struct userimage *img)
{
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		size_t len = strlen(files[i].name);

		if (!strncmp(img->file, files[i].name, len) &&
		    (img->file[len] == '.' || img->file[len] == '-') &&
		    strstr(img->file + len, ".so"))
			return files[i].why;
	}
	if (elfview_section(&img->elf, ".gopclntab") ||
	    elfview_section(&img->elf, ".note.go.buildid"))
		return USERIMAGE_GO;
	return USERIMAGE_HOOKED;
}

bool userimage_shows_v8(const char *symbol)
{
	return !strncmp(symbol, "_ZN2v8", 6) || !strncmp(symbol, "_ZNK2v8", 7);
}

/* In any image: what has V8's types among its parameters. In V8's own: generated code, C names. */
bool userimage_is_v8(const char *symbol, bool has_v8)
{
	if (!symbol)
		return has_v8;
	return strstr(symbol, "N2v8") || strstr(symbol, "NK2v8") ||
	       (has_v8 && (strstr(symbol, "v8") || !strncmp(symbol, "Builtins_", 9)));
}

/* Only libgcc's unwinder calls _dl_find_object(), since gcc 12; older ones have no such symbol. */
bool userimage_has_unwinder(const struct userimage *img)
{
	static const char name[] = "_dl_find_object";
	const Elf64_Shdr *symbols = elfview_section_of_type(&img->elf, SHT_DYNSYM);
	struct piece table = elfview_contents(&img->elf, symbols);
	struct piece strings = elfview_contents(&img->elf, elfview_linked(&img->elf, symbols));

	if (!strings.len || !memmem(strings.data, strings.len, name, sizeof(name)))
		return false;
	for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.len; at += sizeof(Elf64_Sym)) {
		const char *found;
		Elf64_Sym s;

		memcpy(&s, table.data + at, sizeof(s));
		found = s.st_shndx == SHN_UNDEF ? elfview_string(strings, s.st_name) : NULL;
		if (found && !strcmp(found, name))
			return true;
	}
	return false;
}
