// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * files.js - the file, or buffer of a file, of a track, an event or a task.
 *
 * The program sends the sources of the trace (info.sources), of each task and of each kind of
 * event. If there is only one, nothing is shown. A track shows the name of a single source, or the
 * number of sources; tooltips and details name all. lanefiles.c does the same in pictures.
 */
const OF_CPU = ['cpu', 'irq', 'softirq', 'cpucalls', 'all'], OF_TASK = ['task', 'calls', 'sys'];

function sources_of_event(app, machine, name) {
	return app.kinds.filter((k) => k && k.events && k.machine === machine && `${k.system}/${k.name}` === name).map((k) => k.source);
}

/* Returns the numbers of the sources of a track. parts: its spec, from split(). */
function sources_of({ type, machine, id, parts }, app) {
	const all = app.info.sources.map((s, n) => ({ ...s, n })).filter((s) => s.machine === machine);
	if (OF_CPU.includes(type))
		return all.filter((s) => s.cpus.includes(Number(id))).map((s) => s.n);
	if (OF_TASK.includes(type))
		return app.task_of(machine, Number(id))?.sources || [];
	if (['event', 'field'].includes(type))
		return sources_of_event(app, machine, parts[0]);
	if (type === 'pair')
		return [...sources_of_event(app, machine, parts[0]), ...sources_of_event(app, machine, parts[1])];
	return type === 'found' ? [] : all.map((s) => s.n);
}

function named(app, sources) {
	const list = [...new Set(sources)].sort((a, b) => a - b).map((n) => app.info.sources[n]?.name).filter(Boolean);
	const what = new Set(app.info.sources.map((s) => s.file)).size > 1 ? 'files' : 'buffers';
	return { list, short: list.length > 1 ? `${list.length} ${what}` : list.join('') };
}

export function has_files(app) {
	return (app.info.sources?.length || 0) > 1 && app.info.sources.some((s) => s.name);
}

/* Returns "a.dat", "3 files", or nothing. */
export function files_of_lane(app, lane) {
	return has_files(app) ? named(app, sources_of(lane, app)).short : '';
}

/* Returns the names of all sources, for details and tooltips. */
export function all_files_of_lane(app, lane) {
	return has_files(app) ? named(app, sources_of(lane, app)).list.join(', ') : '';
}

export function files_of_event(app, kind) {
	return has_files(app) ? named(app, sources_of_event(app, kind.machine, `${kind.system}/${kind.name}`)).list.join(', ') : '';
}
