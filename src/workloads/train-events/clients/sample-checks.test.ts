import { describe, expect, it } from "vitest";
import { DocumentGenerator } from "../model/document-generator.js";
import { EventBatch } from "../model/event-batch.js";
import type { StatementRow } from "../../../database/sql.js";
import type { Validation } from "../settings.js";
import type { ClaimedPass, LiveDocument, Verification } from "../store.js";
import type { DrawnQuestion } from "./question-drawer.js";
import { SampleChecker } from "./sample-checks.js";

const LOCKED_MOST = 3;

interface Tables {
  readonly passedOver?: readonly string[];
  readonly documents?: readonly LiveDocument[];
  /** False if the checks' own queries of the tables fail. */
  readonly isThere?: boolean;
}

function checkerOf({ passedOver = [], documents = [], isThere = true }: Tables, validate: Validation) {
  const verification: Verification = {
    idsNewerThan: async () => [],
    isLive: async () => true,
    passedOverIds: async () => [...passedOver],
    documents: async () => documents,
  };
  return new SampleChecker({
    verification,
    lookAside: async (_, look) => (isThere ? look({} as Parameters<typeof look>[0]) : undefined),
    lifecycle: { wasPublishedBefore: (id) => !id.startsWith("new") },
    seed: 1,
    lockedEventsMax: LOCKED_MOST,
    validate,
  });
}

async function checkClaim(
  passes: readonly ClaimedPass[],
  limit: number,
  tables: Tables = {},
  validate: Validation = "off",
) {
  const checker = checkerOf(tables, validate);
  await checker.claim({ client: 0, startedMs: 0, limit, passes });
  return checker.total();
}

const pass = (id: string, was: ClaimedPass["was"] = "PENDING", payload?: string): ClaimedPass => ({
  id,
  was,
  status: "PROCESSING",
  ...(payload !== undefined && { payload }),
});

describe("the check of a sampled answer", () => {
  const live = "0199aaaa-bbbb-7ccc-8ddd-eeeeffff0001";
  const probe = { question: { kind: "id", id: live }, id: live } as const;
  const checkAnswer = async (
    rows: readonly StatementRow[],
    isThere = true,
    of: Pick<DrawnQuestion, "question" | "id"> = probe,
  ) => {
    const checker = checkerOf({ isThere }, "off");
    await checker.answer(0, of, rows);
    return checker.total();
  };

  it("accepts an answer with the sought event, and reports an answer without the sought event", async () => {
    expect(await checkAnswer([[live, "", "{}"]])).toMatchObject({
      reads: { sampled: 1, verified: 1 },
      misread: 0,
    });
    expect(await checkAnswer([])).toMatchObject({ misread: 1, named: [{ kind: "misread", id: live }] });
  });

  it("finds a wrong row even if the tables cannot be read", async () => {
    expect(await checkAnswer([["other", "", "{}"]], false)).toMatchObject({
      reads: { sampled: 1, verified: 0 },
      misread: 1,
      named: [{ id: "other" }],
    });
  });

  it("verifies nothing if the question is about no event that was seen", async () => {
    expect(await checkAnswer([], true, { question: probe.question })).toMatchObject({
      reads: { sampled: 1, verified: 0 },
      misread: 0,
    });
  });
});

describe("the check of a sampled claim", () => {
  it("accepts a claim in key order and within its limit if locks can explain the events passed over", async () => {
    const passedOver = ["x", "y", "z", "new1", "new2"];
    const total = await checkClaim([pass("a"), pass("b", "PROCESSING")], 2, { passedOver });
    expect(total).toMatchObject({ claims: { sampled: 1, verified: 1 }, misclaimed: 0 });
  });

  it("finds a claim that passed over more events than can be locked", async () => {
    const total = await checkClaim([pass("a")], 2, { passedOver: ["w", "x", "y", "z"] });
    expect(total).toMatchObject({ misclaimed: 1, named: [{ kind: "misclaimed", id: "w" }] });
  });

  it.each([
    { passes: [pass("a"), pass("b")], limit: 1, id: "b" },
    { passes: [pass("a", "COMPLETE")], limit: 2, id: "a" },
    { passes: [pass("a"), pass("a")], limit: 2, id: "a" },
    { passes: [pass("b"), pass("a")], limit: 2, id: "a" },
  ])(
    "finds a claim of $passes.length events by event $id alone, without the tables",
    async ({ passes, limit, id }) => {
      expect(await checkClaim(passes, limit)).toMatchObject({ misclaimed: 1, named: [{ id }] });
    },
  );

  it("verifies nothing if the tables cannot be read, and ignores a claim without events", async () => {
    const unknown = await checkClaim([pass("a")], 1, { isThere: false });
    expect(unknown).toMatchObject({ claims: { sampled: 1, verified: 0 } });
    expect(await checkClaim([], 1)).toMatchObject({ claims: { sampled: 0, verified: 0 } });
  });

  it("samples all of the first claims, then ever fewer, and finally one in a hundred", async () => {
    const checker = checkerOf({}, "off");
    const sampledOf = async (claims: number): Promise<number> => {
      const before = checker.total().claims.sampled;
      for (let i = 0; i < claims; i++)
        await checker.claim({ client: 0, startedMs: 0, limit: 1, passes: [pass("a")] });
      return checker.total().claims.sampled - before;
    };
    expect(await sampledOf(20)).toBe(20);
    const early = await sampledOf(180);
    expect(early).toBeGreaterThan(25); // 46 are expected
    expect(early).toBeLessThan(70);
    await sampledOf(1800);
    const late = await sampledOf(20_000);
    expect(late).toBeGreaterThan(130); // 200 are expected
    expect(late).toBeLessThan(270);
  });
});

const generator = new DocumentGenerator(1, "validated");
const DOCUMENT = generator.at(0).json;
const INVALID = DOCUMENT.replace('"confidence":0.', '"confidence":7.');
const id = (n: number): string => `0199aaaa-bbbb-7ccc-8ddd-eeeeffff00${String(n).padStart(2, "0")}`;

describe("validation of sampled documents", () => {
  it("finds claimed documents that are invalid or no JSON", async () => {
    const passes = [
      pass("a", "PENDING", DOCUMENT),
      pass("b", "PENDING", INVALID),
      pass("c", "PENDING", DOCUMENT.slice(0, 99)),
    ];
    expect(await checkClaim(passes, 3, {}, "all")).toMatchObject({
      validated: { made: 0, claimed: 3 },
      invalid: 2,
      named: [
        { kind: "invalid", id: "b", words: "its document was invalid at metrics.confidence when claimed" },
        { kind: "invalid", id: "c", words: "its document was no JSON when claimed" },
      ],
    });
  });

  it("looks documents up if the claim does not return documents", async () => {
    const documents = [
      { id: "a", payload: DOCUMENT },
      { id: "b", payload: INVALID },
    ];
    const passes = [pass("a"), pass("b"), pass("c")];
    const total = await checkClaim(passes, 3, { documents }, "sample");
    expect(total).toMatchObject({ validated: { claimed: 2 }, invalid: 1, named: [{ id: "b" }] });
    expect(await checkClaim(passes, 3, { documents, isThere: false }, "all")).toMatchObject({
      validated: { claimed: 0 },
    });
  });

  it("finds invalid documents among all made documents, or among one in a hundred", () => {
    const events = Array.from({ length: 100 }, (_, n) => {
      const { json, ...columns } = generator.at(n);
      const payload = n === 42 ? json.replace('"confidence":0.', '"confidence":7.') : json;
      return { ...columns, id: id(n), payload };
    });
    const batch = EventBatch.of(events);
    const all = checkerOf({}, "all");
    all.documents.holdMade(batch);
    expect(all.total()).toMatchObject({ validated: { made: 100 }, invalid: 1, named: [{ id: id(42) }] });
    const sample = checkerOf({}, "sample");
    for (let i = 0; i < 100; i++) sample.documents.holdMade(batch);
    expect(sample.total().validated.made).toBeGreaterThan(60); // 100 are expected
    expect(sample.total().validated.made).toBeLessThan(140);
  });

  it("validates a random part of a sample of more than 2 000 000 characters", () => {
    const checker = checkerOf({}, "sample");
    const valid = DOCUMENT.padEnd(1000);
    for (let i = 0; i < 4000; i++)
      checker.documents.hold("claimed", id(0), i < 2000 ? valid : valid.replace("{", "["));
    const { validated, invalid } = checker.total();
    expect(validated.claimed).toBe(2000);
    expect(invalid).toBeGreaterThan(900); // 1000 are expected
    expect(invalid).toBeLessThan(1100);
  });

  it("validates nothing if validation is off", async () => {
    const { json, ...columns } = generator.at(0);
    const checker = checkerOf({}, "off");
    checker.documents.holdMade(EventBatch.of([{ ...columns, id: id(0), payload: json.slice(1) }]));
    await checker.claim({ client: 0, startedMs: 0, limit: 1, passes: [pass("a", "PENDING", INVALID)] });
    expect(checker.total()).toMatchObject({ validated: { made: 0, claimed: 0 }, invalid: 0, named: [] });
  });
});
