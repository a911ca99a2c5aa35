// What must hold after a trial: the history has each acknowledged transfer once and no other, but for those in doubt, and all
// balances add up to the amounts of the history.
import * as z from "zod";
import type { AdminClient } from "../../database/admin.js";
import { counted } from "../../foundation/units.js";
import type { Audited, AuditInputs } from "../workload.js";
import { Told } from "./client.js";
import type { Treatment } from "./settings.js";
import { tablesOf } from "./sql.js";

export const findings = {
  unbalanced: z
    .int()
    .min(0)
    .optional()
    .describe("Sums of balances that differ from the sum of amounts, of workload accounts"),
};

/** Ids of one statement. */
const PORTION = 1_000;

export async function audit(
  admin: AdminClient,
  { settings, told, unclosed }: AuditInputs<Treatment>,
): Promise<Audited> {
  const tables = tablesOf(settings);
  const number = async (sql: string): Promise<number> => {
    const [row] = await admin.query(sql);
    return Number(Object.values(row ?? {})[0] ?? 0);
  };
  const all = told.map((one) => Told.parse(one));
  const doubtful = all.flatMap(({ inDoubt }) => inDoubt);
  const acknowledged = all.reduce((sum, one) => sum + one.acknowledged, 0);
  const there = new Set<string>();
  for (let first = 0; first < doubtful.length; first += PORTION) {
    const ids = doubtful.slice(first, first + PORTION).map(({ id }) => `'${id}'`);
    const rows = await admin.query(`SELECT id FROM ${tables.history} WHERE id IN (${ids.join()})`);
    for (const { id } of rows) there.add(String(id));
  }
  const rows = await number(`SELECT count(*) FROM ${tables.history}`);
  const deltas = await number(`SELECT sum(delta) FROM ${tables.history}`);
  const known = [...all, ...doubtful.filter(({ id }) => there.has(id))];
  const knownDeltas = known.reduce((sum, { delta }) => sum + delta, 0);
  const isWhole = unclosed.length === 0;
  const lost = Math.max(0, acknowledged + there.size - rows);
  const unexpected = isWhole ? Math.max(0, rows - acknowledged - there.size) : 0;
  const sums: [what: string, sum: number][] = [
    ["balances of accounts", await number(`SELECT sum(abalance) FROM ${tables.accounts}`)],
  ];
  if (settings.variant === "aggregates")
    sums.push(
      ["balances of tellers", await number(`SELECT sum(tbalance) FROM ${tables.tellers}`)],
      ["balances of branches", await number(`SELECT sum(bbalance) FROM ${tables.branches}`)],
    );
  if (isWhole && lost + unexpected === 0) sums.push(["acknowledged amounts", knownDeltas]);
  const unbalanced = sums.filter(([, sum]) => sum !== deltas);
  const violations = [
    ...(lost > 0 ? [`${lost} of ${counted(acknowledged, "acknowledged transfer")} not in the history`] : []),
    ...(unexpected > 0
      ? [`${counted(unexpected, "transfer")} in the history without an acknowledgement`]
      : []),
    ...unbalanced.map(
      ([what, sum]) => `the ${what} add up to ${sum}, the amounts in the history to ${deltas}`,
    ),
  ];
  const found = {
    verdict: violations.length > 0 ? ("violated" as const) : ("ok" as const),
    published: acknowledged,
    inDoubt: doubtful.length,
    inDoubtFound: there.size,
    ...{ lost, unexpected, unbalanced: unbalanced.length, violations },
    notAudited: unclosed.map(
      (name) => `${name} ended without its account of transfers: its last ones are unknown`,
    ),
  };
  return { findings: found };
}
