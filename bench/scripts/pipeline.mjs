// Compares transactions per second with and without pipelines: pgbench's TPC-B in train-sim (`pipeline: true`) and in pgbench
// (between \startpipeline and \endpipeline). Closed loops in turn; a ratio has Student's 95 % interval over the rounds.
import { meanWithoutPlaces } from "#program/analysis/statistics/place-effect.js";
import { studentInterval } from "#program/analysis/statistics/statistics.js";
import { BUILTINS } from "#program/workloads/pgbench/builtin.js";
import { CASES, SCALE } from "./cases.mjs";
import { inTurn, pgbench, spread, trainSim } from "./load.mjs";

const CLIENTS = [1, 8];
const { scenario } = CASES["tpcb-like"];
const [{ text }] = BUILTINS.filter(({ name }) => name === "tpcb-like");

const scripted = (script) => ({
  ...{ scenario, scripts: [{ name: "tpcb", weight: 1, text: script }] },
  args: ["-s", String(SCALE)],
});
const PROGRAMS = {
  "train-sim": { run: trainSim, sides: [{ scenario }, { scenario: { ...scenario, pipeline: true } }] },
  pgbench: {
    run: pgbench,
    sides: [
      scripted(text),
      scripted(text.replace("BEGIN;", "\\startpipeline\nBEGIN;").replace("END;", "END;\n\\endpipeline")),
    ],
  },
};

export const title = "pipelines: transactions/s without and with, and the ratio with its 95 % interval";

/** Ratio of a figure with and without pipelines, such as `1.62 [1.55, 1.70]`. */
function ratioOf(rounds, figure) {
  const logs = rounds.map(([without, withIt]) => ({
    logarithm: Math.log(withIt[figure] / without[figure]),
    places: 0,
  }));
  const estimate = meanWithoutPlaces(logs);
  const { low, high } = studentInterval(estimate, 0.05);
  const [ratio, ...ends] = [estimate.mean, low, high].map((log) => Math.exp(log).toFixed(2));
  return `${ratio} [${ends.join(", ")}]`;
}

export async function run(server, { rounds, seconds, warmUp }) {
  const settings = CLIENTS.flatMap((clients) =>
    Object.keys(PROGRAMS).map((program) => ({ clients, program })),
  );
  /** @type {Record<string, number>[][][]} */
  const measured = settings.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, { clients, program }] of settings.entries()) {
      const pair = [];
      for (const side of inTurn(round, [0, 1]))
        pair[side] = await PROGRAMS[program].run(server, PROGRAMS[program].sides[side], {
          ...{ clients, warmUp, seconds, round },
        });
      measured[index].push(pair);
      console.error(
        `round ${round + 1}/${rounds} ${clients} clients, ${program}: ${pair.map(({ perSecond }) => Math.round(perSecond)).join(" and ")}/s`,
      );
    }
  const rows = settings.map(({ clients, program }, index) => {
    const of = (side, figure) =>
      spread(
        measured[index].map((pair) => pair[side][figure]),
        0,
      );
    return [
      ...[program, String(clients), of(0, "perSecond"), of(1, "perSecond")],
      ...[ratioOf(measured[index], "perSecond"), ratioOf(measured[index], "clientUs")],
    ];
  });
  const header = ["program", "clients", "without", "with", "ratio of rates", "ratio of client CPU"];
  return { rows: [header, ...rows], isMet: true };
}
