// Values and messages of each client's next transaction, made before its intended start.

export class Ahead<T> {
  private readonly made: (T | undefined)[] = [];

  constructor(private readonly make: () => T) {}

  /** Makes the client's next transaction; a second call does nothing. */
  prepare(client: number): void {
    this.made[client] ??= this.make();
  }

  take(client: number): T {
    const made = this.made[client] ?? this.make();
    this.made[client] = undefined;
    return made;
  }
}
