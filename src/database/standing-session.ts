// A session that somebody asks again and again over a trial: opened when it is first needed, given up when it fails, and
// opened anew by whoever asks next. A trial may end while it is being opened; that one is closed as soon as it is there,
// or it would keep the process from ending.

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
