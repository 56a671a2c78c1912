// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_commands.mjs - no action fails silently.
 *
 * The page's own tables are walked: every row of commands.js, from the palette and by each of its keys; every entry of
 * every menu; every button of every panel. Each must change something that is seen (the document, what is in sight,
 * the selection, the focus) and nothing may reach the console or be refused. So a new command is covered when it
 * is added to the table. They are tried with nothing selected, a span, a span that an idle CPU woke, and an event.
 */
import fs from 'node:fs';
import { Complaint, ok, same } from './lib.mjs';

/* What the user sees, as text; canvases are told by what they show. */
function seen() {
	const a = window.sonde, s = a.selection, { documentElement: html, body, activeElement: on } = document;
	const inputs = [...document.querySelectorAll('input,select')].filter((i) => i.checkVisibility()).map((i) => `${i.value}${i.checked}`);
	return JSON.stringify([body.innerText, html.className, html.dataset, body.className, body.dataset, inputs, a.view.from, a.view.to,
		s && (s.event?.ref ?? [s.lane, s.row, s.start]), a.range, a.marks.text(), a.lanes.text(), on?.id, on?.className]);
}

/* Same place to start from: the middle of the trace, no notes, boxes, marks, filters. situation: what is selected. */
async function begin([situation, panel]) {
	const a = window.sonde;
	document.querySelectorAll('dialog[open]').forEach((box) => box.close());
	document.getElementById('menu').hidden = true;
	window.first_lanes ??= a.lanes.text();
	a.marks.clear();
	a.set_range(null);
	a.search.clear();
	if (a.filters.on)
		await a.filters.set({});
	a.lanes.closed = new Set();
	a.lanes.parse(window.first_lanes);
	a.panels.show(panel);
	a.view.go(a.view.end * .2, a.view.end * .8);
	a.address.jump();	/* there is something to go back to */
	a.view.go(a.view.end * .25, a.view.end * .75);
	a.address.write();
	a.select(null);
	document.activeElement?.blur();
	const get = async (path) => (await fetch(`api/${path}`)).json();
	const woken = (n) => async () => {
		for (const t of a.tasks.filter((x) => x?.pid))
			for (let i = 0, at = a.view.from; i < 40; i++) {
				const span = await a.span(`task:${t.machine}:${t.pid}`, at, 0, 'next');
				if (!span)
					break;
				if (span.waker >= 0 && (a.tasks[span.waker]?.pid === 0) === n) {
					a.show_lane(span.lane);
					a.select(span);
					return true;
				}
				at = span.start;
			}
		return false;
	};
	const again = (kind, find) => async () => {	/* looked for once */
		window.found ??= {};
		if (!window.found[kind]) {
			await find();
			window.found[kind] = a.selection;
		} else {
			a.show_lane(window.found[kind].lane);
			a.select(window.found[kind]);
		}
		return Boolean(a.selection);
	};
	const made = await {
		nothing: () => true, span: again('span', woken(false)), idle: again('idle', woken(true)),
		event: async () => {
			const { row } = await get(`rank?t=${Math.round(a.view.from)}`), { rows } = await get(`rows?row=${row}&n=1`);
			await a.select_event(rows[0].ref, { still: true });
			return true;
		},
	}[situation]();
	document.getElementById('notes').replaceChildren();
	return made;
}

/* Until nothing changes any more by itself. */
async function rest(t) {
	await t.settle();
	let before = '', now = await t.page.evaluate(seen);
	while (before !== now) {
		before = now;
		await t.page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(done), 60)));
		now = await t.page.evaluate(seen);
	}
	return now;
}

async function start(t, situation, panel = 'events') {
	ok(await t.page.evaluate(begin, [situation, panel]), `nothing of the kind “${situation}” is in this trace`);
	return rest(t);
}

/* Does something; complains if nothing is seen of it, or the page complains. */
async function answered(t, what, before, act) {
	const said = t.said.length;
	await act();
	await t.page.evaluate(`window.seen = ${seen}`);
	await t.page.waitForFunction((was) => window.seen() !== was, before, { timeout: 30000, polling: 50 })
		.catch(() => {
			throw new Complaint(`${what}: nothing is seen of it`);
		});
	await t.settle();
	if (t.said.length > said)
		throw new Complaint(`${what}: ${t.said.slice(said).join('\n')}`);
	const notes = await t.page.textContent('#notes');
	ok(!/did not work|undefined|NaN|\[object/.test(notes), `${what}: ${notes}`);
}

function commands_of(t) {
	return t.page.evaluate(async () => (await import(new URL('commands.js', location.href))).COMMANDS.map(([, name, keys]) => [name, keys]));
}

/*
 * Where Back leads depends on how long each view stood still, so on a busy machine it may lead to the view
 * that is shown; t_using.mjs has a test for it that waits for the entries of the history.
 */
const BACK = /^Back to the view/;

/* Every command from the palette. */
async function walk(t, situation) {
	const list = (await commands_of(t)).filter(([name]) => !BACK.test(name));
	ok(list.length > 50, `only ${list.length} commands`);
	for (const [name] of list) {
		await start(t, situation, name === 'Events' ? 'marks' : 'events');
		await t.page.evaluate((text) => {
			const { palette } = window.sonde;
			palette.open('commands');
			palette.input.value = `>${text}`;
			palette.fill();
			palette.box.close();	/* that it was open is no answer */
			document.activeElement?.blur();
		}, name);
		const before = await rest(t);
		await answered(t, `${name} (${situation})`, before, () => t.page.evaluate((text) => {
			const { palette } = window.sonde;
			palette.run(palette.items.findIndex((item) => item.text === text));
		}, name));
	}
}

const KEYS = { C: 'Control', S: 'Shift', A: 'Alt' };

async function walk_keys(t, situation) {
	for (const [name, keys] of (await commands_of(t)).filter(([name]) => !BACK.test(name)))
		for (const key of keys) {
			const [, flags, last] = key.match(/^((?:[CSA]-)*)(.+)$/), before = await start(t, situation, name === 'Events' ? 'marks' : 'events');
			const typed = last === 'Space' ? ' ' : flags.includes('S') && last.length === 1 ? last.toUpperCase() : last;
			await answered(t, `${key}: ${name}`, before, () => t.page.keyboard.press([...flags.matchAll(/[CSA]/g)].map(([f]) => KEYS[f]).concat(typed).join('+')));
		}
}

/* Every entry of a menu that open() brings up; the menu is opened anew for each. */
async function walk_menu(t, situation, title, open) {
	for (let i = 0, n = 1; i < n; i++) {
		await start(t, situation);
		await open();
		await t.page.waitForSelector('#menu:not([hidden]) button');
		const entries = await t.page.$$eval('#menu button', (list) => list.map((b) => b.textContent));
		n = entries.length;
		ok(n > 2 && entries.every(Boolean), `${title}: ${entries}`);
		const entry = await t.page.$(`#menu button >> nth=${i}`);
		await t.page.evaluate(() => {
			document.getElementById('menu').hidden = true;
			document.activeElement?.blur();
		});
		const before = await rest(t);
		await answered(t, `${title}: ${entries[i]}`, before, () => entry.evaluate((button) => button.click()));
	}
}

/* Every button of a panel. */
async function walk_panel(t, id) {
	for (let i = 0, n = 1; i < n; i++) {
		await start(t, 'span');
		await t.panel(id);
		const before = await rest(t), text = await t.page.textContent(`#panel-${id}`);
		ok(text.trim(), `the panel ${id} is empty`);
		/* of a choice the button that is pressed already shows nothing new */
		const buttons = t.page.locator(`#panel-${id} button:visible:enabled:not(.frame):not(.which [aria-pressed=true])`);
		n = Math.min(5, await buttons.count());
		if (i < n)
			await answered(t, `${id}: ${await buttons.nth(i).textContent()}`, before, () => buttons.nth(i).evaluate((b) => b.click()));
	}
}

const quiet_print = (t) => t.page.evaluate(() => {	/* a dialog of the browser, which headless has not */
	window.print = () => document.body.dataset.printed = Number(document.body.dataset.printed || 0) + 1;
});

function walking(trace, situation) {
	return {
		name: `every command answers: ${trace}, ${situation}`, trace,
		async run(t) {
			await quiet_print(t);
			await walk(t, situation);
		},
	};
}

async function saved(t, name) {
	const [file] = await Promise.all([t.page.waitForEvent('download'), t.page.evaluate((what) => window.sonde.save.file(what), name)]);
	return fs.readFileSync(await file.path(), 'utf8');
}

export const commands = [
	{
		name: 'losses: how many, and from one to the next',
		trace: 'lost-events',
		async run(t) {
			const lost = t.oracle.events.filter((e) => 'missed' in e);
			const sum = lost.reduce((n, e) => n + (e.missed || 0), 0), places = new Set(lost.map((e) => e.t)).size;
			await t.page.waitForSelector('#notes .offer');
			const said = (await t.page.textContent('#notes')).replace(/[^\w ;:]/g, '');
			ok(said.includes(`lost ${sum} events at ${lost.length} places`), `the note says: ${said}`);
			const seen = [];
			await t.page.click('#notes .offer');
			for (let i = 0; i < places; i++) {
				await t.page.waitForFunction((n) => window.sonde.selection?.event?.missed && window.sonde.selection.event.ts > n, seen.at(-1) ?? -1);
				seen.push(await t.page.evaluate(() => window.sonde.selection.event.ts));
				await t.page.keyboard.press('e');
			}
			await t.page.waitForFunction(() => /No events were lost after this/.test(document.getElementById('notes').textContent));
			same(seen, [...new Set(lost.map((e) => e.t))].sort((a, b) => a - b), 'places of losses');
			ok((await t.details())['Lost before'], 'the details do not tell it');
			await t.shot('losses');
			await t.page.keyboard.press('Shift+E');
			await t.page.waitForFunction((n) => window.sonde.selection.event.ts < n, seen.at(-1));
		},
	},
	walking('events-v7-zstd', 'nothing'), walking('events-v7-zstd', 'event'), walking('lost-events', 'span'), walking('nested nested-inner', 'idle'),
	{
		name: 'every key answers',
		trace: 'events-v7-zstd',
		async run(t) {
			await quiet_print(t);
			await walk_keys(t, 'span');
		},
	},
	{
		name: 'every entry of a menu answers',
		trace: 'events-v7-zstd',
		async run(t) {
			await quiet_print(t);
			await walk_menu(t, 'nothing', 'Save', () => t.page.click('#do-save'));
			await walk_menu(t, 'event', 'Event', () => t.page.click('#panel-events tr.on, #panel-events .row.on, #panel-events [aria-selected=true]', { button: 'right' }));
			await walk_menu(t, 'span', 'Track', () => t.page.click('#labels .lane >> nth=2', { button: 'right' }));
			await walk_menu(t, 'span', 'Span', () => t.page.evaluate(() => {
				const { selection: s, pointer } = window.sonde;
				return pointer.menu({ clientX: 300, clientY: 300 }, { lane: s.lane, t: (s.start + s.end) / 2, depth: 0 });
			}));
		},
	},
	{
		name: 'every button of a panel answers',
		trace: 'events-v7-zstd',
		async run(t) {
			for (const id of await t.page.$$eval('[id^=tab-]', (tabs) => tabs.map((tab) => tab.id.slice(4))))
				await walk_panel(t, id);
		},
	},
	{
		name: 'a waker that idled leads to the interrupt or the CPU',
		trace: 'events-v7-zstd',
		async run(t) {
			await start(t, 'idle');
			const { start: woken } = await t.page.evaluate(() => window.sonde.selection);
			await t.page.keyboard.press('[');
			await t.page.waitForFunction(() => !/^task:/.test(window.sonde.selection?.lane || ''));
			const s = await t.page.evaluate(() => window.sonde.selection);
			ok(s.event ? s.event.ts === woken : /^(irq|softirq):/.test(s.lane) && s.start <= woken && s.end >= woken, `selected: ${JSON.stringify(s)}`);
			ok(!(await t.page.evaluate(() => window.sonde.lanes.list.some((lane) => /^(task|calls|sys):\d+:0$/.test(lane.spec)))), 'a track of the idle task');
			await t.page.evaluate(() => window.sonde.show_lane('task:0:0'));
			ok(/idle task has no track/.test(await t.page.textContent('#notes')), 'the idle task is asked for, and nothing is said');
		},
	},
	{
		name: 'spans between two events: typed as it is said',
		trace: 'events-v7-zstd',
		async run(t) {
			await t.page.evaluate(() => window.sonde.palette.open('pair'));
			ok(await t.page.locator('#palette .item').count() > 3, 'no events are offered to begin with');
			await t.page.keyboard.type('irq_handler_entry -> irq_handler_exit irq');
			await t.page.keyboard.press('Enter');
			await t.settle();
			const lane = await t.page.evaluate(() => window.sonde.lanes.list.find((l) => l.type === 'pair'));
			same([lane.spec, lane.refused], ['pair:0:irq/irq_handler_entry:irq/irq_handler_exit:irq', ''], 'the track');
			ok((await t.drawn(lane.spec)).length > 0, 'the track is empty');
			await t.page.evaluate(() => window.sonde.palette.open('pair'));
			await t.page.keyboard.type('irq_handler_entry -> irq_handler_exit nosuch');
			ok(/has no number “nosuch”/.test(await t.page.textContent('#palette')), 'a field that is not there is offered');
		},
	},
	{
		name: 'fields that no event has are reported',
		trace: 'events-v7-zstd',
		async run(t) {
			await t.page.click('#do-filter');
			await t.page.fill('#filter-expression', 'prev_pidd == 0');
			await t.page.keyboard.press('Enter');
			await t.page.waitForFunction(() => document.querySelector('#filter-box .bad').textContent);
			ok(/no event.*“prev_pidd”; did you mean “prev_pid”/i.test(await t.page.textContent('#filter-box .bad')), await t.page.textContent('#filter-box .bad'));
			await t.shot('unknown-field');
			await t.page.fill('#filter-expression', 'prev_pid == 0 || next_pido == 3');
			await t.page.keyboard.press('Enter');
			await t.page.waitForFunction(() => /next_pid”\?/.test(document.querySelector('#filter-box .bad').textContent));
			/* other events have it, but not this one */
			await t.page.fill('#filter-expression', 'sched_switch: prev_pid == 0 || vec == 3');
			await t.page.keyboard.press('Enter');
			await t.page.waitForFunction(() => /“sched_switch” has a field “vec”/.test(document.querySelector('#filter-box .bad').textContent));
			await t.page.fill('#filter-expression', 'irq/.*, sched_switch: prev_pid == 0 || vec == 3');
			await t.page.keyboard.press('Enter');
			await t.page.waitForFunction(() => window.sonde.filters.on && !document.getElementById('filter-box').open);
		},
	},
	{
		name: 'a track that is refused does not break exports',
		trace: 'events-v7-zstd',
		hash: '#l=cpu:0:0,field:0:sched/sched_switch:nosuch,cpu:0:1',
		async run(t) {
			const why = await t.page.evaluate(() => window.sonde.lanes.list.find((lane) => lane.refused)?.refused);
			ok(why, 'nothing is refused');
			for (const what of ['svg', 'html']) {
				const text = await saved(t, what);
				ok(text.includes(why.slice(0, 20).replace(/"/g, '&quot;')), `${what} does not say why: ${why}`);
				ok(text.includes('data-lane="cpu:0:1"'), `${what} has not the other tracks`);
			}
			ok(/saved; 1 track cannot be drawn/.test(await t.page.textContent('#notes')), await t.page.textContent('#notes'));
		},
	},
	{
		name: 'what the program refuses is said',
		trace: 'events-v7-zstd',
		expect_console: /503|no way/,
		async run(t) {
			await t.page.route('**/api/export*', (route) => route.fulfill({ status: 503, contentType: 'application/json', body: '{"error":"no way"}' }));
			await t.page.route('**/api/event?*', (route) => route.fulfill({ status: 503, contentType: 'application/json', body: '{"error":"no way to this event"}' }));
			await t.page.evaluate(() => window.sonde.attempt(() => window.sonde.save.file('svg')));
			await t.page.waitForFunction(() => /no way/.test(document.getElementById('notes').textContent));
			await t.page.evaluate(() => {
				window.sonde.select_event(1);	/* nobody waits for it */
			});
			await t.page.waitForFunction(() => /no way to this event/.test(document.getElementById('notes').textContent));
		},
	},
];
