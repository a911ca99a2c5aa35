// `lock-holder`: a session locks the status table, as a migration does, and holds it for as long as the fault lasts.
// The lock is asked for at the fault's moment: who holds the table then is waited for, and everybody queues behind.
// A fault that ends before it got its lock says so; it had its effect all the same.
import { connectFault, letGo, lockTable } from "../database/fault-sessions.js";
import type { FaultKind } from "./fault.js";

export const lockHolder: FaultKind<"lock-holder"> = {
  async inject({ target, tables, signal }, { lock }) {
    const client = await connectFault(target.admin);
    const abandon = (): void => void client.close();
    signal.addEventListener("abort", abandon, { once: true });
    try {
      await lockTable(client, tables.lock, lock);
    } catch (error) {
      await client.close();
      if (!signal.aborted) throw error;
      const words = `waited to lock the status table in ${lock} mode until the window ended`;
      return { words, clear: () => Promise.resolve() };
    } finally {
      signal.removeEventListener("abort", abandon);
    }
    return { words: `locked the status table in ${lock} mode`, clear: () => letGo(client) };
  },
};
