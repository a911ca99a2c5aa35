import { TargetError } from "../foundation/errors.js";
import { APPLICATION_NAME, type AdminOptions, type LoadSession, type SessionOptions } from "./contract.js";
import { describeEndpoint, type Endpoint } from "./endpoint.js";

/** Options of the session of a control connection; `onTransaction` is called for each of its transactions. */
export const adminSessionOptions = (
  endpoint: Endpoint,
  { purpose = "admin", prepared = false, connectTimeoutMs, onLost }: AdminOptions,
  onTransaction: () => void,
): SessionOptions => ({
  endpoint,
  applicationName: `${APPLICATION_NAME}/${purpose}`,
  prepared,
  ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
  report: (event, failure) => {
    if (event === "lost") onLost?.(failure);
  },
  onTransaction,
});

interface Opening<S> {
  open(endpoint: Endpoint): Promise<S>;
  isStandbyError(error: unknown): boolean;
  /** The error of a statement, in words for users if it means that the server is gone. */
  explain(endpoint: Endpoint, error: unknown): unknown;
}

interface AdminConnection<S> {
  /** Endpoint of the server that the session was opened at, with the others as its alternatives. */
  readonly endpoint: Endpoint;
  /** Works with the open session. Rejects with the explained error. */
  readonly use: <T>(work: (session: S) => Promise<T>) => Promise<T>;
  /** Ends the session. Never rejects. */
  readonly close: () => Promise<void>;
}

/**
 * Connects to the first server that admits the session, of the endpoint and its alternatives. Else rejects with the error
 * of the first server that is no standby.
 */
async function openFirst<S>(
  endpoint: Endpoint,
  { open, isStandbyError }: Pick<Opening<S>, "open" | "isStandbyError">,
): Promise<{ readonly session: S; readonly endpoint: Endpoint }> {
  const { alternatives = [], ...first } = endpoint;
  const servers = [first, ...alternatives];
  let failure: unknown;
  for (const each of servers) {
    try {
      const session = await open(each);
      const others = servers.filter((server) => server !== each);
      return { session, endpoint: others.length > 0 ? { ...each, alternatives: others } : endpoint };
    } catch (error) {
      if (failure === undefined || isStandbyError(failure)) failure = error;
    }
  }
  throw failure;
}

export async function openAdminConnection<S extends LoadSession>(
  endpoint: Endpoint,
  { reopensLostSession = false }: Pick<AdminOptions, "reopensLostSession">,
  opening: Opening<S>,
): Promise<AdminConnection<S>> {
  let opened = await openFirst(endpoint, opening);
  let reopenPromise: Promise<S> | undefined;
  let isClosed = false;
  const current = async (): Promise<S> => {
    // Unfinished work of a failed trial must not open another session, which nothing would close.
    if (isClosed) throw new TargetError(`the connection to ${describeEndpoint(endpoint)} has been closed`);
    if (!opened.session.isBroken || !reopensLostSession) return opened.session;
    reopenPromise ??= openFirst(opened.endpoint, opening)
      .then((again) => (opened = again).session)
      .finally(() => (reopenPromise = undefined));
    return reopenPromise;
  };
  return {
    get endpoint() {
      return opened.endpoint;
    },
    async use(work) {
      const session = await current();
      try {
        return await work(session);
      } catch (error) {
        throw opening.explain(opened.endpoint, error);
      }
    },
    async close() {
      isClosed = true;
      await reopenPromise?.catch(() => undefined);
      await opened.session.end();
    },
  };
}
