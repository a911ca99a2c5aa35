// An invariant is true, or its rows are the values of acknowledged transactions, each once.
import * as z from "zod";
import type { AdminSession } from "../../database/contract.js";
import type { SqlRow } from "../../database/sql.js";
import { messageOf, TrainSimError, TrialError } from "../../foundation/errors.js";
import { counted } from "../../foundation/units.js";
import type { AuditOutcome, AuditInputs } from "../workload.js";
import { settingLiteralIn, WorkerAccount } from "./client.js";
import { placeText, type Invariant, type Program } from "./program.js";
import type { Treatment } from "./settings.js";
import { substituteVariables } from "./sql-text.js";
import type { OwnSqlStore } from "./store.js";

export const findings = {
  invariants: z
    .array(
      z.strictObject({
        name: z.string(),
        holds: z.boolean(),
        seen: z.string(),
        acknowledged: z.string().optional().describe("The transaction whose ids its rows are"),
      }),
    )
    .optional()
    .describe("Invariants of your own workload, with the results of their queries"),
};

/** Largest number of values that a violation names. */
const NAMED_MAX = 3;

/** Difference between the values that acknowledged transactions reported and the values in the rows. */
interface ValueComparison {
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
  readonly unexpected: readonly string[];
  readonly inDoubtFound: number;
}

interface ClientValues {
  readonly acknowledged: readonly string[];
  readonly inDoubt: readonly string[];
}

/** @param isWhole true if all acknowledged values are known */
async function compare(
  rows: AsyncIterable<string>,
  { acknowledged, inDoubt }: ClientValues,
  isWhole: boolean,
): Promise<ValueComparison> {
  const open = new Set(acknowledged);
  const doubtful = new Set(inDoubt);
  const seen = new Set<string>();
  const [duplicated, unexpected]: string[][] = [[], []];
  let inDoubtFound = 0;
  for await (const value of rows) {
    if (seen.has(value)) duplicated?.push(value);
    else if (open.delete(value)) seen.add(value);
    else if (doubtful.has(value)) {
      inDoubtFound++;
      seen.add(value);
    } else if (isWhole) unexpected?.push(value);
  }
  return { lost: [...open], duplicated: duplicated ?? [], unexpected: unexpected ?? [], inDoubtFound };
}

function differenceWords({ lost, duplicated, unexpected }: ValueComparison): string[] {
  const words = (values: readonly string[], what: string): string[] => {
    const examplesText = values.slice(0, NAMED_MAX).join(", ");
    return values.length === 0
      ? []
      : [`${values.length} ${what} (${examplesText}${values.length > NAMED_MAX ? ", ..." : ""})`];
  };
  return [
    ...words(lost, "acknowledged and not there"),
    ...words(duplicated, "there twice"),
    ...words(unexpected, "there and never acknowledged"),
  ];
}

/** Result of an invariant's query, which must return one row with the value true. */
function invariantResultOf(rows: readonly SqlRow[]): { readonly holds: boolean; readonly seen: string } {
  const [row, ...others] = rows;
  if (!row || others.length > 0)
    return { holds: false, seen: `${counted(rows.length, "row")}; it takes one` };
  const [value] = Object.values(row);
  // MySQL has no boolean: its TRUE is 1.
  return {
    holds: value === true || value === 1,
    seen: typeof value === "string" ? value : JSON.stringify(value),
  };
}

/**
 * Throws a TrialError for an invariant whose query failed. An error of train-sim, such as the loss of the server, is thrown
 * unchanged.
 */
function throwQueryFailure({ name, sql: { place } }: Invariant, error: unknown, file: string): never {
  if (error instanceof TrainSimError) throw error;
  throw new TrialError(
    `${placeText(place, file)}: invariant "${name}": ${messageOf(error)}`,
    "Correct the query, so that it answers on any rows.",
    { cause: error },
  );
}

/** Sentences on writing transactions whose loss no invariant would show. */
function uncheckedLossWords({ transactions, invariants }: Program): string[] {
  if (invariants.length === 0) return ["the workload states no invariant, so nothing was checked"];
  const held = new Set(invariants.map(({ acknowledged }) => acknowledged?.transaction));
  const names = transactions.filter(({ name, isReadOnly }) => !isReadOnly && !held.has(name));
  if (names.length === 0) return [];
  return [
    `lost or duplicated transactions of ${names.map(({ name }) => name).join(", ")}: no invariant lists their acknowledged ids`,
  ];
}

export async function audit(
  store: OwnSqlStore,
  program: Program,
  file: string,
  admin: AdminSession,
  inputs: AuditInputs<Treatment>,
): Promise<AuditOutcome> {
  const { settings, unclosed } = inputs;
  const accounts = inputs.workerAccounts.map((one) => WorkerAccount.parse(one));
  const sqlOf = ({ sql }: Invariant): string =>
    substituteVariables(sql, settingLiteralIn(settings, sql.syntax));
  const sums = { lost: 0, duplicated: 0, unexpected: 0, inDoubtFound: 0 };
  const invariants: { name: string; holds: boolean; seen: string; acknowledged?: string }[] = [];
  await store.scan(admin, settings, async (ask) => {
    for (const invariant of program.invariants) {
      const { name, acknowledged } = invariant;
      if (!acknowledged) {
        const rows = await ask
          .rows(sqlOf(invariant))
          .catch((error: unknown) => throwQueryFailure(invariant, error, file));
        invariants.push({ name, ...invariantResultOf(rows) });
        continue;
      }
      const kept = {
        acknowledged: accounts.flatMap((one) => one.acknowledged[name] ?? []),
        inDoubt: accounts.flatMap((one) => one.inDoubt[name] ?? []),
      };
      const rows = ask.values(sqlOf(invariant));
      const compared = await compare(rows, kept, unclosed.length === 0).catch((error: unknown) =>
        throwQueryFailure(invariant, error, file),
      );
      const problems = differenceWords(compared);
      const all = `${counted(kept.acknowledged.length, "acknowledged transaction")}, each there once`;
      invariants.push({
        name,
        holds: problems.length === 0,
        acknowledged: acknowledged.transaction,
        seen: problems.length === 0 ? all : problems.join("; "),
      });
      for (const kind of ["lost", "duplicated", "unexpected"] as const) sums[kind] += compared[kind].length;
      sums.inDoubtFound += compared.inDoubtFound;
    }
  });
  const heldLocks = (await store.heldLocks?.(admin, settings)) ?? 0;
  const violations = invariants
    .filter(({ holds }) => !holds)
    .map(({ name, seen }) => `invariant "${name}" does not hold: ${seen}`);
  const found = {
    verdict: violations.length > 0 ? ("violated" as const) : ("ok" as const),
    published: accounts.reduce((sum, { committed }) => sum + committed, 0),
    inDoubt: accounts.reduce((sum, { doubtful }) => sum + doubtful, 0),
    ...sums,
    invariants,
    violations,
    ...(heldLocks > 0 && {
      remarks: [
        `${counted(heldLocks, "advisory lock")} ${heldLocks === 1 ? "was" : "were"} still held by sessions of the pool after all transactions: unlock them, or use pg_advisory_xact_lock`,
      ],
    }),
    notAudited: [
      ...uncheckedLossWords(program),
      ...unclosed.map((name) => `${name} ended without its account: its last transactions are unknown`),
    ],
  };
  return { findings: found };
}
