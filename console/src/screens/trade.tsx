/** The trade screen: the market on the left, the order in the middle, what became of it below. */
import { useEffect, useState } from "preact/hooks"
import { age, shortened } from "../format.ts"
import { listenFor } from "../keyboard.ts"
import { accounts, chosen, followed, link, loadAccounts, now, positions } from "../live.ts"
import { AsOfCut } from "../parts/as-of.tsx"
import { Empty, Form, Hint, Num, Panel, Problem, Table } from "../parts/ui.tsx"
import { gateway, may } from "../session.ts"
import { Chart } from "../trade/chart.tsx"
import * as draft from "../trade/draft.ts"
import { Ladder } from "../trade/ladder.tsx"
import { currentBook, distrust, heardAt, instrumentId, marketFailure, pick, watchMarket } from "../trade/market.ts"
import { Orders, withoutAccount } from "../trade/orders.tsx"
import { Picker } from "../trade/picker.tsx"
import { Tape } from "../trade/tape.tsx"
import { Ticket } from "../trade/ticket.tsx"
import { WHY } from "../trade/trust.ts"

/** Whether the book may be traded on, in one word, and why not. */
const Trust = () => {
  const why = link.value === "live" ? distrust.value : "CUT"
  const words = why === null ? "live" : why.toLowerCase()
  const heard = heardAt.value === 0 ? "" : age(now.value - heardAt.value)
  return (
    <Hint lines={[why === null ? "Every update was seen, in order." : WHY[why], `Last change ${heard || "–"} ago.`]}>
      <span id="trust" class={`badge ${why === null ? "live" : "bad"}`} data-trust={words} role="status">
        {words}
      </span>
      <small class="dim num age"> {heard}</small>
    </Hint>
  )
}

const Positions = () => {
  const account = followed.value
  const rows = [...positions.value.values()].sort((a, b) => a.currency.localeCompare(b.currency))
  return (
    <Panel title="Balances" class="balances" aside={<AsOfCut />}>
      {account?.failure != null && <Problem>The account is not followed: {account.failure}</Problem>}
      {rows.length === 0 ? (
        <Empty>
          {account === null
            ? withoutAccount()
            : account.isLoaded
              ? "None."
              : account.failure === null
                ? "Loading…"
                : "Not known."}
        </Empty>
      ) : (
        <Table
          label="Balances"
          heads={
            <>
              <th>Asset</th>
              <th class="right">Available</th>
              <th class="right">Held</th>
            </>
          }
        >
          {rows.map((it) => (
            <tr key={it.currency} title={`${it.available} available, ${it.locked} held, ${it.balance} in all`}>
              <td>{it.currency}</td>
              <td class="right">
                <Num text={shortened(it.available, 8)} />
              </td>
              <td class="right dim">
                <Num text={shortened(it.locked, 8)} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  )
}

const FirstAccount = () => {
  const connect = async (): Promise<void> => {
    await gateway.post("tradingAccount/connect", {
      venue: "MOCK",
      externalTradingAccountId: "console",
      nickname: "Play money",
    })
    await loadAccounts()
  }
  return (
    <Panel title="Order" class="ticket">
      <Empty>You have no trading account yet. One at MOCK has play money and needs nothing else.</Empty>
      {may("write") && <Form onSend={connect} button="Connect an account at MOCK" />}
    </Panel>
  )
}

export const TradeScreen = () => {
  const [isPicking, setPicking] = useState(false)
  useEffect(() => {
    const stop = watchMarket()
    const deaf = listenFor("market", { i: () => setPicking(true), "/": () => setPicking(true) })
    return () => {
      stop()
      deaf()
    }
  }, [])
  const pickPrice = (price: string): void => {
    draft.limitPrice.value = price
    if (!draft.needsLimit.value) draft.orderType.value = "LIMIT"
  }
  const isStale = link.value !== "live" || (distrust.value !== null && distrust.value !== "OPENING")
  return (
    <div class="trade">
      <Panel
        title="Book"
        class={`book ${isStale ? "stale" : ""}`}
        aside={
          <>
            <button type="button" class="quiet instrument" onClick={() => setPicking(true)}>
              {instrumentId.value} <kbd>i</kbd>
            </button>
            <Trust />
          </>
        }
      >
        {marketFailure.value !== null && currentBook()?.sequence == null && <Problem>{marketFailure.value}</Problem>}
        <Ladder onPick={pickPrice} />
        {isStale && (
          <p class="veil" role="status">
            {WHY[link.value === "live" ? (distrust.value ?? "OPENING") : "CUT"]}
          </p>
        )}
      </Panel>
      {accounts.value !== null && chosen.value === null ? <FirstAccount /> : <Ticket />}
      <Chart />
      <Panel title="Trades" class="trades">
        <Tape />
      </Panel>
      <Positions />
      <Orders />
      {isPicking && <Picker title="Instrument" onTake={pick} onClose={() => setPicking(false)} />}
    </div>
  )
}
