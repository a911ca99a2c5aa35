// What counts as the same. Here and not beside the tests that use it, because a chart draws it too, and a browser
// cannot load what they need.

/** What is surely within this factor of 1 is called indistinguishable. */
export const EQUIVALENCE = 1.05;
