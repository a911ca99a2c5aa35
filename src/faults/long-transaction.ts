// `long-transaction`: a session holds a snapshot, so that vacuum removes nothing that died since. It causes no errors.
import { databaseOf } from "../database/registry.js";
import { defineFault, faultDuration, NO_TABLE_OBSTACLE } from "./fault.js";

export const longTransaction = defineFault({
  name: "long-transaction",
  description: "a snapshot is held that vacuum cannot get past",
  keys: { for: faultDuration },
  affectedPart: "session",
  resolve: () => ({}),
  obstacle: (_, { tables }) => (tables.snapshot === undefined ? NO_TABLE_OBSTACLE : undefined),
  async inject({ target, tables: { snapshot: table } }) {
    if (!table) throw new Error(NO_TABLE_OBSTACLE);
    const { sessions } = databaseOf(target.admin);
    const client = await sessions.open(target.admin);
    try {
      await sessions.holdSnapshot(client, table.qualified);
    } catch (error) {
      await client.close();
      throw error;
    }
    return {
      words: `read ${table.name} and held the snapshot, which vacuum could not get past`,
      clear: () => sessions.release(client),
    };
  },
});
