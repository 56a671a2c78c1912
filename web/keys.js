// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * keys.js - from keys to commands (commands.js).
 *
 * Keys that move act while they are held; all others once. Nothing is taken while the user types, and
 * elements that have keys of their own (tree, list, tabs) stop theirs before they come here.
 */
import { COMMANDS } from './commands.js';

function typing(target) {
	return target instanceof HTMLElement && (target.isContentEditable ||
		(/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !/^(checkbox|button)$/.test(target.type)));
}

export function init_keys(app) {
	const table = new Map();
	for (const command of COMMANDS)
		for (const key of command[2])
			table.set(key, command);
	const down = new Map();		/* code → [pan, zoom] */
	const apply = () => {
		let pan = 0, zoom = 0;
		for (const [p, z] of down.values()) {
			pan += p;
			zoom += z;
		}
		const x = app.pointer.x !== null ? app.pointer.x : app.view.width / 2;
		app.view.hold(pan, zoom, x);
	};
	const find = (event) => {
		const flags = `${event.ctrlKey || event.metaKey ? 'C-' : ''}${event.shiftKey ? 'S-' : ''}${event.altKey ? 'A-' : ''}`;
		const plain = !(event.ctrlKey || event.metaKey || event.altKey);
		return (plain && table.get(`"${event.key}"`)) || table.get(flags + event.code);
	};
	document.addEventListener('keydown', (event) => {
		if (typing(event.target) || document.querySelector('dialog[open]') || event.isComposing)
			return;
		const onButton = event.target instanceof HTMLElement && /^(BUTTON|A|TH|TR)$/.test(event.target.tagName);
		if (onButton && (event.key === 'Enter' || event.key === ' '))
			return;
		const command = find(event);
		if (!command)
			return;
		event.preventDefault();
		const act = command[3];
		if (!act.hold) {
			if (!event.repeat || /^(Period|Comma|KeyN)$/.test(event.code))
				Promise.resolve(act(app)).catch((error) => !error.gone && console.warn(error));
			return;
		}
		if (!down.has(event.code)) {
			down.set(event.code, act.hold);
			nudge(app, act.hold);
		}
		apply();
	});
	document.addEventListener('keyup', (event) => {
		if (down.delete(event.code))
			apply();
	});
	addEventListener('blur', () => {
		down.clear();
		apply();
	});
}

/* A short press moves by a step that can be seen. */
function nudge(app, [pan, zoom]) {
	if (pan)
		app.view.pan(pan * app.view.width * .04);
	if (zoom)
		app.view.zoomAt(app.pointer.x ?? app.view.width / 2, zoom > 0 ? .85 : 1 / .85);
}
