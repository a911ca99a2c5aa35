// Paths below a short form, for `--set` and for factors.
import { describe, expect, test } from "vitest";
import { parseScenario } from "../scenario/loader.js";
import type { TreatmentSettings } from "../scenario/settings.js";

function settings(yaml: string, ...set: string[]): TreatmentSettings[] {
  return parseScenario(`name: x\n${yaml}`, "x.yaml", { set }).treatments.map((one) => one.settings);
}

describe("a path below a short form", () => {
  const load = "{ executor: daily-arrival-rate, rate: 1, profile: streaming-day }";
  const yaml = `clients: 4\nactors: { producers: { load: ${load} } }`;
  const path = "actors.producers.load.profile.compressTo";
  const days = (all: readonly TreatmentSettings[]): unknown[] =>
    all.map(({ actors }) => actors.producers?.load);

  test("keeps the name of a profile that was written as a string", () => {
    const day = (dayMs: number) => ({ profile: { name: "streaming-day", dayMs } });
    expect(days(settings(yaml, `${path}=5s`))).toMatchObject([day(5000)]);
    expect(days(settings(`${yaml}\nfactors: { ${path}: [5s, 6s] }`))).toMatchObject([day(5000), day(6000)]);
  });

  test("keeps the URL of an endpoint that was written as a string", () => {
    const [url, other] = ["postgresql://h/d", "postgresql://g/d"];
    const urls = [
      { url, weight: 1 },
      { url: other, weight: 2 },
    ];
    expect(settings(`target: { urls: [${url}, ${other}] }`, "target.urls[1].weight=2")).toMatchObject([
      { target: { urls } },
    ]);
    const pool = `pool: { strategy: pgbouncer, urls: [${url}, ${other}] }`;
    expect(settings(`${pool}\nfactors: { "pool.urls[1].weight": [2] }`)).toMatchObject([{ pool: { urls } }]);
  });
});
