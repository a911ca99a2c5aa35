// One suite of behaviours that every store of documents must show.
import { describe, expect, it } from "vitest";
import type { AdminSession } from "../../../src/database/contract.js";
import type { Session } from "../../../src/database/session.js";
import {
  DocumentMaker,
  insertedKey,
  preloadedKey,
  unwrappedRowsOf,
  type Shape,
} from "../../../src/workloads/documents/document.js";
import type { Treatment } from "../../../src/workloads/documents/settings.js";
import type { Document, DocumentStore, StoredDocument } from "../../../src/workloads/documents/store.js";
import type { Mapping } from "../../../src/syntax/paths.js";
import { FOUND_AS, type ChangeKind } from "./family.js";
import { doubtingOn, SEED, type AuditedTrial, type RunOn } from "./trial.js";

/** An empty store, with a session for clients and a session for train-sim itself. */
export interface OpenStore {
  readonly store: DocumentStore;
  readonly session: Session;
  readonly admin: AdminSession;
  readonly settings: Treatment;
}

export interface TriedStore {
  open(own: Mapping): Promise<OpenStore>;
  /** Runs the clients' iterations; resolves to the trial. */
  runTrial(runOn?: RunOn): Promise<AuditedTrial>;
  /** Shapes whose documents the store unwraps. Default: all. */
  readonly unwrapped?: readonly Shape[];
  /** Changes stored documents as the kind of change requires. */
  change(kind: ChangeKind, trial: AuditedTrial): Promise<void>;
}

const KEYS = [preloadedKey(0), preloadedKey(1), insertedKey(0, 0)] as const;
const [FIRST, SECOND, INSERTED] = KEYS;

async function storedIn({ store, admin, settings }: OpenStore): Promise<StoredDocument[]> {
  const stored: StoredDocument[] = [];
  for await (const document of store.scan(admin, settings)) stored.push(document);
  return stored.sort((a, b) => ((a.id ?? "") < (b.id ?? "") ? -1 : 1));
}

/** Document with that key as the preload or an insert made it. */
function makeDocument(settings: Treatment, key: string, name = key): Document {
  const maker = new DocumentMaker(settings, SEED);
  const values = maker.values(name);
  return { key, values, json: maker.json(key, values) };
}

async function fillStore(tried: TriedStore, own: Mapping): Promise<OpenStore> {
  const opened = await tried.open(own);
  const { store, admin, settings } = opened;
  await store.fill(
    admin,
    settings,
    [FIRST, SECOND].map((key) => [makeDocument(settings, key).json]),
  );
  return opened;
}

export function describeDocumentStore(name: string, tried: TriedStore): void {
  describe(`documents in ${name}`, () => {
    it("are found only by the keys that were preloaded or inserted", async () => {
      const opened = await fillStore(tried, { shape: "large", mix: { slice: 1 } });
      const { store, session, settings } = opened;
      const operations = store.operations(settings);
      expect(await operations.isThere(INSERTED)(session)).toBe(false);
      expect(await operations.insert(makeDocument(settings, INSERTED))(session)).toBe(true);
      for (const key of KEYS) {
        expect(await operations.read(key)(session)).toHaveLength(1);
        expect(await operations.slice(key)(session)).toHaveLength(1);
        expect(await operations.isThere(key)(session)).toBe(true);
      }
      expect(await operations.read(preloadedKey(9))(session)).toEqual([]);
      const stored = await storedIn(opened);
      expect(stored.map(({ id, version }) => [id, version])).toEqual([...KEYS].sort().map((key) => [key, 0]));
      for (const { id = "", text } of stored)
        expect(JSON.parse(text)).toEqual(JSON.parse(makeDocument(settings, id).json));
    });

    it.each(["small", "array"] as const)(
      "of shape %s are scanned in the order of ids, and unwrapped into rows",
      async (shape) => {
        const { store, session, settings } = await fillStore(tried, { shape });
        const operations = store.operations(settings);
        await operations.insert(makeDocument(settings, INSERTED))(session);
        const scan = async (key: string, length: number) =>
          (await operations.scan(key, length)(session)).length;
        expect(await scan(FIRST, 1)).toBe(1);
        expect(await scan(FIRST, 9)).toBe(2);
        expect(await scan(SECOND, 9)).toBe(1);
        expect(await scan(INSERTED, 9)).toBe(3);
        if (tried.unwrapped?.includes(shape) === false) return;
        expect(await operations.unwrap(SECOND)(session)).toHaveLength(unwrappedRowsOf(shape));
        expect(await operations.unwrap(preloadedKey(9))(session)).toEqual([]);
      },
    );

    it.each(["jsonb_set", "whole"])("count each update with %s", async (update) => {
      const opened = await fillStore(tried, { update });
      const { store, session, settings } = opened;
      const operations = store.operations(settings);
      const change = (stamp: string): Document | string =>
        update === "whole"
          ? makeDocument(settings, FIRST, stamp)
          : new DocumentMaker(settings, SEED).value(stamp);
      expect(await operations.update(FIRST, change("u0-0"))(session)).toEqual([1]);
      expect(await operations.update(FIRST, change("u0-1"))(session)).toEqual([2]);
      expect(await operations.update(preloadedKey(9), change("u0-2"))(session)).toEqual([]);
      expect(await operations.modify(FIRST, change("u0-3"))(session)).toEqual([3]);
      const [first, second] = await storedIn(opened);
      expect([first?.version, second?.version]).toEqual([3, 0]);
      expect(first?.text).not.toBe(makeDocument(settings, FIRST).json);
    });

    it("pass the audit if all acknowledged work is there and nothing else", async () => {
      const found = await (await tried.runTrial()).audit();
      expect(found).toMatchObject({ verdict: "ok", violations: [], inDoubt: 0, named: [] });
      expect(found.published).toBeGreaterThan(5);
    });

    it.each([true, false])("pass the audit with a commit in doubt that happened: %s", async (happens) => {
      const found = await (await tried.runTrial((connection) => doubtingOn(connection, happens))).audit();
      expect(found).toMatchObject({ verdict: "ok", violations: [] });
      expect(found).toMatchObject({ inDoubtFound: happens ? found.inDoubt : 0 });
    });

    it.each(Object.keys(FOUND_AS) as ChangeKind[])("fail the audit if they are %s", async (kind) => {
      const trial = await tried.runTrial();
      await tried.change(kind, trial);
      const found = await trial.audit();
      expect(found.verdict).toBe("violated");
      expect(found.named?.map((each) => each.kind)).toContain(FOUND_AS[kind]);
    });
  });
}
