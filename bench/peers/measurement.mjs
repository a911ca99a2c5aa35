// Measures one run of one peer: emptied tables, then a warm-up that does not count, then a window in the middle of its
// load, whose ends are read the same way for every peer. It refuses a run with too few events for a meaningful window, and
// a run whose peer failed: such a number is not printed.
import { setTimeout as sleep } from "node:timers/promises";
import { BATCH } from "./statements.mjs";

const MEAN_BATCH = (BATCH.min + BATCH.max) / 2;
const LOOK_MS = 50;
const PATIENCE_MS = 60_000;
/** Share of the warm-up after which statistics are gathered, the same as train-sim's. */
const ANALYZE_AFTER = 0.6;
/**
 * Milliseconds to wait after the window until the transactions in flight at its end are committed and can be counted.
 * train-sim drops its tables only later.
 */
const SETTLING_MS = 1_000;
/**
 * Seconds of load after the window: they keep a peer from ending inside it, although the analysis of tables delays the
 * window.
 */
const SLACK_SECONDS = 8;

/**
 * Milliseconds that a peer may take to end after its load, with an audit and with the cleanup that the server does first.
 */
const END_PATIENCE_MS = 60_000;
const AUDIT_PATIENCE_MS = 180_000;

/**
 * Resolves to an error message of the run, or to undefined. A peer that does not end is stopped and reported. Its window is
 * over by then and stays valid, unless the missing audit would have had to confirm it.
 */
async function endOf(peer, running) {
  const overdue = Symbol("overdue");
  const patienceMs = peer.isAudited ? AUDIT_PATIENCE_MS : END_PATIENCE_MS;
  const end = await Promise.race([running.ended, sleep(patienceMs, overdue, { ref: false })]);
  if (end !== overdue) return end;
  const words = `did not end by itself and was stopped ${patienceMs / 1000} s later`;
  console.error(`${peer.name} ${words}`);
  return peer.isAudited ? `it ${words}, so nobody knows its audit's verdict` : undefined;
}

async function untilLoaded(server, running) {
  const sinceMs = Date.now();
  while (!(await server.isInUse())) {
    if (running.hasEnded())
      throw new Error(`it ended before it had archived an event: ${await running.ended}`);
    if (Date.now() - sinceMs > PATIENCE_MS) throw new Error("it archived no event within a minute");
    await sleep(LOOK_MS);
  }
}

/** Measures one peer in one setting. `eventsPerSecond` counts archived events. */
export async function measure(server, peer, setting, { seconds, warmUpSeconds, seed, round }) {
  await server.reset(setting.payload);
  const loadSeconds = warmUpSeconds + seconds + SLACK_SECONDS;
  const running = await peer.start(server, { ...setting, warmUpSeconds, loadSeconds, seed: seed + round });
  try {
    await untilLoaded(server, running);
    if (peer.warmsUpItself) await running.warm();
    else {
      await sleep(warmUpSeconds * 1000 * ANALYZE_AFTER);
      await server.analyze();
      await sleep(warmUpSeconds * 1000 * (1 - ANALYZE_AFTER));
    }
    const before = await server.counters(running.pids);
    await sleep(seconds * 1000);
    if (running.hasEnded())
      throw new Error(`it ended before its window did: ${(await running.ended) ?? "its time was over"}`);
    const after = await server.counters(running.pids);
    await sleep(SETTLING_MS);
    const events = await server.eventsBetween(before.at, after.at);
    const complaint = await endOf(peer, running);
    if (complaint) throw new Error(complaint);
    return figures(setting, before, after, events);
  } catch (error) {
    throw new Error(`${peer.name}, ${setting.payload}, ${setting.clients} clients: ${error.message}`, {
      cause: error,
    });
  } finally {
    await running.stop();
  }
}

function figures({ clients }, before, after, { archived, added, addedBefore, passes, failedShare }) {
  if (archived === 0) throw new Error("no event went through within the window");
  const windowSeconds = (after.atMs - before.atMs) / 1000;
  const client = after.clientCpuSeconds - before.clientCpuSeconds;
  const server = after.serverCpuSeconds - before.serverCpuSeconds;
  return {
    windowSeconds,
    cyclesBefore: addedBefore / clients / MEAN_BATCH,
    archived,
    eventsPerSecond: archived / windowSeconds,
    addedPerSecond: added / windowSeconds,
    passesPerEvent: passes,
    failedShare,
    clientCpuPerThousand: (client / archived) * 1000,
    serverCpuPerThousand: (server / archived) * 1000,
    clientShare: client / (client + server),
    walBytesPerEvent: (after.walBytes - before.walBytes) / archived,
  };
}
