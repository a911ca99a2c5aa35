// The schema of the document refuses what is not one: other keys, other types, other lengths.
import { describe, expect, test } from "vitest";
import { DocumentGenerator } from "./document-generator.js";
import { EventDocument } from "./event.js";

function fresh(): EventDocument {
  return EventDocument.parse(JSON.parse(new DocumentGenerator(1, "schema").at(0).json));
}

describe("EventDocument", () => {
  test("takes a generated document unchanged", () => {
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
