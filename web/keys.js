// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * keys.js - map keys to commands (commands.js).
 *
 * The character of a key counts, so that / : [ ] work on any layout; a character that needs Shift
 * or AltGr is that character, however it was typed. For letters, Shift is a flag. If letters are
 * not Latin, the position of the key selects the letter.
 *
 * Keys that move the picture act while they are held; all other keys act once. Keys are ignored
 * while the user types. Elements with their own keys (tree, list, tabs) stop these events before
 * they arrive here. Escape closes a box at once, so that the next key is not lost.
 */
import { COMMANDS } from './commands.js';

function typing(target) {
	return target instanceof HTMLElement && !target.closest('dialog:not([open])') && (target.isContentEditable ||
		(/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !/^(checkbox|button)$/.test(target.type)));
}

/* Returns the name of a key in the table of commands. */
export function key_of(event) {
	const { key, code } = event, named = key.length > 1;
	if (key === ' ')
		return flags_of(event) + 'Space';
	if (named)
		return flags_of(event) + key;
	const latin = /^[\x21-\x7e]$/.test(key) ? key : /^Key[A-Z]$/.test(code) ? code.slice(3) : key;
	if (/[a-z]/i.test(latin))
		return typed(event) ? latin : flags_of(event) + latin.toLowerCase();
	return !typed(event) && (event.ctrlKey || event.metaKey) ? `C-${latin}` : latin;
}

function flags_of(event) {
	return `${event.ctrlKey || event.metaKey ? 'C-' : ''}${event.shiftKey ? 'S-' : ''}${event.altKey ? 'A-' : ''}`;
}

/* AltGr makes characters, not commands; some systems report it as Ctrl+Alt. */
function typed(event) {
	return event.getModifierState('AltGraph') || (event.ctrlKey && event.altKey);
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
	document.addEventListener('keydown', (event) => {
		const box = document.querySelector('dialog[open]');
		if (box && event.key === 'Escape' && !event.isComposing) {
			event.preventDefault();
			box.close();
			if (box.contains(document.activeElement))	/* otherwise the box gets the keys that come before the next frame */
				document.activeElement.blur();
			return;
		}
		if (box || typing(event.target) || event.isComposing)
			return;
		const onButton = event.target instanceof HTMLElement && /^(BUTTON|A|TH|TR)$/.test(event.target.tagName);
		if (onButton && (event.key === 'Enter' || event.key === ' '))
			return;
		const key = key_of(event), command = table.get(key);
		if (!command)
			return;
		event.preventDefault();
		const act = command[3];
		if (!act.hold) {
			if (!event.repeat || /^([.,en]|S-[en])$/.test(key))
				app.attempt(() => act(app));
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

/* A short press moves by a visible step. */
function nudge(app, [pan, zoom]) {
	if (pan)
		app.view.pan(pan * app.view.width * .04);
	if (zoom)
		app.view.zoomAt(app.pointer.x ?? app.view.width / 2, zoom > 0 ? .85 : 1 / .85);
}
