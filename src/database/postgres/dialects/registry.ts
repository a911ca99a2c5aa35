import { cloudberry } from "./cloudberry/dialect.js";
import { cockroachdb } from "./cockroachdb/dialect.js";
import type { DialectCapabilities } from "../../capabilities.js";
import type { Dialect } from "./dialect.js";
import { dsql } from "./dsql/dialect.js";
import { postgres } from "./postgres/dialect.js";
import type { DialectName } from "../settings.js";

const DIALECT_BY_NAME: Readonly<Record<DialectName, Dialect>> = { postgres, cockroachdb, dsql, cloudberry };

export function dialectOf(name: string): Dialect {
  const dialect = (DIALECT_BY_NAME as Readonly<Record<string, Dialect | undefined>>)[name];
  if (!dialect) throw new RangeError(`PostgreSQL has no dialect ${name}`);
  return dialect;
}

export const CAPABILITIES_BY_DIALECT: Readonly<Record<DialectName, DialectCapabilities>> = {
  postgres: postgres.capabilities,
  cockroachdb: cockroachdb.capabilities,
  dsql: dsql.capabilities,
  cloudberry: cloudberry.capabilities,
};
