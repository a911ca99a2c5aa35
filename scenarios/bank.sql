-- workload: bank
-- Transfers between accounts: 9 of 10 transactions pay, one looks. Money is neither made nor lost.
-- setting: accounts = 1000

-- schema
CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL);
CREATE TABLE transfer (id uuid PRIMARY KEY, src int NOT NULL, dst int NOT NULL, amount int NOT NULL);

-- preload
INSERT INTO account SELECT g, 1000 FROM generate_series(1, :accounts) g;

-- name: pay
-- weight: 9
-- param: id = uuid()
-- param: src = uniform(1, :accounts)
-- param: dst = zipfian(1, :accounts, 1.1)
-- param: amount = uniform(1, 100)
INSERT INTO transfer VALUES (:id, :src, :dst, :amount);
-- expect: rows = 1
UPDATE account SET balance = balance - :amount WHERE id = :src;
-- expect: rows = 1
UPDATE account SET balance = balance + :amount WHERE id = :dst;

-- name: look
-- weight: 1
-- readonly
-- param: id = uniform(1, :accounts)
-- expect: rows = 1
SELECT balance FROM account WHERE id = :id;

-- invariant: money is conserved
SELECT sum(balance) = :accounts * 1000 FROM account;

-- invariant: every acknowledged payment is there
-- acknowledged: pay.id
SELECT id FROM transfer;

-- invariant: balances are what the transfers made them
SELECT NOT EXISTS (
  SELECT FROM account a
  WHERE balance <> 1000
    + (SELECT coalesce(sum(amount), 0) FROM transfer t WHERE t.dst = a.id)
    - (SELECT coalesce(sum(amount), 0) FROM transfer t WHERE t.src = a.id)
);
