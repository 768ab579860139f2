/**
 * What the page follows: the connection, the user's accounts, and the account that is traded on. The one thing to know: `link` is not live
 * from the moment the socket is cut until it is back, and everything that is shown then says so.
 */
import { batch, computed, effect, signal } from "@preact/signals"
import {
  Account,
  type AccountEvent,
  GatewayError,
  NoAnswer,
  type TradeOrder,
  type TradingAccount,
} from "../../clients/typescript/src/index.ts"
import { pauseAfter } from "./pace.ts"
import { perUser } from "./parts/per-user.ts"
import { gateway, proveSession, userId, wordsOf } from "./session.ts"
import { instrumentId } from "./trade/market.ts"

export type Link = "connecting" | "live" | "cut"
export const link = signal<Link>("connecting")
/** When it became so, ms. */
export const linkSince = signal(Date.now())
/** Once a second: ages are told by it. */
export const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, 1_000)

/** Of the installation; null: not known. Asked without a token: it keeps no session alive. */
export const tradingMode = signal<string | null>(null)
const MODE_EVERY_MS = 5_000
const askMode = async (): Promise<void> => {
  const answer = await fetch("/api/v3/health").then((it) => it.json() as Promise<{ readonly data: unknown }>)
  const record = answer.data as { readonly tradingMode?: string } | null
  tradingMode.value = record?.tradingMode ?? null
}
setInterval(() => {
  if (!document.hidden && userId.peek() !== null) askMode().catch(() => undefined)
}, MODE_EVERY_MS)

const setLink = (next: Link): void => {
  if (link.value === next) return
  batch(() => {
    link.value = next
    linkSince.value = Date.now()
  })
}

/** Null: not known yet, or not to be read now. */
export const accounts = signal<ReadonlyArray<TradingAccount> | null>(null)
/** Why the accounts could not be read; it is tried again by itself. */
export const accountsFault = signal<string | null>(null)
const picked = perUser("account")
export const chosen = computed(
  () =>
    accounts.value?.find(({ tradingAccountId }) => tradingAccountId === picked.text.value) ??
    // One that the market which is looked at can be traded with.
    accounts.value?.find(({ venue }) => instrumentId.value.startsWith(`${venue}:`)) ??
    accounts.value?.[0] ??
    null,
)
export const choose = (id: string): void => picked.keep(id)

export const loadAccounts = async (): Promise<void> => {
  const user = userId.peek()
  const found: Array<TradingAccount> = []
  for await (const account of gateway.pages("tradingAccount/list", {}))
    if (account.status !== "DISCONNECTED") found.push(account)
  if (userId.peek() !== user) return
  batch(() => {
    accounts.value = found
    accountsFault.value = null
  })
}

const keepLoadingAccounts = async (user: string): Promise<void> => {
  for (let nth = 0; userId.peek() === user && accounts.peek() === null; nth++) {
    try {
      await loadAccounts()
    } catch (error) {
      if (userId.peek() !== user) return
      accountsFault.value = wordsOf(error)
      await new Promise((resolve) => setTimeout(resolve, pauseAfter(nth, retryOf(error), Math.random())))
    }
  }
}
const retryOf = (error: unknown): number | null =>
  error instanceof GatewayError || error instanceof NoAnswer ? error.retryAfterMs : null

/** The followed account as it is now: a new object with every change. */
export interface Followed {
  readonly tradingAccountId: string
  readonly isLoaded: boolean
  /** Why it is not followed any more: what is shown of it is how it was. */
  readonly failure: string | null
  readonly orders: ReadonlyArray<TradeOrder>
  /** That ended while it was followed, the newest first. */
  readonly ended: ReadonlyArray<TradeOrder>
  readonly events: ReadonlyArray<AccountEvent>
  /** Nothing is missing between these two events; null: none came yet. */
  readonly proof: Account["proof"]
}
export const followed = signal<Followed | null>(null)
export const positions = signal<Account["positions"]>(new Map())

const ENDED_KEPT = 100
const EVENTS_KEPT = 200

const follow = (tradingAccountId: string): (() => void) => {
  let ended: ReadonlyArray<TradeOrder> = []
  let events: ReadonlyArray<AccountEvent> = []
  let isLoaded = false
  let failure: string | null = null
  let isAsked = false
  const account = new Account(gateway, tradingAccountId, {
    onEvent: (event) => {
      events = [event, ...events].slice(0, EVENTS_KEPT)
      tell()
    },
    onResynced: () => tell(),
    onEnded: (error) => {
      failure = wordsOf(error)
      tell()
    },
  })
  /** Once a frame, however many events there are. */
  function tell(): void {
    if (isAsked) return
    isAsked = true
    queueMicrotask(() => {
      isAsked = false
      const orders = [...account.orders.values()].sort((a, b) => b.createdAt - a.createdAt)
      batch(() => {
        followed.value = { tradingAccountId, isLoaded, failure, orders, ended, events, proof: account.proof }
        positions.value = new Map(account.positions)
      })
    })
  }
  const forget = account.onOrder((order) => {
    if (!account.orders.has(order.tradeOrderId))
      ended = [order, ...ended.filter((it) => it.tradeOrderId !== order.tradeOrderId)].slice(0, ENDED_KEPT)
    tell()
  })
  account.ready().then(
    () => {
      isLoaded = true
      tell()
    },
    () => undefined,
  )
  tell()
  return () => {
    forget()
    account.close()
  }
}

const GO_ON_MS = 1_000

let socket: object | null = null

/** After the end of a socket every channel of it is over: whether there still is a session is asked, and if there is the page begins anew. */
const goOn = async (ended: object): Promise<void> => {
  for (let isKnown = false; !isKnown; ) {
    await new Promise((resolve) => setTimeout(resolve, GO_ON_MS))
    if (socket !== ended) return
    isKnown = await proveSession().then(
      () => true,
      () => false,
    )
  }
  if (socket === ended) location.reload()
}

/** Follows while a user is signed in. */
export const begin = (): void => {
  let unfollow: (() => void) | null = null
  let following: string | null = null
  let user: string | null = null
  effect(() => {
    const id = userId.value
    if (id === user) return
    user = id
    unfollow?.()
    unfollow = null
    following = null
    followed.value = null
    accounts.value = null
    accountsFault.value = null
    positions.value = new Map()
    socket = null
    gateway.close()
    if (id === null) return
    const { client } = gateway.stream
    socket = client
    askMode().catch(() => undefined)
    client.on("connected", () => setLink("live"))
    client.on("connecting", () => setLink(link.peek() === "live" ? "cut" : link.peek()))
    // For good: the session is over, or the gateway wants us to begin anew.
    client.on("disconnected", () => {
      setLink("cut")
      if (socket === client) void goOn(client)
    })
    void keepLoadingAccounts(id)
  })
  effect(() => {
    const id = chosen.value?.tradingAccountId ?? null
    if (id === following) return
    following = id
    unfollow?.()
    unfollow = id === null ? null : follow(id)
    if (id !== null) return
    followed.value = null
    positions.value = new Map()
  })
}
