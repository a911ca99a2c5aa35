// A session that is still being opened when the trial ends is closed, too: it would keep the process from ending.

interface Closable {
  /** Closes the session. Never rejects. */
  close(): Promise<void>;
}

export class ReopenableSession<Session extends Closable> {
  private session: Promise<Session> | undefined;
  private isClosed = false;

  constructor(private readonly open: () => Promise<Session>) {}

  /** The session, opened at the first call and shared by concurrent callers. Rejects like `open`, and after `close`. */
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

  /** Ends a session that is of no more use; the next `get` opens another. Never rejects. */
  async giveUp(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    const opened = await session?.catch(() => undefined);
    await opened?.close();
  }

  /** Ends the session, even while it is being opened. Never rejects. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.giveUp();
  }
}
