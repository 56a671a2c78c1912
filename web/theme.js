// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * theme.js - light, dark, or the system's theme; the colours of the style sheet for the canvases.
 *
 * The choice is stored in the browser (localStorage), not in the address: a link shows the same
 * picture in the reader's own colours.
 */
const KEY = 'sonde-theme';

export function read_theme() {
	const css = getComputedStyle(document.documentElement), get = (name) => css.getPropertyValue(name).trim();
	const dark = document.documentElement.dataset.theme === 'dark';
	return {
		dark,
		font: getComputedStyle(document.body).fontFamily,
		bg: get('--bg'), bg2: get('--bg2'), bg3: get('--bg3'), line: get('--line'), line2: get('--line2'),
		text: get('--text'), text2: get('--text2'), text3: get('--text3'),
		accent: get('--accent'), accent_text: get('--accent-text'), hit: get('--hit'), warn: get('--warn'),
		grid: dark ? 'rgb(255 255 255 / 6%)' : 'rgb(20 40 70 / 7%)',
		range: dark ? 'rgb(109 179 238 / 15%)' : 'rgb(31 111 178 / 11%)',
		shade: dark ? 'rgb(0 0 0 / 35%)' : 'rgb(120 130 145 / 14%)',
		aside: dark ? 'rgb(10 13 18 / 38%)' : 'rgb(236 239 243 / 55%)',
		veil: dark ? 'rgb(13 17 22 / 62%)' : 'rgb(246 247 249 / 70%)',
		hill: dark ? '#46637d' : '#9db8d2',
	};
}

function wanted() {
	let kept = null;
	try {
		kept = localStorage.getItem(KEY);
	} catch {
		/* storage may be forbidden: use the system's theme */
	}
	if (kept === 'light' || kept === 'dark')
		return kept;
	return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/* Sets the theme now and whenever the system's theme changes; calls apply(). */
export function init_theme(apply) {
	const set = () => {
		document.documentElement.dataset.theme = wanted();
		apply(read_theme());
	};
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', set);
	set();
	return () => {
		const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
		try {
			localStorage.setItem(KEY, next);
		} catch {
			/* storage may be forbidden: then the choice is not stored */
		}
		document.documentElement.dataset.theme = next;
		apply(read_theme());
	};
}
