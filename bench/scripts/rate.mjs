// Compares transactions per second of train-sim and pgbench with the same SQL, clients and preload: closed loops in turn.
import { median } from "#program/analysis/statistics/quantiles.js";
import { CASES } from "./cases.mjs";
import { inTurn, pgbench, spread, trainSim } from "./load.mjs";

const RATIO_LEAST = 0.97;
const SETTINGS = [
  { name: "bank", clients: 8 },
  { name: "bank", clients: 32 },
  { name: "tpcb-like", clients: 8 },
];
const PROGRAMS = { "train-sim": trainSim, pgbench };

export const title = `rate: transactions/s and microseconds of CPU, at least ${RATIO_LEAST} of pgbench`;

export async function run(server, { rounds, seconds, warmUp }) {
  /** @type {Record<string, Awaited<ReturnType<typeof trainSim>>[]>[]} */
  const measured = SETTINGS.map(() => ({ "train-sim": [], pgbench: [] }));
  for (let round = 0; round < rounds; round++)
    for (const [index, { name, clients }] of SETTINGS.entries())
      for (const program of inTurn(round, Object.keys(PROGRAMS))) {
        const setting = { clients, warmUp, seconds, round };
        const figures = await PROGRAMS[program](server, CASES[name], setting);
        measured[index][program].push(figures);
        console.error(
          `round ${round + 1}/${rounds} ${name}, ${clients} clients, ${program}: ${Math.round(figures.perSecond)}/s`,
        );
      }
  const results = SETTINGS.map((setting, index) => {
    const { "train-sim": ours, pgbench: theirs } = measured[index];
    const ratios = ours.map(({ perSecond }, round) => perSecond / theirs[round].perSecond);
    return { ...setting, ours, theirs, ratios, isMet: median(ratios) >= RATIO_LEAST };
  });
  const of = (runs, figure) =>
    spread(
      runs.map((each) => each[figure]),
      0,
    );
  const rows = results.map(({ name, clients, ours, theirs, ratios, isMet }) => [
    ...[`${name}, ${clients} clients`, of(ours, "perSecond"), of(theirs, "perSecond"), spread(ratios, 3)],
    ...[of(ours, "clientUs"), of(theirs, "clientUs"), of(ours, "serverUs"), of(theirs, "serverUs")],
    isMet ? "met" : "MISSED",
  ]);
  const header = [
    "setting",
    "train-sim",
    "pgbench",
    "ratio",
    "client CPU",
    "pgbench's",
    "server CPU",
    "pgbench's",
    "",
  ];
  return { rows: [header, ...rows], isMet: results.every(({ isMet }) => isMet) };
}
