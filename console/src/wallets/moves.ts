/**
 * Money on its way: from the press to the gateway's answer. The one thing to know: each move has its own key from before it is sent until its
 * answer is known, over reloads and other wallets; whatever is sent again goes under it, and money moves once.
 */
import { effect, signal } from "@preact/signals"
import { GatewayError } from "../../../clients/typescript/src/index.ts"
import { shortId } from "../format.ts"
import { newId } from "../parts/new-id.ts"
import { NotProven, proven } from "../parts/proof.tsx"
import { gateway, userId, wordsOf } from "../session.ts"

export type Asked =
  | {
      readonly way: "deposit" | "withdraw"
      readonly body: { readonly walletId: string; readonly asset: string; readonly amount: string }
    }
  | {
      readonly way: "transfer"
      readonly body: {
        readonly sourceWalletId: string
        readonly destWalletId: string
        readonly asset: string
        readonly amount: string
      }
    }

export type Move = { readonly key: string; readonly asked: Asked; readonly at: number } & (
  | { readonly state: "sending" | "done" }
  | { readonly state: "refused"; readonly why: string }
  /** No answer: whether it was done is not known. */
  | { readonly state: "unknown"; readonly why: string }
)

/** What has no answer yet, and what was sent again and has one. */
export const moves = signal<ReadonlyArray<Move>>([])

export const sentenceOf = ({ way, body }: Asked): string => {
  const money = `${body.amount} ${body.asset}`
  if (way === "transfer") return `${money} from ${shortId(body.sourceWalletId)} to ${shortId(body.destWalletId)}`
  return way === "deposit" ? `${money} into ${shortId(body.walletId)}` : `${money} out of ${shortId(body.walletId)}`
}

/** One entry a move: pages of one browser do not overwrite each other's. */
const prefix = (): string => `console.move.${userId.peek() ?? ""}.`

const set = (next: Move): void => {
  moves.value = [...moves.value.filter(({ key }) => key !== next.key), next]
}

const drop = (key: string): void => {
  moves.value = moves.value.filter((it) => it.key !== key)
}

const keep = ({ key, asked, at }: Move): void =>
  localStorage.setItem(prefix() + key, JSON.stringify({ key, asked, at }))

/** Its answer is known, or its user gives it up. */
export const forget = (key: string): void => {
  localStorage.removeItem(prefix() + key)
  drop(key)
}

/** The gateway did nothing, and says so of the request that it was asked for just now. */
const isRefusal = (error: unknown): boolean =>
  error instanceof NotProven ||
  (error instanceof GatewayError && error.status < 500 && !error.is("IDEMPOTENT_OUTCOME_UNKNOWN"))

/** Refusals of who asks, and how often, say nothing of the same request before. */
const SAYS_NOTHING: ReadonlySet<number> = new Set([401, 403, 408, 429])
const isOfBoth = (error: unknown): boolean =>
  isRefusal(error) && error instanceof GatewayError && !SAYS_NOTHING.has(error.status)

const ask = ({ key, asked: { way, body } }: Move): Promise<unknown> =>
  proven(() => gateway.post(`wallet/${way}`, body as never, { headers: { "Idempotency-Key": key } }))

/** True: it is done. False: no answer came, and it stands among the moves. Throws what refused it. */
export const move = async (asked: Asked): Promise<boolean> => {
  const text = JSON.stringify(asked)
  if (moves.value.some((it) => it.state !== "done" && it.state !== "refused" && JSON.stringify(it.asked) === text))
    throw new Error(
      `${sentenceOf(asked)} has no answer yet: send that again, or give it up, before you ask for the same.`,
    )
  const own: Move = { key: newId(), asked, at: Date.now(), state: "sending" }
  const user = userId.peek()
  keep(own)
  set(own)
  try {
    await ask(own)
  } catch (error) {
    // Another user's page says nothing of it: its own user finds it again.
    if (userId.peek() !== user) return false
    if (isRefusal(error)) {
      forget(own.key)
      throw error
    }
    set({ ...own, state: "unknown", why: wordsOf(error) })
    return false
  }
  if (userId.peek() === user) forget(own.key)
  return true
}

/** The same under the same key. */
export const sendAgain = async (before: Move): Promise<void> => {
  const { key, asked, at } = before
  const user = userId.peek()
  const own: Move = { key, asked, at, state: "sending" }
  set(own)
  try {
    await ask(own)
  } catch (error) {
    if (userId.peek() !== user) return
    if (!isOfBoth(error)) return set({ ...own, state: "unknown", why: wordsOf(error) })
    forget(key)
    return set({ ...own, state: "refused", why: wordsOf(error) })
  }
  if (userId.peek() !== user) return
  forget(key)
  set({ ...own, state: "done" })
}

// A user came: what was without an answer when the page was left still is.
effect(() => {
  if (userId.value === null) {
    moves.value = []
    return
  }
  const own = prefix()
  moves.value = Object.keys(localStorage)
    .filter((name) => name.startsWith(own))
    .map((name): Move => {
      const kept = JSON.parse(localStorage.getItem(name) ?? "") as Pick<Move, "key" | "asked" | "at">
      return { ...kept, state: "unknown", why: "the page was left before the answer came" }
    })
    .sort((a, b) => a.at - b.at)
})

// Answered in another page of this browser.
addEventListener("storage", ({ key: name, newValue }) => {
  if (newValue !== null || !name?.startsWith(prefix())) return
  const key = name.slice(prefix().length)
  if (moves.value.some((it) => it.key === key && it.state === "unknown")) drop(key)
})
