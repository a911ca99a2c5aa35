// What a database speaks, as data: which levels of a treatment it can run and which means of control it has.
// Statements and schema ask this table instead of asking which product it is, so that a new dialect is one file
// beside this one, a folder of DDL and one line in the registry. What is the same everywhere is not in here.
import type { DialectName, Isolation, Locking, Payload, StatementShape } from "../../scenario/settings.js";
import type { SamplerDialect } from "../sampler/view.js";

export interface Dialect {
  readonly name: DialectName;
  /** As people write it, for messages. */
  readonly label: string;
  /** Payload levels that have DDL in `schema/<name>/`. */
  readonly payloads: readonly Payload[];
  readonly lockings: readonly Locking[];
  readonly isolations: readonly Isolation[];
  readonly statementShapes: readonly StatementShape[];
  /** `pg_advisory_xact_lock`: two train-sims that make the same namespace wait for each other. */
  readonly supportsAdvisoryLocks: boolean;
  /** Quotes an identifier, whatever is in it. */
  quoteIdentifier(name: string): string;
  /** Size of the table named by $1, as `pages`. */
  readonly tablePagesQuery: string;
  /** Statement that brings the planner's statistics up to date; `vacuum` also cleans up after a bulk load. */
  refreshStatistics(qualifiedTable: string, vacuum: boolean): string;
  /** Statement that takes dead rows out of the catalogues that making and dropping tables fills; for servers of our own. */
  readonly vacuumCatalogues?: string;
  /** What it tells about itself, and how it is asked. */
  readonly sampler: SamplerDialect;
}
