// Values and messages of each client's next transaction, made before its intended start.

export class PreparedTransactions<T> {
  private readonly transactions: (T | undefined)[] = [];

  constructor(private readonly make: () => T) {}

  /** Makes the client's next transaction; a second call does nothing. */
  prepare(client: number): void {
    this.transactions[client] ??= this.make();
  }

  take(client: number): T {
    const transactions = this.transactions[client] ?? this.make();
    this.transactions[client] = undefined;
    return transactions;
  }
}
