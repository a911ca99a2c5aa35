import { expect, it } from "vitest";
import { parseScenario } from "../../scenario/loader.js";
import type { Experiment } from "../../scenario/settings.js";
import { schemaDropCommand, schemaDropCommands, resumeCommand, type UrlTarget } from "./left-behind.js";

function experimentOn(target: string, more = ""): Experiment {
  return parseScenario(`name: left\nseed: 1\ntarget: ${target}\n${more}`, "/srv/scenario.yaml");
}

function targetOf(target: string): UrlTarget {
  const [treatment] = experimentOn(target).treatments;
  if (treatment?.settings.target.kind !== "url") throw new Error("the target is a URL");
  return treatment.settings.target;
}

it("the drop command has the admin's URL with TLS parameters", () => {
  const keys = "adminUrl: 'postgresql://owner@db/app', sslmode: verify-full, ca: /etc/my certs/ca.pem";
  const target = targetOf(`{ kind: url, urls: ["postgresql://u@db/app"], ${keys} }`);
  expect(schemaDropCommand(target, "a$b", "cloudberry", {})).toBe(
    "npx train-sim schema drop --url 'postgresql://owner@db/app?sslmode=verify-full&sslrootcert=%2Fetc%2Fmy%20certs%2Fca.pem' --namespace 'a$b' --dialect cloudberry",
  );
});

it("the drop command names PGPASSWORD if the URL has a password", () => {
  const command = "npx train-sim schema drop --url postgresql://u@db/app --namespace train_sim";
  expect(schemaDropCommands(experimentOn("postgresql://u@db/app"))).toEqual([command]);
  expect(schemaDropCommands(experimentOn("postgresql://u:hunter2@db/app"))).toEqual([
    `${command} (with its password in PGPASSWORD)`,
  ]);
  expect(schemaDropCommands(experimentOn("{ kind: embedded }"))).toEqual([]);
});

it("the resume command names only the directory, but the scenario as well if its URL has a password", () => {
  const own = experimentOn("postgresql://u@db/app");
  const overrides = { set: ["batch=5"], trials: 2, seed: 7, defaultSeed: 1 };
  expect(resumeCommand(own, "results/a b", "s.yaml", overrides)).toBe(
    "npx train-sim run --resume 'results/a b'",
  );
  expect(resumeCommand(own, "results/a", "s.yaml", overrides, ["--agents", "ssh:a,b"])).toBe(
    "npx train-sim run --resume results/a --agents ssh:a,b",
  );
  const secret = experimentOn("postgresql://u:hunter2@db/app");
  const set = [...overrides.set, "target.url=postgresql://u:hunter2@db/app"];
  expect(resumeCommand(secret, "results/a", "s.yaml", { ...overrides, set })).toBe(
    "npx train-sim run s.yaml --set batch=5 --set target.url=postgresql://u@db/app --trials 2 --seed 7 --resume results/a (with its password in PGPASSWORD)",
  );
});
