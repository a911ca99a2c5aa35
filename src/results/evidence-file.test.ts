import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EVIDENCE_FILE, EVIDENCE_HEADER, readEvidence, type EvidenceRow } from "./evidence-file.js";
import { TrialFiles } from "./trial-files.js";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-evidence-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function rowsOf(path: string): Promise<EvidenceRow[]> {
  const rows: EvidenceRow[] = [];
  for await (const row of readEvidence(path)) rows.push(row);
  return rows;
}

test("evidence is written with 9 significant digits and read back", async () => {
  const files = new TrialFiles(directory, 0);
  files.onEvidence(0, { "wal.bytes": 1234567.891234, "wait.Lock:tuple": 2 });
  files.onEvidence(2, { "queue.pending": 0, "xmin.oldestTransactionMs": 1e-7 });
  files.close();
  expect(readFileSync(join(directory, EVIDENCE_FILE), "utf8").split("\n").slice(0, 3)).toEqual([
    "second,metric,value",
    "0,wal.bytes,1234567.89",
    "0,wait.Lock:tuple,2",
  ]);
  expect(await rowsOf(directory)).toEqual([
    { second: 0, metric: "wal.bytes", value: 1234567.89 },
    { second: 0, metric: "wait.Lock:tuple", value: 2 },
    { second: 2, metric: "queue.pending", value: 0 },
    { second: 2, metric: "xmin.oldestTransactionMs", value: 1e-7 },
  ]);
});

test("a trial without evidence samples reads as no rows", async () => {
  new TrialFiles(directory, 0).close();
  expect(await rowsOf(directory)).toEqual([]);
});

test("a truncated line of evidence is refused with its number", async () => {
  writeFileSync(join(directory, EVIDENCE_FILE), `${EVIDENCE_HEADER}0,wal.bytes,5\n1,wal.by`);
  await expect(rowsOf(directory)).rejects.toThrow(/evidence\.csv, line 3: .*second,metric,value/);
});

test("CRLF line ends are read; infinite values and endless lines of evidence are refused", async () => {
  const write = (text: string): void => writeFileSync(join(directory, EVIDENCE_FILE), text);
  write("second,metric,value\r\n0,wal.bytes,5\r\n");
  expect(await rowsOf(directory)).toEqual([{ second: 0, metric: "wal.bytes", value: 5 }]);
  write(`${EVIDENCE_HEADER}0,wal.bytes,1e999\n`);
  await expect(rowsOf(directory)).rejects.toThrow(/line 2/);
  write(`${EVIDENCE_HEADER}0,wal.bytes,5\n${"x".repeat(1_000_000)}`);
  await expect(rowsOf(directory)).rejects.toThrow(/too long/);
});
