import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { fullIt } from "../../../../test/support/lanes.js";
import { dropNamespace, resetNamespace, testNamespace } from "../../../../test/support/namespace.js";
import { onSuiteServer } from "../../../../test/support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  trainSim,
  writeScenarioFile,
} from "../../../../test/support/train-sim.js";
import { connectAdmin, type AdminClient } from "../../../database/postgres/admin.js";
import { PgConnection } from "../../../database/postgres/connection.js";
import { DocumentGenerator } from "../model/document-generator.js";
import type { EventDocument } from "../model/event.js";
import { PAYLOADS, READ_KINDS, READ_OPERATIONS } from "../settings.js";
import { eventOperations } from "./operations.js";
import { preload } from "../preload.js";
import { postgres } from "./postgres.js";
import { RECENT_LIMIT } from "./statements.js";
import type { Question } from "../store.js";

const SEED = 7;
const EVENTS = 1_500;
const namespace = testNamespace("questions");
const generator = new DocumentGenerator(SEED, "preload/0");

let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"), { purpose: "questions" });
});
afterAll(async () => {
  await dropNamespace(admin, namespace);
  await admin.close();
});

interface Live {
  readonly id: string;
  readonly createdAt: string;
  readonly document: EventDocument;
}

/** Live events, newest first. */
async function liveEvents(): Promise<Live[]> {
  const rows = await admin.query(
    `SELECT id, created_at::text AS at, payload::text AS payload FROM ${namespace}.events ORDER BY created_at DESC`,
  );
  return rows.map(({ id, at, payload }) => ({
    id: id as string,
    createdAt: at as string,
    document: JSON.parse(payload as string) as EventDocument,
  }));
}

const sectionsOf = ({ route }: EventDocument): string[] =>
  route.segments.flatMap(({ trackSections }) => trackSections);

describe.each(
  PAYLOADS.flatMap((payload) =>
    (["set-based", "single-statement"] as const).map((statementShape) => ({ payload, statementShape })),
  ),
)("questions with payload $payload and shape $statementShape", ({ payload, statementShape }) => {
  let live: Live[];
  const levels = { dialect: "postgres", namespace, payload, statementShape } as const;
  const workload = eventOperations({ ...levels, locking: "skip-locked", isolation: "read committed" });
  const ids = async (question: Question): Promise<string[]> => {
    const rows = await workload.ask(question)(connection);
    return rows.map(([id]) => id as string);
  };
  const idsWhere = (isWanted: (document: EventDocument) => boolean): string[] =>
    live.filter(({ document }) => isWanted(document)).map(({ id }) => id);
  let connection: PgConnection;

  beforeAll(async () => {
    await resetNamespace(admin, { namespace, payload });
    const settings = {
      ...levels,
      ids: "uuidv4",
      documentBytes: 900,
      documentShape: "default",
      preload: EVENTS,
    } as const;
    await preload(postgres, admin, settings, SEED);
    live = await liveEvents();
    expect(live).toHaveLength(EVENTS);
  });
  beforeEach(async () => {
    connection = new PgConnection({
      endpoint: inject("adminEndpoint"),
      applicationName: "train-sim/test",
      prepared: true,
    });
    await connection.connect();
    return () => connection.end();
  });

  it("find an event by its key, with its creation time and document", async () => {
    const [, sought] = live;
    if (!sought) throw new Error("there is no event");
    const [row, ...others] = await workload.ask({ kind: "id", id: sought.id })(connection);
    expect(others).toEqual([]);
    expect(row?.slice(0, 2)).toEqual([sought.id, sought.createdAt]);
    expect(JSON.parse(row?.[2] as string)).toEqual(sought.document);
    expect(await ids({ kind: "id", id: "00000000-0000-0000-0000-000000000000" })).toEqual([]);
  });

  it("find the events of an authority", async () => {
    const { authorityId } = generator.at(5);
    expect(await ids({ kind: "authority", authorityId })).toEqual(
      idsWhere((document) => document.authorityId === authorityId),
    );
  });

  it("find the newest events of a type within a time range, both ends included", async () => {
    const eventType = "SIGNAL_CLEAR";
    const ofType = live.filter(({ document }) => document.eventType === eventType);
    const [newest, , third] = ofType;
    const oldest = ofType.at(-1);
    if (!newest || !third || !oldest) throw new Error("there are too few events");
    const range = (from: Date, to: string): Question => ({ kind: "typeTime", eventType, from, to });
    const expected = ofType.slice(2, 2 + RECENT_LIMIT).map(({ id }) => id);
    expect(expected).toHaveLength(RECENT_LIMIT);
    expect(await ids(range(new Date(0), third.createdAt))).toEqual(expected);
    expect(await ids(range(new Date(0), oldest.createdAt))).toEqual([oldest.id]);
    const later = new Date(Date.parse(newest.createdAt) + 1_000);
    expect(await ids(range(later, "2999-01-01 00:00:00+00"))).toEqual([]);
  });

  it("find the events whose documents name a track section or a circuit", async () => {
    const { route, metrics } = JSON.parse(generator.at(9).json) as EventDocument;
    const section = route.segments[1]?.trackSections[2] ?? "";
    const [circuit = ""] = metrics.circuitIds;
    const bySection = await ids({
      kind: "path",
      part: { route: { segments: [{ trackSections: [section] }] } },
    });
    const byCircuit = await ids({ kind: "path", part: { metrics: { circuitIds: [circuit] } } });
    const named = idsWhere((document) => sectionsOf(document).includes(section));
    expect(named.length).toBeGreaterThanOrEqual(1);
    expect(bySection.sort()).toEqual(named.sort());
    expect(byCircuit.sort()).toEqual(
      idsWhere((document) => document.metrics.circuitIds.includes(circuit)).sort(),
    );
    expect(await ids({ kind: "path", part: { metrics: { circuitIds: [section] } } })).toEqual([]);
  });

  it("find the newest of all events", async () => {
    expect(await ids({ kind: "newest" })).toEqual(live.slice(0, RECENT_LIMIT).map(({ id }) => id));
  });

  it("count the events of each type, with the newest creation time", async () => {
    const types = [...new Set(live.map(({ document }) => document.eventType))].sort();
    const expected = types.map((type) => {
      const ofType = live.filter(({ document }) => document.eventType === type);
      return [type, String(ofType.length), ofType[0]?.createdAt];
    });
    const rows = await workload.ask({ kind: "byType" })(connection);
    expect(rows.map(([type, count, at]) => [type, String(count), at])).toEqual(expected);
  });

  it("find preloaded events and the newest of a type in a look-up of live events", async () => {
    const authorityIds = [3, 4, 5].map((index) => generator.at(index).authorityId);
    const rows = await workload.someLive(connection, { authorityIds, eventType: "DISPATCH_NOTE", most: 7 });
    const found = rows.map(([id]) => id as string);
    const sought = idsWhere((document) => authorityIds.includes(document.authorityId));
    const newest = idsWhere(({ eventType }) => eventType === "DISPATCH_NOTE").slice(0, 7);
    expect(found.toSorted()).toEqual([...sought, ...newest].sort());
  });
});

fullIt("readers of all kinds find events while producers, consumers and archivers work", async () => {
  const out = join(scratchDirectory(), "results");
  const weights = READ_KINDS.map((kind) => `${kind}: ${kind === "newest" ? 0 : 1}`).join(", ");
  const scenario = `name: readers
seed: 3
factors:
  payload: [${PAYLOADS.join(", ")}]
preload: 3000
reads: { ${weights} }
actors:
  producers: { load: { clients: 1, thinkTime: 50ms } }
  consumers: { load: { clients: 1, thinkTime: 50ms } }
  archivers: { load: { clients: 1, thinkTime: 50ms } }
  readers: { workers: 2, load: { executor: constant-arrival-rate, rate: 150, maxClients: 6 } }
trial: { warmUp: 1s, duration: 2s, drain: false }
trials: 1
diagnosis: { ceiling: false }
thresholds: { integrity: [violations==0] }
${onSuiteServer("readers")}`;
  const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { treatments } = onlyResultIn(out).result;
  expect(treatments).toHaveLength(PAYLOADS.length);
  for (const { id, trials } of treatments) {
    const [trial] = trials;
    const { operations = {}, integrity } = trial ?? {};
    expect(Object.keys(operations), id).toEqual([
      "add",
      "process",
      "archive",
      ...READ_KINDS.filter((kind) => kind !== "newest").map((kind) => READ_OPERATIONS[kind]),
    ]);
    for (const kind of ["id", "authority", "path", "typeTime", "byType"] as const) {
      const { transactions = 0, events = 0, emptyPolls } = operations[READ_OPERATIONS[kind]] ?? {};
      expect(transactions, `${id} ${kind}`).toBeGreaterThan(0);
      expect(emptyPolls, `${id} ${kind}`).toBe(0);
      // Only a few of the events that a look-up found a second ago have been archived since.
      expect(events, `${id} ${kind}`).toBeGreaterThan(transactions / 2);
    }
    expect(integrity?.checks?.reads.verified).toBeGreaterThan(0);
    expect(integrity?.misread).toBe(0);
  }
});
