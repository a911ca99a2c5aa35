// Whether the window put off index work that it did not do. With `fastupdate`, its default, a GIN index takes new entries
// into a pending list, which one transaction at a time cleans up for all others; where they are faster than it, the list
// outgrows gin_pending_list_limit without end. It invalidates nothing: the rate was reached, but it cannot last.
import { above, type Check } from "./check.js";

/** Twice the default of gin_pending_list_limit, 4 MB, in pages of 8 kB: what is below it is cleaned up as intended. */
const MOST_PAGES = 1024;

export const pendingIndexWork: Check = ({ trial }) =>
  above(
    trial.database.ginPendingGrowthPages,
    MOST_PAGES,
    (seen) =>
      `the GIN pending lists grew by ${seen} pages in the window: index work was deferred, so this rate cannot last; ` +
      "lengthen the window, lower the rate, or build the index with fastupdate = off",
  );
