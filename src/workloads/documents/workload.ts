// Documents: reads, inserts, updates and slices of JSON documents, so that types, indexes, sizes and TOAST storage can be
// compared by what they cost.
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { dialectOf } from "../../database/postgres/dialects/registry.js";
import { withinLockTimeout } from "../../database/postgres/lock-timeout.js";
import { refreshStatistics } from "../../database/postgres/statistics.js";
import type * as z from "zod";
import { clientsRole } from "../one-group.js";
import type { PreloadInputs, Workload } from "../workload.js";
import { audit, findings, VIOLATIONS, type Preloaded } from "./audit.js";
import { client } from "./client.js";
import { DocumentMaker, preloadedKey } from "./document.js";
import { examples } from "./examples.js";
import { dialectProblems, keys, resolve, rules, type Treatment } from "./settings.js";
import { createTable, preloadText, statementsOf, tableOf } from "./sql.js";

const VARIANT = "workload documents";
/** Characters of the documents of one statement. */
const PORTION = 1024 ** 2;

async function preload(
  admin: AdminClient,
  { settings, seed, isWanted }: PreloadInputs<Treatment>,
): Promise<z.infer<typeof Preloaded>> {
  const { namespace, documents: total } = settings;
  const dialect = dialectOf(settings.dialect);
  const maker = new DocumentMaker(settings, seed);
  const session = await connectAdmin(admin.endpoint, { purpose: "preload" });
  const failure = `schema "${namespace}" not filled`;
  let documents = 0;
  try {
    await withinLockTimeout({ client: session, dialect, failure }, async () => {
      while (documents < total && isWanted()) {
        const portion: string[] = [];
        for (let characters = 0; characters < PORTION && documents + portion.length < total;) {
          const key = preloadedKey(documents + portion.length);
          const json = maker.json(key, maker.values(key));
          portion.push(json);
          characters += json.length;
        }
        await session.query(preloadText(settings), [`[${portion.join()}]`]);
        documents += portion.length;
      }
    });
    await refreshStatistics(admin, { namespace, tables: [tableOf(settings)] }, dialect, {
      vacuum: true,
    });
  } finally {
    await session.close();
  }
  return { seed, documents };
}

export const documents = {
  name: "documents",
  description:
    "JSON documents that are read, inserted, updated and sliced, by type, index, size and storage.",
  operations: {
    read: { verb: "reads", unit: "documents" },
    insert: { verb: "inserts", unit: "documents", flow: "in" },
    update: { verb: "updates", unit: "documents", flow: "in" },
    slice: { verb: "slices", unit: "documents" },
  },
  roles: { clients: clientsRole(["read", "insert", "update", "slice"]) },
  performs: (operation, { mix }) => mix[operation as keyof typeof mix] > 0,
  settings: { keys, rules, dialectProblems, resolve, hasRole: () => true, examples },
  tables: {
    names: ["documents"],
    snapshot: "documents",
    lock: "documents",
    of: (settings) => ({ variant: VARIANT, files: [], statements: createTable(settings) }),
    isMarked: (variant) => variant === VARIANT,
  },
  withoutCommit: () => "each transaction of the workload is one statement without BEGIN",
  statements: (settings) => Object.values(statementsOf(settings)).filter(({ text }) => text !== ""),
  client,
  loading: { preload },
  auditing: {
    ...{ one: "write", acknowledged: "written" },
    violations: VIOLATIONS,
    findings,
    sizes: Object.keys(findings),
    audit,
  },
} as const satisfies Workload<Treatment>;
