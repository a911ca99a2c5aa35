import { UsageError } from "../foundation/errors.js";
import type { AdminSession, TableSet } from "../database/contract.js";
import { databaseOfDialect, type DialectName } from "../database/registry.js";
import type { Statement, ViewGroup } from "../database/sql.js";

export interface Store<S> {
  /** Dialects of the database that the store supports. Default: all. */
  readonly dialects?: readonly DialectName[];
  tables(settings: S): TableSet;
  /** All statements that clients may run, for `schema print`. */
  statements(settings: S): readonly Statement[];
  readonly evidence?: readonly ViewGroup[];
  /** Qualified names of the tables, if only the server knows them. */
  listTables?(admin: AdminSession, settings: S): Promise<readonly string[]>;
}

export type Stores<Of> = Readonly<Record<string, Of>>;

/** Reason why the workload cannot run on a database; undefined if it can. */
export function storeProblem(
  { name, stores }: { readonly name: string; readonly stores: Stores<unknown> },
  database: string,
): string | undefined {
  if (Object.hasOwn(stores, database)) return undefined;
  return `workload ${name} has no store for ${database}; it has one for ${Object.keys(stores).join(" and ")}`;
}

/** Store for the database of the treatment. Throws a UsageError if there is none. */
export function storeIn<Of>(stores: Stores<Of>, { dialect }: { readonly dialect: DialectName }): Of {
  const { name } = databaseOfDialect(dialect);
  const store = stores[name];
  if (store === undefined) throw new UsageError(`there is no store for ${name}`);
  return store;
}

export function supportsDialect(stores: Stores<Store<never>>, dialect: DialectName): boolean {
  const { dialects = [dialect] } = storeIn(stores, { dialect });
  return dialects.includes(dialect);
}
