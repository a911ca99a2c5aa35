// What a limit of rows a transaction means to the events of a batch.
import { capabilitiesOf, type DialectName } from "../../database/registry.js";
import type { ActorGroup } from "../../actors/settings.js";
import { BATCH_SIZES } from "../../load/profiles.js";
import type { Finding } from "../../syntax/problems.js";
import { ROLES, type EventSettings, type Role } from "./settings.js";

/** Rows that an event costs the transaction that changes most of them: `archive` inserts one and deletes two. */
const ROWS_PER_EVENT = 3;
/** `add` inserts the event and its status. */
const ROWS_PER_ADDED_EVENT = 2;

/** Batches that are too large for one transaction of this dialect: the scenario's, and those of a profile's day. */
export function rowLimitProblems(
  name: DialectName,
  {
    batch,
    actors,
  }: Pick<EventSettings, "batch"> & {
    readonly actors: Readonly<Partial<Record<Role, ActorGroup>>>;
  },
): Finding[] {
  const { label, rowsPerTransaction } = capabilitiesOf(name);
  if (rowsPerTransaction === undefined) return [];
  const findings: Finding[] = [];
  const eventsMax = Math.floor(rowsPerTransaction / ROWS_PER_EVENT);
  const addedMax = Math.floor(rowsPerTransaction / ROWS_PER_ADDED_EVENT);
  if (batch.max > eventsMax) {
    const message =
      `${label} changes at most ${rowsPerTransaction} rows in a transaction, and archiving an event changes ` +
      `${ROWS_PER_EVENT}; use at most ${eventsMax}`;
    findings.push({ path: ["batch", "max"], message });
  }
  for (const role of ROLES) {
    const load = actors[role]?.load;
    if (!load || !("profile" in load)) continue;
    const { sizes, hours } = load.profile;
    for (const size of BATCH_SIZES) {
      if (sizes[size] <= addedMax || hours.every(({ mix }) => mix[size] === 0)) continue;
      const message =
        `${label} changes at most ${rowsPerTransaction} rows in a transaction, and adding an event changes ` +
        `${ROWS_PER_ADDED_EVENT}; ${sizes[size]} are too many, use at most ${addedMax}`;
      findings.push({ path: ["actors", role, "load", "profile", "sizes", size], message });
    }
  }
  return findings;
}
