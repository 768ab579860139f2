/**
 * Order entry, made for the keyboard: b or s chooses the side and puts the cursor into the quantity, the arrows step by the instrument's own
 * steps, Enter asks, Enter again sends.
 */

import type { TargetedInputEvent, TargetedKeyboardEvent } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { isDecimal, shortened, stepped } from "../format.ts"
import { listenFor } from "../keyboard.ts"
import { accounts, accountsFault, chosen, followed, link, positions } from "../live.ts"
import { typeMeaning } from "../meanings.ts"
import { useLoaded } from "../parts/load.ts"
import { Field, Hint, Panel, Problem } from "../parts/ui.tsx"
import { gateway, may } from "../session.ts"
import * as draft from "./draft.ts"
import { currentBook, distrust, instrument } from "./market.ts"
import { send } from "./sent.ts"

const TYPES = ["LIMIT", "MARKET", "LIMIT_MAKER", "STOP", "STOP_LIMIT", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT"]
const TIMES = ["GTC", "IOC", "FOK", "DAY"]
/** A second Enter comes later than the key's own repeat. */
const ARM_MS = 150

/** Arrows step a decimal; with Shift ten steps. */
const stepping =
  (value: { value: string }, step: string | undefined, first: () => string | undefined) =>
  (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (step === undefined || !isDecimal(step) || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return
    event.preventDefault()
    if (!isDecimal(value.value)) {
      value.value = first() ?? step
      return
    }
    for (let nth = 0; nth < (event.shiftKey ? 10 : 1); nth++)
      value.value = stepped(value.value, step, event.key === "ArrowUp" ? 1 : -1)
  }

const best = (side: draft.Side): string | undefined => {
  const book = currentBook()
  return (side === "BUY" ? book?.bids[0] : book?.asks[0])?.[0]
}

const Available = () => {
  const asset = draft.paysWith.value
  if (asset === null) return null
  const position = positions.value.get(asset)
  // Of an account that is not read yet nothing is known, not even that there is nothing.
  if (position === undefined && followed.value?.isLoaded !== true)
    return (
      <p class="available">
        <span class="dim">Available</span> <span class="dim">not known</span>
      </p>
    )
  return (
    <p class="available">
      <span class="dim">Available</span>
      <span class="num" title={position?.available}>
        {shortened(position?.available ?? "0", 8)} {asset}
      </span>
      {position !== undefined && position.locked !== "0" && (
        <Hint lines={["Held for open orders. An order in doubt keeps its hold until there is evidence."]}>
          <span class="dim num">{shortened(position.locked, 8)} held</span>
        </Hint>
      )}
    </p>
  )
}

export const Ticket = () => {
  const quantityBox = useRef<HTMLInputElement>(null)
  /** What was checked, word for word, and when: only that is sent. */
  const [armed, setArmed] = useState<{ readonly words: string; readonly at: number } | null>(null)
  const venue = chosen.value?.venue ?? instrument.value?.venue ?? null
  const capability = useLoaded(`capability ${venue}`, async () =>
    venue === null ? null : ((await gateway.get("market/venue/capability/list", { venue }))[0] ?? null),
  ).value
  const disarm = (): void => setArmed(null)
  const order = draft.order.value
  const words = JSON.stringify(order)
  const isArmed = armed?.words === words
  // Another price, account or instrument, from wherever it came: what was checked is not this order. Before the next key is heard: later
  // it would disarm what that one has checked.
  useLayoutEffect(disarm, [words])
  const begin = (side: draft.Side) => (): void => {
    draft.side.value = side
    quantityBox.current?.focus()
    quantityBox.current?.select()
  }
  useLayoutEffect(() => listenFor("ticket", { b: begin("BUY"), s: begin("SELL") }), [])
  const isReadOnly = !may("write")
  const elsewhere = chosen.value !== null && instrument.value !== null && chosen.value.venue !== instrument.value.venue
  const submit = (event: Event): void => {
    event.preventDefault()
    if (order === null || isReadOnly || elsewhere) return
    if (armed === null || !isArmed) return setArmed({ words, at: performance.now() })
    if (performance.now() - armed.at < ARM_MS) return
    disarm()
    void send(order)
    draft.quantity.value = ""
    quantityBox.current?.focus()
  }
  const lot = instrument.value?.lotSize
  const tick = instrument.value?.tickSize
  const types = TYPES.filter((it) => capability === null || capability.orderTypes.includes(it))
  const isBuy = draft.side.value === "BUY"
  const why = isReadOnly
    ? "This console only reads."
    : elsewhere
      ? `The account is at ${chosen.value?.venue}, the instrument at ${instrument.value?.venue}.`
      : capability?.takesOrders === false
        ? "The venue takes no orders here."
        : (draft.misread.value ?? (draft.missing.value === null ? null : `Needs ${draft.missing.value}.`))
  // What it comes to, and a warning where the book is not to be trusted now.
  const doubtful = distrust.value !== null && distrust.value !== "OPENING" ? "book not live · " : ""
  const notional = draft.notional.value
  const worth = `${doubtful}${notional === null ? "" : `${shortened(notional, 8)} ${instrument.value?.quoteAsset ?? ""} · `}`
  const typed =
    (value: { value: string }) =>
    (event: TargetedInputEvent<HTMLInputElement>): void => {
      value.value = event.currentTarget.value.trim()
    }
  return (
    <Panel title="Order" class={`ticket ${isBuy ? "buying" : "selling"}`}>
      {accounts.value === null && accountsFault.value !== null && (
        <Problem>Your accounts could not be read: {accountsFault.value}. It is tried again by itself.</Problem>
      )}
      <form onSubmit={submit} onKeyDown={(event) => event.key === "Escape" && disarm()}>
        <div class="sides" role="radiogroup" aria-label="Side">
          {(["BUY", "SELL"] as const).map((it) => (
            <label key={it} class={`side ${it === "BUY" ? "buy" : "sell"}`}>
              <input
                type="radio"
                name="side"
                checked={draft.side.value === it}
                onChange={() => {
                  draft.side.value = it
                }}
              />
              {it === "BUY" ? "Buy" : "Sell"} <kbd>{it === "BUY" ? "b" : "s"}</kbd>
            </label>
          ))}
        </div>
        <div class="pair">
          <Field label="Type">
            <select
              value={draft.orderType.value}
              title={typeMeaning(draft.orderType.value)}
              onChange={(event) => {
                draft.orderType.value = event.currentTarget.value
              }}
            >
              {types.map((it) => (
                <option key={it} value={it} title={typeMeaning(it)}>
                  {it.replaceAll("_", " ").toLowerCase()}
                </option>
              ))}
            </select>
          </Field>
          <Field label="In force">
            <select
              value={draft.timeInForce.value}
              disabled={draft.orderType.value !== "LIMIT"}
              onChange={(event) => {
                draft.timeInForce.value = event.currentTarget.value
              }}
            >
              {TIMES.filter((it) => capability === null || capability.timesInForce.includes(it)).map((it) => (
                <option key={it}>{it}</option>
              ))}
            </select>
          </Field>
        </div>
        <Field label="Quantity" hint={`${instrument.value?.baseAsset ?? ""} · step ${lot ?? "–"}`}>
          <input
            ref={quantityBox}
            class="num"
            inputMode="decimal"
            autocomplete="off"
            value={draft.quantity.value}
            onInput={typed(draft.quantity)}
            onKeyDown={stepping(draft.quantity, lot, () => instrument.value?.minQuantity)}
          />
        </Field>
        {draft.needsStop.value && (
          <Field label="Stop price" hint={instrument.value?.quoteAsset ?? ""}>
            <input
              class="num"
              inputMode="decimal"
              autocomplete="off"
              value={draft.stopPrice.value}
              onInput={typed(draft.stopPrice)}
              onKeyDown={stepping(draft.stopPrice, tick, () => best(draft.side.value))}
            />
          </Field>
        )}
        <Field label="Limit price" hint={`${instrument.value?.quoteAsset ?? ""} · tick ${tick ?? "–"}`}>
          <input
            class="num"
            inputMode="decimal"
            autocomplete="off"
            disabled={!draft.needsLimit.value}
            value={draft.needsLimit.value ? draft.limitPrice.value : ""}
            placeholder={draft.needsLimit.value ? "" : "market"}
            onInput={typed(draft.limitPrice)}
            onKeyDown={stepping(draft.limitPrice, tick, () => best(draft.side.value))}
          />
        </Field>
        <Available />
        <button
          type="submit"
          class={`send ${isBuy ? "buy" : "sell"} ${isArmed ? "armed" : ""}`}
          disabled={order === null || why !== null || link.value !== "live"}
        >
          <span>{draft.sentence.value}</span>
          <small>
            {link.value === "live"
              ? (why ?? `${worth}${isArmed ? "Enter once more sends · Esc" : "Enter checks"}`)
              : "no connection"}
          </small>
        </button>
      </form>
    </Panel>
  )
}
