/** How far long lists are counted (contract C14): past it the total is a lower bound. */

/** An offset ends here, too, where the rows that it skips are read. */
export const COUNTED_MAX = 10_000
