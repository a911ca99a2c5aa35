// The store of documents for ToyDB.
import type { AdminSession } from "../../../src/database/contract.js";
import type {
  DocumentOperations,
  DocumentStore,
  StoredDocument,
} from "../../../src/workloads/documents/store.js";
import type { ToyAdmin, ToySession } from "./toydb.js";

const rowsOf = async (answer: Promise<unknown>): Promise<readonly unknown[]> =>
  (await answer) as readonly unknown[];

const update: DocumentOperations["update"] = (key, change) => async (session: ToySession) =>
  (await rowsOf(session.call("update", key, typeof change === "string" ? change : change.json))).map(Number);

export const toy: DocumentStore = {
  tables: () => ({ variant: "workload documents" }),
  statements: () => [],
  operations: () => ({
    insert:
      ({ key, json }) =>
      async (session: ToySession) => {
        await session.call("insert", key, json);
        return true;
      },
    read: (key) => (session: ToySession) => rowsOf(session.call("read", key)),
    slice: (key) => (session: ToySession) => rowsOf(session.call("read", key)),
    unwrap: (key) => (session: ToySession) => rowsOf(session.call("read", key)),
    scan: (key) => (session: ToySession) => rowsOf(session.call("read", key)),
    update,
    modify: update,
    isThere: (key) => async (session: ToySession) => (await rowsOf(session.call("read", key))).length > 0,
  }),
  async fill(admin: AdminSession, _, portions) {
    for (const portion of portions) await (admin as ToyAdmin).ask("fill", portion);
  },
  async *scan(admin: AdminSession) {
    yield* (await (admin as ToyAdmin).ask("scan")) as readonly StoredDocument[];
  },
};
