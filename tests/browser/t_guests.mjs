// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_guests.mjs - a host and its guest, recorded together: `sonde view nested.dat nested-inner.dat`.
 *
 * Both were recorded by one command line (tests/golden/README), so their times are one sequence and the host's file
 * knows which of its threads ran the guest's CPU. When the guest sets its timer it writes a register, which takes it
 * out of the machine: the host has the value (kvm_msr), and the guest, as soon as it is back, has it too (write_msr).
 *
 * covers: B02 V03 K09
 */
import { same, ok, digits } from './lib.mjs';

const TRACE = 'nested nested-inner', HOST = 'nested.dat', GUEST = 'nested-inner.dat';

/* [depth, text] of every line of the tree, from top to bottom. */
function tree(t) {
	return t.page.evaluate(() => [...document.querySelectorAll('#tree [role=treeitem]')].map((e) =>
		[Number(e.getAttribute('aria-level')), e.getAttribute('aria-label') || e.textContent.replace('▶', '')]));
}

/* The thread that ran the guest, by its name alone, and when it was in the guest. */
function entries(t) {
	const host = t.oracle.of_file(HOST);
	const pid = host.of('kvm_entry')[0].pid;
	const spans = host.pairs('kvm_entry', 'kvm_exit', (e) => e.pid).filter((s) => s.pid === pid);
	return { pid, spans };
}

export const guests = [
	{
		name: 'guests stand under their host, with what their virtual CPUs did', trace: TRACE,
		async run(t) {
			const { pid } = entries(t), lines = await tree(t), at = (text) => lines.findIndex(([, line]) => line.startsWith(text));
			const info = await t.page.evaluate(() => window.sonde.info);
			same(info.machines.map((m) => [m.name, m.guest_of]), [[HOST, -1], ['inner', 0]], 'machines');
			same(info.machines[1].vcpus, [{ cpu: 0, pid }], 'threads of virtual CPUs');
			same(at(HOST), 0, 'the host comes first');
			const guest = at('inner'), under = lines.slice(guest + 1);
			ok(guest > 0, `there is no guest among ${JSON.stringify(lines)}`);
			same(lines[guest][0], lines[0][0] + 1, 'the guest is one level below its host');
			ok(lines.slice(1, guest).every(([depth]) => depth > lines[0][0]), 'all of the host is below the host');
			ok(under.every(([depth]) => depth > lines[guest][0]), 'all of the guest is below the guest');
			const find = (text) => under.findIndex(([, line]) => line.startsWith(text));
			const order = ['CPUs', 'CPU 0', 'Virtual CPUs', `vCPU 0 host thread ${pid}`, 'Tasks'].map(find);
			ok(order.every((n) => n >= 0) && order.every((n, i) => !i || n > order[i - 1]), `order of the guest's tracks: ${order} in ${JSON.stringify(under)}`);
			const refused = await t.page.evaluate(() => window.sonde.lanes.list.filter((lane) => lane.refused).map((lane) => lane.spec));
			same(refused, [], 'tracks that are refused');
			await t.shot('guests');
		},
	},
	{
		name: 'a virtual CPU leads to the thread of the host that ran it, and back', trace: TRACE,
		async run(t) {
			const { pid, spans } = entries(t), span = [...spans].sort((a, b) => b.end - b.start - (a.end - a.start))[0];
			ok(spans.length > 10 && span, 'the guest was entered');
			await t.go(span.start - (span.end - span.start) * 2, span.end + (span.end - span.start) * 2);
			const drawn = (await t.drawn('vcpu:1:0')).filter((box) => box.exact), near = (box, a, b) => Math.abs(a - b) < box.bucket / 100;
			ok(drawn.some((box) => near(box, box.start, span.start)) && drawn.some((box) => near(box, box.end, span.end)), 'it is drawn from its entry to its exit');
			await t.click('vcpu:1:0', (span.start + span.end) / 2);
			const details = await t.details();
			same(digits(details.Exactly), span.end - span.start, 'how long the guest ran');
			same(details.Machine, 'inner', 'machine');
			same(details['Host thread'], `CPU 0/KVM ${pid}`, 'the thread that ran it');
			same(await t.page.evaluate(() => window.sonde.tasks[window.sonde.hot]?.pid), pid, 'the thread stands out');
			await t.shot('guest-vcpu');
			await t.page.evaluate((p) => window.sonde.lanes.remove(`task:0:${p}`), pid);
			await t.page.locator('#details dt:text-is("Host thread") + dd button').click();
			await t.page.waitForFunction((p) => window.sonde.lanes.find(`task:0:${p}`), pid, { timeout: 90000 });
			await t.settle();
			ok((await tree(t)).some(([, line]) => line.startsWith(`CPU 0/KVM ${pid}, vCPU 0 of inner`)), 'its track says which virtual CPU it runs');
			const slice = t.oracle.of_file(HOST).slices(pid).find((s) => s.start <= span.start && s.end >= span.end);
			ok(slice, 'the thread was running then');
			await t.click(`task:0:${pid}`, (span.start + span.end) / 2);
			const thread = await t.details();
			same(digits(thread.Exactly), slice.end - slice.start, 'how long the thread ran');
			same(thread.Runs, 'vCPU 0 of inner', 'the way back');
		},
	},
	{
		name: 'time by task and Why tell what of it was stolen', trace: TRACE,
		async run(t) {
			const { pid } = entries(t), from = 976e6, to = 105e7, inside = (s, a, b) => Math.max(0, Math.min(s.end, b) - Math.max(s.start, a));
			const on = t.oracle.of_file(HOST).slices(pid), wanted = new Map();
			for (const s of t.oracle.of_file(GUEST).ran(0)) {
				const start = Math.max(s.start, from), end = Math.min(s.end, to);
				if (end > start)
					wanted.set(s.pid, (wanted.get(s.pid) || 0) + end - start - on.reduce((sum, r) => sum + inside(r, start, end), 0));
			}
			const [most, ns] = [...wanted].sort((a, b) => b[1] - a[1])[0];
			await t.page.evaluate(([a, b]) => window.sonde.set_range(a, b), [from, to]);
			await t.settle();
			await t.panel('tasks');
			await t.page.waitForSelector('#panel-tasks table', { timeout: 90000 });
			const rows = (await t.rows('#panel-tasks table')).filter((r) => r.stolen);
			const row = rows.sort((a, b) => parseFloat(b.stolen) * (b.stolen.endsWith('ms') ? 1e3 : 1) - parseFloat(a.stolen) * (a.stolen.endsWith('ms') ? 1e3 : 1))[0];
			ok(ns > 1e6 && row, `${ns} ns of ${most} were stolen, and no row says so`);
			ok(row.Task.includes(String(most)), `from ${row.Task}, should be ${most}`);
			ok(row.stolen.endsWith('ms') && Math.abs(parseFloat(row.stolen) * 1e6 - ns) < 1e3, `stolen: ${row.stolen}, should be ${ns} ns`);
			ok((await t.page.textContent('#panel-tasks .cpus')).includes('% stolen'), 'the share of the CPU');
			await t.shot('guest-stolen');
			await t.page.evaluate((p) => { window.sonde.why_task = window.sonde.tasks.findIndex((task) => task.machine === 1 && task.pid === p); }, most);
			await t.panel('why');
			await t.page.waitForSelector('#panel-why table', { timeout: 90000 });
			const why = await t.page.textContent('#panel-why');
			ok(/ of it were stolen by the host, which ran ls-\d+ for /.test(why), `Why: ${why}`);
			ok(why.includes('Who had the CPUs of the host'), 'who had them, all together');
			await t.shot('guest-why');
		},
	},
	{
		name: 'times of host and guest are one sequence', trace: TRACE,
		async run(t) {
			const shown = await t.page.evaluate(async () => {
				const a = window.sonde, all = [];
				for (let row = 0; ; row += 1000) {
					const part = await (await fetch(`api/rows?sel=0&row=${row}&n=1000`)).json();
					all.push(...part.rows.map((r) => [r.ts, a.machine_name(r.machine), r.cpu, r.event, r.pid]));
					if (all.length >= part.total || !part.rows.length)
						return all;
				}
			});
			const names = { [HOST]: HOST, [GUEST]: 'inner' };
			const wanted = t.oracle.events.map((e) => [e.t, names[e.file], e.cpu, e.event, e.pid]);
			ok(shown.every((r, i) => !i || r[0] >= shown[i - 1][0]), 'the list goes back in time');
			same(shown.map(String).sort(), wanted.map(String).sort(), 'rows');
			/* an event of the guest is where the report has it, on the host's clock */
			const guest = t.oracle.of_file(GUEST), run = guest.ran(0).find((s) => s.known && s.end - s.start > 1e5);
			ok(run, 'the guest ran something');
			await t.go(run.start - 5e5, run.end + 5e5);
			await t.click(`cpu:1:${run.cpu}`, (run.start + run.end) / 2);
			const details = await t.details();
			same(digits(details.Exactly), run.end - run.start, 'how long a task of the guest ran');
			same(details['On its clock'].replace('.', ''), String(t.oracle.origin + BigInt(run.start)), 'when, on the clock of the host');
			/* what the guest wrote is in both files: first the host sees it, then the guest goes on */
			const seen = new Map(t.oracle.of_file(HOST).of('kvm_msr').map((e) => [e.fields.data, e]));
			const pairs = guest.of('write_msr').map((e) => [seen.get(e.fields.val), e]).filter(([e]) => e);
			ok(pairs.length > 20, `${pairs.length} values are in both files`);
			const entered = t.oracle.of_file(HOST).of('kvm_entry').map((e) => e.t);
			const early = pairs.filter(([out, back]) => back.t < entered.find((time) => time > out.t));
			same(early.map(([, back]) => back.t), [], 'what the guest did before it was entered again');
			const [out, back] = pairs.sort((x, y) => (x[1].t - x[0].t) - (y[1].t - y[0].t))[0];
			await t.add('event:0:kvm/kvm_msr');
			await t.add('event:1:msr/write_msr');
			await t.go(out.t - 1e5, back.t + 1e5);
			for (const [spec, e] of [['event:0:kvm/kvm_msr', out], ['event:1:msr/write_msr', back]])
				ok((await t.drawn(spec)).some((tick) => Math.abs(tick.start - e.t) <= Math.max(tick.bucket, 1)), `${e.event} is not drawn at ${e.t}`);
			await t.shot('guest-both');
		},
	},
];
