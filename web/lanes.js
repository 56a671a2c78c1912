// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lanes.js - which lanes are shown, in which order, their heights and names.
 *
 * A spec identifies a lane (doc/VIEWER.md). Lanes are in sections, sections under their machine,
 * guests under their host:
 *
 *	host                      only with more than one machine
 *	  CPUs                    a section: closed or open
 *	    CPU 0                 a lane
 *	  Tasks
 *	guest
 *	  Virtual CPUs
 *
 * The list keeps the user's order inside each section. Pinned lanes are above all others and do not
 * scroll. layout() gives every visible row a position; text() and parse() store the choice in the
 * address.
 */
import { all_files_of_lane, files_of_lane } from './files.js';

const CEILING = 600;	/* maximum number of lanes */

/* how each type of lane is shown; the order here is the order of the sections */
export const TYPES = {
	found: { section: 'Search and filter', height: 20 },
	cpu: { section: 'CPUs', height: 30 },
	vcpu: { section: 'Virtual CPUs', height: 24 },
	all: { section: 'All events of a CPU', height: 20 },
	irq: { section: 'Interrupts', row: 17 },
	softirq: { section: 'Interrupts', row: 17 },
	task: { section: 'Tasks', height: 24 },
	calls: { section: 'Functions', row: 16 },
	cpucalls: { section: 'Functions', row: 16 },
	sys: { section: 'System calls', row: 18 },
	field: { section: 'Counters', height: 42 },
	event: { section: 'Events', height: 20 },
	pair: { section: 'Spans between events', row: 18 },
};
const ORDER = [...new Set(Object.values(TYPES).map((type) => type.section))];
const HEAD = 22, MACHINE = 24, PAD = 2, ROWS_MOST = 40;

export function split(spec) {
	const [type, machine, ...rest] = spec.split(':');
	return { type, machine: Number(machine) || 0, id: rest.join(':'), parts: rest };
}

export class Lanes {
	constructor(app) {
		this.app = app;
		this.list = [];
		this.closed = new Set();
		this.rows = [];
		this.pinned_height = 0;
		this.height = 0;
		this.hidden = () => false;	/* set by filters.js: lanes that a filter excludes */
	}

	/* Returns true if the trace has what a spec names. */
	is_known(spec) {
		const { app } = this, { type, machine, id, parts } = split(spec);
		if (!TYPES[type] || type === 'found')
			return false;
		if (['task', 'calls', 'sys'].includes(type))
			return Boolean(app.task_of(machine, Number(id)));
		if (['cpu', 'all', 'irq', 'softirq', 'cpucalls', 'vcpu'].includes(type))
			return Boolean(app.info.machines.find((m) => m.n === machine)?.cpus.includes(Number(id)));
		return app.kinds.some((k) => k && (k.machine || 0) === machine && `${k.system}/${k.name}` === parts[0]);
	}

	find(spec) {
		return this.list.find((lane) => lane.spec === spec);
	}

	/* Adds a lane, unless it exists. Returns the lane in both cases. */
	add(spec, options = {}) {
		const old = this.find(spec);
		if (old) {
			old.by_filter = old.by_filter && options.by_filter;	/* the user added this lane: it stays */
			return old;
		}
		const parts = split(spec), type = TYPES[parts.type];
		if (!type || this.list.length >= CEILING)
			return null;
		this.app.jump();
		const lane = { spec, ...parts, kind: 0, n_rows: 1, pinned: false, flat: false, refused: '', ...options };
		if (parts.type === 'found')
			this.list.unshift(lane);
		else
			this.list.push(lane);
		this.closed.delete(this.section_of(lane));
		this.changed();
		return lane;
	}

	remove(spec) {
		const at = this.list.findIndex((lane) => lane.spec === spec);
		if (at < 0)
			return;
		this.app.jump();
		this.list.splice(at, 1);
		this.app.tiles.forget(spec);
		this.changed();
	}

	replace(spec, by) {
		this.add(by);
		this.move(by, spec);
		this.remove(spec);
	}

	/* Moves a lane before another lane of its section. */
	move(spec, before) {
		const lane = this.find(spec), target = this.find(before);
		if (!lane || !target || lane === target)
			return;
		this.list.splice(this.list.indexOf(lane), 1);
		this.list.splice(this.list.indexOf(target), 0, lane);
		this.changed();
	}

	/* Moves a lane up or down by one. */
	shift(spec, by) {
		const lane = this.find(spec);
		if (!lane)
			return;
		const mates = this.list.filter((l) => l.pinned === lane.pinned &&
			(l.pinned || this.section_of(l) === this.section_of(lane)));
		const other = mates[mates.indexOf(lane) + by];
		if (!other) {
			this.app.hint(`It is the ${by < 0 ? 'first' : 'last'} track of its section already.`);
			return;
		}
		const a = this.list.indexOf(lane), b = this.list.indexOf(other);
		[this.list[a], this.list[b]] = [this.list[b], this.list[a]];
		this.changed();
	}

	toggle(spec, what) {
		const lane = this.find(spec);
		if (!lane)
			return;
		lane[what] = !lane[what];
		this.changed();
	}

	fold(section) {
		if (this.closed.has(section))
			this.closed.delete(section);
		else
			this.closed.add(section);
		this.changed();
	}

	changed() {
		this.layout();
		this.app.emit('lanes');
		this.app.redraw();
	}

	/* Learns the kind and the nesting depth of a lane from its first tile. */
	learn(lane, tile) {
		const rows = Math.min(ROWS_MOST, Math.max(lane.n_rows, tile.rows || 1));
		if (tile.refused) {
			const news = lane.refused !== tile.refused;
			lane.refused = tile.refused;
			return news;
		}
		if (lane.kind === tile.kind && lane.n_rows === rows && !lane.refused)
			return false;
		lane.refused = '';	/* this zoom level works */
		lane.kind = tile.kind;
		lane.n_rows = rows;
		return true;
	}

	section_of(lane) {
		const machine = lane.type === 'found' ? '*' : lane.machine;
		return `${machine}/${TYPES[lane.type].section}`;
	}

	height_of(lane) {
		const type = TYPES[lane.type];
		if (type.height)
			return type.height;
		return type.row * (lane.flat ? 1 : lane.n_rows) + 2 * PAD;
	}

	/* Returns the vertical position of the boxes in a lane. */
	inner(lane, height) {
		const type = TYPES[lane.type];
		return type.row ? { y: PAD, row: type.row } : { y: PAD + 1, row: height - 2 * PAD - 2 };
	}

	machines() {
		const all = this.app.info.machines || [], out = [];
		const put = (m, depth) => {
			out.push({ ...m, depth });
			all.filter((g) => g.guest_of === m.n && g.n !== m.n).forEach((g) => put(g, depth + 1));
		};
		all.filter((m) => m.guest_of === undefined || m.guest_of < 0).forEach((m) => put(m, 0));
		return out;
	}

	layout() {
		const rows = [], shown = this.list.filter((lane) => !this.hidden(lane));
		let y = 0;
		const put = (row, height) => {
			row.y = y;
			row.height = height;
			rows.push(row);
			y += height;
		};
		for (const lane of shown.filter((l) => l.pinned))
			put({ lane, pinned: true }, this.height_of(lane));
		this.pinned_height = y;
		const sections = (machine, depth) => {
			for (const name of ORDER) {
				const lanes = shown.filter((l) => !l.pinned && TYPES[l.type].section === name &&
					(machine === '*' ? l.type === 'found' : l.type !== 'found' && l.machine === machine));
				if (!lanes.length)
					continue;
				const id = `${machine}/${name}`, open = !this.closed.has(id);
				put({ head: id, title: name, n: lanes.length, open, depth }, HEAD);
				for (const lane of open ? lanes : [])
					put({ lane, depth: depth + 1 }, this.height_of(lane));
			}
		};
		sections('*', 0);
		const machines = this.machines();
		for (const m of machines) {
			const id = `${m.n}/`, open = !this.closed.has(id);
			if (machines.length > 1)
				put({ head: id, title: m.name, machine: m, open, depth: m.depth, n: 0 }, MACHINE);
			if (open)
				sections(m.n, machines.length > 1 ? m.depth + 1 : 0);
		}
		this.rows = rows;
		this.height = y;
	}

	/* Returns the row at a height of the scrolled picture. */
	at(y, scroll) {
		const inside = y < this.pinned_height ? y : y + scroll;
		return this.rows.find((row) => inside >= row.y && inside < row.y + row.height &&
			Boolean(row.pinned) === (y < this.pinned_height));
	}

	/* Returns the thread that runs a virtual CPU: {machine, pid}, or null. */
	thread_of(machine, cpu) {
		const guest = this.app.info.machines.find((m) => m.n === machine);
		const found = guest?.vcpus?.find((v) => v.cpu === cpu);
		return found && guest.guest_of >= 0 ? { machine: guest.guest_of, pid: found.pid } : null;
	}

	/* Returns the virtual CPU that a thread of a host runs: {machine, cpu, name}, or null. */
	vcpu_of(machine, pid) {
		for (const guest of this.app.info.machines) {
			const found = guest.guest_of === machine && guest.vcpus?.find((v) => v.pid === pid);
			if (found)
				return { machine: guest.n, cpu: found.cpu, name: guest.name };
		}
		return null;
	}

	/*
	 * Returns [name, additional text]. The additional text is the file, if there are several.
	 */
	name(lane) {
		const [name, sub] = this.own_name(lane), files = files_of_lane(this.app, lane);
		return [name, [sub, files].filter(Boolean).join(', ')];
	}

	/* Returns the name of a lane with all its files, for tooltips and screen readers. */
	full_name(lane) {
		const [name, sub] = this.own_name(lane), files = all_files_of_lane(this.app, lane);
		const task = ['task', 'calls', 'sys'].includes(lane.type) && this.app.task_of(lane.machine, Number(lane.id));
		return [`${name} ${sub}`.trim(), files, this.app.command_of(task, 80)].filter(Boolean).join(', ');
	}

	own_name(lane) {
		const { app } = this, parts = lane.parts;
		const task = () => app.task_of(lane.machine, Number(lane.id));
		const thread = () => this.thread_of(lane.machine, Number(lane.id));
		const runs = () => {
			const vcpu = this.vcpu_of(lane.machine, Number(lane.id));
			return vcpu ? `, vCPU ${vcpu.cpu} of ${vcpu.name}` : '';
		};
		const names = {
			cpu: () => [`CPU ${lane.id}`, ''],
			vcpu: () => [`vCPU ${lane.id}`, thread() ? `host thread ${thread().pid}` : 'when the host ran it'],
			irq: () => [`CPU ${lane.id}`, 'interrupts'],
			softirq: () => [`CPU ${lane.id}`, 'soft interrupts'],
			task: () => [task()?.comm || 'task', lane.id + runs()],
			calls: () => [task()?.comm || 'task', `${lane.id}, functions`],
			cpucalls: () => [`CPU ${lane.id}`, 'functions'],
			sys: () => [task()?.comm || 'task', `${lane.id}, system calls`],
			field: () => {
				const counter = /\[\w+=\d+~(.*)\]$/.exec(parts[1] || '');	/* a counter of record --counters has its name there */
				return [counter ? counter[1] : `${parts[0].split('/')[1]}.${parts[1]}`, parts[2] ? `of ${parts[2]}` : parts[0].split('/')[0]];
			},
			event: () => [parts[0].split('/')[1] || lane.id, parts[0].split('/')[0]],
			pair: () => [`${parts[0].split('/')[1]} → ${(parts[1] || '').split('/')[1]}`, `by ${parts.slice(2).join(' = ')}`],
			found: () => [lane.title || 'Found', lane.note || ''],
			all: () => [`CPU ${lane.id}`, 'all events'],
		};
		return names[lane.type]();
	}

	/* --- in the address --- */

	text() {
		return this.list.filter((lane) => lane.type !== 'found' && !lane.by_filter)	/* these lanes come with their filter */
			.map((lane) => `${lane.pinned ? '*' : ''}${lane.flat ? '-' : ''}${lane.spec}`).join(',');
	}

	parse(text) {
		const before = new Map(this.list.map((lane) => [lane.spec, lane]));
		this.list = this.list.filter((lane) => lane.type === 'found' || lane.by_filter);
		for (const word of text.split(',').slice(0, CEILING)) {
			const [, flags, spec] = word.match(/^([*-]*)(.*)$/);
			const parts = split(spec);
			if (!TYPES[parts.type] || parts.type === 'found')
				continue;
			if (this.find(spec)) {
				this.find(spec).by_filter = false;
				continue;
			}
			const old = before.get(spec) || { kind: 0, n_rows: 1, refused: '' };
			this.list.push({ spec, ...parts, ...old, pinned: flags.includes('*'), flat: flags.includes('-') });
		}
		this.changed();
	}
}
