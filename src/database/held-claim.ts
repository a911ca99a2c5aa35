// A run claims its namespace by a lock of a separate connection, which ends with the process. A lost claim is taken again at once; meanwhile the schema's mark and the run's
// other sessions keep others away.
import { monotonicMs, systemClock } from "../foundation/clock.js";
import { withinMs } from "../foundation/deadline.js";
import { messageOf, TargetError, UsageError } from "../foundation/errors.js";
import { generateSecret } from "../foundation/prng.js";
import type { AdminOptions, AdminSession, ClaimEvents, NamespaceClaim, NamespaceState } from "./contract.js";
import { OTHER_NAMESPACE_ADVICE } from "./namespace-name.js";

/** Purpose, in the session's name, of the session that holds the claim: it stays open for the whole run. */
export const CLAIM_PURPOSE = "claim";
/** Milliseconds within which the run named in a schema's mark must show a session; after that it counts as gone. */
const SESSION_GRACE_MS = 3000;
const SESSION_CHECK_INTERVAL_MS = 100;
/**
 * Number of looks in a row that must find a session of the run; the session of a run that was just killed is gone by then.
 */
const CONSECUTIVE_SIGHTINGS_MAX = 10;

/** Milliseconds to wait for an answer of a server that may be gone. */
const ANSWER_MS = 2000;
/**
 * Milliseconds for which a lost claim is tried again; by then, the server's watchdog has reported an absence of the server.
 */
const RETAKE_TIMEOUT_MS = 15_000;
const RETAKE_INTERVAL_MS = 200;

/** Error of a claim that cannot be taken again: another run has marked the schema, or the schema was dropped. */
class ClaimLostError extends Error {}

/** A database's way to claim one namespace. */
interface ClaimMeans<Admin extends AdminSession> {
  connect(options: AdminOptions): Promise<Admin>;
  /** Takes the lock, which ends with the session. Rejects with a UsageError while another session has it. */
  lock(session: Admin): Promise<void>;
  state(session: Admin): Promise<NamespaceState>;
  /** Number of a session of that run; undefined if there is none. */
  sessionOf(session: Admin, run: string): Promise<number | undefined>;
  /** Gives the lock up before the session ends, because the server notices the end later. */
  unlock(session: Admin): Promise<unknown>;
}

export function namespaceInUseError(namespace: string, pid: number | undefined, cause?: unknown): UsageError {
  const holderText = pid === undefined ? "" : ` (process ${pid} of the server)`;
  return new UsageError(
    `schema "${namespace}" is in use by another train-sim${holderText}`,
    `Wait for it to end. ${OTHER_NAMESPACE_ADVICE}`,
    { cause },
  );
}

export class HeldClaim<Admin extends AdminSession> implements NamespaceClaim {
  readonly run = generateSecret(4);
  readonly lossRejection: Promise<never>;
  private rejectLoss: (error: TargetError) => void = () => undefined;
  private session: Admin | undefined;
  /** Pending while a lost claim is being taken again; settled while it is held, and once it cannot be taken again. */
  private retakenDone = Promise.resolve();
  private owner: { readonly run: string | undefined } | undefined;
  private readonly closingAbort = new AbortController();
  private excusedChecks = 0;
  /** Monotonic milliseconds at which the last fault that excused the server's absence ended. */
  private unexcusedMs = 0;

  constructor(
    private readonly namespace: string,
    private readonly events: ClaimEvents,
    private readonly means: ClaimMeans<Admin>,
  ) {
    this.lossRejection = new Promise((_, reject) => (this.rejectLoss = reject));
    this.lossRejection.catch(() => undefined);
  }

  /**
   * Takes the claim. Rejects, and then holds nothing, if another run has the claim or the schema, or the server cannot be
   * reached.
   */
  async take(connectTimeoutMs: number): Promise<void> {
    const claimSession: { session?: Admin; isCut?: true } = {};
    const session = await this.means.connect({
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
      await this.means.lock(session);
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
    if (this.session) await withinMs(this.means.unlock(this.session), ANSWER_MS).catch(() => undefined);
    await this.session?.close();
  }

  private async currentSession(): Promise<Admin> {
    for (;;) {
      await Promise.race([this.lossRejection, this.retakenDone]);
      if (this.session) return this.session;
      if (this.closingAbort.signal.aborted)
        throw new TargetError(`the lock on schema "${this.namespace}" is released`);
    }
  }

  /** Checks that no other run made the schema. The first check waits for the end of a run that left it. */
  private async check(session: Admin): Promise<void> {
    const state = await this.means.state(session);
    const run = state.kind === "ours" ? state.run : undefined;
    const before = this.owner;
    if (!before && run !== undefined) {
      await this.requireRunEnded(session, run);
      this.events.note?.(`schema "${this.namespace}" was left by an earlier run, which has ended`);
    }
    const isSame = before === undefined || run === this.run || run === before.run;
    if (!isSame && (run !== undefined || before.run === this.run))
      throw new ClaimLostError(
        run === undefined ? "the schema has been dropped" : "another run has taken the schema",
      );
    this.owner = { run };
  }

  /**
   * Waits until the run has no session. Rejects with a UsageError if the run is still there: it may have lost its lock for a
   * moment only.
   */
  private async requireRunEnded(session: Admin, run: string): Promise<void> {
    const graceEndMs = monotonicMs() + SESSION_GRACE_MS;
    let sightings = 0;
    do {
      const pid = await this.means.sessionOf(session, run);
      sightings = pid === undefined ? 0 : sightings + 1;
      if (sightings >= CONSECUTIVE_SIGHTINGS_MAX) throw namespaceInUseError(this.namespace, pid);
      await systemClock.sleep(SESSION_CHECK_INTERVAL_MS);
    } while (monotonicMs() < graceEndMs || sightings > 0);
  }

  /** Closes a session that has lost the claim, and takes the claim again in another one. */
  private retake(session: Admin, why: string): void {
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
