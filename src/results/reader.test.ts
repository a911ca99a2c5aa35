import { mkdtempSync, rmSync, writeFileSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "../foundation/errors.js";
import { Totals } from "../metrics/totals.js";
import { exampleResult } from "../../test/support/example-result.js";
import { createTrialDirectory, writeResult } from "./directory.js";
import { readResult, readTrialHistograms } from "./reader.js";
import { TrialFiles, writeTrial } from "./trial-files.js";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-read-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function refusalOf(text: string): Promise<string> {
  writeFileSync(join(directory, "result.json"), text);
  try {
    await readResult(directory);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as UsageError).message;
  }
  return "read";
}

describe("a result directory", () => {
  it("is read back as it was written", async () => {
    const result = exampleResult();
    await writeResult(directory, result);
    expect(await readResult(directory)).toEqual(result);
  });

  it("yields a trial's histograms merged over its seconds", async () => {
    mkdirSync(join(directory, "trials"));
    const files = new TrialFiles(await createTrialDirectory(directory, 3, "text"), 0);
    for (const second of [0, 1]) {
      const totals = new Totals(["add"]);
      totals.histograms.at("add.response").recordValue(second + 5);
      files.onSecond(second, totals);
    }
    files.close();
    const histograms = await readTrialHistograms(directory, 3, "text");
    expect(histograms.get("add.response")?.totalCount).toBe(2);
    await expect(readTrialHistograms(directory, 4, "text")).rejects.toBeInstanceOf(UsageError);
  });

  it("is refused if it does not exist or holds no result.json", async () => {
    await expect(readResult(directory)).rejects.toThrow(/holds no result\.json/);
    await expect(readResult(join(directory, "none"))).rejects.toThrow(/is not a directory/);
    writeFileSync(join(directory, "file"), "");
    await expect(readResult(join(directory, "file"))).rejects.toThrow(/is not a directory/);
  });

  it("is refused with file and reason if result.json breaks the schema", async () => {
    const text = JSON.stringify(exampleResult());
    expect(await refusalOf(text.slice(0, -10))).toMatch(/result\.json is not JSON/);
    expect(await refusalOf("{}")).toMatch(/has no version/);
    expect(await refusalOf("null")).toMatch(/has no version/);
    expect(await refusalOf(text.replace('"lost":0', '"lost":-1'))).toMatch(
      /treatments\.0\.trials\.0\.integrity\.lost/,
    );
    expect(await refusalOf(text.replaceAll('"lost":0', '"lots":0'))).toMatch(/and \d+ more/);
    expect(await refusalOf(text.replaceAll('"lost":0,', ""))).toMatch(
      /integrity\.lost: missing; expected number/,
    );
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(await refusalOf(text.replace('"diagnosis":[]', `"diagnosis":[{"a":${deep}}]`))).toMatch(
      /nested more than 100 deep/,
    );
  });

  it("is refused if another version wrote it, with that version", async () => {
    const { versions } = exampleResult().environment;
    const older = { ...exampleResult(), version: 1 };
    const written = {
      ...older,
      environment: { ...older.environment, versions: { ...versions, "train-sim": "0.1.0" } },
    };
    expect(await refusalOf(JSON.stringify(written))).toMatch(
      /version 1 \(written by train-sim 0\.1\.0\), this train-sim reads version 2$/,
    );
    expect(await refusalOf('{"version":99}')).toMatch(/version 99, this train-sim reads version 2$/);
  });

  it("accepts a byte order mark and refuses invalid UTF-8", async () => {
    const text = JSON.stringify(exampleResult());
    writeFileSync(join(directory, "result.json"), `\ufeff${text}`);
    expect((await readResult(directory)).scenario.name).toBe("payload-storage");
    writeFileSync(join(directory, "result.json"), Buffer.concat([Buffer.from(text), Buffer.from([0xff])]));
    await expect(readResult(directory)).rejects.toThrow(/not text in UTF-8/);
  });
});

describe("writing a result or a trial that breaks the schema", () => {
  it("throws, but writes the file", async () => {
    const result = exampleResult();
    result.scenario.seed = -1;
    await expect(writeResult(directory, result)).rejects.toThrow(/seed/);
    expect(readFileSync(join(directory, "result.json"), "utf8")).toContain('"payload-storage"');
    const trial = exampleResult().treatments[0]?.trials[0];
    if (!trial) throw new Error("the example has trials");
    await writeTrial(directory, trial);
    expect(JSON.parse(readFileSync(join(directory, "trial.json"), "utf8"))).toEqual(trial);
    await expect(writeTrial(directory, { ...trial, windowSeconds: -1 })).rejects.toThrow(/windowSeconds/);
  });
});
