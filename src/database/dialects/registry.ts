// The dialects that train-sim speaks, by name. A new one is one file and one line here, and nothing else in the
// program lists them.
import type { DialectName } from "../../scenario/settings.js";
import type { Dialect } from "./dialect.js";
import { postgres } from "./postgres.js";

const REGISTRY: Readonly<Record<DialectName, Dialect>> = { postgres };

export function dialectOf(name: DialectName): Dialect {
  return REGISTRY[name];
}
