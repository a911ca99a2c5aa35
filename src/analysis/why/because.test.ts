import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import type { TrialResult } from "../../results/result-schema.js";
import { workloadOf } from "../../workloads/registry.js";
import { exampleResult } from "../../../test/support/example-result.js";
import {
  becauseOf,
  claim,
  COMPLETED,
  highOf,
  isOf,
  lowOf,
  perEvent,
  PROCESS_MEAN,
  PROCESS_RATE,
  putOf,
  RULES,
} from "../../../test/support/moving-evidence.js";
import { withAnalysis } from "../comparison/analysis.js";
import { withReasons } from "./because.js";

const wal = (trial: TrialResult, isText: boolean): void => perEvent("walBytes")(trial, isText ? 4100 : 1300);
const WAL_SENTENCE = "text wrote 4.1 kB of WAL per event against 1.3 kB (3.15x)";

/** A document like `exampleResult` whose trials `put` changes. */
function document(trials: number, slowdown: number, put: (trial: TrialResult, isText: boolean) => void) {
  const result = exampleResult(trials, slowdown);
  result.treatments.forEach((treatment, i) => treatment.trials.forEach((trial) => put(trial, i === 1)));
  return result;
}

describe("the reasons of a difference", () => {
  it("are sentences with numbers", () => {
    const because = becauseOf(PROCESS_MEAN, (trial, isText) => {
      wal(trial, isText);
      trial.database.waits = [{ event: "LWLock:WALWrite", share: isText ? 0.27 : 0.06, sessions: 2 }];
    });
    expect(because).toEqual([
      WAL_SENTENCE,
      "sessions waited on LWLock:WALWrite 27 % of the time against 6 %",
    ]);
  });

  it("count an unseen wait event as 0 only if waits were sampled", () => {
    const seen = { event: "Lock:tuple", share: 0.4, sessions: 2 };
    expect(
      becauseOf(PROCESS_MEAN, ({ database }, isText) => (database.waits = isText ? [seen] : [])),
    ).toEqual(["sessions waited on Lock:tuple 40 % of the time against 0 %"]);
    const unsampled = becauseOf(PROCESS_MEAN, ({ database }, isText) => {
      if (isText) database.waits = [seen];
    });
    expect(unsampled).toEqual([]);
  });

  it("compare blocks written of versions with the same view only", () => {
    const written = (versionOfText: string, versionOfJsonb: string) =>
      becauseOf(PROCESS_MEAN, (trial, isText) => {
        perEvent("blocksWritten")(trial, isText ? 4 : 1);
        const version = isText ? versionOfText : versionOfJsonb;
        trial.servers = [{ endpoint: "a", version, settings: {}, settingsDigest: "0" }];
      });
    const sentence = "4 blocks per event were written against 1 (4.00x)";
    expect([written("18.1", "16.4"), written("14.9", "15.2")]).toEqual([[sentence], [sentence]]);
    expect([written("18.1", "15.2"), written("14.9", "16.4")]).toEqual([[], []]);
  });

  it("contain a ratio only of amounts that matter", () => {
    const because = becauseOf(PROCESS_MEAN, (trial, isText) =>
      perEvent("walFullPageImages")(trial, isText ? 0.39 : 0.002),
    );
    expect(because).toEqual(["the WAL held 0.39 full pages per event against 0.002"]);
  });

  it("describe sessions without a wait as on a CPU or waiting for one", () => {
    const because = becauseOf(PROCESS_MEAN, ({ database }, isText) => {
      database.waits = [{ event: "CPU", share: isText ? 0.5 : 0.2, sessions: 2 }];
    });
    expect(because).toEqual([
      "active sessions were on a CPU, or waited for one, 50 % of the time against 20 %",
    ]);
  });

  it("are given for significant differences only, of each metric and operation", () => {
    const { comparisons } = withAnalysis(document(5, 2, wal));
    const verdicts = new Set(comparisons.map(({ verdict }) => verdict));
    expect(verdicts).toEqual(new Set(["finding", "exploratory", "indistinguishable"]));
    for (const { verdict, because } of comparisons)
      expect(because).toEqual(verdict !== "indistinguishable" ? [WAL_SENTENCE] : undefined);
    const { comparisons: undecided } = withAnalysis(document(4, 2, wal));
    expect(undecided.filter(({ because }) => because)).toEqual([]);
  });

  it("are empty if the evidence shows no difference", () => {
    expect(becauseOf(PROCESS_MEAN, (trial) => wal(trial, false))).toEqual([]);
  });

  it("use evidence only if five trials of both sides have the evidence", () => {
    const put = (trial: TrialResult, isText: boolean, block: number): void => {
      if (block > 0) wal(trial, isText);
    };
    expect(becauseOf(PROCESS_MEAN, put)).toEqual([]);
    expect(becauseOf(PROCESS_MEAN, put, { trials: 6 })).toEqual([WAL_SENTENCE]);
  });

  it("use complete trials only", () => {
    const because = becauseOf(PROCESS_MEAN, (trial, isText, block) => {
      wal(trial, isText);
      if (block === 4) Object.assign(trial, { status: "partial", reason: "stopped by SIGINT" });
    });
    expect(because).toEqual([]);
  });

  it("are not given for A/A pairs, nor for a difference that is no larger than such a pair's", () => {
    const { treatments } = document(5, 1, wal);
    const replica = { ...claim(PROCESS_MEAN), factor: "none" };
    const larger = { ...claim(PROCESS_MEAN), ratio: 2.1 };
    const explained = withReasons([replica, claim(PROCESS_MEAN), larger], treatments, workloadOf({}), 1);
    expect(explained.map(({ because }) => because)).toEqual([undefined, undefined, [WAL_SENTENCE]]);
  });

  it("are at most four sentences on different topics, the one that moved most first", () => {
    const because = becauseOf(PROCESS_MEAN, (trial, isText) => {
      for (const rule of RULES.filter(({ explains }) => explains(PROCESS_MEAN)))
        putOf(rule)(trial, (rule.worse === "more") === isText ? highOf(rule) : lowOf(rule));
      perEvent("serverCpuMs")(trial, isText ? 90 : 1);
    });
    expect(because).toHaveLength(4);
    expect(because[0]).toBe("the server took 90 ms of CPU time per event against 1 ms (90x)");
    const topics = because.map((sentence) => RULES.find((rule) => isOf(rule, sentence))?.topic);
    expect(new Set(topics).size).toBe(4);
  });

  it("never mention evidence that is absent", () => {
    const prng = new Prng(7);
    let sentences = 0;
    for (let i = 0; i < 200; i++) {
      const compared = [PROCESS_MEAN, PROCESS_RATE, COMPLETED][prng.intBetween(0, 2)] ?? COMPLETED;
      const present = RULES.filter(() => prng.float() < 0.1);
      const because = becauseOf(compared, (trial, isText, block) => {
        for (const rule of present) {
          const value = (rule.worse === "more") === isText ? highOf(rule) : lowOf(rule);
          putOf(rule)(trial, value * (1 + block / 99));
        }
      });
      sentences += because.length;
      for (const sentence of because)
        expect(
          RULES.some((rule) => isOf(rule, sentence) && present.some(({ words }) => words === rule.words)),
          sentence,
        ).toBe(true);
    }
    expect(sentences).toBeGreaterThan(200);
  });

  it("mention noise in at most one of 100 comparisons", () => {
    const prng = new Prng(11);
    const experiments = 1500;
    let explained = 0;
    for (let i = 0; i < experiments; i++)
      explained += becauseOf(PROCESS_MEAN, (trial) =>
        perEvent("walBytes")(trial, 1000 * 9 ** prng.float()),
      ).length;
    expect(explained / experiments).toBeGreaterThan(0);
    expect(explained / experiments).toBeLessThan(0.01);
  });
});
