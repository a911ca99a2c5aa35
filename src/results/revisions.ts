// revisions.json says which treatments of a result are two revisions of one scenario, so that `compare` can judge it again.
import { join } from "node:path";
import * as z from "zod";
import { UsageError } from "../foundation/errors.js";
import { writeFileAtomic } from "../foundation/storage.js";
import { parseJson, readText } from "./reader.js";

export const REVISIONS_FILE = "revisions.json";

export const RevisionsOfResult = z.strictObject({
  version: z.literal(1),
  base: z.string().describe("Commit that was run, with its subject"),
  head: z.string(),
  names: z.array(z.string()).describe("Treatments of both revisions, in the order of pairs in result.json"),
  onlyAtBase: z.array(z.string()),
  onlyAtHead: z.array(z.string()),
  caveats: z.array(z.string()),
});
export type RevisionsOfResult = z.infer<typeof RevisionsOfResult>;

export async function writeRevisions(directory: string, revisions: RevisionsOfResult): Promise<void> {
  await writeFileAtomic(join(directory, REVISIONS_FILE), `${JSON.stringify(revisions, null, 2)}\n`);
}

/** The revisions of a result; undefined if the result is of no comparison of revisions. */
export async function readRevisions(directory: string): Promise<RevisionsOfResult | undefined> {
  const path = join(directory, REVISIONS_FILE);
  const text = await readText(path);
  if (text === undefined) return undefined;
  const parsed = RevisionsOfResult.safeParse(parseJson(path, text));
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `${path} does not name two revisions: ${parsed.error.issues[0]?.message ?? ""}`,
    "Was it cut short or edited?",
  );
}
