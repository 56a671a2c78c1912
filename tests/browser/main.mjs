// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.mjs - runs the browser tests one after the other, in one browser, and prints a line for each.
 *
 * A test is { name, trace, run(t) }. t has the page of a viewer on that trace (lib.mjs), what the trace
 * holds (oracle.mjs), and ways to complain. Viewers are started when first needed and shared; every test
 * gets a page of its own. A message on the page's console, or an uncaught error, fails its test.
 */
import fs from 'node:fs';
import { Lab, Complaint, Skip } from './lib.mjs';
import { timeline } from './t_timeline.mjs';
import { measures } from './t_measures.mjs';
import { list } from './t_list.mjs';
import { panels } from './t_panels.mjs';
import { tables } from './t_tables.mjs';
import { keys } from './t_keys.mjs';
import { picture } from './t_picture.mjs';
import { live } from './t_live.mjs';
import { saved } from './t_saved.mjs';
import { guests } from './t_guests.mjs';
import { files } from './t_files.mjs';
import { using } from './t_using.mjs';
import { commands } from './t_commands.mjs';
import { user } from './t_user.mjs';
import { sql } from './t_sql.mjs';

const TESTS = [...timeline, ...measures, ...list, ...panels, ...tables, ...keys, ...picture, ...live, ...saved, ...guests, ...files, ...using,
	...commands, ...user, ...sql];
const SECONDS = 400;

function within(seconds, promise) {
	let timer;
	const late = new Promise((_, refuse) => {
		timer = setTimeout(() => refuse(new Complaint(`took longer than ${seconds} s`)), seconds * 1000);
	});
	return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function run_one(lab, test) {
	const t = await lab.open(test);
	try {
		await within(SECONDS, test.run(t));
		t.no_complaints();
		console.log(`ok ${test.name}`);
		return true;
	} catch (error) {
		console.log(`FAIL ${test.name}`);
		console.log(error instanceof Complaint ? error.message : error.stack);
		t.said.forEach((line) => console.log(`page: ${line}`));
		await t.shot(`failed-${test.name}`).catch(() => 0);
		return false;
	} finally {
		await t.close();
	}
}

const only = process.argv.slice(2);
const wanted = TESTS.filter((test) => !only.length || only.some((word) => test.name.includes(word)));
const until = Number(process.env.SONDE_UNTIL || Infinity);
fs.mkdirSync(process.env.SHOTS, { recursive: true });
const lab = new Lab();
const count = { passed: 0, failed: 0, skipped: 0 };
try {
	await lab.start();
	for (const test of wanted) {
		if (Date.now() / 1000 >= until) {
			console.log(`left ${test.name}`);
			continue;
		}
		const good = await run_one(lab, test).catch((error) => {
			console.log(error instanceof Skip ? `skip ${test.name}: ${error.message}` : `FAIL ${test.name}\n${error.stack}`);
			return error instanceof Skip ? null : false;
		});
		count[good ? 'passed' : good === null ? 'skipped' : 'failed']++;
	}
} catch (error) {
	console.log(`FAIL start\n${error.stack}`);
	count.failed++;
} finally {
	await lab.stop();
}
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exit(count.failed ? 1 : 0);
