// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sizes.js - movable borders: the column of names, the columns of the event list, the height of the
 * panels.
 *
 * The mouse drags a border, or the arrow keys move it while it has the focus; a double click, or
 * Home, restores the size of the style sheet. Sizes are stored in the browser (localStorage), like
 * the theme, not in the address.
 */
const KEY = 'sonde-sizes', STEP = 10;	/* pixels per arrow key */

function read() {
	try {
		const kept = JSON.parse(localStorage.getItem(KEY));
		return kept && typeof kept === 'object' ? kept : {};
	} catch {
		return {};	/* storage may be forbidden, or invalid */
	}
}

function write(sizes) {
	try {
		localStorage.setItem(KEY, JSON.stringify(sizes));
	} catch {
		/* storage may be forbidden: then the size is not stored */
	}
}

/* Applies a size with apply(px or null), and stores it. px null: the size of the style sheet. */
function settle({ name, least, most, apply }, px) {
	const sizes = read(), ceiling = typeof most === 'function' ? most() : most;
	const wanted = px === null ? null : Math.round(Math.max(least, Math.min(ceiling, px)));
	if (wanted === null)
		delete sizes[name];
	else
		sizes[name] = wanted;
	write(sizes);
	apply(wanted);
}

/*
 * Makes bar a border. border: {name, least, most, now() → px, from(event) → px at the pointer,
 * apply(px or null), upright}. upright: the border is vertical, and moves to the left and right.
 */
export function make_border(bar, border) {
	const keys = border.upright ? { ArrowLeft: -1, ArrowRight: 1 } : { ArrowUp: 1, ArrowDown: -1 };
	bar.addEventListener('pointerdown', (event) => {
		if (event.button)
			return;
		bar.setPointerCapture(event.pointerId);
		const go = (e) => settle(border, border.from(e));
		const end = () => bar.removeEventListener('pointermove', go);
		bar.addEventListener('pointermove', go);
		bar.addEventListener('pointerup', end, { once: true });
		bar.addEventListener('pointercancel', end, { once: true });
		event.preventDefault();
		event.stopPropagation();
	});
	bar.addEventListener('click', (event) => event.stopPropagation());
	bar.addEventListener('dblclick', (event) => {
		event.stopPropagation();
		settle(border, null);
	});
	bar.addEventListener('keydown', (event) => {
		if (!keys[event.key] && event.key !== 'Home')
			return;
		event.preventDefault();
		event.stopPropagation();
		settle(border, event.key === 'Home' ? null : border.now() + keys[event.key] * STEP);
	});
	const kept = read()[border.name];
	if (Number.isFinite(kept))
		border.apply(Math.max(border.least, kept));
}
