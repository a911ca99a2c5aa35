// Conditions of the plan and of `summary.txt`: every key that differs from its default.
import { describe, expect, it } from "vitest";
import { parseScenario } from "../loader.js";
import { conditions } from "./conditions.js";

const conditionsOf = (yaml: string, set: string[] = []): string[][] =>
  conditions(parseScenario(`name: x\nseed: 1\n${yaml}`, "x.yaml", { set }));
const namesOf = (yaml: string): (string | undefined)[] => conditionsOf(yaml).map(([name]) => name);
const DEFAULT_NAMES = namesOf("");

describe("the conditions of an experiment", () => {
  it("omit keys that the scenario sets to their default", () => {
    const yaml =
      "isolation: read committed\nprepared: true\nretry: { attempts: 100, base: 0.005s }\nlog: { level: info }\n";
    expect(namesOf(yaml)).toEqual(DEFAULT_NAMES);
  });

  it("state each changed key of any depth, also from --set, with its value as written", () => {
    const yaml =
      "isolation: serializable\nprepared: false\nretry: { attempts: 100, base: 10ms }\n" +
      "advance: { processing: 0.5, complete: 0.5, fail: 0 }\ntarget: { settings: { work_mem: 8MB } }\n";
    expect(conditionsOf(yaml, ["preload=700", "diagnosis.ceiling=false"])).toEqual(
      expect.arrayContaining([
        ["isolation", "serializable"],
        ["prepared", "false"],
        ["retry.base", "10ms"],
        ["preload", "700"],
        ["diagnosis.ceiling", "false"],
        ["target.settings", "{ work_mem: 8MB }"],
      ]),
    );
    expect(namesOf(yaml)).not.toContain("retry.attempts");
  });

  it("state values on one line, without control characters", () => {
    const yaml =
      'target: { url: "postgresql://a@h/d", passwordCommand: "printf \\e[2J\\ncat /run/token\\n" }\n';
    expect(conditionsOf(yaml)).toContainEqual(["target.passwordCommand", "printf  [2J cat /run/token"]);
  });

  it("state the levels of a factor, and of a key that an entry of include sets", () => {
    const yaml =
      "factors: { locking: [nowait, skip-locked], retry.base: [1ms, 9ms] }\n" +
      "include: [{ locking: nowait, prepared: false }]\n";
    const rows = conditionsOf(yaml);
    const at = rows.findIndex(([name]) => name === "locking");
    expect(rows.slice(at)).toEqual([
      ["locking", "1) nowait"],
      ["", "2) skip-locked"],
      ["retry.base", "1) 1ms"],
      ["", "2) 9ms"],
      ["prepared", "1) false"],
      ["", "2) default"],
    ]);
  });

  it("state a key once, even if a text on roles, phases or the pool contains it", () => {
    const yaml =
      "clients: 3\npool: { strategy: pg-pool, size: 4 }\ntrial: { duration: 3s }\n" +
      "actors: { producers: { load: { thinkTime: 5ms } } }\nfactors: { payload: [text, jsonb] }\n";
    const names = namesOf(yaml).filter((name) => name !== "");
    expect(names).toEqual([...DEFAULT_NAMES, "pool.size"]);
  });

  it("state the workload unless it is the default, with its changed keys", () => {
    const rows = conditionsOf("workload: documents\nmix: C\nfactors: { index: [btree-id, gin] }\n");
    expect(rows[0]).toEqual(["workload", "documents"]);
    expect(rows).toContainEqual(["mix", "C"]);
    expect(rows).toContainEqual(["index", "1) btree-id"]);
  });
});
