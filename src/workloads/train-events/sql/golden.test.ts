// The DDL and every statement of every dialect, payload, level of storage, locking and shape, as golden files: a change of
// any of them is seen as text. CI reads those of CockroachDB by its own parser. Write them anew with `vitest -u`.
import { describe, expect, test } from "vitest";
import type { SqlClient } from "../../../database/postgres/admin.js";
import { countPresent, readPassesPerEvent, readQueueLeft, readTableCounts } from "./audit-queries.js";
import { eventRows, presentKeys, readClock, readKeySums, readMisplaced, readWritten } from "./audit-scans.js";
import { createWorkload } from "./create-workload.js";
import type { Dialect } from "../../../database/postgres/dialects/dialect.js";
import { dialectOf, capabilitiesOf, lackOf } from "../../../database/postgres/dialects/registry.js";
import { ddl, sampledIn } from "../../namespace.js";
import { inSnapshot } from "../../../database/postgres/namespace/snapshot.js";
import { tablesOf as tablesIn } from "./tables.js";
import { trainEvents } from "../workload.js";
import { DIALECTS, ISOLATIONS, STORAGES, type DialectName } from "../../../database/postgres/settings.js";
import {
  ARCHIVE_DELETES,
  EVENT_STORAGES,
  LOCKINGS,
  PAYLOADS,
  READ_KINDS,
  STATEMENT_SHAPES,
  type Payload,
  type ReadWeights,
} from "../settings.js";

const NAMESPACE = "train_sim";

function offered<Level extends string>(
  dialect: DialectName,
  factor: string,
  levels: readonly Level[],
): Level[] {
  return levels.filter((level) => lackOf(dialect, factor, level) === undefined);
}

const COMBINATIONS = DIALECTS.flatMap((dialect) =>
  offered(dialect, "payload", PAYLOADS).map((payload) => [dialect, payload] as const),
);

const ALL_READS = Object.fromEntries(READ_KINDS.map((kind) => [kind, 1])) as ReadWeights;

/** Levels beside the defaults, one at a time. */
const OTHER_TABLES = {
  "claimIndex: status-updated": { claimIndex: "status-updated" },
  "archived: complete": { archived: "complete" },
  "archiveDelete: cascade": { archiveDelete: "cascade" },
} as const;
const OTHERS = {
  ...OTHER_TABLES,
  "advance: one step": { advance: { isOneStep: true } },
  "reads: all": { reads: ALL_READS },
} as const;

/** Each text once, under all the levels that have it. */
class Listing {
  private readonly places = new Map<string, string[]>();

  add(place: string, text: string): void {
    const places = this.places.get(text);
    if (places) places.push(place);
    else this.places.set(text, [place]);
  }

  /** Where no text before is the same. */
  addNew(place: string, text: string): void {
    if (!this.places.has(text)) this.add(place, text);
  }

  toString(): string {
    return [...this.places].map(([text, places]) => `-- ${places.join("\n-- ")}\n${text};\n`).join("\n");
  }
}

function tablesOf(dialect: DialectName, payload: Payload): string {
  const listing = new Listing();
  for (const storage of offered(dialect, "storage", EVENT_STORAGES))
    for (const text of ddl({ namespace: NAMESPACE, payload, storage, grantTo: "pgb" }, dialectOf(dialect)))
      listing.add(`storage: ${storage}`, text);
  for (const [name, levels] of Object.entries(OTHER_TABLES)) {
    const [factor, level] = name.split(": ") as [string, string];
    if (lackOf(dialect, factor, level)) continue;
    for (const text of ddl(
      { namespace: NAMESPACE, payload, storage: "default", ...levels },
      dialectOf(dialect),
    ))
      listing.addNew(name, text);
  }
  return listing.toString();
}

function statementsOf(dialect: DialectName, payload: Payload): string {
  const listing = new Listing();
  const [isolation] = offered(dialect, "isolation", ISOLATIONS);
  if (!isolation) throw new Error(`${dialect} has no isolation level`);
  for (const statementShape of offered(dialect, "statementShape", STATEMENT_SHAPES))
    for (const locking of offered(dialect, "locking", LOCKINGS)) {
      const levels = { dialect, namespace: NAMESPACE, payload, locking, isolation, statementShape };
      for (const { name, text } of createWorkload(levels).statements)
        listing.add(`${name} (${statementShape}, ${locking})`, text);
      for (const [other, own] of Object.entries(OTHERS)) {
        const [factor, level] = other.split(": ") as [string, string];
        if (lackOf(dialect, factor, level)) continue;
        for (const { name, text } of createWorkload({ ...levels, ...own }).statements)
          listing.addNew(`${name} (${statementShape}, ${locking}, ${other})`, text);
      }
    }
  return listing.toString();
}

describe.each(COMBINATIONS)("the SQL of %s with payload %s", (dialect, payload) => {
  test("for its tables", async () => {
    await expect(tablesOf(dialect, payload)).toMatchFileSnapshot(`golden/${dialect}/${payload}.tables.sql`);
  });

  test("for its statements", async () => {
    const file = `golden/${dialect}/${payload}.statements.sql`;
    await expect(statementsOf(dialect, payload)).toMatchFileSnapshot(file);
  });
});

/** All that the audit asks, with nothing in the tables. */
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
  await readQueueLeft(client, NAMESPACE, { dialect });
  await readPassesPerEvent(client, NAMESPACE, dialect);
  await countPresent(client, NAMESPACE, [], dialect);
  await inSnapshot(client, async () => {
    await readClock(client);
    await readKeySums(client, tables, dialect);
    await presentKeys(client, tables, [], dialect).next();
    await eventRows(client, tables, { startedAt: "", endedAt: "", skewMs: dialect.clockSkewMs }).next();
    await readWritten(client, tables, []);
    await readMisplaced(client, tables, 1);
  });
  return texts;
}

/** What is asked of a server of CockroachDB beside the workload, for its parser to read. */
async function questionsOf(name: DialectName): Promise<string> {
  const dialect = dialectOf(name);
  const { mark, sampler } = dialect;
  const tables = tablesIn(dialect, NAMESPACE);
  const survey = {
    ...sampledIn(trainEvents, dialect, NAMESPACE),
    version: 25,
    extensions: new Map<string, string>(),
    invertedIndexes: [],
  };
  const listing = new Listing();
  for (const { views } of [...sampler.groups, ...survey.groups])
    for (const view of views) listing.add(`sampler: ${view.source}`, view.text(survey) ?? "");
  if (sampler.statements) {
    listing.add("statement counts", sampler.statements.counts(survey));
    listing.add("statement texts", sampler.statements.texts(survey));
  }
  listing.add("mark of the namespace", mark.query);
  listing.add("statistics", dialect.refreshStatistics(tables.events, true));
  for (const text of await auditTexts(dialect)) listing.add("audit", text);
  return `${sampler.preamble}\n\n${listing.toString()}`;
}

test("the SQL that asks CockroachDB about itself", async () => {
  await expect(await questionsOf("cockroachdb")).toMatchFileSnapshot("golden/cockroachdb/questions.sql");
});

test("no level of a dialect is refused in favour of one that it does not have either", () => {
  const levels: Readonly<Record<string, readonly string[]>> = {
    payload: PAYLOADS,
    storage: STORAGES,
    locking: LOCKINGS,
    isolation: ISOLATIONS,
    statementShape: STATEMENT_SHAPES,
    archiveDelete: ARCHIVE_DELETES,
  };
  for (const dialect of DIALECTS)
    for (const [factor, lacks] of Object.entries(capabilitiesOf(dialect).lacks))
      for (const [level, { nearest }] of Object.entries(lacks)) {
        expect(levels[factor], `${dialect} ${factor}`).toEqual(expect.arrayContaining([level, nearest]));
        expect(lackOf(dialect, factor, nearest), `${dialect} ${level}`).toBeUndefined();
      }
});
