// What each client's next transaction needs, made before it is to start: the values that were drawn for it, in the message
// that will carry them. A client that is asked to run one which nobody prepared makes it then.

export class Ahead<T> {
  private readonly made: (T | undefined)[] = [];

  constructor(private readonly make: () => T) {}

  /** Asked again, it does nothing. */
  prepare(client: number): void {
    this.made[client] ??= this.make();
  }

  take(client: number): T {
    const made = this.made[client] ?? this.make();
    this.made[client] = undefined;
    return made;
  }
}
