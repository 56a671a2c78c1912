// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What eslint checks in web/ and in the tests of the browser: its recommended rules, and the few below.
 */
import js from "@eslint/js";

const names = (text) => Object.fromEntries(text.trim().split(/\s+/).map((name) => [name, "readonly"]));

const BOTH = names(`
	console performance fetch URL URLSearchParams TextDecoder TextEncoder AbortController structuredClone
	setTimeout clearTimeout setInterval clearInterval queueMicrotask`);
const BROWSER = names(`
	window document location history navigator localStorage sessionStorage devicePixelRatio matchMedia
	innerWidth innerHeight addEventListener removeEventListener requestAnimationFrame
	cancelAnimationFrame getComputedStyle getSelection ResizeObserver Blob Image ImageData OffscreenCanvas Path2D
	DOMException Event CustomEvent KeyboardEvent MouseEvent PointerEvent WheelEvent HTMLElement Element Node`);
const NODE = names("process Buffer");

export default [
	js.configs.recommended,
	{
		files: ["web/**/*.js"],
		languageOptions: {ecmaVersion: 2022, sourceType: "module", globals: {...BOTH, ...BROWSER}},
	},
	{
		// functions that Playwright runs in the page stand in these files, too
		files: ["tests/**/*.mjs"],
		languageOptions: {ecmaVersion: 2022, sourceType: "module", globals: {...BOTH, ...BROWSER, ...NODE}},
	},
	{
		rules: {
			"array-callback-return": "error",
			"eqeqeq": ["error", "always", {null: "ignore"}],
			"no-eval": "error",
			"no-implied-eval": "error",
			"no-new-func": "error",
			"no-self-compare": "error",
			"no-unmodified-loop-condition": "error",
			"no-unused-vars": ["error", {args: "none"}],
			"no-var": "error",
			"prefer-const": "error",
		},
	},
];
