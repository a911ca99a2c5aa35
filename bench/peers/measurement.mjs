// One run of one peer: from emptied tables through a warm-up that does not count to a window in the middle of its
// load, both ends read the same way for every peer. It refuses a run that went through fewer events than a window must
// hold to mean anything, or whose peer failed: such a number is not printed.
import { setTimeout as sleep } from "node:timers/promises";
import { BATCH } from "./statements.mjs";

const MEAN_BATCH = (BATCH.min + BATCH.max) / 2;
const LOOK_MS = 50;
const PATIENCE_MS = 60_000;
/** Share of the warm-up after which statistics are gathered, as train-sim does it. */
const ANALYZE_AFTER = 0.6;
/** Until what was under way at the window's end has been committed and can be counted; train-sim drops its tables. */
const SETTLING_MS = 1_000;
/** Load beyond the window, so that no peer ends inside it: before it, tables are analysed, which takes what it takes. */
const SLACK_SECONDS = 8;

/** Until a peer ends by itself once its load is over; an audit, and a server that cleans up before it, take their time. */
const END_PATIENCE_MS = 60_000;
const AUDIT_PATIENCE_MS = 180_000;

/**
 * Resolves to what went wrong with it, or to undefined. One that does not end is stopped, and said so: its window was
 * over by then and stands, but where its audit would have had to say so.
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

/** The window's figures; `eventsPerSecond` are those that were archived. */
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
