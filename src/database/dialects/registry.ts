// The dialects that train-sim speaks, by name: a new one is one file and one line here.
import type { DialectName } from "../../scenario/settings.js";
import type { Dialect } from "./dialect.js";
import { postgres } from "./postgres.js";

const REGISTRY: Readonly<Record<DialectName, Dialect>> = { postgres };

export function dialectOf(name: DialectName): Dialect {
  return REGISTRY[name];
}
