// The registry of pool strategies: one line each. An actor gets a ConnectionSource and never learns which it is;
// a new strategy is one new file beside this one and one new line here.
import { directSource } from "./direct/direct.js";
import { pgPoolSource } from "./pg-pool/pg-pool.js";
import { pgbouncerSource } from "./pgbouncer/source.js";
import type { SourceOptions } from "./source-options.js";
import type { ConnectionSource } from "../database/contract.js";

/** The pool strategy of one worker thread, not yet connected; `warm` connects it, `close` must be called. */
export function createConnectionSource(options: SourceOptions): ConnectionSource {
  const { pool } = options;
  switch (pool.strategy) {
    case "direct":
      return directSource(options, pool.reconnect);
    case "pg-pool":
      return pgPoolSource(options, pool.size);
    case "pgbouncer":
      return pgbouncerSource(options);
  }
}
