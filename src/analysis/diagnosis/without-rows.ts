// Warns of operations whose rate is made of transactions that returned and changed no row, such as claims on an empty queue.
import { counted } from "../../foundation/units.js";
import { above, percent, type Check } from "./check.js";

/** Of an operation's transactions. */
const SHARE_MAX = 0.1;

export const withoutRows: Check = ({ trial }) => {
  const ratios = Object.entries(trial.operations).flatMap(
    ([operation, { transactions, withoutRows: idle = 0 }]) =>
      transactions === 0 ? [] : [{ operation, idle, transactions, ratio: idle / transactions }],
  );
  const [worst] = ratios.sort((a, b) => b.ratio - a.ratio);
  return above(worst?.ratio, SHARE_MAX, (seen) => {
    const { operation = "", idle = 0, transactions = 0 } = worst ?? {};
    return (
      `${idle} of ${counted(transactions, "transaction")} of ${operation} returned and changed no row ` +
      `(${percent(seen, SHARE_MAX)}): its rate is not a rate of work. ` +
      "If they are empty polls, write -- returning: or end above the claim"
    );
  });
};
