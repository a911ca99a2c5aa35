// A store of documents that is no database but an array. It shows that the workload knows only its store.
import type { AdminSession } from "../../src/database/contract.js";
import type { Session } from "../../src/database/session.js";
import { pathsOf, UPDATED_VALUE_INDEX } from "../../src/workloads/documents/document.js";
import type {
  DocumentOperations,
  DocumentStore,
  StoredDocument,
} from "../../src/workloads/documents/store.js";
import type { Treatment } from "../../src/workloads/documents/settings.js";

interface Row {
  id: string;
  version: number;
  json: string;
}

/** The key of a document in JSON. */
const idIn = (json: string): string => (JSON.parse(json) as { readonly id: string }).id;

/** The document with another value in the place that an update changes. */
function withValue(json: string, { shape }: Treatment, value: string): string {
  const document = JSON.parse(json) as Record<string, unknown>;
  const path = [...(pathsOf(shape)[UPDATED_VALUE_INDEX] ?? [])];
  const last = path.pop() ?? "";
  let at = document;
  for (const name of path) at = at[name] as Record<string, unknown>;
  at[last] = value;
  return JSON.stringify(document);
}

/** Members of a document in JSON, or elements of its array. */
function unwrap(json: string): readonly unknown[] {
  const { values, ...members } = JSON.parse(json) as { readonly values?: readonly unknown[] };
  return values ?? Object.entries(members);
}

export class MemoryDocuments implements DocumentStore {
  readonly rows: Row[] = [];
  /** A session for this store, which sends nothing. */
  readonly session: Session = {
    ping: () => Promise.resolve(),
    observe: () => undefined,
    isBroken: false,
  };
  readonly admin: AdminSession = {
    endpoint: { scheme: "memory", host: "here", port: 1, database: "d", user: "u" },
    close: () => Promise.resolve(),
  };

  tables(): { readonly variant: string } {
    return { variant: "workload documents" };
  }

  statements(): [] {
    return [];
  }

  operations(settings: Treatment): DocumentOperations {
    const rowsOf = (id: string): Row[] => this.rows.filter((row) => row.id === id);
    const update: DocumentOperations["update"] = (key, change) => () => {
      for (const row of rowsOf(key)) {
        row.json = typeof change === "string" ? withValue(row.json, settings, change) : change.json;
        row.version++;
      }
      return Promise.resolve(rowsOf(key).map(({ version }) => version));
    };
    return {
      insert:
        ({ key, json }) =>
        () => {
          this.rows.push({ id: key, version: 0, json });
          return Promise.resolve(true);
        },
      read: (key) => () => Promise.resolve(rowsOf(key)),
      slice: (key) => () => Promise.resolve(rowsOf(key)),
      unwrap: (key) => () => Promise.resolve(rowsOf(key).flatMap(({ json }) => unwrap(json))),
      scan: (key, length) => () => {
        const rows = this.rows.filter(({ id }) => id >= key).sort((a, b) => (a.id < b.id ? -1 : 1));
        return Promise.resolve(rows.slice(0, length));
      },
      update,
      modify: update,
      isThere: (key) => () => Promise.resolve(rowsOf(key).length > 0),
    };
  }

  async fill(_: AdminSession, __: Treatment, portions: Iterable<readonly string[]>): Promise<void> {
    for (const portion of portions)
      for (const json of portion) this.rows.push({ id: idIn(json), version: 0, json });
    await Promise.resolve();
  }

  async *scan(): AsyncGenerator<StoredDocument> {
    await Promise.resolve();
    for (const { id, version, json } of this.rows)
      yield { id, version, text: json, documentBytes: json.length, rowBytes: json.length };
  }
}
