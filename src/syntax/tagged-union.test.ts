import { describe, expect, expectTypeOf, it, test } from "vitest";
import * as z from "zod";
import { describeMembers, keysOf, taggedUnion, type Member } from "./tagged-union.js";

const WINGS = "has wings";
const MEMBERS = [
  {
    name: "boat",
    description: "swims",
    keys: { crew: z.int().optional().meta({ description: "Of the boat. Default 2." }) },
    lacks: { span: "a boat has a hull" },
  },
  {
    name: "plane",
    description: WINGS,
    keys: {
      crew: z.int().optional().meta({ description: "Of the plane. Default 2." }),
      span: z.number().meta({ description: "Of its wings." }),
    },
  },
  { name: "kite", description: WINGS, keys: { span: z.number().meta({ description: "Of its wings." }) } },
  { name: "glider", description: WINGS, keys: { line: z.boolean().optional() } },
] as const satisfies readonly Member[];

const kind = z.enum(["boat", "plane", "kite", "glider"]);
const Vehicle = taggedUnion({ tag: "kind", common: { at: z.number(), kind }, members: MEMBERS });
const Choice = taggedUnion({
  tag: "kind",
  common: { kind: kind.optional() },
  members: MEMBERS,
  vocabulary: { span: z.number() },
  words: { lack: ({ name }, key) => `a ${name} without ${key}` },
  chosenName: ({ span }) => (span === undefined ? "boat" : "kite"),
});

const issuesOf = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

test("a tagged union accepts a member's keys and narrows the type by its tag", () => {
  const plane = Vehicle.parse({ at: 1, kind: "plane", span: 9 });
  expect(plane).toEqual({ at: 1, kind: "plane", span: 9 });
  if (plane.kind === "plane") expectTypeOf(plane.span).toEqualTypeOf<number>();
  if (plane.kind === "boat") expectTypeOf(plane).not.toHaveProperty("span");
});

describe("a value that breaks a tagged union", () => {
  it.each([
    [
      "the members that take a misplaced key, and the keys of its member",
      { at: 1, kind: "kite", span: 1, crew: 1 },
      ["crew: belongs to kind boat or plane, not to kite; kite takes span"],
    ],
    [
      "the reason why a member lacks a key",
      { at: 1, kind: "boat", span: 1 },
      ["span: belongs to kind plane or kite, not to boat: a boat has a hull"],
    ],
    ["a missing required key", { at: 1, kind: "kite" }, [": kind kite needs span"]],
    [
      "a misplaced key, a missing key and a wrong value together",
      { at: "x", kind: "plane", line: true },
      [
        "at: Invalid input: expected number, received string",
        "line: belongs to kind glider, not to plane; plane takes crew, span",
        ": kind plane needs span",
      ],
    ],
    [
      "only the tag and unknown keys if the tag is misspelt",
      { at: 1, kinds: "kite" },
      ['kind: Invalid option: expected one of "boat"|"plane"|"kite"|"glider"', ': Unrecognized key: "kinds"'],
    ],
  ])("reports %s", (_, value, issues) => {
    expect(issuesOf(Vehicle, value)).toEqual(issues);
  });
});

test("a tagged union infers an absent tag from the keys", () => {
  expect(Choice.parse({})).toEqual({ kind: "boat" });
  expect(Choice.parse({ span: 2 })).toEqual({ kind: "kite", span: 2 });
  expect(issuesOf(Choice, { crew: 1, line: true })).toEqual([
    "line: belongs to kind glider, not to boat; boat takes crew",
  ]);
  expect(issuesOf(Choice, { spam: 1, line: true }), "a misspelt key").toEqual([': Unrecognized key: "spam"']);
});

test("a tagged union with custom words does not list shared keys as a member's own", () => {
  expect(issuesOf(Choice, { kind: "kite" })).toEqual([": a kite without span"]);
  expect(issuesOf(Choice, { kind: "kite", span: 1, crew: 1 })).toEqual([
    "crew: belongs to kind boat or plane, not to kite",
  ]);
});

test("the JSON Schema of a tagged union is one mapping whose keys name their members", () => {
  const { properties = {}, required } = z.toJSONSchema(Vehicle, { io: "input" });
  expect(required).toEqual(["at", "kind"]);
  const descriptions = Object.entries(properties).map(([key, node]) => [
    key,
    (node as z.core.JSONSchema.JSONSchema).description,
  ]);
  expect(Object.fromEntries(descriptions)).toMatchObject({
    crew: "Of the boat. Of the plane. Default 2. Kinds boat and plane only.",
    span: "Of its wings. Kinds plane and kite only, which need it.",
    line: "Kind glider only.",
  });
  expect(Object.keys(z.toJSONSchema(Choice, { io: "input" }).properties ?? {})).toEqual([
    "kind",
    "span",
    "crew",
    "line",
  ]);
});

test("the JSON Schema of a key that all but one member take names the exception", () => {
  const names = ["bike", "cart", "kite", "sled", "tram", "ship"] as const;
  const members = names.map((name) => ({
    name,
    description: "moves",
    keys: name === "kite" ? {} : { brake: z.boolean().optional() },
  }));
  const Many = taggedUnion({ tag: "kind", common: { kind: z.enum(names) }, members });
  expect(z.toJSONSchema(Many, { io: "input" }).properties?.["brake"]).toMatchObject({
    description: "Not kind kite.",
  });
});

test("members are described together if their descriptions are equal, with required and optional keys", () => {
  expect(describeMembers(MEMBERS)).toBe(`boat: swims; plane, kite, glider: ${WINGS}`);
  expect(keysOf(MEMBERS[1])).toEqual({ needs: ["span"], takes: ["crew"] });
});
