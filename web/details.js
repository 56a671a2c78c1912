// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * details.js - all details of the selection, on the right of the panels.
 *
 * An event: all of its fields, its stack, the time on the trace's own clock. A span: start, end,
 * length, task, state, its waker, the arguments and the return value of a call, and the events that
 * begin and end it.
 */
import { quiet } from './api.js';
import { split } from './lanes.js';
import { STATE_NAMES, unknown_why } from './colours.js';
import { all_files_of_lane } from './files.js';
import { absolute, clock, count, duration, exact, value as number } from './units.js';
import { show_single, single_of } from './single.js';
import { go_to_waker } from './wakers.js';
import { el, button, copy } from './table.js';

export class Details {
	constructor(app) {
		this.app = app;
		this.root = document.getElementById('details');
		app.on('selection', () => this.fill());
		app.on('range', () => this.fill());
		app.on('ready', () => this.fill());
	}

	pairs(list) {
		const dl = el('dl', '');
		for (const [name, value] of list)
			if (value !== undefined && value !== null && value !== '')
				dl.append(el('dt', '', name), el('dd', '', value));
		return dl;
	}

	link(text, act) {
		return button(text, act);
	}

	fill() {
		const { app } = this, s = app.selection;
		if (!s)
			return this.nothing();
		if (s.event)
			this.event(s.event);
		else
			this.span(s);
	}

	nothing() {
		const { app } = this;
		if (app.range) {
			this.root.replaceChildren(el('h3', '', 'Range'), this.pairs([
				['Length', duration(app.range.to - app.range.from)], ['Exactly', exact(app.range.to - app.range.from)],
				['From', clock(app.range.from)], ['To', clock(app.range.to)]]), this.tools([
				['Zoom to it', () => app.view.show(app.range.from, app.range.to, .02)],
				['Time by task', () => app.panels.show('tasks')],
				['Clear', () => app.set_range(null)]]));
			return;
		}
		this.root.replaceChildren(el('p', 'empty', 'Nothing is selected. Click a span or an event; drag to measure.'));
	}

	tools(list) {
		const row = el('div', 'row');
		list.forEach(([text, act, title]) => row.append(button(text, act, title)));
		return row;
	}

	event(e) {
		const { app } = this, fields = Object.entries(e.fields || {});
		const show = (v) => Array.isArray(v) ? v.map((x) => String(x)).join(', ') : typeof v === 'number' ? number(v) : String(v);
		const who = app.tasks[e.task];
		const body = [el('h3', '', e.event), this.tools([
			['Mark', () => app.marks.set(e.ts)],
			['Show', () => app.show_selection()],
			[`Track of ${e.event}`, () => app.show_lane(`event:${e.machine || 0}:${e.system}/${e.event}`)],
			['Only this event', () => app.filters.only('kinds', `${e.system}/${e.event}`)],
			['Copy', () => copy(JSON.stringify(e, null, 1))]]), this.pairs([
			['Event', `${e.system ? e.system + '/' : ''}${e.event}`],
			['Time', clock(e.ts)], ['On its clock', absolute(e.ts, app.info.origin)],
			['CPU', String(e.cpu)],
			['Task', this.link(`${e.comm} ${e.pid}`, () => app.show_lane(`task:${e.machine || 0}:${e.pid}`, e.cpu))],
			['Process', who && who.tgid > 0 && who.tgid !== e.pid ? String(who.tgid) : ''],
			['Command', app.command_of(who)],
			['Machine', app.info.machines.length > 1 ? app.machine_name(e.machine) : ''],
			['File', e.file], ['Buffer', e.buffer],
			['Flags', e.latency], ['Lost before', e.missed ? (e.missed < 0 ? 'unknown' : count(e.missed)) : ''],
			['Text', e.info]])];
		if (fields.length)
			body.push(el('h4', '', 'Fields'), this.pairs(fields.map(([k, v]) => [k, this.field(e, k, v, show(v))])));
		if (e.stack && e.stack.length) {
			const stack = el('ol', 'stack');
			e.stack.forEach((line) => stack.append(el('li', '', line)));
			body.push(el('h4', '', 'Stack'), stack);
		}
		this.root.replaceChildren(...body);
	}

	/* Shows a field. A number has a button that adds the field as a track. */
	field(e, name, value, text) {
		const { app } = this;
		if (typeof value !== 'number' || !e.system)
			return text;
		const span = el('span', 'field', text);
		const b = button('⌁', () => app.show_lane(`field:${e.machine || 0}:${e.system}/${e.event}:${name}`), `Draw ${name} over time`);
		b.setAttribute('aria-label', `Draw ${name} over time`);
		span.append(b);
		if (e.pid > 0) {	/* a curve with the values of several tasks may be meaningless */
			const words = `Draw ${name} over time, of ${e.comm} ${e.pid} alone`;
			const own = button(`⌁ ${e.pid}`, () => app.show_lane(`field:${e.machine || 0}:${e.system}/${e.event}:${name}:${e.pid}`), words);
			own.setAttribute('aria-label', words);
			span.append(own);
		}
		return span;
	}

	span(s) {
		const { app } = this, parts = split(s.lane), lane = app.lanes.find(s.lane);
		const [name, sub] = lane ? app.lanes.own_name(lane) : [s.lane, ''];
		const task = app.tasks[parts.type === 'cpu' ? s.value : app.hot];
		const title = parts.type === 'cpu' ? app.task_name(s.value)
			: parts.type === 'task' ? STATE_NAMES[s.value] || 'unknown'
				: s.number !== undefined && lane?.kind === 5 ? number(s.number) : s.label || name;
		const ref = (r) => r !== undefined && r !== null && r >= 0 && r < 2 ** 53;
		const body = [el('h3', '', title), this.pairs([
			['Track', `${name} ${sub}`], ['File', all_files_of_lane(app, parts)],
			['Arguments', s.args === undefined ? '' : el('span', 'code', s.args)],
			['Returns', s.ret === undefined ? '' : el('span', 'code', s.ret)],
			['Length', s.end > s.start ? el('b', '', duration(s.end - s.start)) : ''],
			['Exactly', s.end > s.start ? exact(s.end - s.start) : ''],
			['Start', clock(s.start)], ['End', s.end > s.start ? clock(s.end) : ''],
			['On its clock', absolute(s.start, app.info.origin)],
			['Task', task && task.pid ? this.link(`${task.comm} ${task.pid}`, () => app.show_lane(`task:${task.machine}:${task.pid}`)) : ''],
			['Process', task && task.tgid > 0 && task.tgid !== task.pid ? String(task.tgid) : ''],
			['Command', app.command_of(task)],
			['CPU', s.cpu >= 0 && s.cpu < 65535 ? String(s.cpu) : ''],
			...this.machines(parts),
			...this.woken_by(s, parts),
			['Why', unknown_why(parts.type, s.value, s.flags)],
			['Begins with', ref(s.first) ? this.link('event', () => app.select_event(s.first)) : ''],
			['Ends with', ref(s.last) ? this.link('event', () => app.select_event(s.last)) : '']])];
		const tools = [['‹ Before', () => app.step(s.lane, 'previous')], ['After ›', () => app.step(s.lane, 'next')],
			['Zoom', () => app.show_selection()], ['Range', () => app.set_range(s.start, s.end)]];
		if (app.hot >= 0 && task && task.pid)
			tools.push(['Why', () => app.why(app.hot)]);
		const single = single_of(app, s);
		if (single)
			tools.push(['List all', () => show_single(app, single), 'The single spans of this name, with their lengths (K)']);
		body.splice(1, 0, this.tools(tools));
		this.root.replaceChildren(...body);
	}

	/* Shows the task or interrupt that woke a task, and the task that was interrupted. */
	woken_by(s, { type, machine }) {
		const { app } = this, { irq } = s, who = irq && app.tasks[irq.task];
		if (!irq)
			return [['Woken by', s.waker >= 0 ? this.link(app.task_name(s.waker), () => app.attempt(() => go_to_waker(app, s))) : ''], ['', s.waker_in_irq ? 'in an interrupt' : '']];
		const words = who && /^ksoftirqd\//.test(who.comm) ? 'Run by' : 'Interrupted';
		const run = () => app.show_lane(who.pid ? `task:${machine}:${who.pid}` : `cpu:${machine}:${irq.cpu}`);
		return [
			[type === 'task' ? 'Woken by' : 'Which', type === 'task' && irq.start !== undefined ? this.link(irq.name, () => this.interrupt(irq, machine)) : irq.name],
			['On CPU', type === 'task' ? String(irq.cpu) : ''],
			[words, who ? this.link(who.pid ? app.task_name(irq.task) : `idle CPU ${irq.cpu}`, run) : ''],
		];
	}

	async interrupt(irq, machine) {
		const { app } = this, lane = `${irq.soft ? 'softirq' : 'irq'}:${machine}:${irq.cpu}`;
		app.show_lane(lane);
		try {
			const span = await app.span(lane, irq.start, 0, 'at', 'chosen');
			if (span) {
				app.select(span);
				app.view.reveal(span.start, span.end);
			}
		} catch (error) {
			quiet(error);
		}
	}

	/* Links a guest to the host's thread that ran it, and back. */
	machines({ type, machine, id }) {
		const { app } = this, thread = ['cpu', 'vcpu'].includes(type) && app.lanes.thread_of(machine, Number(id));
		const vcpu = type === 'task' && app.lanes.vcpu_of(machine, Number(id));
		const name = (pid) => `${app.task_of(thread.machine, pid)?.comm || 'thread'} ${pid}`;
		return [
			['Machine', app.info.machines.length > 1 ? app.machine_name(machine) : ''],
			['Host thread', thread ? this.link(name(thread.pid), () => app.show_lane(`task:${thread.machine}:${thread.pid}`)) : ''],
			['Runs', vcpu ? this.link(`vCPU ${vcpu.cpu} of ${vcpu.name}`, () => app.show_lane(`vcpu:${vcpu.machine}:${vcpu.cpu}`)) : ''],
		];
	}
}
