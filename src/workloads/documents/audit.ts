// What must hold after a trial: the table has each document that was there before or whose insert was acknowledged, once,
// and no other but those in doubt; each is what the last update made of it, and shows every acknowledged one.
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { AdminClient } from "../../database/admin.js";
import { counted } from "../../foundation/units.js";
import type { Audited, AuditInputs } from "../workload.js";
import { Told } from "./client.js";
import { DocumentMaker, insertedKey, parseKey, preloadedKey, UPDATED } from "./document.js";
import { updateOf, type Treatment } from "./settings.js";
import { auditText } from "./sql.js";

const bytes = z.number().min(0).optional();

export const findings = {
  documentBytes: bytes.describe("Mean pg_column_size of a document, of workload documents"),
  rowBytes: bytes.describe("Mean pg_column_size of a row, what is in TOAST included, of workload documents"),
};

/** What the audit is to know of the preload. */
export const Preloaded = z.object({ seed: z.int(), documents: z.int().min(0) });

/** Bytes of one portion of rows, about. */
const PORTION_BYTES = 4 * 1024 ** 2;

/** How often a document may be there. */
interface Copies {
  readonly least: number;
  /** Those in doubt included. */
  readonly most: number;
  seen: number;
}

type Updates = z.infer<typeof Told>["updates"][number];

function allInserts(told: readonly z.infer<typeof Told>[]): Map<string, Copies> {
  const copies = new Map<string, Copies>();
  for (const { client, sent, failed, inDoubt } of told.flatMap(({ inserts }) => inserts)) {
    const notAcknowledged = new Set(failed);
    const doubts = new Map<number, number>();
    for (const number of inDoubt) doubts.set(number, (doubts.get(number) ?? 0) + 1);
    for (let number = 0; number < sent; number++) {
      const least = notAcknowledged.has(number) ? 0 : 1;
      const most = least + (doubts.get(number) ?? 0);
      copies.set(insertedKey(client, number), { least, most, seen: 0 });
    }
  }
  return copies;
}

function allUpdates(told: readonly z.infer<typeof Told>[]): Map<number, Updates> {
  const updates = new Map<number, Updates>();
  for (const each of told.flatMap((one) => one.updates)) {
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

/** What a row is held to. */
class Check {
  readonly sums = { rows: 0, documentBytes: 0, rowBytes: 0 };
  readonly found = { unexpected: 0, undone: 0, changed: 0, inDoubt: 0 };
  private readonly maker: DocumentMaker;

  constructor(
    private readonly settings: Treatment,
    seed: number,
    private readonly copies: ReadonlyMap<string, Copies>,
    private readonly updates: ReadonlyMap<number, Updates>,
    /** Whether all clients have said what they did. */
    private readonly isWhole: boolean,
  ) {
    this.maker = new DocumentMaker(settings, seed);
  }

  row(version: number, text: string): void {
    const document: unknown = JSON.parse(text);
    const key = String((document as { readonly id?: unknown } | null)?.id);
    const known = this.copies.get(key);
    if (known) known.seen++;
    const isOfOthers = !this.isWhole && parseKey(key)?.client !== undefined;
    if (!known && !isOfOthers) this.found.unexpected++;
    else this.content(key, version, document);
  }

  private content(key: string, version: number, document: unknown): void {
    const { client, number = 0 } = parseKey(key) ?? {};
    const updates = client === undefined ? this.updates.get(number) : undefined;
    const { acknowledged = 0, versions = 0, last, inDoubt = [], unsettled = 0 } = updates ?? {};
    this.found.inDoubt += Math.min(unsettled, Math.max(0, version - acknowledged));
    const isBeyond = version > acknowledged + inDoubt.length;
    if (isBeyond && !this.isWhole && client === undefined) return;
    // Each version once: two updates that made the same one did not see each other.
    const isShared = version === acknowledged && versions !== (version * (version + 1)) / 2;
    if (version < acknowledged) this.found.undone += acknowledged - version;
    else if (isShared) this.found.undone++;
    else if (
      isBeyond ||
      !this.stamps(version, last, inDoubt).some((stamp) => this.isMade(key, stamp, document))
    )
      this.found.changed++;
  }

  /** Of updates that may have made that version; undefined where there was none. */
  private stamps(
    version: number,
    last: Updates["last"] | undefined,
    inDoubt: readonly string[],
  ): readonly (string | undefined)[] {
    if (version === 0) return [undefined];
    return last?.version === version ? [last.stamp] : inDoubt;
  }

  private isMade(key: string, stamp: string | undefined, document: unknown): boolean {
    const { maker, settings } = this;
    const isWhole = stamp !== undefined && updateOf(settings) === "whole";
    const values = maker.values(isWhole ? stamp : key);
    if (stamp !== undefined && !isWhole) values[UPDATED] = maker.value(stamp);
    // What a relational row has, in order, is what a flat document has.
    return isDeepStrictEqual(document, JSON.parse(maker.json(key, values)));
  }
}

async function scan(admin: AdminClient, settings: Treatment, check: Check): Promise<void> {
  const { sums } = check;
  let portion = 100;
  await admin.query(`BEGIN; DECLARE audited NO SCROLL CURSOR FOR ${auditText(settings)}`);
  try {
    for (;;) {
      const rows = await admin.query(`FETCH ${portion} FROM audited`);
      if (rows.length === 0) return;
      for (const { version, document, document_bytes: stored, row_bytes: row } of rows) {
        check.row(Number(version), String(document));
        sums.rows++;
        sums.documentBytes += Number(stored);
        sums.rowBytes += Number(row);
      }
      portion = Math.max(1, Math.ceil((PORTION_BYTES * sums.rows) / sums.rowBytes));
    }
  } finally {
    await admin.query("ROLLBACK");
  }
}

export async function audit(
  admin: AdminClient,
  { settings, told, unclosed, preloaded }: AuditInputs<Treatment>,
): Promise<Audited> {
  const { seed, documents } = Preloaded.parse(preloaded);
  const all = told.map((one) => Told.parse(one));
  const inserts = allInserts(all);
  const updates = allUpdates(all);
  const copies = new Map(inserts);
  for (let number = 0; number < documents; number++)
    copies.set(preloadedKey(number), { least: 1, most: 1, seen: 0 });
  const check = new Check(settings, seed, copies, updates, unclosed.length === 0);
  await scan(admin, settings, check);

  const lost = [...copies.values()].filter(({ least, seen }) => seen < least).length;
  const surplus = ({ most, seen }: Copies): number => Math.max(0, seen - most);
  const among = [...copies.values()].filter((each) => surplus(each) > 0);
  const duplicated = among.filter(({ most }) => most > 0).length;
  const unexpected = check.found.unexpected + among.filter(({ most }) => most === 0).length;
  const misread = all.reduce((sum, each) => sum + each.misread, 0);
  const { undone, changed } = check.found;
  const acknowledgedInserts = [...inserts.values()].filter(({ least }) => least > 0).length;
  const acknowledgedUpdates = [...updates.values()].reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const doubtful = [...inserts.values()].filter(({ least, most }) => least === 0 && most > 0);
  const unsettled = [...updates.values()].reduce((sum, each) => sum + each.unsettled, 0);
  const { rows, documentBytes, rowBytes } = check.sums;
  const violations = [
    ...(lost > 0 ? [`${counted(lost, "document")} not in the table`] : []),
    ...(unexpected > 0 ? [`${counted(unexpected, "row")} in the table without an acknowledgement`] : []),
    ...(duplicated > 0 ? [`${counted(duplicated, "document")} in the table more than once`] : []),
    ...(undone > 0
      ? [`${undone} of ${counted(acknowledgedUpdates, "acknowledged update")} not in their documents`]
      : []),
    ...(changed > 0 ? [`${counted(changed, "document")} not as the last update left them`] : []),
    ...(misread > 0 ? [`${counted(misread, "statement")} found no document, or several`] : []),
  ];
  const found = {
    verdict: violations.length > 0 ? ("violated" as const) : ("ok" as const),
    published: acknowledgedInserts + acknowledgedUpdates,
    inDoubt: doubtful.length + unsettled,
    inDoubtFound: doubtful.filter(({ seen }) => seen > 0).length + check.found.inDoubt,
    ...{ lost, unexpected, duplicated, undone, changed, misread },
    ...(rows > 0 && { documentBytes: documentBytes / rows, rowBytes: rowBytes / rows }),
    violations,
    notAudited: unclosed.map(
      (name) => `${name} ended without its account of writes: its last ones are unknown`,
    ),
  };
  return { findings: found };
}
