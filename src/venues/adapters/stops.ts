/** What venues mean by responses that demand fewer requests, or none: what they stop, and for how long. */

export interface RestAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** It was asked with an account's keys. */
  readonly ofAccount: boolean
}

/**
 * BAN: nothing of this address, its sockets neither. ADDRESS: no request of this address. ACCOUNT: no request of this kind of the account.
 * `millis` null: as long as Retry-After says, or the profile.
 */
export interface Stop {
  readonly scope: "BAN" | "ADDRESS" | "ACCOUNT"
  readonly millis: number | null
}

/** Undefined: by the status alone. */
export type StopReader = (answer: RestAnswer) => Stop | undefined

/** Errors are short: what is longer is an answer. */
const ERROR_LENGTH_MAX = 2000

export const saysCode = ({ body }: RestAnswer, code: RegExp): boolean =>
  body.length <= ERROR_LENGTH_MAX && code.test(body)

const usual = ({ status }: RestAnswer): Stop | undefined =>
  status === 418 ? { scope: "BAN", millis: null } : status === 429 ? { scope: "ADDRESS", millis: null } : undefined

export const stopOf = (answer: RestAnswer, reader: StopReader | undefined): Stop | undefined =>
  reader?.(answer) ?? usual(answer)

/** Of requests that are counted by account where they are signed, and by address where not. */
export const stopOfSigned = ({ ofAccount }: RestAnswer, millis: number | null): Stop => ({
  scope: ofAccount ? "ACCOUNT" : "ADDRESS",
  millis,
})

/** Where signed requests are counted by account: 429, and what else says so in an answer 200 or 400. */
export const countedByAccount =
  (code: RegExp | null = null): StopReader =>
  (answer) =>
    answer.status === 429 || (code !== null && saysCode(answer, code)) ? stopOfSigned(answer, null) : undefined

/**
 * A page in place of JSON: what stands before a venue turns the whole address away, for as long as the venue's users say it does, since it names no
 * time. `statuses`: those that it does so with.
 */
export const turnedAway = (
  { status, body }: RestAnswer,
  millis: number,
  statuses: ReadonlyArray<number> = [403, 429],
): Stop | undefined => (statuses.includes(status) && !/^\s*[{[]/.test(body) ? { scope: "BAN", millis } : undefined)
