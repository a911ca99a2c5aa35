// The bundled scenarios: each loads, matches its comments and its promised duration, and the shortened
// commands in its header and in the pages work.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { experimentSpan } from "./plan/estimate.js";
import { parseScenario } from "./loader.js";
import { totalClients } from "./settings.js";

const DIRECTORY = fileURLToPath(new URL("../../scenarios/", import.meta.url));
const DOCS = fileURLToPath(new URL("../../docs/", import.meta.url));
const load = (file: string, set: readonly string[] = []) =>
  parseScenario(text(file), DIRECTORY + file, { set, loadsCode: true });
const FILES = readdirSync(DIRECTORY).filter((file) => file.endsWith(".yaml"));

function text(file: string): string {
  return readFileSync(DIRECTORY + file, "utf8");
}

const setsIn = (command: string): string[] =>
  [...command.matchAll(/--set ((?:'[^']*'|[^\s`])+)/g)].map(([, set]) => (set ?? "").replaceAll("'", ""));

/** The values of `--set` in each command of the header, split like in a shell. */
function commandsIn(file: string): string[][] {
  const header = text(file)
    .split("\n")
    .filter((line) => line.startsWith("#"))
    .map((line) => line.slice(1).trim())
    .join("\n")
    .replaceAll("\\\n", " ");
  return header
    .split("\n")
    .filter((line) => line.includes("--set ") && !line.includes("..."))
    .map(setsIn);
}

/** The values of `--set` in each run of these scenarios that a page of docs/ shows. */
function commandsOfPages(): [page: string, file: string, set: string[]][] {
  const pages = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter((page) =>
    page.endsWith(".md"),
  );
  return pages.flatMap((page) => {
    const pageText = readFileSync(DOCS + page, "utf8").replaceAll("\\\n", " ");
    const runs = pageText.matchAll(
      /train-sim run scenarios\/(\S+\.yaml)((?:\s+--[a-z-]+ (?:'[^']*'|[^\s'`])+)*)/g,
    );
    return [...runs].map(
      ([, file = "", options = ""]) => [page, file, setsIn(options)] as [string, string, string[]],
    );
  });
}

describe.each(FILES)("bundled scenario %s", (file) => {
  test("names its JSON Schema and loads, also from its resolved text", () => {
    expect(text(file)).toMatch(/^# yaml-language-server: \$schema=\.\.\/schema\/scenario\.schema\.json\n/);
    const experiment = load(file);
    expect(experiment.name).toBe(file.replace(".yaml", ""));
    expect(parseScenario(experiment.yaml, "again.yaml")).toEqual(experiment);
  });

  test("does not run its baseline last in every block", () => {
    const { treatments, trials } = load(file);
    const last = trials.filter((_, i) => (i + 1) % treatments.length === 0);
    expect(treatments.length === 1 || last.some(({ treatmentId }) => treatmentId !== treatments[0]?.id)).toBe(
      true,
    );
  });

  test("loads with the --set of each command in its header", () => {
    const commands = commandsIn(file);
    expect(commands.length).toBeGreaterThan(0);
    for (const set of commands) expect(() => load(file, set)).not.toThrow();
  });
});

test.each(commandsOfPages())("page %s has a command of %s that loads with --set %j", (_, file, set) => {
  expect(() => load(file, set)).not.toThrow();
});

test("quickstart has three payloads with five trials each in under 90 seconds", () => {
  const experiment = parseScenario(text("quickstart.yaml"), "quickstart.yaml");
  expect(experiment.treatments.map(({ id }) => id)).toEqual(["jsonb", "jsonb-manual", "text"]);
  expect(experiment.trials).toHaveLength(15);
  // The least time is without drains, the most with the longest drains.
  expect(experimentSpan(experiment).leastMs).toBe(60_000);
  expect(experimentSpan(experiment).mostMs).toBeLessThanOrEqual(90_000);
});

test("train-events crosses payload and pool at 512 clients, with 64 direct clients as control", () => {
  const { treatments, trials } = parseScenario(text("train-events.yaml"), "train-events.yaml");
  expect(treatments.map(({ id }) => id)).toEqual(
    ["jsonb", "jsonb-manual", "text", "text-generated"].flatMap((payload) => [
      `${payload}-direct-clients-512`,
      `${payload}-direct-clients-64`,
      `${payload}-pgbouncer-transaction-64-1-clients-512`,
    ]),
  );
  expect(trials).toHaveLength(72);
  const pause = { min: 10, max: 50 };
  for (const { settings, levels } of treatments) {
    expect(totalClients(settings)).toBe(Number(levels.clients));
    expect(settings).toMatchObject({
      topology: "cycle",
      batch: { min: 10, max: 100 },
      appDelayMs: { add: pause, process: pause, archive: pause },
      actors: {
        cycle: { workers: 3, load: { executor: "shared-iterations", thinkTimeMs: { min: 75, max: 125 } } },
      },
    });
  }
});
