// Reads, inserts, updates and slices of JSON documents, to compare types, indexes, sizes and TOAST storage.
import type * as z from "zod";
import { levelProblems, type DialectName } from "../../database/registry.js";
import type { Finding } from "../../syntax/problems.js";
import { clientsRole } from "../one-role.js";
import { storeIn, supportsDialect, type Stores } from "../stores.js";
import type { PreloadInputs, Workload } from "../workload.js";
import { audit, findings, VIOLATIONS, type Preloaded } from "./audit.js";
import { client } from "./client.js";
import { DocumentMaker, preloadedKey } from "./document.js";
import { examples } from "./examples.js";
import { keys, OPERATIONS, resolve, rules, type Treatment } from "./settings.js";
import type { DocumentStore } from "./store.js";
import { mongodb } from "./stores/mongodb.js";
import { mysql } from "./stores/mysql.js";
import { postgres } from "./stores/postgres.js";

/** Number of characters of the documents in one portion of the preload. */
const PORTION_CHARACTERS = 1024 ** 2;

function* preloadPortions(
  { settings, seed, mayContinue }: PreloadInputs<Treatment>,
  taken: { documents: number },
): Generator<readonly string[]> {
  const maker = new DocumentMaker(settings, seed);
  while (taken.documents < settings.documents && mayContinue()) {
    const portion: string[] = [];
    for (let characters = 0; characters < PORTION_CHARACTERS;) {
      const number = taken.documents + portion.length;
      if (number === settings.documents) break;
      const key = preloadedKey(number);
      const json = maker.json(key, maker.values(key));
      portion.push(json);
      characters += json.length;
    }
    yield portion;
    taken.documents += portion.length;
  }
}

const stores: Stores<DocumentStore> = { PostgreSQL: postgres, MySQL: mysql, MongoDB: mongodb };
const UNSUPPORTED_DIALECT = {
  path: ["dialect"],
  message: "workload documents runs on PostgreSQL itself, MySQL, MariaDB and MongoDB; use dialect: postgres",
};

function dialectProblems(name: DialectName, settings: Treatment): Finding[] {
  if (!supportsDialect(stores, name)) return [UNSUPPORTED_DIALECT];
  const store = storeIn(stores, { dialect: name });
  const { column, index, toast, parse, slice, update } = settings;
  return [
    ...levelProblems(
      name,
      { column, index, toast, parse, slice, update },
      store.unsupportedLevels?.(name) ?? {},
    ),
    ...(store.problems?.(settings) ?? []),
  ];
}

export const documents = {
  name: "documents",
  description:
    "JSON documents that are read, scanned, inserted, updated, sliced and unwrapped, by type, index, size and storage.",
  operations: {
    read: { verb: "reads", unit: "documents" },
    insert: { verb: "inserts", unit: "documents", flow: "in" },
    update: { verb: "updates", unit: "documents", flow: "in" },
    modify: { verb: "modifies", unit: "documents", flow: "in" },
    scan: { verb: "scans", unit: "documents" },
    slice: { verb: "slices", unit: "documents" },
    unwrap: { verb: "unwraps", unit: "documents" },
  },
  roles: { clients: clientsRole(OPERATIONS) },
  performs: (operation, { mix }) => mix[operation as keyof typeof mix] > 0,
  settings: {
    keys,
    rules,
    dialectProblems,
    resolve,
    examples,
  },
  tables: {
    names: ["documents"],
    snapshot: "documents",
    lock: "documents",
    mark: "workload documents",
  },
  withoutCommit: () => "each write of the workload is one statement without BEGIN",
  stores,
  client,
  loading: {
    async preload(store: DocumentStore, admin, inputs) {
      const { settings, seed } = inputs;
      const taken = { documents: 0 };
      await store.fill(admin, settings, preloadPortions(inputs, taken));
      return { seed, ...taken } satisfies z.infer<typeof Preloaded>;
    },
  },
  auditing: {
    one: "write",
    acknowledged: "written",
    violations: VIOLATIONS,
    findings,
    sizes: Object.keys(findings),
    audit,
  },
  reporting: {
    factors: {
      column: ["size.tableBytes", "size.toastBytes", "wal.bytes"],
      index: ["size.indexBytes", "gin.pendingPages"],
      toast: ["size.tableBytes", "size.toastBytes"],
      content: ["size.tableBytes", "size.toastBytes", "wal.bytes"],
      update: ["tuples.hotRatio", "wal.bytes"],
    },
  },
} as const satisfies Workload<Treatment>;
