// Each document is there once, with the contents of its last update, and shows every acknowledged update.
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { AdminSession } from "../../database/contract.js";
import { counted } from "../../foundation/units.js";
import { Findings } from "../findings.js";
import { copyBoundsOf } from "../numbered-writes.js";
import type { AuditOutcome, AuditInputs } from "../workload.js";
import { WorkerAccount } from "./client.js";
import {
  DocumentMaker,
  insertedKey,
  keyInText,
  parseKey,
  preloadedKey,
  UPDATED_VALUE_INDEX,
} from "./document.js";
import { updateOf, type Treatment } from "./settings.js";
import type { DocumentStore, StoredDocument } from "./store.js";

const bytes = z.number().min(0).optional();

export const findings = {
  documentBytes: bytes.describe("Mean stored size of a document, of workload documents"),
  rowBytes: bytes.describe(
    "Mean stored size of a row, its TOASTed values included, of workload documents; in MySQL and MariaDB without the header",
  ),
};

/** What the preload reports to the audit. */
export const Preloaded = z.object({ seed: z.int(), documents: z.int().min(0) });

/** Number of rows with one key: the least and the most that its writes explain, and the number seen. */
interface RowCounts {
  readonly least: number;
  readonly most: number;
  seen: number;
}

type DocumentUpdates = z.infer<typeof WorkerAccount>["updates"][number];

function insertRowCounts(accounts: readonly z.infer<typeof WorkerAccount>[]): Map<string, RowCounts> {
  const copies = new Map<string, RowCounts>();
  for (const writes of accounts.flatMap(({ inserts }) => inserts))
    for (const { number, ...bounds } of copyBoundsOf(writes))
      copies.set(insertedKey(writes.client, number), { ...bounds, seen: 0 });
  return copies;
}

function mergeUpdates(accounts: readonly z.infer<typeof WorkerAccount>[]): Map<string, DocumentUpdates> {
  const updates = new Map<string, DocumentUpdates>();
  for (const each of accounts.flatMap((one) => one.updates)) {
    const { document, acknowledged, versions, last, inDoubt, unsettled } = each;
    const before = updates.get(document);
    updates.set(
      document,
      before === undefined
        ? each
        : {
            document,
            acknowledged: before.acknowledged + acknowledged,
            versions: before.versions + versions,
            last: last.version > before.last.version ? last : before.last,
            inDoubt: [...before.inDoubt, ...inDoubt],
            unsettled: before.unsettled + unsettled,
          },
    );
  }
  return updates;
}

export const VIOLATIONS = ["lost", "unexpected", "duplicated", "undone", "changed", "misread"] as const;
type Violation = (typeof VIOLATIONS)[number];

interface StoredVersion {
  readonly text: string;
  readonly document: unknown;
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

class Check {
  readonly sums = { rows: 0, documentBytes: 0, rowBytes: 0 };
  readonly violations = new Findings<Violation>(VIOLATIONS);
  inDoubtFound = 0;
  private readonly maker: DocumentMaker;

  constructor(
    private readonly settings: Treatment,
    seed: number,
    private readonly copies: ReadonlyMap<string, RowCounts>,
    private readonly updates: ReadonlyMap<string, DocumentUpdates>,
    /** True if all workers reported their writes, so that unknown rows are violations. */
    private readonly isWhole: boolean,
    /** True if the table keeps a text byte by byte, so that texts can be compared. */
    private readonly isTextPreserved: boolean,
  ) {
    this.maker = new DocumentMaker(settings, seed);
  }

  row({ id, version, text, documentBytes, rowBytes }: StoredDocument): void {
    this.sums.rows++;
    this.sums.documentBytes += documentBytes;
    this.sums.rowBytes += rowBytes;
    const document = tryParseJson(text);
    const inner = (document as { readonly id?: unknown } | null | undefined)?.id ?? keyInText(text);
    const key = id ?? (typeof inner === "string" ? inner : "(no id)");
    const copy = this.copies.get(key);
    if (copy) copy.seen++;
    const mayBeUnreportedInsert = !this.isWhole && parseKey(key)?.client !== undefined;
    if (copy || mayBeUnreportedInsert) this.content(key, version, { text, document });
    else this.violations.add("unexpected", key, this.unexpectedRowWords(key, inner));
  }

  private unexpectedRowWords(key: string, inner: unknown): string {
    const isOther = typeof inner === "string" && inner !== key && this.copies.has(inner);
    return `no insert has this id${isOther ? `; the row holds the document ${inner}` : ""}`;
  }

  private content(key: string, version: number, stored: StoredVersion): void {
    const { acknowledged = 0, versions = 0, last, inDoubt = [], unsettled = 0 } = this.updates.get(key) ?? {};
    this.inDoubtFound += Math.min(unsettled, Math.max(0, version - acknowledged));
    const most = acknowledged + inDoubt.length;
    // Only the worker of an insert knows its key, so only that worker updates the document.
    const isOfReportedInsert = this.copies.has(key) && parseKey(key)?.client !== undefined;
    if (version > most && !this.isWhole && !isOfReportedInsert) return;
    // Acknowledged updates make each version once. If the sum of versions differs, two updates made the same version and
    // one of them got lost.
    const isShared = version === acknowledged && versions !== (version * (version + 1)) / 2;
    const { violations } = this;
    if (version < acknowledged) {
      const words = `version ${version} after ${counted(acknowledged, "acknowledged update")}`;
      violations.add("undone", key, words, acknowledged - version);
    } else if (isShared) violations.add("undone", key, "two acknowledged updates made the same version");
    else if (version > most)
      violations.add("changed", key, `version ${version} after ${counted(most, "update")}`);
    else if (!this.possibleStamps(version, last, inDoubt).some((stamp) => this.isMade(key, stamp, stored))) {
      const maker =
        version === 0 ? "its insert" : last?.version === version ? `update ${last.stamp}` : "an update";
      const isJson = stored.document !== undefined;
      violations.add("changed", key, isJson ? `is not the document that ${maker} wrote` : "is no JSON");
    }
  }

  /** Stamps of the updates that may have made a version; one of undefined for the insert, which makes version 0. */
  private possibleStamps(
    version: number,
    last: DocumentUpdates["last"] | undefined,
    inDoubt: readonly string[],
  ): readonly (string | undefined)[] {
    if (version === 0) return [undefined];
    return last?.version === version ? [last.stamp] : inDoubt;
  }

  private isMade(key: string, stamp: string | undefined, { text, document }: StoredVersion): boolean {
    const { maker, settings } = this;
    const isWhole = stamp !== undefined && updateOf(settings) === "whole";
    const values = maker.values(isWhole ? stamp : key);
    if (stamp !== undefined && !isWhole) values[UPDATED_VALUE_INDEX] = maker.value(stamp);
    const expectedText = maker.json(key, values);
    // A relational row has the same values in the same order as a flat document.
    return this.isTextPreserved
      ? text === expectedText
      : isDeepStrictEqual(document, JSON.parse(expectedText));
  }

  /** Adds findings for keys whose number of rows its writes do not explain. Call it after the last row. */
  keys(): void {
    for (const [key, { least, most, seen }] of this.copies) {
      const writer = parseKey(key)?.client === undefined ? "preloaded" : "its insert was acknowledged";
      if (seen < least) this.violations.add("lost", key, `${writer}, and no row has it`);
      else if (seen > most && most === 0)
        this.violations.add("unexpected", key, "its insert failed, and a row has it");
      else if (seen > most) this.violations.add("duplicated", key, `${seen} rows have it`);
    }
  }
}

export async function audit(
  store: DocumentStore,
  admin: AdminSession,
  { settings, workerAccounts, unclosed, preloaded }: AuditInputs<Treatment>,
): Promise<AuditOutcome> {
  const { seed, documents } = Preloaded.parse(preloaded);
  const all = workerAccounts.map((one) => WorkerAccount.parse(one));
  const inserts = insertRowCounts(all);
  const updates = mergeUpdates(all);
  const copies = new Map(inserts);
  for (let number = 0; number < documents; number++)
    copies.set(preloadedKey(number), { least: 1, most: 1, seen: 0 });
  const isTextPreserved = store.preservesText?.(settings) ?? false;
  const check = new Check(settings, seed, copies, updates, unclosed.length === 0, isTextPreserved);
  for await (const stored of store.scan(admin, settings)) check.row(stored);
  check.keys();
  const { violations } = check;
  for (const { operation, key, rows } of all.flatMap(({ misreads }) => misreads))
    violations.name("misread", key, `${operation} found ${counted(rows, "row")}`);
  violations.counts.misread = all.reduce((sum, each) => sum + each.misread, 0);
  const acknowledgedInserts = [...inserts.values()].filter(({ least }) => least > 0).length;
  const acknowledgedUpdates = [...updates.values()].reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const doubtful = [...inserts.values()].filter(({ least, most }) => least === 0 && most > 0);
  const unsettled = [...updates.values()].reduce((sum, each) => sum + each.unsettled, 0);
  const { rows, documentBytes, rowBytes } = check.sums;
  const totals = {
    published: acknowledgedInserts + acknowledgedUpdates,
    inDoubt: doubtful.length + unsettled,
    inDoubtFound: doubtful.filter(({ seen }) => seen > 0).length + check.inDoubtFound,
    ...(rows > 0 && { documentBytes: documentBytes / rows, rowBytes: rowBytes / rows }),
  };
  const words = {
    lost: (n: number) => `${counted(n, "document")} not in the table`,
    unexpected: (n: number) => `${counted(n, "row")} in the table without an acknowledgement`,
    duplicated: (n: number) => `${counted(n, "document")} in the table more than once`,
    undone: (n: number) =>
      `${n} of ${counted(acknowledgedUpdates, "acknowledged update")} not in their documents`,
    changed: (n: number) => `${counted(n, "document")} not as the last update left them`,
    misread: (n: number) => `${counted(n, "statement")} found too few or too many documents`,
  };
  const notAudited = unclosed.map(
    (name) => `${name} ended without its account of writes: its last ones are unknown`,
  );
  return { findings: violations.result(totals, words, notAudited) };
}
