// Compares train-sim's cost of a transaction of the bank with a transaction of Train Events' cycle, of its default shape:
// processor time of the program within a window, divided by its transactions.
import { median } from "#program/analysis/statistics/quantiles.js";
import { PEERS } from "../peers/registry.mjs";
import { CASES } from "./cases.mjs";
import { inTurn, measureTrainSim, spread, trainSim } from "./load.mjs";

const RATIO_MOST = 2;
const CLIENTS = 8;

export const title = `client CPU: microseconds of a transaction, at most ${RATIO_MOST} x Train Events`;

async function trainEvents(server, _, { clients, warmUp, seconds, round }) {
  const { start } = await PEERS["train-sim/set-based"].prepare();
  const setting = { payload: "text", clients, warmUpSeconds: warmUp, loadSeconds: warmUp + seconds + 1 };
  return measureTrainSim(server, start(server, { ...setting, seed: round + 1 }), seconds);
}

export async function run(server, { rounds, seconds, warmUp }) {
  /** @type {Record<string, Awaited<ReturnType<typeof measureTrainSim>>[]>} */
  const measured = { bank: [], "train-events": [] };
  const programs = { bank: trainSim, "train-events": trainEvents };
  for (let round = 0; round < rounds; round++)
    for (const name of inTurn(round, Object.keys(programs))) {
      const figures = await programs[name](server, CASES.bank, { clients: CLIENTS, warmUp, seconds, round });
      measured[name].push(figures);
      console.error(`round ${round + 1}/${rounds} ${name}: ${figures.clientUs.toFixed(0)} us`);
    }
  const rows = Object.entries(measured).map(([name, runs]) => [
    ...[
      name,
      spread(
        runs.map(({ clientUs }) => clientUs),
        0,
      ),
      spread(
        runs.map(({ perSecond }) => perSecond),
        0,
      ),
    ],
    "",
  ]);
  const ratios = measured.bank.map(
    ({ clientUs }, round) => clientUs / measured["train-events"][round].clientUs,
  );
  const isMet = median(ratios) <= RATIO_MOST;
  const ratio = ["ratio", spread(ratios, 2), "", isMet ? "met" : "MISSED"];
  return { rows: [[`${CLIENTS} clients`, "client CPU", "transactions/s", ""], ...rows, ratio], isMet };
}
