// MongoDB has no lock that ends with its session. A run claims its namespace by a document that it renews; a claim that was
// not renewed for a while is over. The times are the server's.
import type { Collection } from "mongodb";
import { monotonicMs, systemClock } from "../../foundation/clock.js";
import { messageOf, TargetError, UsageError } from "../../foundation/errors.js";
import { generateSecret } from "../../foundation/prng.js";
import type { ClaimEvents, NamespaceClaim } from "../contract.js";
import type { Endpoint } from "../endpoint.js";
import { administer, type MongoAdmin } from "./admin.js";
import { classifyFailure, DUPLICATE_KEY } from "./error-codes.js";
import { STATE_COLLECTION } from "./state-collection.js";

const RENEWAL_INTERVAL_MS = 3_000;
/** Milliseconds without a renewal after which a claim is over, and for which a lost server may be away. */
const CLAIM_MS = 15_000;

export interface Claim {
  readonly _id: "claim";
  readonly run: string;
  readonly renewed: Date;
}

async function serverTime(admin: MongoAdmin): Promise<Date> {
  return new Date(Number((await admin.command({ hello: 1 }))["localTime"]));
}

export async function isClaimFresh(admin: MongoAdmin, { renewed }: Claim): Promise<boolean> {
  return (await serverTime(admin)).getTime() - renewed.getTime() < CLAIM_MS;
}

/**
 * Claims the namespace. `requireOwn` rejects if the database is not train-sim's, and resolves to the run that made it.
 * Rejects with a UsageError while another run has claimed it.
 */
export async function claimNamespace(
  endpoint: Endpoint,
  namespace: string,
  events: ClaimEvents = {},
  requireOwn: (admin: MongoAdmin) => Promise<string | undefined>,
): Promise<NamespaceClaim> {
  const admin = await administer(endpoint, { purpose: "claim" });
  try {
    const earlierRun = await requireOwn(admin);
    const claim = new RenewedClaim(admin, namespace);
    await claim.take();
    if (earlierRun !== undefined)
      events.note?.(`database "${namespace}" was left by an earlier run, which has ended`);
    return claim;
  } catch (error) {
    await admin.close();
    throw error;
  }
}

class RenewedClaim implements NamespaceClaim {
  readonly run = generateSecret(4);
  readonly lossRejection: Promise<never>;
  private rejectLoss: (error: TargetError) => void = () => undefined;
  private readonly closingAbort = new AbortController();
  private renewalsDone = Promise.resolve();
  private excuses = 0;
  /** Monotonic milliseconds of the last renewal, or of the end of the last fault that excused its absence. */
  private renewedMs = monotonicMs();

  constructor(
    private readonly admin: MongoAdmin,
    private readonly namespace: string,
  ) {
    this.lossRejection = new Promise((_, reject) => (this.rejectLoss = reject));
    this.lossRejection.catch(() => undefined);
  }

  private inClaims<T>(work: (claims: Collection<Claim>) => Promise<T>): Promise<T> {
    return this.admin.run((client) => work(client.db(this.namespace).collection<Claim>(STATE_COLLECTION)));
  }

  async take(): Promise<void> {
    const { admin, run } = this;
    const renewed = await serverTime(admin);
    const earlier = await this.inClaims((claims) => claims.findOne({ _id: "claim" }));
    if (earlier && (await isClaimFresh(admin, earlier))) throw this.claimedError();
    const isTaken = await this.inClaims(async (claims) => {
      if (!earlier) return claims.insertOne({ _id: "claim", run, renewed }).then(() => true);
      const ended = { _id: "claim", run: earlier.run, renewed: earlier.renewed } as const;
      return (await claims.updateOne(ended, { $set: { run, renewed } })).matchedCount === 1;
    }).catch((error: unknown) => {
      if (classifyFailure(error).sqlstate === DUPLICATE_KEY) return false;
      throw error;
    });
    if (!isTaken) throw this.claimedError();
    this.renewalsDone = this.keepRenewing();
  }

  private claimedError(): UsageError {
    return new UsageError(
      `another run works in database "${this.namespace}", or ended without releasing it less than ${CLAIM_MS / 1000} s ago`,
      "Wait for its end, or choose another name: --set namespace=NAME with run, or --namespace NAME with schema.",
    );
  }

  async confirm(): Promise<void> {
    const renewed = await serverTime(this.admin);
    const { matchedCount } = await this.inClaims((claims) =>
      claims.updateOne({ _id: "claim", run: this.run }, { $set: { renewed } }),
    );
    if (matchedCount !== 1) throw this.lossError("another run has taken it, or it was dropped");
    this.renewedMs = monotonicMs();
  }

  private lossError(seen: string): TargetError {
    return new TargetError(
      `this run lost its claim of database "${this.namespace}": ${seen}`,
      "Check the server and its log, and that no other run uses this database; then run again.",
    );
  }

  private async keepRenewing(): Promise<void> {
    const { signal } = this.closingAbort;
    for (;;) {
      await systemClock.sleep(RENEWAL_INTERVAL_MS, signal);
      if (signal.aborted) return;
      try {
        await this.confirm();
      } catch (error) {
        const isLost = error instanceof TargetError && error.cause === undefined;
        const isLate = this.excuses === 0 && monotonicMs() - this.renewedMs > CLAIM_MS;
        if (!isLost && !isLate) continue;
        this.rejectLoss(isLost ? error : this.lossError(`it could not be renewed: ${messageOf(error)}`));
        return;
      }
    }
  }

  tolerateLoss(): () => void {
    this.excuses++;
    return () => {
      this.excuses--;
      this.renewedMs = monotonicMs();
    };
  }

  async release(): Promise<void> {
    this.closingAbort.abort();
    await this.renewalsDone;
    await this.inClaims(async (claims) => {
      await claims.deleteOne({ _id: "claim", run: this.run });
      // The database of a namespace that was dropped goes with its last collection.
      if ((await claims.countDocuments()) === 0) await claims.drop();
    }).catch(() => undefined);
    await this.admin.close();
  }
}
