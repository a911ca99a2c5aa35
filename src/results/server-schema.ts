import * as z from "zod";

export const ServerChange = z.strictObject({
  what: z.string().describe("systemIdentifier, version, startedAt, configLoadedAt, or the name of a setting"),
  before: z.string(),
  after: z.string(),
  sinceTrial: z
    .int()
    .min(1)
    .optional()
    .describe("The earlier trial after which it changed; absent where it changed within this one"),
});
export type ServerChange = z.infer<typeof ServerChange>;

export const TrialServer = z.strictObject({
  endpoint: z.string().describe("Where it was asked, without the password"),
  systemIdentifier: z.string().optional(),
  version: z.string(),
  startedAt: z.iso.datetime().optional().describe("Start of the postmaster"),
  configLoadedAt: z.iso.datetime().optional(),
  settings: z
    .record(z.string(), z.string())
    .describe("Of the role's sessions at the start of the trial: not the default, or of weight for a queue"),
  settingsDigest: z.string().describe("SHA-256 of these settings, its first 16 digits"),
  changes: z.array(ServerChange).optional().describe("Since the trial before, and within this one"),
});
export type TrialServer = z.infer<typeof TrialServer>;

/** A check that could not be made, and the reason. */
export const NotAssessed = z.strictObject({ what: z.string(), reason: z.string() });
export type NotAssessed = z.infer<typeof NotAssessed>;
