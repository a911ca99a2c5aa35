import { describe, expect, it } from "vitest";
import type { SqlClient } from "../admin.js";
import { GroupReader, viewQueriesFor } from "./reader.js";
import { POSTGRES_SAMPLER } from "./postgres-views.js";
import { numbersIn, type ViewContext, type View, type ViewGroup } from "./view.js";
import type { SqlRow } from "../../sql.js";

const SURVEY: ViewContext = {
  tables: { events: '"n".events', status: '"n".event_status', archive: '"n".events_archive' },
  loadNames: ["train-sim"],
  version: 18,
  extensions: new Map([["pgstattuple", "public"]]),
  invertedIndexes: ["n.events_payload_idx"],
};

function selectSources(survey: ViewContext): { sources: string[]; skipped: string[] } {
  const skipped: string[] = [];
  const views = POSTGRES_SAMPLER.groups.flatMap((group) => group.views);
  const asked = viewQueriesFor(views, survey, (source, reason) => skipped.push(`${source}: ${reason}`));
  return { sources: asked.map(({ view }) => view.source), skipped };
}

describe("the statistics views of PostgreSQL", () => {
  it.each([13, 14, 15, 16, 17, 18])("contain each metric once in version %d", (version) => {
    const views = POSTGRES_SAMPLER.groups.flatMap((group) => group.views);
    const given = viewQueriesFor(views, { ...SURVEY, version }, () => undefined).flatMap(
      ({ view }) => view.metricNames,
    );
    expect([...new Set(given)]).toEqual(given);
    for (const metric of ["wal.bytes", "blocks.written", "checkpoints.done", "sessions.active"])
      expect(given).toContain(metric);
  });

  it("are listed as skipped if the version lacks these views", () => {
    expect(selectSources({ ...SURVEY, version: 13 }).skipped).toEqual([
      "pg_stat_wal: not in version 13 of the server",
      "pg_stat_io (wal): not in version 13 of the server",
      "pg_stat_wal (fsync): not in version 13 of the server",
      "pg_stat_database (sessions): not in version 13 of the server",
    ]);
    // Fsyncs are in another view of this version; the cost of new log files is in none.
    expect(selectSources({ ...SURVEY, version: 17 }).skipped).toEqual([
      "pg_stat_io (wal): not in version 17 of the server",
    ]);
    expect(selectSources(SURVEY).skipped).toEqual([]);
  });

  it("use either extension for the pending list, and are skipped by name without both", () => {
    const inspect = new Map([["pageinspect", "public"]]);
    expect(selectSources({ ...SURVEY, extensions: inspect }).sources).toContain("gin_metapage_info");
    expect(selectSources({ ...SURVEY, extensions: new Map() }).skipped).toEqual([
      "pgstatginindex: the extension pgstattuple is not in the database",
      "gin_metapage_info: the extension pageinspect is not in the database",
    ]);
    expect(selectSources({ ...SURVEY, extensions: new Map(), invertedIndexes: [] }).skipped).toEqual([]);
  });
});

const view = (source: string, metric: string): View => ({
  source,
  metricNames: [metric],
  text: () => `TEXT ${source}`,
});
const group = (changes: Partial<ViewGroup> = {}): ViewGroup => ({
  name: "some",
  views: [view("a", "x"), view("b", "y")],
  isVital: true,
  ...changes,
});

/** A client that answers by the contents of the text, and records the statements. */
function server(answer: (text: string) => SqlRow): SqlClient & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    query: (text) => {
      asked.push(text);
      return new Promise((resolve) => resolve([answer(text)]));
    },
  };
}

const refusal = (code: string): Error => Object.assign(new Error(`refused with ${code}`), { code });

describe("GroupReader", () => {
  it("reads all views in one statement after it has tried each view", async () => {
    const client = server(() => ({ v0: '{"x": 1}', v1: '{"y": 2.5, "note": "n"}', tookMs: 1 }));
    const reader = new GroupReader(group(), SURVEY, "SET;", () => undefined);
    expect(await reader.read(client)).toEqual({ x: 1, y: 2.5 });
    expect(client.asked).toHaveLength(3);
    await reader.read(client);
    expect(client.asked).toHaveLength(4);
    expect(client.asked[3]).toMatch(/^SET; .*TEXT a.*TEXT b/s);
  });

  it("leaves out and names a refused view, and keeps a view that timed out", async () => {
    const skipped: string[] = [];
    const client = server((text) => {
      if (text.includes("TEXT a")) throw refusal("42501");
      return { v0: '{"y": 2}', tookMs: 1 };
    });
    const reader = new GroupReader(group(), SURVEY, "", (source, reason) =>
      skipped.push(`${source}: ${reason}`),
    );
    expect(await reader.read(client)).toEqual({ y: 2 });
    expect(skipped).toEqual(["a: refused with 42501"]);
    const slow = server(() => {
      throw refusal("55P03");
    });
    const waiting = new GroupReader(group(), SURVEY, "", () => undefined);
    await expect(waiting.read(slow)).rejects.toThrow("55P03");
    await expect(waiting.read(slow)).rejects.toThrow("55P03");
    expect(slow.asked.filter((text) => text.includes("TEXT a") && text.includes("TEXT b"))).toHaveLength(2);
  });

  it("tries each view separately after a right was revoked", async () => {
    let isAllowed = true;
    const client = server((text) => {
      if (!isAllowed && text.includes("TEXT a")) throw refusal("42501");
      return text.includes("TEXT a")
        ? { v0: '{"x": 1}', v1: '{"y": 2}', tookMs: 1 }
        : { v0: '{"y": 2}', tookMs: 1 };
    });
    const reader = new GroupReader(group(), SURVEY, "", () => undefined);
    await reader.read(client);
    isAllowed = false;
    await expect(reader.read(client)).rejects.toThrow("42501");
    expect(await reader.read(client)).toEqual({ y: 2 });
  });

  it("reads a slow view less often, and reports this", async () => {
    const skipped: string[] = [];
    const client = server(() => ({ v0: '{"x": 1}', v1: '{"y": 2}', tookMs: 60_000 }));
    const reader = new GroupReader(group({ mostShare: 0.01 }), SURVEY, "", (_, reason) =>
      skipped.push(reason),
    );
    expect(await reader.read(client)).toEqual({ x: 1, y: 2 });
    expect(await reader.read(client)).toEqual({});
    expect(skipped).toEqual(["not read every second, so that it takes at most 1 % of the time"]);
  });

  it("runs a single view once for its first reading", async () => {
    let asked = 0;
    const client = server(() => {
      asked++;
      return { v0: '{"x": 1}', tookMs: 10 };
    });
    const reader = new GroupReader(
      group({ views: [view("a", "x")], mostShare: 0.01 }),
      SURVEY,
      "",
      () => undefined,
    );
    expect(await reader.read(client)).toEqual({ x: 1 });
    expect(await reader.read(client)).toEqual({});
    expect(asked).toBe(1);
  });

  it("reports why a column is null, and returns no number for the column", async () => {
    const skipped: string[] = [];
    const views = [{ ...view("a", "x"), ifNull: { x: "it is off" }, decode: numbersIn }];
    const client = server(() => ({ v0: '{"x": null}', tookMs: 1 }));
    const reader = new GroupReader(group({ views }), SURVEY, "", (source, reason) =>
      skipped.push(`${source}: ${reason}`),
    );
    expect(await reader.read(client)).toEqual({});
    expect(skipped).toEqual(["a: it is off"]);
  });
});
