// A session that is opened when it is first needed and again after a failure. A session that is still being opened when the
// trial ends is closed, too: it would keep the process from ending.

interface Closable {
  /** Never rejects. */
  close(): Promise<void>;
}

export class StandingSession<Session extends Closable> {
  private session: Promise<Session> | undefined;
  private isClosed = false;

  constructor(private readonly open: () => Promise<Session>) {}

  /** The session, the same for all who ask meanwhile. Rejects as `open` does, and once it is closed. */
  async get(): Promise<Session> {
    if (this.isClosed) throw new Error("the session is closed");
    const session = (this.session ??= this.open());
    try {
      return await session;
    } catch (error) {
      if (this.session === session) this.session = undefined;
      throw error;
    }
  }

  /** Ends it because it is of no use any more; the next who asks gets another. Never rejects. */
  async giveUp(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    const opened = await session?.catch(() => undefined);
    await opened?.close();
  }

  /** Ends it for good, also where it is still being opened. Never rejects. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.giveUp();
  }
}
