// Compares train-sim with its peers: the same cycle (add, process, archive in turn by each client, closed loop, no pauses)
// by train-sim, by pgbench with the same SQL, by a procedure inside the server and by dbworkload, interleaved on one
// embedded server. The bench prints medians and ranges for each peer and setting and compares train-sim with its targets;
// it exits with 1 if a target is missed and with 104 on a wrong argument. A peer that is not available is reported with the
// reason, never silently left out.
//
//   npm run bench:peers -- [--short] [--rounds 5] [--seconds 8] [--warm-up 20] [--payloads text,jsonb-manual,jsonb]
//                          [--clients 8,64] [--peers train-sim,pgbench,...] [--json FILE|-]
import { writeFileSync } from "node:fs";
import { deriveSeed, Prng } from "#program/foundation/prng.js";
import { measure } from "./peers/measurement.mjs";
import { readPeerOptions } from "./peers/options.mjs";
import { PEERS } from "./peers/registry.mjs";
import { openServer } from "./peers/server.mjs";
import { header, summarise, table } from "./peers/tables.mjs";
import { judge, verdictLines } from "./peers/targets.mjs";

/** Peers among `names` that can run on this machine. For each other peer it prints the reason. */
async function available(names) {
  const present = [];
  const missing = [];
  for (const name of names) {
    const peer = PEERS[name];
    try {
      present.push({ name, ...(await peer.prepare()) });
    } catch (error) {
      missing.push({ name, reason: error.message });
    }
  }
  return { present, missing };
}

/** The peers in a random order for one round of a setting. */
function shuffle(peers, seed) {
  const prng = new Prng(seed);
  const order = [...peers];
  for (let i = order.length - 1; i > 0; i--) {
    const j = prng.intBetween(0, i);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

async function main() {
  const options = readPeerOptions(Object.keys(PEERS));
  const say = options.json === "-" ? console.error : console.log;
  const { present, missing } = await available(options.peers);
  say(header(options));
  for (const { name, reason } of missing) say(`MISSING ${name}: ${reason}`);
  const settings = options.payloads.flatMap((payload) =>
    options.clients.map((clients) => ({ payload, clients })),
  );
  const runs = [];
  let failure;
  const server = await openServer(Math.max(...options.clients));
  try {
    for (let round = 0; round < options.rounds; round++) {
      for (const [index, setting] of settings.entries()) {
        for (const peer of shuffle(present, deriveSeed(options.seed, "order", round, index))) {
          const run = await measure(server, peer, setting, { ...options, round });
          runs.push({ peer: peer.name, ...setting, round, ...run });
          console.error(
            `round ${round + 1}/${options.rounds} ${setting.payload} ${setting.clients} clients ${peer.name}: ` +
              `${Math.round(run.eventsPerSecond)} ev/s, client ${(run.clientShare * 100).toFixed(1)} % of CPU`,
          );
        }
      }
    }
  } catch (error) {
    // The measurements made so far are printed despite the error. A goal with too few rounds is neither met nor missed.
    failure = error;
  } finally {
    await server.close();
  }
  if (runs.length === 0 && failure) throw failure;
  const rows = summarise(runs);
  const verdicts = judge(runs, missing, { settings, rounds: options.rounds });
  say(table(rows));
  say(verdictLines(verdicts));
  if (failure) console.error(`ENDED EARLY: ${failure.message}`);
  const document = { options, missing, rows, verdicts, runs, ...(failure && { endedBy: failure.message }) };
  if (options.json === "-") console.log(JSON.stringify(document, null, 2));
  else if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(document, null, 2)}\n`);
  if (failure || verdicts.some(({ verdict }) => verdict !== "met")) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
