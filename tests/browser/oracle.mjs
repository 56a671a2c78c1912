// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oracle.mjs - what a trace holds, computed from `sonde report --json` alone.
 *
 * Nothing of the viewer is used: events are read as text, and scheduling is worked out again here, plainly
 * and slowly, so that page and program can be held against it. Times are ns since the first event.
 */
import { execFileSync } from 'node:child_process';

const LETTERS = { S: 4, D: 5, T: 6, t: 6, I: 7, P: 7, X: 8, Z: 8 };

/* prev_state as a number of the kernel (6.1: 0x400 is idle, others by bit), or as a letter. */
export function state_of(prev_state) {
	if (typeof prev_state === 'string')
		return LETTERS[prev_state[0]] ?? 3;
	if ((prev_state & 0xff) === 0 && !(prev_state & 0x400))
		return 3;
	if (prev_state & 0x400 && prev_state & 2)
		return 7;
	for (const [bit, state] of [[1, 4], [2, 5], [4, 6], [8, 6], [0x10, 8], [0x20, 8], [0x40, 7], [0x80, 7]])
		if (prev_state & bit)
			return state;
	return 3;
}

export class Oracle {
	constructor(sonde, files) {
		const text = execFileSync(sonde, ['report', '--json', ...files], { maxBuffer: 1 << 30 }).toString();
		this.lines = text.split('\n').filter((line) => line.startsWith('{"ts"'));
		this.events = this.lines.map((line) => JSON.parse(line));
		const first = this.lines.map((line) => BigInt(line.match(/"ts":(\d+)/)[1]));
		this.origin = first.reduce((a, b) => (b < a ? b : a));
		this.events.forEach((e, i) => {
			e.t = Number(first[i] - this.origin);
			e.n = i;
		});
		this.end = Math.max(...this.events.slice(-5000).map((e) => e.t));
		this.cpus = [...new Set(this.events.map((e) => e.cpu))].sort((a, b) => a - b);
	}

	/* The same for the events of one of several files; times stay those of all. */
	of_file(file) {
		const part = Object.assign(Object.create(Oracle.prototype), this, { events: this.events.filter((e) => e.file === file) });
		part.cpus = [...new Set(part.events.map((e) => e.cpu))].sort((a, b) => a - b);
		return part;
	}

	of(name) {
		return this.events.filter((e) => e.event === name);
	}

	/* What a CPU ran: [{pid, start, end}], without idle. */
	ran(cpu) {
		const out = [];
		let now = null;
		for (const e of this.events) {
			if (e.cpu !== cpu || e.event !== 'sched_switch')
				continue;
			const pid = now ? now.pid : e.fields.prev_pid;
			if (pid)
				out.push({ pid, cpu, start: now ? now.start : 0, end: e.t, known: Boolean(now), e, prev_state: e.fields.prev_state });
			now = { pid: e.fields.next_pid, start: e.t };
		}
		if (now && now.pid)
			out.push({ pid: now.pid, cpu, start: now.start, end: this.end, known: false });
		return out;
	}

	/* Slices of a task on all CPUs, in order. */
	slices(pid) {
		return this.cpus.flatMap((cpu) => this.ran(cpu)).filter((s) => s.pid === pid).sort((a, b) => a.start - b.start);
	}

	/* States of a task by the rules of doc/VIEWER.md's states, one pass: [{state, start, end}]. */
	states(pid) {
		const out = [];
		let now = null, pending = null;
		const go = (state, t, more = {}) => {
			if (now)
				out.push({ ...now, end: t });
			now = { state, start: t, ...more };
		};
		for (const e of this.events) {
			const f = e.fields || {};
			if (e.event === 'sched_switch' && f.prev_pid === pid) {
				const state = state_of(f.prev_state);
				const woken = pending && state !== 3 && state !== 8;
				go(woken ? 2 : state, e.t, { cpu: e.cpu });
				pending = null;
			} else if (e.event === 'sched_switch' && f.next_pid === pid) {
				go(1, e.t, { cpu: e.cpu });
				pending = null;
			} else if (e.event === 'sched_waking' && f.pid === pid) {
				if (!now || now.state > 3)
					go(2, e.t, { waker: e.pid });
				else if (now.state === 1)
					pending = e;
			}
		}
		if (now)
			out.push({ ...now, end: this.end });
		return out;
	}

	/* Pairs of events on a CPU, as spans. */
	pairs(enter, leave, key = (e) => e.cpu) {
		const open = new Map(), out = [];
		for (const e of this.events) {
			if (e.event === enter) {
				open.set(key(e), e);
			} else if (e.event === leave && open.has(key(e))) {
				const a = open.get(key(e));
				out.push({ start: a.t, end: e.t, cpu: e.cpu, pid: a.pid, e: a, leave: e });
				open.delete(key(e));
			}
		}
		return out;
	}

	/* How long a CPU ran something in [from, to]. */
	busy(cpu, from, to) {
		return this.ran(cpu).reduce((sum, s) => sum + Math.max(0, Math.min(s.end, to) - Math.max(s.start, from)), 0);
	}
}
