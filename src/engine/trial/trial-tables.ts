// The tables of one trial: emptied and filled before it, audited after it, however it ended. Where it failed they are read by
// a session of their own, because what the trial was waiting for may still hold the control connection. It does not wait
// for a server that does not answer: then the tables could not be read.
import { audit, type Audited, type AuditInputs } from "../../workloads/train-events/audit/audit.js";
import { connectAdmin } from "../../database/admin.js";
import { readClock } from "../../workloads/train-events/sql/audit-scans.js";
import { withinMs } from "../../foundation/deadline.js";
import type { Endpoint } from "../../database/endpoint/endpoint.js";
import type { Fleet } from "../workers/fleet.js";
import { prepareNamespace } from "./prepare-namespace.js";
import type { TrialLog } from "./trial-log.js";
import type { TrialHost, TrialInputs } from "./trial-parts.js";

const CONNECT_MS = 3_000;
/** An audit takes some seconds for a million events. */
const FAILED_AUDIT_MS = 120_000;

export class TrialTables {
  /** Of the database, before the first event is there. */
  private startedAt: string | undefined;
  private preloaded = 0;
  private hasBegun = false;

  constructor(
    private readonly host: TrialHost,
    private readonly inputs: TrialInputs,
    private readonly log: TrialLog,
  ) {}

  /** See `prepareNamespace`. */
  async reset(load: readonly Endpoint[], isWanted: () => boolean): Promise<void> {
    const startedAt = await readClock(this.host.admin);
    this.preloaded = await prepareNamespace(this.host, this.inputs, load, isWanted);
    this.startedAt = startedAt;
  }

  /** Of a trial whose workers have all closed their ledgers. */
  async audit({ account }: Fleet, isDrained: boolean): Promise<Audited> {
    return this.through(this.host.admin, { ...account, isDrained });
  }

  /** Of one that failed, once no worker is left; undefined where it was audited before, or its tables cannot be read. */
  async auditFailed({ account }: Pick<Fleet, "account">): Promise<Audited | undefined> {
    if (this.hasBegun || this.startedAt === undefined) return undefined;
    const options = { purpose: "audit", connectTimeoutMs: CONNECT_MS };
    try {
      const admin = await connectAdmin(this.host.target.admin, options);
      const audited = this.through(admin, { ...account, isDrained: false });
      return await withinMs(audited, FAILED_AUDIT_MS).finally(() => void admin.close());
    } catch {
      return undefined; // the failure of the trial says more
    }
  }

  private async through(
    admin: TrialHost["admin"],
    ending: Pick<AuditInputs, "told" | "unclosed" | "isDrained">,
  ): Promise<Audited> {
    this.hasBegun = true;
    await this.host.claim.confirm();
    const { directory, treatment } = this.inputs;
    const { startedAt = "", preloaded } = this;
    const audited = await audit(admin, {
      ...ending,
      ...{ settings: treatment.settings, directory, preloaded, startedAt },
    });
    this.log.audited(audited.conservation, ending.told);
    return audited;
  }
}
