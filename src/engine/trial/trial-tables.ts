// The tables of one trial. After a failure they are audited in a separate session, because the control connection may still
// be held by what the trial was waiting for.
import { storeOf, workloadOf } from "../../workloads/registry.js";
import type { AuditOutcome, AuditInputs } from "../../workloads/workload.js";
import { errorCodeText } from "../../database/errors.js";
import { administer, isUnreadableTable } from "../../database/registry.js";
import { codeOf, messageOf } from "../../foundation/errors.js";
import { withinMs } from "../../foundation/deadline.js";
import type { Endpoint } from "../../database/endpoint.js";
import type { Fleet } from "../workers/fleet.js";
import type { TrialFaults } from "./trial-faults.js";
import { prepareNamespace } from "./prepare-namespace.js";
import type { TrialLog } from "./trial-log.js";
import type { TrialHost, TrialInputs } from "./trial-parts.js";

const AUDIT_CONNECT_TIMEOUT_MS = 3_000;
type LossSource = Pick<TrialFaults, "loss">;

/** Time for the audit of a failed trial; an audit takes some seconds for a million events. */
const FAILED_TRIAL_AUDIT_TIMEOUT_MS = 120_000;

export class TrialTables {
  private preloaded: unknown;
  /** Whether the tables were reset for this trial, so that they hold its rows only. */
  private isReset = false;
  private hasBegun = false;

  constructor(
    private readonly host: TrialHost,
    private readonly inputs: TrialInputs,
    private readonly log: TrialLog,
  ) {}

  /** Prepares the namespace for the trial; see `prepareNamespace`. */
  async reset(load: readonly Endpoint[], isWanted: () => boolean): Promise<void> {
    const onStep = this.log.logStep.bind(this.log);
    this.preloaded = await prepareNamespace(this.host, this.inputs, load, isWanted, onStep);
    this.isReset = true;
  }

  /** Audits a trial whose workers have all closed their ledgers; undefined where the workload has no audit. */
  async audit(
    { account }: Fleet,
    faults: LossSource,
    seen: Pick<AuditInputs<unknown>, "isDrained" | "clockStepMs">,
  ): Promise<AuditOutcome | undefined> {
    return this.auditWithSession(this.host.admin, faults, { ...account, ...seen }, false);
  }

  /** Audits a failed trial once no worker is left; undefined if it was audited before, or its tables cannot be read. */
  async auditFailedTrial(
    { account }: Pick<Fleet, "account">,
    faults: LossSource,
    clockStepMs: number,
  ): Promise<AuditOutcome | undefined> {
    if (this.hasBegun || !this.isReset) return undefined;
    const options = { purpose: "audit", connectTimeoutMs: AUDIT_CONNECT_TIMEOUT_MS };
    try {
      const admin = await administer(this.host.target.admin, options);
      const audited = this.auditWithSession(
        admin,
        faults,
        { ...account, isDrained: false, clockStepMs },
        true,
      );
      return await withinMs(audited, FAILED_TRIAL_AUDIT_TIMEOUT_MS).finally(() => void admin.close());
    } catch {
      return undefined; // the failure of the trial says more
    }
  }

  private async auditWithSession(
    admin: TrialHost["admin"],
    faults: LossSource,
    ending: Pick<AuditInputs<unknown>, "workerAccounts" | "unclosed" | "isDrained" | "clockStepMs">,
    isTrialFailed: boolean,
  ): Promise<AuditOutcome | undefined> {
    this.hasBegun = true;
    await this.host.claim.confirm();
    const { directory, treatment } = this.inputs;
    const { settings } = treatment;
    const { preloaded } = this;
    const loss = { ...faults.loss(), isAllowed: settings.integrity.allow.includes("lost") };
    const hasFaults = settings.faults.length > 0;
    const audited = await workloadOf(settings)
      .auditing?.audit(storeOf(settings), admin, {
        ...ending,
        settings,
        directory,
        preloaded,
        loss,
        hasFaults,
      })
      .catch((error: unknown) => {
        // The tables of a failed trial may be unreadable; the trial's failure is the more useful message.
        if (isTrialFailed) throw error;
        return unreadableTablesOutcome(error);
      });
    if (audited) this.log.logAudit(audited);
    return audited;
  }
}

/**
 * The audit's outcome for tables that it cannot read: something changed them, which is a finding. Rethrows any other error.
 */
export function unreadableTablesOutcome(error: unknown): AuditOutcome {
  if (!isUnreadableTable(error)) throw error;
  return {
    findings: {
      verdict: "violated",
      published: 0,
      inDoubt: 0,
      lost: 0,
      unexpected: 0,
      isUnreadable: true,
      violations: [
        `the audit could not read the tables: ${messageOf(error)} (${errorCodeText(codeOf(error) ?? "")})`,
      ],
      notAudited: ["every count of the audit: its tables could not be read"],
    },
  };
}
