import { describe, expect, test } from "vitest";
import { DocumentGenerator } from "./document-generator.js";
import { applyBusinessRule } from "./business-rules.js";
import { EventDocument, invalidityOf } from "./event.js";
import { EventStatus } from "./lifecycle.js";

function fresh(): EventDocument {
  return EventDocument.parse(JSON.parse(new DocumentGenerator(1, "schema").at(0).json));
}

describe("the schema of event documents", () => {
  test("accepts a generated document unchanged", () => {
    const { json } = new DocumentGenerator(1, "schema").at(0);
    expect(EventDocument.parse(JSON.parse(json))).toEqual(JSON.parse(json));
  });

  test.each([
    ["an unknown key", { ...fresh(), speed: 1 }],
    ["an unknown event type", { ...fresh(), eventType: "TRAIN_LOST" }],
    ["an unknown state", { ...fresh(), state: "DONE" }],
    ["an authority that is no UUID", { ...fresh(), authorityId: "17" }],
    ["two segments", { ...fresh(), route: { ...fresh().route, segments: fresh().route.segments.slice(1) } }],
    ["a confidence above 1", { ...fresh(), metrics: { ...fresh().metrics, confidence: 1.5 } }],
    ["a train without its day", { ...fresh(), train: { ...fresh().train, trainId: "RR-01-12345" } }],
    ["a missing part", { ...fresh(), meta: undefined }],
  ])("refuses %s", (_, document) => {
    expect(EventDocument.safeParse(document).success).toBe(false);
  });
});

describe("invalidityOf", () => {
  const secret = "s3cret";
  const { train, route, ...rest } = fresh();

  test.each([
    ["no JSON", JSON.stringify(fresh()).slice(0, 500)],
    ["no JSON", ""],
    ["invalid at the whole document", "17"],
    ["invalid at the whole document", JSON.stringify({ ...fresh(), [secret]: 1 })],
    ["invalid at train.trainId", JSON.stringify({ ...rest, route, train: { ...train, trainId: secret } })],
    ["invalid at eventType, authorityId, deviceKey, state, createdAt and 5 more", JSON.stringify({ secret })],
    [
      "invalid at route.segments.1.direction",
      JSON.stringify(fresh()).replace(/("direction":"\w+".*?"direction":")\w+/, `$1${secret}`),
    ],
  ])("names the paths of invalid values without the values: %s", (words, text) => {
    expect(invalidityOf(text)).toBe(words);
  });

  test("accepts documents of each type, generated and processed", () => {
    const generator = new DocumentGenerator(1, "schema");
    for (let n = 0; n < 500; n++) {
      const { json } = generator.at(n);
      expect(invalidityOf(json)).toBeUndefined();
      for (const status of EventStatus.options)
        expect(invalidityOf(applyBusinessRule(json, status))).toBeUndefined();
    }
  });
});
