// Values and messages of each client's next transaction, made before its intended start.

export class PreparedTransactions<T> {
  private readonly transactions: (T | undefined)[] = [];

  constructor(private readonly makeTransaction: () => T) {}

  /** Makes the client's next transaction; a second call does nothing. */
  prepare(client: number): void {
    this.transactions[client] ??= this.makeTransaction();
  }

  take(client: number): T {
    const transactions = this.transactions[client] ?? this.makeTransaction();
    this.transactions[client] = undefined;
    return transactions;
  }
}
