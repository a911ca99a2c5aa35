import * as z from "zod";
import { formatSize } from "../../foundation/units.js";
import type { Finding } from "../../syntax/problems.js";
import { size } from "../../syntax/scalars.js";
import { databaseOfUrl } from "../../database/registry.js";
import { resolveTarget, type TargetInput } from "../../targets/registry.js";
import type { WorkloadTreatment } from "../workload.js";
import {
  isNested,
  leastBytesOf,
  longestValueOf,
  SHAPE_NAMES,
  CONTENTS,
  type Shape,
  type Content,
} from "./document.js";
import { defaultStorageRule } from "../common-rules.js";

const DOCUMENT_STORAGE_FORMS = ["jsonb", "json", "text", "relational"] as const;
const INDEXES = [
  "none",
  "btree-id",
  "generated-stored",
  "generated-virtual",
  "expression",
  "multicolumn",
  "gin",
  "gin-path-ops",
] as const;
const TOASTS = ["extended", "external", "main"] as const;
const UPDATES = ["jsonb_set", "json_set", "whole", "column"] as const;
const KEY_DISTRIBUTIONS = ["uniform", "zipfian", "latest"] as const;
export const OPERATIONS = ["read", "insert", "update", "modify", "scan", "slice", "unwrap"] as const;
export type Operation = (typeof OPERATIONS)[number];
type Weights = Readonly<Record<Operation, number>>;

const NO_WEIGHTS: Weights = { read: 0, insert: 0, update: 0, modify: 0, scan: 0, slice: 0, unwrap: 0 };
const MIXES = {
  A: { ...NO_WEIGHTS, read: 50, update: 50 },
  B: { ...NO_WEIGHTS, read: 95, update: 5 },
  C: { ...NO_WEIGHTS, read: 1 },
  D: { ...NO_WEIGHTS, read: 95, insert: 5 },
  E: { ...NO_WEIGHTS, scan: 95, insert: 5 },
  F: { ...NO_WEIGHTS, read: 50, modify: 50 },
  load: { ...NO_WEIGHTS, insert: 1 },
  slice: { ...NO_WEIGHTS, slice: 1 },
  unwrap: { ...NO_WEIGHTS, unwrap: 1 },
} as const;
const MIX_NAMES = Object.keys(MIXES) as (keyof typeof MIXES)[];

const DOCUMENT_BYTES_MIN = 256;
const DOCUMENT_BYTES_MAX = 1024 ** 2;
/** Largest number of documents: the audit keeps all keys in memory. */
const DOCUMENTS_MAX = 1_000_000;
/** Greatest length of a value, in characters, for which two values and an id fit into a B-tree entry: a third of a page. */
const INDEXED_VALUE_MAX = 1300;

const weight = (what: string) =>
  z
    .number()
    .min(0)
    .max(1e6)
    .default(0)
    .meta({ description: `Weight of ${what}. Default 0.` });

export const keys = {
  column: z
    .enum(DOCUMENT_STORAGE_FORMS)
    .optional()
    .meta({
      description:
        "Storage of documents: one column of type jsonb, json or text; or relational, a text column for each value. " +
        "Default: jsonb in PostgreSQL, json in MySQL and MariaDB.",
    }),
  index: z
    .enum(INDEXES)
    .default("btree-id")
    .meta({
      description:
        "Access to documents. none: by a scan; btree-id: by a primary key column; generated-stored, generated-virtual: by a " +
        "unique key column that the server generates from the document; expression: by a unique index on " +
        "data->>'id'; multicolumn: by an index on data->>'id' and the first two values; gin, gin-path-ops: by a GIN index " +
        "on the document (jsonb_ops, jsonb_path_ops). Default btree-id.",
    }),
  shape: z
    .enum(SHAPE_NAMES)
    .default("small")
    .meta({
      description:
        "Values of a document. small: 10 of 100 characters; large: 100 of 200; complex: 100 of 100, in 3 levels; array: " +
        "100 of 100, in one array. Default small.",
    }),
  content: z.enum(CONTENTS).default("random").meta({
    description:
      "Text of the values. random: printable characters, which do not compress; words: 32 words, which compress. Default random.",
  }),
  bytes: size(
    "Size of a document as JSON, to the byte: values are shortened or lengthened. Default: the size of the shape.",
    DOCUMENT_BYTES_MIN,
    DOCUMENT_BYTES_MAX,
  ).optional(),
  toast: z
    .enum(TOASTS)
    .default("extended")
    .meta({
      description:
        "Storage of the document's column. extended: compressed, then moved to TOAST; external: moved uncompressed; main: " +
        "compressed, and kept in the row while it fits. Default extended.",
    }),
  update: z
    .enum(UPDATES)
    .optional()
    .meta({
      description:
        "Part that an update changes. jsonb_set: one value within jsonb; json_set: one value within json of MySQL or " +
        "MariaDB; column: one column of relational; whole: the whole document. Default: the first of these that the " +
        "column allows.",
    }),
  parse: z
    .enum(["literal", "build-object"])
    .default("literal")
    .meta({
      description:
        "How the server makes the jsonb of a statement. literal: it parses a text; build-object: jsonb_build_object makes it " +
        "from members that are parameters. Default literal.",
    }),
  slice: z.enum(["paths", "record"]).default("paths").meta({
    description:
      "How a slice reads 10 of 100 values. paths: an expression each; record: jsonb_to_record once. Default paths.",
  }),
  mix: z
    .union([
      z.enum(MIX_NAMES),
      z.strictObject({
        read: weight("read, which reads a document"),
        insert: weight("insert, which adds a document"),
        update: weight("update, which changes a document"),
        modify: weight("modify, which reads a document and then updates it"),
        scan: weight("scan, which reads 1 to 100 documents in the order of ids"),
        slice: weight("slice, which reads 10 of 100 values"),
        unwrap: weight("unwrap, which makes a row of each member or element"),
      }),
    ])
    .default("A")
    .transform((mix) => (typeof mix === "string" ? MIXES[mix] : mix))
    .meta({
      description:
        "Mix of operations. A: 50 % read, 50 % update; B: 95 % read, 5 % update; C: read; D: 95 % read, 5 % insert; E: " +
        "95 % scan, 5 % insert; F: 50 % read, 50 % modify; load: insert; slice; unwrap; or a weight for each. Default A.",
    }),
  keys: z
    .enum(KEY_DISTRIBUTIONS)
    .default("uniform")
    .meta({
      description:
        "How often each document is used. zipfian: by rank to the power of -skew; latest: the same, where the latest insert " +
        "of the worker has rank 1. Default uniform.",
    }),
  skew: z
    .number()
    .min(0.01)
    .max(100)
    .default(0.99)
    .meta({ description: "Exponent of keys: zipfian and latest; YCSB has 0.99. Default 0.99." }),
  documents: z
    .int()
    .min(0)
    .max(DOCUMENTS_MAX)
    .default(10_000)
    .meta({ description: "Documents in the table before the warm-up. Default 10000." }),
} as const;

export interface DocumentsSettings {
  readonly column: (typeof DOCUMENT_STORAGE_FORMS)[number];
  readonly index: (typeof INDEXES)[number];
  readonly shape: Shape;
  readonly bytes: number | undefined;
  readonly content: Content;
  readonly toast: (typeof TOASTS)[number];
  readonly update: (typeof UPDATES)[number] | undefined;
  readonly parse: "literal" | "build-object";
  readonly slice: "paths" | "record";
  readonly mix: Weights;
  readonly keys: (typeof KEY_DISTRIBUTIONS)[number];
  readonly skew: number;
  readonly documents: number;
}
export type Treatment = DocumentsSettings & WorkloadTreatment;

/** Values of the keys of a scenario that passed their schema. */
type DocumentsKeys = Omit<DocumentsSettings, "column" | "bytes" | "update"> &
  Partial<Pick<DocumentsSettings, "column" | "bytes" | "update">>;

/** True if the target's URLs are of MySQL or MariaDB. The servers that train-sim starts are PostgreSQL. */
function isForMySql(input: TargetInput): boolean {
  const target = resolveTarget(input);
  const [first] = target.kind === "url" ? target.urls : [];
  return first !== undefined && databaseOfUrl(first.url)?.name === "MySQL";
}

export function resolve(input: DocumentsKeys & { readonly target: TargetInput }): DocumentsSettings {
  const isMySql = isForMySql(input.target);
  const { index, shape, bytes, content, toast, parse, slice, mix, skew, documents } = input;
  const { column = isMySql ? "json" : "jsonb" } = input;
  const { update = isMySql && column === "json" ? "json_set" : undefined } = input;
  const document = { column, index, shape, bytes, content, toast };
  return { ...document, update, parse, slice, mix, keys: input.keys, skew, documents };
}

const DEFAULT_UPDATE_BY_COLUMN = {
  jsonb: "jsonb_set",
  json: "whole",
  text: "whole",
  relational: "column",
} as const;

export function updateOf({
  column,
  update = DEFAULT_UPDATE_BY_COLUMN[column],
}: Pick<DocumentsSettings, "column" | "update">) {
  return update;
}

/** Column types for which a level of `index` exists. A level that is not listed exists for all. */
const COLUMNS_OF_INDEX: Partial<Record<DocumentsSettings["index"], readonly string[]>> = {
  "generated-stored": ["jsonb", "json"],
  "generated-virtual": ["jsonb", "json"],
  expression: ["jsonb", "json"],
  multicolumn: ["jsonb", "json"],
  gin: ["jsonb"],
  "gin-path-ops": ["jsonb"],
};
const COLUMN_OF_UPDATE = {
  jsonb_set: "jsonb",
  json_set: "json",
  column: "relational",
  whole: undefined,
} as const;

function columnRules(
  { index, shape, toast, update, parse, mix }: DocumentsKeys,
  { column }: Treatment,
): Finding[] {
  const findings: Finding[] = [];
  const allowedColumns = COLUMNS_OF_INDEX[index];
  if (allowedColumns && !allowedColumns.includes(column))
    findings.push({
      path: ["index"],
      message: `${index} needs column: ${allowedColumns.join(" or ")}, and this one is ${column}; use btree-id or none`,
    });
  const neededColumn = update && COLUMN_OF_UPDATE[update];
  if (neededColumn && neededColumn !== column)
    findings.push({
      path: ["update"],
      message: `${update} needs column: ${neededColumn}, and this one is ${column}; use whole, or leave it out`,
    });
  if (parse === "build-object" && column !== "jsonb")
    findings.push({
      path: ["parse"],
      message: `build-object needs column: jsonb, and this column is ${column}; leave parse out`,
    });
  if (column !== "relational") return findings;
  if (toast !== "extended")
    findings.push({
      path: ["toast"],
      message: `${toast} is about the column of a document, which relational lacks; leave it out`,
    });
  if (isNested(shape))
    findings.push({
      path: ["shape"],
      message: `${shape} has values within values, which columns lack; use small or large`,
    });
  if (mix.slice > 0)
    findings.push({
      path: ["mix"],
      message: "a slice is cut out of a document, which relational lacks; use column: jsonb, json or text",
    });
  if (mix.unwrap > 0)
    findings.push({
      path: ["mix"],
      message: "relational has no document to unwrap; use column: jsonb, json or text",
    });
  return findings;
}

function scanRules({ index, mix }: DocumentsKeys): Finding[] {
  if (mix.scan === 0 || !index.startsWith("gin")) return [];
  const message = `a scan follows the order of ids, which ${index} lacks; use index: btree-id or expression`;
  return [{ path: ["index"], message }];
}

function sliceRules({ shape, slice, mix }: DocumentsKeys): Finding[] {
  if (mix.slice === 0) return [];
  if (shape === "small")
    return [
      {
        path: ["mix"],
        message: "a slice is 10 of 100 values, and shape small has 10; use shape: large or complex",
      },
    ];
  if (!isNested(shape) || slice === "paths") return [];
  const message = `a record has the values of the first level only, where ${shape} has none; use paths`;
  return [{ path: ["slice"], message }];
}

function sizeRules({ shape, bytes, index }: DocumentsKeys): Finding[] {
  const least = leastBytesOf(shape);
  const longest = longestValueOf({ shape, bytes });
  if (index === "multicolumn" && longest > INDEXED_VALUE_MAX) {
    const message =
      `an entry of multicolumn holds two values of at most ${INDEXED_VALUE_MAX} characters each, and here a value has ` +
      `${longest}; lower bytes`;
    return [{ path: ["index"], message }];
  }
  if (bytes === undefined || bytes >= least) return [];
  const message = `a document of shape ${shape} takes at least ${formatSize(least)}; raise it, or use shape: small`;
  return [{ path: ["bytes"], message }];
}

function mixRules({ mix, keys: distribution, documents }: DocumentsKeys): Finding[] {
  const { insert, ...others } = mix;
  const needed = Object.values(others).reduce((sum, each) => sum + each, 0);
  if (insert + needed === 0)
    return [{ path: ["mix"], message: "all weights are 0: no client would do anything" }];
  if (documents > 0) return [];
  if (needed > 0)
    return [
      { path: ["documents"], message: "0 leaves nothing to read, update, scan, slice or unwrap; raise it" },
    ];
  if (distribution !== "latest") return [];
  return [
    { path: ["keys"], message: "latest has no effect without documents: nothing uses one; leave it out" },
  ];
}

export const rules = [
  columnRules,
  scanRules,
  sliceRules,
  sizeRules,
  mixRules,
  defaultStorageRule("workload documents"),
];
