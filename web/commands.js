// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commands.js - all actions of the page, as rows: name, keys, function.
 *
 * Keys, palette and help all read this table, so each of them has all commands. A key is written as
 * its character, wherever that is on the keyboard, or as its name (KeyboardEvent.key); letters and
 * names with C- for Ctrl or Cmd, S- for Shift, A- for Alt. keys.js finds them.
 *
 * Every command has a visible effect: something changes, or a hint shows why nothing changed.
 */
import { show_single, single_of } from './single.js';
import { follow_wakeup } from './wakers.js';

function mark_here(app) {
	const s = app.selection;
	const t = s ? (s.event ? s.event.ts : s.start) : app.pointer?.x !== null && app.pointer ? app.view.t(app.pointer.x) : (app.view.from + app.view.to) / 2;
	app.marks.set(t);
}

function lane_of(app) {
	return app.selection?.lane || app.tree.focused || app.lanes.rows.find((r) => r.lane)?.lane.spec;
}

function step(app, way) {
	const s = app.selection;
	if (s && s.event)
		return app.panels.list.pick(Math.max(0, app.panels.list.selected + (way === 'next' ? 1 : -1)));
	const lane = lane_of(app);
	if (!lane || !app.lanes.find(lane))
		return app.hint('There is no track. Press T to add one.');
	return app.step(lane, way);
}

/* Runs act with the current track. */
function with_lane(app, act) {
	const lane = lane_of(app);
	if (!lane || !app.lanes.find(lane))
		return app.hint('There is no track. Press T to add one.');
	return act(lane);
}

/*
 * Lists single spans in the panel Spans: of the row with the focus, otherwise of the selected name.
 */
function list_single(app) {
	const own = document.activeElement?.closest?.('tr.act')?.querySelector('button.lists');
	if (own)
		return own.click();
	show_single(app, single_of(app, app.selection));
}

function escape(app) {
	if (app.range)
		app.set_range(null);
	else if (app.selection)
		app.select(null);
	else if (app.search.input.value)
		app.search.clear();
	else
		app.hint('There is no range, selection or search to clear.');
}

function range_of_selection(app) {
	const s = app.selection;
	if (s && s.lane)
		app.set_range(s.start, s.end);
	else if (app.marks.list.length > 1) {
		const times = app.marks.list.map((m) => m.t);
		app.set_range(Math.min(...times), Math.max(...times));
	} else {
		app.hint('Select a span, or set two marks first.');
	}
}

const held = (pan, zoom) => ({ hold: [pan, zoom] });

export const COMMANDS = [	/* group, name, keys, act or {hold} */
	['Move', 'Zoom in', ['w', 'ArrowUp', '+', '='], held(0, 1)],
	['Move', 'Zoom out', ['s', 'ArrowDown', '-'], held(0, -1)],
	['Move', 'Left', ['a', 'ArrowLeft'], held(-1, 0)],
	['Move', 'Right', ['d', 'ArrowRight'], held(1, 0)],
	['Move', 'Page left', ['S-ArrowLeft', 'S-a'], (app) => app.view.glideTo(app.view.from - app.view.span * .8, app.view.to - app.view.span * .8)],
	['Move', 'Page right', ['S-ArrowRight', 'S-d'], (app) => app.view.glideTo(app.view.from + app.view.span * .8, app.view.to + app.view.span * .8)],
	['Move', 'Show the whole trace', ['0', 'Home'], (app) => app.view.fit()],
	['Move', 'Show the selection', ['f', 'Enter'], (app) => app.show_selection()],
	['Move', 'Zoom to the range or selection', ['z'], (app) => app.range ? app.view.show(app.range.from, app.range.to, .02) : app.show_selection()],
	['Move', 'Back to the view before', ['A-ArrowLeft', 'u'], (app) => app.address.back()],
	['Move', 'Forward again', ['A-ArrowRight', 'S-u'], (app) => app.address.forward()],
	['Move', 'Go to a time', ['g'], (app) => app.palette.open('time')],
	['Select', 'Next span or event', ['.'], (app) => step(app, 'next')],
	['Select', 'Previous span or event', [','], (app) => step(app, 'previous')],
	['Select', 'To the task that it woke', [']'], (app) => follow_wakeup(app, false)],
	['Select', 'To the task that woke it', ['['], (app) => follow_wakeup(app, true)],
	['Select', 'Make the selection (or the marks) the range', ['r'], range_of_selection],
	['Select', 'Everything as range', ['C-a'], (app) => app.set_range(0, app.view.end)],
	['Select', 'Clear range, selection, search', ['Escape', 'C-d'], escape],
	['Marks', 'Mark here', ['m'], mark_here],
	['Marks', 'Mark both ends of the selection', ['S-m'], (app) => {
		const s = app.selection;
		if (s && s.lane) {
			app.marks.set(s.start);
			app.marks.set(s.end);
		} else {
			mark_here(app);
		}
	}],
	['Marks', 'Remove the active mark', ['Delete', 'Backspace'], (app) => app.marks.active ? app.marks.remove(app.marks.active) : app.hint('There is no mark.')],
	['Marks', 'Remove all marks', [], (app) => app.marks.list.length ? app.marks.clear() : app.hint('There is no mark.')],
	['Find', 'Search events', ['/', 'C-f'], (app) => app.search.focus()],
	['Find', 'Search with an expression', [':'], (app) => app.search.focus('expression')],
	['Find', 'Next hit', ['n'], (app) => app.search.next('next')],
	['Find', 'Previous hit', ['S-n'], (app) => app.search.next('previous')],
	['Find', 'To the next place where events were lost', ['e'], (app) => app.lost.step('next')],
	['Find', 'To the place before where events were lost', ['S-e'], (app) => app.lost.step('previous')],
	['Find', 'Filter events', ['i'], (app) => app.filters.open()],
	['Find', 'Clear the filter', [], (app) => app.filters.on ? app.filters.set({}) : app.hint('There is no filter.')],
	['Tracks', 'Find or add a track', ['C-p', 't'], (app) => app.palette.open('tracks')],
	['Tracks', 'Spans between two events: A -> B', [], (app) => app.palette.open('pair')],
	['Tracks', 'To the list of tracks', ['l'], (app) => app.tree.take(app.tree.focused, true)],
	['Tracks', 'Keep the track at the top', ['p'], (app) => with_lane(app, (lane) => app.lanes.toggle(lane, 'pinned'))],
	['Tracks', 'Remove the track', [], (app) => with_lane(app, (lane) => app.lanes.remove(lane))],
	['Tracks', 'Open or close all sections', ['x'], (app) => app.fold_all()],
	['Tracks', 'Add all tasks that ran in sight', [], (app) => app.add_busy_tasks()],
	['Tracks', 'Arrows of wakeups on or off', ['h'], (app) => app.arrows.toggle()],
	['Panels', 'Open or close the panels', ['q'], (app) => app.panels.toggle()],
	['Panels', 'Events', ['1'], (app) => app.panels.show('events')],
	['Panels', 'List all events, those in sight, those of the range', ['v'], (app) => app.panels.show('events') || app.panels.list.next_choice()],
	['Panels', 'Marks and their distances', ['2'], (app) => app.panels.show('marks')],
	['Panels', 'Time by task', ['3'], (app) => app.panels.show('tasks')],
	['Panels', 'Event counts', ['4'], (app) => app.panels.show('counts')],
	['Panels', 'Wakeup latencies', ['5'], (app) => app.panels.show('wakeups')],
	['Panels', 'Spans: how long they take, by name', ['j'], (app) => app.panels.show('spans')],
	['Panels', 'Single spans of the selected name, with their lengths', ['k'], list_single],
	['Panels', 'Functions', ['6'], (app) => app.panels.show('functions')],
	['Panels', 'Flame graph of functions, samples or stacks', ['7'], (app) => app.panels.show('flame')],
	['Panels', 'Off-CPU flame graph', ['8'], (app) => app.panels.show('offcpu')],
	['Panels', 'Heat map of samples', [], (app) => app.panels.show('heat')],
	['Panels', 'Why: the critical path', ['9', 'y'], (app) => app.why(app.hot)],
	['Page', 'Live: follow or pause', ['Space'], (app) => app.live.toggle()],
	['Page', 'Save the picture as PNG', [], (app) => app.save.png()],
	['Page', 'Save what is in sight as SVG', [], (app) => app.save.file('svg')],
	['Page', 'Save a page of the range to send (HTML)', [], (app) => app.save.file('html')],
	['Page', 'Save the events of the range (or in sight) that pass the filter as CSV', [], (app) => app.save.file('csv')],
	['Page', 'Save the events of the range (or in sight) that pass the filter as JSON', [], (app) => app.save.file('json')],
	['Page', 'Save all events of the trace as CSV', [], (app) => app.save.file('csv', true, true)],
	['Page', 'Save all events of the trace as JSON', [], (app) => app.save.file('json', true, true)],
	['Page', 'Copy a link to this picture', [], (app) => app.save.link()],
	['Page', 'Print', [], (app) => app.save.print()],
	['Page', 'Light or dark', [], (app) => app.toggle_theme()],
	['Page', 'All commands', ['C-S-p', '>'], (app) => app.palette.open('commands')],
	['Page', 'Help', ['?', 'F1'], (app) => app.help()],
];

const SHOWN = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc', Backspace: '⌫', Delete: 'Del' };

export function key_name(key) {
	const [, flags, name] = key.match(/^((?:[CSA]-)*)(.+)$/);
	const shown = SHOWN[name] || (name.length === 1 ? name.toUpperCase() : name);
	return `${flags.includes('C') ? 'Ctrl+' : ''}${flags.includes('S') ? 'Shift+' : ''}${flags.includes('A') ? 'Alt+' : ''}${shown}`;
}
