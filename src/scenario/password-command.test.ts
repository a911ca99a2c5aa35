// `target.passwordCommand` in scenarios, and mistakes with their messages.
import { describe, expect, test } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { parseScenario } from "./loader.js";

const load = (target: string, rest = "") =>
  parseScenario(`name: x\ntarget: ${target}\n${rest}`, "x.yaml").treatments[0]?.settings.target;

const problemsOf = (target: string, rest = ""): string[] =>
  scenarioProblems(`name: x\ntarget: ${target}\n${rest}`);

const url = "url: 'postgresql://a@b/c'";

describe("target.passwordCommand", () => {
  test("is a list of words or a text for the shell, and is repeated every ten minutes by default", () => {
    expect(load(`{ ${url}, passwordCommand: [cat, "$HOME/a b"] }`)).toMatchObject({
      passwordCommand: { words: ["cat", "$HOME/a b"], reuseMs: 600_000 },
    });
    expect(load(`{ ${url}, passwordCommand: 'cat "$HOME/token"', passwordEvery: 30s }`)).toMatchObject({
      passwordCommand: { words: ["/bin/sh", "-c", 'cat "$HOME/token"'], reuseMs: 30_000 },
    });
  });

  test("is stored as it was written", () => {
    const command = 'passwordCommand: cat "$HOME/token"';
    const { yaml } = parseScenario(`name: x\ntarget:\n  ${url}\n  ${command}\n`, "x.yaml");
    expect(yaml).toContain("$HOME/token");
  });

  test("is accepted with direct connections, pg-pool and external PgBouncers only", () => {
    const target = `{ ${url}, passwordCommand: [cat, token] }`;
    for (const pool of ["direct", "pg-pool", "{ strategy: pgbouncer, url: 'postgresql://a:b@c/d' }"])
      expect(problemsOf(target, `pool: ${pool}\n`)).toEqual([]);
    expect(problemsOf(target, "pool: pgbouncer\n").join()).toContain("one password for the whole trial");
  });

  test.each([
    ["{ url: 'postgresql://a:hunter2@b/c', passwordCommand: [cat] }", "excludes a password in the URL"],
    [
      "{ url: 'postgresql://a@b/c?password=hunter2', passwordCommand: [cat] }",
      "excludes a password in the URL",
    ],
    [`{ ${url}, passwordEvery: 5m }`, "has no effect without target.passwordCommand"],
    ["{ kind: embedded, passwordCommand: [cat] }", "belongs to kind url, not to embedded"],
    [`{ ${url}, passwordCommand: ["", x] }`, "its first word is the program"],
    [`{ ${url}, passwordCommand: " " }`, "expected a command"],
    [`{ ${url}, passwordCommand: [] }`, "passwordCommand"],
    [`{ ${url}, passwordCommand: [cat], passwordEvery: 10 }`, "did you mean 10s"],
  ])("is refused with its reason: %s", (target, message) => {
    const problems = problemsOf(target);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
    expect(problems[0]).not.toContain("hunter2");
  });
});
