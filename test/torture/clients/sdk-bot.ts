/**
 * A bot on the TypeScript client, as a process that the torture `sdk-bots` drives. Every bot speaks these lines, whatever client it is on; the one
 * thing to know: what it reports is what it has in memory by its client's helpers, never asked for when the report is.
 *
 * JSON, one object a line. Environment: GATEWAY_URL, GATEWAY_KEY (an API key), TRADING_ACCOUNT_ID, INSTRUMENT_ID, PATIENCE_MS (of a submit).
 * From the bot by itself:
 *   {"event":"ready"}                                book and account are there; commands may come
 *   {"event":"persisted","key":K}                    before the first byte of a submit leaves
 *   {"event":"resynced","missedFrom":N|null}         the account told that it may have missed something
 * To the bot, each answered by one line with its `n`, in any order:
 *   {"n":1,"do":"submit","order":{…}}                a new order: {"n":1,"outcome":"Stored"|"Replayed"|"Refused"|"Unanswered","key":K,
 *   {"n":2,"do":"submit","order":{…},"key":K}        "tradeOrderId":ID|null,"code":TEXT|null}; with a key: of an earlier try, to resolve it
 *   {"n":3,"do":"cancel","tradeOrderId":ID}          {"n":3,"outcome":"Done"|"Refused"|"NoAnswer"}
 *   {"n":4,"do":"report"}                            {"n":4,"orders":[TradeOrder…],"open":[ID…],"proof":{"from","to","gaps"}|null,"bid":TEXT,"ask":TEXT}
 *   {"n":5,"do":"verify"}                            {"n":5,"isSame":BOOLEAN,"sequence":N}: the book against the gateway's
 *   {"n":6,"do":"end"}                               {"n":6}, and the process ends with 0
 */
import { createInterface } from "node:readline"
import { WebSocket } from "ws"
import {
  Account,
  Book,
  Gateway,
  isOver,
  NoAnswer,
  type SubmitOrder,
  submit,
  type TradeOrder,
} from "../../../clients/typescript/src/index.ts"

interface Command {
  readonly n: number
  readonly do: "submit" | "cancel" | "report" | "verify" | "end"
  readonly order?: SubmitOrder
  readonly key?: string
  readonly tradeOrderId?: string
}

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

const tradingAccountId = setting("TRADING_ACCOUNT_ID")
const patienceMs = Number(setting("PATIENCE_MS"))
const gateway = new Gateway({
  url: setting("GATEWAY_URL"),
  as: { apiKey: setting("GATEWAY_KEY") },
  webSocket: WebSocket,
  timeoutMs: 5_000,
  patienceMs: 60_000,
  centrifuge: { minReconnectDelay: 20, maxReconnectDelay: 200 },
})

/** The newest record of each order that this bot was told of: answers and events overtake each other. */
const known = new Map<string, TradeOrder>()
const note = (order: TradeOrder): void => {
  const before = known.get(order.tradeOrderId)
  if (before !== undefined && (before.updatedAt > order.updatedAt || (isOver(before) && !isOver(order)))) return
  known.set(order.tradeOrderId, order)
}

/** What ended in a gap is in no list of open orders: it is asked for by its id, as the client's page says. */
const catchUp = async (account: Account): Promise<void> => {
  for (const order of account.orders.values()) note(order)
  for (const order of [...known.values()]) {
    const { tradeOrderId } = order
    if (isOver(order) || account.orders.has(tradeOrderId)) continue
    note(await gateway.get("tradeOrder/get", { tradingAccountId, tradeOrderId }))
  }
}

const book = new Book(gateway, setting("INSTRUMENT_ID"), { silenceMs: Number.POSITIVE_INFINITY })
const account = new Account(gateway, tradingAccountId, {
  onResynced: ({ missedFrom }, it) => {
    say({ event: "resynced", missedFrom })
    void catchUp(it)
  },
})
account.onOrder(note)

const act = async (command: Command): Promise<object> => {
  switch (command.do) {
    case "submit": {
      const made = await submit(gateway, command.order!, {
        patienceMs,
        persist: (key) => say({ event: "persisted", key }),
        ...(command.key === undefined ? {} : { key: command.key }),
      })
      if ("order" in made) note(made.order)
      const tradeOrderId = "order" in made ? made.order.tradeOrderId : null
      const code = "error" in made ? ("code" in made.error ? made.error.code : made.error.message) : null
      return { outcome: made.outcome, key: made.key, tradeOrderId, code }
    }
    case "cancel":
      try {
        note(await gateway.post("tradeOrder/cancel", { tradingAccountId, tradeOrderId: command.tradeOrderId! }))
        return { outcome: "Done" }
      } catch (error) {
        return { outcome: error instanceof NoAnswer ? "NoAnswer" : "Refused", code: String(error) }
      }
    case "report": {
      const [bid, ask] = [book.bids[0]?.[0] ?? null, book.asks[0]?.[0] ?? null]
      return { orders: [...known.values()], open: [...account.orders.keys()], proof: account.proof, bid, ask }
    }
    case "verify": {
      await book.ready()
      const { isSame, sequence } = await book.verify()
      return { isSame, sequence }
    }
    case "end":
      return {}
  }
}

await Promise.all([book.ready(), account.ready()])
say({ event: "ready" })
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command
  const answered = act(command).then(
    (answer) => say({ n: command.n, ...answer }),
    (error: unknown) => say({ n: command.n, failed: String(error) }),
  )
  if (command.do !== "end") continue
  await answered
  break
}
account.close()
book.close()
gateway.close()
process.stdin.destroy()
