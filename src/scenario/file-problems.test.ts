// Files that are not scenarios: missing, empty, not YAML, or YAML that would exhaust memory. Each is refused
// with one message at its place.
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExitCode, UsageError } from "../foundation/errors.js";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { loadScenario, parseScenario } from "./loader.js";

describe("an unreadable scenario file", () => {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), "train-sim-problems-"));
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function refusal(file: string): Promise<UsageError> {
    const error: unknown = await loadScenario(path.join(directory, file)).catch((reason: unknown) => reason);
    if (error instanceof UsageError) return error;
    throw new Error(`not refused: ${String(error)}`);
  }

  test("is refused with a hint to run `train-sim init` if it does not exist", async () => {
    const error = await refusal("nothing.yaml");
    expect(error.message).toMatch(/nothing\.yaml does not exist$/);
    expect(error.hint).toContain("train-sim init");
    expect(error.exitCode).toBe(ExitCode.invalid);
  });

  test("is refused with the name of a similar bundled scenario", async () => {
    await expect(loadScenario("quikstart")).rejects.toMatchObject({
      message: "scenario quikstart does not exist",
      hint: expect.stringContaining("Did you mean the bundled scenario quickstart?") as string,
      exitCode: ExitCode.invalid,
    });
  });

  test("is refused if it is a directory, binary or too large", async () => {
    await writeFile(path.join(directory, "binary.yaml"), Buffer.from([0xff, 0xfe, 0x00, 0x41]));
    await writeFile(path.join(directory, "large.yaml"), "# x\n".repeat(300_000));
    expect((await refusal("")).message).toMatch(/is a directory$/);
    expect((await refusal("binary.yaml")).message).toMatch(/is not text in UTF-8$/);
    expect((await refusal("large.yaml")).message).toMatch(/is too large$/);
  });

  test.runIf(process.platform === "linux")("is refused if it is endless", async () => {
    await symlink("/dev/zero", path.join(directory, "endless.yaml"));
    expect((await refusal("endless.yaml")).message).toMatch(/endless\.yaml is too large$/);
  });

  test("is refused with a hint to run `train-sim init` if it is empty", async () => {
    await writeFile(path.join(directory, "empty.yaml"), "# nothing yet\n");
    expect((await refusal("empty.yaml")).message).toMatch(
      /:1:1 the scenario is empty; `npx train-sim init` writes/,
    );
  });
});

describe("invalid YAML", () => {
  test.each([
    ["a syntax error", "name: [x\ntrials: 3\n", /^x\.yaml:2:1 YAML: Flow sequence/],
    ["a list", "- name: x", /^x\.yaml:1:1 a scenario is a mapping of keys.*\(seen a list\)$/],
    [
      "a duplicate key",
      "name: x\ntrial:\n  warmUp: 1s\n  warmUp: 2s",
      /^x\.yaml:4:3 the key \w+ is there twice; the first is in line 3$/,
    ],
    ["a second document", "name: x\n---\nname: y", /^x\.yaml:2:1 a scenario is one YAML document/],
    ["a custom tag", "name: !!js/function x", /^x\.yaml:1:7 YAML tags/],
    ["an alias without an anchor", "name: *x", /^x\.yaml:1:1 YAML: Unresolved alias/],
    ["an alias that contains itself", "name: &a [*a]", /^x\.yaml:1:1 nested too deeply/],
  ])("is refused at the place of %s", (_, yaml, expected) => {
    expect(scenarioProblems(yaml)).toEqual([expect.stringMatching(expected)]);
  });

  test("is refused without expansion if aliases nest exponentially", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 30; i++)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(", ")}]`,
      );
    expect(scenarioProblems(lines.join("\n"))).toEqual(["x.yaml:1:1 more than 100 aliases when written out"]);
  });

  test("is refused if few aliases of a large list expand to too many values", () => {
    const yaml = `name: x\na: &a [${"1,".repeat(5000)}]\nb: [${Array(90).fill("*a").join(", ")}]`;
    expect(scenarioProblems(yaml)).toEqual([
      "x.yaml:1:1 more than 50000 values when its aliases are written out",
    ]);
  });

  test.each([
    ["keys", Array.from({ length: 100_000 }, (_, i) => `k${i}: 1`).join("\n")],
    ["anchors", Array.from({ length: 30_000 }, (_, i) => `k${i}: &a${i} 1`).join("\n")],
    ["brackets", `a: ${"[".repeat(500_000)}`],
  ])("is refused before it is parsed if it has too many %s", (_, text) => {
    expect(scenarioProblems(`name: x\n${text}\n`)).toEqual(["x.yaml:1:1 more than 50000 words and signs"]);
  });

  test("is refused for merge keys and for keys that are properties of objects", () => {
    expect(scenarioProblems("name: x\nlog: &a { level: info }\n<<: *a")).toEqual([
      expect.stringMatching(/^x\.yaml:3:1 "<<": unknown key/),
    ]);
    expect(scenarioProblems("name: x\n__proto__: { isAdmin: true }\nconstructor: 1")).toEqual([
      expect.stringMatching(/ __proto__: unknown key/),
      expect.stringMatching(/ constructor: unknown key/),
    ]);
    expect("isAdmin" in {}).toBe(false);
  });

  test("excludes a few aliases, of which --set changes only the named place", () => {
    const yaml =
      "name: x\nfactors: { payload: [text] }\nactors: { producers: &a { clients: 3 }, consumers: *a }";
    const experiment = parseScenario(yaml, "x.yaml", { set: ["actors.producers.clients=9"] });
    expect(experiment.treatments[0]?.settings.actors.consumers?.load.clients).toBe(3);
  });

  test("is refused if it nests too deeply", () => {
    expect(
      scenarioProblems(`name: x\nfactors: { payload: ${"[".repeat(5000)}${"]".repeat(5000)} }`),
    ).toHaveLength(1);
  });
});

test("a problem that all treatments share is reported once, without a treatment", () => {
  const keys = Array.from({ length: 60 }, (_, i) => `k${i}: 1\n`).join("");
  const levels = Array.from({ length: 10 }, (_, i) => i);
  const yaml = `name: x\n${keys}factors: { preload: [${levels.join(", ")}] }\n`;
  const problems = scenarioProblems(yaml);
  expect(problems).toHaveLength(60);
  for (const each of problems) expect(each).not.toContain("treatment");
});
