// `compare` and `report` as commands: directories in, tables or JSON out, exit codes, and refusals that name the
// directory.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, it, vi } from "vitest";
import { ExitCode, TrainSimError } from "../foundation/errors.js";
import { writeResult } from "../results/directory.js";
import { writeRevisions } from "../results/revisions.js";
import type { ResultDocument } from "../results/result-schema.js";
import { exampleDisturbance, exampleResult } from "../../test/support/example-result.js";
import { TestRepository } from "../../test/support/repository.js";
import { commandStage } from "../../test/support/command-stage.js";
import { register as registerBisect } from "./bisect.js";
import { register as registerCompare } from "./compare.js";
import { register as registerReport } from "./report.js";

const stage = commandStage();

async function storeResult(
  name: string,
  slowdown: number,
  change?: (result: ResultDocument) => void,
): Promise<string> {
  const path = join(stage.directory, name);
  await mkdir(path);
  const result = exampleResult(6, slowdown);
  change?.(result);
  await writeResult(path, result);
  return path;
}

/** The exit code of a command line, or the error that it ended with. */
async function run(...args: string[]): Promise<number | TrainSimError> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  for (const register of [registerCompare, registerReport]) register(program);
  for (const command of program.commands)
    command.exitOverride().configureOutput({ writeErr: () => undefined });
  try {
    await program.parseAsync(args, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof TrainSimError) return error;
    throw error;
  }
}

describe("compare", () => {
  it("ends with code 99 on a regression beyond the bound, and with 0 within it", async () => {
    const [before, after] = [await storeResult("before", 2), await storeResult("after", 4)];
    expect(await run("compare", before, after)).toBe(ExitCode.thresholdFailed);
    expect(stage.output).toContain("REGRESSION: text add mean(ms) is higher: 2.00x");
    expect(await run("compare", before, after, "--max-regression", "99%")).toBe(ExitCode.done);
    expect(await run("compare", after, before)).toBe(ExitCode.done);
  });

  it("ends with 112 if a run is not judged, unless --allow-differences is given or another run is worse", async () => {
    const other = (result: ResultDocument): void => void (result.environment.machine = { cpus: 64 });
    const [before, same, worse] = [
      await storeResult("before", 2),
      await storeResult("same", 2, other),
      await storeResult("worse", 4),
    ];
    expect(await run("compare", before, same)).toBe(ExitCode.notJudged);
    expect(stage.output).toContain("caveat: the machine differs: cpus 2 -> 64");
    expect(await run("compare", before, same, "--allow-differences")).toBe(ExitCode.done);
    expect(await run("compare", before, same, worse)).toBe(ExitCode.thresholdFailed);
  });

  it("prints the default of --max-regression as a percentage", () => {
    for (const register of [registerCompare, registerBisect]) {
      const program = new Command();
      register(program);
      expect(program.commands[0]?.helpInformation()).toContain("how much worse is accepted (default: 5%)");
    }
  });

  it("takes the named run as baseline, in any position, and compares all other runs with the baseline", async () => {
    const [a, b, c] = [await storeResult("a", 2), await storeResult("b", 2), await storeResult("c", 4)];
    expect(await run("compare", c, a, b, "--baseline", b, "--json")).toBe(ExitCode.thresholdFailed);
    const document = JSON.parse(stage.output) as { baseline: string; runs: { directory: string }[] };
    expect(document.baseline).toBe(b);
    expect(document.runs.map((each) => each.directory)).toEqual([c, a]);
  });

  it("searches a history for changes, and refuses a baseline for a history", async () => {
    const directories = [await storeResult("a", 2), await storeResult("b", 2)];
    expect(await run("compare", "--history", ...directories)).toBe(ExitCode.done);
    expect(stage.output).toContain("Nothing can be concluded from 2 runs");
    const disturbed = await storeResult("c", 2, (result) => (result.verdict = exampleDisturbance("noise")));
    expect(await run("compare", "--history", ...directories, disturbed)).toBe(ExitCode.notJudged);
    expect(await run("compare", "--history", ...directories, disturbed, "--allow-differences")).toBe(
      ExitCode.done,
    );
    const refused = await run("compare", "--history", ...directories, "--baseline", "a");
    expect(refused).toMatchObject({ message: expect.stringContaining("has no --baseline") as string });
  });

  it("writes a CSV file with a row for each run", async () => {
    const [a, b] = [await storeResult("a", 2), await storeResult("b", 2)];
    const file = join(stage.directory, "history.csv");
    expect(await run("compare", a, b, "--csv", file)).toBe(ExitCode.done);
    expect((await readFile(file, "utf8")).split("\n")).toHaveLength(4);
  });

  it("writes JUnit XML and Markdown with the regressions", async () => {
    const [before, after] = [await storeResult("before", 2), await storeResult("after", 4)];
    const [junit, markdown] = ["out.xml", "out.md"].map((name) => join(stage.directory, name)) as [
      string,
      string,
    ];
    expect(await run("compare", before, after, "--junit", junit, "--markdown", markdown)).toBe(99);
    expect(await readFile(junit, "utf8")).toContain('<failure message="REGRESSION: text add mean(ms)');
    expect(await readFile(markdown, "utf8")).toContain("- REGRESSION: text add mean(ms) is higher: 2.00x");
    expect(await run("compare", "--history", before, after, "--junit", junit)).toMatchObject({
      exitCode: 104,
    });
    expect(await run("compare", before, after, "--trials", "5")).toMatchObject({ exitCode: 104 });
  });

  it("judges a result of two revisions again, and says what became better", async () => {
    const disturb = (result: ResultDocument): void => {
      result.verdict = exampleDisturbance("a late event loop");
      for (const trial of result.treatments.flatMap(({ trials }) => trials.slice(0, 2)))
        trial.diagnosis = [
          { check: "event-loop-delay", invalidates: ["timings"], seen: 60, bound: 50, words: "it was late" },
        ];
    };
    const path = await storeResult("two-revisions", 0.25, disturb);
    await writeRevisions(path, {
      ...{ version: 1, base: "0123456789 (Start)", head: "abcdef0123 (Skip locked)", names: ["queue"] },
      ...{ onlyAtBase: ["old"], onlyAtHead: [], caveats: ["the tip of main was not read"] },
    });
    expect(await run("compare", path, "--max-regression", "10%")).toBe(ExitCode.notJudged);
    const command = `npx train-sim compare ${path} --allow-differences --max-regression 10%`;
    expect(stage.output).toContain(`without measuring again:\n  ${command}\n`);
    expect(stage.output).toContain("caveat: timings are not valid: event-loop-delay in 4 of 12 trials\n");

    const [junit, markdown] = ["out.xml", "out.md"].map((name) => join(stage.directory, name)) as [
      string,
      string,
    ];
    stage.output = "";
    const files = ["--junit", junit, "--markdown", markdown];
    expect(await run(...command.split(" ").slice(2), ...files)).toBe(ExitCode.done);
    const text = stage.output;
    expect(text).toMatch(/^head abcdef0123 \(Skip locked\) against base 0123456789 \(Start\)\n/);
    expect(text).toMatch(/^operation +treatment +metric +base +head +ratio /m);
    expect(text).toMatch(/^add +payload-storage +mean\(ms\) .* better +finding$/m);
    expect(text).toMatch(
      /worse by more than 10 %, and \d+ of \d+ metrics are\s+shown\s+to be better; judged in spite/,
    );
    expect(text).toContain("only at base: old\n");
    const page = await readFile(markdown, "utf8");
    for (const words of [
      "- the tip of main was not read",
      "- No event was lost or duplicated",
      "| better | finding |",
    ])
      expect(page).toContain(words);
    const xml = await readFile(junit, "utf8");
    expect(xml).toMatch(
      /"can be judged"><system-out>judged in spite of: timings are not valid: .*; caveat: the tip/,
    );
    expect(xml).toMatch(/"data is audited"><system-out>No event was lost or duplicated/);
    expect(xml).toMatch(
      /add mean\(ms\)"><system-out>base 12.\d, head 3.\d+; ratio 0.25x, .*; 6 trials; better, finding</,
    );
  });

  it("plans a comparison of revisions, states the time of its load, and runs nothing", async () => {
    const repository = new TestRepository();
    const sql =
      "-- workload: load\n-- schema\nCREATE TABLE item (n int);\n-- name: add\nINSERT INTO item VALUES (1);\n";
    const yaml = "name: load\nworkload: ./load.sql\ntrials: 6\ntrial: { warmUp: 0, duration: 5s }\n";
    repository.commit("Start", { "load.yaml": yaml, "load.sql": sql });
    repository.commit("Change", { "load.sql": sql.replace("(1)", "(2)") });
    let progress = "";
    vi.spyOn(process.stderr, "write").mockImplementation((text) => Boolean((progress += String(text))));
    const scenario = join(repository.path, "load.yaml");
    expect(await run("compare", scenario, "--base-ref", "HEAD~1", "--plan")).toBe(ExitCode.done);
    expect(progress).toContain(
      "train-sim: 2 treatments x 6 trials = 12 trials, load of 1m; start-up, new tables,",
    );
    expect(stage.output).toMatch(/^ {2}base +base\n {2}head +head$/m);
    expect(await run("compare", scenario, "--plan")).toMatchObject({
      message: "--plan belongs to --base-ref",
    });
  });

  it("ends with 110 for a result of two revisions whose audit failed", async () => {
    const path = await storeResult("violated", 2, ({ treatments: [base] }) => {
      const [trial] = base?.trials ?? [];
      if (trial?.integrity)
        trial.integrity = { ...trial.integrity, verdict: "violated", violations: ["1 lost"] };
    });
    const sides = { base: "0123456789 (Start)", head: "abcdef0123 (Lose)", names: ["queue"] };
    await writeRevisions(path, { version: 1, ...sides, onlyAtBase: [], onlyAtHead: [], caveats: [] });
    expect(await run("compare", path)).toBe(ExitCode.integrityViolation);
    expect(stage.output).toMatch(/^Integrity is violated in trial 1/m);
  });

  it("refuses an unreadable or incomparable directory by its name", async () => {
    const good = await storeResult("good", 2);
    const half = join(stage.directory, "half");
    await mkdir(half);
    const refusal = async (...args: string[]): Promise<string> => {
      const error = await run("compare", ...args);
      expect(error).toMatchObject({ exitCode: ExitCode.invalid });
      return error instanceof TrainSimError ? error.message : "";
    };
    expect(await refusal(good, half)).toBe(`${half} holds no result.json`);
    await writeFile(join(half, "result.json"), '{"version":2,"scen');
    expect(await refusal(good, half)).toMatch(/half\/result\.json is not JSON/);
    expect(await refusal(good, join(stage.directory, "none"))).toMatch(/none is not a directory/);
    expect(await refusal(good, good)).toMatch(/cannot be compared with itself/);
    await expect(run("compare", good, good, "--max-regression", "much")).rejects.toThrow(/percentage/);
  });
});

describe("report", () => {
  it("prints the stored document unchanged with --json", async () => {
    const path = await storeResult("a", 2);
    expect(await run("report", path, "--json")).toBe(ExitCode.done);
    expect(JSON.parse(stage.output)).toEqual(exampleResult(6, 2));
  });
});
