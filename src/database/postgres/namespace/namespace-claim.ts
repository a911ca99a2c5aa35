// A run claims its namespace by an advisory lock in an open transaction on a separate connection: it ends with the process,
// and no transaction pooler can lose it. A lost claim is taken again at once; meanwhile the schema's mark and the run's
// other sessions keep others away.
import { monotonicMs, systemClock } from "../../../foundation/clock.js";
import { withinMs } from "../../../foundation/deadline.js";
import { messageOf, TargetError } from "../../../foundation/errors.js";
import { generateSecret } from "../../../foundation/prng.js";
import { UNCLAIMED_NAMESPACE, type ClaimEvents, type NamespaceClaim } from "../../contract.js";
import type { Endpoint } from "../../endpoint.js";
import { connectAdmin, type AdminClient } from "../admin.js";
import { readWithoutLocks, lockClaim, requireRunEnded } from "./claim-session.js";
import type { Dialect } from "../dialects/dialect.js";
import { namespaceState } from "./namespace.js";
import { CLAIM_PURPOSE, CONNECT_TIMEOUT_MS } from "../pg-config.js";

/** Milliseconds to wait for an answer of a server that may be gone. */
const ANSWER_MS = 2000;
/**
 * Milliseconds for which a lost claim is tried again; by then, the server's watchdog has reported an absence of the server.
 */
const RETAKE_TIMEOUT_MS = 15_000;
const RETAKE_INTERVAL_MS = 200;

/** Error of a claim that cannot be taken again: another run has marked the schema, or the schema was dropped. */
class ClaimLostError extends Error {}

/**
 * Claims a namespace. Rejects with a UsageError while another run has claimed it or works in it, and like `connectAdmin`.
 */
export async function claimNamespace(
  endpoint: Endpoint,
  namespace: string,
  dialect: Dialect,
  events: ClaimEvents = {},
): Promise<NamespaceClaim> {
  if (!dialect.supportsTransactionalDdl) return UNCLAIMED_NAMESPACE;
  const claim = new HeldClaim(endpoint, namespace, dialect, events);
  await claim.take(CONNECT_TIMEOUT_MS);
  return claim;
}

class HeldClaim implements NamespaceClaim {
  readonly run = generateSecret(4);
  readonly lossRejection: Promise<never>;
  private rejectLoss: (error: TargetError) => void = () => undefined;
  private session: AdminClient | undefined;
  /** Pending while a lost claim is being taken again; settled while it is held, and once it cannot be taken again. */
  private retakenDone = Promise.resolve();
  private owner: { readonly run: string | undefined } | undefined;
  private readonly closingAbort = new AbortController();
  private excusedChecks = 0;
  /** Monotonic milliseconds at which the last fault that excused the server's absence ended. */
  private unexcusedMs = 0;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly namespace: string,
    private readonly dialect: Dialect,
    private readonly events: ClaimEvents,
  ) {
    this.lossRejection = new Promise((_, reject) => (this.rejectLoss = reject));
    this.lossRejection.catch(() => undefined);
  }

  /**
   * Takes the claim. Rejects, and then holds nothing, if another run has the claim or the schema, or the server cannot be
   * reached.
   */
  async take(connectTimeoutMs: number): Promise<void> {
    const claimSession: { session?: AdminClient; isCut?: true } = {};
    const session = await connectAdmin(this.endpoint, {
      purpose: `${CLAIM_PURPOSE}/${this.run}`,
      connectTimeoutMs,
      onLost: (failure) => {
        claimSession.isCut = true;
        if (claimSession.session)
          this.retake(claimSession.session, failure?.message ?? "the connection was cut");
      },
    });
    claimSession.session = session;
    try {
      await lockClaim(session, this.namespace);
      await this.check(session);
      if (claimSession.isCut) throw new TargetError("the connection was cut");
    } catch (error) {
      await session.close();
      throw error;
    }
    this.session = session;
  }

  async confirm(): Promise<void> {
    const session = await this.currentSession();
    try {
      await withinMs(this.check(session), ANSWER_MS);
    } catch (error) {
      this.retake(session, messageOf(error));
      await this.currentSession();
    }
  }

  tolerateLoss(): () => void {
    this.excusedChecks++;
    return () => {
      this.excusedChecks--;
      this.unexcusedMs = monotonicMs();
    };
  }

  async release(): Promise<void> {
    this.closingAbort.abort();
    await this.retakenDone;
    // The lock is released before the session ends, because the server notices the end later.
    if (this.session) await withinMs(this.session.query("COMMIT"), ANSWER_MS).catch(() => undefined);
    await this.session?.close();
  }

  private async currentSession(): Promise<AdminClient> {
    for (;;) {
      await Promise.race([this.lossRejection, this.retakenDone]);
      if (this.session) return this.session;
      if (this.closingAbort.signal.aborted)
        throw new TargetError(`the lock on schema "${this.namespace}" is released`);
    }
  }

  /** Checks that no other run made the schema. The first check waits for the end of a run that left it. */
  private async check(session: AdminClient): Promise<void> {
    const state = await readWithoutLocks(session, () =>
      namespaceState(session, this.namespace, this.dialect),
    );
    const run = state.kind === "ours" ? state.run : undefined;
    const before = this.owner;
    if (!before && run !== undefined) {
      await requireRunEnded(session, this.namespace, run);
      this.events.note?.(`schema "${this.namespace}" was left by an earlier run, which has ended`);
    }
    const isSame = before === undefined || run === this.run || run === before.run;
    if (!isSame && (run !== undefined || before.run === this.run))
      throw new ClaimLostError(
        run === undefined ? "the schema has been dropped" : "another run has taken the schema",
      );
    this.owner = { run };
  }

  /** Closes a session that has lost the claim, and takes the claim again in another one. */
  private retake(session: AdminClient, why: string): void {
    if (this.session !== session || this.closingAbort.signal.aborted) return;
    this.session = undefined;
    this.retakenDone = session.close().then(() => this.takeAgain(why));
  }

  private async takeAgain(why: string): Promise<void> {
    const lossMs = monotonicMs();
    const isRetakeOverdue = (): boolean =>
      this.excusedChecks === 0 && monotonicMs() - Math.max(lossMs, this.unexcusedMs) > RETAKE_TIMEOUT_MS;
    while (!this.closingAbort.signal.aborted) {
      try {
        await this.take(ANSWER_MS);
        this.events.note?.(`the lock on schema "${this.namespace}" was lost (${why}) and is held again`);
        return;
      } catch (error) {
        const isClaimLost = error instanceof ClaimLostError;
        if (isClaimLost || isRetakeOverdue()) {
          const seen = isClaimLost
            ? error.message
            : `it could not be locked again within ${RETAKE_TIMEOUT_MS / 1000} s: ${messageOf(error)}`;
          this.rejectLoss(
            new TargetError(
              `this run lost its lock on schema "${this.namespace}" (${why}), and ${seen}`,
              isClaimLost
                ? "Wait for the other run to end, or choose another name with `namespace:`, and run again."
                : "Check the server and its log, and run again.",
              { cause: error },
            ),
          );
          return;
        }
      }
      await systemClock.sleep(RETAKE_INTERVAL_MS, this.closingAbort.signal);
    }
  }
}
