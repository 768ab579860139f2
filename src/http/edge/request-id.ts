/** Whose request id counts: the client's when it is clean, else a fresh one (contract C16). Nothing else of it may reach a header or a log. */
const CLEAN = /^[A-Za-z0-9._-]{1,64}$/

export const requestIdOf = (given: string, fresh: () => string): string => (CLEAN.test(given) ? given : fresh())
