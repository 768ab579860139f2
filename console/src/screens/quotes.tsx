/**
 * Firm quotes of a dealer: request one, take it while it is firm, and what became of all. The one thing to know: a quote that is taken is an
 * order like any other, sent once and asked after when no answer comes; the price shown is the dealer's own text.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Quote } from "../../../clients/typescript/src/index.ts"
import { bothClocks, digits, shortId } from "../format.ts"
import { listenFor } from "../keyboard.ts"
import { accounts, followed } from "../live.ts"
import { AsOf, AsOfCut } from "../parts/as-of.tsx"
import { useLoaded } from "../parts/load.ts"
import { newId } from "../parts/new-id.ts"
import { proven } from "../parts/proof.tsx"
import { Empty, Fault, Field, Form, Hint, Num, Panel, Table, Time } from "../parts/ui.tsx"
import { HedgesInDoubt } from "../quotes/hedges-in-doubt.tsx"
import { canChange, gateway, may } from "../session.ts"
import { Orders, withoutAccount } from "../trade/orders.tsx"
import { send } from "../trade/sent.ts"

const TTL_SECONDS = 20
const READ_EVERY_MS = 2_000

const toneOf = (status: string): string =>
  status === "EXECUTED"
    ? "good"
    : status === "REJECTED"
      ? "bad"
      : status === "CREATED" || status === "ACTIVE"
        ? "live"
        : "calm"

/** Seconds that are left, ten times a second while there are any. */
const useLeft = (until: number): number => {
  const [left, setLeft] = useState(until - Date.now())
  useEffect(() => {
    const timer = setInterval(() => setLeft(until - Date.now()), 100)
    return () => clearInterval(timer)
  }, [until])
  return Math.max(0, left)
}

const Firm = ({ quote, onOver }: { readonly quote: Quote; readonly onOver: () => void }) => {
  const left = useLeft(quote.expireAt)
  const bar = useRef<HTMLDivElement>(null)
  const share = left / Math.max(1, quote.expireAt - quote.createdAt)
  if (bar.current !== null) bar.current.style.transform = `scaleX(${share.toFixed(3)})`
  const take = (): void => {
    if (quote.quantity === null || left === 0) return
    onOver()
    void send({
      tradingAccountId: quote.traderAccountId,
      orderType: "QUOTED",
      quoteId: quote.quoteId,
      orderSide: quote.orderSide,
      quantity: quote.quantity,
    })
  }
  const taking = useRef(take)
  taking.current = take
  useLayoutEffect(() => listenFor("firm", { t: () => taking.current() }), [])
  const isBuy = quote.orderSide === "BUY"
  return (
    <div class="firm" data-quote={quote.quoteId}>
      <div class="countdown" ref={bar} />
      <p class={`big num ${isBuy ? "buy" : "sell"}`}>
        {quote.orderSide} {quote.quantity} {quote.baseAsset} at {quote.price} {quote.quoteAsset}
      </p>
      <p class="num">{left === 0 ? "Its time is over." : `firm for ${(left / 1_000).toFixed(1)} s`}</p>
      <button type="button" class={`send ${isBuy ? "buy" : "sell"} armed`} disabled={left === 0} onClick={take}>
        <span>
          Take it <kbd>t</kbd>
        </span>
      </button>
    </div>
  )
}

const Request = ({ onAsked }: { readonly onAsked: () => void }) => {
  const own = (accounts.value ?? []).filter(({ dealerAccountId }) => dealerAccountId !== null)
  const [accountId, setAccount] = useState("")
  const account = own.find(({ tradingAccountId }) => tradingAccountId === accountId) ?? own[0]
  const [instrumentId, setInstrument] = useState("INTERNAL:BTC/USDT")
  const [side, setSide] = useState<"BUY" | "SELL">("BUY")
  const [quantity, setQuantity] = useState("")
  const [ttl, setTtl] = useState(String(TTL_SECONDS))
  const [quote, setQuote] = useState<Quote | null>(null)
  const amount = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => listenFor("request", { q: () => amount.current?.focus() }), [])
  const markets = useLoaded("internal markets", () =>
    gateway.get("market/instrument/list", { venue: "INTERNAL", limit: 1_000 }),
  )
  const request = async (): Promise<void> => {
    if (account?.dealerAccountId == null) throw new Error(withoutAccount())
    const answer = await gateway.post("quote/request", {
      dealerAccountId: account.dealerAccountId,
      traderAccountId: account.tradingAccountId,
      instrumentId,
      orderSide: side,
      quantity,
      ttl: Number(ttl),
      quoteRequestId: newId(),
    })
    onAsked()
    if (answer.status !== "CREATED")
      throw new Error(`${answer.status}: ${answer.rejectReason ?? "no reason was given"}`)
    setQuote(answer)
  }
  if (accounts.value !== null && own.length === 0)
    return (
      <Panel title="Request for a quote">
        <Empty>
          None of your accounts has a dealer. One at INTERNAL is connected with the dealer's id:{" "}
          <a href="/docs/dealers">the guide</a>.
        </Empty>
      </Panel>
    )
  return (
    <Panel title="Request for a quote" aside={<kbd>q</kbd>}>
      <Form onSend={request} button="Ask for a price">
        <div class="pair">
          <Field label="Account">
            <select value={account?.tradingAccountId ?? ""} onChange={(event) => setAccount(event.currentTarget.value)}>
              {own.map((it) => (
                <option key={it.tradingAccountId} value={it.tradingAccountId}>
                  {it.nickname || it.externalTradingAccountId || shortId(it.tradingAccountId)}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Instrument">
            <select value={instrumentId} onChange={(event) => setInstrument(event.currentTarget.value)}>
              {[...new Set([instrumentId, ...(markets.value ?? []).map((it) => it.instrumentId)])].map((it) => (
                <option key={it}>{it}</option>
              ))}
            </select>
          </Field>
        </div>
        <div class="sides" role="radiogroup" aria-label="Side">
          {(["BUY", "SELL"] as const).map((it) => (
            <label key={it} class={`side ${it === "BUY" ? "buy" : "sell"}`}>
              <input type="radio" name="quote-side" checked={side === it} onChange={() => setSide(it)} />
              {it === "BUY" ? "Buy" : "Sell"}
            </label>
          ))}
        </div>
        <div class="pair">
          <Field label="Quantity" hint={/[:]([^/]+)\//.exec(instrumentId)?.[1] ?? ""}>
            <input
              ref={amount}
              class="num"
              inputMode="decimal"
              required
              value={quantity}
              onInput={(event) => setQuantity(event.currentTarget.value.trim())}
            />
          </Field>
          <Field label="Firm for" hint="seconds">
            <input
              class="num"
              inputMode="numeric"
              required
              value={ttl}
              onInput={(event) => setTtl(event.currentTarget.value.trim())}
            />
          </Field>
        </div>
      </Form>
      {quote !== null && (
        <Firm
          key={quote.quoteId}
          quote={quote}
          onOver={() => {
            setQuote(null)
            onAsked()
          }}
        />
      )}
    </Panel>
  )
}

const Receipt = ({ quote }: { readonly quote: Quote }) => {
  const { receipt } = quote
  if (receipt === null) return <span class="dim">–</span>
  return (
    <Hint
      lines={[
        `Priced from the book of ${receipt.instrumentId} at ${bothClocks(receipt.bookAt)}.`,
        `Walked to ${receipt.walkedPrice ?? "–"}, worst level ${receipt.worstPrice ?? "–"}.`,
        `Taker fee ${receipt.takerFeeBps ?? "–"} bp, markup ${receipt.markupBps ?? "–"} bp, time ${receipt.ttlBps ?? "–"} bp.`,
      ]}
    >
      <span class="dim">{receipt.venue}</span>
    </Hint>
  )
}

const Blotter = ({ quotes }: { readonly quotes: ReadonlyArray<Quote> }) => {
  const most = (of: (it: Quote) => string | null): number => Math.max(0, ...quotes.map((it) => digits(of(it) ?? "")))
  const [sizes, prices] = [most((it) => it.quantity), most((it) => it.price)]
  return quotes.length === 0 ? (
    <Empty>No quote was asked for yet.</Empty>
  ) : (
    <Table
      label="Quotes"
      isTall={true}
      heads={
        <>
          <th>Time</th>
          <th>Instrument</th>
          <th>Side</th>
          <th class="right">Quantity</th>
          <th class="right">Price</th>
          <th>State</th>
          <th>Until</th>
          <th>Receipt</th>
        </>
      }
    >
      {quotes.map((it) => (
        <tr key={it.quoteId}>
          <td>
            <Time ms={it.createdAt} />
          </td>
          <td>{it.instrumentId}</td>
          <td class={it.orderSide === "BUY" ? "buy" : "sell"}>{it.orderSide}</td>
          <td class="right">
            <Num text={it.quantity} digits={sizes} />
          </td>
          <td class="right">
            <Num text={it.price} digits={prices} />
          </td>
          <td>
            <span class={`badge ${toneOf(it.status)}`}>{it.status}</span> <small class="dim">{it.rejectReason}</small>
          </td>
          <td>
            <Time ms={it.expireAt} />
          </td>
          <td>
            <Receipt quote={it} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

const Desk = () => {
  const found = useLoaded(
    "desks",
    async () => {
      const dealers = await gateway.get("dealer/list", { limit: 100 })
      return Promise.all(dealers.map(({ dealerAccountId }) => gateway.get("dealer/get", { dealerAccountId })))
    },
    READ_EVERY_MS,
  )
  const act = (name: "pause" | "resume", dealerAccountId: string) => async (): Promise<void> => {
    await proven(() => gateway.post(`dealer/${name}`, { dealerAccountId }))
    found.again()
  }
  return (
    <Panel title="Dealers" aside={<AsOf of={found} everyMs={READ_EVERY_MS} />}>
      <Fault of={found} />
      {found.value?.length === 0 && <Empty>There is none.</Empty>}
      {found.value !== null && found.value.length > 0 && (
        <Table
          label="Desks"
          isTall={true}
          heads={
            <>
              <th>Dealer</th>
              <th>State</th>
              <th class="right">Open quotes</th>
              <th>Exposure</th>
              <th>
                <span class="unseen">Acts</span>
              </th>
            </>
          }
        >
          {found.value.map((it) => (
            <tr key={it.dealerAccountId}>
              <td title={it.dealerAccountId}>{it.name}</td>
              <td>
                <span class={`badge ${toneOf(it.status)}`}>{it.status}</span>
              </td>
              <td class="right num">{it.openQuotes ?? "–"}</td>
              <td class="num">
                {(it.hedging ?? []).map((line) => (
                  <div key={line.symbol}>
                    {line.position} {line.symbol} <span class="dim">{line.state}</span>
                    <HedgesInDoubt dealerAccountId={it.dealerAccountId} line={line} again={found.again} />
                  </div>
                ))}
              </td>
              <td>
                {canChange() && it.status !== "ARCHIVED" && (
                  <Form
                    class="inline"
                    button={it.status === "ACTIVE" ? "Pause" : "Resume"}
                    onSend={act(it.status === "ACTIVE" ? "pause" : "resume", it.dealerAccountId)}
                  />
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  )
}

export const QuotesScreen = () => {
  // A taken quote is told by the account's events.
  const changes = followed.value?.proof?.to ?? 0
  const found = useLoaded("quotes", () => gateway.get("quote/list", { limit: 100 }), undefined, changes)
  return (
    <div class="column">
      <div class="side-by-side">
        {may("write") && <Request onAsked={found.again} />}
        {may("admin") && <Desk />}
      </div>
      <Panel title="Quotes" aside={<AsOfCut />}>
        <Fault of={found} />
        {found.value !== null && <Blotter quotes={found.value} />}
      </Panel>
      <Orders />
    </div>
  )
}
