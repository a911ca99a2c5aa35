// Fields of the Train Events audit in the result, in addition to the fields of every audit.
import * as z from "zod";

const count = z.int().min(0);

const SampleCount = z.strictObject({
  sampled: count,
  verified: count.describe("Of those, the ones that were compared with the tables as well"),
});

export const findings = {
  pending: count.optional(),
  processing: count.optional(),
  complete: count.optional(),
  failed: count.optional(),
  archived: count.optional(),
  duplicated: count.optional(),
  orphaned: count.optional(),
  inDoubtFound: count.optional().describe("Of the events in doubt, those that were found in the tables"),
  torn: count
    .optional()
    .describe("Events that contradict the rest of a commit in doubt, which is there in part"),
  changed: count
    .optional()
    .describe(
      "Documents that are not what the event's passes make of them; transfers and rows with other values than were sent",
    ),
  invalid: count
    .optional()
    .describe("Documents that were found invalid: made, claimed or audited, each time counted"),
  illegal: count.optional().describe("Status, passes or timestamps that no transition leads to"),
  resurrected: count.optional().describe("Live although the queue was emptied"),
  undone: count.optional().describe("Lack a pass or an archiving that was acknowledged"),
  unexplained: count
    .optional()
    .describe(
      "Show a pass, a status or an archiving that no acknowledgement and no commit in doubt explains",
    ),
  misread: count.optional().describe("Wrong in a sampled read, or missing from it"),
  misclaimed: count.optional().describe("Claimed, or passed over, against the order of a sampled claim"),
  checks: z
    .strictObject({ reads: SampleCount, claims: SampleCount })
    .optional()
    .describe("Reads and claims that were verified by sample while the load ran"),
  validated: z
    .strictObject({ made: count, claimed: count, audited: count })
    .optional()
    .describe(
      "Documents held to the schema of an event: as made (the preload's included), as claimed, and in the audit",
    ),
  documentsChecked: count.optional().describe("Documents compared with what they must be"),
};
