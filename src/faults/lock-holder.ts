// `lock-holder`: a session locks a table of the workload, as a migration does. It waits for current holders, and all later
// lock requests queue behind it. A fault that ends before it has the lock says so.
import * as z from "zod";
import { databaseOf } from "../database/registry.js";
import { LOCK_MODES, type LockMode } from "../database/levels.js";
import { defineFault, faultDuration, NO_TABLE_OBSTACLE } from "./fault.js";

export const lockHolder = defineFault({
  name: "lock-holder",
  description: "a table of the workload is locked",
  keys: {
    for: faultDuration,
    lock: z.enum(LOCK_MODES).optional().meta({ description: "Mode of the lock. Default access exclusive." }),
  },
  affectedPart: "session",
  resolve: ({ lock = "access exclusive" }): { readonly lock: LockMode } => ({ lock }),
  obstacle: (_, { tables }) => (tables.lock === undefined ? NO_TABLE_OBSTACLE : undefined),
  async inject({ target, tables: { lock: table }, signal }, { lock }) {
    if (!table) throw new Error(NO_TABLE_OBSTACLE);
    const { sessions } = databaseOf(target.admin);
    const client = await sessions.open(target.admin);
    const abandon = (): void => void client.close();
    signal.addEventListener("abort", abandon, { once: true });
    try {
      await sessions.lockTable(client, table.qualified, lock);
    } catch (error) {
      await client.close();
      if (!signal.aborted) throw error;
      const words = `waited to lock ${table.name} in ${lock} mode until the window ended`;
      return { words, clear: () => Promise.resolve() };
    } finally {
      signal.removeEventListener("abort", abandon);
    }
    return { words: `locked ${table.name} in ${lock} mode`, clear: () => sessions.release(client) };
  },
});
