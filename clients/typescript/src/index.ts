/**
 * The venue gateway's client: typed calls (`Gateway`), and five helpers for what bots get wrong: `submit` never doubles an order, `Book`
 * proves itself, `Account` knows its gaps, `awaitClosed` waits for an order's end, `keepAlive` keeps the dead man's switch armed.
 */
export { Account, type AccountEvent, type AccountOptions, type Proof, type Resynced } from "./account.ts"
export { type AwaitClosedOptions, awaitClosed } from "./await-closed.ts"
export { Book, type BookOptions, type Distrust, type Verdict } from "./book.ts"
export { compareDecimals } from "./decimal-text.ts"
export { type FailureCode, GatewayError, isPassing, NoAnswer } from "./errors.ts"
export { type CallOptions, type ClockSkew, Gateway, type GatewayOptions } from "./gateway.ts"
export { ERRNO } from "./generated/errno.ts"
export type { components, paths } from "./generated/openapi.ts"
export { type KeepAliveOptions, type KeptAlive, keepAlive } from "./keep-alive.ts"
export type { Level } from "./ladder.ts"
export { isOver } from "./order.ts"
export { type Patience, patiently } from "./retry.ts"
export type { ApiKey, Password, Tokens, Who } from "./session.ts"
export { type Ended, recordOf } from "./stream.ts"
export { type Submission, type SubmitOptions, submit } from "./submit.ts"
export type * from "./types.ts"
