// Reading logs: files of a path, lines across chunks, compressed or truncated files, endless
// lines, and refusals that name the path.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exampleResult } from "../../test/support/example-result.js";
import { PAYMENTS } from "../../test/support/payments.js";
import { logFilesIn, readLines } from "./log-reader.js";

let root = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "train-sim-logs-"));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function file(name: string, content: string | Buffer): string {
  const path = join(root, name);
  writeFileSync(path, content);
  return path;
}

async function read(path: string): Promise<{ lines: string[]; rest: string | undefined }> {
  const all: string[] = [];
  let last: string | undefined;
  for await (const { lines, rest } of readLines(path)) {
    all.push(...lines);
    last = rest;
  }
  return { lines: all, rest: last };
}

describe("logFilesIn", () => {
  it("finds logs of all trials of a result directory, unfinished ones too, with trial numbers", async () => {
    const result = join(root, "result");
    for (const trial of ["002-text", "001-jsonb", "001-jsonb.partial-1", "003-none"])
      mkdirSync(join(result, "trials", trial), { recursive: true });
    writeFileSync(join(result, "trials/001-jsonb/log.ndjson"), "");
    writeFileSync(join(result, "trials/001-jsonb.partial-1/log.ndjson"), "");
    writeFileSync(join(result, "trials/002-text/log.ndjson.gz"), "");
    expect(await logFilesIn([result, result])).toEqual([
      { path: join(result, "trials/001-jsonb/log.ndjson"), trial: 1 },
      { path: join(result, "trials/001-jsonb.partial-1/log.ndjson"), trial: 1 },
      { path: join(result, "trials/002-text/log.ndjson.gz"), trial: 2 },
    ]);
    writeFileSync(join(result, "result.json"), JSON.stringify({ ...exampleResult(), workload: PAYMENTS }));
    const [first] = await logFilesIn([result]);
    expect(first?.operations).toEqual(Object.keys(PAYMENTS.operations));
    const one = join(result, "trials/001-jsonb");
    expect(await logFilesIn([one, "-"])).toEqual([{ path: join(one, "log.ndjson") }, { path: "-" }]);
  });

  it("refuses a path without logs and names the path", async () => {
    mkdirSync(join(root, "empty/trials"), { recursive: true });
    await expect(logFilesIn([join(root, "empty")])).rejects.toThrow(/empty holds no trial with a log/);
    mkdirSync(join(root, "other"));
    await expect(logFilesIn([join(root, "other")])).rejects.toThrow(/other holds no log/);
    await expect(logFilesIn([join(root, "absent")])).rejects.toMatchObject({ exitCode: 104 });
    mkdirSync(join(root, "broken"));
    writeFileSync(join(root, "broken/trials"), "");
    const broken = logFilesIn([join(root, "broken")]);
    await expect(broken).rejects.toMatchObject({ exitCode: 104 });
    await expect(broken).rejects.toThrow(/^Cannot read .*broken\/trials: /);
  });
});

describe("readLines", () => {
  it("returns whole lines across chunks of plain and gzip files", async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `{"i":${i},"pad":"${"ü".repeat(i % 60)}"}`);
    const text = `${lines.join("\n")}\n`;
    expect(await read(file("plain", text))).toEqual({ lines, rest: undefined });
    expect(await read(file("packed.gz", gzipSync(text)))).toEqual({ lines, rest: undefined });
  });

  it("returns an incomplete last line as the rest", async () => {
    expect(await read(file("cut", '{"a":1}\n{"b":'))).toEqual({ lines: ['{"a":1}'], rest: '{"b":' });
    const whole = gzipSync(Array.from({ length: 50_000 }, (_, i) => `{"i":${i * 7919}}`).join("\n"));
    const { lines } = await read(file("cut.gz", whole.subarray(0, whole.length / 2)));
    expect(lines.length).toBeGreaterThan(1000);
    expect(lines[0]).toBe('{"i":0}');
  });

  it("truncates a line that exceeds the length limit", async () => {
    const endless = `{"a":"${"x".repeat(3_000_000)}"}`;
    const { lines, rest } = await read(file("endless", `${endless}\n{"b":2}\n`));
    expect(rest).toBeUndefined();
    expect(lines).toHaveLength(2);
    expect(lines[0]?.length).toBeLessThan(1_000_000);
    expect(() => JSON.parse(lines[0] ?? "") as unknown).toThrow();
    expect(lines[1]).toBe('{"b":2}');
  });

  it("refuses a file that is absent or not gzip, with its path", async () => {
    await expect(read(file("not.gz", "plain text"))).rejects.toThrow(/Cannot read .*not\.gz/);
    await expect(read(join(root, "absent"))).rejects.toMatchObject({ exitCode: 104 });
  });
});
