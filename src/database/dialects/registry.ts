// The dialects that train-sim speaks, by name. A new one is one file and one line here, and nothing else in this room
// lists them.
import { cloudberry } from "./cloudberry.js";
import { cockroachdb } from "./cockroachdb.js";
import type { Dialect } from "./dialect.js";
import { dsql } from "./dsql.js";
import { postgres } from "./postgres.js";
import type { DialectName } from "../settings.js";

const REGISTRY: Readonly<Record<DialectName, Dialect>> = { postgres, cockroachdb, dsql, cloudberry };

export function dialectOf(name: DialectName): Dialect {
  return REGISTRY[name];
}
