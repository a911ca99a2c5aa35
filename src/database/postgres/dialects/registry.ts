import { cloudberry } from "./cloudberry/dialect.js";
import { cockroachdb } from "./cockroachdb/dialect.js";
import type { DialectCapabilities } from "../../capabilities.js";
import type { Dialect } from "./dialect.js";
import { dsql } from "./dsql/dialect.js";
import { postgres } from "./postgres/dialect.js";
import type { DialectName } from "../settings.js";

const REGISTRY: Readonly<Record<DialectName, Dialect>> = { postgres, cockroachdb, dsql, cloudberry };

export function dialectOf(name: DialectName): Dialect {
  return REGISTRY[name];
}

export const CAPABILITIES: Readonly<Record<DialectName, DialectCapabilities>> = {
  postgres: postgres.capabilities,
  cockroachdb: cockroachdb.capabilities,
  dsql: dsql.capabilities,
  cloudberry: cloudberry.capabilities,
};
