import { cloudberry } from "./cloudberry/dialect.js";
import { cockroachdb } from "./cockroachdb/dialect.js";
import type { DialectCapabilities } from "../../capabilities.js";
import type { Dialect } from "./dialect.js";
import { dsql } from "./dsql/dialect.js";
import { postgres } from "./postgres/dialect.js";
import type { DialectName } from "../settings.js";

const DIALECT_BY_NAME = { postgres, cockroachdb, dsql, cloudberry } satisfies Record<DialectName, Dialect>;

/** The dialect of that name. Throws a RangeError for a dialect of another database, whose stores are never asked here. */
export function dialectOf(name: string): Dialect {
  if (!Object.hasOwn(DIALECT_BY_NAME, name)) throw new RangeError(`PostgreSQL has no dialect ${name}`);
  return DIALECT_BY_NAME[name as DialectName];
}

export const CAPABILITIES_BY_DIALECT: Readonly<Record<DialectName, DialectCapabilities>> = {
  postgres: postgres.capabilities,
  cockroachdb: cockroachdb.capabilities,
  dsql: dsql.capabilities,
  cloudberry: cloudberry.capabilities,
};
