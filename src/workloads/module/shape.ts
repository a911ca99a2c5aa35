import { isOwnOperationName, OWN_OPERATION_NAME_RULE } from "../../metrics/operations.js";
import * as z from "zod";
import { findingsFrom } from "../../syntax/problems.js";
import { pathText } from "../../syntax/paths.js";

const fn = z.custom<(...given: never[]) => unknown>(
  (value) => typeof value === "function",
  "expected a function",
);

const Shape = z.strictObject({
  name: z.string().regex(/^[A-Za-z][\w-]{0,62}$/, "expected letters, digits, - and _, such as orders"),
  settings: z
    .record(z.string().regex(/^[A-Za-z_]\w*$/), z.union([z.number(), z.string(), z.boolean()]))
    .optional(),
  schema: z.string().optional(),
  preload: z.string().optional(),
  transactions: z
    .record(
      z.string().refine(isOwnOperationName, `expected ${OWN_OPERATION_NAME_RULE}, such as place`),
      z.strictObject({
        weight: z.number().positive().max(1e9).optional(),
        isReadOnly: z.boolean().optional(),
        draw: fn,
        run: fn,
        resolve: fn.optional(),
        fact: fn.optional(),
        unit: z
          .string()
          .regex(/^[a-z][a-z ]{0,30}$/, "expected a plural in lower case, such as jobs")
          .optional(),
      }),
    )
    .refine((all) => Object.keys(all).length > 0, "expected at least one transaction"),
  invariants: z
    .array(z.strictObject({ name: z.string().min(1), sql: z.string(), acknowledged: z.string().optional() }))
    .optional(),
});

export function shapeProblems(exported: unknown): string[] {
  const parsed = Shape.safeParse(exported);
  if (parsed.success) return [];
  return findingsFrom(parsed.error, exported, () => "see defineWorkload").map(
    ({ path, message }) => `${path.length > 0 ? `${pathText(path)}: ` : ""}${message}`,
  );
}
