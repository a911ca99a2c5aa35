// Compares service times of payments in train-sim and in pgbench with times from BEGIN to COMMIT in the server's log. The log
// states both ends to the millisecond, so only means are compared. The difference is the program's work, its sockets and
// waits for a processor. The bound holds for train-sim at a rate that leaves the machine mostly idle.
import { readFileSync, readlinkSync, statSync } from "node:fs";
import { mean } from "#program/analysis/statistics/quantiles.js";
import { CASES } from "./cases.mjs";
import { LOADS, oneAfterTheOther } from "./latency.mjs";
import { spread } from "./load.mjs";

const ADDED_MS_MAX = 0.15;
/** Name of the load to which the bound applies. */
const BOUNDED = "150/s";
const OPERATION = "pay";
const SETTINGS = { log_min_duration_statement: "0", log_line_prefix: "%n %p %a|" };
const LINE =
  /^(\d+\.\d+) (\d+) (.*?)\|LOG: {2}duration: ([\d.]+) ms {2}(?:statement|execute [^:]*): (\S+) ?(\S*)/;

export const title = `service time compared with the server's log, ms: at ${BOUNDED} train-sim adds at most ${ADDED_MS_MAX} ms`;

/** Milliseconds from BEGIN to COMMIT of each payment in a program's window. `program` begins application names in the log. */
function paymentsIn(log, program, { startMs, endMs }) {
  const transactions = new Map();
  const times = [];
  for (const line of log.split("\n")) {
    const [, seconds, pid, application, durationMs, verb, object] = LINE.exec(line) ?? [];
    const atMs = Number(seconds) * 1000;
    if (!application?.startsWith(program)) continue;
    if (/^begin\b/i.test(verb))
      transactions.set(pid, { startMs: atMs - Number(durationMs), isPayment: false });
    const transaction = transactions.get(pid);
    if (transaction && /^update$/i.test(verb) && /\baccount"?$/.test(object)) transaction.isPayment = true;
    if (!transaction || !/^(commit|end)\b/i.test(verb)) continue;
    const isWithin = transaction.startMs >= startMs && atMs < endMs;
    if (transaction.isPayment && isWithin) times.push(atMs - transaction.startMs);
    transactions.delete(pid);
  }
  return times;
}

async function setLogging(admin, isOn) {
  for (const [name, value] of Object.entries(SETTINGS))
    await admin.query(isOn ? `ALTER SYSTEM SET ${name} = '${value}'` : `ALTER SYSTEM RESET ${name}`);
  await admin.query("SELECT pg_reload_conf()");
}

export async function run(server, { rounds, seconds, warmUp }) {
  const which = CASES.bank;
  const index = which.program.transactions.findIndex(({ name }) => name === OPERATION);
  const file = readlinkSync(`/proc/${server.target.serverPid}/fd/2`);
  /** @type {Map<string, { clientMs: number, serverMs: number }[]>} */
  const measured = new Map();
  await setLogging(server.admin, true);
  try {
    for (let round = 0; round < rounds; round++)
      for (const [loadName, load] of Object.entries(LOADS)) {
        const offset = statSync(file).size;
        const programs = await oneAfterTheOther(server, which, load, { warmUp, seconds, round });
        const log = readFileSync(file).subarray(offset).toString();
        for (const [program, { times, window }] of Object.entries(programs)) {
          const one = { clientMs: mean([...times[index]]), serverMs: mean(paymentsIn(log, program, window)) };
          console.error(
            `${loadName}, ${program}: ${one.clientMs.toFixed(3)} and ${one.serverMs.toFixed(3)} ms`,
          );
          measured.set(`${loadName}, ${program}`, [...(measured.get(`${loadName}, ${program}`) ?? []), one]);
        }
      }
  } finally {
    await setLogging(server.admin, false);
  }
  const addedMs = (each) => each.map(({ clientMs, serverMs }) => clientMs - serverMs);
  const rows = [...measured].map(([key, each]) => [
    key,
    ...["clientMs", "serverMs"].map((end) =>
      spread(
        each.map((one) => one[end]),
        3,
      ),
    ),
    spread(addedMs(each), 3),
  ]);
  const bounded = addedMs(measured.get(`${BOUNDED}, train-sim`) ?? []);
  return {
    rows: [["load, program", "client's mean", "server's mean", "added"], ...rows],
    isMet: mean(bounded) <= ADDED_MS_MAX,
  };
}
