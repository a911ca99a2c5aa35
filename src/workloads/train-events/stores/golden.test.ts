// The DDL and every statement of every dialect, payload, level of storage, locking and shape, as golden files, which show
// every change of a text or of the levels that have it. CI parses CockroachDB's with its own parser. Update them with
// `vitest -u`.
import { expect, test } from "vitest";
import type { SqlClient } from "../../../database/postgres/admin.js";
import { countPresent, readPassesPerEvent, readQueueState, readTableCounts } from "./audit-queries.js";
import {
  eventRows,
  presentKeys,
  readClock,
  readKeySums,
  readMisplaced,
  readWrittenEvents,
} from "./audit-scans.js";
import { eventOperations } from "./operations.js";
import type { Dialect } from "../../../database/postgres/dialects/dialect.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { DIALECTS, type DialectName } from "../../../database/postgres/settings.js";
import { capabilitiesOf, missingLevel } from "../../../database/registry.js";
import { ddl } from "../../../../test/support/namespace.js";
import { sampledIn } from "../../tables.js";
import { inSnapshot } from "../../../database/postgres/namespace/snapshot.js";
import { tablesOf as tablesIn } from "./tables.js";
import { trainEvents } from "../workload.js";
import { ISOLATION_LEVELS, STORAGES } from "../../../database/levels.js";
import {
  ARCHIVE_DELETES,
  DOCUMENT_PLACES,
  EVENT_STORAGES,
  LOCKINGS,
  PAYLOADS,
  READ_KINDS,
  STATEMENT_SHAPES,
  type ReadWeights,
} from "../settings.js";

const NAMESPACE = "train_sim";

function offeredLevels<Level extends string>(
  dialect: DialectName,
  factor: string,
  levels: readonly Level[],
): Level[] {
  return levels.filter((level) => missingLevel(dialect, factor, level) === undefined);
}

const COMBINATIONS = DIALECTS.flatMap((dialect) =>
  offeredLevels(dialect, "payload", PAYLOADS).map((payload) => [dialect, payload] as const),
);

const ALL_READS = Object.fromEntries(READ_KINDS.map((kind) => [kind, 1])) as ReadWeights;

/** Levels of the tables other than the defaults. They are varied one at a time. */
const OTHER_TABLES = {
  "claimIndex=status-updated": { claimIndex: "status-updated" },
  "archived=complete": { archived: "complete" },
  "archiveDelete=cascade": { archiveDelete: "cascade" },
} as const;
const OTHERS = {
  defaults: {},
  ...OTHER_TABLES,
  "advance=one-step": { advance: { isOneStep: true } },
  "reads=all": { reads: ALL_READS },
} as const;

/** Levels in `others` that the dialect accepts, by name of the factor. */
function othersOf<Levels>(
  dialect: DialectName,
  others: Readonly<Record<string, Levels>>,
): [string, Levels][] {
  return Object.entries(others).filter(([name]) => {
    const [factor = "", level = ""] = name.split("=");
    return !missingLevel(dialect, factor, level);
  });
}

/** Combinations of levels that share a text: for each dimension the values that may be combined freely. */
type Product = readonly (readonly string[])[];

/** Joins products that are equal except in `dimension`. */
function joinProducts(products: readonly Product[], dimension: number): Product[] {
  const groups = new Map<string, string[][]>();
  for (const product of products) {
    const key = JSON.stringify(product.with(dimension, []));
    const joint = groups.get(key) ?? product.map((values, i) => (i === dimension ? [] : [...values]));
    joint[dimension]?.push(...(product[dimension] ?? []));
    groups.set(key, joint);
  }
  return [...groups.values()];
}

/** List of texts. Each text appears once, below all combinations of levels that have it. */
class Listing {
  private readonly places = new Map<string, Map<string, Product>>();

  /** `all` holds, for each dimension, the values that the heading abbreviates as `*` if all of them have the text. */
  constructor(private readonly all: Readonly<Record<number, readonly string[]>> = {}) {}

  add(text: string, ...place: readonly string[]): void {
    const places = this.places.get(text) ?? new Map<string, Product>();
    const product = place.map((value) => [value]);
    this.places.set(text, places.set(place.join(), product));
  }

  private heading(places: Map<string, Product>): string {
    let products = [...places.values()];
    for (let i = (products[0]?.length ?? 0) - 1; i >= 0; i--) products = joinProducts(products, i);
    const valueText = (values: readonly string[], i: number): string =>
      values.length === this.all[i]?.length ? "*" : values.join(" ");
    return products.map((product) => `--: ${product.map(valueText).join("; ")}\n`).join("");
  }

  toString(): string {
    return [...this.places].map(([text, places]) => `${this.heading(places)}${text};\n`).join("\n");
  }
}

test("tables of every dialect and payload equal the golden file", async () => {
  const listing = new Listing({ 1: PAYLOADS });
  for (const [dialect, payload] of COMBINATIONS) {
    const add = (name: string, levels: Partial<Parameters<typeof ddl>[0]>): void => {
      const tables = {
        namespace: NAMESPACE,
        grantTo: "pgb",
        payload,
        storage: "default",
        ...levels,
      } as const;
      for (const text of ddl(tables, dialect)) listing.add(text, dialect, payload, name);
    };
    for (const storage of offeredLevels(dialect, "storage", EVENT_STORAGES))
      add(`storage=${storage}`, { storage });
    for (const [name, levels] of othersOf(dialect, OTHER_TABLES)) add(name, levels);
  }
  await expect(listing.toString()).toMatchFileSnapshot("golden/tables.sql");
});

test("statements of every dialect, payload, statement shape and locking equal the golden file", async () => {
  const listing = new Listing({ 2: PAYLOADS, 3: STATEMENT_SHAPES, 4: LOCKINGS, 5: Object.keys(OTHERS) });
  for (const [dialect, payload] of COMBINATIONS) {
    const [isolation] = offeredLevels(dialect, "isolation", ISOLATION_LEVELS);
    if (!isolation) throw new Error(`${dialect} has no isolation level`);
    for (const statementShape of offeredLevels(dialect, "statementShape", STATEMENT_SHAPES))
      for (const locking of offeredLevels(dialect, "locking", LOCKINGS))
        for (const [other, own] of othersOf(dialect, OTHERS)) {
          const levels = {
            dialect,
            namespace: NAMESPACE,
            payload,
            locking,
            isolation,
            statementShape,
            ...own,
          };
          for (const { name, text } of eventOperations(levels).statements)
            listing.add(text, name, dialect, payload, statementShape, locking, other);
        }
  }
  for (const payload of PAYLOADS)
    for (const statementShape of STATEMENT_SHAPES) {
      const others = { locking: "skip-locked", isolation: "read committed", statementShape } as const;
      const levels = { dialect: "postgres", namespace: NAMESPACE, payload, ...others } as const;
      const [add] = eventOperations({ ...levels, documentPlace: "database" }).statements;
      if (!add) throw new Error("every shape adds events");
      listing.add(add.text, add.name, "postgres", payload, statementShape, "*", "documentPlace=database");
    }
  await expect(listing.toString()).toMatchFileSnapshot("golden/statements.sql");
});

/** All queries of the audit, with empty tables. */
async function auditTexts(dialect: Dialect): Promise<string[]> {
  const texts: string[] = [];
  const client: SqlClient = {
    query: (text) => {
      texts.push(text);
      return Promise.resolve([]);
    },
  };
  const tables = tablesIn(dialect, NAMESPACE);
  await readTableCounts(client, NAMESPACE, dialect);
  await readQueueState(client, NAMESPACE, { dialect });
  await readPassesPerEvent(client, NAMESPACE, dialect);
  await countPresent(client, NAMESPACE, [], dialect);
  await inSnapshot(client, async () => {
    await readClock(client);
    await readKeySums(client, tables, dialect);
    await presentKeys(client, tables, [], dialect).next();
    await eventRows(client, tables, { startedAt: "", endedAt: "", skewMs: dialect.clockSkewMs }).next();
    await readWrittenEvents(client, tables, []);
    await readMisplaced(client, tables, 1);
  });
  return texts;
}

/** Queries that a CockroachDB server gets in addition to the workload's. Its parser checks them. */
async function questionsOf(name: DialectName): Promise<string> {
  const dialect = dialectOf(name);
  const { mark, sampler } = dialect;
  const tables = tablesIn(dialect, NAMESPACE);
  const survey = {
    ...sampledIn(trainEvents, name, NAMESPACE),
    version: 25,
    extensions: new Map<string, string>(),
    invertedIndexes: [],
  };
  const listing = new Listing();
  const add = (place: string, text: string): void => {
    listing.add(text, name, place);
  };
  for (const { views } of [...sampler.groups, ...survey.groups])
    for (const view of views) add(`sampler: ${view.source}`, view.text(survey) ?? "");
  if (sampler.statements) {
    add("statement counts", sampler.statements.counts(survey));
    add("statement texts", sampler.statements.texts(survey));
  }
  add("mark of the namespace", mark.query);
  add("statistics", dialect.refreshStatistics(tables.events, true));
  for (const text of await auditTexts(dialect)) add("audit", text);
  return `${sampler.preamble}\n\n${listing.toString()}`;
}

test("queries for CockroachDB's evidence and audit equal the golden file", async () => {
  await expect(await questionsOf("cockroachdb")).toMatchFileSnapshot("golden/cockroachdb-questions.sql");
});

test("a level that a dialect lacks is refused with a nearest level that the dialect has", () => {
  const levels: Readonly<Record<string, readonly string[]>> = {
    payload: PAYLOADS,
    storage: STORAGES,
    locking: LOCKINGS,
    isolation: ISOLATION_LEVELS,
    statementShape: STATEMENT_SHAPES,
    archiveDelete: ARCHIVE_DELETES,
    documentPlace: DOCUMENT_PLACES,
  };
  for (const dialect of DIALECTS)
    for (const [factor, lacks] of Object.entries(capabilitiesOf(dialect).unsupportedLevels))
      for (const [level, { nearest }] of Object.entries(lacks)) {
        expect(levels[factor], `${dialect} ${factor}`).toEqual(expect.arrayContaining([level, nearest]));
        expect(missingLevel(dialect, factor, nearest), `${dialect} ${level}`).toBeUndefined();
      }
});
