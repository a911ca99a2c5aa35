// `long-transaction`: a session holds a snapshot, as a forgotten report or a hung client does. Vacuum cannot remove what
// died since: dead rows stay, indexes and the queue's scans grow longer. Nobody waits for it, so there are no errors.
import { connectFault, holdSnapshot, letGo } from "../database/fault-sessions.js";
import { defineFault, lasting } from "./fault.js";

export const longTransaction = defineFault({
  name: "long-transaction",
  description: "a snapshot is held that vacuum cannot get past",
  keys: { for: lasting },
  ground: "session",
  resolve: () => ({}),
  async inject({ target, tables }) {
    const client = await connectFault(target.admin);
    try {
      await holdSnapshot(client, tables.snapshot);
    } catch (error) {
      await client.close();
      throw error;
    }
    return { words: "held a snapshot that vacuum could not get past", clear: () => letGo(client) };
  },
});
