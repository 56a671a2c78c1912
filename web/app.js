// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * app.js - the page starts here: data about the trace, the selection, and messages about changes.
 *
 * All parts get one object, app. It holds
 *
 *	info, tasks, kinds     data of the trace, from the program
 *	view                   the visible part of time (viewport.js)
 *	lanes, tiles, names    what is shown, and its parts
 *	values                 arguments and return values of calls (values.js)
 *	selection              null, a span {lane, row, start, end, …} or {event}
 *	range                  null or {from, to}
 *	marks                  marks.js
 *	single                 null, or the single spans that the panel Spans lists (single.js)
 *	hot                    number of the highlighted task, or -1
 *
 * and a small exchange of messages: on(name, do), emit(name). Names: info, lanes, view, selection,
 * range, marks, filter, search, theme.
 */
import * as api from './api.js';
import { Viewport } from './viewport.js';
import { Tiles } from './tiles.js';
import { Names } from './names.js';
import { Values } from './values.js';
import { Lanes, split } from './lanes.js';
import { Colours } from './colours.js';
import { Stage } from './stage.js';
import { Tree, sentence } from './a11y.js';
import { Overview } from './overview.js';
import { init_theme, read_theme } from './theme.js';
import { Address } from './address.js';
import { Marks } from './marks.js';
import { Arrows } from './arrows.js';
import { Pointer } from './pointer.js';
import { init_panels } from './panels.js';
import { Details } from './details.js';
import { Search } from './search.js';
import { Filters } from './filters.js';
import { Palette } from './palette.js';
import { init_keys } from './keys.js';
import { init_help } from './help.js';
import { Save } from './save.js';
import { Live } from './live.js';
import { Lost } from './lost.js';
import { bytes, count, clock, duration, set_unit } from './units.js';

const SLOW_MS = 2000, QUICK_MS = 250;	/* interval of info requests: normal, and while the index grows */
const SILENT_MAX = 3;			/* number of failed requests in a row after which the page stops asking */
const HINT_MS = 8000;			/* time after which a hint disappears */
const NAMES_MS = 1000;			/* interval for names of tasks and events, while the index grows */

function lane_name(app, spec) {
	const lane = app.lanes.find(spec);
	return lane ? app.lanes.own_name(lane).join(' ').trim() : spec;
}

class App {
	constructor() {
		this.listeners = new Map();
		this.info = null;
		this.tasks = [];
		this.kinds = [];
		this.by_pid = new Map();
		this.selection = null;
		this.range = null;
		this.dragging = null;
		this.hover = null;
		this.hot = -1;
		this.why_task = -1;
		this.single = null;
		this.commands = new Map();	/* command lines of processes, by machine and tgid */
		this.ready = false;
		this.view = new Viewport(() => {
			this.redraw();
			this.emit('view');
		}, () => this.jump());
		this.colours = new Colours();
		this.tiles = new Tiles(() => this.redraw(), (error) => this.trouble(error));
		this.names = new Names(() => this.redraw());
		this.values = new Values(this, () => this.redraw());
		this.lanes = new Lanes(this);
		this.marks = new Marks(this);
	}

	on(name, act) {
		if (!this.listeners.has(name))
			this.listeners.set(name, []);
		this.listeners.get(name).push(act);
	}

	emit(name, value) {
		for (const act of this.listeners.get(name) || [])
			act(value);
	}

	redraw() {
		this.stage?.redraw();
	}

	/*
	 * Makes the current view a step of the history. Not used for changes by a live recording.
	 */
	jump() {
		if (!this.live?.at_end)
			this.address?.jump();
	}

	/* --- what the trace has --- */

	task_of(machine, pid) {
		return this.by_pid.get(`${machine}:${pid}`);
	}

	/* Returns the command line of a task's process, at most max characters; '' if unknown. */
	command_of(task, max = Infinity) {
		const text = task ? this.commands.get(`${task.machine}:${task.tgid > 0 ? task.tgid : task.pid}`) || '' : '';
		return text.length > max ? `${text.slice(0, max - 1)}…` : text;
	}

	task_name(n) {
		const task = this.tasks[n];
		if (!task)
			return n === undefined || n < 0 || n >= 65535 ? 'unknown' : `task ${n}`;
		return task.pid === 0 ? 'idle' : `${task.comm} ${task.pid}`;
	}

	set_tasks(list) {
		const names = list.map(([n, machine, pid, , comm, , , , , sources]) => `${n} ${machine} ${pid} ${comm} ${sources}`).join('\n');
		const same = names === this.task_names;		/* while the index grows, mostly only counts change */
		this.task_names = names;
		this.tasks = [];
		this.by_pid.clear();
		for (const [n, machine, pid, tgid, comm, events, running, first, last, sources] of list) {
			this.tasks[n] = { n, machine, pid, tgid, comm, events, running, first, last, sources };
			this.by_pid.set(`${machine}:${pid}`, this.tasks[n]);
		}
		if (!same)
			this.recolour();
	}

	recolour() {
		this.theme = read_theme();
		this.colours.make(this.tasks, this.theme.dark, (n) => !this.filters || this.filters.keeps(n));
		this.emit('theme');
		if (this.info)
			this.lanes.changed();
		this.redraw();
	}

	async learn_names() {
		this.named = performance.now();
		const [tasks, kinds, processes] = await Promise.all([api.get('tasks'), api.get('kinds'), api.get('processes')]);
		this.commands = new Map(processes.processes.map(([machine, tgid, command]) => [`${machine}:${tgid}`, command]));
		this.kinds = [];
		for (const kind of kinds.kinds)
			this.kinds[kind.n] = kind;
		this.set_tasks(tasks.tasks);
		this.emit('names');
	}

	/* --- selection --- */

	select(selection, options = {}) {
		this.selection = selection;
		this.hot = this.task_of_selection();
		this.emit('selection', options);
		document.getElementById('spoken').textContent = sentence(this, selection);
		this.redraw();
	}

	/* Returns the number of the selection's task, or -1. */
	task_of_selection() {
		const s = this.selection;
		if (!s)
			return -1;
		if (s.event)
			return s.event.task ?? -1;
		const parts = split(s.lane);
		if (parts.type === 'cpu')
			return s.value;
		if (['task', 'calls', 'sys'].includes(parts.type))
			return this.task_of(parts.machine, Number(parts.id))?.n ?? -1;
		if (parts.type === 'pair' && parts.parts[2] !== 'cpu')
			return s.task ?? -1;	/* the task of the span's first event */
		const thread = parts.type === 'vcpu' && this.lanes.thread_of(parts.machine, Number(parts.id));
		return thread ? this.task_of(thread.machine, thread.pid)?.n ?? -1 : -1;
	}

	async select_event(ref, options = {}) {
		const event = await api.get('event', { ref }, 'event');
		this.select({ event }, options);
		if (!options.still)
			this.view.reveal(event.ts);
	}

	/* Finds the span of a lane at, nearest to, after or before a time. */
	async span(lane, t, row = 0, step = 'at', slot = undefined) {
		const span = await api.get('span', { lane, t: Math.max(0, Math.round(t)), row, step }, slot);
		if (span.none)
			return null;
		const task = split(lane).type === 'cpu' ? this.tasks[span.value] : null;
		if (task && task.pid === 0 && step === 'at')
			return null;	/* idle time cannot be selected */
		return { lane, ...span };
	}

	/*
	 * Finds the neighbour of the selection on a lane; without a selection, the first visible
	 * span.
	 */
	async step(lane, step) {
		const s = this.selection, mine = s && s.lane === lane;
		const t = mine ? s.start : step === 'next' ? this.view.from : this.view.to;
		const row = mine ? s.row || 0 : 0;
		try {
			let span = await this.span(lane, t, row, step, 'step');
			const idle = (x) => split(lane).type === 'cpu' && this.tasks[x.value]?.pid === 0;
			if (span && idle(span))
				span = await this.span(lane, span.start, row, step, 'step');
			if (!span) {
				this.hint(`There is nothing ${step === 'next' ? 'after' : 'before'} this on the track ${lane_name(this, lane)}.`);
				return;
			}
			this.select(span);
			this.view.reveal(span.start, span.end);
		} catch (error) {
			api.quiet(error);
		}
	}

	show_selection() {
		const s = this.selection;
		if (!s) {
			this.hint('Nothing is selected. Click a span or an event first.');
			return;
		}
		if (s.event)
			this.view.show(s.event.ts - this.view.span / 8, s.event.ts + this.view.span / 8, 0);
		else
			this.view.show(s.start, Math.max(s.end, s.start + 100));
		if (s.lane)
			this.stage.scroll_to(s.lane);
	}

	set_range(from, to) {
		this.range = from === null ? null
			: { from: Math.max(0, Math.round(Math.min(from, to))), to: Math.round(Math.max(from, to)) };
		this.emit('range');
		this.redraw();
	}

	/*
	 * Scrolls to a track, and adds it if necessary. The idle task has no track: for it the page
	 * shows its CPU.
	 */
	show_lane(spec, cpu = -1) {
		const { type, machine, id } = split(spec);
		if (['task', 'calls', 'sys'].includes(type) && Number(id) === 0) {
			if (cpu >= 0)
				this.show_lane(`cpu:${machine}:${cpu}`);
			else
				this.hint('The idle task has no track of its own; the tracks of the CPUs are empty where it runs.');
			return;
		}
		if (!this.lanes.add(spec)) {
			this.note('No more tracks fit; remove some first.');
			return;
		}
		this.stage.scroll_to(spec);
		this.tree.take(spec, false);
		this.redraw();
	}

	/* Shows the critical path of a task in the range, or in the visible time. */
	why(n) {
		this.why_task = n;
		this.panels.show('why');
		this.emit('why');
	}

	/* Closes all sections; if all are closed, opens them. */
	fold_all() {
		const heads = this.lanes.rows.filter((row) => row.head && !row.machine).map((row) => row.head);
		this.lanes.closed = heads.some((head) => !this.lanes.closed.has(head)) ? new Set(heads) : new Set();
		this.lanes.changed();
	}

	/* Adds tracks of the tasks that ran in the visible time, the busiest first. */
	async add_busy_tasks() {
		const { from, to } = this.scope(), stats = await api.get('stats', { what: 'tasks', from, to }), before = this.lanes.list.length;
		for (const t of stats.tasks.sort((a, b) => b.states[1] - a.states[1]).slice(0, 40)) {
			const task = this.tasks[t.task];
			if (task && task.pid && t.states[1])
				this.lanes.add(`task:${task.machine}:${task.pid}`);
		}
		const n = this.lanes.list.length - before;
		this.hint(n ? `${n} track${n === 1 ? '' : 's'} added.` : 'All tasks that ran here have a track already.');
	}

	machine_name(n) {
		return this.info.machines.find((m) => m.n === n)?.name || `machine ${n}`;
	}

	/* Returns the time that panels cover: the range, or the visible time. */
	scope() {
		if (this.range)
			return { ...this.range, chosen: true };
		return { from: Math.max(0, Math.round(this.view.from)), to: Math.min(this.view.end, Math.round(this.view.to)), chosen: false };
	}

	/* --- notes for the user, above the picture --- */

	trouble(error) {
		if (error.status === undefined) {	/* no answer at all */
			this.live?.ended();
			this.note('The program does not answer any more: it has ended. What is here can still be looked at.');
		} else {
			this.note(error.message);
		}
	}

	/* Runs a function that may fail now or later, and shows its errors above the picture. */
	async attempt(act) {
		try {
			return await act();
		} catch (error) {
			this.fail(error);
			return undefined;
		}
	}

	/* Shows any error above the picture. */
	fail(error) {
		if (error?.gone)	/* a later request replaced this one */
			return;
		if (error?.status !== undefined || api.is_silence(error)) {
			this.trouble(error);
			return;
		}
		console.error(error);	/* a bug of the page */
		this.note(`This did not work: ${error?.message || error}`);
	}

	/* Reports errors that no other code caught. */
	catch_all() {
		api.on_trouble((error) => this.fail(error));
		document.addEventListener('copied', (event) => this.hint(event.detail ? 'Copied to the clipboard.' : 'The browser does not allow to copy.'));
		addEventListener('unhandledrejection', (event) => {
			event.preventDefault();
			this.fail(event.reason);
		});
		addEventListener('error', (event) => event.error && this.note(`This did not work: ${event.error.message}`));
	}

	/*
	 * Shows feedback about the last action until the next action: why nothing happened, or an
	 * effect that is not visible.
	 */
	hint(text) {
		document.querySelector('#notes .hint')?.remove();
		clearTimeout(this.hint_timer);
		this.note(text, true);
		const p = document.querySelector('#notes > :last-child');
		if (p?.firstChild.textContent !== text)
			return;
		p.classList.add('hint');
		this.hint_timer = setTimeout(() => p.remove(), HINT_MS);
	}

	/* Shows a note. offer: [name, act], a button after the text. */
	note(text, plain = false, offer = null) {
		const box = document.getElementById('notes');
		if ([...box.children].some((p) => p.firstChild.textContent === text))
			return;
		const p = document.createElement('p'), b = document.createElement('button'), s = document.createElement('span');
		s.textContent = text;
		b.textContent = '✕';
		b.setAttribute('aria-label', 'Dismiss');
		b.addEventListener('click', () => p.remove());
		p.className = plain ? 'plain' : '';
		p.append(s);
		if (offer) {
			const act = document.createElement('button');
			act.textContent = offer[0];
			act.className = 'offer';
			act.addEventListener('click', () => this.attempt(offer[1]));
			p.append(act);
		}
		p.append(b);
		box.append(p);
		while (box.children.length > 3)
			box.firstChild.remove();
	}

	/* --- start --- */

	show_info() {
		const { info } = this, cpus = info.machines.reduce((n, m) => n + m.cpus.length, 0);
		document.title = `${info.title} – sonde`;
		document.getElementById('file').textContent = info.title;
		document.getElementById('facts').textContent = [
			`${count(info.events)} events`, duration(info.duration), `${cpus} CPU${cpus === 1 ? '' : 's'}`,
			info.clock ? `clock ${info.clock}` : ''].filter(Boolean).join(' · ');
		document.getElementById('facts').title = `version ${info.version}, index ${bytes(info.memory || 0)}`;
		const progress = document.getElementById('progress');
		progress.hidden = info.progress >= 1;
		progress.querySelector('progress').value = info.progress;
		progress.querySelector('span').textContent = `indexing, ${Math.floor(info.progress * 100)} %`;
		[...(info.damage || []).slice(0, 3), ...(info.limits || [])].forEach((text) => this.note(text));
	}

	async poll() {
		for (let silent = 0; silent < SILENT_MAX;) {
			const wait = this.info.progress < 1 || this.info.live ? QUICK_MS : SLOW_MS;
			await new Promise((done) => setTimeout(done, wait));
			if (this.info.progress >= 1 && !this.info.live)
				return;
			try {
				const before = this.info;
				if (this.live.paused) {
					await this.live.look();
					continue;
				}
				const now = await api.get('info');
				if (this.live.paused) /* the page was paused since the request: keep the end */
					continue;
				this.info = now;
				if (this.info.duration !== before.duration) {
					this.tiles.grown(before.duration);
					this.view.setEnd(this.info.duration);
				}
				const late = performance.now() - this.named > NAMES_MS || (this.info.progress >= 1 && before.progress < 1);
				if (late && (this.info.events !== before.events || this.info.progress !== before.progress))
					await this.learn_names();
				this.show_info();
				this.emit('info', before);
				this.redraw();
				silent = 0;
			} catch (error) {
				silent = error.status === undefined ? silent + 1 : 0;
				this.trouble(error);
				await new Promise((done) => setTimeout(done, SLOW_MS));
			}
		}
	}

	async load_density() {
		const { duration: to } = this.info, density = await api.get('density', { from: 0, to, n: 1024 });
		this.stage.set_density(density.streams);
		this.overview.set(density.streams, to);
		this.redraw();
	}

	async start() {
		this.catch_all();
		this.overview = new Overview(this);
		this.stage = new Stage(this);
		this.tree = new Tree(this);
		this.arrows = new Arrows(this);
		this.lost = new Lost(this);
		this.details = new Details(this);
		this.search = new Search(this);
		this.filters = new Filters(this);
		this.palette = new Palette(this);
		this.save = new Save(this);
		this.toggle_theme = init_theme(() => this.recolour());
		this.panels = init_panels(this);
		this.info = await api.get('info');
		set_unit(this.info);
		this.view.setEnd(this.info.duration);
		this.view.from = 0;
		this.view.to = Math.max(1000, this.info.duration);
		this.show_info();
		this.pointer = new Pointer(this);
		this.live = new Live(this);
		init_keys(this);
		init_help(this);
		const density = this.load_density().catch(api.quiet);
		this.address = new Address(this);
		this.address.choose();	/* show something before names are known */
		await this.learn_names();
		await this.address.open();
		this.ready = true;
		this.emit('ready');
		this.redraw();
		await density;
		this.poll();
	}

	/*
	 * Fills the status line at the bottom right: the pointer's time, or the visible duration.
	 */
	say_where(t) {
		const text = t === null ? `${duration(this.view.span)} in sight` : clock(t);
		document.getElementById('where').textContent = text;
	}
}

const app = new App();
window.sonde = app;	/* tests read the page's model here */
app.start().catch((error) => {
	console.error(error);
	app.note(`The viewer could not start: ${error.message}`);
});
