// Capabilities by dialect, and what of a treatment a dialect does not have. A new dialect is one line here. Asked when a
// scenario is loaded, and again for `dialect: auto`, once the server has said what it is.
import { BATCH_SIZES, type Profile } from "../../load/load-settings.js";
import { type TreatmentSettings } from "../settings.js";
import type { DialectCapabilities } from "./capabilities.js";
import { cloudberryCapabilities } from "./cloudberry.js";
import { cockroachdbCapabilities } from "./cockroachdb.js";
import { dsqlCapabilities } from "./dsql.js";
import { postgresCapabilities } from "./postgres.js";
import type { DialectName } from "../../database/settings.js";
import { ROLES } from "../../workloads/registry.js";

const CAPABILITIES: Readonly<Record<DialectName, DialectCapabilities>> = {
  postgres: postgresCapabilities,
  cockroachdb: cockroachdbCapabilities,
  dsql: dsqlCapabilities,
  cloudberry: cloudberryCapabilities,
};

/** Levels that a dialect may lack, which decide about SQL. */
export const DIALECT_FACTORS = ["payload", "storage", "locking", "isolation", "statementShape"] as const;
type DialectFactor = (typeof DIALECT_FACTORS)[number];

/** Rows that an event costs the transaction that changes most of them: `archive` inserts one and deletes two. */
const ROWS_PER_EVENT = 3;
/** `add` inserts the event and its status. */
const ROWS_PER_ADDED_EVENT = 2;

/** One thing of a treatment that its dialect does not have. */
export interface DialectProblem {
  /** The key to change, as a path in the scenario. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type DialectLevels = Readonly<Partial<Record<DialectFactor, string>>>;

export function capabilitiesOf(name: DialectName): DialectCapabilities {
  return CAPABILITIES[name];
}

/** Undefined where the dialect has that level. */
export function lackOf(
  name: DialectName,
  factor: DialectFactor,
  level: string,
): { readonly reason: string; readonly nearest: string } | undefined {
  const lacks: Readonly<Partial<Record<string, { readonly reason: string; readonly nearest: string }>>> =
    CAPABILITIES[name].lacks[factor];
  return lacks[level];
}

/** Each level that the dialect does not have, with the reason and the nearest one. */
export function levelProblems(name: DialectName, levels: DialectLevels): DialectProblem[] {
  const { label } = CAPABILITIES[name];
  return DIALECT_FACTORS.flatMap((factor) => {
    const level = levels[factor];
    const lack = level === undefined ? undefined : lackOf(name, factor, level);
    if (!lack) return [];
    const message = `${label} does not have ${factor}: ${level}: ${lack.reason}; use ${factor}: ${lack.nearest}`;
    return [{ path: [factor], message }];
  });
}

/** Batches of a profile's day that are too large for one transaction of this dialect. */
export function profileProblems(
  name: DialectName,
  { actors }: Pick<TreatmentSettings, "actors">,
): DialectProblem[] {
  const { label, rowsPerTransaction } = CAPABILITIES[name];
  if (rowsPerTransaction === undefined) return [];
  const eventsMax = Math.floor(rowsPerTransaction / ROWS_PER_ADDED_EVENT);
  return ROLES.flatMap((role) => {
    const load = actors[role]?.load;
    if (load?.executor !== "daily-arrival-rate") return [];
    const { sizes, hours }: Profile = load.profile;
    const tooLarge = BATCH_SIZES.filter(
      (size) => sizes[size] > eventsMax && hours.some(({ mix }) => mix[size] > 0),
    );
    return tooLarge.map((size) => ({
      path: ["actors", role, "load", "profile", "sizes", size],
      message:
        `${label} changes at most ${rowsPerTransaction} rows in a transaction, and adding an event changes ` +
        `${ROWS_PER_ADDED_EVENT}; ${sizes[size]} are too many, use at most ${eventsMax}`,
    }));
  });
}

/** All that this dialect cannot do of a treatment. */
export function dialectProblems(
  name: DialectName,
  settings: DialectLevels & Pick<TreatmentSettings, "batch" | "faults" | "actors">,
): DialectProblem[] {
  return [...treatmentProblems(name, settings), ...profileProblems(name, settings)];
}

/** The same but for profiles. */
export function treatmentProblems(
  name: DialectName,
  settings: DialectLevels & Pick<TreatmentSettings, "batch" | "faults">,
): DialectProblem[] {
  const { label, rowsPerTransaction, lacksFaults } = CAPABILITIES[name];
  const problems = levelProblems(name, settings);
  const eventsMax = rowsPerTransaction && Math.floor(rowsPerTransaction / ROWS_PER_EVENT);
  if (eventsMax !== undefined && settings.batch && settings.batch.max > eventsMax) {
    const message =
      `${label} changes at most ${rowsPerTransaction} rows in a transaction, and archiving an event changes ` +
      `${ROWS_PER_EVENT}; use at most ${eventsMax}`;
    problems.push({ path: ["batch", "max"], message });
  }
  for (const [index, { kind }] of settings.faults.entries()) {
    const reason = lacksFaults[kind];
    if (reason !== undefined)
      problems.push({ path: ["faults", index, "kind"], message: `${kind} cannot be had: ${reason}` });
  }
  return problems;
}
