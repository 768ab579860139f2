/**
 * The market that is looked at: its book and its trades, as the client's helpers tell them. The one thing to know: what draws is told at
 * most once a frame, and reads the book itself then; nothing of it goes through the virtual DOM.
 */
import { batch, computed, effect, signal } from "@preact/signals"
import { Book, type Distrust, type Instrument, recordOf } from "../../../clients/typescript/src/index.ts"
import { perUser } from "../parts/per-user.ts"
import { gateway, userId } from "../session.ts"
import { SILENCE_MS } from "./trust.ts"

const picked = perUser("instrument")
export const instrumentId = computed(() => picked.text.value ?? "MOCK:BTC/USDT")
export const instrument = signal<Instrument | null>(null)
/** Why the market cannot be shown; null: it can. */
export const marketFailure = signal<string | null>(null)

export interface Trade {
  readonly tradeId: string
  readonly side: "BUY" | "SELL" | "UNKNOWN"
  readonly price: string
  readonly quantity: string
  readonly timestamp: number
}

/** Why the book is not trusted; null: it is. */
export const distrust = signal<Distrust | null>("OPENING")
/** When the last change of the book came, ms; 0: none yet. */
export const heardAt = signal(0)
export const trades: Array<Trade> = []
const TRADES_KEPT = 60

let book: Book | null = null
export const currentBook = (): Book | null => book

const drawers = new Set<() => void>()
let isDue = false

const due = (): void => {
  if (isDue) return
  isDue = true
  requestAnimationFrame(() => {
    isDue = false
    for (const draw of drawers) draw()
  })
}

/** `draw` is called within the next frame after a change; answers what ends that. */
export const onFrame = (draw: () => void): (() => void) => {
  drawers.add(draw)
  due()
  return () => drawers.delete(draw)
}

export const pick = (id: string): void => picked.keep(id)

const open = (id: string): (() => void) => {
  trades.length = 0
  heardAt.value = 0
  distrust.value = "OPENING"
  marketFailure.value = null
  const own = new Book(gateway, id, {
    silenceMs: SILENCE_MS,
    onChange: () => {
      heardAt.value = Date.now()
      due()
    },
    onTrust: (why) => {
      distrust.value = why
      due()
    },
  })
  book = own
  const tape = gateway.stream.subscribe(`market:trade:${id}`)
  tape.on("publication", ({ data }) => {
    trades.unshift(recordOf<Trade>(data))
    if (trades.length > TRADES_KEPT) trades.length = TRADES_KEPT
    due()
  })
  // What was traded before we came, as far as the gateway remembers it.
  tape.on("subscribed", ({ wasRecovering }) => {
    if (wasRecovering) return
    tape.history({ limit: TRADES_KEPT, reverse: true }).then(
      ({ publications }) => {
        const known = new Set(trades.map(({ tradeId }) => tradeId))
        for (const { data } of publications) {
          const trade = recordOf<Trade>(data)
          if (!known.has(trade.tradeId)) trades.push(trade)
        }
        trades.length = Math.min(trades.length, TRADES_KEPT)
        due()
      },
      () => undefined,
    )
  })
  tape.subscribe()
  let isOver = false
  gateway.get("market/instrument/list", { instrumentId: id }).then(
    (found) => {
      if (isOver) return
      batch(() => {
        instrument.value = found[0] ?? null
        if (found.length === 0) marketFailure.value = `there is no instrument ${id}`
      })
    },
    (error: Error) => {
      if (!isOver) marketFailure.value = error.message
    },
  )
  due()
  return () => {
    isOver = true
    book = null
    instrument.value = null
    own.close()
    gateway.stream.leave(tape)
  }
}

/** Follows the chosen market while it is looked at; answers what ends that. */
export const watchMarket = (): (() => void) =>
  effect(() => {
    const id = instrumentId.value
    // Another user's page begins anew.
    if (userId.value === null) return undefined
    return open(id)
  })
