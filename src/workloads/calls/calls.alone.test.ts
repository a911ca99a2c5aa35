// The statements that preload and audit of calls send and the tables that are analysed, without a server.
import { describe, expect, test, vi } from "vitest";
import type { AdminClient } from "../../database/postgres/admin.js";
import { parseScenario } from "../../scenario/loader.js";
import type { Treatment } from "./settings.js";
import { postgres } from "./stores/postgres.js";

/** Statements that the preload sent, and the tables that it analysed. */
const preload: { sent: string[]; analyzed: readonly string[] } = { sent: [], analyzed: [] };
vi.mock("../../database/postgres/fill-tables.js", () => ({
  insertNumberedRows: () => Promise.resolve(),
  fillTables: (
    _: unknown,
    { tables }: { tables: readonly string[] },
    fill: (session: unknown) => Promise<unknown>,
  ) => {
    preload.analyzed = tables;
    preload.sent = [];
    const send = (text: string): Promise<unknown[]> => {
      preload.sent.push(text);
      return Promise.resolve([]);
    };
    return fill({ query: send, execute: ({ name }: { name: string }) => send(name) });
  },
}));

function settingsOf(yaml: string): Treatment {
  const own = `batchesPerDay: 2\nsizes: { small: 1, medium: 1, large: 1 }\n${yaml}`;
  const [treatment] = parseScenario(`name: x\nseed: 1\nworkload: calls\n${own}`, "x.yaml").treatments;
  return treatment?.settings as unknown as Treatment;
}
const PAX =
  "dialect: cloudberry\ntarget: { kind: url, urls: ['postgresql://u@h/d'] }\nbatchesBefore: 2\nstorage: ";

describe("the preload of calls", () => {
  const fill = async (yaml: string): Promise<typeof preload> => {
    await postgres.fill({} as AdminClient, settingsOf(yaml), 1, () => true);
    return preload;
  };

  test("runs CLUSTER after the batches if the storage has cluster columns", async () => {
    const loads = ["load.insert", "load.insert"];
    expect((await fill(`${PAX}pax`)).sent).toEqual([...loads, 'CLUSTER "train_sim".cdr']);
    expect((await fill(`${PAX}pax-no-cluster`)).sent).toEqual(loads);
    expect((await fill(PAX.replace("batchesBefore: 2\n", "") + "pax")).sent).toEqual([]);
  });

  test("analyses the table of calls after the batches, unless `analyze` is false", async () => {
    const trial = "trial: { warmUp: 0 }";
    const isAnalyzed = async (yaml: string): Promise<boolean> =>
      (await fill(`${trial}\n${yaml}`)).analyzed.some((table) => table.endsWith(".cdr"));
    expect(await isAnalyzed("batchesBefore: 2")).toBe(true);
    expect(await isAnalyzed("batchesBefore: 2\nanalyze: false")).toBe(false);
    expect(await isAnalyzed("")).toBe(false);
  });
});

test("the audit of calls runs CLUSTER before its snapshot if the storage has cluster columns", async () => {
  const scan = async (storage: string): Promise<string[]> => {
    const sent: string[] = [];
    const query = async (text: string): Promise<unknown[]> => {
      sent.push(text);
      return [];
    };
    await postgres.scan({ query } as unknown as AdminClient, settingsOf(`${PAX}${storage}`), false);
    return sent;
  };
  const without = await scan("pax-no-cluster");
  expect(without[0]).toMatch(/^BEGIN .* READ ONLY$/);
  expect(await scan("pax")).toEqual(['CLUSTER "train_sim".cdr', ...without]);
});
