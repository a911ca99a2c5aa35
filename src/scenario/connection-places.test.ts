// The environment completes URLs when a scenario is loaded, so that stored URLs and URLs sent to agents have every part.
import { expect, it } from "vitest";
import { parseScenario } from "./loader.js";

const URL_OF = "target: { url: 'postgresql:///app' }";
const environment = { PGHOST: "db.example", PGUSER: "rail", PGSSLMODE: "require" };

function targetOf(yaml: string, given: Record<string, string> = environment): unknown {
  return parseScenario(`name: n\n${yaml}\n`, "x.yaml", { environment: given }).treatments[0]?.settings.target;
}

it("the environment completes the target's URL in all its forms, and the stored scenario is complete", () => {
  const url = "postgresql://rail@db.example/app?sslmode=require";
  const { treatments, yaml } = parseScenario(`name: n\n${URL_OF}\n`, "x.yaml", { environment });
  expect(treatments[0]?.settings.target).toMatchObject({ urls: [{ url }] });
  expect(parseScenario(yaml, "x.yaml").treatments).toEqual(treatments);
  for (const other of [
    "target: postgresql:///app",
    "target: { urls: ['postgresql:///app'] }",
    "target: { urls: [{ url: 'postgresql:///app' }] }",
    "factors: { target: ['postgresql:///app'] }",
  ])
    expect(targetOf(other)).toMatchObject({ urls: [{ url }] });
});

it("the target's TLS keys take precedence over the environment's sslmode, also as levels", () => {
  const plain = { urls: [{ url: "postgresql://rail@db.example/app" }], sslmode: "disable" };
  expect(targetOf("target: { url: 'postgresql:///app', sslmode: disable }")).toMatchObject(plain);
  expect(targetOf(`${URL_OF}\nfactors: { target.sslmode: [disable, require] }`)).toMatchObject(plain);
});

it("the environment completes only the user in a pool's URL", () => {
  const pool =
    "pool: { strategy: pgbouncer, mode: transaction, size: 4, urls: ['postgresql://pool:6432/app'] }";
  const { treatments } = parseScenario(`name: n\n${URL_OF}\n${pool}\n`, "x.yaml", { environment });
  expect(treatments[0]?.settings.pool).toMatchObject({ urls: [{ url: "postgresql://rail@pool:6432/app" }] });
});

it("the environment does not turn an embedded target into a URL", () => {
  expect(targetOf("seed: 1")).toMatchObject({ kind: "embedded" });
  expect(targetOf("pool: direct", { PGSSLMODE: "prefer" })).toMatchObject({ kind: "embedded" });
  expect(() => targetOf(URL_OF, { PGSSLMODE: "prefer" })).toThrow(/PGSSLMODE says sslmode=prefer/);
  expect(() => targetOf(URL_OF, {})).toThrow(/names no host .*PGHOST is not set/);
});

it("ignored variables of the environment are named for a URL target only", () => {
  const ignoredVariablesIn = (yaml: string): unknown =>
    parseScenario(`name: n\n${yaml}\n`, "x.yaml", { environment: { ...environment, PGTZ: "UTC" } })
      .ignoredVariables;
  expect(ignoredVariablesIn(URL_OF)).toEqual([expect.stringMatching(/^PGTZ is ignored: /)]);
  expect(ignoredVariablesIn("seed: 1")).toBeUndefined();
});
