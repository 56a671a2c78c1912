// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * help.js - the meaning of the picture, and all keys, on one sheet (?).
 */
import { COMMANDS, key_name } from './commands.js';
import { SHARE, STATE_NAMES, STATE_ROW } from './colours.js';
import { el } from './table.js';

const MOUSE = [
	['Click', 'select a span or an event'],
	['Drag', 'choose a range and measure it; ends snap to events (Ctrl: they do not)'],
	['Alt+drag', 'zoom into what was dragged over'],
	['Shift+drag, middle button', 'move the picture'],
	['Ctrl+wheel', 'zoom at the pointer'],
	['Wheel, Shift+wheel', 'tracks up and down, picture left and right'],
	['Double click', 'mark A; with Shift mark B'],
	['Right click', 'a menu of possible actions'],
];
const MEANING = [
	'A CPU\'s track shows the tasks it ran. Zoomed out, the height of a box is the used share of the time: a CPU that was 3 % busy looks 3 % full.',
	'Zoomed in, the small ticks at the upper edge of a CPU\'s track are single events.',
	'A task\'s track shows its states. The legend is below; colour alone never carries meaning.',
	'Red flags on a CPU: events were lost there. Red stripes and "unknown": the running task, or the state of the task, is unknown because of lost data. Grey stripes: not recorded, because it is before or after the recording, or because these events were not selected.',
	'Tasks have colours by name and PID. Zoomed out, sums of short spans are at least a few pixels high, so that they stay visible; a counter\'s scale covers the visible values.',
	'For the selected task, arrows go from the waker to where the woken task ran.',
	'The address contains the whole view: zoom, tracks, filters, marks. Send it, or save it. Back in the browser (or U) returns to the view before a jump or a change of tracks.',
	'To go to a time, type or paste it into Tracks (T), Go to (G) or the search: 58297.437429 as report and dmesg print it, 0.25 since the start, +12ms.',
];
const EXPRESSIONS = [
	[['prev_pid == 127'], 'a test on a field, of all events that have it; also != < > <= >=, numbers as 12, 0x1f, -1'],
	[['comm == "ls"', 'comm =~ "^kw"'], 'a text, or a regular expression in it; != and !~: not so'],
	[['COMM', 'CPU', 'common_pid'], 'the task\'s name, the CPU, the PID of any event'],
	[['flags & 4', '&&', '||', '!', '( )'], 'bits; tests joined from left to right'],
	[['sched_switch: …', 'irq: …'], 'only that event, or that system. All of it: sonde-report(1), FILTERS'],
];
const PAIRS = [
	[['irq_handler_entry -> irq_handler_exit irq'], 'in Tracks (T): spans from one event to the other, matched by a field of both'],
	[['sched_waking -> sched_switch pid next_pid'], 'the field has another name in the second; without a field, suitable ones are offered'],
	[['… pid', '… cpu'], 'of the same task, on the same CPU'],
];
const LEGEND = [1, 2, 3, 5, 6, 4, 7, 8, 0];

function legend(app) {
	const row = el('div', 'legend');
	for (const s of LEGEND) {
		const box = el('span', s === 2 || s === 3 ? 'sample hatch' : s === 0 ? 'sample missing' : 'sample'), colour = app.colours.state(s);
		box.style.height = `${Math.max(2, Math.round(15 * SHARE[s]))}px`;
		box.style.backgroundColor = s === 5 ? app.colours.css(STATE_ROW, s, .3) : colour;
		if (s === 5)
			box.style.boxShadow = `inset 0 0 0 1.5px ${colour}`;
		row.append(el('span', '', box, STATE_NAMES[s]));
	}
	return row;
}

function rows(list) {
	const body = el('dl', 'keys');
	for (const [keys, text] of list)
		body.append(el('dt', '', ...[keys].flat().map((k) => el('kbd', '', k))), el('dd', '', text));
	return body;
}

export function init_help(app) {
	const box = document.getElementById('help');
	app.help = () => {
		const groups = [...new Set(COMMANDS.map(([group]) => group))];
		const columns = el('div', 'columns');
		const first = el('section', '', el('h3', '', 'The picture'));
		MEANING.forEach((text) => first.append(el('p', '', text)));
		first.append(legend(app), el('h3', '', 'Mouse'), rows(MOUSE.map(([k, t]) => [[k], t])));
		columns.append(first);
		const rest = el('section', 'wide');
		for (const group of groups) {
			const list = COMMANDS.filter(([g, , keys]) => g === group && keys.length);
			if (list.length)
				rest.append(el('section', '', el('h3', '', group), rows(list.map(([, name, keys]) => [keys.map(key_name), name]))));
		}
		rest.append(el('section', 'across', el('h3', '', 'Expressions (search, filter)'), rows(EXPRESSIONS),
			el('h3', '', 'Spans between two events'), rows(PAIRS)));
		columns.append(rest);
		const close = el('button', 'small', 'Close');
		close.addEventListener('click', () => box.close());
		box.replaceChildren(el('header', '', el('h2', '', 'Help'), close), columns);
		if (!box.open)
			box.showModal();
		close.focus();
	};
	box.addEventListener('click', (event) => event.target === box && box.close());
	document.getElementById('do-help').addEventListener('click', app.help);
	document.getElementById('do-theme').addEventListener('click', () => app.toggle_theme());
}
